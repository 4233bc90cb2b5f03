import type { ComponentType } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { List as ListRow, Task } from '../../data/rows.ts';
import { addressOf, type ScreenName } from '../../shell/addresses.ts';
import { zone } from '../../shell/clock.ts';
import { useCommands } from '../../shell/commands.ts';
import { Examples } from '../../shell/first-visit.tsx';
import { inbox, isFirstLoad, mayWriteIn, roleIn } from '../../shell/frame-view.ts';
import { Lazy } from '../../shell/lazy.tsx';
import { address, hrefOf, navigate, setView } from '../../shell/navigation.ts';
import { openQuickAdd } from '../../shell/overlays.tsx';
import { withQuery } from '../../shell/router.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { dropAt, placeAmong, startDrag } from '../../tasks/dragging.ts';
import { Empty, NothingPasses } from '../../tasks/empty.tsx';
import { compareBy, grouping, namedInQuery, sort } from '../../tasks/filters.ts';
import { groupsOf } from '../../tasks/grouping.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { SORTED, useOrder } from '../../tasks/order.ts';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { type TaskGroup, TaskGroups } from '../../tasks/task-groups.tsx';
import { UnloadedTasks } from '../../tasks/unloaded-tasks.tsx';
import { useFilters } from '../../tasks/use-filters.ts';
import { useTasks } from '../../tasks/use-tasks.ts';
import { Button } from '../../ui/button.tsx';
import { Coming } from '../../ui/coming.tsx';
import { NotFound } from '../not-found/not-found.tsx';
import { Older } from './older.tsx';

const VIEWS = {
  list: { title: 'List', icon: 'list' },
  board: { title: 'Board', icon: 'board' },
  calendar: { title: 'Calendar', icon: 'upcoming' },
} as const;
const VIEW_NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[];
const view = namedInQuery('view', VIEWS, 'list');

/** What draws a list's board or calendar below the head. */
export interface ListViewProps {
  list: ListRow;
}

const loadBoard = async (): Promise<ComponentType<ListViewProps>> =>
  (await import('../board/board.tsx')).Board;
const loadCalendar = async (): Promise<ComponentType<ListViewProps>> =>
  (await import('../calendar/list-calendar.tsx')).ListCalendar;

/** A list: as rows, as a board by status, or as a calendar. */
export function List({ params }: ScreenProps) {
  const { view: rows } = useUserData().store;
  const isInbox = params.listId === undefined;
  const listId = params.listId ?? inbox.value?.id ?? '';
  const list = rows.signal('list', listId).value;
  useTaskCommands();
  useCommands(
    () =>
      VIEW_NAMES.map((name) => ({
        id: `view-${name}`,
        title: `View: ${name}`,
        group: 'View',
        icon: VIEWS[name].icon,
        keys: [`v ${name[0]}`],
        run: () => setView(name === 'list' ? undefined : name),
      })),
    [],
  );
  if (!list) return isFirstLoad.value ? <Coming /> : <Gone {...params} />;
  const open = (screen: ScreenName) => () => navigate(addressOf(screen, { w: list.workspaceId }));
  return (
    <main class={view.value === 'board' ? 'board' : 'sheet'}>
      <ScreenHead
        title={isInbox ? 'Inbox' : list.title}
        listId={list.id}
        workspaceId={list.workspaceId}
        hasDisplay={view.value !== 'calendar'}
        hasGroups={view.value === 'list'}
        menu={[
          { title: 'Spaces and lists', icon: 'settings', run: open('settingsSpaces') },
          { title: 'Statuses', icon: 'status', run: open('settingsStatuses') },
        ]}
      >
        <nav class="tabs" aria-label="View">
          {VIEW_NAMES.map((name) => (
            <a
              key={name}
              href={hrefOf(withQuery(address.value, { view: name === 'list' ? undefined : name }))}
              aria-current={view.value === name ? 'page' : undefined}
            >
              {VIEWS[name].title}
            </a>
          ))}
        </nav>
      </ScreenHead>
      {isInbox && <Examples />}
      {view.value === 'list' && <Rows key={list.id} list={list} />}
      {view.value === 'board' && <Lazy key="board" load={loadBoard} props={{ list }} />}
      {view.value === 'board' && <RestOfList list={list} />}
      {view.value === 'calendar' && <Lazy key="calendar" load={loadCalendar} props={{ list }} />}
      <KeyLine isOfBoard={view.value === 'board'} />
    </main>
  );
}

function Rows({ list }: ListViewProps) {
  const { labels, membersIn } = useUserData();
  const { isFiltered, inputs, passes } = useFilters();
  const order = sort.value;
  const isOwnOrder = order === 'position';
  const compare = useMemo(() => compareBy(order, zone.value), [order, zone.value]);
  const tasks = useTasks((task) => task.listId === list.id && passes(task), compare, [
    list.id,
    ...inputs,
    order,
  ]);
  labels.revision.value;
  const groups = useMemo(() => {
    const { rows: members } = membersIn(list.workspaceId);
    const its = groupsOf(tasks, grouping.value, { list, labels: labels.rows, members });
    return isOwnOrder ? its.map((group) => ({ ...group, onDropAt: dropInto(group, tasks) })) : its;
  }, [tasks, grouping.value, list, labels.revision.value, isOwnOrder]);
  useOrder(
    ({ statusId }) => tasks.filter((task) => task.statusId === statusId),
    [tasks],
    isOwnOrder ? undefined : SORTED,
  );
  const onDragStart = (event: DragEvent) => {
    if (isOwnOrder) return startDrag(event);
    event.preventDefault();
    showToast(SORTED);
  };
  const [older, setOlder] = useState<number | undefined>(1);
  if (tasks.length === 0 && !isFirstLoad.value) {
    if (isFiltered)
      return (
        <>
          <NothingPasses />
          <RestOfList list={list} />
        </>
      );
    return (
      <div class="scroll">
        <Empty />
        <RestOfList list={list} />
        <Older list={list} page={older} onPage={setOlder} />
      </div>
    );
  }
  return (
    <div class="scroll" aria-busy={isFirstLoad.value}>
      <TaskGroups groups={groups} onDragStart={mayWriteIn(list.workspaceId) ? onDragStart : undefined} />
      {mayWriteIn(list.workspaceId) && (
        <Button class="plain add-row" onClick={openQuickAdd}>
          Add a task…
        </Button>
      )}
      <RestOfList list={list} />
      {tasks.length > 0 && <Older list={list} page={older} onPage={setOlder} />}
    </div>
  );
}

/** Takes what is dropped where the order of a group is that of the list, or of one status. */
function dropInto({ status, isPlain }: TaskGroup, tasks: readonly Task[]): TaskGroup['onDropAt'] {
  if (isPlain) return (moved, index) => placeAmong(tasks, index, moved);
  if (!status) return undefined;
  const its = tasks.filter(({ statusId }) => statusId === status.id);
  return (moved, index) => dropAt(moved, status, its, index);
}

/** What is open in a list and not on this device. */
function RestOfList({ list }: ListViewProps) {
  return (
    <UnloadedTasks
      workspaceId={list.workspaceId}
      query={{ listId: list.id, sortBy: 'position' }}
      held={useUserData().openByList.of(list.id).value}
    />
  );
}

/** A list that is not there; it may have been deleted while it was shown. */
function Gone({ w = '', listId }: ScreenProps['params']) {
  if (listId === undefined || roleIn(w) === undefined) return <NotFound />;
  const trash = (
    <a class="button" href={hrefOf(addressOf('trash', { w }))}>
      Trash
    </a>
  );
  return (
    <NotFound below={trash}>This list is gone. Where it was deleted, the trash has it for a while.</NotFound>
  );
}
