import { expect } from 'vitest';
import type { World } from './world.ts';

/** The counters as they would be if they were made anew. */
const COUNTED = `
  select workspace_code, field, value, priority, status_code, count(*) as n from (
    select workspace_code, 'all' as field, 0 as value, priority, status_code from tasks
    union all select workspace_code, 'list', list_code, priority, status_code from tasks
    union all select workspace_code, 'assignee', ifnull(assignee_code, 0), priority, status_code from tasks)
  group by 1, 2, 3, 4, 5`;

/** What must hold in the file at any time: no row refers to none, counters and search index agree with the tasks. */
export function expectSound({ opened: { storage } }: World): void {
  const { writing } = storage;
  expect(writing.pragma('foreign_key_check')).toEqual([]);
  expect(writing.pragma('integrity_check', { simple: true })).toBe('ok');
  writing.exec(`insert into task_search (task_search, rank) values ('integrity-check', 1)`);
  const kept = writing
    .prepare('select workspace_code, field, value, priority, status_code, n from task_counts')
    .all();
  const ordered = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  expect(ordered(kept)).toEqual(ordered(writing.prepare(COUNTED).all()));
  const numbers = (table: string, column: string) =>
    writing.prepare(`select ${column} from ${table} order by 1`).pluck().all();
  expect(numbers('task_search', 'rowid')).toEqual(numbers('tasks', 'seq'));
  const secure = writing.prepare(`select v from task_search_config where k = 'secure-delete'`).pluck().get();
  expect(secure).toBe(0);
}
