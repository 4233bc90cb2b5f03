import { type ExpressionBuilder, sql } from 'kysely';
import { query } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { keyIn } from './keys.ts';
import { changeTasks, changeTasksOfList } from './many-tasks.ts';
import { isOpen } from './status-types.ts';
import type { StatusType, Tables } from './tables.ts';
import { SHORT, type ShortTask } from './task-fields.ts';

/** A workspace, and the key that stands for it in the indexes of tasks. */
interface InWorkspace {
  workspaceId: string;
  workspaceKey: number;
}

/** Tasks of the status `from` become tasks of `to`; both are the same when a status got another type. */
interface StatusChange {
  from: string;
  to: { id: string; type: StatusType };
}

/**
 * Gives tasks, of the workspace or of one list, their new statuses in the given order; `completed_at` follows: set on
 * entering a completed status, cleared on leaving it. An open task loses an assignee who may not be one. Returns the
 * upcoming instances that it completed: their series go on, once the statuses are as they shall be.
 */
export function* restatusTasks(
  tx: Tx,
  where: InWorkspace,
  changes: readonly StatusChange[],
  now: Instant,
  listId?: string,
): Steps<ShortTask[]> {
  const completing = changes.filter(({ to }) => to.type === 'completed').map(({ from }) => from);
  const upcoming = completing.length > 0 ? openUpcomingInstances(tx, where, completing, listId) : [];
  for (const { from, to } of changes) {
    const areSo = ({ eb }: ExpressionBuilder<Tables, 'tasks'>) =>
      eb('status_code', '=', keyIn('statuses', from));
    const edit = {
      status_id: to.id,
      status_code: keyIn('statuses', to.id),
      completed_at: to.type === 'completed' ? sql<Instant>`ifnull(completed_at, ${now})` : null,
      updated_at: now,
      ...(isOpen(to.type) && assigneeIfAssignable(where.workspaceId)),
    };
    yield* listId === undefined
      ? changeTasks(tx, where.workspaceKey, areSo, edit)
      : changeTasksOfList(tx, where.workspaceKey, listId, areSo, edit);
    yield;
  }
  return upcoming;
}

const assigneeIfAssignable = (workspaceId: string) => {
  const isAssignable = sql`assignee_id in (
    select user_id from members where workspace_id = ${workspaceId} and role <> 'viewer')`;
  return {
    assignee_id: sql<string | null>`case when ${isAssignable} then assignee_id end`,
    assignee_code: sql<number | null>`case when ${isAssignable} then assignee_code end`,
  };
};

/** Those that the active series stand at, of these statuses and not completed. */
function openUpcomingInstances(
  tx: Tx,
  { workspaceId }: InWorkspace,
  statusIds: readonly string[],
  listId: string | undefined,
): ShortTask[] {
  let tasks = query
    .selectFrom('recurring_series as series')
    .innerJoin('tasks as task', (join) =>
      join
        .onRef('task.workspace_id', '=', 'series.workspace_id')
        .onRef('task.id', '=', 'series.next_task_id'),
    )
    .select(SHORT.map((column) => `task.${column}` as const))
    .where('series.workspace_id', '=', workspaceId)
    .where('series.state', '=', 'active')
    .where('task.status_id', 'in', statusIds)
    .where('task.completed_at', 'is', null);
  if (listId !== undefined) tasks = tasks.where('task.list_id', '=', listId);
  return tx.all(tasks);
}

/** Tasks name the space of their list. */
export const moveTasksToSpace = (tx: Tx, { workspaceKey }: InWorkspace, listId: string, spaceId: string) =>
  changeTasksOfList(tx, workspaceKey, listId, ({ lit }) => lit(true), { space_id: spaceId });
