import { DeletionQuery } from '../http/fields.ts';
import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { listTrash } from '../storage/trash.ts';
import { member } from '../workspaces/authorization.ts';
import { deleteWhole } from './delete-lists.ts';
import { deleteFromTrash, emptyTrash } from './purge.ts';
import { restore, restoreIssues } from './restore.ts';
import { Restored, RestoreInput, TrashEntry } from './schema.ts';

const TRASH = '/workspaces/{workspace_id}/trash';
const ONE = `${TRASH}/{trash_id}` as const;

const deletionOf = (kind: 'list' | 'space', path: string, operationId: string) =>
  route({
    method: 'delete',
    path,
    guard: member('member'),
    isConditional: true,
    query: DeletionQuery,
    operationId,
    summary: `Delete a ${kind}`,
    description: `With its ${kind === 'list' ? 'tasks' : 'lists, their tasks'} and series. It goes into the trash, from which it can be restored.`,
    handle: ({ deps, who, params, query, ifMatch }) =>
      deleteWhole(deps, who, kind, (params as Record<string, string>)[`${kind}_id`] ?? '', query, ifMatch),
  });

export const trashRoutes = [
  ...tagged('Spaces and lists', [
    deletionOf('space', '/workspaces/{workspace_id}/spaces/{space_id}', 'deleteSpace'),
    deletionOf('list', '/workspaces/{workspace_id}/lists/{list_id}', 'deleteList'),
  ]),
  ...tagged('Trash', [
    route({
      method: 'get',
      path: TRASH,
      guard: member('viewer'),
      query: PageQuery,
      response: pageShape('TrashPage', TrashEntry),
      operationId: 'listTrash',
      summary: 'List the trash',
      description: 'Deleted tasks, lists and spaces that can be restored, the newest first.',
      handle: ({ deps, who, query }) => listTrash(deps.read, who.workspaceKey, pageRequest(deps, query)),
    }),
    route({
      method: 'post',
      path: `${ONE}/restore`,
      guard: member('member'),
      body: RestoreInput,
      bodyOptional: true,
      validateReferences: ({ deps, who, params, body }) =>
        restoreIssues(deps.read, who, params.trash_id, body),
      response: Restored,
      errors: [400],
      operationId: 'restoreFromTrash',
      summary: 'Restore a thing from the trash',
      description:
        'With all it contained: ids, numbers, comments, labels, recurring tasks. 400 where its list or space is gone and none is named; a named one is taken even if the old one is there. Statuses are mapped as by a move; references that no longer exist and assignees who may not be assigned are dropped. The upcoming instance of a series comes back as an ordinary task, since its deletion skipped the occurrence.',
      handle: ({ deps, who, params, body }) => restore(deps, who, params.trash_id, body),
    }),
    route({
      method: 'delete',
      path: ONE,
      guard: member('member'),
      errors: [403],
      operationId: 'deleteFromTrash',
      summary: 'Delete a thing in the trash for good',
      description: 'For who deleted it, and for admins.',
      handle: ({ deps, who, params }) => deleteFromTrash(deps, who, params.trash_id),
    }),
    route({
      method: 'delete',
      path: TRASH,
      guard: member('admin'),
      operationId: 'emptyTrash',
      summary: 'Empty the trash',
      description: 'Everything in it is deleted for good.',
      handle: ({ deps, who }) => emptyTrash(deps, who),
    }),
  ]),
];
