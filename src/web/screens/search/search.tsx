import { effect, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { addressOf } from '../../shell/addresses.ts';
import { isPhone } from '../../shell/device.ts';
import { workspace, workspaces } from '../../shell/frame-view.ts';
import { query, setQuery } from '../../shell/navigation.ts';
import { pressKeysAhead, takeTypedAhead } from '../../shell/overlays.tsx';
import { withQuery } from '../../shell/router.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { isOpen, useRows, userData, useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { moveFocus } from '../../tasks/current.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { type TaskGroup, TaskGroups } from '../../tasks/task-groups.tsx';
import { useFilters } from '../../tasks/use-filters.ts';
import { fold } from '../../text/match.ts';
import { isNumberOf } from '../../text/numbers.ts';
import { quoted } from '../../text/quoted.ts';
import { Button } from '../../ui/button.tsx';
import { isComposing } from '../../ui/composing.ts';
import { Icon } from '../../ui/icon.tsx';
import { LinkRow } from '../../ui/link-row.tsx';
import { Marked } from '../../ui/marked.tsx';
import { Nothing } from '../../ui/nothing.tsx';

/** Of those held, where the server's follow. */
const SHOWN = 50;
const LIMIT = 100;
const WAIT_MS = 250;

/** What was sought on this page, newest first. */
const recent = signal<readonly string[]>([]);
effect(() => {
  if (!userData.value) recent.value = [];
});

/** What the server found of some words: so far, on so many pages, and in all. */
interface Found {
  q: string;
  ids: readonly string[];
  pages: number;
  total: number;
}
const NOTHING: Found = { q: '', ids: [], pages: 0, total: 0 };

const wordsOf = (text: string): string[] => fold(text).split(/\s+/).filter(Boolean);

/** Tasks by their words: those held at once, the server's below. */
export function Search({ params }: ScreenProps) {
  const { store } = useUserData();
  const w = params.w ?? workspace.value?.id ?? '';
  const [typed, setTyped] = useState(() => (query.value.get('q') ?? '') + takeTypedAhead());
  const [found, setFound] = useState<Found>(NOTHING);
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const q = typed.trim();
  const key = store.view.row('workspace', w)?.key;
  const { isFiltered, inputs, passes } = useFilters();
  useTaskCommands();
  useLayoutEffect(() => {
    input.current?.focus();
    pressKeysAhead();
  }, []);
  const ask = (page: number) => {
    const parameters = new URLSearchParams({ q: q.slice(0, 200), limit: String(LIMIT), page: String(page) });
    return store.queries.run(w, `tasks/search?${parameters}`);
  };
  const more = async () => {
    const result = await ask(found.pages + 1);
    if (!result) return showToast('The other tasks could not be loaded. Try again.');
    const { total } = result;
    const ids = [...new Set([...found.ids, ...result.items.map(({ id }) => id)])];
    setFound((now) => (now === found ? { q, ids, pages: found.pages + 1, total } : now));
  };
  const asked = query.value.get('q') ?? '';
  /** What this screen put into the address, which more may have been typed since. */
  const written = useRef(asked);
  useEffect(() => {
    if (asked !== written.current) setTyped(asked);
  }, [asked]);
  useEffect(() => {
    written.current = q;
    setQuery({ q: q || undefined });
    if (q === '') {
      setFound(NOTHING);
      return;
    }
    if (found.q === q && !isMissing) return;
    let isWanted = true;
    const timer = setTimeout(async () => {
      const result = await ask(1);
      if (!isWanted) return;
      setMissing(result === null);
      if (result) setFound({ q, ids: result.items.map(({ id }) => id), pages: 1, total: result.total });
      recent.value = [q, ...recent.value.filter((other) => other !== q)].slice(0, 8);
    }, WAIT_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [q, w, store, store.isReachable.value]);
  const words = useMemo(() => wordsOf(q), [q]);
  /** Noted once: what is completed or renamed where it was found stays in its place. */
  const places = useMemo(() => new Map<string, number>(), [q]);
  const isSought = (task: Task): boolean => {
    if (words.length === 0 || task.workspaceId !== w || !passes(task)) return false;
    const title = fold(task.title);
    if (!words.every((word) => title.includes(word)) && !isNumberOf(q, key, task)) return false;
    if (!places.has(task.id))
      places.set(task.id, (isOpen(store, task) ? 0 : 1000) + title.indexOf(words[0] ?? ''));
    return true;
  };
  const byPlace = (a: Task, b: Task): number => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0);
  const held = useRows('task', isSought, byPlace, [q, w, ...inputs]);
  const here = useMemo(
    () => held.rows.slice(0, isMissing ? undefined : SHOWN).map(({ id }) => id),
    [held, held.revision.value, isMissing],
  );
  const left = found.q === q ? found.total - Math.min(found.total, found.pages * LIMIT) : 0;
  const older =
    found.q === q
      ? found.ids.filter((id) => {
          const task = store.view.row('task', id);
          return !here.includes(id) && task !== undefined && passes(task);
        })
      : [];
  const groups = useMemo(
    () =>
      [
        { key: 'here', title: 'On this device', ids: here },
        { key: 'server', title: here.length > 0 ? 'More, from the server' : 'From the server', ids: older },
      ].filter(({ ids }) => ids.length > 0) as TaskGroup[],
    [here, older.join()],
  );
  const others = workspaces.value.filter(({ id }) => id !== w);
  // Where there are several, it is not plain which one was searched.
  const place = others.length > 0 ? ` in ${quoted(store.view.row('workspace', w)?.title ?? '')}` : '';
  return (
    <main class="sheet search-screen">
      <ScreenHead title="Search" workspaceId={w} />
      <div class="search-line">
        <label class="input search">
          <Icon name="search" />
          <span class="hidden">Search</span>
          <input
            ref={input}
            type="search"
            maxLength={200}
            autocomplete="off"
            dir="auto"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (isComposing(event)) return;
              if (event.key === 'ArrowDown' || event.key === 'Enter') {
                event.preventDefault();
                moveFocus(1);
              } else if (event.key === 'Escape') {
                event.preventDefault();
                event.stopPropagation();
                // From there, letters are keys.
                if (typed === '') document.querySelector<HTMLElement>('h1')?.focus();
                setTyped('');
              }
            }}
          />
        </label>
      </div>
      <div class="scroll">
        <TaskGroups
          groups={groups}
          showsList
          marked={(title) => <Marked text={title} spans={spansOf(title, words)} />}
        />
        <div class="quiet search-note" role="status">
          {q !== '' && groups.length === 0 && found.q !== q && !isMissing && 'Asking the server…'}
          {q !== '' && groups.length === 0 && found.q === q && left === 0 && (
            <Nothing icon="search">
              {isFiltered
                ? `No task${place} with these words passes the filters.`
                : `No task${place} has these words.`}
            </Nothing>
          )}
          {isMissing && 'The server cannot be reached: only what is on this device was sought.'}
        </div>
        {left > 0 && (
          <div class="rest line">
            <p class="quiet">
              {`The server found ${left} more.`}
              {isFiltered && ' Filters do not see them.'}
            </p>
            <Button class="push" onClick={more}>
              Show more
            </Button>
          </div>
        )}
        {q !== '' && others.length > 0 && (
          <ul aria-label="Other workspaces">
            {others.map(({ id, title }) => (
              <LinkRow
                key={id}
                to={withQuery(addressOf('search', { w: id }), { q })}
                icon="search"
                title={`Search ${quoted(title)}`}
              />
            ))}
          </ul>
        )}
        {q === '' && recent.value.length === 0 && (
          <div class="empty">
            {isPhone.value ? (
              <h2>Type a few words</h2>
            ) : (
              <h2>
                Press <kbd>/</kbd> anywhere and type a few words
              </h2>
            )}
            <p class="example">
              <span class="hidden">Example: </span>lease <mark>brandt</mark>
            </p>
            <p class="quiet">Titles, descriptions, checklists and comments are searched.</p>
          </div>
        )}
        {q === '' && recent.value.length > 0 && (
          <section aria-label="Recent">
            <div class="group-head">
              <h2>Recent</h2>
            </div>
            <div class="chips">
              {recent.value.map((text) => (
                <button key={text} type="button" class="chip" dir="auto" onClick={() => setTyped(text)}>
                  {text}
                </button>
              ))}
            </div>
          </section>
        )}
      </div>
      <KeyLine />
    </main>
  );
}

/** Where a title has the words that were found, if folding keeps their place. */
function spansOf(title: string, words: readonly string[]): [number, number][] {
  const folded = fold(title);
  if (folded.length !== title.length) return [];
  return words
    .map((word): [number, number] => [folded.indexOf(word), folded.indexOf(word) + word.length])
    .filter(([from]) => from !== -1)
    .sort(([a], [b]) => a - b);
}
