import { type Db, prepared, query, statement } from '../../db/connection.ts';

/** What a group of tasks has in common: its key in the rows, its id, and what people call it. */
interface Grouped {
  value: number;
  key: string;
  label: string;
}

/** Those of the people; their names, if they are members of the workspace still. */
export const assigneesAmong = (db: Db, workspaceId: string, keys: readonly unknown[]) =>
  db.all(
    statement<Omit<Grouped, 'label'> & { name: string | null }>(
      `select code as value, id as key,
          (select name from members where workspace_id = ? and user_id = users.id) as name
        from users where code in (select value from json_each(?))`,
      [workspaceId, JSON.stringify(keys)],
    ),
  );

/** Statuses, template after template, as they are listed. */
export const statusesInOrder = (db: Db, workspaceId: string) => db.all(orderedStatuses({ workspaceId }));
const orderedStatuses = prepared<{ workspaceId: string }, Grouped & { template_id: string }>((argument) =>
  query
    .selectFrom('statuses as status')
    .innerJoin('status_templates as template', 'template.id', 'status.template_id')
    .select(['status.code as value', 'status.id as key', 'status.title as label', 'status.template_id'])
    .where('status.workspace_id', '=', argument('workspaceId'))
    .orderBy('template.created_at')
    .orderBy('template.id')
    .orderBy('status.position')
    .orderBy('status.id'),
);

export const listsInOrder = (db: Db, workspaceId: string) => db.all(orderedLists({ workspaceId }));
const orderedLists = prepared<{ workspaceId: string }, Grouped>((argument) =>
  query
    .selectFrom('lists')
    .select(['code as value', 'id as key', 'title as label'])
    .where('workspace_id', '=', argument('workspaceId'))
    .orderBy('position')
    .orderBy('id'),
);
