import { readEvents, type ServerEvent } from './event-stream.ts';
import { type Item, type Position, startOf } from './feed.ts';
import type { PullEvents, Pulls } from './pulls.ts';
import type { Row } from './rows.ts';
import type { Tab } from './tab.ts';

const SILENT_MS = 40_000;
const HELLO_MS = 5_000;
const POLL_MS = 30_000;
const MAX_BACKOFF_MS = 10_000;
const SPREAD_MS = 1_000;

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

/** Follows the server for all tabs of this device: holds the event stream, or polls where none comes through. */
export class Follower {
  readonly #tab: Tab;
  readonly #events: PullEvents;
  readonly #pulls: Pulls;
  #failures = 0;
  #run = 0;
  #abort: AbortController | null = null;
  #wake: () => void = () => {};
  #leaveStream: () => void = () => {};

  constructor(tab: Tab, events: PullEvents, pulls: Pulls) {
    this.#tab = tab;
    this.#events = events;
    this.#pulls = pulls;
  }

  start(): void {
    const run = ++this.#run;
    void this.#loop(run);
    if (this.#tab.positions.size === 0) void this.#pullAll();
  }

  stop(): void {
    this.#run++;
    this.#abort?.abort();
    this.#wake();
    this.#pulls.stop();
  }

  /** Tries again now; `isStale`: the stream may be one that outlived its network. */
  retry(isStale = false): void {
    if (isStale) this.#leaveStream();
    this.#wake();
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
      while (run === this.#run && this.#pulls.pauseMs > 0) await this.#sleep(this.#pulls.pauseMs);
    }
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
      cancel = world.after(SILENT_MS, () => abort.abort());
      if (isGreeted) this.#events.onReach(true);
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
    await this.#tab.commitAsLeader(() => {
      const positions = this.#unknown(workspaces);
      return positions.length > 0 ? { positions } : null;
    });
    this.#events.onReach(true);
    await this.#keepOnly(workspaces);
    for (const id of workspaces) await this.#pulls.pull(id);
    await this.#sleep(POLL_MS);
    return true;
  }

  /** Where nothing is held, rows need not wait for the stream. */
  async #pullAll(): Promise<void> {
    for (const id of (await this.#listWorkspaces()) ?? []) this.#pulls.pullSoon(id, 0);
  }

  async #listWorkspaces(): Promise<string[] | null> {
    const found = await this.#tab.api.readAll<{ id: string }>('me/workspaces');
    if (Array.isArray(found)) return found.map(({ id }) => id);
    if (found.kind === 'error' && found.status === 401) this.#events.onSignedOut();
    this.#pulls.noteRetryAfter(found);
    return null;
  }

  async #handle({ event, data }: ServerEvent): Promise<void> {
    if (event === 'hello') await this.#greet(data as Hello);
    else if (event === 'change') await this.#change(data as ChangeEvent);
    else if (event === 'reset') for (const id of this.#tab.positions.keys()) this.#pulls.pullSoon(id, 0);
    else if (event === 'me') await this.#hearOfMe(data as Row);
  }

  async #greet(hello: Hello): Promise<void> {
    if (hello.userId !== this.#tab.userId) {
      this.#events.onSignedOut();
      return;
    }
    // Rows first: they are waited for.
    for (const [id, cursor] of Object.entries(hello.workspaces)) {
      const position = this.#tab.positions.get(id);
      if (!position || position.isLoading || position.cursor !== cursor) this.#pulls.pullSoon(id, 0);
    }
    void this.loadMe();
    const ids = Object.keys(hello.workspaces);
    await this.#tab.commitAsLeader(() => ({
      notes: { unread: hello.unread, build: hello.build ?? null },
      positions: this.#unknown(ids),
    }));
    // Who hears that the server is reached may ask which workspaces there are.
    this.#events.onReach(true);
    await this.#keepOnly(ids);
  }

  /** Where those begin that are not held: until all are loaded, none of them is said to be missing. */
  #unknown(ids: readonly string[]): Position[] {
    return ids.filter((id) => !this.#tab.positions.has(id)).map(startOf);
  }

  async #hearOfMe(data: Row): Promise<void> {
    const { unread } = data;
    const notifiedAt = this.#tab.world.now();
    if (typeof unread === 'number') await this.#tab.commitAsLeader(() => ({ notes: { unread, notifiedAt } }));
    const isKnown = !data.profile || (await this.loadMe());
    const ids = data.workspaces ? await this.#listWorkspaces() : [];
    // Another `hello` tells all of it again.
    if (!isKnown || !ids) this.#abort?.abort();
    if (!data.workspaces || !ids) return;
    await this.#keepOnly(ids);
    for (const id of ids) if (!this.#tab.positions.has(id)) this.#pulls.pullSoon(id, 0);
  }

  /** Reads the profile; every tab gets it as the note `me`. */
  async loadMe(): Promise<boolean> {
    const outcome = await this.#tab.api.request('GET', 'me');
    if (outcome.kind === 'ok') await this.#tab.commitAsLeader(() => ({ notes: { me: outcome.body } }));
    return outcome.kind === 'ok';
  }

  async #keepOnly(ids: readonly string[]): Promise<void> {
    for (const id of [...this.#tab.positions.keys()]) if (!ids.includes(id)) await this.#events.onLost(id);
    const hasNone = ids.length === 0;
    if (hasNone !== (this.#tab.notes.get('hasNone') ?? false))
      await this.#tab.commitAsLeader(() => ({ notes: { hasNone } }));
  }

  async #change({ workspaceId, from, cursor, items, clientId }: ChangeEvent): Promise<void> {
    const position = this.#tab.positions.get(workspaceId);
    if (position && !position.isLoading && position.cursor === cursor) return;
    const follows = position?.cursor === from && !position.isLoading && !this.#pulls.isScheduled(workspaceId);
    if (!position || !follows || items.length === 0) {
      const isOwn = clientId === this.#tab.api.clientId;
      this.#pulls.pullSoon(workspaceId, isOwn ? 0 : this.#tab.world.random() * SPREAD_MS);
      return;
    }
    const epoch = position.epoch ?? '';
    await this.#pulls.apply(position, { items, cursor, hasMore: false, reset: false, epoch });
  }
}
