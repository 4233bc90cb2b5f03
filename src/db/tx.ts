import type { Db } from './connection.ts';
import { handleOf, type Memory } from './memory.ts';

/** The handle a job writes with; it is dead once the job has returned. */
export interface Tx extends Db {
  /**
   * Has `work`, one function for all, done once at the end of the transaction, with the sum of what its jobs say that it
   * should write. A failure of it is no failure of theirs: they are run again, without it.
   */
  atEnd(work: EndWork, pages: number): void;
  /** Runs `effect` once the job is on the disk, and never if it is not. */
  afterCommit(effect: () => void): void;
}

export type EndWork = (db: Db, pages: number) => void;

/** A job that yields where others may be answered. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** A handle until `end`, and what its job leaves to be done after it. */
interface Lent {
  tx: Tx;
  ends: [EndWork, number][];
  effects: (() => void)[];
  end(): void;
}

/** Lends one job the connection; `onEnd` hears the pages of each work that it leaves for the end. */
export function lendTx(db: Db, memory: Memory, onEnd: (pages: number) => void): Lent {
  let isAlive = true;
  const live = <Handle>(handle: Handle) => {
    if (!isAlive) throw new Error('A job used its handle after it had returned');
    return handle;
  };
  const ends: Lent['ends'] = [];
  const effects: Lent['effects'] = [];
  const tx: Tx = {
    ...handleOf(memory, () => live(db)),
    atEnd: (work, pages) => {
      live(ends).push([work, pages]);
      onEnd(pages);
    },
    afterCommit: (effect) => {
      live(effects).push(effect);
    },
  };
  const end = () => {
    isAlive = false;
  };
  return { tx, ends, effects, end };
}
