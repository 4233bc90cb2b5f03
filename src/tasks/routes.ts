import { describeComponent } from '../http/components.ts';
import { DeletionQuery } from '../http/fields.ts';
import { route, tagged } from '../http/route.ts';
import { member } from '../workspaces/authorization.ts';
import { costOfBatch, runBatch } from './batch.ts';
import { BatchInput, BatchResults, DescribedBatchInput } from './batch-schema.ts';
import { queryTasksInGroups } from './groups.ts';
import { queryTasks } from './query.ts';
import { GroupedTaskPage, GroupedTaskQuery, SearchQuery, TaskPage, TaskQuery } from './query-schema.ts';
import { editIssues, referencesOf } from './references.ts';
import { MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';
import { searchTasks } from './search.ts';
import { createTask, moveTask, readTask, readTaskByNumber, removeTask, updateTask } from './tasks.ts';

describeComponent('TaskBatch', DescribedBatchInput);

/** What reads many comes first: `{task_id}` would take `query` and `search` for ids. */
export const taskRoutes = tagged('Tasks', [
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks',
    guard: member('viewer'),
    query: TaskQuery,
    response: TaskPage,
    operationId: 'listTasks',
    summary: 'List the tasks',
    description: 'Those that pass every filter given. An id that names nothing matches nothing.',
    handle: ({ deps, who, query, requestContext, reserve }) =>
      queryTasks(deps, who, query, { isHead: requestContext.isHead, reserve }),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/query',
    guard: member('viewer'),
    limit: 'search',
    query: GroupedTaskQuery,
    response: GroupedTaskPage,
    operationId: 'queryTasks',
    summary: 'Query the tasks',
    description:
      'As the list of tasks. With `groupBy` the items come group after group, and `groups` tells of each group that has a task on the page; a query for a single `listId` by `statusId` tells of every status of that list. Groups by priority come from urgent to none, by status as in the status templates, by assignee by name, by list as in the list of lists, by due date day by day, in the time zone of the caller or in `timezone`; tasks without an assignee or due date last. `sortBy` and `sortOrder` hold inside each group; where they name what is grouped by (`priority`, `dueDate`), the groups themselves follow them.',
    handle: ({ deps, who, query, requestContext, reserve }) =>
      queryTasksInGroups(deps, who, query, { isHead: requestContext.isHead, reserve }),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/search',
    guard: member('viewer'),
    limit: 'search',
    query: SearchQuery,
    response: TaskPage,
    operationId: 'searchTasks',
    summary: 'Search the tasks',
    description:
      'Tasks in which every word of `q` begins a word of the title, the description, the items of the checklist or the comments, whatever its case and accents; in scripts without spaces, occurs anywhere. All of it is text, nothing an operator. Where `q` is the number of a task, `12` or `HOME-12` with the key of the workspace, that task comes first. Tasks with every word in the title come first, then the newest. Of one user one search is under way at a time.\n\nWhat is not ASCII must be percent-encoded, which curl does: `curl -G … --data-urlencode "q=käse"`.',
    handle: ({ deps, who, query, requestContext, reserve }) =>
      searchTasks(deps, who, query, { isHead: requestContext.isHead, reserve }),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks',
    guard: member('member'),
    body: TaskInput,
    validateReferences: ({ deps, who, body }) => referencesOf(deps.read, who, body).issues,
    status: 201,
    existing: 'You have made a task with this id already',
    response: Task,
    operationId: 'createTask',
    summary: 'Create a task',
    description:
      'It goes to the end of the list, in the first status, unless `position` and `statusId` say otherwise.',
    handle: ({ deps, who, body }) => createTask(deps, who, body),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks/batch',
    guard: member('member'),
    costOf: costOfBatch,
    body: BatchInput,
    response: BatchResults,
    operationId: 'batchTasks',
    summary: 'Create, change, move, delete and restore tasks together',
    description:
      'Up to 100 operations, in order, in one commit. Each has a result of its own: one that is rejected leaves no trace and keeps none of the others from its turn. It counts as many requests as it has operations; where too few are left, nothing is done, and `Retry-After` tells when all of it fits.',
    handle: ({ deps, who, body, reserve }) => runBatch(deps, who, body, reserve),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/{task_id}',
    guard: member('viewer'),
    response: Task,
    operationId: 'getTask',
    summary: 'Read a task',
    description: 'A task of the workspace, in whichever list it is.',
    handle: ({ deps, who, params }) => readTask(deps, who, params.task_id),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/tasks/by-number/{number}',
    guard: member('viewer'),
    response: Task,
    operationId: 'getTaskByNumber',
    summary: 'Read a task by its number',
    description: "The number alone: 12 of `HOME-12`, where `HOME` is the workspace's key.",
    handle: ({ deps, who, params }) => readTaskByNumber(deps, who, params.number),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/tasks/{task_id}',
    guard: member('member'),
    isConditional: true,
    body: TaskPatch,
    validateReferences: ({ deps, who, params, body }) =>
      editIssues(deps.read, who, params.task_id, body, false),
    response: Task,
    operationId: 'updateTask',
    summary: 'Change a task',
    description:
      'Entering a completed status sets `completedAt`, leaving it clears it. On an instance of a series the changed fields become overrides.',
    handle: ({ deps, who, params, body, ifMatch }) => updateTask(deps, who, params.task_id, body, ifMatch),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/tasks/{task_id}',
    guard: member('member'),
    isConditional: true,
    query: DeletionQuery,
    operationId: 'deleteTask',
    summary: 'Delete a task',
    description:
      'It goes into the trash, from which it can be restored. Deleting the upcoming instance of a series skips that occurrence.',
    handle: ({ deps, who, params, query, ifMatch }) => removeTask(deps, who, params.task_id, query, ifMatch),
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/tasks/{task_id}/move',
    guard: member('member'),
    isConditional: true,
    body: MoveInput,
    validateReferences: ({ deps, who, params, body }) =>
      body.listId === undefined ? [] : editIssues(deps.read, who, params.task_id, body),
    response: Task,
    operationId: 'moveTask',
    summary: 'Move a task to another list',
    description:
      'The status is the one asked for, else the same one, else one of the same title, else of the same type, else the first of the destination.',
    handle: ({ deps, who, params, body, ifMatch }) => moveTask(deps, who, params.task_id, body, ifMatch),
  }),
]);
