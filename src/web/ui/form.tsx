import type { ComponentChildren, ComponentProps } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Outcome } from '../data/api.ts';
import { sentenceOf } from '../shell/api.ts';
import { toast } from '../shell/toasts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { submits } from './submits.ts';

/** A form's state: whether it is being sent, and what the server said is wrong. */
interface FormState {
  isSending: boolean;
  /** What is wrong with the form as a whole. */
  problem: string | undefined;
  /** What binds a field to a state, and shows what is wrong with it. */
  field(
    name: string,
    value: string,
    onInput: (value: string) => void,
  ): { name: string; value: string; error: string | undefined; onInput: (value: string) => void };
  /** Sends, once at a time; true when it went well. `explain` may put a rejection into other words. */
  send(request: () => Promise<Outcome>, explain?: (failure: Failure) => string | undefined): Promise<boolean>;
  fail(problem: string): void;
}

/** Keeps one form's errors; `fields` show theirs, whatever else is wrong stands above the form. */
export function useForm(fields: readonly string[]): FormState {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const isBusy = useRef(false);
  return {
    isSending,
    problem,
    field: (name, value, onInput) => ({ name, value, error: errors[name], onInput }),
    fail: setProblem,
    send: async (request, explain) => {
      if (isBusy.current) return false;
      isBusy.current = true;
      setSending(true);
      setProblem(undefined);
      setErrors({});
      // That it was saved before says nothing of this time.
      toast.value = undefined;
      const reply = await request();
      isBusy.current = false;
      setSending(false);
      if (reply.kind === 'ok') return true;
      const issues = reply.kind === 'error' ? reply.issues : [];
      const known = issues.filter(({ path }) => fields.includes(path));
      // What the API calls a title has the label "Name".
      setErrors(
        Object.fromEntries(known.map(({ path, message }) => [path, message.replace(/^Title/, 'Name')])),
      );
      if (known.length === 0) setProblem(explain?.(reply) ?? issues[0]?.message ?? sentenceOf(reply));
      return false;
    },
  };
}

/** Other words for a rejection with that status. */
export const wordsFor =
  (status: number, words: string) =>
  (failure: Failure): string | undefined =>
    failure.kind === 'error' && failure.status === status ? words : undefined;

interface Props {
  state: FormState;
  /** Its name, where it is no more than one of several things on its screen. */
  label?: string;
  onSubmit(): void;
  children: ComponentChildren;
}

/** A form that scripts send; the browser's own checks are left to the server's words. */
export const Form = ({ state, label, onSubmit, children }: Props) => {
  const ref = useRef<HTMLFormElement>(null);
  // What came back wrong is where one goes on.
  useLayoutEffect(() => {
    if (!state.isSending) ref.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [state.isSending]);
  return (
    <form
      ref={ref}
      class="form"
      method="post"
      noValidate
      aria-label={label}
      aria-busy={state.isSending}
      onSubmit={submits(onSubmit)}
    >
      <div role="alert">
        {state.problem && (
          <p class="error">
            <Icon name="warning" small />
            {state.problem}
          </p>
        )}
      </div>
      {children}
    </form>
  );
};

/** The button that sends a form. */
export const Submit = ({ children }: { children: string }) => (
  <Button type="submit" class="main">
    {children}
  </Button>
);

/** Goes back to what is saved, where something is typed that is not. */
export const DropChanges = ({ draft }: { draft: { isChanged: boolean; drop(): void } }) =>
  draft.isChanged && (
    <Button class="plain" onClick={draft.drop}>
      Drop changes
    </Button>
  );

/** Where a form that stays on its page is sent. */
export const SaveLine = ({ draft }: Partial<ComponentProps<typeof DropChanges>>) => (
  <div class="line">
    <Submit>Save</Submit>
    {draft && <DropChanges draft={draft} />}
  </div>
);
