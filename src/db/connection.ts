import type SqliteDatabase from 'better-sqlite3';
import {
  type Compilable,
  CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { errnoOf } from '../kernel/errors.ts';
import type { Tables } from '../storage/tables.ts';

const MAX_PREPARED = 1_000;

/** Few enough that a commit, and with it everyone who waits for one, is not held up. */
export const ROW_BATCH_SIZE = 500;

const FAILING_STORAGE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|BUSY|PROTOCOL|NOMEM|NOTADB|CORRUPT)/;

/** Whether it is SQLite saying that the disk or the file fails: no fault of what was asked of it. */
export const isOfFailingStorage = (error: unknown): boolean => FAILING_STORAGE.test(errnoOf(error));

/**
 * Where every statement starts. It only builds and compiles: statements are run by a `Db`, in place, so that
 * nothing can be awaited between two statements of a job.
 */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export type Query<Row> = Compilable<Row> | CompiledQuery<Row>;

const IN_SQL = CompiledQuery.raw('');

/** A statement in SQL itself, where that says it better than a builder; `?` for each parameter, and nowhere else. */
export const statement = <Row>(sql: string, parameters: readonly unknown[]): CompiledQuery<Row> => ({
  ...IN_SQL,
  sql,
  parameters,
});

/** Runs statements on one connection. */
export interface Db {
  all<Row>(statement: Query<Row>): Row[];
  one<Row>(statement: Query<Row>): Row | undefined;
  /** As `all`, perhaps from memory and frozen: for what nearly every request asks and hardly any changes. */
  cached<Row>(statement: CompiledQuery<Row>): readonly Readonly<Row>[];
  /** Returns the number of rows changed. */
  run(statement: Query<unknown>): number;
  /** Returns the rowid of the row inserted. */
  insert(statement: Query<unknown>): number;
}

/**
 * Compiles a statement once for all its uses: `build` gets a placeholder for each argument. For the statements of
 * nearly every request, where compiling costs as much as the query itself.
 */
export function prepared<Args extends object, Row>(
  build: (argument: <Name extends keyof Args>(name: Name) => Args[Name]) => Compilable<Row>,
): (args: Args) => CompiledQuery<Row> {
  // A placeholder stands where the value will: its type is the value's for the builder's sake only.
  const compiled = build((name) => new Placeholder(name) as never).compile();
  const names = compiled.parameters.map((value) => (value instanceof Placeholder ? value.name : undefined));
  return (args) => ({
    ...compiled,
    parameters: names.map((name, i) =>
      name === undefined ? compiled.parameters[i] : args[name as keyof Args],
    ),
  });
}

class Placeholder {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * A `Db` over an open connection, with its statements kept prepared: preparing costs more than most queries.
 * `beforeWrite` is called before each statement that is not a mere read. To `cached` is to ask again.
 */
export function connectionDb(
  sqlite: SqliteDatabase.Database,
  beforeWrite: (sql: string) => void = () => {},
): Db {
  const kept = new Map<string, SqliteDatabase.Statement>();

  const preparedOf = (sql: string) => {
    let found = kept.get(sql);
    if (!found) {
      found = sqlite.prepare(plannedOnce(sql));
      if (kept.size >= MAX_PREPARED) kept.delete(kept.keys().next().value ?? '');
      kept.set(sql, found);
    }
    if (!found.readonly) beforeWrite(sql);
    return found;
  };

  const all = <Row>(asked: Query<Row>) => {
    const { sql, parameters } = compiledOf(asked);
    return preparedOf(sql).all(...parameters) as Row[];
  };

  return {
    all,
    cached: (asked) => Object.freeze(all(asked).map((row) => Object.freeze(row))),
    one: <Row>(asked: Query<Row>) => {
      const { sql, parameters } = compiledOf(asked);
      return preparedOf(sql).get(...parameters) as Row | undefined;
    },
    run: (asked) => {
      const { sql, parameters } = compiledOf(asked);
      return preparedOf(sql).run(...parameters).changes;
    },
    insert: (asked) => {
      const { sql, parameters } = compiledOf(asked);
      return Number(preparedOf(sql).run(...parameters).lastInsertRowid);
    },
  };
}

/**
 * SQLite makes a statement's plan again for each value of a bare `?` that it looked at while planning an order, a join
 * or a limit, which costs more than most queries. An expression it does not look into.
 */
const plannedOnce = (sql: string): string => sql.replaceAll('?', '+?');

const compiledOf = <Row>(asked: Query<Row>): CompiledQuery<Row> =>
  'compile' in asked ? asked.compile() : asked;
