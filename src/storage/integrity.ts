import type SqliteDatabase from 'better-sqlite3';
import type { OnDone } from '../kernel/progress.ts';

const MAX_FAULTS = 10;

/** One thing that must hold in a database, and what does not hold: nothing when all is well. */
export interface Check {
  subject: 'integrity' | 'references' | 'search' | 'counters' | 'values';
  faults(database: SqliteDatabase.Database): string[];
}

/** What a file must pass to be called a backup. */
export const INTEGRITY_CHECKS: Check[] = [
  {
    subject: 'integrity',
    // The search index is among what this looks at.
    faults: (database) => damageOf(database, MAX_FAULTS),
  },
  {
    subject: 'references',
    faults: (database) =>
      Object.entries(
        Object.groupBy(
          database
            .prepare<[], { table: string; parent: string }>('pragma foreign_key_check')
            .all()
            .slice(0, 1_000),
          ({ table, parent }) => `rows of ${table} that refer to no row of ${parent}`,
        ),
      ).map(([what, rows]) => `${rows?.length} ${what}`),
  },
  {
    subject: 'search',
    faults: counting(['tasks', 'task_search'], {
      'tasks that search does not know': 'tasks where seq not in (select rowid from task_search)',
      'words in the search index of tasks that are gone':
        'task_search where rowid > 0 and rowid not in (select seq from tasks)',
    }),
  },
];

/** What SQLite finds wrong in the whole file, at most so much, or in a table. */
function damageOf(database: SqliteDatabase.Database, what: number | 'task_search'): string[] {
  const lines = database.prepare<[], string>(`pragma integrity_check(${what})`).pluck().all();
  return lines.filter((line) => line !== 'ok');
}

/** What of the damage of a file is in the search index, which holds nothing but what tasks and comments hold. */
export const damageOfSearch = (database: SqliteDatabase.Database) => damageOf(database, 'task_search');

const bytesOf = (table: string) =>
  `octet_length(${table}.title) + ifnull(octet_length(${table}.description), 0)`;
const COUNTED_TASKS = `
  select workspace_code, field, value, priority, status_code, count(*), sum(bytes) from (
    select workspace_code, 'all' as field, 0 as value, priority, status_code, ${bytesOf('tasks')} + more_bytes as bytes from tasks
    union all select workspace_code, 'list', list_code, priority, status_code, 0 from tasks
    union all select workspace_code, 'assignee', ifnull(assignee_code, 0), priority, status_code, 0 from tasks)
  group by 1, 2, 3, 4, 5`;
const COUNTED_SERIES = `
  select workspaces.code, count(*), sum(${bytesOf('series')} + ifnull((
    select sum(octet_length(value ->> 'title')) from json_each(series.checklist)), 0))
    from recurring_series as series join workspaces on workspaces.id = series.workspace_id group by workspaces.code`;
const COUNTED_TRASH =
  'select workspace_code, kind, count(*), sum(bytes) from trash_rows group by workspace_code, kind';

const wrongTotals = (what: string, counted: string, kept: string) => ({
  [`kept totals of ${what} that are wrong`]: `(select * from (${counted}) except select * from ${kept})`,
  [`kept totals of ${what} that count nothing`]: `(select * from ${kept} except select * from (${counted}))`,
});

const wrongLabels = (things: string, labels: string, isOfThing: string) => `${things} where
  ifnull((select json_group_array(value) from (select value from json_each(label_ids) order by value)), '[]')
  <> (select json_group_array(id) from (
    select labels.id from ${labels} join labels on code = label_code where ${isOfThing} order by 1))`;

/** What is kept only for speed, and must agree with what it is derived from; looked at in the newest schema alone. */
export const COUNTERS: Check = {
  subject: 'counters',
  faults: counting(['trash_counts'], {
    ...wrongTotals(
      'tasks',
      COUNTED_TASKS,
      '(select workspace_code, field, value, priority, status_code, n, bytes from task_counts)',
    ),
    'workspaces whose number of members is wrong':
      'workspaces where member_count <> (select count(*) from members where workspace_id = workspaces.id)',
    // Of a list on its way into the trash or out of it, tasks and their comments go in different steps.
    'tasks whose number of comments is wrong': `tasks
      where comment_count <> (select count(*) from comments where task_seq = seq)
        and list_code not in (select code from lists where in_transit = 1)`,
    'tasks whose labels are not those that they are found by': wrongLabels(
      'tasks',
      'task_labels',
      'task_seq = seq',
    ),
    'comments that search does not know': 'comments where - code not in (select rowid from task_search)',
    'words in the search index of comments that are gone':
      'task_search where rowid < 0 and - rowid not in (select code from comments)',
    ...wrongTotals('recurring tasks', COUNTED_SERIES, '(select workspace_code, n, bytes from series_counts)'),
    'series whose labels are not those that they are found by': wrongLabels(
      'recurring_series as series',
      'series_labels',
      'series_id = series.id',
    ),
    ...wrongTotals('the trash', COUNTED_TRASH, '(select workspace_code, kind, n, bytes from trash_counts)'),
  }),
};

/** The faults of a database by every check; `onDone` hears how many checks are done. */
export function faultsOf(database: SqliteDatabase.Database, onDone: OnDone = () => {}): string[] {
  return INTEGRITY_CHECKS.flatMap((check, i) => {
    const faults = check.faults(database);
    onDone(i + 1, INTEGRITY_CHECKS.length);
    return faults;
  });
}

/** Rows by table; those of one snapshot when a transaction is open. */
export function rowCounts(database: SqliteDatabase.Database): Record<string, number> {
  return Object.fromEntries(tablesIn(database).map((table) => [table, countOf(database, `"${table}"`)]));
}

export const countOf = (database: SqliteDatabase.Database, source: string): number =>
  database.prepare<[], number>(`select count(*) from ${source}`).pluck().get() ?? 0;

/** Names of the tables, without those that SQLite and its search index keep for themselves. */
export const tablesIn = (database: SqliteDatabase.Database): string[] =>
  database
    .prepare<[], string>(
      `select name from pragma_table_list
        where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite%' order by name`,
    )
    .pluck()
    .all();

/** Counts what should not be there; finds nothing where a table is still to come with a later schema. */
export function counting(tables: string[], unwanted: Record<string, string>): Check['faults'] {
  return (database) => {
    const present = tablesIn(database);
    if (!tables.every((table) => present.includes(table))) return [];
    return Object.entries(unwanted).flatMap(([what, source]) => {
      const n = countOf(database, source);
      return n > 0 ? [`${n} ${what}`] : [];
    });
  };
}
