import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/** Lets others have the processor before a process with all its threads: this one, or one that was just started. */
export const lowerProcessPriority = (pid: number): void => lower(() => threadsOf(pid), PRIORITY_LOW);

/** Lets others have the processor before the threads that libuv works on. Only Linux has priorities of threads. */
export const lowerWorkerPriority = (): void => lower(() => threadsCalled('libuv-worker'), PRIORITY_LOW);

/**
 * Lets the event loop have the processor before the threads on which V8 collects garbage and compiles for it. As it
 * waits for them at times, they come before whatever else gives way.
 */
export const lowerCollectorPriority = (): void =>
  lower(() => threadsCalled('node-V8Worker'), PRIORITY_BELOW_NORMAL);

function lower(threads: () => number[], priority: number): void {
  try {
    for (const thread of threads()) {
      if (getPriority(thread) < priority) setPriority(thread, priority);
    }
  } catch {
    // Where a sandbox forbids it, or a thread ended meanwhile: the work is done all the same.
  }
}

/** The first of them goes by the number of its process. */
const threadsOf = (pid: number): number[] =>
  process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];

const threadsCalled = (name: string): number[] =>
  process.platform === 'linux' ? threadsOf(process.pid).filter((thread) => nameOf(thread) === name) : [];

const nameOf = (thread: number): string => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trimEnd();
