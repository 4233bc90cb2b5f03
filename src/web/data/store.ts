/*
 * The data of one user on this device.
 *
 * Rows are shown at once from `view`: the server's, with the unsent changes of this device over them. What a person does
 * (`acts`) goes into the outbox on the device, and from there in order to the server. One tab of the device leads: it sends
 * (`Sender`) and follows the server (`Follower`, `Pulls`) for all of them.
 *
 * Not held: closed tasks older than 14 days, comments that nobody opened (`queries` for both), the trash, notifications and
 * settings (`api.request`, and `pullNow` after writing). A row with `version` 0 was not sent yet.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { Acts } from './acts.ts';
import { Api, type Fetch } from './api.ts';
import { Connectivity } from './connectivity.ts';
import type { Disk, Shown } from './disk.ts';
import { Follower } from './follower.ts';
import { makeId } from './ids.ts';
import { Leadership } from './leadership.ts';
import { Pulls } from './pulls.ts';
import type { Row } from './rows.ts';
import { Sender } from './sender.ts';
import { ServerQueries } from './server-queries.ts';
import type { Channel, Locks, World } from './surroundings.ts';
import { type SyncStatus, syncStatus } from './sync-status.ts';
import { Tab } from './tab.ts';
import type { View } from './view.ts';
import { WaitingActs } from './waiting-acts.ts';

const MAX_SCREENS = 8;

interface StoreOptions {
  userId: string;
  fetch: Fetch;
  /** `/api`, or where it is under a sub-path. */
  base: string;
  disk: Disk;
  channel: Channel;
  world: World;
  locks?: Locks | null;
  maxTasks?: number;
  /** Whether this page was without a network when it was left: some browsers do not tell the next document so. */
  wasOffline?: boolean;
}

/** The data of one user on one page: what screens read, and what they do. */
export class Store {
  readonly view: View;
  readonly api: Api;
  readonly sync: ReadonlySignal<SyncStatus>;
  /** What waits to be sent, and what was set aside. */
  readonly waiting: WaitingActs;
  readonly acts: Acts;
  /** Whether the server said that nobody is signed in, or someone else. */
  readonly isSignedOut = signal(false);
  readonly isLoaded: ReadonlySignal<boolean>;
  /** Whether everything that the device holds was read: before, there may be only what a screen showed last. */
  readonly isWhole: ReadonlySignal<boolean>;
  /** Whether the device has a network, as far as is known. */
  readonly isOnline: Signal<boolean>;
  /** Whether the server may be asked, as far as is known. */
  readonly isReachable: ReadonlySignal<boolean>;
  /** Whether the server has told which workspaces there are, or cannot be asked. */
  readonly isHeard: ReadonlySignal<boolean>;
  /** What is asked of the server beside what is held. */
  readonly queries: ServerQueries;
  readonly #tab: Tab;
  readonly #leadership: Leadership;
  readonly #pulls: Pulls;
  readonly #follower: Follower;
  readonly #sender: Sender;
  readonly #connectivity: Connectivity;
  readonly #locks: Locks | null;

  constructor(options: StoreOptions) {
    const { userId, fetch, base, disk, channel, world } = options;
    const id = makeId(world.now());
    this.api = new Api({ fetch, base, clientId: id, userId, world });
    this.#tab = new Tab({ id, userId, api: this.api, world, disk, channel });
    this.view = this.#tab.view;
    this.queries = new ServerQueries(this.#tab);
    this.isLoaded = this.#tab.isLoaded;
    this.isWhole = this.#tab.isWhole;
    this.#locks = options.locks ?? null;
    this.#connectivity = new Connectivity(this.#tab, options.wasOffline ?? false, () => this.#sender.wake());
    this.isOnline = this.#connectivity.isOnline;
    this.isHeard = computed(() => !this.isOnline.value || this.#connectivity.isReached.value !== null);
    this.isReachable = computed(() => this.isOnline.value && this.#connectivity.isReached.value !== false);
    this.acts = new Acts(this.#tab, () => this.#sender.wake());
    this.waiting = new WaitingActs(this.#tab, () => {
      this.#sender.wake();
      this.#follower.retry();
    });
    const events = {
      onReach: (isReached: boolean): void => this.#connectivity.report(isReached),
      onSignedOut: (): void => void this.#loseSession(),
      onLost: (workspaceId: string) => this.waiting.loseWorkspace(workspaceId, true),
    };
    this.#pulls = new Pulls(this.#tab, events, options.maxTasks);
    this.#follower = new Follower(this.#tab, events, this.#pulls);
    this.#sender = new Sender(this.#tab, {
      ...events,
      isLost: (workspaceId) => this.#isLost(workspaceId),
      onStale: (workspaceId) => this.#pulls.pull(workspaceId).catch(() => false),
      onAhead: (key, version) => this.#pulls.noteAhead(key, version),
      onAside: (changes) => this.waiting.tell(changes),
    });
    this.#leadership = new Leadership(
      this.#tab,
      () => this.#lead(),
      () => {
        this.#connectivity.ask();
        this.#stopLeading();
      },
    );
    this.sync = computed(() =>
      syncStatus(
        this.waiting.all.value,
        this.isOnline.value,
        this.#connectivity.isReached.value,
        this.#tab.isDurable.value,
        this.#tab.saving.value,
        this.#heldUntil(),
      ),
    );
    this.#tab.listen((message) => {
      if (message.kind === 'written' && message.writes.changes) this.#sender.wake();
      if (message.kind === 'signedOut') this.#end();
    });
  }

  /** Reads what the device holds, first what a screen showed last, then follows the server. */
  async start(screen?: string): Promise<void> {
    if (screen !== undefined) await this.#tab.loadFirst(screen);
    await this.#tab.load();
    this.#connectivity.ask();
    const hasBegun = this.#leadership.start(this.#locks);
    // Where nothing is held the server is asked before the frame is drawn around nothing.
    if (this.#tab.positions.size === 0) await hasBegun;
    this.#tab.showWhole();
  }

  #lead(): void {
    void this.waiting.purge();
    void this.#pulls.age();
    this.#follower.start();
    this.#sender.start();
  }

  #stopLeading(): void {
    this.#follower.stop();
    this.#sender.stop();
  }

  /** To be called when the page becomes visible, at midnight, and when the device tells of its network (`hasTold`). */
  refresh(hasTold = false): void {
    const isBack = this.#connectivity.refresh(hasTold);
    void this.#leadership.check();
    this.#follower.retry(isBack);
    this.#sender.wake();
    void this.#tab.catchUp();
    void this.#pulls.age();
    void this.waiting.purge();
  }

  #heldUntil(): number | null {
    const until = this.note<number>('heldUntil') ?? 0;
    return until > this.#tab.world.now() ? until : null;
  }

  /** A value that the server gave about this user: `me`, `unread`, `build`. */
  note<T>(name: string): T | undefined {
    this.#tab.noted.value;
    return this.#tab.notes.get(name) as T | undefined;
  }

  /** Keeps which tasks a screen shows at its top, of the screens shown last: the next visit begins with them. */
  async keepShown(screen: string, ids: readonly string[]): Promise<void> {
    const { [screen]: before, ...others } = (this.#tab.notes.get('shown') ?? {}) as Shown;
    if (before?.join() === ids.join()) return;
    const kept = Object.entries(others).slice(1 - MAX_SCREENS);
    await this.keep('shown', { ...Object.fromEntries(kept), [screen]: ids } satisfies Shown);
  }

  /** Keeps a value on this device, to be read as a note until this user signs out. */
  async keep(name: string, value: unknown): Promise<void> {
    await this.#tab.commit(() => ({ notes: { [name]: value } }));
  }

  /** Whether counts of a workspace must be asked of the server, since not all open tasks are here. */
  isCut(workspaceId: string): boolean {
    this.#tab.noted.value;
    return this.#tab.positions.get(workspaceId)?.isCut ?? false;
  }

  /** The workspaces that are held, whether each is loaded, and how far it follows the server. */
  workspaces(): { id: string; isLoading: boolean; cursor: string | null }[] {
    this.#tab.noted.value;
    return [...this.#tab.positions.values()].map(({ workspaceId, isLoading, cursor }) => ({
      id: workspaceId,
      isLoading,
      cursor,
    }));
  }

  makeId(): string {
    return makeId(this.#tab.world.now());
  }

  /** Pulls a workspace now, as after a request that is not of the outbox. */
  pullNow(workspaceId: string): void {
    this.#pulls.pullSoon(workspaceId, 0);
  }

  async #isLost(workspaceId: string): Promise<boolean | null> {
    const outcome = await this.api.request('GET', `workspaces/${workspaceId}`);
    if (outcome.kind === 'ok' && (outcome.body as Row).role !== 'viewer') return false;
    const isGone = outcome.kind === 'error' && (outcome.status === 403 || outcome.status === 404);
    if (outcome.kind !== 'ok' && !isGone) return null;
    await this.waiting.loseWorkspace(workspaceId, isGone);
    return true;
  }

  /** The session is over: rows leave the device, the outbox waits for the same person. */
  async #loseSession(): Promise<void> {
    if (this.isSignedOut.value) return;
    this.isSignedOut.value = true;
    this.#stopLeading();
    this.#tab.tell({ kind: 'signedOut' });
    await this.#tab.erase(true);
  }

  /** Another tab signed out, or heard that the session is over. */
  #end(): void {
    this.isSignedOut.value = true;
    this.#stopLeading();
    void this.#tab.end();
  }

  /** Removes everything of this user from the device, unsent changes included. */
  async signOut(): Promise<void> {
    this.isSignedOut.value = true;
    this.#stopLeading();
    this.#tab.tell({ kind: 'signedOut' });
    await this.#tab.erase(false);
  }

  /** Whether the page must not go yet: something that was done would go with it. */
  get wouldLose(): boolean {
    const { saving, isDurable, outbox } = this.#tab;
    return saving.peek() > 0 || (!isDurable.peek() && outbox.peek().length > 0);
  }

  /** To be called when the page goes: another tab leads at once. It does nothing more. */
  leave(): void {
    this.#leadership.leave();
  }

  close(): void {
    this.#stopLeading();
    this.#tab.close();
  }
}
