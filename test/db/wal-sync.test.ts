import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWalSync, paysBeside, type WalSync } from '../../src/db/wal-sync.ts';
import { folder, storage, useFile } from './one-file.ts';

const FULL = 2;
const NORMAL = 1;

let walSync: WalSync;
let fallbacks: unknown[];
let failed: PromiseWithResolvers<unknown>;
let time: number;

useFile();
beforeEach(() => {
  storage.writing.exec('create table notes (id integer primary key, text)');
  fallbacks = [];
  failed = Promise.withResolvers();
  time = 0;
});
afterEach(() => walSync.stop());

const begin = (setting: 'auto' | 'beside', of = storage) => {
  const hear = {
    onFallback: (reason: unknown) => fallbacks.push(reason),
    onFailure: (reason: unknown) => failed.resolve(reason),
  };
  walSync = createWalSync(of, setting, hear, () => time);
};
/** One commit that took so long; whether its sync was made beside the loop. */
const commit = async (milliseconds = 0, writes = 1): Promise<boolean> => {
  storage.writing.exec("insert into notes (text) values ('x')");
  const synced = walSync.onCommit(milliseconds, writes);
  await synced;
  // In which the thread may say that it is there.
  await new Promise<void>((resolve) => setImmediate(resolve));
  return synced !== undefined;
};
const synchronous = () => storage.writing.pragma('synchronous', { simple: true });
const untilBeside = async (milliseconds = 0) => {
  while (!(await commit(milliseconds)));
};

describe('beside the loop', () => {
  it('commits sync themselves until the thread is there, and then each is followed by a sync', async () => {
    begin('beside');
    expect([await commit(), synchronous()]).toEqual([false, FULL]);
    await untilBeside();
    expect([synchronous(), await commit(), await commit()]).toEqual([NORMAL, true, true]);
  });

  it('a thread that cannot start leaves the syncs in the commits, and says why', async () => {
    begin('beside', { ...storage, path: join(folder, 'missing.db') });
    while (fallbacks.length === 0) expect(await commit()).toBe(false);
    expect(fallbacks).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
    expect([await commit(), synchronous()]).toEqual([false, FULL]);
  });

  it('a WAL that was replaced is a failed sync, of which nobody hears as done', async () => {
    begin('beside');
    await untilBeside();
    const wal = `${storage.path}-wal`;
    const bytes = readFileSync(wal);
    renameSync(wal, `${wal}.old`);
    writeFileSync(wal, bytes);
    let isTold = false;
    commit().then(() => {
      isTold = true;
    });
    expect(await failed.promise).toMatchObject({ message: expect.stringContaining('was replaced') });
    expect(isTold).toBe(false);
  });
});

describe('auto', () => {
  it('leaves the syncs of a fast disk in the commits', async () => {
    begin('auto');
    for (let i = 0; i < 200; i += 1) expect(await commit(i % 3 === 0 ? 50 : 0.2)).toBe(false);
    expect(synchronous()).toBe(FULL);
  });

  it('moves those of a slow one beside the loop', async () => {
    begin('auto');
    for (let i = 0; i < 64; i += 1) expect(await commit(5)).toBe(false);
    await untilBeside(5);
    expect(synchronous()).toBe(NORMAL);
  });

  it('moves those of commits that are seldom beside the loop, and back once they are many', async () => {
    begin('auto');
    const commits = async (apartMs: number): Promise<boolean> => {
      time += apartMs;
      return commit(0.2);
    };
    for (let i = 0; i < 64; i += 1) expect(await commits(11)).toBe(false);
    while (!(await commits(11)));
    expect(synchronous()).toBe(NORMAL);
    while (await commits(1));
    expect(synchronous()).toBe(FULL);
  });

  it('leaves those in the commits that many writes share, however far apart', async () => {
    begin('auto');
    for (let i = 0; i < 200; i += 1) {
      time += 30;
      expect(await commit(0.2, 32)).toBe(false);
    }
  });

  it('goes by the median, and comes back only where a sync is much faster, so that it does not waver', () => {
    const ofMedian = (median: number) => [0, 0, median, median, 900];
    expect([0.1, 1.9, 2, 5].map((median) => paysBeside(ofMedian(median), false))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect([0.1, 0.9, 1, 1.9].map((median) => paysBeside(ofMedian(median), true))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
