import { useRef, useState } from 'preact/hooks';
import type { ImportResult } from '../../../import/result-schema.ts';
import type { Failure, Issue } from '../../data/api.ts';
import { call, sentenceOf } from '../../shell/api.ts';
import { showToast } from '../../shell/toasts.ts';
import { entryInWords } from '../../text/import-words.ts';
import { Button } from '../../ui/button.tsx';
import { Part } from './page.tsx';

const MAX_SHOWN = 20;
/** Bytes of a document that is read here, for its titles. */
const MAX_READ = 16_000_000;

type State =
  | { step: 'idle' }
  | { step: 'checking' | 'importing'; file: File }
  | { step: 'checked'; file: File; result: ImportResult; remarks: Remark[] }
  | { step: 'failed'; problem: string; remarks: Remark[] };

/** What the server says of a place in the document, and that place in words. */
type Remark = Issue & { place: string };

/** The file goes as it is: it may be too long to be read here. */
const send = (file: File, dryRun: boolean) =>
  call<ImportResult>('POST', `/account/import?dryRun=${dryRun}`, file);

async function remarksOn(file: File, issues: readonly Issue[]): Promise<Remark[]> {
  const document = issues.length > 0 && file.size <= MAX_READ ? await read(file) : undefined;
  return issues.map((issue) => ({ ...issue, place: entryInWords(issue.path, document) }));
}

/** Undefined where it is no JSON. */
async function read(file: File): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    return undefined;
  }
}

/** Takes an exported document in: first it is only checked, and shown what it would make. */
export function Import() {
  const [state, setState] = useState<State>({ step: 'idle' });
  const input = useRef<HTMLInputElement>(null);
  const isBusy = state.step === 'checking' || state.step === 'importing';
  const fail = async (file: File, failure: Failure) => {
    const remarks = await remarksOn(file, failure.kind === 'error' ? failure.issues : []);
    const problem = remarks.length > 0 ? 'The document breaks these rules:' : sentenceOf(failure);
    setState({ step: 'failed', problem, remarks });
  };
  const check = async (file: File | undefined) => {
    if (!file) return;
    setState({ step: 'checking', file });
    const reply = await send(file, true);
    if (reply.kind !== 'ok') return fail(file, reply);
    const remarks = await remarksOn(file, reply.body.warnings);
    setState({ step: 'checked', file, result: reply.body, remarks });
  };
  const take = async (file: File) => {
    setState({ step: 'importing', file });
    const reply = await send(file, false);
    if (reply.kind !== 'ok') {
      // Who waited elsewhere hears of it too.
      showToast(`Not imported: ${file.name}. ${sentenceOf(reply)}`);
      return fail(file, reply);
    }
    setState({ step: 'idle' });
    showToast(`Imported ${reply.body.workspaces.map(({ title }) => title).join(', ')}`);
  };
  return (
    <Part
      title="Import"
      note="An exported document becomes new workspaces of yours. First you see what it holds."
    >
      <div class="line">
        <Button disabled={isBusy} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
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
            <Remarks remarks={state.remarks} />
          </>
        )}
        {state.step === 'checked' && (
          <>
            <p dir="auto">{summaryOf(state.result)}</p>
            <Remarks remarks={state.remarks} />
          </>
        )}
      </div>
      {state.step === 'checked' && (
        <div class="line">
          <Button onClick={() => setState({ step: 'idle' })}>Cancel</Button>
          <Button class="main" onClick={() => take(state.file)}>
            Import
          </Button>
        </div>
      )}
    </Part>
  );
}

function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  if (remarks.length === 0) return null;
  const more = remarks.length - MAX_SHOWN;
  return (
    <ul class="remarks">
      {remarks.slice(0, MAX_SHOWN).map(({ path, place, message }) => (
        <li key={path + message}>
          <p dir="auto">{place === '' ? message : `${capitalized(place)}: ${message}`}</p>
          {path !== '' && (
            <p class="quiet">
              <small>{path}</small>
            </p>
          )}
        </li>
      ))}
      {more > 0 && <li>And {more} more</li>}
    </ul>
  );
}

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

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
