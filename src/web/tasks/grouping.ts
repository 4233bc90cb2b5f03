import type { Label, List, Member, Task } from '../data/rows.ts';
import { today, zone } from '../shell/clock.ts';
import { PRIORITIES, PRIORITY_NAMES } from '../text/priorities.ts';
import { sayDay } from '../text/say-dates.ts';
import { statusesIn } from './changes.ts';
import { dueOf } from './dates.ts';
import type { Grouping } from './filters.ts';
import type { TaskGroup } from './task-groups.tsx';

interface GroupingContext {
  list: List;
  labels: readonly Label[];
  members: readonly Member[];
}

const ORDER = { started: 0, unstarted: 1, completed: 2, canceled: 3 };

/** The groups of a list, in order; those without a task are left out. */
export function groupsOf(tasks: readonly Task[], by: Grouping, context: GroupingContext): TaskGroup[] {
  const { list, labels, members } = context;
  const idsOf = (has: (task: Task) => boolean): string[] => tasks.filter(has).map(({ id }) => id);
  const filled = (groups: TaskGroup[]): TaskGroup[] => groups.filter(({ ids }) => ids.length > 0);
  switch (by) {
    case 'status': {
      const statuses = [...statusesIn(list.id)].sort(
        (a, b) => ORDER[a.type] - ORDER[b.type] || a.position - b.position,
      );
      return filled(
        statuses.map((status) => ({
          key: status.id,
          title: status.title,
          status,
          ids: idsOf(({ statusId }) => statusId === status.id),
        })),
      );
    }
    case 'priority':
      return filled(
        PRIORITIES.map((priority) => ({
          key: priority,
          title: PRIORITY_NAMES[priority],
          ids: idsOf((task) => task.priority === priority),
        })),
      );
    case 'assignee':
      return filled([
        ...members.map(({ userId, name }) => ({
          key: userId,
          title: name,
          ids: idsOf(({ assigneeId }) => assigneeId === userId),
        })),
        { key: 'none', title: 'No one', ids: idsOf(({ assigneeId }) => assigneeId === null) },
      ]);
    case 'label':
      return filled([
        ...labels
          .filter(({ workspaceId }) => workspaceId === list.workspaceId)
          .map(({ id, title }) => ({ key: id, title, ids: idsOf(({ labelIds }) => labelIds[0] === id) })),
        { key: 'none', title: 'No label', ids: idsOf(({ labelIds }) => labelIds.length === 0) },
      ]);
    case 'due': {
      const days = Map.groupBy(tasks, (task) => dueOf(task, zone.peek())?.day ?? '');
      return [...days]
        .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1))
        .map(([day, its]) => ({
          key: day,
          title: day === '' ? 'No date' : sayDay(day, today.peek()),
          ids: its.map(({ id }) => id),
          ...(day !== '' && { day }),
        }));
    }
    default:
      return [{ key: 'all', title: list.title, ids: tasks.map(({ id }) => id), isPlain: true }];
  }
}
