import type SqliteDatabase from 'better-sqlite3';
import { type Check, counting, tablesIn } from './integrity.ts';
import type { Tables } from './tables.ts';

type Name = string | number;
type Values<T> = T extends Name ? (Name extends T ? never : T) : never;
/** All values of each column named, so that the compiler asks for one that is missing. */
type Enumerations = { [T in keyof Tables]?: { [C in keyof Tables[T]]?: Record<Values<Tables[T][C]>, true> } };

/** Those that no CHECK of the schema holds, which the check of integrity looks at. */
const ENUMERATIONS = {
  api_tokens: { role: { admin: true, member: true, viewer: true } },
  identities: { provider: { google: true, telegram: true } },
  email_tokens: {
    purpose: { 'password-reset': true, 'email-change': true, 'email-keep': true, 'email-undo': true },
  },
  outbox: { state: { queued: true, sent: true, failed: true, decoy: true } },
  recurring_series: { state_reason: { completed: true, error: true } },
} satisfies Enumerations;

const JSON_COLUMNS: Record<string, readonly string[]> = {
  audit_log: ['details'],
  notifications: ['data'],
  recurring_series: ['interval', 'end_condition', 'label_ids', 'checklist'],
  series_steps: ['task'],
  tasks: ['label_ids', 'checklist', 'overridden'],
  trash_rows: ['content'],
  user_preferences: ['preferences'],
};
const DATES = ['start_date', 'due_date', 'due_noticed'];

/** Instants and days have one form each, which SQLite writes too; it makes another one of what is none. */
const isNotInstant = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}) is not ${column}`;
const isNotDay = (column: string) => `date(${column}) is not ${column}`;

/** When the value of a column cannot be one of Errand's; undefined where any may be. */
function wrongWhen(table: string, column: string, type: string): string | undefined {
  const named: Record<string, Record<string, true>> | undefined = Object.entries(ENUMERATIONS).find(
    ([name]) => name === table,
  )?.[1];
  const values = named?.[column];
  if (values) return `${column} not in (${Object.keys(values).map((value) => `'${value}'`)})`;
  if (JSON_COLUMNS[table]?.includes(column)) return `not json_valid(${column})`;
  if (DATES.includes(column)) return `${isNotInstant(column)} and ${isNotDay(column)}`;
  if (column === 'anchor_date') return isNotDay(column);
  if (type === 'TEXT' && column.endsWith('_at')) return isNotInstant(column);
  if (type === 'INTEGER' && /^(is|was)_/.test(column)) return `${column} not in (0, 1)`;
  return undefined;
}

const wrongOwners = counting(['members'], {
  'members whose role disagrees with who owns the workspace': `members join workspaces on workspaces.id = workspace_id where (role = 'owner') <> (user_id = owner_id)`,
});

/**
 * Values that no Errand writes: somebody altered them, or the disk did. Whatever still is a role, a date or a text
 * passes, as nothing tells it from another one. Each table is read once.
 */
export const VALUES: Check = {
  subject: 'values',
  faults: (database) => [
    ...tablesIn(database).flatMap((table) => wrongIn(database, table)),
    ...wrongOwners(database),
  ],
};

function wrongIn(database: SqliteDatabase.Database, table: string): string[] {
  const checks = database
    .prepare<[string], { name: string; type: string }>('select name, type from pragma_table_info(?)')
    .all(table)
    .flatMap(({ name, type }) => {
      const wrong = wrongWhen(table, name, type);
      return wrong === undefined
        ? []
        : [{ name, counted: `count(case when ${name} is not null and (${wrong}) then 1 end)` }];
    });
  if (checks.length === 0) return [];
  const counts =
    database
      .prepare<[], number[]>(`select ${checks.map(({ counted }) => counted)} from "${table}"`)
      .raw()
      .get() ?? [];
  return checks.flatMap(({ name }, i) =>
    (counts[i] ?? 0) > 0 ? [`${counts[i]} impossible values of ${table}.${name}`] : [],
  );
}
