import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Journal, JournalEntry, PersonalChange } from '../db/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { metaOf, setMeta } from './meta.ts';
import type { ChangeRow } from './tables.ts';

/** Exclusive: tags are 32 bits long. */
const TAGS = 2 ** 32;
/** The largest number of a row that went with its workspace. */
const FLOOR = 'changes_floor';

/** Hears the rows of each commit, in order, and what it changed for single people, once that is on the disk. */
export type OnChanges = (rows: readonly ChangeRow[], personal: readonly PersonalChange[]) => void;

/** Numbers what transactions recorded and keeps it in the table `changes`; `publish` tells `onChanges`. */
export function createJournal(clock: Clock, onChanges: OnChanges): Journal<ChangeRow[]> {
  let last = 0;
  let knownVersion: number | undefined;
  return {
    append: (db, entries) => {
      // Another process may have written, and so may have a transaction of ours that was rolled back.
      const version = dataVersionOf(db);
      if (version !== knownVersion) last = lastSeqOf(db);
      knownVersion = version;
      const rows = rowsOf(db, entries, last, toInstant(clock.now()));
      insertRows(db, rows);
      return rows;
    },
    onCommit: (rows) => {
      last = rows.at(-1)?.seq ?? last;
    },
    publish: onChanges,
  };
}

/** Numbers go on after `last`. What was recorded of a workspace that is gone by now is left out. */
function rowsOf(db: Db, entries: readonly JournalEntry[], last: number, changed_at: string): ChangeRow[] {
  const rows: ChangeRow[] = [];
  let seq = last;
  /** Most changes of a commit are of one workspace, by one person. */
  let workspace: { id: string; code: number | undefined } | undefined;
  let actor: { id: string; code: number | null } | undefined;
  for (const { author, changes } of entries) {
    if (author && actor?.id !== author.userId)
      actor = { id: author.userId, code: userKeyOf(db, author.userId) };
    for (const { workspaceId: id, kind, id: thing_id, op, fields } of changes) {
      if (workspace?.id !== id) workspace = { id, code: workspaceKeyOf(db, id) };
      if (workspace.code === undefined) continue;
      seq += 1;
      rows.push({
        workspace_code: workspace.code,
        seq,
        tag: randomInt(TAGS),
        kind,
        thing_id,
        op,
        fields: fields ? fields.join() : null,
        actor_code: (author && actor?.code) ?? null,
        client_id: author?.clientId ?? null,
        changed_at,
      });
    }
  }
  return rows;
}

/** In one statement: for fewer of them, SQLite need not be asked as often as there are rows. */
const ROWS_IN_STATEMENT = [64, 16, 4, 1];

const COLUMNS = [
  'workspace_code',
  'seq',
  'tag',
  'kind',
  'thing_id',
  'op',
  'fields',
  'actor_code',
  'client_id',
  'changed_at',
] as const satisfies (keyof ChangeRow)[];

const insertSql = (count: number): string =>
  `insert into changes (${COLUMNS}) values ${Array(count).fill(`(${COLUMNS.map(() => '?')})`)}`;

const INSERTS = ROWS_IN_STATEMENT.map((count) => ({ count, sql: insertSql(count) }));

function insertRows(db: Db, rows: readonly ChangeRow[]): void {
  let done = 0;
  for (const { count, sql: text } of INSERTS) {
    for (; rows.length - done >= count; done += count) {
      const parameters: unknown[] = [];
      for (const row of rows.slice(done, done + count))
        for (const name of COLUMNS) parameters.push(row[name]);
      db.run(statement(text, parameters));
    }
  }
}

const workspaceKey = prepared<{ id: string }, { code: number }>((argument) =>
  query.selectFrom('workspaces').select('code').where('id', '=', argument('id')),
);
export const workspaceKeyOf = (db: Db, id: string) => db.cached(workspaceKey({ id }))[0]?.code;

const workspaceId = prepared<{ code: number }, { id: string }>((argument) =>
  query.selectFrom('workspaces').select('id').where('code', '=', argument('code')),
);
export const workspaceIdOf = (db: Db, code: number) => db.cached(workspaceId({ code }))[0]?.id;

const userId = prepared<{ code: number }, { id: string }>((argument) =>
  query.selectFrom('users').select('id').where('code', '=', argument('code')),
);
/** Null once the account is gone. */
export const userIdOf = (db: Db, code: number) => db.cached(userId({ code }))[0]?.id ?? null;

const userKey = prepared<{ id: string }, { code: number }>((argument) =>
  query.selectFrom('users').select('code').where('id', '=', argument('id')),
);
export const userKeyOf = (db: Db, id: string) => db.cached(userKey({ id }))[0]?.code ?? null;

const DATA_VERSION = statement<{ data_version: number }>('pragma data_version', []);
const dataVersionOf = (db: Db) => db.one(DATA_VERSION)?.data_version;

/** The number of the newest row there is or was. */
export function lastSeqOf(db: Db): number {
  const newest = statement<{ seq: number | null }>(
    'select max((select max(seq) from changes where workspace_code = workspaces.code)) as seq from workspaces',
    [],
  );
  return Math.max(db.one(newest)?.seq ?? 0, Number(metaOf(db, FLOOR) ?? 0));
}

/** Keeps the numbers of rows that are about to go with their workspace from being given again. */
export const keepNumbers = (db: Db): void => void setMeta(db, FLOOR, String(lastSeqOf(db)));

const rowAt = prepared<{ workspaceKey: number; seq: number }, ChangeRow>((argument) =>
  query
    .selectFrom('changes')
    .selectAll()
    .where('workspace_code', '=', argument('workspaceKey'))
    .where('seq', '=', argument('seq')),
);

/** The row of that number, unless it is gone. */
export const findChange = (db: Db, workspaceKey: number, seq: number) => db.one(rowAt({ workspaceKey, seq }));

const newestOf = prepared<{ workspaceKey: number }, ChangeRow>((argument) =>
  query
    .selectFrom('changes')
    .selectAll()
    .where('workspace_code', '=', argument('workspaceKey'))
    .orderBy('seq', 'desc')
    .limit(sql.lit(1)),
);

/** The newest row of a workspace: it always has one. */
export const newestChange = (db: Db, workspaceKey: number) => db.one(newestOf({ workspaceKey }));

const rowUntil = prepared<{ workspaceKey: number; seq: number }, ChangeRow>((argument) =>
  query
    .selectFrom('changes')
    .selectAll()
    .where('workspace_code', '=', argument('workspaceKey'))
    .where('seq', '<=', argument('seq'))
    .orderBy('seq', 'desc')
    .limit(sql.lit(1)),
);

/** The last row of a workspace up to number `seq`. */
export const newestUntil = (db: Db, workspaceKey: number, seq: number) =>
  db.one(rowUntil({ workspaceKey, seq }));

/** The newest row of all workspaces. */
export const newestOfAll = (db: Db) =>
  db.one(
    statement<ChangeRow>(
      `select changes.* from workspaces join changes on workspace_code = code
         and seq = (select max(seq) from changes where workspace_code = code)
       order by seq desc limit 1`,
      [],
    ),
  );

const rowsAfter = prepared<{ workspaceKey: number; seq: number; limit: number }, ChangeRow>((argument) =>
  query
    .selectFrom('changes')
    .selectAll()
    .where('workspace_code', '=', argument('workspaceKey'))
    .where('seq', '>', argument('seq'))
    .orderBy('seq')
    .limit(argument('limit')),
);

/** At most `limit` rows of a workspace that follow number `seq`, in order. */
export const changesAfter = (db: Db, workspaceKey: number, seq: number, limit: number): ChangeRow[] =>
  db.all(rowsAfter({ workspaceKey, seq, limit }));

/**
 * Deletes at most `most` of the oldest rows of a workspace, as far as they are from before `until`; the newest of those
 * stays, since clients that were up to date then follow on from it. A prefix goes, whatever the clock did meanwhile. Returns
 * how many.
 */
export const purgeChanges = (db: Db, workspaceKey: number, until: Instant, most: number): number =>
  db.run(
    statement(
      `delete from changes where workspace_code = ? and seq < (
         select max(seq) from changes where workspace_code = ? and seq < coalesce(
           (select seq from changes where workspace_code = ? and changed_at >= ? order by seq limit 1),
           (select max(seq) + 1 from changes where workspace_code = ?)))
       and seq <= (select max(seq) from (
         select seq from changes where workspace_code = ? order by seq limit ?))`,
      [workspaceKey, workspaceKey, workspaceKey, until, workspaceKey, workspaceKey, most],
    ),
  );

/** The workspaces whose second oldest row is from before `until`: nobody needs the oldest any more. */
export const keysOfOutdated = (db: Db, until: Instant): number[] =>
  db
    .all(
      statement<{ code: number }>(
        `select code from workspaces where
           (select changed_at from changes where workspace_code = code order by seq limit 1 offset 1) < ?`,
        [until],
      ),
    )
    .map(({ code }) => code);

/** Makes rows that name a person, whose account is deleted, tell of all members of their workspace instead. */
export const deleteMemberChanges = (db: Db, userId: string): void =>
  void db.run(
    statement(
      `update changes set op = 'refetch', fields = null,
         thing_id = (select id from workspaces where code = changes.workspace_code)
       where kind = 'member' and thing_id = ?`,
      [userId],
    ),
  );
