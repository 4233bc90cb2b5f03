import { beforeEach, describe, expect, it } from 'vitest';
import { type Db, statement } from '../../src/db/connection.ts';
import type { Sums } from '../../src/db/pending-sums.ts';
import type { Tx } from '../../src/db/tx.ts';
import {
  failing,
  firstCommit,
  keys,
  put,
  statusesOf,
  storage,
  useWriter,
  write,
  writer,
} from './one-writer.ts';

useWriter();

let statements = 0;
const SUMS: Sums = {
  tables: new Set(['sums']),
  add: (key, added) => {
    statements += 1;
    return statement(
      'insert into sums (name, n) values (?, ?) on conflict do update set n = n + excluded.n',
      [...key, ...added],
    );
  },
};
beforeEach(() => {
  statements = 0;
  storage.writing.exec(`
    create table sums (name text primary key, n integer not null) strict, without rowid;
    create trigger reset after insert on parents begin update sums set n = 0; end;
  `);
});

const add = (tx: Tx, name: string, n = 1) => tx.addUp(SUMS, [name], [n]);
const sumsOf = (db: Db) =>
  Object.fromEntries(
    db.all(statement<{ name: string; n: number }>('select * from sums', [])).map(({ name, n }) => [name, n]),
  );

describe('what is added to sums', () => {
  it('is written once for all functions of a commit', async () => {
    await Promise.all([1, 2, 3].map((n) => write((tx) => add(tx, n === 3 ? 'b' : 'a', n))));
    expect([sumsOf(writer.read), statements, writer.counts.commits]).toEqual([{ a: 3, b: 3 }, 2, 1]);
  });

  it('is there for whoever reads the table in the same commit, and for triggers that write it', async () => {
    const first = write((tx) => add(tx, 'a', 2));
    const seen = write((tx) => {
      add(tx, 'a');
      return sumsOf(tx);
    });
    const reset = write((tx) => {
      tx.run(statement('insert into parents default values', []));
      add(tx, 'a');
      return sumsOf(tx);
    });
    await first;
    expect([await seen, await reset, sumsOf(writer.read)]).toEqual([{ a: 3 }, { a: 1 }, { a: 1 }]);
  });

  it('is there for who asks the query cache, which knew the table before', async () => {
    const cached = (tx: Db) => tx.cached(statement('select * from sums', []));
    await write((tx) => {
      expect(cached(tx)).toEqual([]);
      add(tx, 'a');
      expect(cached(tx)).toEqual([{ name: 'a', n: 1 }]);
    });
    expect(cached(writer.read)).toEqual([{ name: 'a', n: 1 }]);
  });

  it('stays in memory while other tables are read and written', async () => {
    await write((tx) => {
      add(tx, 'a');
      put(tx, 'k');
      tx.all(statement('select * from meta', []));
      expect(statements).toBe(0);
    });
    expect(sumsOf(writer.read)).toEqual({ a: 1 });
  });

  it('is undone with the function that failed, and only with that', async () => {
    const all = [
      write((tx) => add(tx, 'a')),
      write((tx) => {
        add(tx, 'a', 10);
        failing('no')();
      }),
      write((tx) => add(tx, 'a', 100)),
    ];
    expect(await statusesOf(all)).toEqual(['done', 'no', 'done']);
    expect(sumsOf(writer.read)).toEqual({ a: 101 });
  });

  it('is undone with the part of a function that was rolled back, and only with that', async () => {
    await write((tx) => {
      add(tx, 'a');
      const outer = tx.savepoint();
      add(tx, 'a', 10);
      const inner = tx.savepoint();
      add(tx, 'a', 100);
      inner.release();
      add(tx, 'a', 1_000);
      outer.rollBack();
      const last = tx.savepoint();
      add(tx, 'a', 10_000);
      last.release();
    });
    expect(sumsOf(writer.read)).toEqual({ a: 10_001 });
  });

  it('is undone with a function that fails and leaves a part of itself open', async () => {
    const failed = write((tx) => {
      put(tx, 'k');
      add(tx, 'a');
      tx.savepoint();
      put(tx, 'l');
      failing('no')();
    });
    expect(await statusesOf([failed, write((tx) => add(tx, 'a', 10))])).toEqual(['no', 'done']);
    expect([sumsOf(writer.read), keys()]).toEqual([{ a: 10 }, []]);
  });

  it('is undone with a transaction that fails, and kept out of the next one', async () => {
    const lost = writer.writeInSteps(function* (tx) {
      add(tx, 'a');
      yield;
      failing('no')();
    });
    expect(await statusesOf([lost])).toEqual(['no']);
    await write((tx) => add(tx, 'a', 10));
    expect(sumsOf(writer.read)).toEqual({ a: 10 });
  });

  it('outlives a hook of its commit that fails after it has read the table', async () => {
    const hook = (db: Db) => {
      sumsOf(db);
      put(db, 'k');
      throw new Error('no');
    };
    const inSteps = writer.writeInSteps(function* (tx) {
      add(tx, 'a');
      tx.beforeCommit(hook, 1);
      yield;
      add(tx, 'a', 10);
    });
    const together = write((tx) => {
      add(tx, 'b');
      tx.beforeCommit(hook, 1);
    });
    await firstCommit();
    expect(await statusesOf([inSteps, together])).toEqual(['done', 'done']);
    expect(sumsOf(writer.read)).toEqual({ a: 11, b: 1 });
  });
});
