import { startWorker } from '../kernel/thread.ts';
import type { Importer } from './document.ts';
import type { Asked, Plan, Told } from './plan.ts';
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

/** Short documents are read here, longer ones on a thread, which starts when it is known. */
export function startReading(): Reading {
  const first: Uint8Array[] = [];
  let bytes = 0;
  let chosen: Reading | undefined;
  const choose = (): Reading => {
    if (chosen) return chosen;
    chosen = bytes > FEW_BYTES ? readOnThread() : readHere();
    for (const chunk of first.splice(0)) chosen.add(chunk);
    return chosen;
  };
  return {
    add: (chunk) => {
      if (chosen) return chosen.add(chunk);
      first.push(chunk);
      bytes += chunk.length;
      if (bytes > FEW_BYTES) choose();
    },
    plan: (importer) => choose().plan(importer),
    begin: (storing) => choose().begin(storing),
    next: () => choose().next(),
    end: async () => chosen?.end(),
  };
}

function readHere(): Reading {
  const read = createReader();
  const piece = async (asked: Asked) => {
    const told = read(asked);
    return told && 'piece' in told ? told.piece : undefined;
  };
  return {
    add: (chunk) => read({ chunk }),
    plan: async (importer) => {
      const told = read({ importer });
      return told && 'plan' in told ? told.plan : { broken: '' };
    },
    begin: (storing) => piece({ storing }),
    next: () => piece({}),
    end: async () => {},
  };
}

function readOnThread(): Reading {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES };
  const worker = startWorker('import-thread', import.meta.url, { resourceLimits });
  let waiting: PromiseWithResolvers<Told> | undefined;
  let failure: unknown;
  const fail = (reason: unknown) => {
    failure ??= reason;
    waiting?.reject(failure);
  };
  worker
    .on('message', (told: Told) => waiting?.resolve(told))
    .on('error', fail)
    .on('exit', () => fail(new Error('The thread of an import ended')));
  const ask = (asked: Asked): Promise<Told> => {
    if (failure !== undefined) return Promise.reject(failure);
    waiting = Promise.withResolvers();
    worker.postMessage(asked);
    return waiting.promise;
  };
  const askPiece = async (asked: Asked) => {
    const told = await ask(asked);
    return 'piece' in told ? told.piece : undefined;
  };
  return {
    add: (chunk) => {
      // A part of a longer buffer would be copied with all of it.
      const own = new Uint8Array(chunk);
      worker.postMessage({ chunk: own } satisfies Asked, [own.buffer]);
    },
    plan: async (importer) => {
      const told = await ask({ importer });
      return 'plan' in told ? told.plan : { broken: '' };
    },
    begin: (storing) => askPiece({ storing }),
    next: () => askPiece({}),
    end: () => worker.terminate(),
  };
}
