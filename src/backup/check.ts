import type SqliteDatabase from 'better-sqlite3';
import type { OnDone } from '../kernel/progress.ts';

const FAULTS_AT_MOST = 10;

/** One thing that must hold in a database, and what does not hold: nothing when all is well. */
export interface Look {
  subject: 'integrity' | 'references' | 'search' | 'counters';
  faults(database: SqliteDatabase.Database): string[];
}

/** What a file must pass to be called a backup. */
export const WHOLENESS: Look[] = [
  {
    subject: 'integrity',
    // The search index is among what this looks at.
    faults: (database) =>
      database
        .prepare<[], string>(`pragma integrity_check(${FAULTS_AT_MOST})`)
        .pluck()
        .all()
        .filter((line) => line !== 'ok'),
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
        'task_search where rowid not in (select seq from tasks)',
    }),
  },
];

const COUNTED_TASKS = `
  select workspace_code, field, value, priority, status_code, count(*) as n from (
    select workspace_code, 'all' as field, 0 as value, priority, status_code from tasks
    union all select workspace_code, 'list', list_code, priority, status_code from tasks
    union all select workspace_code, 'assignee', ifnull(assignee_code, 0), priority, status_code from tasks)
  group by 1, 2, 3, 4, 5`;
const KEPT_COUNTS = 'select workspace_code, field, value, priority, status_code, n from task_counts';

/** What is kept only for speed, and must agree with what it is derived from. */
export const COUNTERS: Look = {
  subject: 'counters',
  faults: counting(['tasks', 'task_counts', 'workspaces', 'members'], {
    'kept totals of tasks that are wrong': `(select * from (${COUNTED_TASKS}) except select * from (${KEPT_COUNTS}))`,
    'kept totals of tasks that count nothing': `(select * from (${KEPT_COUNTS}) except select * from (${COUNTED_TASKS}))`,
    'workspaces whose number of members is wrong':
      'workspaces where member_count <> (select count(*) from members where workspace_id = workspaces.id)',
  }),
};

/** The faults of a database by every look; `onDone` hears how many looks are done. */
export function faultsOf(database: SqliteDatabase.Database, onDone: OnDone = () => {}): string[] {
  return WHOLENESS.flatMap((look, i) => {
    const faults = look.faults(database);
    onDone(i + 1, WHOLENESS.length);
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
function counting(tables: string[], unwanted: Record<string, string>): Look['faults'] {
  return (database) => {
    const present = tablesIn(database);
    if (!tables.every((table) => present.includes(table))) return [];
    return Object.entries(unwanted).flatMap(([what, source]) => {
      const n = countOf(database, source);
      return n > 0 ? [`${n} ${what}`] : [];
    });
  };
}
