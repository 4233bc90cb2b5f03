import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { member } from '../workspaces/authorization.ts';
import { Comment, CommentInput, CommentPatch } from './comment-schema.ts';
import { createComment, listComments, readComment, removeComment, updateComment } from './comments.ts';

export const commentRoutes = tagged('Comments', [
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/comments',
    guard: member('viewer'),
    query: PageQuery,
    response: pageShape('CommentPage', Comment),
    operationId: 'listComments',
    summary: 'List the comments on a task',
    description: 'The oldest first.',
    handle: ({ deps, who, params, query }) =>
      listComments(deps, who, params.task_id, pageRequest(deps, query)),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/comments',
    guard: member('member'),
    body: CommentInput,
    status: 201,
    existing: 'You have made a comment with this id already',
    response: Comment,
    operationId: 'createComment',
    summary: 'Comment on a task',
    description:
      'Markdown, which the server keeps as text. `[@Ada](errand:user/ID)` mentions a member, who is notified; otherwise the assignee, the creator and those who commented before are. Nobody is notified of their own.',
    handle: ({ deps, who, params, body }) => createComment(deps, who, params.task_id, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/comments/{comment_id}',
    guard: member('viewer'),
    response: Comment,
    operationId: 'getComment',
    summary: 'Read a comment',
    description: 'A comment on this task.',
    handle: ({ deps, who, params }) => readComment(deps, who, params.task_id, params.comment_id),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/comments/{comment_id}',
    guard: member('member'),
    isConditional: true,
    body: CommentPatch,
    response: Comment,
    operationId: 'updateComment',
    summary: 'Change a comment',
    description: 'Its author alone may. Who is mentioned for the first time is notified.',
    handle: ({ deps, who, params, body, ifMatch }) =>
      updateComment(deps, who, params.task_id, params.comment_id, body, ifMatch),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/comments/{comment_id}',
    guard: member('member'),
    isConditional: true,
    operationId: 'deleteComment',
    summary: 'Delete a comment',
    description: 'Its author may, and admins.',
    handle: ({ deps, who, params, ifMatch }) =>
      removeComment(deps, who, params.task_id, params.comment_id, ifMatch),
  }),
]);
