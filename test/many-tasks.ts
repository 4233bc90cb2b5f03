import { query } from '../src/db/connection.ts';
import type { Deps } from '../src/deps.ts';
import { newId } from '../src/kernel/ids.ts';
import { DAY, toInstant } from '../src/kernel/instants.ts';
import { addTask } from '../src/tasks/tasks.ts';

const BATCH_SIZE = 100;
const WORDS = Array.from({ length: 2_000 }, (_, i) => `w${((i * 7_919) % 100_003).toString(36)}`);

/** Adds tasks as their creation does, quickly, spread over the lists of a workspace and, but for `isOpen`, its statuses. */
export async function addTasks(
  { deps }: { deps: Deps },
  workspaceId: string,
  count: number,
  of: {
    listId?: string;
    creatorId?: string;
    assigneeId?: string;
    title?: string;
    isOpen?: boolean;
    at?: number;
  } = {},
): Promise<void> {
  const inWorkspace = query.selectFrom('lists').selectAll().where('workspace_id', '=', workspaceId);
  const lists = deps.read.all(of.listId ? inWorkspace.where('id', '=', of.listId) : inWorkspace);
  const code = deps.read.one(
    query.selectFrom('workspaces').select('code').where('id', '=', workspaceId),
  )?.code;
  const statuses = deps.read.all(
    query.selectFrom('statuses').selectAll().where('workspace_id', '=', workspaceId),
  );
  for (let made = 0; made < count; made += BATCH_SIZE) {
    await deps.write((tx) => {
      for (let i = made; i < Math.min(made + BATCH_SIZE, count); i += 1) {
        const list = lists[i % lists.length];
        const own = statuses.filter(
          ({ template_id, type }) =>
            template_id === list?.status_template_id &&
            (of.isOpen === undefined || of.isOpen === (type !== 'completed' && type !== 'canceled')),
        );
        if (!list || code === undefined) throw new Error('There is no list');
        const now = of.at ?? deps.clock.now();
        const at = toInstant(now);
        const title = `${of.title ?? 'Task'} ${i}`;
        addTask(tx, {
          id: newId(now),
          workspace_code: code,
          workspace_id: workspaceId,
          space_id: list.space_id,
          list_id: list.id,
          status_id: own[i % own.length]?.id ?? '',
          priority: i % 5,
          assignee_id: of.assigneeId ?? null,
          creator_id: of.creatorId ?? null,
          start_date: null,
          due_date: i % 3 === 0 ? null : toInstant(now + (i % 90) * DAY),
          completed_at: null,
          position: i * 1_024,
          recurring_task_id: null,
          occurrence_at: null,
          occurrence_number: null,
          overridden: null,
          created_at: at,
          updated_at: at,
          title,
          description: Array.from({ length: 20 }, (_, w) => WORDS[(i * 31 + w * w * 17) % WORDS.length]).join(
            ' ',
          ),
        });
      }
    });
  }
}
