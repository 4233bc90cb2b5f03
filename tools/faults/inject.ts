import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The errors of a disk at a write, and to a sync. */
export const ERRORS = ['ENOSPC', 'EIO', 'EROFS'] as const;
export const WRITES = 'pwrite64';
export const SYNCS = 'fsync,fdatasync';

/** A start makes hundreds of writes: the later ones are tried more and more sparsely. */
const SPARSER = 4;

/** Which calls to let fail: 1, 2, 3, 4, 6, 8, 11, … so many of them. */
export function* points(most: number): Generator<number> {
  for (let [nth, tried] = [1, 0]; tried < most; nth += 1 + Math.floor(nth / SPARSER), tried += 1) yield nth;
}

/** One call, or that one and all after it. */
export const when = (nth: number, isForGood: boolean): string => `when=${nth}${isForGood ? '+' : ''}`;

const toldTo = (injections: string[]) => [
  '-o',
  '/dev/null',
  ...injections.flatMap((text) => ['-e', `inject=${text}`]),
];

/** The words before a command that is to meet these faults from its beginning. */
export const meeting = (injections: string[]): string[] => ['strace', '-D', ...toldTo(injections)];

/** Has strace fail system calls of a process's first thread, or of all, with errors until it is told to stop. */
export async function injecting(
  pid: number | undefined,
  injections: string[],
  ofAllThreads = false,
): Promise<() => Promise<void>> {
  const traced = [...(ofAllThreads ? ['-f'] : []), '-p', String(pid)];
  const tracer: ChildProcess = spawn('strace', [...traced, ...toldTo(injections)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(tracer, 'close');
  if (tracer.stderr) await once(createInterface({ input: tracer.stderr }), 'line');
  return async () => {
    tracer.kill('SIGINT');
    await ended;
  };
}
