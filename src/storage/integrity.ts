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
    // The search index is among what this checks at.
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

/** Bytes of text came with a later schema than the numbers. */
const countedTasks = (bytes: string) => `
  select workspace_code, field, value, priority, status_code, count(*) as n${bytes && ', sum(bytes) as bytes'} from (
    select workspace_code, 'all' as field, 0 as value, priority, status_code${bytes} from tasks
    union all select workspace_code, 'list', list_code, priority, status_code${bytes && ', 0'} from tasks
    union all select workspace_code, 'assignee', ifnull(assignee_code, 0), priority, status_code${bytes && ', 0'} from tasks)
  group by 1, 2, 3, 4, 5`;
const BYTES = ', octet_length(title) + ifnull(octet_length(description), 0) as bytes';
const BYTES_WITH_MORE = BYTES.replace(' as bytes', ' + more_bytes as bytes');
const BYTES_OF_ITEMS = ` + ifnull((
  select sum(octet_length(value ->> 'title')) from json_each(series.checklist)), 0)`;
const countedSeries = (more: string) => `
  select workspaces.code, count(*), sum(octet_length(series.title) + ifnull(octet_length(series.description), 0)${more})
    from recurring_series as series join workspaces on workspaces.id = series.workspace_id group by workspaces.code`;
const KEPT_SERIES = 'select workspace_code, n, bytes from series_counts';
const KEPT_COUNTS = 'select workspace_code, field, value, priority, status_code, n';

const wrongCounts = (counted: string, kept: string) => ({
  'kept totals of tasks that are wrong': `(select * from (${counted}) except select * from (${kept}))`,
  'kept totals of tasks that count nothing': `(select * from (${kept}) except select * from (${counted}))`,
  'workspaces whose number of members is wrong':
    'workspaces where member_count <> (select count(*) from members where workspace_id = workspaces.id)',
});

const COUNTED_TABLES = ['tasks', 'task_counts', 'workspaces', 'members'];
const wrongNumbers = counting(
  COUNTED_TABLES,
  wrongCounts(countedTasks(''), `${KEPT_COUNTS} from task_counts`),
);
const wrongSeries = (counted: string) => ({
  'kept totals of recurring tasks that are wrong': `(select * from (${counted}) except select * from (${KEPT_SERIES}))`,
  'kept totals of recurring tasks that count nothing': `(select * from (${KEPT_SERIES}) except select * from (${counted}))`,
});
const wrongNumbersAndBytes = counting([...COUNTED_TABLES, 'series_counts'], {
  ...wrongCounts(countedTasks(BYTES), `${KEPT_COUNTS}, bytes from task_counts`),
  ...wrongSeries(countedSeries('')),
});
const WRONG_COMMENTS = 'tasks whose number of comments is wrong';
const CARRIED = {
  ...wrongCounts(countedTasks(BYTES_WITH_MORE), `${KEPT_COUNTS}, bytes from task_counts`),
  [WRONG_COMMENTS]: 'tasks where comment_count <> (select count(*) from comments where task_seq = seq)',
  'tasks whose labels are not those that they are found by': `tasks where
    ifnull((select json_group_array(value) from (select value from json_each(label_ids) order by value)), '[]')
    <> (select json_group_array(id) from (
      select id from task_labels join labels on code = label_code where task_seq = seq order by id))`,
  'comments that search does not know': 'comments where - code not in (select rowid from task_search)',
  'words in the search index of comments that are gone':
    'task_search where rowid < 0 and - rowid not in (select code from comments)',
};
const CARRIED_TABLES = ['comments', 'task_labels', 'task_search'];
const wrongCarried = counting(CARRIED_TABLES, { ...CARRIED, ...wrongSeries(countedSeries('')) });
const CARRIED_BY_SERIES_TABLES = [...CARRIED_TABLES, 'series_labels'];
const CARRIED_BY_SERIES = {
  ...CARRIED,
  ...wrongSeries(countedSeries(BYTES_OF_ITEMS)),
  'series whose labels are not those that they are found by': `recurring_series as series where
    ifnull((select json_group_array(value) from (select value from json_each(label_ids) order by value)), '[]')
    <> (select json_group_array(id) from (
      select labels.id from series_labels join labels on code = label_code where series_id = series.id order by 1))`,
};
const wrongCarriedBySeries = counting(CARRIED_BY_SERIES_TABLES, CARRIED_BY_SERIES);
const COUNTED_TRASH =
  'select workspace_code, kind, count(*), sum(bytes) from trash_rows group by workspace_code, kind';
const KEPT_TRASH = 'select workspace_code, kind, n, bytes from trash_counts';
const wrongWithTrash = counting([...CARRIED_BY_SERIES_TABLES, 'trash_rows', 'trash_counts'], {
  ...CARRIED_BY_SERIES,
  // Of a list on its way into the trash or out of it, tasks and their comments go in different steps.
  [WRONG_COMMENTS]: `${CARRIED[WRONG_COMMENTS]} and list_code not in (select code from lists where in_transit = 1)`,
  'kept totals of the trash that are wrong': `(select * from (${COUNTED_TRASH}) except select * from (${KEPT_TRASH}))`,
  'kept totals of the trash that count nothing': `(select * from (${KEPT_TRASH}) except select * from (${COUNTED_TRASH}))`,
});

/** What is kept only for speed, and must agree with what it is derived from. */
export const COUNTERS: Check = {
  subject: 'counters',
  faults: (database) => {
    const present = tablesIn(database);
    if (present.includes('trash_counts')) return wrongWithTrash(database);
    if (present.includes('series_labels')) return wrongCarriedBySeries(database);
    if (present.includes('comments')) return wrongCarried(database);
    return present.includes('series_counts') ? wrongNumbersAndBytes(database) : wrongNumbers(database);
  },
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
function counting(tables: string[], unwanted: Record<string, string>): Check['faults'] {
  return (database) => {
    const present = tablesIn(database);
    if (!tables.every((table) => present.includes(table))) return [];
    return Object.entries(unwanted).flatMap(([what, source]) => {
      const n = countOf(database, source);
      return n > 0 ? [`${n} ${what}`] : [];
    });
  };
}
