import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { useClosedByBack } from './closed-by-back.ts';

interface Props {
  label: string;
  class?: string;
  /** Asked for by Escape, by a click beside it, by Back, or by the dialog's own buttons; none where it has to stay. */
  onClose?(): void;
  /** Ctrl Enter, ⌘ Enter; where it is not given, they send the form of the dialog. */
  onSave?(): void;
  children: ComponentChildren;
}

/** A modal dialog; the element that had the focus has it again afterwards. */
export function Dialog({ label, class: className, onClose, onSave, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  /** Where the pointer went down: text that is selected past the edge is no click beside the dialog. */
  const pressed = useRef<EventTarget>(null);
  useClosedByBack(onClose);
  useLayoutEffect(() => {
    const { current } = ref;
    current?.showModal();
    // Its way out is no place to begin.
    if (document.activeElement?.matches('[aria-label="Close"]')) current?.focus();
    return () => current?.close();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (onSave) onSave();
    else ref.current?.querySelector('form')?.requestSubmit();
  };
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
      class={className}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // Asked twice, a browser closes it all the same.
      onClose={() => !onClose && ref.current?.showModal()}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => {
        if (event.target === ref.current && pressed.current === ref.current) onClose?.();
      }}
      onKeyDown={onKeyDown}
    >
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface TitledProps {
  title: string;
  onClose(): void;
  onSave?(): void;
  children: ComponentChildren;
}

/** A small dialog that begins with its title. */
export const TitledDialog = ({ title, children, ...dialog }: TitledProps) => (
  <Dialog label={title} class="small" {...dialog}>
    <div class="view-form">
      <h2>{title}</h2>
      {children}
    </div>
  </Dialog>
);

interface ButtonsProps {
  onCancel(): void;
  action?: string;
  isDanger?: boolean;
}

/** The buttons that end the form of a dialog. */
export const DialogButtons = ({ onCancel, action = 'Save', isDanger = false }: ButtonsProps) => (
  <>
    <Button class="push" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" class={isDanger ? 'main danger' : 'main'}>
      {action}
    </Button>
  </>
);
