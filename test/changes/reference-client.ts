import { expect } from 'vitest';
import type { Call } from '../people.ts';

export interface Thing {
  [field: string]: unknown;
}

interface Item {
  kind: string;
  op: 'put' | 'delete' | 'refetch';
  id: string;
  value?: Thing;
}

export interface Page {
  items: Item[];
  cursor: string;
  hasMore: boolean;
  reset: boolean;
}

/** A page together with what was asked for: one that was on its way too long must be told from the next. */
export interface Delivery {
  from: string | undefined;
  page: Page;
}

export interface ChangeEvent {
  workspaceId: string;
  from: string;
  cursor: string;
  items: Item[];
}

/** What the client stores: its rows and how far they go, always together. */
interface Saved {
  rows: ReadonlyMap<string, Item>;
  cursor: string | undefined;
}

const EMPTY: Saved = { rows: new Map(), cursor: undefined };

/**
 * Keeps a copy of one workspace by `GET …/changes` and `GET /me/events`, written from the contract alone. It can be
 * killed at any moment: what it knows is `saved`, replaced in one step.
 */
export class ReferenceClient {
  saved: Saved = EMPTY;

  get cursor(): string | undefined {
    return this.saved.cursor;
  }

  /** Asks for one page after another, to the last. */
  async follow(call: Call, inside: string): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const { cursor: from } = this;
      const query = from === undefined ? '' : `?cursor=${from}`;
      const { status, body } = await call('GET', `${inside}/changes${query}`);
      expect(status).toBe(200);
      this.takePage({ from, page: body });
      ({ hasMore } = body);
    }
  }

  /** Takes a page, unless something else came in between since it was asked for. */
  takePage({ from, page }: Delivery): void {
    if (from !== this.saved.cursor) return;
    const isNew = page.reset || from === undefined;
    this.saved = { rows: applied(isNew ? new Map() : this.saved.rows, page.items), cursor: page.cursor };
  }

  /** Takes an event that follows on; returns whether the server must be asked for what is missing. */
  takeEvent({ from, cursor, items }: ChangeEvent): boolean {
    if (cursor === this.saved.cursor) return false;
    if (from !== this.saved.cursor || items.length === 0) return true;
    this.saved = { rows: applied(this.saved.rows, items), cursor };
    return false;
  }

  /** The workspace is not ours any more. */
  forget(): void {
    this.saved = EMPTY;
  }

  /** The comments held: those that changed while it followed. */
  comments(): Item[] {
    return [...this.saved.rows.values()].filter(({ kind }) => kind === 'comment');
  }

  /** The values held, comments aside, which a copy has only of tasks it asked for. */
  contents(): Record<string, Thing | undefined> {
    const held = [...this.saved.rows].filter(([, { kind }]) => kind !== 'comment');
    return Object.fromEntries(
      held.map(([key, { value }]) => [key, value]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  }
}

function applied(before: ReadonlyMap<string, Item>, items: readonly Item[]): Map<string, Item> {
  const rows = new Map(before);
  for (const item of items) {
    if (item.op === 'put') rows.set(`${item.kind} ${item.id}`, item);
    else {
      // All are found first: a comment goes with the list of its task, whichever of them comes first.
      const gone = [...rows].filter(([, row]) => isGone(item, row, rows));
      for (const [key] of gone) rows.delete(key);
    }
  }
  return rows;
}

/** Whether a row goes with a deletion, or is emptied out of a scope whose contents follow. */
function isGone({ kind, op, id }: Item, row: Item, rows: ReadonlyMap<string, Item>): boolean {
  if (row.kind === kind && row.id === id) return true;
  const { value = {} } = row;
  const listOf = row.kind === 'comment' ? rows.get(`task ${value.taskId}`)?.value?.listId : value.listId;
  switch (kind) {
    case 'workspace':
      return op === 'refetch';
    case 'member':
      return op === 'refetch' && row.kind === 'member';
    case 'space':
      return value.spaceId === id || rows.get(`list ${listOf}`)?.value?.spaceId === id;
    case 'list':
      return listOf === id;
    case 'recurringTask':
      return op === 'refetch' && (value.recurrence as Thing | null | undefined)?.recurringTaskId === id;
    case 'task':
      return row.kind === 'comment' && value.taskId === id;
    default:
      return false;
  }
}
