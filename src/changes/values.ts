import type { Db } from '../db/connection.ts';
import type { ChangeKind } from '../kernel/change-kinds.ts';
import { commentOf, findComments } from '../storage/comments.ts';
import type { Owner, SectionRows } from '../storage/contents.ts';
import { labelOf } from '../storage/labels.ts';
import { listOf, spaceOf, statusesOf } from '../storage/lists.ts';
import { readByIds } from '../storage/read-sections.ts';
import { completeSeries, recurringTaskOf } from '../storage/series.ts';
import { templateOf } from '../storage/status-templates.ts';
import { taskOf } from '../storage/task-fields.ts';
import { completeTasks } from '../storage/tasks.ts';
import { memberOf, workspaceOf } from '../storage/workspaces.ts';
import type { ChangeItem } from './schema.ts';

type Shown = keyof SectionRows;
type Put = Extract<ChangeItem, { op: 'put' }>;

/** How a row of each kind goes out, the same for every reader. */
const SHOWN: { [Kind in Shown]: (db: Db, row: SectionRows[Kind]) => Omit<Put, 'kind' | 'op'> } = {
  workspace: (_, row) => {
    const { role, ...value } = workspaceOf({ ...row, role: 'viewer' });
    return { id: row.id, value };
  },
  member: (_, row) => ({ id: row.user_id, value: memberOf(row) }),
  statusTemplate: (db, row) => ({
    id: row.id,
    value: templateOf(row, statusesOf(db, row.workspace_id, row.id)),
  }),
  space: (_, row) => ({ id: row.id, value: spaceOf(row) }),
  list: (db, row) => ({ id: row.id, value: listOf(db, row) }),
  label: (_, row) => ({ id: row.id, value: labelOf(row) }),
  recurringTask: (db, row) => {
    completeSeries(db, [row]);
    return { id: row.id, value: recurringTaskOf(row) };
  },
  task: (db, row) => {
    completeTasks(db, [row]);
    return { id: row.id, value: taskOf(row) };
  },
};

/** The item that tells of a row as it is now. */
export function putOf<Kind extends Shown>(db: Db, kind: Kind, row: SectionRows[Kind]): Put {
  return { kind, op: 'put', ...SHOWN[kind](db, row) } as Put;
}

/** What the things with these ids are now, one after the other; those that are gone are left out. */
export function* putsOf(db: Db, owner: Owner, kind: ChangeKind, ids: readonly string[]): Generator<Put> {
  if (kind === 'comment') {
    for (const row of findComments(db, owner.workspaceKey, ids)) {
      yield { kind, op: 'put', id: row.id, value: commentOf(row) };
    }
  } else if (isShown(kind)) {
    for (const row of readByIds(db, kind, owner, ids)) yield putOf(db, kind, row as never);
  }
}

const isShown = (kind: ChangeKind): kind is Shown => Object.hasOwn(SHOWN, kind);
