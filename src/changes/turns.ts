/** In one turn of the event loop, a few tenths of a millisecond: each of them is a write to a socket. */
const LEAST_PER_TURN = 16;
/** Of those that still wait, one in so many has its turn next: under load turns are few. */
const TURNS_FOR_ALL = 64;
/** Between two turns, for what others ask meanwhile: it takes several turns of the event loop itself. */
const PAUSE_MS = 1;

/** Does something for many, a few of them in each turn of the event loop. */
interface Turns<Item> {
  /** What is asked for one is done in that order, and in one turn where it has not had one meanwhile. */
  ask(item: Item, act: (item: Item) => void): void;
}

/** Leaves out those that are gone by then. `onFailure` hears what an act throws, with which one is to be gone. */
export function createTurns<Item>(
  isThere: (item: Item) => boolean,
  onFailure: (item: Item, reason: unknown) => void,
): Turns<Item> {
  const waiting = new Map<Item, ((item: Item) => void)[]>();

  const takeTurn = () => {
    let left = Math.max(LEAST_PER_TURN, Math.ceil(waiting.size / TURNS_FOR_ALL));
    for (const [item, acts] of waiting) {
      waiting.delete(item);
      try {
        for (const act of acts) if (isThere(item)) act(item);
      } catch (reason) {
        onFailure(item, reason);
      }
      left -= 1;
      if (left === 0) break;
    }
    if (waiting.size > 0) setTimeout(takeTurn, PAUSE_MS);
  };

  return {
    ask: (item, act) => {
      if (waiting.size === 0) setImmediate(takeTurn);
      const acts = waiting.get(item);
      if (acts) acts.push(act);
      else waiting.set(item, [act]);
    },
  };
}
