import { useId, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { compareTexts } from '../../data/live-list.ts';
import { isClosed, type Status, type Task } from '../../data/rows.ts';
import { zone } from '../../shell/clock.ts';
import { moving, useCommands, writing } from '../../shell/commands.ts';
import { isFirstLoad, mayWriteIn } from '../../shell/frame-view.ts';
import { showToast } from '../../shell/toasts.ts';
import { setStatus, statusesIn } from '../../tasks/changes.ts';
import { focusRow, rowOf, selection, targetIds, targets, wantedFocus } from '../../tasks/current.ts';
import { dragsTasks, dropAt, droppedTasks, hasLeft } from '../../tasks/dragging.ts';
import { Empty, NothingPasses } from '../../tasks/empty.tsx';
import { compareBy, sort } from '../../tasks/filters.ts';
import { newTaskIn } from '../../tasks/new-task.ts';
import { SORTED, useOrder } from '../../tasks/order.ts';
import { rowEvents } from '../../tasks/row-events.ts';
import { StatusMark } from '../../tasks/task-box.tsx';
import { useFollowedFocus } from '../../tasks/task-groups.tsx';
import { useFilters } from '../../tasks/use-filters.ts';
import { useTasks } from '../../tasks/use-tasks.ts';
import { Button, Tool } from '../../ui/button.tsx';
import { indexAt } from '../../ui/index-at.ts';
import { useOver } from '../../ui/use-over.ts';
import type { ListViewProps } from '../list/list.tsx';
import { Card } from './card.tsx';

interface Column {
  status: Status;
  tasks: readonly Task[];
}

/** Cards of a column that are drawn at first; more on request, so that a long one stays quick. */
const SHOWN = 100;

/** A list by status, side by side. */
export function Board({ list }: ListViewProps) {
  const { isFiltered, inputs, passes } = useFilters();
  const order = sort.value;
  const isOwnOrder = order === 'position';
  const tasks = useTasks(
    (task) => task.listId === list.id && passes(task),
    useMemo(() => compareBy(order, zone.value), [order, zone.value]),
    [list.id, ...inputs, order],
  );
  const columns = useMemo(
    () =>
      statusesIn(list.id).map((status): Column => {
        const inside = tasks.filter(({ statusId }) => statusId === status.id);
        return { status, tasks: isOwnOrder && isClosed(status) ? inside.sort(byChange) : inside };
      }),
    [tasks, list],
  );
  const ids = useMemo(() => columns.flatMap((column) => column.tasks.map(({ id }) => id)), [columns]);
  useFollowedFocus(ids);
  useColumnKeys(columns);
  useOrder(
    ({ statusId }) => columns.find(({ status }) => status.id === statusId && !isClosed(status))?.tasks ?? [],
    [columns],
    isOwnOrder ? undefined : SORTED,
  );
  return (
    <>
      <div class="columns">
        {columns.map((column) => (
          <ColumnView
            key={column.status.id}
            column={column}
            among={columns.map(({ status }) => status)}
            workspaceId={list.workspaceId}
          />
        ))}
      </div>
      {tasks.length === 0 && !isFirstLoad.value && (isFiltered ? <NothingPasses /> : <Empty />)}
    </>
  );
}

/** Closed tasks stand by when they were changed, and in no order of their own. */
const byChange = (a: Task, b: Task): number => compareTexts(b.updatedAt, a.updatedAt);

interface ColumnProps {
  column: Column;
  among: readonly Status[];
  workspaceId: string;
}

function ColumnView({ column: { status, tasks }, among, workspaceId }: ColumnProps) {
  const id = useId();
  const [over, setOver] = useOver<number>();
  const [most, setMost] = useState(SHOWN);
  const may = mayWriteIn(workspaceId);
  const wanted = wantedFocus.value;
  useLayoutEffect(() => {
    const at = tasks.findIndex((task) => task.id === wanted);
    if (at >= most) setMost(at + SHOWN);
  }, [wanted]);
  const isSorted = sort.value !== 'position';
  const hasOrder = !isSorted && !isClosed(status);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const at = over ?? tasks.length;
    setOver(undefined);
    const moved = droppedTasks(event);
    if (isSorted && moved.some((task) => tasks.includes(task))) showToast(SORTED);
    dropAt(moved, status, tasks, hasOrder ? at : undefined);
  };
  return (
    <section
      class="column"
      aria-labelledby={id}
      onDragOver={(event) => {
        if (!may || !dragsTasks(event)) return;
        event.preventDefault();
        setOver(indexAt(event.currentTarget.querySelectorAll('.card'), event.clientY));
      }}
      onDragLeave={(event) => hasLeft(event) && setOver(undefined)}
      onDrop={drop}
    >
      <div class="group-head">
        <StatusMark status={status} among={among} />
        <h2 id={id} dir="auto" class="cut">
          {status.title}
        </h2>
        <span class="count">{tasks.length}</span>
        {may && (
          <Tool
            class="push"
            icon="plus"
            label={`New task in ${status.title}`}
            onClick={() => newTaskIn(status.id)}
          />
        )}
      </div>
      <ul {...rowEvents} class={over === undefined ? undefined : 'over'}>
        {tasks.slice(0, most).map((task, index) => (
          <Card key={task.id} id={task.id} isBelow={hasOrder && over === index} mayDrag={may} />
        ))}
        {tasks.length > most && (
          <li>
            <Button class="plain" onClick={() => setMost(most + SHOWN)}>
              Show {Math.min(SHOWN, tasks.length - most)} more
            </Button>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Alt and arrows move the card to other columns, arrows move the focus. */
function useColumnKeys(columns: readonly Column[]): void {
  useCommands(() => {
    const columnOf = (task: Task) => columns.findIndex(({ status }) => status.id === task.statusId);
    const shift = (by: number) => () => {
      const moved = targets();
      const [first] = moved;
      const next = first && columns[columnOf(first) + by];
      if (!first || !next) return;
      setStatus(moved, next.status);
      if (selection.peek().size === 0) focusRow(first.id);
    };
    const side = (by: number) => () => {
      const id = rowOf(document.activeElement);
      const from = columns.findIndex(({ tasks }) => tasks.some((task) => task.id === id));
      const row = columns[from]?.tasks.findIndex((task) => task.id === id) ?? 0;
      for (let index = from + by; index >= 0 && index < columns.length; index += by) {
        const { tasks = [] } = columns[index] ?? {};
        const next = tasks[Math.min(Math.max(row, 0), tasks.length - 1)];
        if (next) {
          focusRow(next.id);
          return;
        }
      }
    };
    return [
      ...writing([
        moving('column-left', 'Move to the column before', 'alt+ArrowLeft', shift(-1)),
        moving('column-right', 'Move to the next column', 'alt+ArrowRight', shift(1)),
      ]).map((command) => ({ ...command, appliesNow: () => targetIds().length > 0 })),
      moving('card-left', 'Column before', 'ArrowLeft', side(-1)),
      moving('card-right', 'Next column', 'ArrowRight', side(1)),
    ];
  }, [columns]);
}
