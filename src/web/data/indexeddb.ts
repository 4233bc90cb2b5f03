import type { Change } from './change.ts';
import {
  type Disk,
  type DiskState,
  type Lease,
  outboxAfter,
  type Shown,
  type Snapshot,
  type Writes,
  type Written,
  writesRows,
} from './disk.ts';
import type { Position } from './feed.ts';
import type { Held, Kind } from './rows.ts';

const STORES = ['rows', 'positions', 'outbox', 'notes'] as const;
const BATCH = 2_000;
/** What screens need beside tasks: few rows. */
const AROUND: readonly Kind[] = ['workspace', 'member', 'statusTemplate', 'space', 'list', 'label'];
const LEASE = '#lease';
const REVISION = '#revision'; // [of all, of rows]
const ERA = '#era';
const OUTBOX_ERA = '#outboxEra';

type Revisions = [number, number];

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The rows, positions, outbox and notes of one user in IndexedDB. */
export class IndexedDbDisk implements Disk {
  readonly isDurable = true;
  readonly #db: IDBDatabase;
  readonly #factory: IDBFactory;
  readonly #underWay = new Set<IDBTransaction>();
  #hasLeft = false;

  private constructor(db: IDBDatabase, factory: IDBFactory) {
    this.#db = db;
    this.#factory = factory;
  }

  /** Opens the database of a user; rejects where the device cannot store. */
  static async open(userId: string, factory: IDBFactory = indexedDB): Promise<IndexedDbDisk> {
    const name = `errand-${userId}`;
    const request = factory.open(name, 1);
    request.onupgradeneeded = () => {
      const db = request.result;
      const rows = db.createObjectStore('rows', { keyPath: ['kind', 'key'] });
      rows.createIndex('workspace', 'workspaceId');
      db.createObjectStore('positions', { keyPath: 'workspaceId' });
      db.createObjectStore('outbox', { keyPath: 'seq' });
      db.createObjectStore('notes');
    };
    let isNewer = false;
    const db = await done(request).catch((error: DOMException) => {
      isNewer = error.name === 'VersionError';
      if (isNewer) return done(factory.open(name));
      throw error;
    });
    // Another tab signs out: it may delete the database.
    db.onversionchange = () => db.close();
    const disk = new IndexedDbDisk(db, factory);
    // The rows of a newer build may have another shape; what was not sent stays.
    if (isNewer) await disk.erase(true);
    return disk;
  }

  read(): Promise<Snapshot> {
    return this.#snapshot((store) => this.#readRows(store));
  }

  async readFirst(screen: string): Promise<Snapshot | null> {
    let isNoted = false;
    // In one transaction: closing the database meanwhile waits for its end.
    const snapshot = await this.#snapshot(async (store) => {
      const notes = store.transaction.objectStore('notes');
      const ids = (await this.#done<Shown | undefined>(notes.get('shown')))?.[screen];
      isNoted = ids !== undefined;
      if (!ids) return [];
      const around = AROUND.map((kind) =>
        this.#done<Held[]>(store.getAll(IDBKeyRange.bound([kind], [kind, []]))),
      );
      const tasks = ids.map((id) => this.#done<Held | undefined>(store.get(['task', id])));
      const found = [...(await Promise.all(around)).flat(), ...(await Promise.all(tasks))];
      return found.filter((row) => row !== undefined);
    });
    return isNoted ? snapshot : null;
  }

  /** Of what is under way when its page goes nothing is told any more. */
  async #done<T>(request: IDBRequest<T>): Promise<T> {
    try {
      return await done(request);
    } catch (error) {
      if (this.#hasLeft) return new Promise(() => {});
      throw error;
    }
  }

  #begin(mode: IDBTransactionMode, options?: IDBTransactionOptions): IDBTransaction {
    const tx = this.#db.transaction([...STORES], mode, options);
    this.#underWay.add(tx);
    for (const end of ['complete', 'abort']) tx.addEventListener(end, () => this.#underWay.delete(tx));
    return tx;
  }

  async #snapshot(readRows: (store: IDBObjectStore) => Promise<Held[]>): Promise<Snapshot> {
    const tx = this.#begin('readonly');
    const names = this.#done(tx.objectStore('notes').getAllKeys());
    const values = this.#done(tx.objectStore('notes').getAll());
    const positions = this.#done<Position[]>(tx.objectStore('positions').getAll());
    const outbox = this.#done<Change[]>(tx.objectStore('outbox').getAll());
    const rows = await readRows(tx.objectStore('rows'));
    const all = new Map((await names).map((name, index) => [String(name), index]));
    const found = await values;
    const notes: Record<string, unknown> = {};
    for (const [name, index] of all) if (!name.startsWith('#')) notes[name] = found[index];
    const [revision, rowRevision] = (found[all.get(REVISION) ?? -1] ?? [0, 0]) as Revisions;
    const era = (found[all.get(ERA) ?? -1] ?? 0) as number;
    const outboxEra = (found[all.get(OUTBOX_ERA) ?? -1] ?? 0) as number;
    const counts = { revision, rowRevision, era, outboxEra };
    return { rows, positions: await positions, outbox: await outbox, notes, ...counts };
  }

  /** One note alone. */
  async note(name: string): Promise<unknown> {
    return await this.#done(this.#begin('readonly').objectStore('notes').get(name));
  }

  /** In batches, so that no single result is huge. */
  async #readRows(store: IDBObjectStore): Promise<Held[]> {
    const rows: Held[] = [];
    let range: IDBKeyRange | null = null;
    for (;;) {
      const batch: Held[] = await this.#done(store.getAll(range, BATCH));
      for (const row of batch) rows.push(row);
      const last = batch.at(-1);
      if (!last || batch.length < BATCH) return rows;
      range = IDBKeyRange.lowerBound([last.kind, last.key], true);
    }
  }

  write(decide: (state: DiskState) => Writes | null, isStrict = false): Promise<Written | null> {
    return new Promise((resolve, reject) => {
      const tx = this.#begin('readwrite', { durability: isStrict ? 'strict' : 'default' });
      const notes = tx.objectStore('notes');
      const lease = notes.get(LEASE) as IDBRequest<Lease | undefined>;
      const revision = notes.get(REVISION) as IDBRequest<Revisions | undefined>;
      const era = notes.get(ERA) as IDBRequest<number | undefined>;
      const outboxEra = notes.get(OUTBOX_ERA) as IDBRequest<number | undefined>;
      const outbox = tx.objectStore('outbox').getAll() as IDBRequest<Change[]>;
      let result: Written | null = null;
      let failure: unknown = null;
      // Requests of a transaction succeed in order, so the last one has them all.
      outbox.onsuccess = () => {
        try {
          const [before, rowsBefore] = revision.result ?? [0, 0];
          const state = {
            lease: lease.result ?? null,
            outbox: outbox.result,
            revision: before,
            rowRevision: rowsBefore,
            era: era.result ?? 0,
            outboxEra: outboxEra.result ?? 0,
          };
          const writes = decide(state);
          if (!writes) return;
          const after: Revisions = [before + 1, rowsBefore + Number(writesRows(writes))];
          result = {
            writes,
            outbox: outboxAfter(outbox.result, writes),
            revision: after[0],
            rowRevision: after[1],
          };
          notes.put(after, REVISION);
          this.#apply(tx, writes);
        } catch (error) {
          failure = error;
          tx.abort();
        }
      };
      tx.oncomplete = () => resolve(result);
      tx.onabort = () => this.#hasLeft || reject(failure ?? tx.error);
    });
  }

  #apply(tx: IDBTransaction, { lease, rows, positions, forget, changes, notes }: Writes): void {
    const [rowStore, positionStore] = [tx.objectStore('rows'), tx.objectStore('positions')];
    const [outbox, noteStore] = [tx.objectStore('outbox'), tx.objectStore('notes')];
    if (lease !== undefined) noteStore.put(lease, LEASE);
    for (const seq of changes?.remove ?? []) outbox.delete(seq);
    for (const change of changes?.put ?? []) outbox.put(change);
    for (const [name, value] of Object.entries(notes ?? {})) noteStore.put(value, name);
    for (const id of forget ?? []) positionStore.delete(id);
    const forgotten = (forget ?? []).map((id) => rowStore.index('workspace').getAllKeys(id));
    const write = (): void => {
      for (const { result } of forgotten) for (const key of result) rowStore.delete(key);
      for (const { kind, key } of rows?.remove ?? []) rowStore.delete([kind, key]);
      for (const row of rows?.put ?? []) rowStore.put(row);
      for (const position of positions ?? []) positionStore.put(position);
      // What is asked for by now is kept even if the page closes before it hears that.
      tx.commit();
    };
    const last = forgotten.at(-1);
    if (last) last.onsuccess = write;
    else write();
  }

  async erase(keepOutbox: boolean): Promise<void> {
    const tx = this.#begin('readwrite');
    const notes = tx.objectStore('notes');
    const before = notes.get(ERA) as IDBRequest<number | undefined>;
    const outboxBefore = notes.get(OUTBOX_ERA) as IDBRequest<number | undefined>;
    const revision = notes.get(REVISION) as IDBRequest<Revisions | undefined>;
    revision.onsuccess = () => {
      for (const name of STORES) if (name !== 'outbox' || !keepOutbox) tx.objectStore(name).clear();
      const [all, ofRows] = revision.result ?? [0, 0];
      notes.put((before.result ?? 0) + 1, ERA);
      notes.put((outboxBefore.result ?? 0) + Number(!keepOutbox), OUTBOX_ERA);
      notes.put([all + 1, ofRows + 1], REVISION);
    };
    await new Promise<void>((resolve, reject) => {
      tx.oncomplete = () => resolve();
      tx.onabort = () => this.#hasLeft || reject(tx.error);
    });
  }

  /** Erases at once; the database itself goes as soon as every other tab has let go of it. */
  async destroy(): Promise<void> {
    // Of a database that failed, what it holds goes with it.
    await this.erase(false).catch(() => {});
    this.#db.close();
    const request = this.#factory.deleteDatabase(this.#db.name);
    await new Promise<void>((resolve) => {
      request.onsuccess = () => resolve();
      request.onerror = () => resolve();
      request.onblocked = () => resolve();
    });
  }

  leave(lease: Lease | null): void {
    this.#hasLeft = true;
    for (const tx of this.#underWay) {
      try {
        tx.abort();
      } catch {
        // It has all it was asked for and ends by itself.
      }
    }
    if (lease) {
      const tx = this.#begin('readwrite');
      tx.objectStore('notes').put({ ...lease, until: 0 }, LEASE);
      tx.commit();
    }
    this.#db.close();
  }

  close(): void {
    this.#db.close();
  }
}
