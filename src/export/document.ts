import { findMe } from '../auth/account/me.ts';
import type { Db } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import type { OnDone } from '../kernel/progress.ts';
import { countAll } from '../storage/task-query/counters.ts';
import { notificationsOf, ownedWorkspaces, partsOf } from './contents.ts';
import type { Item, Part } from './parts.ts';
import { FORMAT_VERSION } from './schema.ts';

/**
 * Everything of an account as an `AccountExport` in JSON, piece by piece, so that it need never be held as a whole;
 * `db` is to be the data of one moment. 401, before the first piece, when there is no such user.
 */
export function* exportDocument(
  db: Db,
  userId: string,
  exportedAt: Instant,
  onTasks?: OnDone,
): Generator<string> {
  const workspaces = ownedWorkspaces(db, userId);
  const total = onTasks ? workspaces.reduce((sum, { key }) => sum + countAll(db, key), 0) : 0;
  let done = 0;
  const counted = function* (tasks: Part): Part {
    for (const some of tasks) {
      yield some;
      done += some.length;
      onTasks?.(done, total);
    }
  };
  const owned = function* (): Part {
    for (const { id, key, fields } of workspaces) {
      const parts = partsOf(db, id, key);
      yield [{ fields, parts: { ...parts, ...(parts.tasks && { tasks: counted(parts.tasks) }) } }];
    }
  };
  yield* object({
    fields: { exportedAt, formatVersion: FORMAT_VERSION, profile: findMe(db, userId) },
    parts: { workspaces: owned(), notifications: notificationsOf(db, userId) },
  });
  yield '\n';
}

/** Item by item: some long texts as one piece would hold up everyone else. */
function* object({ fields, parts = {} }: Item): Generator<string> {
  const text = JSON.stringify(fields);
  const entries = Object.entries(parts);
  if (entries.length === 0) {
    yield text;
    return;
  }
  let piece = text.slice(0, -1);
  for (const [name, part] of entries) {
    yield `${piece},"${name}":[`;
    let separator = '';
    for (const items of part) {
      for (const item of items) {
        if (separator) yield separator;
        yield* object(item);
        separator = ',';
      }
    }
    piece = ']';
  }
  yield `${piece}}`;
}
