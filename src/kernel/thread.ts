import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the thread of the file `name`.ts beside the caller's, whose `import.meta.url` is `from`; the executable has it as an asset. */
export const startWorker = (name: string, from: string, options: WorkerOptions): Worker =>
  isSea()
    ? new Worker(getAsset(name, 'utf8'), { ...options, eval: true })
    : new Worker(new URL(`./${name}.ts`, from), options);
