import { type Held, isClosed, KINDS, type Kind, keyOf, type Row, type Status } from './rows.ts';

/** What is kept of closed tasks, and how much at all. */
const CLOSED_DAYS = 14;
export const MAX_TASKS = 10_000;
const DAY_MS = 86_400_000;

export interface Item {
  kind: Kind;
  op: 'put' | 'delete' | 'refetch';
  id: string;
  value?: Row;
}

export interface Page {
  items: Item[];
  cursor: string;
  hasMore: boolean;
  reset: boolean;
  epoch: string;
  resume?: string;
}

/** How far the copy of a workspace follows the server; kept in the same transaction as its rows. */
export interface Position {
  workspaceId: string;
  /** Null before the first page. */
  cursor: string | null;
  epoch: string | null;
  /** Within a load or a refetch. */
  isLoading: boolean;
  /** How often it began again, wholly or in part: what was asked for before comes too late. */
  loads: number;
  /** Tasks that the present load brought. */
  loaded: number;
  /** Whether tasks may be missing here, so that counts must be asked of the server. */
  isCut: boolean;
}

export const startOf = (workspaceId: string): Position => ({
  workspaceId,
  cursor: null,
  epoch: null,
  isLoading: true,
  loads: 0,
  loaded: 0,
  isCut: false,
});

/** Rows as they are held, to read from. */
export interface Base {
  get(kind: Kind, key: string): Row | undefined;
  of(kind: Kind, workspaceId: string): Iterable<[string, Row]>;
}

export interface RowWrites {
  put: Held[];
  remove: { kind: Kind; key: string }[];
}

interface FeedLimits {
  now: number;
  maxTasks: number;
  /** Whether comments of a task are held. */
  holdsComments: (taskId: unknown) => boolean;
  /** Versions that responses to own changes brought and the feed has not reached. */
  ahead: ReadonlyMap<string, number>;
}

/** Collects what a page writes, and reads through it. */
class Draft {
  readonly #base: Base;
  readonly #workspaceId: string;
  readonly written = new Map<string, { kind: Kind; key: string; value: Row | null }>();

  constructor(base: Base, workspaceId: string) {
    this.#base = base;
    this.#workspaceId = workspaceId;
  }

  get(kind: Kind, key: string): Row | undefined {
    const entry = this.written.get(`${kind}:${key}`);
    return entry ? (entry.value ?? undefined) : this.#base.get(kind, key);
  }

  set(kind: Kind, key: string, value: Row | null): void {
    this.written.set(`${kind}:${key}`, { kind, key, value });
  }

  all(kind: Kind): [string, Row][] {
    const rows = new Map(this.#base.of(kind, this.#workspaceId));
    for (const entry of this.written.values()) {
      if (entry.kind !== kind) continue;
      if (entry.value) rows.set(entry.key, entry.value);
      else rows.delete(entry.key);
    }
    return [...rows];
  }

  removeWhere(kind: Kind, test: (row: Row) => boolean): void {
    for (const [key, row] of this.all(kind)) if (test(row)) this.set(kind, key, null);
  }
}

/** Applies a page of `changes`, or the items of an event: what to write, and the position that goes with it. */
export function applyPage(
  page: Page,
  position: Position,
  base: Base,
  limits: FeedLimits,
): { rows: RowWrites; position: Position; hasMore: boolean } {
  const { workspaceId } = position;
  const draft = new Draft(base, workspaceId);
  const next: Position = { ...position, cursor: page.cursor, epoch: page.epoch };
  if (page.reset || position.cursor === null) {
    for (const kind of KINDS) draft.removeWhere(kind, () => true);
    Object.assign(next, { isLoading: true, loads: next.loads + 1, loaded: 0, isCut: false });
  }
  const closed = closedStatuses(draft);
  let isEnough = false;
  for (const item of page.items) {
    if (item.op === 'refetch') {
      emptyScope(draft, item);
      Object.assign(next, { isLoading: page.resume !== undefined, loads: next.loads + 1, loaded: 0 });
    } else if (item.op === 'delete') remove(draft, item, workspaceId);
    else if (item.value) {
      const isLoaded = item.kind === 'task' && next.isLoading && page.resume !== undefined;
      const isFull = isLoaded && next.loaded >= limits.maxTasks;
      if (isFull) next.isCut = true;
      const isAged = !isFull && put(draft, item, item.value, workspaceId, limits, closed);
      isEnough = isLoaded && (isFull || isAged);
      if (isEnough) break;
      if (isLoaded) next.loaded++;
      if (item.kind === 'statusTemplate') for (const id of closedIn(item.value)) closed.add(id);
    }
  }
  if (isEnough && page.resume !== undefined) next.cursor = page.resume;
  if (isEnough || page.resume === undefined || !page.hasMore) next.isLoading = false;
  return { rows: writesOf(draft, workspaceId), position: next, hasMore: isEnough || page.hasMore };
}

const closedIn = (template: Row): string[] =>
  (template.statuses as Status[]).filter(isClosed).map(({ id }) => id);

const closedStatuses = (draft: Draft): Set<unknown> =>
  new Set(draft.all('statusTemplate').flatMap(([, template]) => closedIn(template)));

const isAgedAt = (updatedAt: unknown, now: number): boolean =>
  Date.parse(String(updatedAt)) < now - CLOSED_DAYS * DAY_MS;

/** Puts a row; returns whether it is a closed task too old to be kept. */
function put(
  draft: Draft,
  item: Item,
  value: Row,
  workspaceId: string,
  limits: FeedLimits,
  closed: ReadonlySet<unknown>,
): boolean {
  const key = keyOf(item.kind, workspaceId, item.id);
  if (item.kind === 'task' && closed.has(value.statusId) && isAgedAt(value.updatedAt, limits.now)) {
    draft.set('task', key, null);
    return true;
  }
  if (item.kind === 'comment' && !limits.holdsComments(value.taskId)) return false;
  const present = draft.get(item.kind, key);
  const ahead = limits.ahead.get(key);
  if (present && ahead !== undefined && Number(value.version) < ahead) return false;
  draft.set(item.kind, key, item.kind === 'member' ? { ...value, workspaceId } : value);
  return false;
}

/**
 * Empties what a thing contains; the thing itself follows, or does not change. Threads of comments are not held any
 * more, wherever they were: they are asked for again where they show.
 */
function emptyScope(draft: Draft, { kind, id }: Item): void {
  draft.removeWhere('comment', () => true);
  emptyContents(draft, kind, id);
}

function emptyContents(draft: Draft, kind: Kind, id: string): void {
  if (kind === 'workspace') {
    for (const each of KINDS) if (each !== 'workspace') draft.removeWhere(each, () => true);
  } else if (kind === 'member') draft.removeWhere('member', () => true);
  else if (kind === 'space') {
    for (const [key, row] of draft.all('list')) if (row.spaceId === id) emptyList(draft, key);
    draft.removeWhere('list', (row) => row.spaceId === id);
    draft.removeWhere('task', (row) => row.spaceId === id);
  } else if (kind === 'list') emptyList(draft, id);
  else if (kind === 'recurringTask')
    draft.removeWhere('task', (row) => (row.recurrence as Row | null)?.recurringTaskId === id);
  else if (kind === 'task') draft.removeWhere('comment', (row) => row.taskId === id);
}

function emptyList(draft: Draft, id: string): void {
  draft.removeWhere('recurringTask', (row) => row.listId === id);
  draft.removeWhere('task', (row) => row.listId === id);
  draft.removeWhere('comment', (row) => draft.get('task', String(row.taskId)) === undefined);
}

function remove(draft: Draft, item: Item, workspaceId: string): void {
  if (item.kind === 'list' || item.kind === 'space' || item.kind === 'task')
    emptyContents(draft, item.kind, item.id);
  draft.set(item.kind, keyOf(item.kind, workspaceId, item.id), null);
}

/** What goes when a thing is deleted: it, and what it contains. */
export function deletionOf(kind: Kind, key: string, workspaceId: string, base: Base): RowWrites {
  const draft = new Draft(base, workspaceId);
  remove(draft, { kind, op: 'delete', id: key }, workspaceId);
  return writesOf(draft, workspaceId);
}

/** The closed tasks that are too old to be kept any longer. */
export function agedTasks(base: Base, workspaceId: string, now: number): RowWrites['remove'] {
  const draft = new Draft(base, workspaceId);
  const closed = closedStatuses(draft);
  draft.removeWhere('task', (row) => closed.has(row.statusId) && isAgedAt(row.updatedAt, now));
  return writesOf(draft, workspaceId).remove;
}

function writesOf(draft: Draft, workspaceId: string): RowWrites {
  const writes: RowWrites = { put: [], remove: [] };
  for (const { kind, key, value } of draft.written.values()) {
    if (value) writes.put.push({ kind, key, workspaceId, value });
    else writes.remove.push({ kind, key });
  }
  return writes;
}
