import { computed, effect, signal } from '@preact/signals';
import type { Store } from '../data/store.ts';
import { addDays, type Day } from '../text/days.ts';
import { today, zone } from './clock.ts';
import { inOrder } from './in-order.ts';
import { userData } from './store.ts';

/** The open tasks of a workspace as the server counts them. */
interface Totals {
  /** Lists without any are left out. */
  byList: ReadonlyMap<string, number>;
  /** Mine and nobody's, due today or before. */
  today: number;
  mine: number;
}

const LIMIT = 100;
/** While things change, they are counted no more often than that. */
const AGAIN_MS = 3_000;

export const OPEN = { statusType: 'unstarted,started' };

/** The workspaces that are cut: not all of their open tasks are held. */
export const cutWorkspaces = computed<readonly string[]>(() => idsIn(cutKey.value));
const cutKey = computed(() => {
  const { store } = userData.value ?? {};
  const all = store?.workspaces() ?? [];
  return all.flatMap(({ id, isLoading }) => (!isLoading && store?.isCut(id) ? [id] : [])).join();
});
/** Another text whenever the server told of a change. */
const cursors = computed(() =>
  userData.value?.store
    .workspaces()
    .map(({ cursor }) => cursor)
    .join(),
);
const idsIn = (key: string): string[] => (key === '' ? [] : key.split(','));

/** What the server counted last, by workspace. */
export const totals = signal<ReadonlyMap<string, Totals>>(new Map());

/** Asks the server for the counts that this device cannot make, whenever something has changed. */
export function startServerCounts(): void {
  let last = 0;
  const begin = inOrder();
  effect(() => {
    const ids = cutWorkspaces.value;
    const { store } = userData.value ?? {};
    const day = today.value;
    const where = zone.value;
    if (!store || ids.length === 0) {
      totals.value = new Map();
      last = 0;
      return;
    }
    cursors.value;
    const count = async () => {
      last = Date.now();
      const isNewest = begin();
      const counted = new Map(totals.peek());
      for (const id of ids) {
        const found = await countIn(store, id, day, where);
        if (found) counted.set(id, found);
      }
      if (isNewest() && store === userData.peek()?.store) totals.value = counted;
    };
    const timer = setTimeout(() => void count(), Math.max(0, last + AGAIN_MS - Date.now()));
    return () => clearTimeout(timer);
  });
}

async function countIn(store: Store, id: string, day: Day, timezone: string): Promise<Totals | null> {
  const query = { ...OPEN, timezone, limit: '1' };
  const due = { assigneeId: 'me,none', dueBefore: addDays(day, 1) };
  const byList = await countByList(store, id);
  const dueNow = byList && (await page(store, id, { ...query, ...due }));
  const mine = dueNow && (await page(store, id, { ...query, assigneeId: 'me' }));
  return mine && { byList, today: dueNow.total, mine: mine.total };
}

/** A page tells the totals of the lists that have tasks on it: it goes on where the last of them ends. */
async function countByList(store: Store, id: string): Promise<Map<string, number> | null> {
  const byList = new Map<string, number>();
  for (let passed = 0; ; ) {
    const at = String(Math.floor(passed / LIMIT) + 1);
    const found = await page(store, id, { ...OPEN, groupBy: 'listId', limit: String(LIMIT), page: at });
    if (!found) return null;
    const before = passed;
    for (const { key, total } of found.groups ?? []) {
      if (key === null || byList.has(key)) continue;
      byList.set(key, total);
      passed += total;
    }
    if (passed >= found.total || passed === before) return byList;
  }
}

interface Page {
  total: number;
  groups?: { key: string | null; total: number }[];
}

async function page(store: Store, id: string, query: Record<string, string>): Promise<Page | null> {
  const path = `workspaces/${id}/tasks/query?${new URLSearchParams(query)}`;
  const outcome = await store.api.request('GET', path);
  return outcome.kind === 'ok' ? (outcome.body as Page) : null;
}
