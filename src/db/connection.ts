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
import { once } from '../kernel/once.ts';
import type { Tables } from '../storage/tables.ts';
import { type TableNames, tablesTouched } from './tables-touched.ts';

const MAX_PREPARED = 1_000;

/** Few enough that a commit, and with it everyone who waits for one, is not held up. */
export const ROW_BATCH_SIZE = 500;

/**
 * Where every statement starts. It only builds and compiles: statements are run by a `Db`, in place, so that
 * nothing can be awaited between two statements of a transaction.
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

/** A statement in SQL itself, where that says it better than a builder; `?` for each parameter. */
export const statement = <Row>(sql: string, parameters: readonly unknown[]): CompiledQuery<Row> => ({
  ...IN_SQL,
  sql,
  parameters,
});

/** Runs statements on one connection. */
export interface Db {
  all<Row>(statement: Query<Row>): Row[];
  one<Row>(statement: Query<Row>): Row | undefined;
  /** As `all`, perhaps from the query cache and frozen: for what nearly every request asks and hardly any changes. */
  cached<Row>(statement: CompiledQuery<Row>): readonly Readonly<Row>[];
  /** Returns the number of rows changed. */
  run(statement: Query<unknown>): number;
  /** Returns the rowid of the row inserted. */
  insert(statement: Query<unknown>): number;
  /** Has all that `act` reads be of one moment, whatever other processes write; in a transaction it is anyway. */
  atOneMoment<T>(act: () => T): T;
}

/**
 * Compiles a statement once for all its uses: `build` gets a placeholder for each argument. For the statements of
 * nearly every request, where compiling costs as much as the query itself.
 */
export function prepared<Args extends object, Row>(
  build: (argument: <Name extends keyof Args>(name: Name) => Args[Name]) => Compilable<Row>,
): (args: Args) => CompiledQuery<Row> {
  // A placeholder stands where the value will: its type is the value's for the builder's sake only.
  const { sql, query, queryId, parameters } = build((name) => new Placeholder(name) as never).compile();
  const names = parameters.map((value) => (value instanceof Placeholder ? value.name : undefined));
  return (args) => {
    const values = parameters.slice();
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i];
      if (name !== undefined) values[i] = args[name as keyof Args];
    }
    return { sql, query, queryId, parameters: values };
  };
}

class Placeholder {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

interface PreparedStatement {
  statement: SqliteDatabase.Statement;
  /** Undefined for one that only reads. */
  writes: { tables: TableNames } | undefined;
  /** The tables that one reads which only reads. */
  read: () => TableNames;
}

/** Is told of each statement before it runs: which tables it may write, or reads if it only reads. */
export interface StatementWatch {
  beforeWrite(tables: TableNames): void;
  beforeRead(tables: () => TableNames): void;
}

/**
 * A `Db` over an open connection, with its statements kept prepared: preparing costs more than most queries. To `cached`
 * is to ask again.
 */
export function connectionDb(sqlite: SqliteDatabase.Database, watch?: StatementWatch): Db {
  const kept = new Map<string, PreparedStatement>();
  const begin = sqlite.prepare('begin');
  const commit = sqlite.prepare('commit');

  const prepare = (sql: string, parameters: readonly unknown[]): PreparedStatement => {
    const planned = plannedOnce(sql);
    const statement = sqlite.prepare(planned);
    const touched = (how: 'read' | 'written') => tablesTouched(sqlite, planned, parameters, how);
    const writes = watch && !statement.readonly ? { tables: touched('written') } : undefined;
    return { statement, writes, read: once(() => touched('read')) };
  };

  const preparedOf = ({ sql, parameters }: CompiledQuery<unknown>) => {
    let found = kept.get(sql);
    if (!found) {
      found = prepare(sql, parameters);
      if (kept.size >= MAX_PREPARED) kept.delete(kept.keys().next().value ?? '');
      kept.set(sql, found);
    }
    if (found.writes) watch?.beforeWrite(found.writes.tables);
    else watch?.beforeRead(found.read);
    return found.statement;
  };

  const all = <Row>(asked: Query<Row>) => {
    const compiled = compiledOf(asked);
    return preparedOf(compiled).all(...compiled.parameters) as Row[];
  };

  return {
    all,
    cached: (asked) => Object.freeze(all(asked).map((row) => Object.freeze(row))),
    one: <Row>(asked: Query<Row>) => {
      const compiled = compiledOf(asked);
      return preparedOf(compiled).get(...compiled.parameters) as Row | undefined;
    },
    run: (asked) => {
      const compiled = compiledOf(asked);
      return preparedOf(compiled).run(...compiled.parameters).changes;
    },
    insert: (asked) => {
      const compiled = compiledOf(asked);
      return Number(preparedOf(compiled).run(...compiled.parameters).lastInsertRowid);
    },
    atOneMoment: (act) => {
      if (sqlite.inTransaction) return act();
      begin.run();
      try {
        const result = act();
        commit.run();
        return result;
      } catch (error) {
        // SQLite may have ended it, where a read failed.
        if (sqlite.inTransaction) commit.run();
        throw error;
      }
    },
  };
}

/**
 * SQLite makes a statement's plan again for each value of a bare `?` that it looked at while planning an order, a join
 * or a limit, which costs more than most queries. An expression it does not look into. A `?` in a literal stays.
 */
const plannedOnce = (sql: string): string =>
  sql.replaceAll(/'[^']*'|"[^"]*"|\?/g, (found) => (found === '?' ? '+?' : found));

const compiledOf = <Row>(asked: Query<Row>): CompiledQuery<Row> =>
  'compile' in asked ? asked.compile() : asked;
