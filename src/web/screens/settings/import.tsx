import { useRef, useState } from 'preact/hooks';
import type { ImportResult } from '../../../import/result-schema.ts';
import type { Failure, Issue } from '../../data/api.ts';
import { call, sentenceOf } from '../../shell/api.ts';
import { showToast } from '../../shell/toasts.ts';
import { Part } from './page.tsx';

const MAX_SHOWN = 20;

type State =
  | { step: 'idle' }
  | { step: 'checking' | 'importing'; file: File }
  | { step: 'checked'; file: File; result: ImportResult }
  | { step: 'failed'; problem: string; issues: Issue[] };

/** The file goes as it is: it may be too long to be read here. */
const send = (file: File, dryRun: boolean) =>
  call<ImportResult>('POST', `/account/import?dryRun=${dryRun}`, file);

/** Takes an exported document in: first it is only checked, and shown what it would make. */
export function Import() {
  const [state, setState] = useState<State>({ step: 'idle' });
  const input = useRef<HTMLInputElement>(null);
  const isBusy = state.step === 'checking' || state.step === 'importing';
  const fail = (failure: Failure) => {
    const issues = failure.kind === 'error' ? failure.issues : [];
    const problem = issues.length > 0 ? 'The document breaks these rules:' : sentenceOf(failure);
    setState({ step: 'failed', problem, issues });
  };
  const check = async (file: File | undefined) => {
    if (!file) return;
    setState({ step: 'checking', file });
    const reply = await send(file, true);
    if (reply.kind === 'ok') setState({ step: 'checked', file, result: reply.body });
    else fail(reply);
  };
  const take = async (file: File) => {
    setState({ step: 'importing', file });
    const reply = await send(file, false);
    if (reply.kind !== 'ok') return fail(reply);
    setState({ step: 'idle' });
    showToast(`Imported ${reply.body.workspaces.map(({ title }) => title).join(', ')}`);
  };
  return (
    <Part
      title="Import"
      note="An exported document becomes new workspaces of yours. First you see what it holds."
    >
      <div class="line">
        <button type="button" class="button" disabled={isBusy} onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          aria-label="Exported document"
          hidden
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            // So that the same file can be chosen again.
            event.currentTarget.value = '';
            void check(file);
          }}
        />
      </div>
      <div role="status">
        {state.step === 'checking' && <p class="quiet">Checking {state.file.name}…</p>}
        {state.step === 'importing' && <p class="quiet">Importing {state.file.name}…</p>}
        {state.step === 'failed' && (
          <>
            <p class="error">{state.problem}</p>
            <Remarks remarks={state.issues} />
          </>
        )}
        {state.step === 'checked' && (
          <>
            <p dir="auto">{summaryOf(state.result)}</p>
            <Remarks remarks={state.result.warnings} />
          </>
        )}
      </div>
      {state.step === 'checked' && (
        <div class="line">
          <button type="button" class="button" onClick={() => setState({ step: 'idle' })}>
            Cancel
          </button>
          <button type="button" class="button main" onClick={() => take(state.file)}>
            Import
          </button>
        </div>
      )}
    </Part>
  );
}

function Remarks({ remarks }: { remarks: readonly Issue[] }) {
  if (remarks.length === 0) return null;
  const more = remarks.length - MAX_SHOWN;
  return (
    <ul class="quiet">
      {remarks.slice(0, MAX_SHOWN).map(({ path, message }) => (
        <li key={path + message} dir="auto">
          {path}: {message}
        </li>
      ))}
      {more > 0 && <li>And {more} more</li>}
    </ul>
  );
}

function summaryOf({ workspaces, counts }: ImportResult): string {
  const titles = workspaces.map(({ title }) => title).join(', ');
  const parts = [
    [counts.lists, 'list'],
    [counts.tasks, 'task'],
    [counts.comments, 'comment'],
    [counts.recurringTasks, 'recurring task'],
  ] as const;
  const words = parts.map(([n, noun]) => `${n} ${noun}${n === 1 ? '' : 's'}`).join(', ');
  return titles === '' ? 'It holds no workspace.' : `${titles}: ${words}.`;
}
