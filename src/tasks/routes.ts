import { route } from '../http/route.ts';
import { member } from '../workspaces/door.ts';
import { MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';
import { createTask, moveTask, readTask, removeTask, updateTask } from './tasks.ts';

export const taskRoutes = [
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks',
    door: member('member'),
    body: TaskInput,
    status: 201,
    answer: Task,
    tag: 'Tasks',
    summary: 'Create a task',
    handle: ({ deps, who, body }) => createTask(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/{task_id}',
    door: member('viewer'),
    status: 200,
    answer: Task,
    tag: 'Tasks',
    summary: 'Read a task',
    handle: ({ deps, who, params }) => readTask(deps, who, params.task_id),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/tasks/{task_id}',
    door: member('member'),
    body: TaskPatch,
    status: 200,
    answer: Task,
    tag: 'Tasks',
    summary: 'Change a task',
    description:
      'Entering a completed status sets `completedAt`, leaving it clears it. On an instance of a series the changed fields become overrides.',
    handle: ({ deps, who, params, body }) => updateTask(deps, who, params.task_id, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/tasks/{task_id}',
    door: member('member'),
    status: 204,
    tag: 'Tasks',
    summary: 'Delete a task',
    handle: ({ deps, who, params }) => removeTask(deps, who, params.task_id),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/move',
    door: member('member'),
    body: MoveInput,
    status: 200,
    answer: Task,
    tag: 'Tasks',
    summary: 'Move a task to another list',
    handle: ({ deps, who, params, body }) => moveTask(deps, who, params.task_id, body),
  }),
];
