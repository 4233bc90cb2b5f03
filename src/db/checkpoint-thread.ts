/**
 * The thread of `checkpoints.ts`: when asked, it copies the write-ahead log into the file, or runs a statement, by its own
 * connection.
 */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { errnoOf } from '../kernel/errors.ts';
import { setAddonFolder } from '../kernel/native-addon.ts';
import { type Asked, emptyLogOf, FEW_PAGES, logOf, type ThreadData, type Told } from './checkpoints.ts';

const MAX_PASSES = 8;

const { path, dataFolder }: ThreadData = workerData;
setAddonFolder(dataFolder);
// Who finds another process writing is told so at once.
const connection = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
connection.pragma('synchronous = full');
connection.pragma('checkpoint_fullfsync = on');
connection.pragma('secure_delete = on');
connection.pragma('wal_autocheckpoint = 0');
parentPort?.postMessage('ready' satisfies Told);

parentPort?.on('message', (asked: Asked) => {
  if (asked === 'stop') {
    connection.close();
    parentPort?.close();
    return;
  }
  if (typeof asked === 'object') {
    parentPort?.postMessage({ rowsChanged: rowsChangedBy(asked.sql) } satisfies Told);
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

/** Undefined where it failed; not where a sync did, since the system may have dropped what others wrote as well. */
function rowsChangedBy(sql: string): number | undefined {
  try {
    const before = totalChanges();
    connection.exec(sql);
    return totalChanges() - before;
  } catch (error) {
    if (errnoOf(error) === 'SQLITE_IOERR_FSYNC') throw error;
    return undefined;
  }
}

function totalChanges(): number {
  return connection.prepare<[], number>('select total_changes()').pluck().get() ?? 0;
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
