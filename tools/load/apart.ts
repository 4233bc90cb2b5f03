import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A part of the load, in a process of its own, so that neither slows the other's clock. */
export interface Apart<Told> {
  /** Ends it; resolves with what it told last. */
  stop(): Promise<Told>;
}

/** Only Linux can keep a process off its processors until nobody else wants them. */
const IDLE = ['--idle', '0'];
export const canBeElsewhere = spawnSync('chrt', [...IDLE, 'true']).status === 0;

/**
 * Starts a file of this folder with options it gets as its first message; resolves when it is under way. What is
 * `elsewhere` in life, on the machines of clients, takes as little as can be from those on this one.
 */
export async function apart<Options extends object, Told>(
  file: string,
  options: Options,
  { elsewhere }: { elsewhere: boolean },
): Promise<Apart<Told>> {
  const child = fork(
    join(import.meta.dirname, file),
    elsewhere && canBeElsewhere ? { execPath: 'chrt', execArgv: [...IDLE, process.execPath] } : {},
  );
  const ended = once(child, 'exit').then((): never => {
    throw new Error(`${file} ended by itself`);
  });
  ended.catch(() => {});
  const message = () => Promise.race([once(child, 'message'), ended]);
  child.send(options);
  await message();
  return {
    stop: async () => {
      const told = message();
      child.send('stop');
      const [last] = await told;
      child.kill();
      return last as Told;
    },
  };
}

/** The other end: does `work` until it is told to stop, and sends its result. */
export async function underOrders<Options>(
  work: (options: Options, stop: AbortSignal) => Promise<object>,
): Promise<void> {
  const [options] = await once(process, 'message');
  const stop = new AbortController();
  // Listening on, it stays until it is killed: what it tells last must have arrived.
  process.on('message', () => stop.abort());
  const done = work(options as Options, stop.signal);
  process.send?.('under way');
  process.send?.(await done);
}
