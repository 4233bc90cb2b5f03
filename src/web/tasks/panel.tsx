import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { addressOf } from '../shell/addresses.ts';
import { now, today, zone } from '../shell/clock.ts';
import { isPhone } from '../shell/device.ts';
import { mayWriteIn, workspaces } from '../shell/frame-view.ts';
import { hrefOf, match, navigate } from '../shell/navigation.ts';
import { useShelf } from '../shell/store.ts';
import { PRIORITY_NAMES } from '../text/quick-add.ts';
import { sayDayAndTime, sayInstant } from '../text/say-dates.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { ScreenHeading } from '../ui/screen-heading.tsx';
import { rename, toggleDone } from './changes.ts';
import { Checklist } from './checklist.tsx';
import { Comments } from './comments.tsx';
import { neighbourOf, openTaskId } from './current.ts';
import { dueOf, isLate, plainTime, sayDistance, startOf } from './dates.ts';
import { Description } from './description.tsx';
import { openDateDialog, openPicker, type PickerKind, renaming } from './pickers.ts';
import { rowMenuItems } from './row-menu.ts';
import { openSeries } from './series.ts';
import { SeriesBox } from './series-box.tsx';
import { StatusMark, TaskBox } from './task-box.tsx';
import { closePanel, showNeighbour, useTaskCommands } from './task-commands.ts';

interface Props {
  id: string;
  /** A screen of its own, and not beside one. */
  isAlone?: boolean;
}

/** A task with all it has: beside a screen, or by itself. */
export function Panel({ id, isAlone = false }: Props) {
  const { store } = useShelf();
  const task = store.view.signal('task', id).value;
  const [isMissing, setMissing] = useState(false);
  const asks = task === undefined;
  const w = match.value?.params.w ?? workspaces.value[0]?.id ?? '';
  useEffect(() => {
    openTaskId.value = id;
    return () => {
      openTaskId.value = undefined;
    };
  }, [id]);
  useEffect(() => {
    if (!asks) return;
    let isWanted = true;
    const places = match.value?.params.w ? [w] : workspaces.value.map((one) => one.id);
    void (async () => {
      for (const place of places) if (await store.loadTask(place, id)) return;
      if (isWanted) setMissing(true);
    })();
    return () => {
      isWanted = false;
    };
  }, [asks, id, w]);
  if (!task) return isMissing ? <Missing isAlone={isAlone} /> : null;
  return <TaskSheet key={id} task={task} isPage={isAlone || isPhone.value} isAlone={isAlone} />;
}

function Missing({ isAlone }: { isAlone: boolean }) {
  if (isAlone) {
    return (
      <main class="sheet">
        <header class="head">
          <ScreenHeading title="Not found" />
        </header>
        <div class="empty">
          <p>This task is gone, or it is not yours to see.</p>
          <a class="button" href={hrefOf(addressOf('today'))}>
            Today
          </a>
        </div>
      </main>
    );
  }
  return (
    <aside class="panel sheet" aria-label="Task">
      <div class="empty">
        <p class="quiet">This task is gone, or it is not yours to see.</p>
        <button type="button" class="button" onClick={closePanel}>
          Close
        </button>
      </div>
    </aside>
  );
}

interface SheetProps {
  task: Task;
  isPage: boolean;
  isAlone: boolean;
}

function TaskSheet({ task, isPage, isAlone }: SheetProps) {
  useTaskCommands();
  const content = (
    <>
      <PanelBar task={task} isPage={isPage} isAlone={isAlone} />
      <div class="scroll">
        <TitleLine task={task} isPage={isPage} />
        <Description task={task} />
        <Fields task={task} />
        <SeriesBox task={task} />
        <Checklist task={task} level={isPage ? 2 : 3} />
        <Facts task={task} />
        <Comments task={task} level={isPage ? 2 : 3} />
      </div>
    </>
  );
  if (isPage) {
    return (
      <main class="panel sheet page" aria-labelledby="task-title">
        {content}
        {isPhone.value && mayWriteIn(task.workspaceId) && <PhoneTools task={task} />}
      </main>
    );
  }
  return (
    <aside class="panel sheet" aria-labelledby="task-title">
      {content}
    </aside>
  );
}

function PanelBar({ task, isPage, isAlone }: SheetProps) {
  const { view } = useShelf().store;
  const list = view.signal('list', task.listId).value;
  const key = view.signal('workspace', task.workspaceId).value?.key;
  const previous = neighbourOf(task.id, -1);
  const next = neighbourOf(task.id, 1);
  const back = () => {
    if (!isAlone) closePanel();
    else if (list) navigate(addressOf('list', { w: task.workspaceId, listId: list.id }));
  };
  return (
    <header class="panel-bar">
      {isPage && (
        <button
          type="button"
          class="tool"
          aria-label={`Back to ${isAlone ? (list?.title ?? 'the list') : screenTitle()}`}
          onClick={back}
        >
          <Icon name="left" />
        </button>
      )}
      <p class="quiet">
        <a
          class="plain-link cut"
          dir="auto"
          href={hrefOf(addressOf('list', { w: task.workspaceId, listId: task.listId }))}
        >
          {list?.title}
        </a>
        {key && task.number > 0 && (
          <>
            <span aria-hidden="true">·</span>
            <span class="n">
              {key}-{task.number}
            </span>
          </>
        )}
      </p>
      <button
        type="button"
        class="tool"
        aria-label="Previous task"
        aria-keyshortcuts="k"
        aria-disabled={previous === undefined ? 'true' : undefined}
        onClick={() => previous !== undefined && showNeighbour(previous)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="tool"
        aria-label="Next task"
        aria-keyshortcuts="j"
        aria-disabled={next === undefined ? 'true' : undefined}
        onClick={() => next !== undefined && showNeighbour(next)}
      >
        <Icon name="down" />
      </button>
      <MenuButton class="tool" label="More" items={() => rowMenuItems([task], fieldElement('status'))}>
        <Icon name="more" />
      </MenuButton>
      {!isPage && (
        <button type="button" class="tool" aria-label="Close" aria-keyshortcuts="Escape" onClick={closePanel}>
          <Icon name="close" />
        </button>
      )}
    </header>
  );
}

/** What the screen behind is called. */
const screenTitle = (): string => document.querySelector('main:not(.panel) h1')?.textContent ?? 'the list';

const fieldElement = (kind: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.panel [data-field="${kind}"]`);

function TitleLine({ task, isPage }: { task: Task; isPage: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isEditing = renaming.value?.id === task.id && renaming.value.where === 'panel';
  const may = mayWriteIn(task.workspaceId);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    if (isPage) document.title = `${task.title} · Errand`;
  }, [isPage, task.title]);
  const Heading = isPage ? 'h1' : 'h2';
  const edit = () => {
    if (may && getSelection()?.isCollapsed !== false) renaming.value = { id: task.id, where: 'panel' };
  };
  return (
    <div class="task-title">
      <TaskBox task={task} onToggle={() => toggleDone([task])} />
      {isEditing && may ? (
        <TitleField task={task} isPage={isPage} />
      ) : (
        <Heading ref={heading} id="task-title" tabIndex={-1} dir="auto" onClick={edit}>
          {task.title}
        </Heading>
      )}
    </div>
  );
}

function TitleField({ task, isPage }: { task: Task; isPage: boolean }) {
  const [text, setText] = useState(task.title);
  const field = useRef<HTMLTextAreaElement>(null);
  const isOver = useRef(false);
  useLayoutEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  useLayoutEffect(() => grow(field.current), [text]);
  const end = (saves: boolean, isByKey: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    if (saves) rename(task, text);
    renaming.value = undefined;
    if (isByKey) queueMicrotask(() => document.getElementById('task-title')?.focus({ preventScroll: true }));
  };
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <>
      <Heading id="task-title" class="hidden">
        {task.title}
      </Heading>
      <textarea
        ref={field}
        class="title-field"
        aria-label="Title"
        dir="auto"
        rows={1}
        maxLength={500}
        value={text}
        onInput={(event) => setText(event.currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Enter') end(true, true);
          else if (event.key === 'Escape') end(false, true);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onBlur={() => end(true, false)}
      />
    </>
  );
}

/** A text field as high as its text. */
export function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}

/** Name and value of each field; the value opens its choice. */
function Fields({ task }: { task: Task }) {
  const { store, membersIn } = useShelf();
  const { view } = store;
  const { id, workspaceId } = task;
  const list = view.signal('list', task.listId).value;
  const status = view.status(task.statusId);
  const person = task.assigneeId
    ? view.signal('member', `${workspaceId}/${task.assigneeId}`).value
    : undefined;
  membersIn(workspaceId).revision.value;
  const labels = task.labelIds.flatMap((labelId) => view.signal('label', labelId).value ?? []);
  const may = mayWriteIn(workspaceId);
  const due = dueOf(task, zone.value);
  const start = startOf(task, zone.value);
  const isOver = status?.type === 'completed' || status?.type === 'canceled';
  const late = due !== null && !isOver && isLate(task, today.value, now.value);
  const pick = (kind: PickerKind) => (event: MouseEvent) =>
    openPicker(kind, [id], event.currentTarget as HTMLElement);
  const say = (date: { day: string; time: string | null }) =>
    sayDayAndTime(date.day, date.time === null ? null : plainTime(date.time), today.value);
  return (
    <dl class="fields">
      <Field
        name="Status"
        keys="s"
        kind="status"
        value={status?.title ?? ''}
        may={may}
        onClick={pick('status')}
      >
        <StatusMark status={status} among={list?.statuses ?? []} />
        <span class="cut">{status?.title}</span>
      </Field>
      <Field
        name="Due"
        keys="d"
        kind="due"
        value={due ? say(due) : 'none'}
        note={due ? sayDistance(due.day, today.value) : ''}
        may={may}
        onClick={() => openDateDialog('due', [id])}
      >
        {due && (
          <time
            class={late ? 'due late' : undefined}
            dateTime={due.time === null ? due.day : `${due.day}T${due.time}`}
          >
            {late && <Icon name="late" small />}
            {say(due)}
          </time>
        )}
      </Field>
      <Field
        name="Starts"
        kind="start"
        value={start ? say(start) : 'none'}
        may={may}
        onClick={() => openDateDialog('start', [id])}
      >
        {start && <time dateTime={start.day}>{say(start)}</time>}
      </Field>
      <Field
        name="Assignee"
        keys="a"
        kind="assignee"
        value={person?.name ?? 'none'}
        may={may}
        onClick={pick('assignee')}
      >
        {person && (
          <>
            <Avatar id={person.userId} name={person.name} isDecoration />
            <span class="cut" dir="auto">
              {person.name}
            </span>
          </>
        )}
      </Field>
      <Field
        name="Priority"
        keys="p"
        kind="priority"
        value={task.priority === 'none' ? 'none' : PRIORITY_NAMES[task.priority]}
        may={may}
        onClick={pick('priority')}
      >
        {task.priority !== 'none' && (
          <>
            <Shape name={`prio-${task.priority}`} class={`prio ${task.priority}`} />
            {PRIORITY_NAMES[task.priority]}
          </>
        )}
      </Field>
      <Field
        name="Labels"
        keys="l"
        kind="labels"
        value={labels.map(({ title }) => title).join(', ') || 'none'}
        may={may}
        onClick={pick('labels')}
      >
        {labels.map((label) => (
          <Fragment key={label.id}>
            <span class="label" style={{ '--hue': label.color }} dir="auto">
              {label.title}
            </span>{' '}
          </Fragment>
        ))}
      </Field>
      <Field name="List" keys="m" kind="list" value={list?.title ?? ''} may={may} onClick={pick('list')}>
        <span class="cut" dir="auto">
          {list?.title}
        </span>
      </Field>
      {task.recurrence?.recurringTaskId == null && (
        <Field name="Repeats" keys="r" kind="repeat" value="none" may={may} onClick={() => openSeries(id)} />
      )}
    </dl>
  );
}

interface FieldProps {
  name: string;
  kind: string;
  /** As in the button's name: `Status: In progress`. */
  value: string;
  /** What stands beside it. */
  note?: string;
  keys?: string;
  may: boolean;
  onClick(event: MouseEvent): void;
  children?: preact.ComponentChildren;
}

function Field({ name, kind, value, note, keys, may, onClick, children }: FieldProps) {
  return (
    <>
      <dt aria-hidden="true">{name}</dt>
      <dd>
        <button
          type="button"
          class={value === 'none' ? 'value none' : 'value'}
          data-field={kind}
          aria-label={`${name}: ${value}`}
          aria-keyshortcuts={keys}
          aria-haspopup={kind === 'due' || kind === 'start' || kind === 'repeat' ? 'dialog' : 'listbox'}
          disabled={!may}
          onClick={onClick}
        >
          {value === 'none' ? 'none' : children}
        </button>
        {note && <span class="quiet">{note}</span>}
      </dd>
    </>
  );
}

/** When it was made and changed. */
function Facts({ task }: { task: Task }) {
  const { view } = useShelf().store;
  const creator = task.creatorId
    ? view.signal('member', `${task.workspaceId}/${task.creatorId}`).value?.name
    : undefined;
  const say = (at: string) => sayInstant(at, zone.value, now.value);
  return (
    <p class="quiet facts">
      Created <time dateTime={task.createdAt}>{say(task.createdAt)}</time>
      {creator && (
        <>
          {' '}
          by <span dir="auto">{creator}</span>
        </>
      )}
      {task.updatedAt !== task.createdAt && (
        <>
          , changed <time dateTime={task.updatedAt}>{say(task.updatedAt)}</time>
        </>
      )}
    </p>
  );
}

/** In place of the bar, at the thumb. */
function PhoneTools({ task }: { task: Task }) {
  const ids = [task.id];
  return (
    <div class="bar" role="toolbar" aria-label="Task">
      <button type="button" onClick={() => openDateDialog('due', ids)}>
        <Icon name="upcoming" />
        Due
      </button>
      <button type="button" onClick={() => openPicker('assignee', ids, fieldElement('assignee'))}>
        <Icon name="person" />
        Assign
      </button>
      <button type="button" class="new" aria-label="Complete" onClick={() => toggleDone([task])}>
        <span>
          <Icon name="check" />
        </span>
      </button>
      <button
        type="button"
        onClick={() => document.querySelector<HTMLElement>('.panel [aria-label="Comment"]')?.focus()}
      >
        <Icon name="comment" />
        Comment
      </button>
      <MenuButton items={() => rowMenuItems([task], fieldElement('status'))}>
        <Icon name="more" />
        More
      </MenuButton>
    </div>
  );
}
