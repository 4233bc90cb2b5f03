import { type Expression, type ExpressionBuilder, type SqlBool, sql, type UpdateObject } from 'kysely';
import { query } from './connection.ts';
import type { Tables } from './tables.ts';
import type { Steps, Tx } from './tx.ts';

/** Some 25 µs each, while nobody is answered. */
const AT_ONCE = 400;

/** Changes all the tasks of a workspace that are so, some in each step. */
export function* changeTasks(
  tx: Tx,
  workspaceCode: number,
  areSo: (tasks: ExpressionBuilder<Tables, 'tasks'>) => Expression<SqlBool>,
  changes: UpdateObject<Tables, 'tasks'>,
): Steps<void> {
  const found = query
    .selectFrom('tasks')
    .select(sql<string>`json_group_array(seq)`.as('seqs'))
    .where('workspace_code', '=', workspaceCode)
    .where(areSo);
  const seqs: number[] = JSON.parse(tx.one(found)?.seqs ?? '[]');
  for (let done = 0; done < seqs.length; done += AT_ONCE) {
    if (done > 0) yield;
    const some = JSON.stringify(seqs.slice(done, done + AT_ONCE));
    tx.run(
      query
        .updateTable('tasks')
        .set(changes)
        .where('workspace_code', '=', workspaceCode)
        .where('seq', 'in', sql<number>`(select value from json_each(${some}))`),
    );
  }
}
