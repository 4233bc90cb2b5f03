/** The thread of `wal-sync.ts`: syncs the WAL when asked, whatever the other threads do. */
import { closeSync, fdatasyncSync, fstatSync, openSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { ASKED, IDLE, STOP, type ThreadData } from './wal-sync.ts';

const { path, state }: ThreadData = workerData;
const descriptor = openSync(path, 'r+');
const { ino } = fstatSync(descriptor, { bigint: true });
parentPort?.postMessage('ready');

for (;;) {
  Atomics.wait(state, 0, IDLE);
  // Before the sync, so that a request made during it is not missed.
  if (Atomics.compareExchange(state, 0, ASKED, IDLE) === STOP) break;
  const began = performance.now();
  fdatasyncSync(descriptor);
  if (statSync(path, { bigint: true }).ino !== ino) throw new Error(`${path} was replaced by another file`);
  parentPort?.postMessage(performance.now() - began);
}
closeSync(descriptor);
parentPort?.close();
