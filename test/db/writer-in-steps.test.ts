import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyLogOf } from '../../src/db/checkpoints.ts';
import { type Db, query, statement } from '../../src/db/connection.ts';
import { openStorage } from '../../src/db/open.ts';
import type { Steps, Tx } from '../../src/db/tx.ts';
import {
  emptyDisk,
  fillDisk,
  keys,
  LARGE,
  lostEffects,
  put,
  statusesOf,
  storage,
  takeTime,
  turn,
  useWriter,
  write,
  writer,
} from './one-writer.ts';

useWriter();

describe('a transaction function in steps', () => {
  /** Puts one key in each step, `k0` first. */
  function* putting(tx: Tx, steps: number): Steps<string> {
    for (let i = 0; i < steps; i += 1) {
      if (i > 0) yield;
      put(tx, `k${i}`);
    }
    return 'put';
  }
  /** What is left for the end, and fails there. */
  const bad = (db: Db) => {
    put(db, 'half');
    throw new Error('no end');
  };
  const putInSteps = (steps: number) => writer.writeInSteps((tx) => putting(tx, steps));

  it('is one commit, between whose steps readers find what was there before', async () => {
    await write((tx) => put(tx, 'before'));
    const seen: string[][] = [];
    const result = writer.writeInSteps(function* (tx) {
      for (let i = 0; i < 3; i += 1) {
        put(tx, `k${i}`);
        setImmediate(() => seen.push(keys()));
        yield;
      }
      return tx.all(query.selectFrom('meta').select('key')).length;
    });
    expect(await result).toBe(4);
    expect(seen).toEqual(Array(3).fill(['before']));
    expect(keys()).toEqual(['before', 'k0', 'k1', 'k2']);
    expect(writer.counts).toEqual({ commits: 2, jobs: 2 });
  });

  it('is alone in its transaction, and others come before or after it, in order', async () => {
    const order: string[] = [];
    const noting = (key: string) =>
      write((tx) => {
        order.push(`${key} finds ${tx.all(query.selectFrom('meta').select('key')).length}`);
        put(tx, key);
      });
    await Promise.all([noting('a'), noting('b'), putInSteps(5), noting('c'), putInSteps(0), noting('d')]);
    expect(order).toEqual(['a finds 0', 'b finds 1', 'c finds 7', 'd finds 8']);
    expect(writer.counts).toEqual({ commits: 5, jobs: 6 });
  });

  it('has a search index written out between its steps', async () => {
    storage.writing.exec('create virtual table words using fts5(text)');
    const seen: number[] = [];
    await writer.writeInSteps(function* (tx): Steps<void> {
      const look = () =>
        seen.push(tx.one(statement<{ n: number }>('select count(*) as n from words_data', []))?.n ?? 0);
      look();
      tx.run(statement('insert into words (text) values (?)', ['some words']));
      look();
      yield;
      look();
    });
    expect(seen).toEqual([2, 2, 3]);
  });

  it('leaves no trace when a step fails, and the next in the queue goes on', async () => {
    const failed = writer.writeInSteps(function* (tx): Steps<void> {
      yield* putting(tx, 2);
      yield;
      throw new Error('no');
    });
    const after = write((tx) => put(tx, 'after'));
    expect(await statusesOf([failed, after])).toEqual(['no', 'done']);
    expect(keys()).toEqual(['after']);
  });

  it('on a disk that is full in the midst of it is rejected with 503, and the next one is done', async () => {
    fillDisk();
    const full = writer.writeInSteps(function* (tx): Steps<void> {
      put(tx, 'a');
      yield;
      put(tx, 'b', LARGE);
    });
    expect(await statusesOf([full])).toEqual(['ServiceUnavailableError']);
    emptyDisk();
    expect(await putInSteps(2)).toBe('put');
    expect(keys()).toEqual(['k0', 'k1']);
  });

  it('that cannot be committed is rejected, and keeps nothing', async () => {
    const orphan = writer.writeInSteps(function* (tx): Steps<void> {
      put(tx, 'a');
      yield;
      tx.run(sql`insert into children values (1)`.compile(query));
    });
    expect(await statusesOf([orphan, write((tx) => put(tx, 'b'))])).toEqual(['SqliteError', 'done']);
    expect(keys()).toEqual(['b']);
  });

  it('is rejected where SQLite ends its transaction between two steps', async () => {
    for (const goesOn of [true, false]) {
      const lost = writer.writeInSteps(function* (tx): Steps<void> {
        put(tx, 'a');
        setImmediate(() => storage.writing.exec('rollback'));
        yield;
        yield;
        if (goesOn) put(tx, 'b');
      });
      expect(await statusesOf([lost])).toEqual(['ServiceUnavailableError']);
      expect(keys()).toEqual([]);
    }
  });

  it('has its effects run once it is on the disk, and what is left for the end done in its commit', async () => {
    const ran: string[] = [];
    const end = (db: Db, pages: number) => put(db, `pages ${pages}`);
    await writer.writeInSteps(function* (tx): Steps<void> {
      tx.afterCommit(() => ran.push(keys().join()));
      tx.beforeCommit(end, 1);
      yield;
      put(tx, 'a');
      tx.beforeCommit(end, 2);
    });
    expect([ran, keys()]).toEqual([['a,pages 3'], ['a', 'pages 3']]);
    await writer.writeInSteps(function* (tx): Steps<void> {
      put(tx, 'b');
      yield;
      tx.beforeCommit(bad, 1);
    });
    expect(keys()).toEqual(['a', 'b', 'pages 3']);
    expect(lostEffects).toEqual([new Error('no end')]);
  });

  it('has much that is left for the end done between its steps, in pieces, and what fails there undone', async () => {
    let done = 0;
    const end = (db: Db, pages: number) => {
      expect(pages).toBeLessThanOrEqual(64);
      done += pages;
      put(db, `pages ${done}`);
    };
    await writer.writeInSteps(function* (tx): Steps<void> {
      for (const [key, work, pages] of [
        ['a', end, 1_000],
        ['b', bad, 1_001],
        ['c', end, 1_002],
      ] as const) {
        put(tx, key);
        tx.beforeCommit(work, pages);
        yield;
      }
    });
    expect(keys()).toEqual(expect.arrayContaining(['a', 'b', 'c', 'pages 1000', 'pages 2002']));
    expect(keys()).not.toContain('half');
    expect(lostEffects).toEqual([new Error('no end')]);
  });

  it('has written each page once, and nearly all of them, before its commit', async () => {
    const { writing, path } = storage;
    const [rows, steps] = [40_000, 8];
    for (let i = 0; i < 60; i += 1) writing.exec(`create table t${i} (a text default '${'x'.repeat(300)}')`);
    writing.exec(`
      create table many (id integer primary key, part integer, note text);
      create index many_by_part on many (part);
      with recursive ids (id) as (select 1 union all select id + 1 from ids where id < ${rows})
        insert into many select id, id % ${steps}, '${'x'.repeat(400)}' from ids;
    `);
    expect(emptyLogOf(writing)).toBe(true);
    const log = () => readFileSync(`${path}-wal`);
    const exec = writing.exec.bind(writing);
    let before = Buffer.alloc(0);
    vi.spyOn(writing, 'exec').mockImplementation((text) => {
      if (text === 'commit') before = log();
      return exec(text);
    });
    await writer.writeInSteps(function* (tx): Steps<void> {
      for (let part = 0; part < steps; part += 1) {
        tx.run(statement('update many set part = part + 100, note = upper(note) where part = ?', [part]));
        yield;
      }
    });
    const after = log();
    expect(before.length).toBeGreaterThan(rows * 400);
    expect(after.length - before.length).toBeLessThan(before.length / 100);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
  });

  it('keeps the log from being emptied, and idle waits for it', async () => {
    const emptied: boolean[] = [];
    void writer.writeInSteps(function* (tx): Steps<void> {
      put(tx, 'a');
      setImmediate(() => emptied.push(emptyLogOf(storage.writing)));
      yield;
      yield;
    });
    await writer.idle();
    expect([emptied, keys(), emptyLogOf(storage.writing)]).toEqual([[false], ['a'], true]);
  });
});

describe('what waits to be written', () => {
  const ada = { userId: 'ada' };
  const bob = { userId: 'bob' };
  const order: string[] = [];
  beforeEach(() => {
    order.length = 0;
  });
  const noting = (key: string, from?: { userId: string; isGone?: () => boolean }) =>
    write(() => {
      order.push(key);
    }, from);
  /** A change in steps that takes its time. */
  const changing = (key: string, from: { userId: string; isGone?: () => boolean }, milliseconds = 40) =>
    writer.writeInSteps(function* (): Steps<void> {
      order.push(`${key} begins`);
      yield;
      takeTime(milliseconds);
      order.push(`${key} ends`);
    }, from);

  it('is taken from each user in turn, in order for each', async () => {
    const theirs = ['a1', 'a2', 'a3', 'a4'].map((key) => noting(key, ada));
    await Promise.all([...theirs, noting('b1', bob), noting('b2', bob), noting('n')]);
    expect(order).toEqual(['a1', 'b1', 'n', 'a2', 'b2', 'a3', 'a4']);
  });

  it('waits for one function in steps at most, however many there are', async () => {
    const users = Array.from({ length: 20 }, (_, i) => ({ userId: `u${i}` }));
    const changes = users.map((user, i) => changing(`c${i}`, user));
    while (!order.includes('c0 begins')) await turn();
    await Promise.all([noting('b1', bob), noting('b2', bob)]);
    expect(order).toEqual(['c0 begins', 'c0 ends', 'b1', 'b2']);
    for (let i = 0; i < 20; i += 1) {
      while (!order.includes(`c${i} ends`)) {
        takeTime();
        await turn();
      }
    }
    await Promise.all(changes);
    expect(order.filter((key) => key.endsWith('ends'))).toHaveLength(20);
  });

  it('lets functions in steps come as well, while there are always others', async () => {
    let isDone = false;
    const another = (): Promise<unknown> =>
      write(() => {
        takeTime();
      }, bob).then(() => (isDone ? undefined : another()));
    const others = [another(), another(), another()];
    await changing('c1', ada);
    await changing('c2', ada);
    isDone = true;
    await Promise.all(others);
    expect(order).toEqual(['c1 begins', 'c1 ends', 'c2 begins', 'c2 ends']);
  });

  it('leaves the database to other processes after a long function in steps, and the next one waits', async () => {
    await changing('c1', ada, 5_000);
    const next = changing('c2', ada);
    await noting('b', bob);
    for (let i = 0; i < 20; i += 1) await turn();
    expect(order).toEqual(['c1 begins', 'c1 ends', 'b']);
    const other = openStorage({ path: storage.path, create: false });
    other.writing.pragma('busy_timeout = 0');
    other.writing.exec(`insert into meta values ('theirs', 'x')`);
    other.close();
    takeTime(10_000);
    await noting('b', bob);
    await next;
    expect(keys()).toEqual(['theirs']);
  });

  it('is dropped when nobody waits for it any more', async () => {
    let isGone = false;
    const from = { userId: 'ada', isGone: () => isGone };
    const dropped = statusesOf([noting('a', from), changing('c', from)]);
    isGone = true;
    await noting('b', bob);
    expect(await dropped).toEqual(Array(2).fill('ServiceUnavailableError'));
    expect(order).toEqual(['b']);
    await writer.idle();
  });

  it('is bounded, for each user and in all: beyond it functions of users are rejected with 503', async () => {
    const rejectedOf = async (outcomes: Promise<string[]>) =>
      (await outcomes).filter((status) => status === 'ServiceUnavailableError').length;
    const jobs = (count: number, from?: { userId: string }) =>
      statusesOf(Array.from({ length: count }, () => write(() => 1, from)));
    const [one, another] = [jobs(1_600, ada), jobs(1_500, bob)];
    expect([await rejectedOf(one), await rejectedOf(another)]).toEqual([100, 0]);
    const all = ['u1', 'u2', 'u3', 'u4'].map((userId) => jobs(1_400, { userId }));
    const ours = jobs(10);
    expect(await Promise.all(all.map(rejectedOf))).toEqual([0, 0, 0, 600]);
    expect(await rejectedOf(ours)).toBe(0);
    expect(await jobs(1, ada)).toEqual(['done']);
  });
});
