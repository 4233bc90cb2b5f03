import { type Change, editsOf } from './change.ts';
import type { Position, RowWrites } from './feed.ts';
import type { Held } from './rows.ts';

/** The right to send, held by one tab at a time; `fence` grows each time it changes hands. */
export interface Lease {
  tab: string;
  fence: number;
  until: number;
}

/** The note `shown`: by the path of a screen, the tasks that it showed last at its top. */
export type Shown = Record<string, readonly string[]>;

/** What happened to the disk so far, in numbers that only grow. */
interface Counts {
  /** Transactions. */
  revision: number;
  /** Those that wrote more than the outbox, so that a tab that missed one notices. */
  rowRevision: number;
  /** How often the rows were erased: a tab of before must not write what it still holds. */
  era: number;
  /** How often the outbox was erased as well: then nothing that was done before may come back either. */
  outboxEra: number;
}

/** What a transaction may look at before it decides what to write. */
export interface DiskState extends Counts {
  lease: Lease | null;
  outbox: Change[];
}

export interface Writes {
  lease?: Lease | null;
  rows?: RowWrites;
  positions?: Position[];
  /** Workspaces whose rows and position go. */
  forget?: string[];
  changes?: { put: Change[]; remove: number[] };
  /** Profile and the like, by name. */
  notes?: Record<string, unknown>;
}

/** Everything that a page needs to paint before it asks the server. */
export interface Snapshot extends Counts {
  rows: Held[];
  positions: Position[];
  outbox: Change[];
  notes: Record<string, unknown>;
}

/** What a transaction wrote, and the outbox after it. */
export interface Written extends Pick<Counts, 'revision' | 'rowRevision'> {
  writes: Writes;
  outbox: Change[];
}

export const writesRows = ({ rows, positions, forget, notes }: Writes): boolean =>
  !!(rows || positions || forget || notes);

/** The outbox as it is after some writes. */
export function outboxAfter(outbox: readonly Change[], { changes }: Writes): Change[] {
  if (!changes) return [...outbox];
  const bySeq = new Map(outbox.map((change) => [change.seq, change]));
  for (const seq of changes.remove) bySeq.delete(seq);
  for (const change of changes.put) bySeq.set(change.seq, change);
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** The storage of one user on this device. Each `write` is one transaction. */
export interface Disk {
  readonly isDurable: boolean;
  read(): Promise<Snapshot>;
  /** What is around tasks, and those tasks that a screen showed last; null where that is not known. */
  readFirst(screen: string): Promise<Snapshot | null>;
  /**
   * Decides and writes in one transaction; `decide` returns null where nothing is to be written. With `isStrict`, what
   * was written outlives a crash of the device once this resolves.
   */
  write(decide: (state: DiskState) => Writes | null, isStrict?: boolean): Promise<Written | null>;
  /** Removes all but the outbox, or all; a new era begins. */
  erase(keepOutbox: boolean): Promise<void>;
  /** Removes all, and the place where it was. */
  destroy(): Promise<void>;
  /**
   * Closes it for a page that goes: what is under way ends at once, and this lease with it. In a page that WebKit keeps
   * for going back to, a transaction would stay open, and no other page would get past it.
   */
  leave(lease: Lease | null): void;
  close(): void;
}

/** What is kept while the page is open, where the device cannot store; and what tests run on. */
export class MemoryDisk implements Disk {
  readonly isDurable: boolean;
  readonly #rows = new Map<string, Held>();
  readonly #positions = new Map<string, Position>();
  #outbox: Change[] = [];
  readonly #notes = new Map<string, unknown>();
  #lease: Lease | null = null;
  readonly #counts: Counts = { revision: 0, rowRevision: 0, era: 0, outboxEra: 0 };
  /** The disk that failed and that this one stands in for: what goes here goes there too, as far as it can. */
  readonly #failed: Disk | undefined;

  constructor(isDurable = false, snapshot?: Snapshot, failed?: Disk) {
    this.isDurable = isDurable;
    this.#failed = failed;
    if (!snapshot) return;
    const { rows, positions, outbox, notes, ...counts } = snapshot;
    this.#counts = counts;
    const changes = { put: outbox, remove: [] };
    this.#apply({ rows: { put: rows, remove: [] }, positions, changes, notes });
  }

  read(): Promise<Snapshot> {
    const snapshot = {
      rows: [...this.#rows.values()],
      positions: [...this.#positions.values()],
      outbox: this.#outbox,
      notes: Object.fromEntries(this.#notes),
      ...this.#counts,
    };
    return Promise.resolve(structuredClone(snapshot));
  }

  readFirst(): Promise<null> {
    return Promise.resolve(null);
  }

  write(decide: (state: DiskState) => Writes | null): Promise<Written | null> {
    return new Promise((resolve) => {
      const state = { lease: this.#lease, outbox: this.#outbox, ...this.#counts };
      const writes = structuredClone(decide(structuredClone(state)));
      if (!writes) return resolve(null);
      this.#removeFromFailed(writes);
      this.#apply(writes);
      this.#counts.revision++;
      if (writesRows(writes)) this.#counts.rowRevision++;
      const { revision, rowRevision } = this.#counts;
      resolve(structuredClone({ writes, outbox: this.#outbox, revision, rowRevision }));
    });
  }

  #apply({ lease, rows, positions, forget, changes, notes }: Writes): void {
    if (lease !== undefined) this.#lease = lease;
    for (const id of forget ?? []) {
      this.#positions.delete(id);
      for (const [key, row] of this.#rows) if (row.workspaceId === id) this.#rows.delete(key);
    }
    for (const { kind, key } of rows?.remove ?? []) this.#rows.delete(`${kind}:${key}`);
    for (const row of rows?.put ?? []) this.#rows.set(`${row.kind}:${row.key}`, row);
    for (const position of positions ?? []) this.#positions.set(position.workspaceId, position);
    if (changes) this.#outbox = outboxAfter(this.#outbox, { changes });
    for (const [name, value] of Object.entries(notes ?? {})) this.#notes.set(name, value);
  }

  /** What was sent from here must not be sent again by the next visit. */
  #removeFromFailed({ changes }: Writes): void {
    const gone = this.#outbox.filter(({ seq }) => changes?.remove.includes(seq));
    if (gone.length === 0) return;
    void this.#failed
      ?.write(({ outbox }) => ({ changes: editsOf(outbox, gone, () => null) }))
      .catch(() => {});
  }

  async erase(keepOutbox: boolean): Promise<void> {
    this.#rows.clear();
    this.#positions.clear();
    this.#notes.clear();
    this.#lease = null;
    if (!keepOutbox) this.#outbox = [];
    this.#counts.outboxEra += Number(!keepOutbox);
    this.#counts.era++;
    this.#counts.revision++;
    this.#counts.rowRevision++;
    await this.#failed?.erase(keepOutbox).catch(() => {});
  }

  async destroy(): Promise<void> {
    await this.erase(false);
    await this.#failed?.destroy();
  }

  leave(lease: Lease | null): void {
    if (lease) this.#lease = { ...lease, until: 0 };
    this.#failed?.leave(null);
  }

  close(): void {
    this.#failed?.close();
  }
}
