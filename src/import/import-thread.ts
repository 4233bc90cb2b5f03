/** The thread of `reading.ts`. */
import { parentPort } from 'node:worker_threads';
import { createReader } from './reader.ts';
import type { Asked } from './reading.ts';

const answer = createReader();

parentPort?.on('message', (asked: Asked) => {
  const told = answer(asked);
  if (told) parentPort?.postMessage(told);
});
