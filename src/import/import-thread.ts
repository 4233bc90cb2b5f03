/** The thread of `reading.ts`. */
import { parentPort } from 'node:worker_threads';
import type { Asked } from './plan.ts';
import { createReader } from './reader.ts';

const read = createReader();

parentPort?.on('message', (asked: Asked) => {
  const told = read(asked);
  if (told) parentPort?.postMessage(told);
});
