/*
 * What a screen needs to know of the data core.
 *
 * Read.   `store.view.row(kind, key)` is a row as it shows: the server's, with the unsent changes of this device over it.
 *         `view.signal(kind, key)` is the same as a signal. `view.list(kind, where, compare)` is a list that keeps itself:
 *         `.ids` changes when ids or their order do, `.revision` with any row of it, `.rows` are the rows now; `dispose()` it
 *         with the screen. `view.counts(kind, groupOf).of(group)` counts. Kinds and rows: `rows.ts`; a member's key is
 *         `{workspaceId}/{userId}`. What has `version` 0 was not sent yet; a task made here has `number` null until then.
 * Do.     `store.act('Completed “Call Ada”', [intents])`: shows at once, is kept on the device, sent in order, and undone as
 *         one. Intents are made by `intents.ts` (create, updateTask, update, editText, moveTask, remove, restore, changeItem,
 *         add/edit/removeComment, pause, resume, skip, stepBack, editInstances); ids by `store.makeId()`.
 * Undo.   `store.undo()` and `redo()` return the name of the act and whether it was possible; only what still holds my
 *         value is set back.
 * Sync.   `store.sync.value.text` in words, with `waiting` and `notSaved`. `store.waiting` has an entry for each act that
 *         waits or was set aside (`why`): `retry`, `drop`; of two versions of a text (`why.theirs`) `keepMine`, or `drop`.
 *         `store.notice` is what was set aside last, to be told once. `store.isSignedOut`: sign in again.
 * Loaded. `store.isLoaded`: the device was read, paint; `isWhole`: all of it. `store.workspaces()` tells which are still loading;
 *         `isCut(id)`: not all open tasks are here, ask for counts. Closed tasks older than 14 days are not held.
 * Asked.  `store.asked.ask(workspaceId, 'tasks/query?completed=true&…')`, `'tasks/search?q=…'`, `loadTask`; what is found
 *         shows in the lists as well. Comments: `loadComments(workspaceId, taskId)` where `holdsComments(taskId)` is false
 *         (it is reactive, and becomes false when a copy starts over), then `view.list('comment', …)`. Trash, notifications, coming occurrences and
 *         settings are not held: `queries.ts`, or `store.api.request(…)`, and `store.pullNow(workspaceId)` after writing.
 * Notes.  `store.note('me')` the profile, `'unread'`, `'build'` (another than ours: offer the update); reactive. `keep` writes
 *         one that is of this device alone.
 * Page.   `store.refresh()` when it becomes visible, the network changes and at midnight; `leave()` on pagehide;
 *         `signOut()` removes everything of this user from the device; a 401 removes all but the outbox by itself.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { Api, type Fetch } from './api.ts';
import { Asked } from './asked.ts';
import { type Change, type Intent, setAside } from './change.ts';
import type { Disk, Shown } from './disk.ts';
import { makeId } from './ids.ts';
import { Leadership } from './leadership.ts';
import { Puller } from './puller.ts';
import type { Row } from './rows.ts';
import { Sender } from './sender.ts';
import type { Channel, Locks, World } from './surroundings.ts';
import { type SyncStatus, syncStatus, type WaitingAct, waitingActs } from './sync-status.ts';
import { Tab } from './tab.ts';
import { inverseOf, type Step, stepOf } from './undo.ts';
import type { View } from './view.ts';

const ASIDE_MS = 90 * 86_400_000;
const MAX_UNDO = 200;
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

/** Something done by one act of the person. */
export interface Done {
  name: string;
  steps: Step[];
}

/** What `undo` or `redo` came to. */
export interface TakenBack {
  name: string;
  /** False where it was so already, or cannot be any more. */
  isDone: boolean;
}

/** The data of one user on one page: what screens read, and what they do. */
export class Store {
  readonly view: View;
  readonly api: Api;
  readonly sync: ReadonlySignal<SyncStatus>;
  readonly waiting: ReadonlySignal<WaitingAct[]>;
  /** What was set aside last, to be told once. */
  readonly notice: Signal<WaitingAct | null> = signal(null);
  /** Whether the server said that nobody is signed in, or someone else. */
  readonly isSignedOut = signal(false);
  readonly isLoaded: ReadonlySignal<boolean>;
  /** Whether everything that the device holds was read: before, there may be only what a screen showed last. */
  readonly isWhole: ReadonlySignal<boolean>;
  /** Whether the device has a network, as far as is known. */
  readonly isOnline: Signal<boolean>;
  readonly lastDone: Signal<Done | null> = signal(null);
  /** What is asked of the server beside what is held. */
  readonly asked: Asked;
  readonly #tab: Tab;
  readonly #leadership: Leadership;
  readonly #puller: Puller;
  readonly #sender: Sender;
  readonly #locks: Locks | null;
  readonly #isReached: Signal<boolean | null> = signal(null);
  readonly #undo: Done[] = [];
  readonly #redo: Done[] = [];

  constructor(options: StoreOptions) {
    const { userId, fetch, base, disk, channel, world } = options;
    const id = makeId(world.now());
    this.api = new Api({ fetch, base, clientId: id, userId, world });
    this.#tab = new Tab({ id, userId, api: this.api, world, disk, channel });
    this.view = this.#tab.view;
    this.asked = new Asked(this.#tab);
    this.isLoaded = this.#tab.isLoaded;
    this.isWhole = this.#tab.isWhole;
    this.#locks = options.locks ?? null;
    this.isOnline = signal(world.isOnline() && !options.wasOffline);
    const onReach = (isReached: boolean): void => this.#reach(isReached);
    const onSignedOut = (): void => void this.#loseSession();
    this.#puller = new Puller(
      this.#tab,
      { onReach, onSignedOut, onLost: (lost) => this.#loseWorkspace(lost, true) },
      options.maxTasks,
    );
    this.#sender = new Sender(this.#tab, {
      onReach,
      onSignedOut,
      isLost: (workspaceId) => this.#isLost(workspaceId),
      onStale: (workspaceId) => this.#puller.pull(workspaceId).catch(() => false),
      onAhead: (key, version) => this.#puller.noteAhead(key, version),
      onAside: (changes) => this.#tellAside(changes),
    });
    this.#leadership = new Leadership(
      this.#tab,
      () => this.#lead(),
      () => {
        this.#isReached.value = null;
        this.#follow();
      },
    );
    this.waiting = computed(() => waitingActs(this.#tab.outbox.value));
    this.sync = computed(() =>
      syncStatus(
        this.#tab.outbox.value,
        this.isOnline.value,
        this.#isReached.value,
        this.#tab.isDurable.value,
      ),
    );
    this.#tab.listen((message) => {
      if (message.kind === 'written' && message.writes.changes) this.#sender.wake();
      if (message.kind === 'sync') this.#hearReach(message);
      if (message.kind === 'signedOut') this.#end();
    });
  }

  /** Reads what the device holds, first what a screen showed last, then follows the server. */
  async start(screen?: string): Promise<void> {
    if (screen !== undefined) await this.#tab.loadFirst(screen);
    await this.#tab.load();
    this.#leadership.start(this.#locks);
  }

  #lead(): void {
    void this.#purgeAside();
    void this.#puller.age();
    this.#puller.start();
    this.#sender.start();
  }

  #follow(): void {
    this.#puller.stop();
    this.#sender.stop();
  }

  /** To be called when the page becomes visible, the network changes, and at midnight. */
  refresh(): void {
    const wasOnline = this.isOnline.value;
    this.isOnline.value = this.#tab.world.isOnline();
    this.#leadership.check();
    this.#puller.retry(this.isOnline.value && (!wasOnline || this.#isReached.value === false));
    this.#sender.wake();
    void this.#tab.catchUp();
    void this.#puller.age();
    void this.#purgeAside();
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

  /** Does something at once, as one act that can be undone as one. */
  async act(name: string, intents: readonly Intent[]): Promise<void> {
    this.#redo.length = 0;
    await this.#do(name, intents, this.#undo);
  }

  async #do(name: string, intents: readonly Intent[], stack: Done[]): Promise<void> {
    if (intents.length === 0) return;
    const at = this.#tab.world.now();
    const act = this.makeId();
    const steps: Step[] = [];
    const changes = intents.map((intent): Change => {
      const { delay = 0, ...rest } = intent;
      const id = this.makeId();
      steps.push(stepOf(intent, id, this.view));
      const more = { sent: 0, tries: 0, notBefore: delay && at + delay, maxBatch: 100, aside: null };
      // For when the status is gone by the time it is sent.
      const statusType = this.view.status(String(rest.fields.statusId))?.type;
      return { ...rest, ...(statusType && { statusType }), id, act, actName: name, at, seq: at, ...more };
    });
    const done = { name, steps };
    // A change of several instances cannot be taken back.
    if (intents.some(({ op }) => op !== 'editMode')) stack.push(done);
    if (stack.length > MAX_UNDO) stack.shift();
    this.lastDone.value = done;
    await this.#tab.add(changes);
    this.#sender.wake();
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  get canRedo(): boolean {
    return this.#redo.length > 0;
  }

  /** Undoes the last act; returns its name, and whether there was still something to take back. */
  async undo(): Promise<TakenBack | null> {
    return await this.#takeBack(this.#undo, this.#redo);
  }

  async redo(): Promise<TakenBack | null> {
    return await this.#takeBack(this.#redo, this.#undo);
  }

  async #takeBack(from: Done[], to: Done[]): Promise<TakenBack | null> {
    const done = from.pop();
    if (!done) return null;
    const outbox = this.#tab.outbox.value;
    const unsent = new Map(
      outbox.filter(({ sent, notBefore }) => sent === 0 && notBefore > 0).map((c) => [c.id, c]),
    );
    const intents: Intent[] = [];
    let isDropped = false;
    for (const step of [...done.steps].reverse()) {
      // What waits unsent to be taken back is dropped.
      if (unsent.has(step.changeId)) {
        await this.#drop([step.changeId]);
        isDropped = true;
      } else intents.push(...inverseOf(step, this.view, outbox));
    }
    await this.#do(done.name, intents, to);
    return { name: done.name, isDone: isDropped || intents.length > 0 };
  }

  /** Tries again what was set aside. */
  async retry({ changes }: WaitingAct): Promise<void> {
    const ids = new Set(changes.map(({ id }) => id));
    await this.#tab.commit(({ outbox }) => ({
      changes: {
        put: outbox
          .filter(({ id }) => ids.has(id))
          .map((change) => ({ ...change, aside: null, tries: 0, maxBatch: 100 })),
        remove: [],
      },
    }));
    this.#sender.wake();
    this.#puller.retry();
  }

  /** Drops an act that waits or was set aside. */
  async drop({ changes }: WaitingAct): Promise<void> {
    await this.#drop(changes.map(({ id }) => id));
  }

  async #drop(ids: readonly string[]): Promise<void> {
    await this.#tab.commit(({ outbox }) => ({
      changes: { put: [], remove: outbox.filter(({ id }) => ids.includes(id)).map(({ seq }) => seq) },
    }));
  }

  /** Of two versions of a text keeps mine, over what is there now. */
  async keepMine({ changes }: WaitingAct): Promise<void> {
    const ids = new Set(changes.map(({ id }) => id));
    await this.#tab.commit(({ outbox }) => ({
      changes: {
        put: outbox
          .filter(({ id, text }) => ids.has(id) && text)
          .map((change) => ({
            ...change,
            aside: null,
            tries: 0,
            ...(change.text && { text: { ...change.text, from: change.aside?.theirs?.text ?? null } }),
          })),
        remove: [],
      },
    }));
    this.#sender.wake();
  }

  /** Pulls a workspace now, as after a request that is not of the outbox. */
  pullNow(workspaceId: string): void {
    this.#puller.pullSoon(workspaceId, 0);
  }

  #reach(isReached: boolean): void {
    if (this.#isReached.value === isReached || !this.#tab.lease) return;
    this.#noteReach(isReached);
    this.#tellReach();
    if (isReached) this.#sender.wake();
  }

  /**
   * A response proves that there is a network, whatever the device says. It may have been under way when the network
   * went: once one fails, the device is believed again.
   */
  #noteReach(isReached: boolean | null): void {
    if (isReached && !this.#isReached.value) this.isOnline.value = true;
    if (isReached === false && !this.#tab.world.isOnline()) this.isOnline.value = false;
    this.#isReached.value = isReached;
  }

  /** The leader knows; a tab that thought it was may say something else. */
  #hearReach({ isReached, fence }: { isReached: boolean | null; fence: number }): void {
    if (fence >= (this.#tab.lease?.fence ?? 0)) this.#noteReach(isReached);
    else if (this.#isReached.value !== isReached) this.#tellReach();
  }

  #tellReach(): void {
    const { lease } = this.#tab;
    if (lease) this.#tab.tell({ kind: 'sync', isReached: this.#isReached.value, fence: lease.fence });
  }

  async #isLost(workspaceId: string): Promise<{ isLost: boolean } | null> {
    const outcome = await this.api.request('GET', `workspaces/${workspaceId}`);
    if (outcome.kind === 'ok') {
      if ((outcome.body as Row).role !== 'viewer') return { isLost: false };
      await this.#loseWorkspace(workspaceId, false);
      return { isLost: true };
    }
    if (outcome.kind === 'network' || (outcome.status !== 403 && outcome.status !== 404)) return null;
    await this.#loseWorkspace(workspaceId, true);
    return { isLost: true };
  }

  /** All changes of a workspace are set aside together. */
  async #loseWorkspace(workspaceId: string, forgets: boolean): Promise<void> {
    const why = {
      status: 403,
      error: 'ForbiddenError',
      message: forgets ? 'You are no longer a member of this workspace' : 'You may only read this workspace',
      issues: [],
    };
    let aside: Change[] = [];
    await this.#tab.commitAsLeader(({ outbox }) => {
      const open = outbox.filter((change) => change.workspaceId === workspaceId && !change.aside);
      const root = open[0]?.id ?? '';
      aside = open.map((change) => setAside(change, why, root, this.#tab.world.now()));
      return { changes: { put: aside, remove: [] }, ...(forgets && { forget: [workspaceId] }) };
    });
    if (aside.length > 0) this.#tellAside(aside);
  }

  #tellAside(changes: readonly Change[]): void {
    const roots = new Set(changes.map(({ aside }) => aside?.root));
    this.notice.value = waitingActs(this.#tab.outbox.value).find(({ why }) => roots.has(why?.root)) ?? null;
  }

  async #purgeAside(): Promise<void> {
    await this.#tab.commitAsLeader(({ outbox }) => {
      const now = this.#tab.world.now();
      const old = outbox.filter(({ aside }) => aside && aside.at < now - ASIDE_MS);
      return old.length > 0 ? { changes: { put: [], remove: old.map(({ seq }) => seq) } } : null;
    });
  }

  /** The session is over: rows leave the device, the outbox waits for the same person. */
  async #loseSession(): Promise<void> {
    if (this.isSignedOut.value) return;
    this.isSignedOut.value = true;
    this.#follow();
    this.#tab.tell({ kind: 'signedOut' });
    await this.#tab.erase(true);
  }

  /** Another tab signed out, or heard that the session is over. */
  #end(): void {
    this.isSignedOut.value = true;
    this.#follow();
    void this.#tab.end();
  }

  /** Removes everything of this user from the device, unsent changes included. */
  async signOut(): Promise<void> {
    this.isSignedOut.value = true;
    this.#follow();
    this.#tab.tell({ kind: 'signedOut' });
    await this.#tab.erase(false);
  }

  /** To be called when the page goes: another tab leads at once. */
  async leave(): Promise<void> {
    await this.#leadership.leave();
  }

  close(): void {
    this.#follow();
    this.#tab.close();
  }
}
