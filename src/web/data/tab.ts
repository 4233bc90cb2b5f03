import { batch, type Signal, signal } from '@preact/signals';
import type { Api } from './api.ts';
import { addAllToOutbox, type Change, editsOf } from './change.ts';
import {
  type Disk,
  type DiskState,
  type Lease,
  MemoryDisk,
  type Snapshot,
  type Writes,
  writesRows,
} from './disk.ts';
import type { Position } from './feed.ts';
import { Flights } from './flights.ts';
import type { Channel, Message, World } from './surroundings.ts';
import { View } from './view.ts';

/** The comments of a task that are held, and kept in step; while `isLoading` they are still asked for. */
export interface Thread {
  workspaceId: string;
  taskId: string;
  isLoading: boolean;
}

/** One open page: its copy of the rows, in step with the disk and with the other tabs of the same user. */
export class Tab {
  readonly id: string;
  readonly userId: string;
  readonly api: Api;
  readonly world: World;
  readonly view: View;
  readonly positions = new Map<string, Position>();
  readonly flights = new Flights();
  readonly notes = new Map<string, unknown>();
  /** The outbox, what was set aside included. */
  readonly outbox: Signal<readonly Change[]> = signal([]);
  /** Whether what is done here outlives the page, once it is on the disk. */
  readonly isDurable: Signal<boolean>;
  /** How many acts show, and are not on the disk yet. */
  readonly saving = signal(0);
  readonly isLoaded = signal(false);
  /** Whether all that the device holds was read, not only what a screen showed last. */
  readonly isWhole = signal(false);
  /** Grows whenever notes or positions change. */
  readonly noted = signal(0);
  readonly #channel: Channel;
  readonly #listeners = new Set<(message: Message) => void>();
  #disk: Disk;
  #queue: Promise<unknown> = Promise.resolve();
  #stored: readonly Change[] = [];
  /** Done here, and not on the disk yet. */
  #unsaved: Change[] = [];
  #revision = 0;
  #rowRevision = 0;
  #era: number | null = null;
  #outboxEra = 0;
  #isClosed = false;
  /** The lease that this tab leads by. */
  lease: Lease | null = null;

  constructor(options: { id: string; userId: string; api: Api; world: World; disk: Disk; channel: Channel }) {
    this.id = options.id;
    this.userId = options.userId;
    this.api = options.api;
    this.world = options.world;
    this.#disk = options.disk;
    this.#channel = options.channel;
    this.isDurable = signal(options.disk.isDurable);
    this.view = new View(options.userId);
    this.#channel.listen((message) => this.#hear(message));
  }

  get threads(): readonly Thread[] {
    return (this.notes.get('threads') ?? []) as Thread[];
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads what a screen showed last, to be painted while everything is read. */
  async loadFirst(screen: string): Promise<void> {
    const first = await this.#disk.readFirst(screen);
    if (!first || this.#isClosed) return;
    this.#era = first.era;
    this.#outboxEra = first.outboxEra;
    this.#stored = first.outbox;
    this.#note(first);
    this.#show({ put: first.rows, remove: [] });
    this.noted.value++;
    this.isLoaded.value = true;
  }

  #note({ positions, notes }: Pick<Snapshot, 'positions' | 'notes'>): void {
    this.positions.clear();
    for (const position of positions) this.positions.set(position.workspaceId, position);
    this.notes.clear();
    for (const [name, value] of Object.entries(notes)) this.notes.set(name, value);
  }

  /** Reads everything from the disk; also after messages were missed. */
  async load(): Promise<void> {
    if (this.#isClosed) return;
    const snapshot = await this.#disk.read();
    const { rows, positions, outbox, revision, rowRevision, era } = snapshot;
    if (this.#isClosed || rowRevision < this.#rowRevision) return;
    if (this.#era === null) this.#outboxEra = snapshot.outboxEra;
    this.#era ??= era;
    if (this.#era !== era) return this.#end();
    const kept = new Set(rows.map(({ kind, key }) => `${kind}:${key}`));
    const gone = this.view.held().filter(({ kind, key }) => !kept.has(`${kind}:${key}`));
    this.#note(snapshot);
    this.#rowRevision = rowRevision;
    if (revision >= this.#revision) {
      this.#revision = revision;
      this.#stored = outbox;
    }
    this.flights.noteReset(positions.map(({ workspaceId }) => workspaceId));
    this.#show({ put: rows, remove: gone });
    this.noted.value++;
  }

  /** All that the device holds was read. */
  showWhole(): void {
    this.isLoaded.value = true;
    this.isWhole.value = true;
  }

  /** One transaction: decides, writes, and shows what was written here and in the other tabs. */
  commit(decide: (state: DiskState) => Writes | null, isStrict = false): Promise<Writes | null> {
    const next = this.#queue.then(() => this.#commit(decide, isStrict));
    this.#queue = next.catch(() => {});
    return next;
  }

  /** The same for the leader: nothing is written once another tab leads. */
  commitAsLeader(decide: (state: DiskState) => Writes | null): Promise<Writes | null> {
    return this.commit((state) => {
      if (!this.leads(state)) {
        this.lease = null;
        return null;
      }
      return decide(state);
    });
  }

  /** Whether the row on the disk says that this tab leads. */
  leads({ lease }: DiskState): boolean {
    return this.lease !== null && lease?.tab === this.id && lease.fence === this.lease.fence;
  }

  async #commit(decide: (state: DiskState) => Writes | null, isStrict: boolean): Promise<Writes | null> {
    if (this.#isClosed) return null;
    let isErased = false;
    const decideInEra = (state: DiskState): Writes | null => {
      const writes = decide(state);
      isErased = this.#era !== null && state.era !== this.#era;
      if (!isErased || !writes) return writes;
      // What was done stays for the same person, unless they signed out; rows must not come back.
      return writes.changes && state.outboxEra === this.#outboxEra ? { changes: writes.changes } : null;
    };
    const written = await this.#disk.write(decideInEra, isStrict).catch((error: unknown) => {
      if (this.#isClosed || !this.#disk.isDurable) throw error;
      return this.#goOnInMemory().write(decide);
    });
    if (isErased) this.#end();
    if (!written || this.#isClosed) return null;
    const { writes, outbox, revision, rowRevision } = written;
    this.#channel.post({ kind: 'written', revision, rowRevision, writes, outbox });
    const hasRows = rowRevision > this.#rowRevision;
    // One that wrote only to the outbox tells the number of a transaction that wrote rows before it.
    const isNext = writesRows(writes) && rowRevision === this.#rowRevision + 1;
    this.#revision = Math.max(revision, this.#revision);
    this.#stored = outbox;
    if (hasRows && isNext) this.#take(writes, rowRevision);
    this.#show(hasRows && isNext ? rowsOf(writes) : NOTHING);
    if (hasRows && !isNext) await this.load();
    return writes;
  }

  /** The device cannot store (any more): from here on this page stands for itself. */
  #goOnInMemory(): Disk {
    const snapshot = {
      rows: this.view.held(),
      positions: [...this.positions.values()],
      outbox: [...this.#stored],
      notes: Object.fromEntries(this.notes),
      revision: 0,
      rowRevision: 0,
      era: this.#era ?? 0,
      outboxEra: this.#outboxEra,
    };
    this.#disk = new MemoryDisk(false, snapshot, this.#disk);
    this.#revision = 0;
    this.#rowRevision = 0;
    this.isDurable.value = false;
    return this.#disk;
  }

  #hear(message: Message): void {
    if (this.#isClosed) return;
    for (const listener of this.#listeners) listener(message);
    if (message.kind !== 'written' || !this.isDurable.value) return;
    const { revision, rowRevision, writes, outbox } = message;
    if (revision === this.#revision + 1) {
      this.#revision = revision;
      this.#stored = outbox;
    }
    const isNext = writesRows(writes) && rowRevision === this.#rowRevision + 1;
    if (isNext) this.#take(writes, rowRevision);
    this.#show(isNext ? rowsOf(writes) : NOTHING);
    // Messages were missed, or this one is not true: the disk knows.
    if (revision > this.#revision || rowRevision > this.#rowRevision) void this.catchUp();
  }

  /** Looks whether messages were missed, as a page does that was asleep. */
  async catchUp(): Promise<void> {
    let isBehind = false;
    await this.commit(({ rowRevision, revision, outbox }) => {
      isBehind = rowRevision !== this.#rowRevision;
      if (revision > this.#revision) {
        this.#revision = revision;
        this.#stored = outbox;
      }
      return null;
    });
    if (isBehind) await this.load();
    else if (!this.#isClosed) this.#show(NOTHING);
  }

  #take({ rows, positions, forget, notes }: Writes, rowRevision: number): void {
    this.#rowRevision = rowRevision;
    const reset = [...(forget ?? [])];
    for (const { workspaceId, loads } of positions ?? [])
      if (this.positions.get(workspaceId)?.loads !== loads) reset.push(workspaceId);
    for (const id of forget ?? []) this.positions.delete(id);
    for (const position of positions ?? []) this.positions.set(position.workspaceId, position);
    for (const [name, value] of Object.entries(notes ?? {})) this.notes.set(name, value);
    if (notes ?? positions ?? forget) this.noted.value++;
    this.flights.noteReset(reset);
    this.flights.noteTouched([...(rows?.remove ?? []), ...(rows?.put ?? [])]);
  }

  #show(writes: Parameters<View['update']>[0]): void {
    const outbox = [...this.#stored, ...this.#unsaved];
    this.view.update(writes, outbox);
    this.outbox.value = outbox;
  }

  /** Does something at once: it shows before it is on the disk, where a crash does not undo it. */
  async add(changes: readonly Change[]): Promise<Writes | null> {
    batch(() => {
      this.#unsaved.push(...changes);
      this.#show(NOTHING);
      this.saving.value++;
    });
    const ids = new Set(changes.map(({ id }) => id));
    try {
      return await this.commit(({ outbox }) => {
        const writes = addAllToOutbox(changes, outbox, this.view, this.world.now());
        this.#unsaved = this.#unsaved.filter(({ id }) => !ids.has(id));
        return { changes: writes };
      }, true);
    } finally {
      this.saving.value--;
    }
  }

  /** Edits entries of the outbox; those that `edit` returns null for go. */
  async editOutbox(chosen: readonly Change[], edit: (change: Change) => Change | null): Promise<void> {
    await this.commit(({ outbox }) => ({ changes: editsOf(outbox, chosen, edit) }));
  }

  listen(listener: (message: Message) => void): void {
    this.#listeners.add(listener);
  }

  tell(message: Message): void {
    if (!this.#isClosed) this.#channel.post(message);
  }

  /** Everything was erased by another tab while this one did not listen. */
  #end(): void {
    for (const listener of this.#listeners) listener({ kind: 'signedOut' });
  }

  /** Removes the rows that the device holds, or everything, and ends. */
  async erase(keepOutbox: boolean): Promise<void> {
    await this.#queue;
    if (keepOutbox) await this.#disk.erase(true);
    else await this.#disk.destroy();
    this.close();
  }

  /** Ends once the disk has what was done here: it stays for the same person. */
  async end(): Promise<void> {
    await this.#queue;
    this.close();
  }

  /** Ends as its page goes, and gives the lease back: what its requests come to is not told any more. */
  leave(): void {
    this.tell({ kind: 'leaving' });
    this.#isClosed = true;
    this.#channel.close();
    this.#disk.leave(this.lease);
    this.lease = null;
  }

  close(): void {
    this.#isClosed = true;
    this.#channel.close();
    this.#disk.close();
  }
}

const NOTHING = { put: [], remove: [] };
const rowsOf = ({ rows, forget }: Writes): Parameters<View['update']>[0] => ({
  put: rows?.put ?? [],
  remove: rows?.remove ?? [],
  forget,
});
