import type { Task } from '../../data/rows.ts';
import { now, today, zone } from '../../shell/clock.ts';
import { hrefBeside } from '../../shell/navigation.ts';
import { isOpen, useUserData } from '../../shell/store.ts';
import { besideId, focusedId } from '../../tasks/current.ts';
import { dueOf, isLate } from '../../tasks/dates.ts';
import { startDrag } from '../../tasks/dragging.ts';
import { useRowFocus } from '../../tasks/row-focus.ts';
import { StatusMark } from '../../tasks/task-box.tsx';
import { plainTime } from '../../text/say-dates.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Segment } from './lanes.ts';

/** Of a series, a date that has no task yet. */
export interface Occurrence {
  recurringTaskId: string;
  title: string;
  listId: string;
  at: string;
  local: string;
  taskId: string | null;
}

interface Props {
  task: Task;
  mayDrag: boolean;
  /** Of a task of several days, the part of this one. */
  segment?: Segment;
}

/** A task in a calendar. Where a span goes on, it is a bar without words that only pointers reach. */
export function Entry({ task, mayDrag, segment }: Props) {
  const { store } = useUserData();
  const { view } = store;
  const { id } = task;
  const due = dueOf(task, zone.value);
  const status = view.status(task.statusId);
  const isOver = !isOpen(store, task);
  const late = !isOver && isLate(task, today.value, now.value);
  const focus = useRowFocus(id);
  const href = hrefBeside(id);
  const isSpan = segment?.isSpan === true;
  const hue = isSpan ? view.signal('label', task.labelIds[0] ?? '').value?.color : undefined;
  const look = [
    'entry',
    isSpan && 'span',
    isSpan && segment.isStart && 'first',
    isSpan && segment.isEnd && 'last',
    isOver && 'closed',
    late && 'late',
  ];
  const shape = { class: look.filter(Boolean).join(' '), ...(hue && { style: { '--hue': hue } }) };
  if (segment?.isNamed === false) {
    return (
      <li>
        {/* biome-ignore lint/a11y/useAnchorContent: the link of its first day has the words */}
        <a {...shape} href={href} tabIndex={-1} aria-hidden="true" />
      </li>
    );
  }
  return (
    <li data-task={id} draggable={mayDrag} onDragStart={startDrag}>
      <a
        {...focus}
        {...shape}
        href={href}
        aria-current={besideId.value === id ? 'true' : undefined}
        onFocus={() => {
          focusedId.value = id;
        }}
      >
        <span class="entry-title">
          {late ? <Icon name="late" small /> : (!isSpan || isOver) && <StatusMark status={status} />}
          <span dir="auto">{task.title}</span>
          {late && <span class="hidden"> (overdue)</span>}
        </span>
        {due?.time && !isOver && !isSpan && <time>{plainTime(due.time)}</time>}
      </a>
    </li>
  );
}

/** A date that is coming: it cannot be ticked yet. */
export const Coming = ({ occurrence: { title } }: { occurrence: Occurrence }) => (
  <li>
    <span class="entry coming">
      <span class="entry-title">
        <Icon name="repeat" />
        <span class="hidden">Coming: </span>
        <span dir="auto">{title}</span>
      </span>
    </span>
  </li>
);
