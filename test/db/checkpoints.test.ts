import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkpoints, createCheckpoints, logOf } from '../../src/db/checkpoints.ts';
import { folder, storage, useFile } from './one-file.ts';

const MEGABYTE = 1024 * 1024;

let checkpoints: Checkpoints;
let failures: unknown[];
let fallbacks: unknown[];

useFile();
beforeEach(() => {
  storage.writing.exec('create table notes (id integer primary key, text)');
  failures = [];
  fallbacks = [];
});
afterEach(() => checkpoints.stop());

const begin = (of = storage) => {
  checkpoints = createCheckpoints(of, {
    onFallback: (reason) => fallbacks.push(reason),
    onFailure: (reason) => failures.push(reason),
  });
};
/** One commit of `megabytes`. */
const write = (megabytes: number) => {
  storage.writing.prepare('insert into notes (text) values (zeroblob(?))').run(megabytes * MEGABYTE);
  return checkpoints.consider();
};
const read = () => {
  storage.reading.exec('begin');
  storage.reading.prepare('select count(*) from notes').get();
};
const megabytesOf = (end: '' | '-wal') => statSync(storage.path + end).size / MEGABYTE;

describe('a long log', () => {
  it('is copied into the file while the writer goes on, and restarts', async () => {
    begin();
    write(40);
    // Nothing of it was copied in place: the thread has yet to start.
    expect(megabytesOf('')).toBeLessThan(1);
    write(0.5);
    await checkpoints.stop();
    expect(logOf(storage.writing).left).toBe(0);
    expect(megabytesOf('')).toBeGreaterThan(40);
    const before = megabytesOf('-wal');
    write(30);
    expect(megabytesOf('-wal')).toBeLessThanOrEqual(before);
    expect(storage.writing.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(failures).toEqual([]);
  });

  it('is left as it is while it is short', async () => {
    begin();
    write(20);
    await checkpoints.stop();
    expect(megabytesOf('')).toBeLessThan(1);
  });

  it('keeps what someone still reads from it, and goes on afterwards', async () => {
    begin();
    write(1);
    read();
    write(40);
    await checkpoints.stop();
    expect(logOf(storage.writing).left).toBeGreaterThan(10_000);
    storage.reading.exec('commit');
    write(40);
    await checkpoints.stop();
    expect(logOf(storage.writing).left).toBe(0);
  });

  it('is copied, and looked at, in the midst of a transaction that lasts for long', async () => {
    begin();
    write(40);
    storage.writing.exec('begin immediate');
    storage.writing.exec('insert into notes (text) values (1)');
    await checkpoints.idle();
    storage.writing.exec('commit');
    expect(failures).toEqual([]);
    write(40);
    await checkpoints.stop();
    expect(logOf(storage.writing).left).toBe(0);
  });

  it('has writers wait for its end once it has grown too long, and restarts with the next of them', async () => {
    begin();
    write(1);
    read();
    expect(write(60)).toBeUndefined();
    await checkpoints.idle();
    storage.reading.exec('commit');
    const end = write(1);
    expect(end).toBeInstanceOf(Promise);
    await end;
    expect(logOf(storage.writing).left).toBe(0);
    expect(write(1)).toBeUndefined();
    expect(logOf(storage.writing).pages).toBeLessThan(300);
    expect(failures).toEqual([]);
  });

  it('restarts under long transactions too that follow each other without a pause', async () => {
    begin();
    for (let i = 0; i < 12; i += 1) {
      storage.writing.exec('begin immediate');
      storage.writing.prepare('insert into notes (text) values (zeroblob(?))').run(30 * MEGABYTE);
      // A copy begun at the commit before ends within this transaction, with nothing left to be copied.
      await checkpoints.idle();
      storage.writing.exec('commit');
      await checkpoints.consider();
    }
    await checkpoints.stop();
    expect(megabytesOf('-wal')).toBeLessThan(150);
    expect(failures).toEqual([]);
  });

  it('has writers wait once only for someone who reads from it for long', async () => {
    begin();
    write(1);
    read();
    write(60);
    await checkpoints.idle();
    await write(1);
    expect(logOf(storage.writing).left).toBeGreaterThan(10_000);
    expect(write(1)).toBeUndefined();
    storage.reading.exec('commit');
  });

  it('is copied no more once that failed, and the owner of the process is told', async () => {
    begin();
    write(40);
    await checkpoints.idle();
    write(40);
    truncateSync(`${storage.path}-wal`, 0);
    await checkpoints.idle();
    expect([failures, fallbacks]).toEqual([
      [expect.objectContaining({ code: expect.stringMatching(/^SQLITE_IOERR/) })],
      [],
    ]);
    expect([checkpoints.consider(), await checkpoints.empty()]).toEqual([undefined, false]);
  });

  it('is emptied by the thread, and not while someone reads from it or writes', async () => {
    begin();
    write(1);
    read();
    expect([await checkpoints.empty(), megabytesOf('-wal') > 1]).toEqual([false, true]);
    storage.reading.exec('commit');
    storage.writing.exec('begin immediate');
    expect(await checkpoints.empty()).toBe(false);
    storage.writing.exec('commit');
    expect([await checkpoints.empty(), megabytesOf('-wal')]).toEqual([true, 0]);
    expect(megabytesOf('')).toBeGreaterThan(1);
  });

  it('is checkpointed after commits, and says why, should the thread not start', async () => {
    begin({ ...storage, path: join(folder, 'missing.db') });
    const changed = checkpoints.runAfterCommit('delete from notes');
    await write(0);
    expect(await changed).toBeUndefined();
    write(40);
    await checkpoints.stop();
    expect([failures, fallbacks]).toEqual([[], [expect.objectContaining({ code: 'SQLITE_CANTOPEN' })]]);
    write(20);
    expect(logOf(storage.writing).left).toBe(0);
  });
});

describe('a statement for the thread', () => {
  const texts = () => storage.reading.prepare<[], number>('select count(*) from notes').pluck().get();

  it('runs after the next commit, and after a copy that is under way; the commit after that waits for it', async () => {
    begin();
    write(40);
    const changed = checkpoints.runAfterCommit('delete from notes');
    await checkpoints.idle();
    expect(texts()).toBe(1);
    const end = write(1);
    expect(end).toBeInstanceOf(Promise);
    await end;
    expect([await changed, texts(), write(1)]).toEqual([2, 0, undefined]);
    expect(failures).toEqual([]);
  });

  it('runs after another one that waits for the same commit', async () => {
    begin();
    const changed = ['insert into notes (text) values (1), (2)', 'delete from notes where text = 1'].map(
      checkpoints.runAfterCommit,
    );
    await checkpoints.consider();
    expect(await Promise.all(changed)).toEqual([2, 1]);
  });

  it('leaves a log that is copied and restarts, however much such statements write', async () => {
    begin();
    for (let i = 0; i < 24; i += 1) {
      await checkpoints.idle();
      const changed = checkpoints.runAfterCommit(
        `insert into notes (text) values (zeroblob(${5 * MEGABYTE}))`,
      );
      await checkpoints.consider();
      expect(await changed).toBe(1);
    }
    expect(megabytesOf('-wal')).toBeLessThan(60);
  });

  it('is left to others where another process writes, or it fails', async () => {
    begin();
    storage.writing.exec('begin immediate');
    for (const sql of ['delete from notes', 'delete from nothing']) {
      const changed = checkpoints.runAfterCommit(sql);
      await checkpoints.consider();
      expect(await changed).toBeUndefined();
    }
    storage.writing.exec('commit');
    expect([failures, fallbacks]).toEqual([[], []]);
  });
});
