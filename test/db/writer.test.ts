import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyLogOf } from '../../src/db/checkpoints.ts';
import { type Db, prepared, query, statement } from '../../src/db/connection.ts';
import { openStorage, type Storage } from '../../src/db/open.ts';
import type { Steps, Tx } from '../../src/db/tx.ts';
import { createWriter, type Write, type Writer } from '../../src/db/writer.ts';

let folder: string;
let storage: Storage;
let writer: Writer;
let write: Write;
let lostEffects: unknown[];
let time = 0;

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  folder = mkdtempSync(join(tmpdir(), 'errand-writer-'));
  storage = openStorage({ path: join(folder, 'errand.db'), create: true });
  storage.writing.exec(`
    create table meta (key text primary key, value text not null) strict, without rowid;
    create table parents (id integer primary key) strict;
    create table children (parent integer references parents (id) deferrable initially deferred) strict;
  `);
  lostEffects = [];
  writer = createWriter(storage, (reason) => lostEffects.push(reason));
  write = writer.write;
});
afterEach(() => {
  vi.restoreAllMocks();
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (db: Db, key: string, value = 'x') => db.run(query.insertInto('meta').values({ key, value }));
const keys = () =>
  writer.read.all(query.selectFrom('meta').select('key').orderBy('key')).map(({ key }) => key);
const failing = (message: string) => (): never => {
  throw new Error(message);
};
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** One turn in which jobs were queued, and one more in which no other came. */
const firstCommit = () => turn().then(turn);
const statusesOf = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((outcome) =>
    outcome.status === 'fulfilled'
      ? 'done'
      : outcome.reason.name === 'Error'
        ? outcome.reason.message
        : outcome.reason.name,
  );
/** The writer's time stands still, however busy the machine, unless a job takes some. */
const takeTime = () => {
  time += 15;
};
/** Nothing larger than what is there now fits into the file any more. */
const fillDisk = () =>
  storage.writing.pragma(`max_page_count = ${storage.writing.pragma('page_count', { simple: true })}`);
const emptyDisk = () => storage.writing.pragma('max_page_count = 1000000');
const LARGE = 'x'.repeat(100_000);

describe('a batch', () => {
  it('runs its jobs in the order they were written, in one commit', async () => {
    const order: number[] = [];
    const writes = Array.from({ length: 50 }, (_, i) =>
      write((tx) => {
        order.push(i);
        return put(tx, `k${i}`);
      }),
    );
    expect(await Promise.all(writes)).toEqual(Array(50).fill(1));
    expect(order).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(writer.counts).toEqual({ commits: 1, jobs: 50 });
    expect(keys()).toHaveLength(50);
  });

  it('lets a job see what those before it wrote, and readers only what is committed', async () => {
    const first = write((tx) => put(tx, 'a'));
    const second = write((tx) => {
      const seen = tx.one(query.selectFrom('meta').select('key'))?.key;
      const committed = storage.reading.prepare('select count(*) from meta').pluck().get();
      return { seen, committed };
    });
    await first;
    expect(await second).toEqual({ seen: 'a', committed: 0 });
    expect(keys()).toEqual(['a']);
  });

  describe('ends with what its jobs left for the end', () => {
    const done: number[] = [];
    const note = (db: Db, pages: number) => {
      done.push(pages);
      put(db, `pages ${pages}`);
    };
    const leave = (key: string, pages: number) =>
      write((tx) => {
        tx.beforeCommit(note, pages);
        put(tx, key);
      });
    beforeEach(() => {
      done.length = 0;
    });

    it('once for all that are done, in the same commit', async () => {
      expect(await statusesOf([leave('a', 1), leave('b', 2), leave('b', 4)])).toEqual([
        'done',
        'done',
        'SqliteError',
      ]);
      expect(done).toEqual([3]);
      expect(keys()).toEqual(['a', 'b', 'pages 3']);
      expect(writer.counts.commits).toBe(1);
      await write((tx) => put(tx, 'd'));
      expect(done).toEqual([3]);
    });

    it('and is on the disk without it, should it fail', async () => {
      await leave('a', 1);
      await Promise.all([leave('b', 1), write((tx) => put(tx, 'c'))]);
      expect(keys()).toEqual(['a', 'b', 'c', 'pages 1']);
      expect(lostEffects).toEqual([expect.objectContaining({ code: expect.stringContaining('CONSTRAINT') })]);
    });

    it('and with fewer jobs when that is much', async () => {
      await Promise.all(['a', 'b', 'c', 'd'].map((key, i) => leave(key, 200 + i)));
      expect(done).toEqual([401, 405]);
      expect(writer.counts).toEqual({ commits: 2, jobs: 4 });
    });
  });

  it('takes in the jobs of the next turns as well, for as long as each brings some', async () => {
    const writes = [write((tx) => put(tx, 'a'))];
    await turn();
    writes.push(write((tx) => put(tx, 'b')));
    await turn();
    writes.push(write((tx) => put(tx, 'c')));
    await Promise.all(writes);
    expect(writer.counts).toEqual({ commits: 1, jobs: 3 });
  });

  it('is bounded in jobs, and gives the event loop a turn after each', async () => {
    const writes = Array.from({ length: 1_000 }, (_, i) => write((tx) => put(tx, `k${i}`)));
    await turn();
    expect(writer.counts.commits).toBe(1);
    expect(writer.counts.jobs).toBeLessThanOrEqual(256);
    await Promise.all(writes);
    expect(writer.counts.commits).toBeGreaterThanOrEqual(4);
  });

  it('is bounded in milliseconds, and gives the event loop a turn after each', async () => {
    const writes = ['a', 'b', 'c'].map((key) =>
      write((tx) => {
        takeTime();
        put(tx, key);
      }),
    );
    await firstCommit();
    expect(writer.counts).toEqual({ commits: 1, jobs: 1 });
    await Promise.all(writes);
    expect(writer.counts).toEqual({ commits: 3, jobs: 3 });
  });

  it('waits for what the one before it has to wait for, while responses and reads go on', async () => {
    const log = Promise.withResolvers<void>();
    const held = createWriter(
      storage,
      () => {},
      () => log.promise,
    );
    await held.write((tx) => put(tx, 'first'));
    const second = held.write((tx) => put(tx, 'second'));
    const idle = held.idle();
    for (let i = 0; i < 10; i += 1) await turn();
    expect([keys(), held.counts.commits]).toEqual([['first'], 1]);
    log.resolve();
    await Promise.all([second, idle]);
    expect(keys()).toEqual(['first', 'second']);
  });

  it('is bounded in milliseconds when it has to be run again too', async () => {
    let runs = 0;
    const bad = write((tx) => {
      put(tx, 'bad');
      return failing('no')();
    });
    const slow = Array.from({ length: 5 }, () =>
      write(() => {
        runs += 1;
        takeTime();
      }),
    );
    const settled = statusesOf([bad, ...slow]);
    await firstCommit();
    expect(runs).toBeLessThanOrEqual(2);
    expect(await settled).toEqual(['no', ...Array(5).fill('done')]);
  });
});

describe('a job that throws', () => {
  it('leaves no trace after it wrote, while the others of its batch commit', async () => {
    const writes = [
      write((tx) => put(tx, 'a')),
      write((tx) => {
        put(tx, 'b');
        tx.run(query.deleteFrom('meta').where('key', '=', 'a'));
        return failing('no')();
      }),
      write((tx) => put(tx, 'c')),
      write((tx) => {
        put(tx, 'd');
        return put(tx, 'a');
      }),
      write((tx) => put(tx, 'e')),
    ];
    expect(await statusesOf(writes)).toEqual(
      ['done', 'no', 'done', 'UNIQUE constraint failed: meta.key', 'done'].map((name) =>
        name.startsWith('UNIQUE') ? 'SqliteError' : name,
      ),
    );
    expect(keys()).toEqual(['a', 'c', 'e']);
  });

  it('costs no second run before it wrote', async () => {
    let runs = 0;
    const writes = [
      write((tx) => {
        runs += 1;
        put(tx, 'a');
      }),
      write((tx) => {
        tx.all(query.selectFrom('meta').selectAll());
        return failing('no')();
      }),
      write((tx) => put(tx, 'b')),
    ];
    expect(await statusesOf(writes)).toEqual(['done', 'no', 'done']);
    expect(runs).toBe(1);
    expect(writer.counts.commits).toBe(1);
  });

  it('is rejected with the very thing it threw, be it undefined', async () => {
    const writes = [undefined, null, 'text', new TypeError('own')].map((thrown) => ({
      thrown,
      written: write((tx) => {
        put(tx, 'a');
        throw thrown;
      }),
    }));
    for (const { thrown, written } of writes) await expect(written).rejects.toBe(thrown);
    expect(keys()).toEqual([]);
  });
});

describe('a failing disk', () => {
  it('at BEGIN rejects all with 503, runs none, and is forgotten once it is over', async () => {
    let runs = 0;
    const other = openStorage({ path: storage.path, create: false });
    other.writing.exec('begin immediate');
    storage.writing.pragma('busy_timeout = 0');
    const job = (tx: Tx) => {
      runs += 1;
      put(tx, `k${runs}`);
    };
    expect(await statusesOf([write(job), write(job)])).toEqual(Array(2).fill('ServiceUnavailableError'));
    expect(runs).toBe(0);
    other.writing.exec('rollback');
    other.close();
    await write(job);
    expect(keys()).toEqual(['k1']);
  });

  it('that is another process writing is waited for by timer: reads go on, and then the batch is done', async () => {
    storage.writing.pragma('busy_timeout = 0');
    const waiting = createWriter({ ...storage, patienceMs: 2_000 }, (reason) => lostEffects.push(reason));
    const other = openStorage({ path: storage.path, create: false });
    other.writing.exec('begin immediate');
    let runs = 0;
    const job = (key: string) => (tx: Tx) => {
      runs += 1;
      put(tx, key);
    };
    const steps = waiting.writeInSteps(function* (tx): Steps<void> {
      put(tx, 'steps');
      yield;
    });
    const done = statusesOf([waiting.write(job('a')), waiting.write(job('b'))]);
    let reads = 0;
    for (let i = 0; i < 50; i += 1) {
      await turn();
      reads += waiting.read.all(query.selectFrom('meta').select('key')).length === 0 ? 1 : 0;
    }
    expect([reads, runs]).toEqual([50, 0]);
    other.writing.exec('commit');
    other.close();
    expect(await done).toEqual(['done', 'done']);
    await steps;
    expect([keys(), runs, waiting.counts.commits]).toEqual([['a', 'b', 'steps'], 2, 2]);
    await waiting.idle();
  });

  it('that is another process writing for longer than two seconds rejects what is queued with 503', async () => {
    storage.writing.pragma('busy_timeout = 0');
    const waiting = createWriter({ ...storage, patienceMs: 2_000 }, (reason) => lostEffects.push(reason));
    const other = openStorage({ path: storage.path, create: false });
    other.writing.exec('begin immediate');
    const rejected = statusesOf([waiting.write((tx) => put(tx, 'a'))]);
    await firstCommit();
    time += 2_001;
    expect(await rejected).toEqual(['ServiceUnavailableError']);
    other.writing.exec('rollback');
    other.close();
    await waiting.write((tx) => put(tx, 'b'));
    expect(keys()).toEqual(['b']);
  });

  it('at COMMIT rejects all, keeps nothing of them, and the next batch is done', async () => {
    const writes = [
      write((tx) => put(tx, 'a')),
      write((tx) => tx.run(sql`insert into children (parent) values (7)`.compile(query))),
    ];
    expect(await statusesOf(writes)).toEqual(['SqliteError', 'SqliteError']);
    expect(storage.writing.inTransaction).toBe(false);
    expect(keys()).toEqual([]);
    await write((tx) => put(tx, 'b'));
    expect(keys()).toEqual(['b']);
  });

  it('that is full in the midst of a job rejects with 503, serves reads, and recovers without a restart', async () => {
    await write((tx) => put(tx, 'before'));
    fillDisk();
    const writes = [
      write((tx) => put(tx, 'a')),
      write((tx) => put(tx, 'b', LARGE)),
      write((tx) => put(tx, 'c', LARGE)),
    ];
    const [, ...large] = await statusesOf(writes);
    expect(large).toEqual(Array(2).fill('ServiceUnavailableError'));
    expect(storage.writing.inTransaction).toBe(false);
    expect(keys().filter((key) => key !== 'a')).toEqual(['before']);
    emptyDisk();
    await write((tx) => put(tx, 'd', LARGE));
    expect(keys()).toContain('d');
    expect(storage.writing.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('that makes SQLite end the transaction by itself commits nothing of that batch, even of a job that went on', async () => {
    const goesOn = write((tx) => {
      put(tx, 'a');
      // What SQLite does by itself on some failures of the disk.
      storage.writing.exec('rollback');
      put(tx, 'b');
    });
    const mate = write((tx) => put(tx, 'c'));
    expect((await statusesOf([goesOn, mate]))[0]).toBe('ServiceUnavailableError');
    expect(keys().filter((key) => key !== 'c')).toEqual([]);
    await write((tx) => put(tx, 'd'));
    expect(keys()).toContain('d');
  });

  it('never leaves a promise open, whatever happens to the connection', async () => {
    const lost = write(() => 1);
    storage.writing.close();
    expect(await statusesOf([lost, write(() => 2)])).toEqual(Array(2).fill(expect.any(String)));
    await writer.idle();
  });
});

describe('a job in steps', () => {
  /** Puts one key in each step, `k0` first. */
  function* putting(tx: Tx, steps: number): Steps<string> {
    for (let i = 0; i < steps; i += 1) {
      if (i > 0) yield;
      put(tx, `k${i}`);
    }
    return 'put';
  }
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
    const bad = (db: Db) => {
      put(db, 'half');
      throw new Error('no end');
    };
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

  it('has much that is left for the end done between its steps, and what fails there undone', async () => {
    const end = (db: Db, pages: number) => put(db, `pages ${pages}`);
    const bad = (db: Db) => {
      put(db, 'half');
      throw new Error('no end');
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
    expect(keys()).toEqual(['a', 'b', 'c', 'pages 1000', 'pages 1002']);
    expect(lostEffects).toEqual([new Error('no end')]);
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
      time += milliseconds;
      order.push(`${key} ends`);
    }, from);

  it('is taken from each user in turn, in order for each', async () => {
    const theirs = ['a1', 'a2', 'a3', 'a4'].map((key) => noting(key, ada));
    await Promise.all([...theirs, noting('b1', bob), noting('b2', bob), noting('n')]);
    expect(order).toEqual(['a1', 'b1', 'n', 'a2', 'b2', 'a3', 'a4']);
  });

  it('waits for one job in steps at most, however many there are', async () => {
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

  it('lets jobs in steps come as well, while there are always others', async () => {
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

  it('leaves the database to other processes after a long job in steps, and the next one waits', async () => {
    await changing('c1', ada, 5_000);
    const next = changing('c2', ada);
    await noting('b', bob);
    for (let i = 0; i < 20; i += 1) await turn();
    expect(order).toEqual(['c1 begins', 'c1 ends', 'b']);
    const other = openStorage({ path: storage.path, create: false });
    other.writing.pragma('busy_timeout = 0');
    other.writing.exec(`insert into meta values ('theirs', 'x')`);
    other.close();
    time += 10_000;
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

  it('is bounded, for each user and in all: beyond it jobs of users are rejected with 503', async () => {
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

describe('the handle of a job', () => {
  it('is dead once a job in steps is over, and lives between its steps', async () => {
    const handles: Tx[] = [];
    await writer.writeInSteps(function* (tx): Steps<void> {
      handles.push(tx);
      put(tx, 'a');
      yield;
      put(tx, 'b');
    });
    expect(() => handles.map((tx) => put(tx, 'late'))).toThrow('after it had returned');
    expect(keys()).toEqual(['a', 'b']);
  });

  it('is dead once the job has returned, failed or been run again', async () => {
    const handles: Tx[] = [];
    const keep = (tx: Tx) => {
      handles.push(tx);
      put(tx, 'a');
    };
    await statusesOf([
      write(keep),
      write((tx) => {
        keep(tx);
        failing('no')();
      }),
    ]);
    expect(handles.length).toBeGreaterThan(2);
    const all = query.selectFrom('meta').selectAll();
    for (const tx of handles) {
      expect(() => put(tx, 'late')).toThrow('after it had returned');
      expect(() => tx.one(all)).toThrow('after it had returned');
      expect(() => tx.all(all)).toThrow('after it had returned');
      expect(() => tx.afterCommit(() => {})).toThrow('after it had returned');
    }
    await write(() => expect(() => handles.map((tx) => put(tx, 'late'))).toThrow('after it had returned'));
    expect(keys()).toEqual(['a']);
  });

  it('is the only one: reading or writing past it inside the job fails the job', async () => {
    const outerRead = write((tx) => {
      put(tx, 'a');
      return writer.read.one(query.selectFrom('meta').select('key'))?.key;
    });
    const outerWrite = write((tx) => {
      put(tx, 'b');
      void write(() => undefined);
    });
    expect(await statusesOf([outerRead, outerWrite])).toEqual([
      expect.stringContaining('own handle'),
      expect.stringContaining('own handle'),
    ]);
    expect(keys()).toEqual([]);
  });

  it('cannot be awaited with: a transaction function that returns a promise does not compile', () => {
    const never = () => {
      // @ts-expect-error nothing may be awaited inside a job
      void write(async (tx) => put(tx, 'a'));
      // @ts-expect-error nor may a promise be passed on
      void write(() => Promise.resolve(1));
    };
    expect(never).toBeTypeOf('function');
  });

  it('of the outer connection takes no writes', () => {
    expect(() => put(writer.read, 'a')).toThrow('readonly');
  });
});

describe('afterCommit', () => {
  it('runs once, when the effect is to be read, in the order asked; never for what was not committed', async () => {
    const ran: string[] = [];
    const noted = (key: string) => (tx: Tx) => {
      put(tx, key);
      tx.afterCommit(() => ran.push(`${key} is there: ${keys().includes(key)}`));
      tx.afterCommit(() => ran.push(`${key} again`));
    };
    await statusesOf([
      write(noted('a')),
      write((tx) => {
        noted('b')(tx);
        failing('no')();
      }),
      write(noted('c')),
    ]);
    expect(ran).toEqual(['a is there: true', 'a again', 'c is there: true', 'c again']);
    expect(lostEffects).toEqual([]);
  });

  it('that throws is told of, and takes neither other effects nor responses with it', async () => {
    const ran: string[] = [];
    const writes = ['a', 'b'].map((key) =>
      write((tx) => {
        put(tx, key);
        tx.afterCommit(failing(`no ${key}`));
        tx.afterCommit(() => ran.push(key));
        return key;
      }),
    );
    expect(await Promise.all(writes)).toEqual(['a', 'b']);
    expect(ran).toEqual(['a', 'b']);
    expect(lostEffects).toEqual([new Error('no a'), new Error('no b')]);
  });

  it('may write again, and idle waits for that too', async () => {
    const order: string[] = [];
    void write((tx) => {
      put(tx, 'a');
      tx.afterCommit(() => {
        void write((inner) => {
          put(inner, 'b');
          inner.afterCommit(() => order.push('b is on the disk'));
        });
      });
    });
    await writer.idle();
    order.push('idle');
    expect(order).toEqual(['b is on the disk', 'idle']);
    expect(keys()).toEqual(['a', 'b']);
  });
});

describe('idle', () => {
  it('resolves at once when there is nothing to do, and for all who wait when the last job is done', async () => {
    await writer.idle();
    let done = 0;
    for (let i = 0; i < 600; i++) void write((tx) => put(tx, `k${i}`)).then(() => (done += 1));
    await Promise.all([writer.idle(), writer.idle()]);
    expect(keys()).toHaveLength(600);
    await turn();
    expect(done).toBe(600);
  });

  it('resolves after a failing batch too', async () => {
    storage.writing.close();
    const lost = statusesOf([write(() => 1)]);
    await writer.idle();
    expect(await lost).toHaveLength(1);
  });
});

describe('a statement', () => {
  it('is of one moment with others, whatever another connection commits between them', () => {
    const count = () => keys().length;
    const before = count();
    const seen = writer.read.atOneMoment(() => {
      const first = count();
      storage.writing.exec("insert into meta (key, value) values ('between', '')");
      return [first, count()];
    });
    expect(seen).toEqual([before, before]);
    expect(count()).toBe(before + 1);
    expect(() => writer.read.atOneMoment(() => writer.read.one(statement('select nothing', [])))).toThrow(
      'nothing',
    );
    expect(storage.reading.inTransaction).toBe(false);
  });

  it('compiled once takes its arguments by name, on each call, next to values that never change', async () => {
    const upsert = prepared<{ key: string; value: string }, { key: string; value: string }>((argument) =>
      query
        .insertInto('meta')
        .values({ value: argument('value'), key: argument('key') })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({ value: sql<string>`${argument('value')} || ${'!'}` }),
        )
        .returningAll(),
    );
    expect(await write((tx) => tx.one(upsert({ key: 'a', value: '1' })))).toEqual({ key: 'a', value: '1' });
    expect(await write((tx) => tx.one(upsert({ value: '2', key: 'a' })))).toEqual({ key: 'a', value: '2!' });
  });

  it('stays usable past the number of statements kept, and after the schema has changed', async () => {
    await write((tx) => put(tx, 'a'));
    const row = query.selectFrom('meta').selectAll();
    expect(writer.read.one(row)).toEqual({ key: 'a', value: 'x' });
    for (let i = 0; i < 1_100; i++) writer.read.one(sql`select ${sql.lit(i)}`.compile(query));
    storage.writing.exec('alter table meta add column more text');
    expect(writer.read.one(row)).toEqual({ key: 'a', value: 'x', more: null });
  });
});
