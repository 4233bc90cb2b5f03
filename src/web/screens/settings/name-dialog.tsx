import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import { submits } from '../../ui/submits.ts';
import { useDraft } from './use-draft.ts';

interface Props {
  title: string;
  value?: string;
  /** Names that others have. */
  taken?: readonly string[];
  /** False where the server did not take it. */
  onSave(name: string): unknown;
  onClose(): void;
}

/** Asks for a name. What is typed stays for the next opening until it is saved or canceled. */
export function NameDialog({ title, value = '', taken = [], onSave, onClose }: Props) {
  const draft = useDraft(`name ${title} ${value}`, { name: value });
  const { name } = draft.values;
  const [error, setError] = useState<string>();
  const save = async () => {
    const wanted = name.trim();
    const isTaken = wanted !== value && taken.includes(wanted);
    const wrong = wanted === '' ? 'A name is needed' : isTaken ? 'Another one has this name' : undefined;
    setError(wrong);
    if (wrong) return;
    onClose();
    if (wanted === value || (await onSave(wanted)) !== false) draft.drop();
  };
  const cancel = () => {
    draft.drop();
    onClose();
  };
  return (
    <SmallDialog title={title} onSave={save} onClose={onClose} onCancel={cancel}>
      <Field
        label="Name"
        name="title"
        autocomplete="off"
        autoFocus
        value={name}
        error={error}
        onInput={draft.set('name')}
      />
    </SmallDialog>
  );
}

interface ChoiceProps {
  title: string;
  label: string;
  value: string;
  options: readonly Choice[];
  onSave(value: string): void;
  onClose(): void;
}

/** Asks for one of several. */
export function ChoiceDialog({ title, label, value, options, onSave, onClose }: ChoiceProps) {
  const [chosen, setChosen] = useState(value);
  const save = () => {
    onClose();
    if (chosen !== value) onSave(chosen);
  };
  return (
    <SmallDialog title={title} onSave={save} onClose={onClose}>
      <Select label={label} value={chosen} options={options} onChange={setChosen} />
    </SmallDialog>
  );
}

interface SmallProps {
  title: string;
  onSave(): void;
  onClose(): void;
  onCancel?(): void;
  children: ComponentChildren;
}

const SmallDialog = ({ title, onSave, onClose, onCancel = onClose, children }: SmallProps) => (
  <Dialog label={title} class="small" onClose={onClose}>
    <form class="view-form" noValidate onSubmit={submits(onSave)}>
      <h2>{title}</h2>
      {children}
      <div class="line actions">
        <DialogButtons onCancel={onCancel} />
      </div>
    </form>
  </Dialog>
);
