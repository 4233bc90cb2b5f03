import { expect } from 'vitest';
import { query } from '../src/db/connection.ts';
import { COUNTERS } from '../src/storage/integrity.ts';
import { VALUES } from '../src/storage/value-checks.ts';
import type { World } from './world.ts';

/** The counters as they would be if they were made again. */
const COUNTED = `
  with task as (
    select *, length(cast(title || ifnull(description, '') as blob)) + more_bytes as bytes from tasks)
  select workspace_code, field, value, priority, status_code, count(*) as n, sum(bytes) as bytes from (
    select workspace_code, 'all' as field, 0 as value, priority, status_code, bytes from task
    union all select workspace_code, 'list', list_code, priority, status_code, 0 from task
    union all select workspace_code, 'assignee', ifnull(assignee_code, 0), priority, status_code, 0 from task)
  group by 1, 2, 3, 4, 5`;

const COUNTED_SERIES = `
  select code as workspace_code, count(*) as n,
      sum(length(cast(series.title || ifnull(series.description, '') || ifnull((
        select group_concat(value ->> 'title', '') from json_each(series.checklist)), '') as blob))) as bytes
    from recurring_series as series join workspaces on workspaces.id = series.workspace_id group by code`;

const LENGTH = (column: string) => `ifnull(octet_length(content ->> '$.row.${column}'), 0)`;
const ITEMS = `json_each(content ->> '$.row.checklist') as item`;

/** What is kept beside the things in the trash, and what it would be if it were taken from them again. */
const OF_TRASH = {
  ids: [
    'select code, id, series_id, bytes from trash_rows',
    `select code, content ->> '$.row.id',
        case kind when 'task' then content ->> '$.row.recurring_task_id' when 'series' then content ->> '$.row.id' end,
        ${LENGTH('title')} + ${LENGTH('description')} + ${LENGTH('body')}
          + (select ifnull(sum(octet_length(item.value ->> '$.title')), 0) from ${ITEMS})
      from trash_rows where kind in ('task', 'series', 'comment')
      union all select code, content ->> '$.row.id', content ->> '$[0].series_id', 0
        from trash_rows where kind not in ('task', 'series', 'comment')`,
  ],
  items: [
    'select row_code, id from trash_items',
    `select distinct code, item.value ->> '$.id' from trash_rows, ${ITEMS} where kind in ('task', 'series')`,
  ],
  mentions: [
    'select row_code, user_code from trash_mentions',
    `select distinct code, mention.value ->> '$.user_code' from trash_rows, json_each(content, '$.mentions') as mention
      where kind = 'comment' and mention.value ->> '$.user_code' in (select code from users)`,
  ],
  entries: [
    `select code, workspace_code, item_count from trash where state = 'kept'`,
    `select trash.code, max(trash_rows.workspace_code), sum(trash_rows.kind = 'task')
      from trash join trash_rows on entry_code = trash.code where state = 'kept' group by 1`,
  ],
} as const;

/** What must hold in the file at any time: no row refers to none, counters and search index agree with the tasks. */
export function expectIntegrity({ opened: { storage } }: World): void {
  const { writing } = storage;
  expect(writing.pragma('foreign_key_check')).toEqual([]);
  // First, as the other check by itself takes the index for what it was before a thread merged it.
  writing.exec(`insert into task_search (task_search, rank) values ('integrity-check', 1)`);
  expect(writing.pragma('integrity_check', { simple: true })).toBe('ok');
  const kept = writing
    .prepare('select workspace_code, field, value, priority, status_code, n, bytes from task_counts')
    .all();
  const ordered = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  expect(ordered(kept)).toEqual(ordered(writing.prepare(COUNTED).all()));
  const keptSeries = writing.prepare('select workspace_code, n, bytes from series_counts').all();
  expect(ordered(keptSeries)).toEqual(ordered(writing.prepare(COUNTED_SERIES).all()));
  const ofTrash = 'select workspace_code, kind, n, bytes from trash_counts';
  const countedTrash =
    'select workspace_code, kind, count(*) as n, sum(bytes) as bytes from trash_rows group by 1, 2';
  expect(ordered(writing.prepare(ofTrash).all())).toEqual(ordered(writing.prepare(countedTrash).all()));
  const rowsOf = (select: string) => ordered(writing.prepare(select).raw().all());
  for (const [kept, derived] of Object.values(OF_TRASH)) expect(rowsOf(kept)).toEqual(rowsOf(derived));
  const numbers = (table: string, column: string) =>
    writing.prepare(`select ${column} from ${table} order by 1`).pluck().all();
  expect(numbers('task_search', 'rowid')).toEqual([
    ...numbers('comments', '- code'),
    ...numbers('tasks', 'seq'),
  ]);
  expect(COUNTERS.faults(writing)).toEqual([]);
  expect(VALUES.faults(writing)).toEqual([]);
  const secure = writing.prepare(`select v from task_search_config where k = 'secure-delete'`).pluck().get();
  expect(secure).toBe(0);
}

/** The rows of what is in lists and spaces, without their versions, which a restore raises. */
export const contentsOf = ({ deps }: World): string[][] =>
  (['tasks', 'recurring_series', 'recurring_occurrences', 'lists', 'spaces', 'comments'] as const).map(
    (table) =>
      deps.read
        .all(query.selectFrom(table).selectAll())
        .map((row) => JSON.stringify({ ...row, version: 0 }))
        .toSorted(),
  );
