import type { Intent } from '../data/change.ts';
import { moveTask, remove, updateTask } from '../data/intents.ts';
import {
  isClosed,
  type Label,
  type List,
  type Row,
  type Status,
  statusLike,
  type Task,
} from '../data/rows.ts';
import { addressOf } from '../shell/addresses.ts';
import { today, zone } from '../shell/clock.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { closeBeside, navigate } from '../shell/navigation.ts';
import { currentUserData, isOpen } from '../shell/store.ts';
import { showToast } from '../shell/toasts.ts';
import { addDays, type Day } from '../text/days.ts';
import { placeAt } from '../text/positions.ts';
import { PRIORITY_NAMES, type Priority } from '../text/priorities.ts';
import { quoted } from '../text/quoted.ts';
import { plainTime, sayDayAndTime, withinSentence } from '../text/say-dates.ts';
import { oneLine } from '../text/titles.ts';
import { instantOf, type Time } from '../text/zones.ts';
import { act, actInSight, linger } from './act.ts';
import { besideId, focusRow, neighbourOf, openTaskId } from './current.ts';
import { dateOf, timeKeptToday } from './dates.ts';
import { seriesDialog } from './series.ts';

/** `“Call Ada”`, `3 tasks`. */
export const saying = (tasks: readonly Task[]): string =>
  tasks.length === 1 ? quoted(tasks[0]?.title ?? '') : `${tasks.length} tasks`;

/** The tasks that are held of these ids. */
export const tasksOf = (ids: readonly string[]): Task[] =>
  ids.flatMap((id) => currentUserData().store.view.row('task', id) ?? []);

/** The statuses that tasks of a list can have, in order. */
export const statusesIn = (listId: string): readonly Status[] =>
  [...(currentUserData().store.view.row('list', listId)?.statuses ?? [])].sort(
    (a, b) => a.position - b.position,
  );

export const ONLY_READS = 'You may only read this workspace.';

/** Those of some tasks that the person may change; says so where none is. */
export function writable(tasks: readonly Task[]): readonly Task[] {
  const allowed = tasks.filter(({ workspaceId }) => mayWriteIn(workspaceId));
  if (tasks.length > 0 && allowed.length === 0) showToast(ONLY_READS);
  return allowed;
}

const updates = (tasks: readonly Task[], fieldsOf: (task: Task) => Row | null): Intent[] =>
  tasks.flatMap((task) => {
    const fields = fieldsOf(task);
    return fields ? [updateTask(task, fields)] : [];
  });

/** Does it; where it is done to one instance of a series, asks whether the series takes it over. */
export function actOrAsk(
  words: string,
  tasks: readonly Task[],
  intents: readonly Intent[],
  updates: Row,
  doIt = act,
): void {
  const instance = onlyInstance(tasks);
  if (instance && intents.length > 0)
    seriesDialog.value = { taskId: instance.id, change: { words, intents, updates } };
  else doIt(words, intents);
}

/** The one task of these where it is an open instance of a series, which may take over what changes of it. */
export function onlyInstance(tasks: readonly Task[]): Task | undefined {
  const [task] = tasks;
  const { store } = currentUserData();
  const series = store.view.row('recurringTask', task?.recurrence?.recurringTaskId ?? '');
  return task && series && tasks.length === 1 && isOpen(store, task) ? task : undefined;
}

/** What tasks were before they were completed here. */
const statusBefore = new Map<string, string>();

/** Completes tasks; where all of them are done, opens them again. */
export function toggleDone(given: readonly Task[]): void {
  const tasks = writable(given);
  const { store } = currentUserData();
  const open = tasks.filter((task) => isOpen(store, task));
  if (open.length === 0) {
    reopen(tasks);
    return;
  }
  for (const { id, statusId } of open) statusBefore.set(id, statusId);
  linger(open.map(({ id }) => id));
  act(
    `Completed ${saying(open)}`,
    updates(open, ({ listId }) => {
      const done = statusesIn(listId).find(({ type }) => type === 'completed');
      return done ? { statusId: done.id } : null;
    }),
  );
}

function reopen(tasks: readonly Task[]): void {
  act(
    `Opened ${saying(tasks)} again`,
    updates(tasks, ({ id, listId }) => {
      const statuses = statusesIn(listId);
      const before = statuses.find((status) => status.id === statusBefore.get(id));
      const status = before ?? statuses.find(({ type }) => type === 'unstarted') ?? statuses[0];
      return status ? { statusId: status.id } : null;
    }),
  );
}

/** Gives tasks a status; where a task's list has other ones, that of the same title or type. */
export function setStatus(given: readonly Task[], status: Status): void {
  const tasks = writable(given);
  if (isClosed(status)) linger(tasks.map(({ id }) => id));
  act(
    `${saying(tasks)}: ${status.title}`,
    updates(tasks, (task) => {
      const next = statusLike(status, statusesIn(task.listId));
      return next && next.id !== task.statusId ? { statusId: next.id } : null;
    }),
  );
}

export const setPriority = (given: readonly Task[], priority: Priority): void =>
  actOrAsk(
    `${saying(given)}: ${priority === 'none' ? 'no priority' : `${PRIORITY_NAMES[priority].toLowerCase()} priority`}`,
    given,
    updates(writable(given), (task) => (task.priority === priority ? null : { priority })),
    { priority },
  );

export const setAssignee = (given: readonly Task[], assigneeId: string | null, name: string): void =>
  actOrAsk(
    assigneeId === null ? `${saying(given)}: no one` : `${saying(given)}: given to ${name}`,
    given,
    updates(writable(given), (task) => (task.assigneeId === assigneeId ? null : { assigneeId })),
    { assigneeId },
  );

/** The fields of a due or start date; each clears the other form. */
function dateFields(kind: 'due' | 'start', day: Day | null, time: Time | null): Row {
  const [instant, whole] = kind === 'due' ? ['dueDate', 'dueDay'] : ['startDate', 'startDay'];
  if (day === null) return { [instant]: null, [whole]: null };
  return time === null
    ? { [whole]: day, [instant]: null }
    : { [instant]: instantOf(day, time, zone.peek()), [whole]: null };
}

/** Sets when tasks are due or start; each keeps its own day, or time, where none is given, not even null. */
export function setDate(
  given: readonly Task[],
  kind: 'due' | 'start',
  day: Day | null | undefined,
  time?: Time | null,
): void {
  const [first] = given;
  const ownTime = given.length === 1 && first ? (dateOf(first, kind, zone.peek())?.time ?? null) : null;
  const at = time === undefined ? ownTime : time;
  const word = kind === 'due' ? 'due' : 'starts';
  const when =
    day === null
      ? `no ${kind === 'due' ? 'due' : 'start'} date`
      : day === undefined
        ? `${word} ${at === null ? 'without a time' : `at ${plainTime(at)}`}`
        : `${word} ${withinSentence(sayDayAndTime(day, at, today.peek()))}`;
  act(
    `${saying(given)}: ${when}`,
    updates(writable(given), (task) => {
      const own = dateOf(task, kind, zone.peek());
      const on = day === undefined ? (own?.day ?? today.peek()) : day;
      return dateFields(kind, on, time === undefined ? (own?.time ?? null) : time);
    }),
  );
}

/** Moves the due dates of several tasks by some days, each keeping its time; `words` say how far. */
export function moveDue(given: readonly Task[], days: number, words: string): void {
  act(
    `${saying(given)}: due ${words}`,
    updates(writable(given), (task) => {
      const own = dateOf(task, 'due', zone.peek());
      return own && dateFields('due', addDays(own.day, days), own.time);
    }),
  );
}

/** Moves overdue tasks to today, each keeping its time of day where that has not passed. */
export function moveToToday(given: readonly Task[]): void {
  const day = today.peek();
  act(
    `${saying(given)}: due today`,
    updates(writable(given), (task) =>
      dateFields('due', day, timeKeptToday(task, day, Date.now(), zone.peek())),
    ),
  );
}

export function toggleLabel(given: readonly Task[], label: Label): void {
  const tasks = writable(given).filter(({ workspaceId }) => workspaceId === label.workspaceId);
  const haveAll = tasks.every(({ labelIds }) => labelIds.includes(label.id));
  const before = tasks[0]?.labelIds ?? [];
  actOrAsk(
    haveAll ? `${saying(tasks)}: without ${quoted(label.title)}` : `${saying(tasks)}: ${quoted(label.title)}`,
    tasks,
    updates(tasks, ({ labelIds }) => {
      if (haveAll) return { removeLabelIds: [label.id] };
      return labelIds.includes(label.id) ? null : { addLabelIds: [label.id] };
    }),
    { labelIds: haveAll ? before.filter((id) => id !== label.id) : [...before, label.id] },
  );
}

export function moveTo(given: readonly Task[], list: List): void {
  const { view } = currentUserData().store;
  const tasks = writable(given).filter(
    ({ workspaceId, listId }) => workspaceId === list.workspaceId && listId !== list.id,
  );
  actOrAsk(
    `Moved ${saying(tasks)} to ${quoted(list.title)}`,
    tasks,
    tasks.map((task) => moveTask(view, task, list.id)),
    { listId: list.id },
  );
}

/** Deletes tasks: they go to the trash, an upcoming instance of a series is skipped. One that is open is left. */
export function removeTasks(given: readonly Task[]): void {
  const tasks = writable(given);
  const open = tasks.find(({ id }) => id === openTaskId.peek());
  if (open) leave(open);
  const isSkip = tasks.length > 0 && tasks.every(isUpcomingInstance);
  act(
    isSkip ? `Skipped ${saying(tasks)}` : `Deleted ${saying(tasks)}`,
    tasks.map((task) => remove('task', task)),
  );
}

/** From beside a screen to the next row, from a screen of its own to its list. */
function leave({ id, workspaceId: w, listId }: Task): void {
  if (besideId.peek() === undefined) navigate(addressOf('list', { w, listId }), { replace: true });
  else {
    closeBeside();
    focusRow(neighbourOf(id, 1) ?? neighbourOf(id, -1));
  }
}

/** Whether deleting a task skips an occurrence of its series. */
export function isUpcomingInstance({ id, recurrence }: Task): boolean {
  const { recurringTaskId } = recurrence ?? {};
  if (!recurringTaskId) return false;
  return currentUserData().store.view.row('recurringTask', recurringTaskId)?.nextTaskId === id;
}

/** Who lost the right to it while they typed gets the title back as what was not saved. */
export function rename(task: Task, title: string): void {
  const wanted = oneLine(title).trim();
  if (wanted === '' || wanted === task.title) return;
  const fields = { title: wanted };
  actOrAsk(`Renamed ${quoted(task.title)}`, [task], [updateTask(task, fields)], fields, actInSight);
}

/** Places tasks before `rows[index]`, in a status where one is given; `rows` is in order and holds none of them. */
export function placeTasks(
  rows: readonly Task[],
  index: number,
  moved: readonly Task[],
  status?: Status,
): void {
  const { view } = currentUserData().store;
  if (writable(moved).length < moved.length) return;
  const positions = placeAt(
    rows,
    index,
    moved.map(({ id }) => id),
  );
  const intents = positions.flatMap(({ id, position }) => {
    const task = view.row('task', id);
    const extra = status && moved.some((one) => one.id === id) ? { statusId: status.id } : {};
    return task ? [updateTask(task, { ...extra, position })] : [];
  });
  if (status) act(`${saying(moved)}: ${status.title}`, intents);
  else actInSight(`Moved ${saying(moved)}`, intents);
}
