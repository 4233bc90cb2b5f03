import { route } from '../http/route.ts';
import { member } from '../workspaces/door.ts';
import { queryTasksInGroups } from './groups.ts';
import { queryTasks } from './query.ts';
import { GroupedTaskPage, GroupedTaskQuery, SearchQuery, TaskPage, TaskQuery } from './query-schema.ts';
import { editIssues, newTaskIssues } from './references.ts';
import { MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';
import { searchTasks } from './search.ts';
import { createTask, moveTask, readTask, removeTask, updateTask } from './tasks.ts';

/** What reads many comes first: `{task_id}` would take `query` and `search` for ids. */
export const taskRoutes = [
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks',
    door: member('viewer'),
    query: TaskQuery,
    status: 200,
    answer: TaskPage,
    tag: 'Tasks',
    summary: 'List the tasks',
    description: 'Those that pass every filter given. An id that names nothing matches nothing.',
    handle: ({ deps, who, query }) => queryTasks(deps, who, query),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/query',
    door: member('viewer'),
    limit: 'search',
    query: GroupedTaskQuery,
    status: 200,
    answer: GroupedTaskPage,
    tag: 'Tasks',
    summary: 'Query the tasks',
    description:
      'As the list of tasks. With `groupBy` the items come group after group, and `groups` tells of each group that has a task on the page; a query for a single `listId` by `statusId` tells of every status of that list. Groups by priority come from urgent to none, by status as in the status templates, by assignee by name, by list as in the list of lists, by due date day by day (UTC); tasks without an assignee or due date last. `sortBy` and `sortOrder` hold inside each group; where they name what is grouped by (`priority`, `dueDate`), the groups themselves follow them.',
    handle: ({ deps, who, query }) => queryTasksInGroups(deps, who, query),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/search',
    door: member('viewer'),
    limit: 'search',
    query: SearchQuery,
    status: 200,
    answer: TaskPage,
    tag: 'Tasks',
    summary: 'Search the tasks',
    description:
      'Tasks in which every word of `q` begins a word of the title or description, whatever its case and accents; in scripts without spaces, occurs anywhere. All of it is text, nothing an operator. Tasks with every word in the title come first, then the newest.',
    handle: ({ deps, who, query }) => searchTasks(deps, who, query),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks',
    door: member('member'),
    body: TaskInput,
    refers: ({ deps, who, body }) => newTaskIssues(deps, who, body),
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
    refers: ({ deps, who, params, body }) => editIssues(deps, who, params.task_id, body, false),
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
    refers: ({ deps, who, params, body }) =>
      body.listId === undefined ? [] : editIssues(deps, who, params.task_id, body),
    status: 200,
    answer: Task,
    tag: 'Tasks',
    summary: 'Move a task to another list',
    handle: ({ deps, who, params, body }) => moveTask(deps, who, params.task_id, body),
  }),
];
