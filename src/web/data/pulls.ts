import type { Outcome } from './api.ts';
import { agedTasks, applyPage, MAX_TASKS, type Page, type Position, startOf } from './feed.ts';
import type { Tab } from './tab.ts';

const FIRST_LIMIT = 100;
const NEXT_LIMIT = 1_000;

export interface PullEvents {
  onReach(isReached: boolean): void;
  onSignedOut(): void;
  /** A workspace is no longer ours to read. */
  onLost(workspaceId: string): Promise<void>;
}

/** Reads the changes of workspaces page by page, from the leading tab. */
export class Pulls {
  readonly #tab: Tab;
  readonly #events: PullEvents;
  readonly #maxTasks: number;
  readonly #scheduled = new Map<string, { isRunning: boolean; isAgain: boolean; cancel: () => void }>();
  /** Versions that responses to own changes brought; forgotten by a pull that began later. */
  readonly #ahead = new Map<string, number>();
  readonly #aheadSince = new Map<string, number>();
  #count = 0;
  /** Until when the server asked not to be asked again. */
  #notBefore = 0;

  constructor(tab: Tab, events: PullEvents, maxTasks = MAX_TASKS) {
    this.#tab = tab;
    this.#events = events;
    this.#maxTasks = maxTasks;
  }

  stop(): void {
    for (const { cancel } of this.#scheduled.values()) cancel();
    this.#scheduled.clear();
  }

  noteAhead(key: string, version: number): void {
    this.#ahead.set(key, version);
    this.#aheadSince.set(key, this.#count);
  }

  /** Milliseconds until the server may be asked again; 0 or less: now. */
  get pauseMs(): number {
    return this.#notBefore - this.#tab.world.now();
  }

  /** Notes the `Retry-After` of a response, spread so that many clients do not come back at once. */
  noteRetryAfter(outcome: Outcome): void {
    const { now, random } = this.#tab.world;
    if (outcome.kind === 'error' && (outcome.status === 429 || outcome.status === 503))
      this.#notBefore = now() + outcome.retryAfter * 1_000 * (1 + random() / 10);
  }

  /** Whether a pull of a workspace runs or will. */
  isScheduled(workspaceId: string): boolean {
    return this.#scheduled.has(workspaceId);
  }

  /** Pulls a workspace soon; what is asked for meanwhile is the same pull. */
  pullSoon(workspaceId: string, ms: number): void {
    const known = this.#scheduled.get(workspaceId);
    if (known) {
      if (known.isRunning) known.isAgain = true;
      return;
    }
    const entry = { isRunning: false, isAgain: false, cancel: () => {} };
    this.#scheduled.set(workspaceId, entry);
    const start = async (): Promise<void> => {
      entry.isRunning = true;
      const isDone = await this.pull(workspaceId).catch(() => false);
      if (this.#scheduled.get(workspaceId) !== entry) return;
      this.#scheduled.delete(workspaceId);
      if (entry.isAgain) this.pullSoon(workspaceId, 0);
      else if (!isDone && !this.#tab.isClosed)
        this.pullSoon(workspaceId, 2_000 + this.#tab.world.random() * 3_000);
    };
    entry.cancel = this.#tab.world.after(Math.max(ms, this.pauseMs), () => void start());
  }

  /** Follows the changes of a workspace to their end; returns whether it got there. */
  async pull(workspaceId: string): Promise<boolean> {
    const count = ++this.#count;
    let next: { cursor: string | null; outcome: Promise<Outcome> } | undefined;
    for (;;) {
      const position = this.#tab.positions.get(workspaceId) ?? startOf(workspaceId);
      if (!this.#tab.lease) return true;
      const { cursor } = position;
      const outcome = await (next?.cursor === cursor ? next.outcome : this.#ask(workspaceId, cursor));
      if (outcome.kind !== 'ok') return await this.#fail(workspaceId, outcome);
      this.#events.onReach(true);
      const page = outcome.body as Page;
      // While a page is stored, the next one is on its way.
      next = page.hasMore ? { cursor: page.cursor, outcome: this.#ask(workspaceId, page.cursor) } : undefined;
      const hasMore = await this.apply(position, page);
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

  #ask(workspaceId: string, cursor: string | null): Promise<Outcome> {
    const after =
      cursor === null ? `limit=${FIRST_LIMIT}` : `limit=${NEXT_LIMIT}&cursor=${encodeURIComponent(cursor)}`;
    return this.#tab.api.request('GET', `workspaces/${workspaceId}/changes?${after}`);
  }

  async #fail(workspaceId: string, outcome: Outcome): Promise<boolean> {
    this.#events.onReach(outcome.kind === 'error' && outcome.status !== 503);
    this.noteRetryAfter(outcome);
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
  async apply(position: Position, page: Page): Promise<boolean | null> {
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
      const hasRestarted = applied.position.loads !== position.loads;
      const threads = this.#tab.threads.filter((thread) => thread.workspaceId !== workspaceId);
      return {
        rows: applied.rows,
        positions: [applied.position],
        ...(hasRestarted && { notes: { threads } }),
      };
    });
    return hasMore;
  }

  /** Lets go of closed tasks that are too old by now. */
  async age(): Promise<void> {
    const { view, world } = this.#tab;
    await this.#tab.commitAsLeader(() => {
      const aged = [...this.#tab.positions.keys()].flatMap((id) => agedTasks(view, id, world.now()));
      const remove = aged.filter(({ kind, key }) => view.changesOf(kind, key).length === 0);
      return remove.length > 0 ? { rows: { put: [], remove } } : null;
    });
  }
}
