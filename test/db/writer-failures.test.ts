import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { openStorage } from '../../src/db/open.ts';
import type { Steps, Tx } from '../../src/db/tx.ts';
import { createWriter } from '../../src/db/writer.ts';
import {
  emptyDisk,
  failing,
  fillDisk,
  firstCommit,
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

describe('a transaction function that throws', () => {
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
    expect(await statusesOf(writes)).toEqual(['done', 'no', 'done', 'SqliteError', 'done']);
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
  /** One that is writing, until it ends that. */
  const anotherProcess = () => {
    storage.writing.pragma('busy_timeout = 0');
    const other = openStorage({ path: storage.path, create: false });
    other.writing.exec('begin immediate');
    const end = (how: 'commit' | 'rollback') => {
      other.writing.exec(how);
      other.close();
    };
    return { end };
  };

  it('at BEGIN rejects all with 503, runs none, and is forgotten once it is over', async () => {
    let runs = 0;
    const other = anotherProcess();
    const job = (tx: Tx) => {
      runs += 1;
      put(tx, `k${runs}`);
    };
    expect(await statusesOf([write(job), write(job)])).toEqual(Array(2).fill('ServiceUnavailableError'));
    expect(runs).toBe(0);
    other.end('rollback');
    await write(job);
    expect(keys()).toEqual(['k1']);
  });

  it('that is another process writing is waited for by timer: reads go on, and then the batch is done', async () => {
    const other = anotherProcess();
    const waiting = createWriter({ ...storage, busyTimeoutMs: 2_000 }, (reason) => lostEffects.push(reason));
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
    other.end('commit');
    expect(await done).toEqual(['done', 'done']);
    await steps;
    expect([keys(), runs, waiting.counts.commits]).toEqual([['a', 'b', 'steps'], 2, 2]);
    await waiting.idle();
  });

  it('that is another process writing for longer than two seconds rejects what is queued with 503', async () => {
    const other = anotherProcess();
    const waiting = createWriter({ ...storage, busyTimeoutMs: 2_000 }, (reason) => lostEffects.push(reason));
    const rejected = statusesOf([waiting.write((tx) => put(tx, 'a'))]);
    await firstCommit();
    takeTime(2_001);
    expect(await rejected).toEqual(['ServiceUnavailableError']);
    other.end('rollback');
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

  it('that is full in the midst of a transaction function rejects with 503, serves reads, and recovers without a restart', async () => {
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
