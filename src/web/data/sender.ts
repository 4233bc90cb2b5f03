import type { Outcome } from './api.ts';
import { type Change, dependentsOf, editsOf, isDroppable, mayAdvance, setAside, textOf } from './change.ts';
import { deletionOf, type RowWrites } from './feed.ts';
import type { Flight } from './flights.ts';
import { type Batch, nextBatch } from './next-batch.ts';
import { ifMatchOf, isBatched, operationOf, requestOf } from './requests.ts';
import { type ChangeResult, isDenied, isDone, isStatusGone, renameLabel, resultsOf } from './results.ts';
import type { Kind, Row, Task } from './rows.ts';
import type { Tab } from './tab.ts';

const RETRY_500_MS = [1_000, 5_000, 15_000];
/** How often a change is sent again because of what others did meanwhile. */
const MAX_CONFLICTS = 5;
const MAX_BACKOFF_MS = 30_000;
/** A shorter wait that the server asks for is over before it is read. */
const TOLD_WAIT_S = 10;

interface SenderEvents {
  onReach(isReached: boolean): void;
  onSignedOut(): void;
  /**
   * Whether a 403 or 404 means that the workspace, or the right to write in it, is lost; then its changes are set aside.
   * Null where that cannot be known now.
   */
  isLost(workspaceId: string): Promise<boolean | null>;
  /** Reads what is new of a workspace; returns whether that was possible. */
  onStale(workspaceId: string): Promise<boolean>;
  onAhead(key: string, version: number): void;
  onAside(changes: readonly Change[]): void;
}

/** Sends the outbox in order, from the leading tab. */
export class Sender {
  readonly #tab: Tab;
  readonly #events: SenderEvents;
  #isRunning = false;
  #isAgain = false;
  #failures = 0;
  /** Until when nothing is sent, as the server asked, or since it failed. */
  #notBefore = 0;
  #cancel: () => void = () => {};
  #isStopped = true;

  constructor(tab: Tab, events: SenderEvents) {
    this.#tab = tab;
    this.#events = events;
  }

  start(): void {
    this.#isStopped = false;
    this.wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Looks at the outbox now. */
  wake(): void {
    this.#cancel();
    if (this.#isStopped) return;
    const rest = this.#notBefore - this.#tab.world.now();
    if (this.#isRunning) this.#isAgain = true;
    else if (rest > 0) this.#cancel = this.#tab.world.after(rest, () => this.wake());
    else void this.#loop();
  }

  async #loop(): Promise<void> {
    this.#isRunning = true;
    let wait: number | null = 0;
    try {
      do {
        this.#isAgain = false;
        wait = await this.#step();
      } while (!this.#isStopped && !this.#tab.isClosed && (wait === 0 || (wait === null && this.#isAgain)));
    } catch {
      wait = 1_000;
    }
    this.#isRunning = false;
    if (wait !== null && wait > 0 && !this.#isStopped && !this.#tab.isClosed)
      this.#cancel = this.#tab.world.after(wait, () => this.wake());
  }

  /** Sends one request; returns how long to wait before the next, null until there is something new. */
  async #step(): Promise<number | null> {
    const { view, world } = this.#tab;
    const prepared: { batch?: Batch } = {};
    await this.#tab.commitAsLeader(({ outbox }) => {
      const batch = nextBatch(outbox, view, world.now());
      prepared.batch = batch;
      return batch.changes && { changes: batch.changes };
    });
    const { batch } = prepared;
    if (!batch) return null;
    const aside = batch.changes?.put.filter((change) => change.aside) ?? [];
    if (aside.length > 0) this.#events.onAside(aside);
    if (batch.send.length > 0) return await this.#send(batch.send);
    if (batch.changes) return 0;
    return batch.soonest === null ? null : Math.max(1, batch.soonest - world.now());
  }

  #ifMatch(change: Change): string | null {
    const row = this.#tab.view.get(change.kind, change.thing);
    const epoch = this.#tab.positions.get(change.workspaceId)?.epoch ?? null;
    return ifMatchOf(change, row, epoch);
  }

  async #send(group: Change[]): Promise<number | null> {
    const [first] = group;
    if (!first) return 0;
    const flight = this.#tab.flights.start();
    try {
      const { api } = this.#tab;
      if (!isBatched(first)) {
        const { method, path, body, ifMatch } = requestOf(first, this.#ifMatch(first));
        const outcome = await api.request(method, path, body, ifMatch);
        return await this.#handle([first], outcome, flight);
      }
      const operations = group.map((change) => operationOf(change, this.#ifMatch(change)));
      const path = `workspaces/${first.workspaceId}/tasks/batch`;
      const outcome = await api.request('POST', path, { operations });
      return await this.#handle(group, outcome, flight);
    } finally {
      this.#tab.flights.end(flight);
    }
  }

  async #handle(group: Change[], outcome: Outcome, flight: Flight): Promise<number | null> {
    const waits =
      outcome.kind === 'network' || [401, 429, 503].includes(outcome.kind === 'error' ? outcome.status : 0);
    if (waits) return await this.#waitFor(outcome);
    this.#failures = 0;
    this.#events.onReach(true);
    if (outcome.kind === 'error') {
      const { status } = outcome;
      if (status === 413 && group.length > 1) return await this.#limit(group, Math.ceil(group.length / 2));
      if (status === 500) return await this.#fail500(group, outcome);
      if (group.length > 1 && status !== 403 && status !== 404) return await this.#limit(group, 1);
    }
    const results = resultsOf(group, outcome);
    const broken = results.filter(({ result }) => result.kind === 'error' && result.status >= 500);
    const rest = results.filter((result) => !broken.includes(result));
    const denied = rest.find(({ change, result }) => isDenied(change, result));
    if (denied) {
      const isLost = await this.#events.isLost(denied.change.workspaceId);
      if (isLost === null) return this.#backOff();
      if (isLost) return 0;
    }
    const stale = rest.find(({ change, result }) => isStatusGone(change, result));
    if (stale && !(await this.#events.onStale(stale.change.workspaceId))) return this.#backOff();
    for (const { change, result } of rest)
      if (result.kind === 'error' && result.status === 412) await this.#refresh(change);
    // How far a series went is here before the change leaves the outbox, so that it can be taken back from then on.
    const advanced = rest.find(({ change, result }) => result.kind === 'ok' && this.#isUpcoming(change));
    if (advanced) await this.#events.onStale(advanced.change.workspaceId);
    await this.#write(rest, flight);
    if (broken.length === 0) return 0;
    const changes = broken.map(({ change }) => change);
    return group.length > 1 ? await this.#limit(changes, 1) : await this.#fail500(changes, broken[0]?.result);
  }

  /** Whether a change may have taken a series on: it is of its upcoming instance. */
  #isUpcoming(change: Change): boolean {
    const { view } = this.#tab;
    const recurrence = view.get('task', change.thing)?.recurrence as Task['recurrence'] | undefined;
    const series = view.get('recurringTask', recurrence?.recurringTaskId ?? '');
    return mayAdvance(change) && series?.nextTaskId === change.thing;
  }

  async #waitFor(outcome: Outcome): Promise<number | null> {
    if (outcome.kind === 'error' && outcome.status === 401) {
      this.#events.onSignedOut();
      return null;
    }
    if (outcome.kind !== 'error') return this.#backOff();
    const ms = this.#pause(outcome.retryAfter * 1_000 * (1 + this.#tab.world.random() / 10));
    if (outcome.status !== 429) return Math.max(ms, this.#backOff());
    if (outcome.retryAfter >= TOLD_WAIT_S) {
      const heldUntil = this.#notBefore;
      await this.#tab.commitAsLeader(() => ({ notes: { heldUntil } }));
    }
    return ms;
  }

  #pause(ms: number): number {
    this.#notBefore = this.#tab.world.now() + ms;
    return ms;
  }

  #backOff(): number {
    this.#events.onReach(false);
    const ms = Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** this.#failures++);
    return ms * (0.5 + this.#tab.world.random() / 2);
  }

  /** Sends these in smaller batches. */
  async #limit(group: readonly Change[], maxBatch: number): Promise<number> {
    await this.#edit(group, (change) => ({ ...change, maxBatch }));
    return 0;
  }

  /** A change that the server fails at is tried again three times, and then set aside. */
  async #fail500(group: readonly Change[], outcome: ChangeResult['result'] | undefined): Promise<number> {
    if (group.length > 1) return await this.#limit(group, 1);
    const [change] = group;
    const ms = RETRY_500_MS[change?.tries ?? 0];
    if (change && ms === undefined && outcome?.kind === 'error') {
      await this.#write([{ change, result: outcome }], { touched: new Set(), reset: new Set() });
      return 0;
    }
    await this.#edit(group, (entry) => ({ ...entry, tries: entry.tries + 1, maxBatch: 1 }));
    return this.#pause(ms ?? 0);
  }

  async #edit(group: readonly Change[], edit: (change: Change) => Change): Promise<void> {
    await this.#tab.commitAsLeader(({ outbox }) => ({ changes: editsOf(outbox, group, edit) }));
  }

  /** After a 412: reads the present row, so that `nextBatch` can compare the texts. */
  async #refresh(change: Change): Promise<void> {
    const flight = this.#tab.flights.start();
    const path =
      change.kind === 'task'
        ? `workspaces/${change.workspaceId}/tasks/${change.thing}`
        : requestOf({ ...change, op: 'update' }, null).path;
    const outcome = await this.#tab.api.request('GET', path);
    this.#tab.flights.end(flight);
    if (outcome.kind !== 'ok') return;
    const rows: RowWrites = { put: [], remove: [] };
    this.#takeRow(rows, change, change.kind, outcome.body, flight);
    await this.#tab.commitAsLeader(() => ({ rows }));
  }

  /** One transaction: rows of the responses, and what leaves the outbox. */
  async #write(results: readonly ChangeResult[], flight: Flight): Promise<void> {
    const aside: Change[] = [];
    await this.#tab.commitAsLeader((state) => {
      const rows: RowWrites = { put: [], remove: [] };
      let outbox = state.outbox;
      const changes = { put: [] as Change[], remove: [] as number[] };
      for (const { change, result } of results) {
        const entry = outbox.find(({ id }) => id === change.id);
        if (result.kind === 'ok') {
          this.#takeResponse(rows, change, result.body, flight);
          if (entry) changes.remove.push(entry.seq);
          const put = renameLabel(change, result.body, outbox);
          changes.put.push(...put);
          outbox = outbox.map((other) => put.find(({ seq }) => seq === other.seq) ?? other);
        } else if (isDone(change, result)) {
          if (entry) changes.remove.push(entry.seq);
        } else if (entry && isOvertaken(change, result) && entry.tries < MAX_CONFLICTS) {
          // `nextBatch` compares it with the rows as they are now.
          changes.put.push({ ...entry, tries: entry.tries + 1 });
        } else if (entry) {
          const failed = [entry, ...dependentsOf(entry, outbox)].map((one) =>
            setAside(one, result, entry.id, this.#tab.world.now()),
          );
          aside.push(...failed);
          for (const one of failed) {
            if (isDroppable(one)) changes.remove.push(one.seq);
            else changes.put.push(one);
          }
          outbox = outbox.map((other) => failed.find(({ seq }) => seq === other.seq) ?? other);
        }
      }
      return { rows, changes };
    });
    if (aside.length > 0) this.#events.onAside(aside);
  }

  #takeResponse(rows: RowWrites, change: Change, body: unknown, flight: Flight): void {
    const { kind, thing, workspaceId } = change;
    if (change.op === 'delete') {
      if (flight.touched.has(`${kind}:${thing}`) || flight.reset.has(workspaceId)) return;
      rows.remove.push(...deletionOf(kind, thing, workspaceId, this.#tab.view).remove);
      return;
    }
    this.#takeRow(rows, change, change.op === 'editMode' ? 'task' : kind, body, flight);
  }

  /** A row of a response, unless the copy is newer or the thing went meanwhile. */
  #takeRow(rows: RowWrites, change: Change, kind: Kind, body: unknown, flight: Flight): void {
    if (typeof body !== 'object' || body === null || !('id' in body)) return;
    const { lists: _, skipped: __, ...value } = body as Row;
    const key = String(value.id);
    // A workspace that is not held, or not any more: its rows come with its load.
    if (flight.reset.has(change.workspaceId) || !this.#tab.positions.has(change.workspaceId)) return;
    const present = this.#tab.view.get(kind, key);
    if (!present && flight.touched.has(`${kind}:${key}`)) return;
    if (present && Number(value.version ?? 0) < Number(present.version ?? 0)) return;
    rows.put.push({ kind, key, workspaceId: change.workspaceId, value });
    this.#events.onAhead(key, Number(value.version ?? 0));
  }
}

const isOvertaken = (change: Change, result: ChangeResult['result']): boolean =>
  isStatusGone(change, result) || (result.kind === 'error' && result.status === 412 && !!textOf(change));
