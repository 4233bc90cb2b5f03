import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const LOW = constants.priority.PRIORITY_LOW;

/** Lets others have the processor before a process with all its threads: this one, or one that was just started. */
export const lowerProcess = (pid: number): void => lower(pid, () => true);

/** Lets others have the processor before the threads that libuv works on. Only Linux has priorities of threads. */
export const lowerWorkers = (): void => lower(process.pid, (thread) => nameOf(thread) === 'libuv-worker\n');

function lower(pid: number, isMeant: (thread: number) => boolean): void {
  try {
    for (const thread of threadsOf(pid).filter(isMeant)) {
      if (getPriority(thread) < LOW) setPriority(thread, LOW);
    }
  } catch {
    // Where a sandbox forbids it, or a thread ended meanwhile: the work is done all the same.
  }
}

/** The first of them goes by the number of its process. */
const threadsOf = (pid: number): number[] =>
  process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];

const nameOf = (thread: number): string =>
  process.platform === 'linux' ? readFileSync(`/proc/self/task/${thread}/comm`, 'utf8') : '';
