import { isComposing } from '../ui/composing.ts';
import { applies, commandFor, commands } from './commands.ts';
import { createKeyDispatcher } from './keys.ts';
import { keepKey } from './overlays.tsx';

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Runs commands by their keys, wherever the focus is, except in a modal dialog, which has keys of its own. */
export function startKeys(): void {
  const press = createKeyDispatcher(() => commands.value.flatMap(({ keys = [] }) => keys.filter(applies)));
  /** The key whose command ran, until it is released: held down it writes nothing into what it opened. */
  let held: string | undefined;
  const release = () => {
    held = undefined;
  };
  document.addEventListener('keyup', release);
  addEventListener('blur', release);
  document.addEventListener(
    'keydown',
    (event) => {
      if (!event.repeat) release();
      else if (event.key === held) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    true,
  );
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isComposing(event) || event.getModifierState('AltGraph')) return;
    if (document.querySelector('dialog:modal')) return;
    const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
    const isPlain =
      !ctrlKey && !metaKey && !altKey && (key.length === 1 || key === 'Enter' || key === 'Escape');
    if (isPlain && keepKey(key)) {
      event.preventDefault();
      return;
    }
    const target = event.target as Element;
    // Enter presses what has the focus, arrows choose among radio buttons.
    if (key === 'Enter' && isPlain && target.closest('a, button, input, summary')) return;
    if (key.startsWith('Arrow') && target.matches('[type="radio"]')) return;
    const isTyping = isEditable(event.target);
    const stroke = { key, code, ctrlKey, metaKey, altKey, shiftKey, isTyping };
    const binding = press(stroke, event.timeStamp);
    const command = binding === undefined ? undefined : commandFor(binding);
    if (!command || (isTyping && !command.whileTyping) || command.appliesNow?.() === false) return;
    event.preventDefault();
    if (!command.repeats) held = key;
    command.run(event.repeat);
  });
}

const NOT_TEXT = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit'];

function isEditable(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NOT_TEXT.includes(target.type);
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
