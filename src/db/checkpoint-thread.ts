/** The thread of `checkpoints.ts`: when asked, it copies the write-ahead log into the file, by its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { setAddonFolder } from '../kernel/native-addon.ts';
import { FEW_PAGES, logOf, type ThreadData } from './checkpoints.ts';

const PASSES_AT_MOST = 8;

const { path, dataFolder }: ThreadData = workerData;
setAddonFolder(dataFolder);
const connection = new SqliteDatabase(path, { fileMustExist: true });
connection.pragma('synchronous = full');

parentPort?.on('message', (message) => {
  if (message === 'copy') {
    copy();
    parentPort?.postMessage('copied');
  } else {
    connection.close();
    parentPort?.close();
  }
});

/** What is written during one pass is left for the next, which is shorter. */
function copy(): void {
  let left = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < PASSES_AT_MOST; pass += 1) {
    connection.pragma('wal_checkpoint(passive)');
    const before = left;
    left = logOf(connection).left;
    // Whoever reads from the log holds up what was written since.
    if (left <= FEW_PAGES || left >= before) return;
  }
}
