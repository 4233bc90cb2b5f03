import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { create } from '../data/intents.ts';
import { addressOf } from '../shell/addresses.ts';
import { now, weekStart, zone } from '../shell/clock.ts';
import { isPhone } from '../shell/device.ts';
import { inbox, isFirstLoad, mayWriteIn, workspace } from '../shell/frame-view.ts';
import { match as addressMatch, navigate, openBeside } from '../shell/navigation.ts';
import { type OverlayProps, openNewWorkspace, takeTypedAhead } from '../shell/overlays.tsx';
import { useUserData } from '../shell/store.ts';
import {
  type Chip,
  type Named,
  parseQuickAdd,
  type QuickAddContext,
  type QuickTask,
} from '../text/quick-add.ts';
import { complete, completionAt } from '../text/quick-add-completion.ts';
import { dayOrderOf } from '../text/quick-add-dates.ts';
import { chipBefore, makePlain, movePlain, pastedLines } from '../text/quick-add-edits.ts';
import type { Span } from '../text/quick-add-words.ts';
import { quoted } from '../text/quoted.ts';
import { MAX_TITLE, oneLine } from '../text/titles.ts';
import { Button } from '../ui/button.tsx';
import { isComposing } from '../ui/composing.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Keycaps } from '../ui/keycaps.tsx';
import { submits } from '../ui/submits.ts';
import { ToastRegion } from '../ui/toast-region.tsx';
import { act } from './act.ts';
import { ONLY_READS, statusesIn } from './changes.ts';
import { filters } from './filters.ts';
import { dayForNew } from './new-task.ts';
import { type Choice, Choices, choicesFor } from './quick-add-choices.tsx';
import { newTask } from './quick-add-intents.ts';
import { UnderstoodChips } from './quick-add-marks.tsx';
import { givenByView, listNames } from './quick-add-view.ts';

const TOO_LONG = `A title has at most ${MAX_TITLE} characters.`;

const NO_WORKSPACE = 'There is no workspace for it yet.';
const NO_LIST = 'There is no list for it yet.';
/** One of these, or that lists are still being loaded: as long as it is so. */
const NO_PLACE = 'no place';

/** Where what was typed when it was closed is kept for the next opening. */
const DRAFT = 'task';
/** Which phrases of it were made text. */
const PLAIN = 'task.plain';

/** One line that makes a task: what is understood is marked in place and stands below as chips. */
export function QuickAdd({ onClose }: OverlayProps) {
  const id = useId();
  const held = useUserData();
  const { store, userId } = held;
  const [draft] = useState(() => held.drafts.get(DRAFT) ?? '');
  const [text, setText] = useState(() => draft + takeTypedAhead());
  const [plain, setPlain] = useState<readonly Span[]>(() =>
    movePlain(JSON.parse(held.drafts.get(PLAIN) || '[]'), draft, text),
  );
  const [caret, setCaret] = useState(text.length);
  const [closedAt, setClosedAt] = useState<string>();
  const [active, setActive] = useState(0);
  const [pasted, setPasted] = useState<ReturnType<typeof pastedLines>>(null);
  const [found, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const many = useRef<HTMLButtonElement>(null);
  const [day] = useState(() => dayForNew.peek() ?? dayOfFocus());
  const view = givenByView(addressMatch.value, filters.value, userId, day);
  // That of the address may be gone meanwhile.
  const list = store.view.row('list', view.listId ?? '') ?? inbox.value;
  const w = list?.workspaceId ?? workspace.value?.id ?? '';
  const listId = list?.id ?? null;
  const noPlace = isFirstLoad.value
    ? 'Your lists are still being loaded.'
    : w === ''
      ? NO_WORKSPACE
      : NO_LIST;
  const problem = found !== NO_PLACE ? found : listId === null ? noPlace : undefined;
  const members = held.membersIn(w);
  const revisions = [held.spaces, held.lists, held.labels, members].map(({ revision }) => revision.value);
  const context = useMemo((): QuickAddContext => {
    const named = (rows: readonly { id: string; title: string; workspaceId: string }[]): Named[] =>
      rows.filter(({ workspaceId }) => workspaceId === w).map(({ id: key, title }) => ({ id: key, title }));
    return {
      now: now.value,
      zone: zone.value,
      weekStart: weekStart.value,
      dayOrder: dayOrderOf(navigator.language),
      me: userId,
      listId,
      lists: listNames(
        held.lists.rows.filter(({ workspaceId }) => workspaceId === w),
        inbox.value?.id,
        (id) => store.view.row('space', id)?.title,
      ),
      people: members.rows
        .filter(({ role }) => role !== 'viewer')
        .map((member) => ({ id: member.userId, title: member.name })),
      labels: named(held.labels.rows),
      statusesOf: (list) => statusesIn(list),
      plain,
    };
  }, [now.value, zone.value, w, listId, plain, ...revisions]);
  const read = useMemo(() => parseQuickAdd(text, context), [text, context]);
  const completion = completionAt(text, caret);
  const isOpen = completion !== null && closedAt !== `${completion.start}:${completion.sigil}`;
  const choices =
    isOpen && completion ? choicesFor(completion.sigil, completion.query, context, read.task) : [];

  useLayoutEffect(() => {
    field.current?.setSelectionRange(caret, caret);
  }, [text]);
  useLayoutEffect(() => {
    held.drafts.set(DRAFT, text);
    held.drafts.set(PLAIN, plain.length > 0 ? JSON.stringify(plain) : '');
  }, [text, plain]);
  useLayoutEffect(() => {
    if (pasted) many.current?.focus();
  }, [pasted]);

  const change = (next: string, at: number) => {
    setPlain(movePlain(plain, text, next));
    setText(next);
    setCaret(at);
    setActive(0);
    setProblem(undefined);
  };
  const makeText = (chip: Chip) => {
    setPlain(makePlain(plain, chip));
    field.current?.focus();
  };
  const take = (choice: Choice | undefined) => {
    if (!choice || !completion) return;
    if (choice.isNew) {
      const labelId = store.makeId();
      act(`Made the label ${quoted(choice.title)}`, [create('label', w, labelId, { title: choice.title })]);
    }
    const done = complete(text, completion, choice.title);
    change(done.text, done.caret);
  };
  /** Makes these tasks; returns none where something is wrong, and says what. */
  const make = (tasks: readonly QuickTask[], description: string | null = null, opens = false) => {
    const isTooLong = tasks.some(({ title }) => title.length > MAX_TITLE);
    const onlyReads = w !== '' && !mayWriteIn(w);
    const made =
      isTooLong || onlyReads
        ? []
        : tasks.flatMap((task) => {
            const list = task.listId ?? listId;
            return list === null ? [] : newTask(task, list, view, description, opens);
          });
    if (isTooLong) setProblem(TOO_LONG);
    else if (onlyReads) setProblem(ONLY_READS);
    else if (made.length === 0) setProblem(NO_PLACE);
    else {
      const [only, ...others] = tasks.map(({ title }) => quoted(title));
      const intents = made.flatMap((one) => one.intents);
      act(`Added ${others.length > 0 ? `${tasks.length} tasks` : only}`, intents);
      fresh();
    }
    return made;
  };
  /** What was typed is there when it is opened again. */
  const makePlace = (words: string, go: () => void) => (
    <button
      type="button"
      class="link"
      onClick={() => {
        onClose();
        go();
      }}
    >
      {words}
    </button>
  );
  const add = (opens: boolean) => {
    if (read.task.title === '') {
      if (text.trim() !== '') setProblem('A task needs a title.');
      return;
    }
    const [made] = make([read.task], null, opens);
    if (!made || !opens) return;
    onClose();
    if (made.taskId) openBeside(made.taskId);
  };
  /** A line that would be nothing but chips is its own title. */
  const readLine = (line: string): QuickTask => {
    const { task } = parseQuickAdd(line, { ...context, plain: [] });
    const plain = [{ start: 0, end: line.length }];
    return task.title === '' ? parseQuickAdd(line, { ...context, plain }).task : task;
  };
  const fresh = () => {
    change('', 0);
    setPlain([]);
    setClosedAt(undefined);
    setPasted(null);
    held.drafts.delete(DRAFT);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const { key } = event;
    if (choices.length > 0 && (key === 'ArrowDown' || key === 'ArrowUp')) {
      setActive((active + (key === 'ArrowDown' ? 1 : -1) + choices.length) % choices.length);
    } else if (choices.length > 0 && (key === 'Tab' || key === 'Enter') && !event.shiftKey) {
      take(choices[active]);
    } else if (key === 'Escape' && choices.length > 0 && completion) {
      setClosedAt(`${completion.start}:${completion.sigil}`);
    } else if (key === 'Enter') {
      add(event.shiftKey);
    } else if (
      key === 'Backspace' &&
      field.current &&
      field.current.selectionStart === field.current.selectionEnd
    ) {
      const chip = chipBefore(read.chips, text, field.current.selectionStart);
      if (!chip) return;
      makeText(chip);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPaste = (event: ClipboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const pieces = [text.slice(0, selectionStart), text.slice(selectionEnd)] as const;
    const lines = pastedLines(event.clipboardData?.getData('text/plain') ?? '', ...pieces);
    if (!lines) return;
    event.preventDefault();
    setPasted(lines);
  };
  const givenDay = read.task.day === null && read.task.repeat === null ? view.day : null;
  const { shared } = view;
  const givenPlace = [
    read.task.listId === null && store.view.row('list', listId ?? '')?.title,
    // On a screen of all workspaces the list may be of any of them.
    addressMatch.value?.params.w === undefined &&
      held.workspaces.rows.length > 1 &&
      store.view.row('workspace', w)?.title,
    read.task.statusId === null && store.view.status(String(shared.statusId))?.title,
    read.task.assigneeId === null && store.view.row('member', `${w}/${shared.assigneeId}`)?.name,
    read.task.labelIds.length === 0 && store.view.row('label', String(shared.labelIds))?.title,
  ]
    .filter(Boolean)
    .join(' · ');
  const isOpenMark = (start: number) => isOpen && choices.length > 0 && completion?.start === start;
  return (
    <Dialog label="New task" class="quick-add" onClose={onClose}>
      <form onSubmit={submits(() => add(false))}>
        <div class="words">
          <div aria-hidden="true" class="words-shown" dir="auto">
            {read.pieces.map(({ start, end, chip }) =>
              chip ? (
                <mark key={start} class={isOpenMark(start) ? 'open' : undefined}>
                  {text.slice(start, end)}
                </mark>
              ) : (
                <span key={start}>{text.slice(start, end)}</span>
              ),
            )}
            {text === '' && (
              <span class="quiet-placeholder">Call Ada about the lease fri 15:00 #office p1</span>
            )}
            {'\u200b'}
          </div>
          <textarea
            ref={field}
            autoFocus
            dir="auto"
            rows={1}
            aria-label="Quick add"
            aria-autocomplete="list"
            aria-controls={choices.length > 0 ? `${id}-options` : undefined}
            aria-activedescendant={choices.length > 0 ? `${id}-${active}` : undefined}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              const { value, selectionStart } = event.currentTarget;
              change(oneLine(value), oneLine(value.slice(0, selectionStart)).length);
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        </div>
        {problem && (
          <p class="error block-error" role="alert">
            <Icon name="warning" small />
            {problem}
            {problem === NO_WORKSPACE && makePlace('New workspace', openNewWorkspace)}
            {problem === NO_LIST &&
              makePlace('Spaces and lists', () => navigate(addressOf('settingsSpaces', { w })))}
          </p>
        )}
        {pasted && (
          // biome-ignore lint/a11y/useSemanticElements: a group of buttons
          <div class="chips" role="group" aria-label="Pasted lines">
            <button ref={many} type="button" class="button" onClick={() => make(pasted.many.map(readLine))}>
              {pasted.many.length} tasks
            </button>
            <Button onClick={() => make([readLine(pasted.one.title)], pasted.one.description)}>
              One task
            </Button>
          </div>
        )}
        {(read.chips.length > 0 || givenDay !== null || givenPlace !== '') && (
          <UnderstoodChips
            chips={read.chips}
            task={read.task}
            givenDay={givenDay}
            givenPlace={givenPlace}
            workspaceId={w}
            onText={makeText}
          />
        )}
        {completion && choices.length > 0 && (
          <Choices id={id} sigil={completion.sigil} choices={choices} active={active} onTake={take} />
        )}
        <footer class="actions line">
          <span class="quiet hint">
            <kbd>\</kbd> keeps a word as text
          </span>
          <span class="quiet hint push">
            <Keycaps binding="shift+Enter" /> add and open
          </span>
          {isPhone.value && (
            <Button class="plain push" onClick={onClose}>
              Close
            </Button>
          )}
          <Button type="submit" class="main">
            Add <Keycaps binding="Enter" />
          </Button>
        </footer>
      </form>
      <ToastRegion isAmongText />
    </Dialog>
  );
}

/** The day of the calendar that has the focus. */
const dayOfFocus = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-day]')?.dataset.day;
