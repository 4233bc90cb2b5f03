import { route, tagged } from '../http/route.ts';
import { member } from '../workspaces/authorization.ts';
import { addItem, changeItem, removeItem } from './checklist-items.ts';
import { ChecklistItemInput, ChecklistItemPatch, Task } from './schema.ts';

export const checklistRoutes = tagged('Checklists', [
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/checklist',
    guard: member('member'),
    body: ChecklistItemInput,
    status: 201,
    existing: 'The checklist has an item with this id already',
    response: Task,
    operationId: 'addChecklistItem',
    summary: 'Add an item to the checklist of a task',
    description: 'At the end. A checklist has at most 100 items.',
    handle: ({ deps, who, params, body }) => addItem(deps, who, params.task_id, body),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/checklist/{item_id}',
    guard: member('member'),
    isConditional: true,
    body: ChecklistItemPatch,
    response: Task,
    operationId: 'updateChecklistItem',
    summary: 'Change an item of a checklist',
    description:
      'On an instance of a series, ticking is no override: each instance has ticks of its own. Another order is given by `checklist` of the task.',
    handle: ({ deps, who, params, body, ifMatch }) =>
      changeItem(deps, who, params.task_id, params.item_id, body, ifMatch),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/checklist/{item_id}',
    guard: member('member'),
    isConditional: true,
    response: Task,
    operationId: 'removeChecklistItem',
    summary: 'Remove an item from a checklist',
    description: 'Its id is free again.',
    handle: ({ deps, who, params, ifMatch }) =>
      removeItem(deps, who, params.task_id, params.item_id, ifMatch),
  }),
]);
