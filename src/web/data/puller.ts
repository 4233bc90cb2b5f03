import type { Outcome } from './api.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import { agedTasks, applyPage, type Item, MAX_TASKS, type Page, type Position, startOf } from './feed.ts';
import type { Row } from './rows.ts';
import type { Tab } from './tab.ts';

const FIRST_LIMIT = 100;
const NEXT_LIMIT = 1_000;
const SILENT_MS = 40_000;
const HELLO_MS = 5_000;
const POLL_MS = 30_000;
const MAX_BACKOFF_MS = 10_000;
const SPREAD_MS = 1_000;

interface PullerEvents {
  onReach(isReached: boolean): void;
  onSignedOut(): void;
  /** A workspace is no longer ours to read. */
  onLost(workspaceId: string): Promise<void>;
}

interface Hello {
  userId: string;
  workspaces: Record<string, string>;
  unread: number;
  build?: string;
}

interface ChangeEvent {
  workspaceId: string;
  from: string;
  cursor: string;
  items: Item[];
  clientId: string | null;
}

/** Follows the server for all tabs of this device: loads, pulls, holds the stream. */
export class Puller {
  readonly #tab: Tab;
  readonly #events: PullerEvents;
  readonly #maxTasks: number;
  readonly #pulls = new Map<string, { isRunning: boolean; isAgain: boolean; cancel: () => void }>();
  /** Versions that responses to own changes brought; forgotten by a pull that began later. */
  readonly #ahead = new Map<string, number>();
  readonly #aheadSince = new Map<string, number>();
  #pullCount = 0;
  #failures = 0;
  /** The server asked for patience until then. */
  #notBefore = 0;
  #run = 0;
  #abort: AbortController | null = null;
  #wake: () => void = () => {};
  #leaveStream: () => void = () => {};

  constructor(tab: Tab, events: PullerEvents, maxTasks = MAX_TASKS) {
    this.#tab = tab;
    this.#events = events;
    this.#maxTasks = maxTasks;
  }

  start(): void {
    const run = ++this.#run;
    void this.#loop(run);
  }

  stop(): void {
    this.#run++;
    this.#abort?.abort();
    this.#wake();
    for (const { cancel } of this.#pulls.values()) cancel();
    this.#pulls.clear();
  }

  /** Tries again now; `isStale`: the stream may be one that outlived its network. */
  retry(isStale = false): void {
    if (isStale) this.#leaveStream();
    this.#wake();
  }

  noteAhead(key: string, version: number): void {
    this.#ahead.set(key, version);
    this.#aheadSince.set(key, this.#pullCount);
  }

  async #loop(run: number): Promise<void> {
    while (run === this.#run && !this.#tab.isClosed) {
      const wasConnected = await this.#connect(run).catch(() => {
        if (run === this.#run) this.#events.onReach(false);
        return false;
      });
      if (run !== this.#run || this.#tab.isClosed) return;
      this.#failures = wasConnected ? 0 : this.#failures + 1;
      const backoff = Math.min(MAX_BACKOFF_MS, 500 * 2 ** this.#failures);
      await this.#sleep(backoff * (0.5 + this.#tab.world.random() / 2));
      while (run === this.#run && this.#patience() > 0) await this.#sleep(this.#patience());
    }
  }

  #patience(): number {
    return this.#notBefore - this.#tab.world.now();
  }

  /** Notes how long the server wants to be left in peace; many clients come back one after the other. */
  #heed(outcome: Outcome): void {
    const { now, random } = this.#tab.world;
    if (outcome.kind === 'error' && (outcome.status === 429 || outcome.status === 503))
      this.#notBefore = now() + outcome.retryAfter * 1_000 * (1 + random() / 10);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#tab.world.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Holds the stream while it lasts; returns whether it said hello. */
  async #connect(run: number): Promise<boolean> {
    const { api, world } = this.#tab;
    const abort = new AbortController();
    this.#abort = abort;
    let isGreeted = false;
    let cancel = world.after(HELLO_MS, () => abort.abort());
    const beat = (): void => {
      cancel();
      if (!isGreeted) return;
      this.#events.onReach(true);
      cancel = world.after(SILENT_MS, () => abort.abort());
    };
    try {
      const path = `me/events?clientId=${encodeURIComponent(api.clientId)}`;
      const response = await api.open('GET', path, undefined, abort.signal);
      if (response.status === 401 && response.headers.has('x-request-id')) this.#events.onSignedOut();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (response.status !== 200 || !isStream || !response.body) return await this.#poll();
      for await (const event of readEvents(response.body, beat, abort.signal)) {
        if (run !== this.#run) return true;
        if (event.event === 'hello') {
          isGreeted = true;
          this.#leaveStream = () => abort.abort();
        }
        await this.#handle(event);
      }
      return isGreeted;
    } finally {
      cancel();
      this.#leaveStream = () => {};
      if (!isGreeted && abort.signal.aborted && run === this.#run) await this.#poll();
    }
  }

  /** Where no stream comes through, the server is asked now and then. */
  async #poll(): Promise<boolean> {
    const workspaces = await this.#listWorkspaces();
    if (!workspaces) {
      this.#events.onReach(false);
      return false;
    }
    this.#events.onReach(true);
    await this.#keepOnly(workspaces);
    for (const id of workspaces) await this.pull(id);
    await this.#sleep(POLL_MS);
    return true;
  }

  async #listWorkspaces(): Promise<string[] | null> {
    const ids: string[] = [];
    for (let page = 1; ; page++) {
      const outcome = await this.#tab.api.request('GET', `me/workspaces?limit=100&page=${page}`);
      if (outcome.kind === 'error' && outcome.status === 401) this.#events.onSignedOut();
      this.#heed(outcome);
      if (outcome.kind !== 'ok') return null;
      const { items, total } = outcome.body as { items: { id: string }[]; total: number };
      ids.push(...items.map(({ id }) => id));
      if (items.length === 0 || ids.length >= total) return ids;
    }
  }

  async #handle({ event, data }: ServerEvent): Promise<void> {
    if (event === 'hello') await this.#greet(data as Hello);
    else if (event === 'change') await this.#change(data as ChangeEvent);
    else if (event === 'reset') for (const id of this.#tab.positions.keys()) this.pullSoon(id, 0);
    else if (event === 'me') await this.#hearOfMe(data as Row);
  }

  async #greet(hello: Hello): Promise<void> {
    if (hello.userId !== this.#tab.userId) {
      this.#events.onSignedOut();
      return;
    }
    this.#events.onReach(true);
    await this.#tab.commitAsLeader(() => ({ notes: { unread: hello.unread, build: hello.build ?? null } }));
    await this.#keepOnly(Object.keys(hello.workspaces));
    void this.loadMe();
    for (const [id, cursor] of Object.entries(hello.workspaces)) {
      const position = this.#tab.positions.get(id);
      if (!position || position.isLoading || position.cursor !== cursor) this.pullSoon(id, 0);
    }
  }

  async #hearOfMe(data: Row): Promise<void> {
    if (typeof data.unread === 'number')
      await this.#tab.commitAsLeader(() => ({ notes: { unread: data.unread } }));
    const isKnown = !data.profile || (await this.loadMe());
    const ids = data.workspaces ? await this.#listWorkspaces() : [];
    // Another `hello` tells all of it again.
    if (!isKnown || !ids) this.#abort?.abort();
    if (!data.workspaces || !ids) return;
    await this.#keepOnly(ids);
    for (const id of ids) if (!this.#tab.positions.has(id)) this.pullSoon(id, 0);
  }

  /** Reads the profile; every tab gets it as the note `me`. */
  async loadMe(): Promise<boolean> {
    const outcome = await this.#tab.api.request('GET', 'me');
    if (outcome.kind === 'ok') await this.#tab.commitAsLeader(() => ({ notes: { me: outcome.body } }));
    return outcome.kind === 'ok';
  }

  async #keepOnly(ids: readonly string[]): Promise<void> {
    for (const id of [...this.#tab.positions.keys()]) if (!ids.includes(id)) await this.#events.onLost(id);
  }

  async #change({ workspaceId, from, cursor, items, clientId }: ChangeEvent): Promise<void> {
    const position = this.#tab.positions.get(workspaceId);
    if (position && !position.isLoading && position.cursor === cursor) return;
    const follows = position?.cursor === from && !position.isLoading && !this.#pulls.has(workspaceId);
    if (!position || !follows || items.length === 0) {
      const isOwn = clientId === this.#tab.api.clientId;
      this.pullSoon(workspaceId, isOwn ? 0 : this.#tab.world.random() * SPREAD_MS);
      return;
    }
    const epoch = position.epoch ?? '';
    await this.#apply(position, { items, cursor, hasMore: false, reset: false, epoch });
  }

  /** Pulls a workspace soon; what is asked for meanwhile is the same pull. */
  pullSoon(workspaceId: string, ms: number): void {
    const known = this.#pulls.get(workspaceId);
    if (known) {
      if (known.isRunning) known.isAgain = true;
      return;
    }
    const entry = { isRunning: false, isAgain: false, cancel: () => {} };
    this.#pulls.set(workspaceId, entry);
    const start = async (): Promise<void> => {
      entry.isRunning = true;
      const isDone = await this.pull(workspaceId).catch(() => false);
      if (this.#pulls.get(workspaceId) !== entry) return;
      this.#pulls.delete(workspaceId);
      if (entry.isAgain) this.pullSoon(workspaceId, 0);
      else if (!isDone && !this.#tab.isClosed)
        this.pullSoon(workspaceId, 2_000 + this.#tab.world.random() * 3_000);
    };
    entry.cancel = this.#tab.world.after(Math.max(ms, this.#patience()), () => void start());
  }

  /** Follows the changes of a workspace to their end; returns whether it got there. */
  async pull(workspaceId: string): Promise<boolean> {
    const count = ++this.#pullCount;
    for (;;) {
      const position = this.#tab.positions.get(workspaceId) ?? startOf(workspaceId);
      if (!this.#tab.lease) return true;
      const limit = position.cursor === null ? FIRST_LIMIT : NEXT_LIMIT;
      const cursor = position.cursor === null ? '' : `&cursor=${encodeURIComponent(position.cursor)}`;
      const path = `workspaces/${workspaceId}/changes?limit=${limit}${cursor}`;
      const outcome = await this.#tab.api.request('GET', path);
      if (outcome.kind !== 'ok') return await this.#fail(workspaceId, outcome);
      this.#events.onReach(true);
      const hasMore = await this.#apply(position, outcome.body as Page);
      if (hasMore === null) return true;
      if (!hasMore) break;
    }
    for (const [key, since] of this.#aheadSince)
      if (since < count) {
        this.#aheadSince.delete(key);
        this.#ahead.delete(key);
      }
    return true;
  }

  async #fail(workspaceId: string, outcome: Outcome): Promise<boolean> {
    this.#events.onReach(outcome.kind === 'error' && outcome.status !== 503);
    this.#heed(outcome);
    if (outcome.kind !== 'error') return false;
    if (outcome.status === 401) this.#events.onSignedOut();
    if (outcome.status === 403 || outcome.status === 404) {
      await this.#events.onLost(workspaceId);
      return true;
    }
    if (outcome.status === 400) await this.#tab.commitAsLeader(() => ({ positions: [startOf(workspaceId)] }));
    return false;
  }

  /** Writes a page with its cursor; null where this tab leads no more, or another page came first. */
  async #apply(position: Position, page: Page): Promise<boolean | null> {
    let hasMore: boolean | null = null;
    const { workspaceId } = position;
    await this.#tab.commitAsLeader(() => {
      const present = this.#tab.positions.get(workspaceId)?.cursor ?? null;
      if (present !== position.cursor) return null;
      const applied = applyPage(page, position, this.#tab.view, {
        now: this.#tab.world.now(),
        maxTasks: this.#maxTasks,
        holdsComments: (taskId) => this.#tab.threads.some((thread) => thread.taskId === taskId),
        ahead: this.#ahead,
      });
      hasMore = applied.hasMore;
      const isAnew = applied.position.loads !== position.loads;
      const threads = this.#tab.threads.filter((thread) => thread.workspaceId !== workspaceId);
      return { rows: applied.rows, positions: [applied.position], ...(isAnew && { notes: { threads } }) };
    });
    return hasMore;
  }

  /** Lets go of closed tasks that are too old by now. */
  async age(): Promise<void> {
    const { view, world } = this.#tab;
    await this.#tab.commitAsLeader(() => {
      const rows = { put: [], remove: [] as { kind: 'task'; key: string }[] };
      for (const id of this.#tab.positions.keys())
        for (const { key } of agedTasks(view, id, world.now()).remove)
          if (view.changesOf('task', key).length === 0) rows.remove.push({ kind: 'task', key });
      return rows.remove.length > 0 ? { rows } : null;
    });
  }
}
