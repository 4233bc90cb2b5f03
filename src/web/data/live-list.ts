import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

type Moves<R> = readonly (readonly [R | undefined, R | undefined])[];

const idOf = (row: unknown): string => {
  const { id, userId } = row as { id?: string; userId?: string };
  return id ?? userId ?? '';
};

/** In the order of their characters, as ids and instants are. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The rows that meet a condition, in order; a change of one row costs a search and not a sort. */
export class LiveList<R> {
  readonly #where: (row: R) => boolean;
  readonly #compare: (a: R, b: R) => number;
  readonly dispose: () => void;
  readonly #held = new Map<string, R>();
  readonly #ids: Signal<readonly string[]>;
  readonly #revision = signal(0);
  #rows: R[] = [];

  constructor(
    where: (row: R) => boolean,
    compare: (a: R, b: R) => number,
    all: Iterable<R>,
    dispose: () => void,
  ) {
    this.#where = where;
    this.#compare = (a, b) => compare(a, b) || compareTexts(idOf(a), idOf(b));
    this.dispose = dispose;
    this.#rebuild(all);
    this.#ids = signal(this.#rows.map(idOf));
  }

  /** The ids in order. It changes only when they do; each row has a signal of its own. */
  get ids(): ReadonlySignal<readonly string[]> {
    return this.#ids;
  }

  /** Grows whenever a row of it comes, goes, moves or changes. */
  get revision(): ReadonlySignal<number> {
    return this.#revision;
  }

  /** The rows as they are now, in order. */
  get rows(): readonly R[] {
    return this.#rows;
  }

  #rebuild(all: Iterable<R>): void {
    this.#held.clear();
    this.#rows = [];
    for (const row of all)
      if (this.#where(row)) {
        this.#held.set(idOf(row), row);
        this.#rows.push(row);
      }
    this.#rows.sort(this.#compare);
  }

  /** Looks at every row again, where more than the rows decides. */
  refresh(all: Iterable<R>): void {
    this.#rebuild(all);
    this.#publish();
  }

  move(moves: Moves<R>, all: Iterable<R>): void {
    if (moves.length > 64 && moves.length * 8 > this.#rows.length) {
      this.refresh(all);
      return;
    }
    let isChanged = false;
    let isTouched = false;
    for (const [before, after] of moves) {
      const id = idOf(after ?? before);
      const held = this.#held.get(id);
      const next = after && this.#where(after) ? after : undefined;
      if (!held && !next) continue;
      isTouched = true;
      if (held && next && this.#compare(held, next) === 0) {
        this.#rows[this.#find(held)] = next;
        this.#held.set(id, next);
        continue;
      }
      const from = held ? this.#find(held) : -1;
      if (held) this.#rows.splice(from, 1);
      const to = next ? this.#find(next) : -1;
      if (next) {
        this.#rows.splice(to, 0, next);
        this.#held.set(id, next);
      } else this.#held.delete(id);
      if (from !== to) isChanged = true;
    }
    if (isChanged) this.#publish();
    else if (isTouched) this.#revision.value++;
  }

  /** Where a row stands, or would. */
  #find(row: R): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#rows[middle];
      if (other !== undefined && this.#compare(other, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #publish(): void {
    this.#ids.value = this.#rows.map(idOf);
    this.#revision.value++;
  }
}

/** How many rows there are of each group. */
export class LiveCounts<R> {
  readonly #groupOf: (row: R) => string | null;
  readonly dispose: () => void;
  readonly #groups = new Map<string, Signal<number>>();
  readonly #groupById = new Map<string, string>();

  constructor(groupOf: (row: R) => string | null, all: Iterable<R>, dispose: () => void) {
    this.#groupOf = groupOf;
    this.dispose = dispose;
    for (const row of all) this.#put(row);
  }

  of(group: string): ReadonlySignal<number> {
    return this.#signal(group);
  }

  #signal(group: string): Signal<number> {
    const known = this.#groups.get(group) ?? signal(0);
    this.#groups.set(group, known);
    return known;
  }

  /** Without reading it, which would bind an effect that counts to what it counts. */
  #add(group: string, n: number): void {
    const count = this.#signal(group);
    count.value = count.peek() + n;
  }

  #put(row: R): void {
    const group = this.#groupOf(row);
    if (group === null) return;
    this.#groupById.set(idOf(row), group);
    this.#add(group, 1);
  }

  refresh(all: Iterable<R>): void {
    this.#groupById.clear();
    for (const count of this.#groups.values()) count.value = 0;
    for (const row of all) this.#put(row);
  }

  move(moves: Moves<R>): void {
    for (const [before, after] of moves) {
      const id = idOf(after ?? before);
      const group = this.#groupById.get(id);
      if (group !== undefined) {
        this.#groupById.delete(id);
        this.#add(group, -1);
      }
      if (after) this.#put(after);
    }
  }
}
