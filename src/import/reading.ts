import { unavailable } from '../kernel/errors.ts';
import { startWorker } from '../kernel/thread.ts';
import type { Importer } from './document.ts';
import type { Plan, ReadRequest, ReadResponse } from './plan.ts';
import { createReader } from './reader.ts';
import type { Entry, Storing } from './rows.ts';

/** Beyond it a document fails, and not the server. */
const MAX_HEAP_MEGABYTES = 2_048;

/** A document that is read on a thread of its own: parsing one of many megabytes would hold everyone up. */
export interface Reading {
  add(chunk: Uint8Array): void;
  /** Once all of it was added. */
  plan(importer: Importer): Promise<Plan>;
  begin(storing: Storing): Promise<Entry[] | undefined>;
  next(): Promise<Entry[] | undefined>;
  end(): Promise<unknown>;
}

/** So few bytes are read in a millisecond or two: less than a thread takes to start. */
const FEW_BYTES = 64 * 1_024;

/**
 * Short documents are read here, longer ones on a thread, which starts when it is known; its responses are 503 once the
 * server stops.
 */
export function startReading(stopping: AbortSignal): Reading {
  const first: Uint8Array[] = [];
  let bytes = 0;
  let chosen: Reader | undefined;
  const choose = (): Reader => {
    if (chosen) return chosen;
    chosen = bytes > FEW_BYTES ? readOnThread(stopping) : readHere();
    for (const chunk of first.splice(0)) chosen.add(chunk);
    return chosen;
  };
  const ask = (request: ReadRequest) => choose().ask(request);
  return {
    add: (chunk) => {
      if (chosen) return chosen.add(chunk);
      first.push(chunk);
      bytes += chunk.length;
      if (bytes > FEW_BYTES) choose();
    },
    plan: async (importer) => (await ask({ importer })).plan ?? { broken: '' },
    begin: async (storing) => (await ask({ storing })).piece,
    next: async () => (await ask({})).piece,
    end: async () => chosen?.end(),
  };
}

interface Reader {
  add(chunk: Uint8Array): void;
  ask(request: ReadRequest): Promise<ReadResponse>;
  end(): unknown;
}

function readHere(): Reader {
  const read = createReader();
  return {
    add: (chunk) => void read({ chunk }),
    ask: async (request) => read(request) ?? {},
    end: () => {},
  };
}

function readOnThread(stopping: AbortSignal): Reader {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES };
  const worker = startWorker('import-thread', import.meta.url, { resourceLimits });
  let waiting: PromiseWithResolvers<ReadResponse> | undefined;
  let failure: unknown;
  const fail = (reason: unknown) => {
    failure ??= reason;
    waiting?.reject(failure);
  };
  worker
    .on('message', (response: ReadResponse) => waiting?.resolve(response))
    .on('error', fail)
    .on('exit', () => fail(new Error('The thread of an import ended')));
  // The process would go on for as long as the thread.
  const stop = () => {
    fail(unavailable('The server is stopping'));
    worker.terminate();
  };
  stopping.addEventListener('abort', stop);
  return {
    add: (chunk) => {
      // A part of a longer buffer would be copied with all of it.
      const own = new Uint8Array(chunk);
      worker.postMessage({ chunk: own } satisfies ReadRequest, [own.buffer]);
    },
    ask: (request) => {
      if (failure !== undefined) return Promise.reject(failure);
      waiting = Promise.withResolvers();
      worker.postMessage(request);
      return waiting.promise;
    },
    end: () => {
      stopping.removeEventListener('abort', stop);
      return worker.terminate();
    },
  };
}
