/** The thread of `reading.ts`. */
import { parentPort } from 'node:worker_threads';
import type { Asked } from './plan.ts';
import { createReader } from './reader.ts';

const answer = createReader();

parentPort?.on('message', (asked: Asked) => {
  const told = answer(asked);
  if (told) parentPort?.postMessage(told);
});
