import { computed, effect, signal, untracked } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Disk, MemoryDisk } from '../data/disk.ts';
import { IndexedDbDisk } from '../data/indexeddb.ts';
import { compareTexts, type LiveCounts, type LiveList } from '../data/live-list.ts';
import {
  isClosed,
  type Kind,
  type Label,
  type List,
  type Member,
  type Row,
  type Rows,
  type Space,
  type StatusTemplate,
  type Task,
  type Workspace,
} from '../data/rows.ts';
import { Store } from '../data/store.ts';
import { browserChannel, browserLocks, browserWorld } from '../data/surroundings.ts';
import { seriesDialog } from '../tasks/series.ts';
import { tabStorage } from './browser-storage.ts';
import { takeEarly } from './early-responses.ts';
import { basePaths, path } from './navigation.ts';

/** What is held of one user, and lists of it that keep themselves. */
export interface UserData {
  store: Store;
  userId: string;
  /** What was typed and not sent, by where: it outlives its field, and goes with a sign-out. */
  drafts: Map<string, string>;
  workspaces: LiveList<Workspace>;
  /** The members of one workspace, by name. */
  membersIn(workspaceId: string): LiveList<Member>;
  spaces: LiveList<Space>;
  lists: LiveList<List>;
  labels: LiveList<Label>;
  templates: LiveList<StatusTemplate>;
  /** Open tasks by list. */
  openByList: LiveCounts<Task>;
}

/** Set in a tab while it has no network. */
const OFFLINE = 'errand.offline';

const opened = signal<UserData | undefined>(undefined);

/** Where drafts are while this page is loaded again. */
const DRAFTS = 'errand.drafts';

/** By person, who finds theirs again when the session ended by itself. */
const draftsOf = takeDrafts();

function takeDrafts(): Map<string, UserData['drafts']> {
  const left = tabStorage.get(DRAFTS);
  tabStorage.set(DRAFTS, null);
  try {
    const ofPeople: [string, [string, string][]][] = JSON.parse(left ?? '');
    return new Map(ofPeople.map(([userId, drafts]) => [userId, new Map(drafts)]));
  } catch {
    return new Map();
  }
}

const keepDrafts = (): void =>
  tabStorage.set(DRAFTS, JSON.stringify([...draftsOf].map(([userId, drafts]) => [userId, [...drafts]])));

interface Opening {
  userId: string;
  done: Promise<void>;
}

/** Whose database is being opened and read: it is done once, and not for someone who left meanwhile. */
let opening: Opening | undefined;

/** Undefined until the device was read. */
export const userData = computed(() => (opened.value?.store.isLoaded.value ? opened.value : undefined));

/** What is held, on a screen that is shown only when there is something. */
export function useUserData(): UserData {
  const { value } = userData;
  if (!value) throw new Error('Nothing is open');
  return value;
}

/** The same outside of what is shown: in commands and acts. */
export function currentUserData(): UserData {
  const value = userData.peek();
  if (!value) throw new Error('Nothing is open');
  return value;
}

/** Rows that a component shows, kept in order; `inputs` name what else the condition and the order depend on. */
export function useRows<K extends Kind>(
  kind: K,
  where: (row: Rows[K]) => boolean,
  compare: (a: Rows[K], b: Rows[K]) => number,
  inputs: readonly unknown[],
): LiveList<Rows[K]> {
  const { view } = useUserData().store;
  const list = useMemo(() => view.list(kind, where, compare), [view, ...inputs]);
  useEffect(() => list.dispose, [list]);
  list.revision.value;
  return list;
}

const byPosition = (a: { position: number }, b: { position: number }): number => a.position - b.position;

/** Opens what this device holds of a user, and follows the server from there. Resolves once the device was read. */
export async function openStore(userId: string): Promise<void> {
  if (opening?.userId !== userId) {
    const { value: before } = opened;
    if (before?.userId === userId && !before.store.isSignedOut.value) return;
    before?.store.close();
    opened.value = undefined;
    opening = { userId, done: Promise.resolve() };
    opening.done = readStore(opening);
  }
  await opening.done;
}

async function readStore(own: Opening): Promise<void> {
  const { userId } = own;
  const disk: Disk = await IndexedDbDisk.open(userId).catch(() => new MemoryDisk());
  if (opening !== own) {
    disk.close();
    return;
  }
  const store = new Store({
    userId,
    fetch: (url, init) =>
      (init.method === 'GET' && takeEarly(url.slice(basePaths.api.length))) || fetch(url, init),
    base: basePaths.api,
    disk,
    channel: browserChannel(userId),
    world: browserWorld(),
    locks: browserLocks(),
    wasOffline: tabStorage.get(OFFLINE) !== null,
  });
  effect(() => tabStorage.set(OFFLINE, store.isOnline.value ? null : ''));
  const { view } = store;
  const drafts = draftsOf.get(userId) ?? new Map();
  draftsOf.set(userId, drafts);
  opened.value = {
    store,
    userId,
    drafts,
    workspaces: view.list(
      'workspace',
      () => true,
      (a, b) => compareTexts(a.createdAt, b.createdAt),
    ),
    membersIn: membersOf(store),
    spaces: view.list('space', () => true, byPosition),
    lists: view.list('list', () => true, byPosition),
    labels: view.list('label', () => true, byPosition),
    templates: view.list(
      'statusTemplate',
      () => true,
      (a, b) => a.title.localeCompare(b.title),
    ),
    openByList: view.counts('task', (task) => (isOpen(store, task) ? task.listId : null)),
  };
  await store.start(path.peek());
  if (opening === own) opening = undefined;
}

/** A member has no id of its own: the row under the key of this workspace is meant. */
function membersOf({ view }: Store): UserData['membersIn'] {
  const known = new Map<string, LiveList<Member>>();
  return (workspaceId) => {
    const found =
      known.get(workspaceId) ??
      view.list(
        'member',
        (member) => view.row('member', `${workspaceId}/${member.userId}`) === member,
        (a, b) => a.name.localeCompare(b.name),
      );
    known.set(workspaceId, found);
    return found;
  };
}

/** Whether a task is neither completed nor canceled. */
export function isOpen({ view }: Store, { statusId }: Task): boolean {
  const status = view.status(statusId);
  return !status || !isClosed(status);
}

/** Removes what the device holds of the user who signs out, also where the session's end was heard before. */
export async function forgetStore(userId: string | undefined): Promise<void> {
  const { value } = opened;
  opening = undefined;
  opened.value = undefined;
  if (userId) draftsOf.delete(userId);
  if (value) await value.store.signOut();
  else if (userId)
    await IndexedDbDisk.open(userId).then(
      (disk) => disk.destroy(),
      () => {},
    );
}

/** What a field saves when it is left goes into the outbox, where it waits for the same person. */
function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Calls back once the server said that the session is over. */
export function whenSignedOut(callback: () => void): void {
  effect(() => {
    if (!opened.value?.store.isSignedOut.value) return;
    untracked(leaveField);
    opening = undefined;
    opened.value = undefined;
    callback();
  });
}

/** Whose rows this device kept, where that is one person: it starts from them, without the network too. */
export async function keptUser(): Promise<Row | undefined> {
  try {
    const names = (await indexedDB.databases()).flatMap(({ name = '' }) =>
      name.startsWith('errand-') ? [name.slice('errand-'.length)] : [],
    );
    const kept = [];
    for (const userId of names) {
      const disk = await IndexedDbDisk.open(userId);
      const person = await disk.note('me');
      disk.close();
      if (person) kept.push(person as Row);
    }
    return kept.length === 1 ? kept[0] : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the store in step with the page: seen again, online again, about to go, gone. */
export function startStoreEvents(): void {
  const refresh = (hasTold = false) => opened.value?.store.refresh(hasTold);
  document.addEventListener('visibilitychange', () => {
    // A phone may end a page that is hidden, and tells it nothing more.
    if (document.visibilityState === 'hidden') keepDrafts();
    else {
      tabStorage.set(DRAFTS, null);
      refresh();
    }
  });
  addEventListener('online', () => refresh(true));
  addEventListener('offline', () => refresh(true));
  addEventListener('beforeunload', (event) => {
    leaveField();
    // The field may have asked something.
    if (opened.value?.store.wouldLose || seriesDialog.peek()?.change) event.preventDefault();
  });
  addEventListener('pagehide', () => {
    keepDrafts();
    opened.value?.store.leave();
  });
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
}
