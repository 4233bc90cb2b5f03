import { Fragment, type TargetedMouseEvent } from 'preact';
import type { Task } from '../data/rows.ts';
import { now, today, zone } from '../shell/clock.ts';
import { keyShortcuts } from '../shell/commands.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { isOpen, useUserData } from '../shell/store.ts';
import { PRIORITY_NAMES } from '../text/priorities.ts';
import { sayDayAndTime } from '../text/say-dates.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Cut } from '../ui/cut.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import { dueOf, isLate, sayDistance, startOf } from './dates.ts';
import { type DateKind, openDateDialog, openPicker, type PickerKind } from './pickers.ts';
import { openSeries } from './series.ts';
import { StatusMark } from './task-box.tsx';

/** Name and value of each field; the value opens its choice. */
export function Fields({ task }: { task: Task }) {
  const { store, membersIn } = useUserData();
  const { view } = store;
  const { workspaceId } = task;
  const list = view.signal('list', task.listId).value;
  const status = view.status(task.statusId);
  const person = task.assigneeId
    ? view.signal('member', `${workspaceId}/${task.assigneeId}`).value
    : undefined;
  membersIn(workspaceId).revision.value;
  const labels = task.labelIds.flatMap((labelId) => view.signal('label', labelId).value ?? []);
  const due = dueOf(task, zone.value);
  const start = startOf(task, zone.value);
  const late = due !== null && isOpen(store, task) && isLate(task, today.value, now.value);
  const say = (date: { day: string; time: string | null }) => sayDayAndTime(date.day, date.time, today.value);
  return (
    <dl class="fields">
      <Field task={task} name="Status" keys="s" kind="status" value={status?.title ?? ''}>
        <StatusMark status={status} among={list?.statuses ?? []} />
        <span class="cut">{status?.title}</span>
      </Field>
      <Field
        task={task}
        name="Due"
        keys="d"
        kind="due"
        value={due ? say(due) : 'none'}
        note={due ? sayDistance(due.day, today.value) : ''}
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
      <Field task={task} name="Starts" kind="start" value={start ? say(start) : 'none'}>
        {start && <time dateTime={start.day}>{say(start)}</time>}
      </Field>
      <Field task={task} name="Assignee" keys="a" kind="assignee" value={person?.name ?? 'none'}>
        {person && (
          <>
            <Avatar id={person.userId} name={person.name} isDecoration />
            <Cut>{person.name}</Cut>
          </>
        )}
      </Field>
      <Field
        task={task}
        name="Priority"
        keys="p"
        kind="priority"
        value={task.priority === 'none' ? 'none' : PRIORITY_NAMES[task.priority]}
      >
        {task.priority !== 'none' && (
          <>
            <Shape name={`prio-${task.priority}`} class={`prio ${task.priority}`} />
            {PRIORITY_NAMES[task.priority]}
          </>
        )}
      </Field>
      <Field
        task={task}
        name="Labels"
        keys="l"
        kind="labels"
        value={labels.map(({ title }) => title).join(', ') || 'none'}
      >
        {labels.map((label) => (
          <Fragment key={label.id}>
            <span class="label" style={{ '--hue': label.color }} dir="auto">
              {label.title}
            </span>{' '}
          </Fragment>
        ))}
      </Field>
      <Field task={task} name="List" keys="m" kind="list" value={list?.title ?? ''}>
        <Cut>{list?.title}</Cut>
      </Field>
      {task.recurrence?.recurringTaskId == null && (
        <Field task={task} name="Repeats" keys="r" kind="repeat" value="none" />
      )}
    </dl>
  );
}

interface FieldProps {
  task: Task;
  name: string;
  /** What the value opens. */
  kind: PickerKind | DateKind | 'repeat';
  /** As in the button's name: `Status: In progress`. */
  value: string;
  /** What stands beside it. */
  note?: string;
  keys?: string;
  children?: preact.ComponentChildren;
}

function Field({ task, name, kind, value, note, keys, children }: FieldProps) {
  const ids = [task.id];
  const open = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (kind === 'due' || kind === 'start') openDateDialog(kind, ids);
    else if (kind === 'repeat') openSeries(task.id);
    else openPicker(kind, ids, event.currentTarget);
  };
  return (
    <>
      <dt aria-hidden="true">{name}</dt>
      <dd>
        <button
          type="button"
          class={value === 'none' ? 'value none' : 'value'}
          data-field={kind}
          aria-label={`${name}: ${value}`}
          aria-keyshortcuts={keyShortcuts(keys)}
          aria-haspopup={kind === 'due' || kind === 'start' || kind === 'repeat' ? 'dialog' : 'listbox'}
          disabled={!mayWriteIn(task.workspaceId)}
          onClick={open}
        >
          {value === 'none' ? 'none' : children}
        </button>
        {note && <span class="quiet">{note}</span>}
      </dd>
    </>
  );
}
