/** A fault made on purpose, as often as its counts say, and what must survive it. */
export interface Drill<Count extends string = string> {
  /** What it does, in one line. */
  about: string;
  /** Each can be given on the command line; these are modest. */
  counts: Record<Count, number>;
  run(site: Site, counts: Record<Count, number>): Promise<void>;
}

/** Keeps the names of a drill's counts for its `run`. */
export const drill = <const Count extends string>(given: Drill<Count>): Drill<Count> => given;

/** Where a drill takes place: an empty folder of its own, and the book it keeps. */
export interface Site {
  folder: string;
  /** A line of what it did, or measured. */
  tell(line: string): void;
  /** Counts one more of it under `responses`: what was acknowledged, rejected or cut off. */
  count(what: string): void;
  /** Something acknowledged is gone, or something is not as it must be. */
  lose(what: string): void;
  /** Loses what is more than `most`, and tells the number either way. */
  bound(what: string, value: number, most: number, unit: string): void;
  readonly losses: readonly string[];
}

const LOSSES_SHOWN = 40;

interface Book extends Site {
  /** The last lines: what was acknowledged, and what was lost. */
  summary(): string;
}

export function openBook(folder: string, print: (line: string) => void): Book {
  const losses: string[] = [];
  const counted = new Map<string, number>();
  return {
    folder,
    losses,
    tell: print,
    count: (what) => counted.set(what, (counted.get(what) ?? 0) + 1),
    lose: (what) => losses.push(what),
    bound: (what, value, most, unit) => {
      print(`${what}: ${value.toFixed(2)} ${unit} (at most ${most})`);
      if (!(value <= most)) losses.push(`${what}: ${value.toFixed(2)} ${unit}, more than ${most}`);
    },
    summary: () => {
      const responses = [...counted].toSorted().map(([what, n]) => `  ${what}: ${n}`);
      const lost =
        losses.length === 0
          ? ['lost: nothing']
          : [`LOST: ${losses.length}`, ...losses.slice(0, LOSSES_SHOWN)];
      return [...(responses.length > 0 ? ['responses:', ...responses] : []), ...lost].join('\n');
    },
  };
}
