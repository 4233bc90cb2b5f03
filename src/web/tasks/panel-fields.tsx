import { Fragment } from 'preact';
import type { Task } from '../data/rows.ts';
import { now, today, zone } from '../shell/clock.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { isOpen, useUserData } from '../shell/store.ts';
import { PRIORITY_NAMES } from '../text/priorities.ts';
import { sayDayAndTime } from '../text/say-dates.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Cut } from '../ui/cut.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import { dueOf, isLate, sayDistance, startOf } from './dates.ts';
import { openDateDialog, openPicker, type PickerKind } from './pickers.ts';
import { openSeries } from './series.ts';
import { StatusMark } from './task-box.tsx';

/** Name and value of each field; the value opens its choice. */
export function Fields({ task }: { task: Task }) {
  const { store, membersIn } = useUserData();
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
  const late = due !== null && isOpen(store, task) && isLate(task, today.value, now.value);
  const pick = (kind: PickerKind) => (event: MouseEvent) =>
    openPicker(kind, [id], event.currentTarget as HTMLElement);
  const say = (date: { day: string; time: string | null }) => sayDayAndTime(date.day, date.time, today.value);
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
            <Cut>{person.name}</Cut>
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
        <Cut>{list?.title}</Cut>
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
