import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { listLabels } from '../storage/labels.ts';
import { member } from '../workspaces/authorization.ts';
import { Label, LabelInput, LabelPatch } from './label-schema.ts';
import {
  createLabel,
  labelTask,
  readLabel,
  removeLabel,
  titleIssues,
  unlabelTask,
  updateLabel,
} from './labels.ts';
import { Task } from './schema.ts';

export const labelRoutes = tagged('Labels', [
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/labels',
    guard: member('viewer'),
    query: PageQuery,
    response: pageShape('LabelPage', Label),
    operationId: 'listLabels',
    summary: 'List the labels',
    description: 'Ordered by `position`.',
    handle: ({ deps, who, query }) => listLabels(deps.read, who.workspaceId, pageRequest(deps, query)),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/labels',
    guard: member('member'),
    body: LabelInput,
    validateReferences: ({ deps, who, body }) => titleIssues(deps.read, who, body),
    status: 201,
    existing: 'You have made a label with this id already; with `reuse`, the label that has this title',
    response: Label,
    operationId: 'createLabel',
    summary: 'Create a label',
    description: 'A title is unique in the workspace, whatever its case. A workspace has at most 500 labels.',
    handle: ({ deps, who, body }) => createLabel(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/labels/{label_id}',
    guard: member('viewer'),
    response: Label,
    operationId: 'getLabel',
    summary: 'Read a label',
    description: 'A label of the workspace.',
    handle: ({ deps, who, params }) => readLabel(deps.read, who, params.label_id),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/labels/{label_id}',
    guard: member('member'),
    isConditional: true,
    body: LabelPatch,
    validateReferences: ({ deps, who, params, body }) => titleIssues(deps.read, who, body, params.label_id),
    response: Label,
    operationId: 'updateLabel',
    summary: 'Change a label',
    description: 'Tasks that have it keep it.',
    handle: ({ deps, who, params, body, ifMatch }) => updateLabel(deps, who, params.label_id, body, ifMatch),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/labels/{label_id}',
    guard: member('member'),
    isConditional: true,
    operationId: 'deleteLabel',
    summary: 'Delete a label',
    description: 'Tasks that have it lose it.',
    handle: ({ deps, who, params, ifMatch }) => removeLabel(deps, who, params.label_id, ifMatch),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/labels/{label_id}',
    guard: member('member'),
    response: Task,
    errors: [400],
    operationId: 'labelTask',
    summary: 'Give a task a label',
    description: 'One that has it already stays as it is. A task has at most 50 labels.',
    handle: ({ deps, who, params }) => labelTask(deps, who, params.task_id, params.label_id),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/labels/{label_id}',
    guard: member('member'),
    isConditional: true,
    response: Task,
    operationId: 'unlabelTask',
    summary: 'Take a label from a task',
    description: 'One that does not have it stays as it is.',
    handle: ({ deps, who, params, ifMatch }) =>
      unlabelTask(deps, who, params.task_id, params.label_id, ifMatch),
  }),
]);
