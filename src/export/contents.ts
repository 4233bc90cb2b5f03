import { type SqlBool, sql } from 'kysely';
import { type Db, prepared, query } from '../db/connection.ts';
import type {
  ListRow,
  MemberRow,
  NotificationRow,
  RecurringSeriesRow,
  SpaceRow,
  StatusTemplateRow,
  UserRow,
} from '../db/tables.ts';
import { listOf, spaceOf, statusesOf } from '../lists/store.ts';
import { templateOf } from '../lists/templates-store.ts';
import { notificationOf } from '../notifications/store.ts';
import { recurringTaskOf } from '../recurring/store.ts';
import { type StoredTask, taskOf } from '../tasks/store.ts';
import { memberOf, workspaceOf } from '../workspaces/store.ts';

const ROWS_AT_ONCE = 100;
/** Sorts after every instant. */
const LAST = '~';

/** A part of the export, some items at a time, each time read from where the last one ended. */
export type Part = Generator<object[]>;

/** The workspaces that someone owns, as they see them. */
export const ownedWorkspaces = (db: Db, userId: string) =>
  db
    .all(
      query
        .selectFrom('members as member')
        .innerJoin('workspaces as workspace', 'workspace.id', 'member.workspace_id')
        .selectAll('workspace')
        .select('member.role')
        .where('member.user_id', '=', userId)
        .where('member.role', '=', 'owner')
        .orderBy('member.is_default', 'desc')
        .orderBy('workspace.created_at')
        .orderBy('workspace.id'),
    )
    .map((row) => workspaceOf(row));

/** What a workspace holds, by the names it has in the export. */
export const partsOf = (db: Db, workspaceId: string): Record<string, Part> => ({
  members: inTurn(
    { user_id: '' },
    (last) => db.all(membersAfter({ workspaceId, userId: last.user_id })),
    memberOf,
  ),
  spaces: inTurn(
    FIRST_PLACE,
    ({ position, id }) => db.all(spacesAfter({ workspaceId, position, id })),
    spaceOf,
  ),
  lists: inTurn(
    FIRST_PLACE,
    ({ position, id }) => db.all(listsAfter({ workspaceId, position, id })),
    (row) => listOf(row, statusesOf(db, workspaceId, row.status_template_id)),
  ),
  statusTemplates: inTurn(
    FIRST_MOMENT,
    ({ created_at: createdAt, id }) => db.all(templatesAfter({ workspaceId, createdAt, id })),
    (row) => templateOf(row, statusesOf(db, workspaceId, row.id)),
  ),
  tasks: inTurn(
    { seq: 0 },
    ({ seq }) => db.all(tasksAfter({ workspaceId, seq })),
    (row) => taskOf(row),
  ),
  recurringTasks: inTurn(
    FIRST_MOMENT,
    ({ created_at: createdAt, id }) => db.all(seriesAfter({ workspaceId, createdAt, id })),
    recurringTaskOf,
  ),
});

/** What someone was told, the newest first. */
export const notificationsOf = (db: Db, userId: string): Part =>
  inTurn(
    { created_at: LAST, id: '' },
    ({ created_at: createdAt, id }) => db.all(notificationsBefore({ userId, createdAt, id })),
    notificationOf,
  );

/** How many tasks an export of that user will hold. */
export const countTasks = (db: Db, userId: string): number =>
  db.one(
    query
      .selectFrom('tasks')
      .innerJoin('members', 'members.workspace_id', 'tasks.workspace_id')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('members.user_id', '=', userId)
      .where('members.role', '=', 'owner'),
  )?.n ?? 0;

const FIRST_PLACE = { position: Number.NEGATIVE_INFINITY, id: '' };
const FIRST_MOMENT = { created_at: '', id: '' };

function* inTurn<Key extends object, Row extends Key>(
  start: Key,
  next: (last: Key) => Row[],
  toItem: (row: Row) => object,
): Part {
  let last: Key | undefined = start;
  while (last) {
    const rows: Row[] = next(last);
    if (rows.length > 0) yield rows.map((row) => toItem(row));
    last = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
  }
}

const isAfter = (first: 'position' | 'created_at', value: unknown, id: string) =>
  sql<SqlBool>`(${sql.ref(first)}, id) > (${value}, ${id})`;

const membersAfter = prepared<
  { workspaceId: string; userId: string },
  MemberRow & Pick<UserRow, 'email' | 'name'>
>((argument) =>
  query
    .selectFrom('members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .selectAll('member')
    .select(['user.email', 'user.name'])
    .where('member.workspace_id', '=', argument('workspaceId'))
    .where('member.user_id', '>', argument('userId'))
    .orderBy('member.user_id')
    .limit(ROWS_AT_ONCE),
);

interface AfterPosition {
  workspaceId: string;
  position: number;
  id: string;
}

const spacesAfter = prepared<AfterPosition, SpaceRow>((argument) =>
  query
    .selectFrom('spaces')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where(isAfter('position', argument('position'), argument('id')))
    .orderBy('position')
    .orderBy('id')
    .limit(ROWS_AT_ONCE),
);

const listsAfter = prepared<AfterPosition, ListRow>((argument) =>
  query
    .selectFrom('lists')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where(isAfter('position', argument('position'), argument('id')))
    .orderBy('position')
    .orderBy('id')
    .limit(ROWS_AT_ONCE),
);

interface AfterCreation {
  workspaceId: string;
  createdAt: string;
  id: string;
}

const templatesAfter = prepared<AfterCreation, StatusTemplateRow>((argument) =>
  query
    .selectFrom('status_templates')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where(isAfter('created_at', argument('createdAt'), argument('id')))
    .orderBy('created_at')
    .orderBy('id')
    .limit(ROWS_AT_ONCE),
);

const seriesAfter = prepared<AfterCreation, RecurringSeriesRow>((argument) =>
  query
    .selectFrom('recurring_series')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where(isAfter('created_at', argument('createdAt'), argument('id')))
    .orderBy('created_at')
    .orderBy('id')
    .limit(ROWS_AT_ONCE),
);

const tasksAfter = prepared<{ workspaceId: string; seq: number }, StoredTask>((argument) =>
  query
    .selectFrom('tasks')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where('seq', '>', argument('seq'))
    .orderBy('seq')
    .limit(ROWS_AT_ONCE),
);

const notificationsBefore = prepared<{ userId: string; createdAt: string; id: string }, NotificationRow>(
  (argument) =>
    query
      .selectFrom('notifications')
      .selectAll()
      .where('user_id', '=', argument('userId'))
      .where(sql<SqlBool>`(created_at, id) < (${argument('createdAt')}, ${argument('id')})`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(ROWS_AT_ONCE),
);
