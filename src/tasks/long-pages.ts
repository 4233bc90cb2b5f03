import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { openSnapshot } from '../db/snapshot.ts';
import type { Deps } from '../deps.ts';
import { completeTasks, type PagedTask, taskOf } from '../storage/tasks.ts';
import { type Member, requireRole } from '../workspaces/authorization.ts';
import type { Task } from './schema.ts';

/** Of long texts, in one turn of the event loop: some milliseconds. */
const BYTES_IN_TURN = 1_024 * 1_024;

/** What the response to a page is for. */
export interface Asker {
  isHead: boolean;
  /** Throws where so many bytes may not be under way. */
  reserve(bytes: number): void;
}

/**
 * The page that `find` reads, with its tasks. Where their texts are long they are read some at a time, while others are
 * served, yet all from one moment; nothing of them for HEAD. Throws 403 or 404 where the right is lost meanwhile.
 */
export async function readInSteps<Found extends { rows: PagedTask[] }>(
  deps: Deps,
  who: Member,
  { isHead, reserve }: Asker,
  find: (db: Db) => Found,
): Promise<Found & { tasks: Task[] }> {
  const found = find(deps.read);
  const bytes = found.rows.reduce((sum, { left_out }) => sum + left_out, 0);
  if (bytes > 0) reserve(bytes);
  if (bytes === 0 || isHead) return { ...found, tasks: found.rows.map(taskOf) };
  if (bytes <= BYTES_IN_TURN) {
    return { ...found, tasks: completed(deps.read, who, found.rows).map(taskOf) };
  }
  await nextTurn();
  using snapshot = openSnapshot(deps.config.database.path);
  const again = find(snapshot.read);
  const tasks: Task[] = [];
  for (const part of partsOf(again.rows)) {
    await nextTurn();
    tasks.push(...completed(snapshot.read, who, part).map(taskOf));
  }
  requireRole(deps, deps.read, who, 'viewer');
  return { ...again, tasks };
}

function completed(db: Db, { workspaceKey }: Member, rows: PagedTask[]): PagedTask[] {
  completeTasks(
    db,
    workspaceKey,
    rows.filter(({ left_out }) => left_out > 0),
  );
  return rows;
}

/** As many rows each as one turn of the event loop takes. */
function* partsOf(rows: readonly PagedTask[]): Generator<PagedTask[]> {
  let part: PagedTask[] = [];
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
