import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Change, isEqual } from './change.ts';
import type { Base, RowWrites } from './feed.ts';
import { LiveCounts, LiveList } from './live-list.ts';
import { EMPTY, type ReplayContext, replay } from './replay.ts';
import {
  type Held,
  KINDS,
  type Kind,
  type Row,
  type Rows,
  type Status,
  type ThingKey,
  thingKey,
} from './rows.ts';

type Live = Pick<LiveList<Row>, 'move' | 'refresh'>;
type Table<Value> = Map<Kind, Map<string, Value>>;

const tableOf = <Value>(): Table<Value> => new Map(KINDS.map((kind) => [kind, new Map()]));

/** The rows as the server gave them, with the outbox replayed over them. */
export class View implements Base {
  readonly #base: Table<Held> = tableOf();
  readonly #rows: Table<Row> = tableOf();
  readonly #signals = new Map<ThingKey, Signal<Row | undefined>>();
  readonly #live = new Map<Kind, Set<Live>>();
  readonly #statuses = new Map<string, Status>();
  #changes = new Map<ThingKey, Change[]>();
  readonly #context: ReplayContext;

  constructor(userId: string) {
    this.#context = {
      userId,
      status: (id) => this.#statuses.get(String(id)),
      list: (id) => this.#rows.get('list')?.get(String(id)),
    };
  }

  /** A row as the server gave it. */
  get(kind: Kind, key: string): Row | undefined {
    return this.#base.get(kind)?.get(key)?.value;
  }

  *of(kind: Kind, workspaceId: string): Iterable<[string, Row]> {
    for (const [key, held] of this.#base.get(kind) ?? [])
      if (held.workspaceId === workspaceId) yield [key, held.value];
  }

  /** Everything the server gave. */
  held(): Held[] {
    return [...this.#base.values()].flatMap((table) => [...table.values()]);
  }

  /** A row as it shows. */
  row<K extends Kind>(kind: K, key: string): Rows[K] | undefined {
    return this.#rows.get(kind)?.get(key) as Rows[K] | undefined;
  }

  /** All rows of a kind as they show. */
  all<K extends Kind>(kind: K): Iterable<Rows[K]> {
    return (this.#rows.get(kind)?.values() ?? []) as Iterable<Rows[K]>;
  }

  status(id: string): Status | undefined {
    return this.#statuses.get(id);
  }

  /** One row as a signal, for the part of a screen that shows it. */
  signal<K extends Kind>(kind: K, key: string): ReadonlySignal<Rows[K] | undefined> {
    const name = thingKey(kind, key);
    let found = this.#signals.get(name);
    if (!found) {
      found = signal(this.#rows.get(kind)?.get(key));
      this.#signals.set(name, found);
    }
    return found as unknown as ReadonlySignal<Rows[K] | undefined>;
  }

  /** A list that keeps itself; `dispose` it when it shows no more. */
  list<K extends Kind>(
    kind: K,
    where: (row: Rows[K]) => boolean,
    compare: (a: Rows[K], b: Rows[K]) => number,
  ): LiveList<Rows[K]> {
    const watching = this.#watching(kind);
    const list = new LiveList(where, compare, this.all(kind), () => watching.delete(list as unknown as Live));
    watching.add(list as unknown as Live);
    return list;
  }

  /** Counts that keep themselves, one for each group; `null` is in no group. */
  counts<K extends Kind>(kind: K, groupOf: (row: Rows[K]) => string | null): LiveCounts<Rows[K]> {
    const watching = this.#watching(kind);
    const counts = new LiveCounts(groupOf, this.all(kind), () => watching.delete(counts as unknown as Live));
    watching.add(counts as unknown as Live);
    return counts;
  }

  #watching(kind: Kind): Set<Live> {
    const known = this.#live.get(kind) ?? new Set<Live>();
    this.#live.set(kind, known);
    return known;
  }

  /** The changes of mine that a row shows. */
  changesOf(kind: Kind, key: string): readonly Change[] {
    return this.#changes.get(thingKey(kind, key)) ?? [];
  }

  /** Takes over rows of the server and an outbox; everything that shows them follows at once. */
  update(writes: RowWrites & { forget?: readonly string[] | undefined }, outbox: readonly Change[]): void {
    batch(() => {
      const dirty = new Map<Kind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
      const touch = (kind: Kind, key: string): void => void dirty.get(kind)?.add(key);
      for (const [kind, table] of writes.forget?.length ? this.#base : [])
        for (const [key, held] of table)
          if (writes.forget?.includes(held.workspaceId)) {
            table.delete(key);
            touch(kind, key);
          }
      for (const { kind, key } of writes.remove) if (this.#base.get(kind)?.delete(key)) touch(kind, key);
      for (const held of writes.put) {
        this.#base.get(held.kind)?.set(held.key, held);
        touch(held.kind, held.key);
      }
      this.#replaceOutbox(outbox, touch);
      this.#recompute(dirty, touch);
    });
  }

  #replaceOutbox(outbox: readonly Change[], touch: (kind: Kind, key: string) => void): void {
    const changes = new Map<ThingKey, Change[]>();
    const add = (name: ThingKey, change: Change): void => {
      const known = changes.get(name);
      if (known) known.push(change);
      else changes.set(name, [change]);
    };
    for (const change of outbox) {
      if (change.aside) continue;
      add(thingKey(change.kind, change.thing), change);
      for (const name of change.touches ?? []) add(name, change);
    }
    for (const name of new Set([...changes.keys(), ...this.#changes.keys()])) {
      if (isSame(changes.get(name), this.#changes.get(name))) continue;
      const at = name.indexOf(':');
      touch(name.slice(0, at) as Kind, name.slice(at + 1));
    }
    this.#changes = changes;
  }

  /** In the order of kinds, since a task shows only while its list does, and a list while its space does. */
  #recompute(dirty: Map<Kind, Set<string>>, touch: (kind: Kind, key: string) => void): void {
    let hasNewStatuses = false;
    const all = new Map<Kind, [Row | undefined, Row | undefined][]>();
    for (const [kind, keys] of dirty) {
      const moves: [Row | undefined, Row | undefined][] = [];
      const rows = this.#rows.get(kind) ?? new Map<string, Row>();
      for (const key of keys) {
        const before = rows.get(key);
        const after = this.#compute(kind, key);
        if (after === before) continue;
        if (after) rows.set(key, after);
        else rows.delete(key);
        const shown = this.#signals.get(thingKey(kind, key));
        if (shown) shown.value = after;
        moves.push([before, after]);
        if (kind === 'statusTemplate') {
          this.#learnStatuses(before, after);
          hasNewStatuses = true;
        }
        if (!before !== !after) this.#touchContents(kind, key, touch);
      }
      if (moves.length > 0) all.set(kind, moves);
    }
    if (hasNewStatuses) this.#refreshLists();
    else
      for (const [kind, moves] of all)
        for (const live of this.#live.get(kind) ?? []) live.move(moves, this.#rows.get(kind)?.values() ?? []);
  }

  #compute(kind: Kind, key: string): Row | undefined {
    let row = this.get(kind, key);
    const empty = EMPTY[kind];
    // A field that the server did not name has its empty value.
    if (row && empty && Object.keys(empty).some((name) => row?.[name] === undefined))
      row = { ...empty, ...row };
    for (const change of this.#changes.get(thingKey(kind, key)) ?? [])
      row = replay(row, change, kind, key, this.#context);
    if (!row) return undefined;
    if ((kind === 'task' || kind === 'recurringTask') && !this.row('list', String(row.listId)))
      return undefined;
    if (kind === 'list') {
      if (!this.row('space', String(row.spaceId))) return undefined;
      const statuses = this.row('statusTemplate', String(row.statusTemplateId))?.statuses;
      if (statuses && row.statuses !== statuses) return { ...row, statuses };
    }
    return row;
  }

  /** Conditions look at types of statuses, which no task contains. */
  #refreshLists(): void {
    for (const [kind, watching] of this.#live)
      for (const live of watching) live.refresh(this.#rows.get(kind)?.values() ?? []);
  }

  #touchContents(kind: Kind, key: string, touch: (kind: Kind, key: string) => void): void {
    const scan = (inner: Kind, field: string): void => {
      for (const [id, { value }] of this.#base.get(inner) ?? []) if (value[field] === key) touch(inner, id);
      for (const [name, changes] of this.#changes)
        if (
          name.startsWith(`${inner}:`) &&
          changes.some(({ fields, before }) => (fields[field] ?? before?.[field]) === key)
        )
          touch(inner, name.slice(inner.length + 1));
    };
    if (kind === 'statusTemplate') scan('list', 'statusTemplateId');
    if (kind === 'space') scan('list', 'spaceId');
    if (kind === 'list') {
      scan('task', 'listId');
      scan('recurringTask', 'listId');
    }
  }

  #learnStatuses(before: Row | undefined, after: Row | undefined): void {
    for (const { id } of (before?.statuses ?? []) as Status[]) this.#statuses.delete(id);
    for (const status of (after?.statuses ?? []) as Status[]) this.#statuses.set(status.id, status);
  }
}

const isSame = (a: readonly Change[] | undefined, b: readonly Change[] | undefined): boolean =>
  a?.length === b?.length && !!a?.every((change, index) => isSameEntry(change, b?.[index]));

/** An entry read from the disk is another object; what it does changes only with its fields. */
const isSameEntry = (a: Change, b: Change | undefined): boolean =>
  a === b || (a.id === b?.id && isEqual(a.fields, b.fields));
