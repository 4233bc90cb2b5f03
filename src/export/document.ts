import { findMe } from '../auth/me.ts';
import type { Db } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import type { OnDone } from '../kernel/progress.ts';
import { countAll } from '../tasks/counters.ts';
import { notificationsOf, ownedWorkspaces, type Part, partsOf } from './contents.ts';
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
  const head = { exportedAt, formatVersion: FORMAT_VERSION, profile: findMe(db, userId) };
  const workspaces = ownedWorkspaces(db, userId);
  const total = onTasks ? workspaces.reduce((sum, { code }) => sum + countAll(db, code), 0) : 0;
  let done = 0;
  const counted = function* (tasks: Part): Part {
    for (const some of tasks) {
      yield some;
      done += some.length;
      onTasks?.(done, total);
    }
  };

  yield `${opened(head)},"workspaces":[`;
  let isFirst = true;
  for (const { code, workspace } of workspaces) {
    yield (isFirst ? '' : ',') + opened(workspace);
    isFirst = false;
    for (const [name, part] of Object.entries(partsOf(db, workspace.id, code))) {
      yield* array(name, name === 'tasks' ? counted(part) : part);
    }
    yield '}';
  }
  yield ']';
  yield* array('notifications', notificationsOf(db, userId));
  yield '}\n';
}

/** An object that more fields will follow in. */
const opened = (value: object): string => JSON.stringify(value).slice(0, -1);

/** Item by item: some long texts as one piece would hold up everyone else. */
function* array(name: string, part: Part): Generator<string> {
  yield `,"${name}":[`;
  let separator = '';
  for (const items of part) {
    for (const item of items) {
      yield separator + JSON.stringify(item);
      separator = ',';
    }
  }
  yield ']';
}
