/** The thread of `checkpoints.ts`: when asked, it copies the write-ahead log into the file, by its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { errnoOf } from '../kernel/errors.ts';
import { setAddonFolder } from '../kernel/native-addon.ts';
import { type Asked, emptyLogOf, FEW_PAGES, logOf, type ThreadData, type Told } from './checkpoints.ts';

const MAX_PASSES = 8;

const { path, dataFolder }: ThreadData = workerData;
setAddonFolder(dataFolder);
const connection = new SqliteDatabase(path, { fileMustExist: true });
connection.pragma('synchronous = full');
connection.pragma('checkpoint_fullfsync = on');
parentPort?.postMessage('ready' satisfies Told);

parentPort?.on('message', (asked: Asked) => {
  if (asked === 'stop') {
    connection.close();
    parentPort?.close();
    return;
  }
  const isDone = hasCopied();
  const isEmptied = asked === 'empty' && isDone && emptyLogOf(connection);
  parentPort?.postMessage({ isEmptied } satisfies Told);
});

/** False where there is no space for what is in the log: none of it is lost, and the next checkpoint tries again. */
function hasCopied(): boolean {
  try {
    copy();
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'SQLITE_FULL') throw error;
    return false;
  }
}

/** What is written during one pass is left for the next, which is shorter. */
function copy(): void {
  let left = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    connection.pragma('wal_checkpoint(passive)');
    const before = left;
    left = logOf(connection).left;
    // A reader of the log holds up what was written since.
    if (left <= FEW_PAGES || left >= before) return;
  }
}
