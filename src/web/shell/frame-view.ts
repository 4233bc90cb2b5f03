import { computed, effect, signal, untracked } from '@preact/signals';
import type { LiveCounts } from '../data/live-list.ts';
import type { List, Role, Task, Workspace } from '../data/rows.ts';
import { isDueBy, isMineOrNobodys } from '../tasks/dates.ts';
import { today, zone } from './clock.ts';
import { buildId, match } from './navigation.ts';
import { cutWorkspaces, totals } from './server-counts.ts';
import { isOpen, userData } from './store.ts';

interface WorkspaceView {
  id: string;
  title: string;
  role: Role;
  spaces: readonly { id: string; title: string; lists: readonly List[] }[];
}

/** The workspaces with their spaces and lists: the person's first one, then the others by age. */
export const workspaces = computed<readonly WorkspaceView[]>(() => {
  const held = userData.value;
  if (!held) return [];
  const { workspaces: all, membersIn, spaces, lists, userId } = held;
  for (const list of [all, spaces, lists]) list.revision.value;
  for (const { id } of all.rows) membersIn(id).revision.value;
  const own = all.rows.filter(({ ownerId }) => ownerId === userId);
  // Ids grow; an imported workspace keeps the time it was made, and may be older than the account.
  const first = own.reduce<Workspace | undefined>(
    (least, one) => (least && least.id < one.id ? least : one),
    undefined,
  );
  const ordered = first ? [first, ...all.rows.filter((one) => one !== first)] : all.rows;
  return ordered.map(({ id, title }) => ({
    id,
    title,
    role: held.store.view.row('member', `${id}/${userId}`)?.role ?? 'viewer',
    spaces: spaces.rows
      .filter(({ workspaceId }) => workspaceId === id)
      .map((space) => ({
        id: space.id,
        title: space.title,
        lists: lists.rows.filter(({ spaceId }) => spaceId === space.id),
      })),
  }));
});

/** Whether everything that this device holds is there, and not only what the screen showed last. */
const isWhole = computed(() => userData.value?.store.isWhole.value ?? false);

/** Whether some of what should be here is still being read, or loaded for the first time. */
export const isFirstLoad = computed(() => {
  const { store } = userData.value ?? {};
  const held = store?.workspaces() ?? [];
  const isUnknown = held.length === 0 && !store?.note<boolean>('hasNone');
  return !isWhole.value || isUnknown || held.some(({ isLoading }) => isLoading);
});

/** How things stand between this device and the server. */
export const sync = computed(
  () => userData.value?.store.sync.value ?? { text: 'Synced', waiting: 0, notSaved: 0, heldUntil: null },
);

export const unread = computed(() => userData.value?.store.note<number>('unread') ?? 0);
/** Another one whenever the server told of notifications: as many may be unread, and others. */
export const notified = computed(() => `${unread.value} ${userData.value?.store.note<number>('notifiedAt')}`);

/** Whether another build of the client is served. */
export const hasUpdate = computed(() => {
  const served = userData.value?.store.note<string | null>('build');
  return typeof served === 'string' && served !== '' && buildId !== '' && served !== buildId;
});

const counted = signal<{ today: LiveCounts<Task>; mine: LiveCounts<Task> } | undefined>(undefined);

/** What the links to screens of days count; undefined before anything is there. */
export const counts = computed(() => ({ today: sumOf('today'), mine: sumOf('mine') }));

/** Over all workspaces, each counted here or by the server; undefined while one is not. */
function sumOf(name: 'today' | 'mine'): number | undefined {
  const counts = counted.value?.[name];
  if (!counts || !isWhole.value) return undefined;
  let sum = 0;
  for (const { id } of workspaces.value) {
    const count = cutWorkspaces.value.includes(id) ? totals.value.get(id)?.[name] : counts.of(id).value;
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}

/** Open tasks of a list, counted here or by the server; undefined while they are not. */
export function countOf(listId: string): number | undefined {
  const held = userData.value;
  if (!held || !isWhole.value) return undefined;
  const workspaceId = held.store.view.row('list', listId)?.workspaceId ?? '';
  if (!cutWorkspaces.value.includes(workspaceId)) return held.openByList.of(listId).value;
  const byList = totals.value.get(workspaceId)?.byList;
  return byList && (byList.get(listId) ?? 0);
}

/** Keeps what the links count; the day and the person decide. */
export function startCounts(): void {
  effect(() => {
    const held = userData.value;
    const day = today.value;
    const where = zone.value;
    if (!held) return;
    const { store, userId } = held;
    const count = (isCounted: (task: Task) => boolean) =>
      store.view.counts('task', (task) => (isCounted(task) && isOpen(store, task) ? task.workspaceId : null));
    const both = {
      today: count((task) => isMineOrNobodys(task, userId) && isDueBy(task, day, where)),
      mine: count(({ assigneeId }) => assigneeId === userId),
    };
    counted.value = both;
    return () => {
      counted.value = undefined;
      both.today.dispose();
      both.mine.dispose();
    };
  });
}

/** The workspace that was shown last, for screens of all workspaces; the device remembers it. */
const lastShown = signal<string | undefined>(undefined);
const LAST_SHOWN = 'workspace';

/** The workspace of the present screen, else the one shown last, else the first. */
export const workspace = computed<WorkspaceView | undefined>(() => {
  const find = (id: string | undefined) => workspaces.value.find((one) => one.id === id);
  return find(match.value?.params.w) ?? find(lastShown.value) ?? workspaces.value[0];
});

/** The titles of the workspaces that the person was shown on this page: one of them may be lost meanwhile. */
const seenTitles = new Map<string, string>();

/** The title of a workspace that is not the person's any more, where they saw it on this page. */
export const titleOfLost = (id: string): string | undefined => seenTitles.get(id);

/** Takes the workspace that was shown last from the device, and notes each one that is shown. */
export function startLastShown(): void {
  effect(() => {
    const held = userData.value;
    seenTitles.clear();
    lastShown.value = untracked(() => held?.store.note<string>(LAST_SHOWN));
  });
  effect(() => {
    const { w } = match.value?.params ?? {};
    const shown = workspaces.value.find(({ id }) => id === w);
    if (!shown) return;
    seenTitles.set(shown.id, shown.title);
    untracked(() => chooseWorkspace(shown.id));
  });
}

/** Shows this workspace on screens that name none. */
export function chooseWorkspace(id: string): void {
  if (lastShown.peek() === id) return;
  lastShown.value = id;
  void userData.peek()?.store.keep(LAST_SHOWN, id);
}

export const inbox = computed(() => workspace.value?.spaces[0]?.lists[0]);

/** The person's role in a workspace. */
export const roleIn = (workspaceId: string) => workspaces.value.find(({ id }) => id === workspaceId)?.role;

/** Whether the person may change things in a workspace. */
export const mayWriteIn = (workspaceId: string): boolean => {
  const role = roleIn(workspaceId);
  return role !== undefined && role !== 'viewer';
};

/** Whether the person manages a workspace: its owner and admins do. */
export const isAdminIn = (workspaceId: string): boolean => {
  const role = roleIn(workspaceId);
  return role === 'owner' || role === 'admin';
};

export const canWrite = computed(() => workspace.value !== undefined && workspace.value.role !== 'viewer');
