/** What waits for its turn, in a lane for each of those it belongs to: in order there, and lane after lane. */
interface FairQueue<Item> {
  readonly size: number;
  /** How many wait in a lane. */
  sizeOf(lane: string): number;
  push(lane: string, item: Item): void;
  /** The next one whose lane begins with a long one, or with a short one; undefined where there is none. */
  shift(isLong: boolean): Item | undefined;
  /** Whether a lane begins with a long one, or with a short one. */
  has(isLong: boolean): boolean;
  /** Takes all of them. */
  drain(): Item[];
}

/** A queue in which nobody comes later for how much another one asks for. */
export function createFairQueue<Item>(isLong: (item: Item) => boolean): FairQueue<Item> {
  /** By what comes first in them; the lane whose turn is next is the first of its map. */
  const short = new Map<string, Item[]>();
  const long = new Map<string, Item[]>();
  const beginningWith = (item: Item) => (isLong(item) ? long : short);
  let size = 0;

  return {
    get size() {
      return size;
    },
    sizeOf: (lane) => (short.get(lane) ?? long.get(lane))?.length ?? 0,
    push: (lane, item) => {
      size += 1;
      const waiting = short.get(lane) ?? long.get(lane);
      if (waiting) waiting.push(item);
      else beginningWith(item).set(lane, [item]);
    },
    shift: (wantsLong) => {
      const lanes = wantsLong ? long : short;
      const [first] = lanes;
      if (!first) return undefined;
      const [lane, waiting] = first;
      const item = waiting.shift();
      size -= 1;
      const [next] = waiting;
      // The only lane may stay where it is.
      if (next !== undefined && lanes.size === 1 && beginningWith(next) === lanes) return item;
      lanes.delete(lane);
      if (next !== undefined) beginningWith(next).set(lane, waiting);
      return item;
    },
    has: (wantsLong) => (wantsLong ? long : short).size > 0,
    drain: () => {
      const all = [...short.values(), ...long.values()].flat();
      short.clear();
      long.clear();
      size = 0;
      return all;
    },
  };
}
