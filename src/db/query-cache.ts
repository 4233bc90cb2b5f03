import type SqliteDatabase from 'better-sqlite3';
import type { CompiledQuery } from 'kysely';
import type { Db } from './connection.ts';
import { type TableNames, tablesTouched } from './tables-touched.ts';

/** A response without a row counts as well. */
const MAX_ROWS = 10_000;
/** Five ids. What is asked for with more was not made by us, and may be of any length. */
const MAX_KEY_CHARACTERS = 200;

/** Rows that nearly every request asks for and hardly any changes: who may do what where, what a list is made of. */
export interface QueryCache {
  /** What `db` returns for `asked`, or returned since a table that this reads was last written. */
  cached<Row>(asked: CompiledQuery<Row>, db: Db): readonly Readonly<Row>[];
  /** A number that changes when another process has written. */
  versionByOthers(): number;
  /** Clears what another process may have changed; once in a turn of the event loop. */
  refresh(): void;
  /** To be told of each statement that writes, before it does: which tables. */
  onWrite(tables: TableNames): void;
  /** To be told that a transaction begins or is over. */
  onTransaction(): void;
}

/** The cached rows of one statement. */
interface CachedStatement {
  /** Undefined where it may read any: it is not cached then. */
  reads: TableNames;
  /** By its first parameter, then by the second, …: to make one text of all costs more than to look each of them up. */
  rows: RowsByParameter;
  /** What it has of `MAX_ROWS`. */
  size: number;
  /** Whether the transaction under way wrote what it reads, or may have: that is not cached. */
  isUncertain: boolean;
}

type RowsByParameter = Map<unknown, RowsByParameter | readonly unknown[]>;

/** The rows cached for these parameters; a statement has the same number each time. */
function rowsFor({ rows }: CachedStatement, parameters: readonly unknown[]): readonly unknown[] | undefined {
  let found = rows.get(parameters[0]);
  for (let i = 1; i < parameters.length && found !== undefined; i += 1)
    found = (found as RowsByParameter).get(parameters[i]);
  return found as readonly unknown[] | undefined;
}

function keepRows(
  { rows }: CachedStatement,
  parameters: readonly unknown[],
  found: readonly unknown[],
): void {
  let kept = rows;
  for (const parameter of parameters.slice(0, -1)) {
    const inner = kept.get(parameter) ?? new Map();
    kept.set(parameter, inner);
    kept = inner as RowsByParameter;
  }
  kept.set(parameters.at(-1), found);
}

const isLong = (parameters: readonly unknown[]): boolean =>
  parameters.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0) >
  MAX_KEY_CHARACTERS;

/** A handle that asks for its connection at each statement, and reads what is cached. */
export const handleOf = (cache: QueryCache, db: () => Db): Db => ({
  all: (statement) => db().all(statement),
  one: (statement) => db().one(statement),
  cached: (statement) => cache.cached(statement, db()),
  run: (statement) => db().run(statement),
  insert: (statement) => db().insert(statement),
  atOneMoment: (act) => {
    // What is cached then is of this moment or a later one.
    cache.refresh();
    return db().atOneMoment(act);
  },
});

/** The cache of one storage, over the connection that writes: it notices by that what other processes write. */
export function createQueryCache(writing: SqliteDatabase.Database): QueryCache {
  const version = writing.prepare<[], number>('pragma data_version').pluck();
  const statements = new Map<string, CachedStatement>();
  let size = 0;
  let knownVersion: number | undefined;
  let isFresh = false;
  /** What the transaction under way wrote: what is read there may be undone. */
  const written = new Set<string>();
  let hasWrittenAny = false;

  const clearStatement = (cached: CachedStatement) => {
    if (cached.size === 0) return;
    cached.rows.clear();
    size -= cached.size;
    cached.size = 0;
  };

  const distrust = (cached: CachedStatement) => {
    cached.isUncertain = true;
    clearStatement(cached);
  };

  const clear = () => statements.values().forEach(clearStatement);

  const refresh = () => {
    // It costs as much as a read.
    if (isFresh) return;
    const latest = version.get();
    if (latest !== knownVersion || size >= MAX_ROWS) clear();
    knownVersion = latest;
    isFresh = true;
    setImmediate(() => {
      isFresh = false;
    });
  };

  const statementOf = ({ sql, parameters }: CompiledQuery) => {
    const known = statements.get(sql);
    if (known) return known;
    const reads = tablesTouched(writing, sql, parameters, 'read');
    const isUncertain = hasWrittenAny || !reads?.isDisjointFrom(written);
    const made: CachedStatement = { reads, rows: new Map(), size: 0, isUncertain };
    statements.set(sql, made);
    return made;
  };

  return {
    versionByOthers: () => version.get() ?? 0,
    refresh,
    cached: <Row>(asked: CompiledQuery<Row>, db: Db) => {
      refresh();
      const cached = statementOf(asked);
      if (cached.isUncertain) return db.cached(asked);
      const known = rowsFor(cached, asked.parameters) as readonly Readonly<Row>[] | undefined;
      if (known) return known;
      const found = db.cached(asked);
      if (isLong(asked.parameters)) return found;
      keepRows(cached, asked.parameters, found);
      size += 1 + found.length;
      cached.size += 1 + found.length;
      return found;
    },
    onWrite: (tables) => {
      if (!tables) {
        hasWrittenAny = true;
        statements.values().forEach(distrust);
        return;
      }
      for (const table of tables) {
        if (written.has(table)) continue;
        written.add(table);
        for (const cached of statements.values()) if (cached.reads?.has(table)) distrust(cached);
      }
    },
    onTransaction: () => {
      isFresh = false;
      if (written.size === 0 && !hasWrittenAny) return;
      written.clear();
      hasWrittenAny = false;
      for (const cached of statements.values()) cached.isUncertain = !cached.reads;
    },
  };
}
