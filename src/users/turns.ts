import { networksOf } from '../http/client-address.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';

/** One that waits for its turn. */
interface Waiting {
  /** The networks it comes from, the widest first. */
  networks: string[];
  resume(): void;
  turnAway(): void;
}

/**
 * Runs work at most `atOnce` together. Others wait, in turns by network, a /48 as one and within it a /56 and a /64; when
 * `maxWaiting` wait, the newest of the network that has most of them is rejected, be it the one that comes or one
 * that waits: who floods from one place is in the way of nobody elsewhere. While more than half as many wait, one place
 * less is taken: in a flood, that is a processor for requests that hash nothing. While nobody more may wait, a place stays
 * taken until `rest` resolves, which is told how many milliseconds the work took.
 */
export function turns(atOnce: number, maxWaiting: number, rest: (worked: number) => Promise<unknown>) {
  let running = 0;
  let waiting: Waiting[] = [];
  const served = servedLately();
  const places = () => (waiting.length > maxWaiting / 2 ? Math.max(1, atOnce - 1) : atOnce);
  const resumeSome = () => {
    while (running < places()) {
      const next = served.next(waiting);
      if (!next) return;
      waiting = waiting.filter((other) => other !== next);
      running += 1;
      next.resume();
    }
  };
  const isFull = () => waiting.length >= maxWaiting;
  const leave = async (worked: number) => {
    if (isFull()) await rest(worked);
    running -= 1;
    resumeSome();
  };
  const requireCapacity = (from = '') => {
    const networks = widestFirst(from);
    if (isFull() && oneTooMany([...waiting, { networks }])?.networks === networks) throw rejection();
  };
  const inTurn = async <T>(work: () => Promise<T>, from = ''): Promise<T> => {
    requireCapacity(from);
    await new Promise<void>((resume, reject) => {
      waiting.push({ networks: widestFirst(from), resume, turnAway: () => reject(rejection()) });
      resumeSome();
      if (waiting.length <= maxWaiting) return;
      const rejected = oneTooMany(waiting);
      waiting = waiting.filter((other) => other !== rejected);
      rejected?.turnAway();
    });
    const began = performance.now();
    try {
      return await work();
    } finally {
      leave(performance.now() - began);
    }
  };
  return { inTurn, requireCapacity };
}

const rejection = () => tooManyRequests(SECOND);

const widestFirst = (from: string) => networksOf(from).toReversed();

/** The newest of the network that has most, and in it of the narrower one that has; that of the newest where they tie. */
function oneTooMany<Some extends Pick<Waiting, 'networks'>>(waiting: Some[]): Some | undefined {
  let left = waiting;
  for (let level = 0; left.some(({ networks }) => level < networks.length); level += 1) {
    const counts = new Map<string, number>();
    for (const { networks } of left) {
      const network = networks[level] ?? '';
      counts.set(network, (counts.get(network) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    const newest = left.findLast(({ networks }) => counts.get(networks[level] ?? '') === most);
    left = left.filter(({ networks }) => networks[level] === newest?.networks[level]);
  }
  return left.at(-1);
}

/** Chooses who is next: of the network that was served longest ago, and in it of such a narrower one; then in order. */
function servedLately() {
  let turns = 0;
  let lastTurns = new Map<string, number>();
  const next = (waiting: Waiting[]): Waiting | undefined => {
    let left = waiting;
    for (let level = 0; left.some(({ networks }) => level < networks.length); level += 1) {
      const lastTurn = ({ networks }: Waiting) => lastTurns.get(networks[level] ?? '') ?? 0;
      const earliest = Math.min(...left.map(lastTurn));
      const first = left.find((one) => lastTurn(one) === earliest);
      left = left.filter(({ networks }) => networks[level] === first?.networks[level]);
    }
    const [found] = left;
    turns += 1;
    const isWaited = new Set(waiting.flatMap(({ networks }) => networks));
    lastTurns = new Map([...lastTurns].filter(([network]) => isWaited.has(network)));
    for (const network of found?.networks ?? []) lastTurns.set(network, turns);
    return found;
  };
  return { next };
}
