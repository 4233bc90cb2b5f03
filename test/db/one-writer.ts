import { afterEach, beforeEach, vi } from 'vitest';
import { type Db, query } from '../../src/db/connection.ts';
import { createWriter, type Write, type Writer } from '../../src/db/writer.ts';
import { storage, useFile } from './one-file.ts';

export { storage };

export let writer: Writer;
export let write: Write;
/** What effects and hooks threw. */
export let lostEffects: unknown[];
let time = 0;

/** To be called by a file of tests: each has a writer of its own, whose time stands still. */
export function useWriter(): void {
  useFile();
  beforeEach(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    storage.writing.exec(`
      create table meta (key text primary key, value text not null) strict, without rowid;
      create table parents (id integer primary key) strict;
      create table children (parent integer references parents (id) deferrable initially deferred) strict;
    `);
    lostEffects = [];
    writer = createWriter(storage, (reason) => lostEffects.push(reason));
    write = writer.write;
  });
  afterEach(() => void vi.restoreAllMocks());
}

export const put = (db: Db, key: string, value = 'x') =>
  db.run(query.insertInto('meta').values({ key, value }));
export const keys = () =>
  writer.read.all(query.selectFrom('meta').select('key').orderBy('key')).map(({ key }) => key);
export const failing = (message: string) => (): never => {
  throw new Error(message);
};
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** One turn in which functions were queued, and one more in which no other came. */
export const firstCommit = () => turn().then(turn);
export const statusesOf = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((outcome) =>
    outcome.status === 'fulfilled'
      ? 'done'
      : outcome.reason.name === 'Error'
        ? outcome.reason.message
        : outcome.reason.name,
  );
/** The writer's time stands still, however busy the machine, unless a function takes some. */
export const takeTime = (milliseconds = 15) => {
  time += milliseconds;
};
/** Nothing larger than what is there now fits into the file any more. */
export const fillDisk = () =>
  storage.writing.pragma(`max_page_count = ${storage.writing.pragma('page_count', { simple: true })}`);
export const emptyDisk = () => storage.writing.pragma('max_page_count = 1000000');
export const LARGE = 'x'.repeat(100_000);
