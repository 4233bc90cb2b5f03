import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { openSnapshot } from '../db/snapshot.ts';
import type { Deps } from '../deps.ts';
import type { LeftOut } from '../storage/long-texts.ts';
import { type Member, requireRole } from '../workspaces/authorization.ts';

/** Of long texts, in one turn of the event loop: some milliseconds. */
const BYTES_IN_TURN = 1_024 * 1_024;

/** What the response to a page is for. */
export interface Asker {
  isHead: boolean;
  /** Throws where so many bytes may not be under way. */
  reserve(bytes: number): void;
}

/** How rows of a kind are read in two goes, and shown. */
export interface Kind<Row, Item> {
  complete(db: Db, rows: readonly Row[]): void;
  itemOf(row: Row): Item;
}

/**
 * The page that `find` reads, with its items. Where their texts are long they are read some at a time, while others are
 * served, yet all from one moment; nothing of them for HEAD. Throws 403 or 404 where the right is lost meanwhile.
 */
export async function readInSteps<Row extends LeftOut, Item, Found extends { rows: Row[] }>(
  deps: Deps,
  who: Member,
  { isHead, reserve }: Asker,
  { complete, itemOf }: Kind<Row, Item>,
  find: (db: Db) => Found,
): Promise<Found & { items: Item[] }> {
  const found = find(deps.read);
  const bytes = found.rows.reduce((sum, { left_out }) => sum + left_out, 0);
  if (bytes > 0) reserve(bytes);
  if (bytes <= BYTES_IN_TURN || isHead) {
    if (!isHead) complete(deps.read, found.rows);
    return { ...found, items: found.rows.map(itemOf) };
  }
  await nextTurn();
  using snapshot = openSnapshot(deps.config.database.path);
  const again = find(snapshot.read);
  const items: Item[] = [];
  for (const part of partsOf(again.rows)) {
    await nextTurn();
    complete(snapshot.read, part);
    items.push(...part.map(itemOf));
  }
  requireRole(deps, deps.read, who, 'viewer');
  return { ...again, items };
}

/** As many rows each as one turn of the event loop takes. */
function* partsOf<Row extends LeftOut>(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (part.length > 0 && bytes + row.left_out > BYTES_IN_TURN) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(row);
    bytes += row.left_out;
  }
  yield part;
}
