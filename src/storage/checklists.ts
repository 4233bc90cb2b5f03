import { type Db, query, statement } from '../db/connection.ts';

/** Writes down, for finding a task by them, which items its checklist has. */
export function saveItems(db: Db, seq: number, ids: readonly string[]): void {
  db.run(query.deleteFrom('checklist_items').where('task_seq', '=', seq));
  if (ids.length === 0) return;
  db.run(
    statement('insert into checklist_items (id, task_seq) select value, ? from json_each(?)', [
      seq,
      JSON.stringify(ids),
    ]),
  );
}
