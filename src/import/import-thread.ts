/** The thread of `reading.ts`. */
import { parentPort } from 'node:worker_threads';
import type { ReadRequest } from './plan.ts';
import { createReader } from './reader.ts';

const read = createReader();

parentPort?.on('message', (request: ReadRequest) => {
  const response = read(request);
  if (response) parentPort?.postMessage(response);
});
