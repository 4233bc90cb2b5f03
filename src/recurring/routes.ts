import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { TaskPage } from '../tasks/query-schema.ts';
import { Task } from '../tasks/schema.ts';
import { member } from '../workspaces/authorization.ts';
import { listCalendar } from './coming.ts';
import { createSeries, newSeriesIssues } from './create-series.ts';
import { editInstance, listInstances, updateIssues } from './instances.ts';
import { pauseSeries, resumeSeries, skipOccurrence } from './lifecycle.ts';
import {
  comingOccurrences,
  listSeries,
  previewRule,
  readSeries,
  removeSeries,
  seriesIssues,
  updateSeries,
} from './series.ts';
import {
  CalendarOccurrences,
  CalendarQuery,
  ComingOccurrences,
  EditModeInput,
  OccurrencesQuery,
  Preview,
  PreviewInput,
  RecurringTask,
  SeriesDeletion,
  SeriesInput,
  SeriesPatch,
  SeriesQuery,
  SkipInput,
  SkippedRecurringTask,
  StepBackInput,
} from './series-schema.ts';
import { stepBack } from './step-back.ts';

const SERIES = '/workspaces/{workspace_id}/recurring-tasks';
const ONE = `${SERIES}/{job_id}` as const;

export const recurringRoutes = tagged('Recurring tasks', [
  route({
    method: 'get',
    path: SERIES,
    guard: member('viewer'),
    query: SeriesQuery,
    response: pageShape('RecurringTaskPage', RecurringTask),
    operationId: 'listRecurringTasks',
    summary: 'List the recurring tasks',
    description:
      'The oldest first; `state=active` leaves out those that are paused or ended, as a series is after an edit of `following` from its second occurrence on.',
    handle: ({ deps, who, query, requestContext, reserve }) =>
      listSeries(deps, who, query, pageRequest(deps, query), { isHead: requestContext.isHead, reserve }),
  }),
  route({
    method: 'post',
    path: SERIES,
    guard: member('member'),
    body: SeriesInput,
    validateReferences: ({ deps, who, body }) => newSeriesIssues(deps.read, who, body),
    status: 201,
    existing: 'You have made a recurring task with this id already',
    response: RecurringTask,
    operationId: 'createRecurringTask',
    summary: 'Create a recurring task',
    description:
      'The task of the first occurrence after now is made at once, the next one when its time has come, or at once when the upcoming task is completed, skipped or deleted. What passed ' +
      'before now is counted and not made. With `taskId` a task becomes the series: it is the first instance, keeps its id, ' +
      'number, status, ticks and comments, and gets the due date of that occurrence; one that is due today as a whole ' +
      'stays so where the rule has this day.',
    handle: ({ deps, who, body }) => createSeries(deps, who, body),
  }),
  route({
    method: 'post',
    path: `${SERIES}/preview`,
    guard: member('viewer'),
    body: PreviewInput,
    response: Preview,
    operationId: 'previewOccurrences',
    summary: 'Preview the occurrences of a rule',
    description: 'Nothing is stored. A rule without occurrences gives none, which is no error.',
    handle: ({ deps, body }) => previewRule(deps, body),
  }),
  route({
    method: 'get',
    path: ONE,
    guard: member('viewer'),
    response: RecurringTask,
    operationId: 'getRecurringTask',
    summary: 'Read a recurring task',
    description: 'The rule, what its tasks are made of, and its upcoming occurrence.',
    handle: ({ deps, who, params }) => readSeries(deps, who, params.job_id),
  }),
  route({
    method: 'patch',
    path: ONE,
    guard: member('member'),
    isConditional: true,
    body: SeriesPatch,
    validateReferences: ({ deps, who, params, body }) => seriesIssues(deps.read, who, params.job_id, body),
    response: RecurringTask,
    operationId: 'updateRecurringTask',
    summary: 'Change a recurring task',
    description:
      '`title`, `description`, `priority`, `assigneeId`, `listId`, `labelIds` and `checklist` also change every instance ' +
      'not done, except the fields overridden there; ticks stay. `interval` and `endCondition` are replaced whole. Another `interval` or `startsAt` ' +
      'makes a new rule from now on, counted from `startsAt`, else from a start to come or from now: the upcoming ' +
      'instance gets its date, or stays as an exception if it was edited, and another becomes upcoming. Another ' +
      '`endCondition` alone leaves the rhythm as it is. Numbers go on, and `count` is the last of them. An ended ' +
      'series is revived by a rule with a future; one without is rejected.',
    handle: ({ deps, who, params, body, ifMatch }) => updateSeries(deps, who, params.job_id, body, ifMatch),
  }),
  route({
    method: 'delete',
    path: ONE,
    guard: member('member'),
    isConditional: true,
    query: SeriesDeletion,
    operationId: 'deleteRecurringTask',
    summary: 'Delete a recurring task',
    description:
      'The upcoming instance goes with it, if it is open, nobody edited it or commented on it, and the series made it. The ' +
      'others stay and keep their `occurrenceAt`, with `recurringTaskId` null.',
    handle: ({ deps, who, params, query, ifMatch }) => removeSeries(deps, who, params.job_id, query, ifMatch),
  }),
  route({
    method: 'get',
    path: `${ONE}/instances`,
    guard: member('viewer'),
    query: PageQuery,
    response: TaskPage,
    operationId: 'listInstances',
    summary: 'List the instances of a recurring task',
    description: 'Its tasks that still exist, by occurrence.',
    handle: ({ deps, who, params, query, requestContext, reserve }) =>
      listInstances(deps, who, params.job_id, pageRequest(deps, query), {
        isHead: requestContext.isHead,
        reserve,
      }),
  }),
  route({
    method: 'get',
    path: `${ONE}/occurrences`,
    guard: member('viewer'),
    query: OccurrencesQuery,
    response: ComingOccurrences,
    operationId: 'listOccurrences',
    summary: 'List the coming occurrences of a recurring task',
    description:
      'The upcoming one first, with its task. `at` is the time by the rule: a task that was moved to another due date is still listed there. None while the series is paused, and none once it has ended: nothing follows then.',
    handle: ({ deps, who, params, query }) => comingOccurrences(deps, who, params.job_id, query.limit),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/occurrences',
    guard: member('viewer'),
    query: CalendarQuery,
    response: CalendarOccurrences,
    operationId: 'listCalendarOccurrences',
    summary: 'List the coming occurrences of all recurring tasks',
    description:
      'Of all active recurring tasks of the workspace, from the upcoming one on, in order of time: at most 1,000, between two instants or days at most 62 days apart.',
    handle: ({ deps, who, query }) => listCalendar(deps, who, query),
  }),
  route({
    method: 'post',
    path: `${ONE}/skip`,
    guard: member('member'),
    body: SkipInput,
    bodyOptional: true,
    response: SkippedRecurringTask,
    operationId: 'skipOccurrence',
    summary: 'Skip the next occurrence',
    description:
      'The task of the upcoming occurrence goes, edited or not, and the next one is made. A skipped occurrence counts. ' +
      'Each call skips one more, unless `occurrenceAt` names one that is skipped already.',
    handle: ({ deps, who, params, body }) => skipOccurrence(deps, who, params.job_id, body),
  }),
  route({
    method: 'post',
    path: `${ONE}/step-back`,
    guard: member('member'),
    body: StepBackInput,
    response: RecurringTask,
    operationId: 'stepBackRecurringTask',
    summary: 'Take back what made a recurring task advance',
    description:
      'Undoes the last completion, skip or deletion of an upcoming instance, several of them one after the other: the ' +
      'upcoming instance, which must be as it was made, is removed for good, and the one before it is upcoming again, open, ' +
      'in the status it had, with its id and number. A change of rule or template, a split, pause and resume end what can be ' +
      'taken back; so does the time of the earlier occurrence.',
    handle: ({ deps, who, params, body }) => stepBack(deps, who, params.job_id, body),
  }),
  route({
    method: 'post',
    path: `${ONE}/pause`,
    guard: member('member'),
    errors: [400],
    response: RecurringTask,
    operationId: 'pauseRecurringTask',
    summary: 'Pause a recurring task',
    description: 'Nothing is made until it is resumed; its tasks stay. 400 for a series that has ended.',
    handle: ({ deps, who, params }) => pauseSeries(deps, who, params.job_id),
  }),
  route({
    method: 'post',
    path: `${ONE}/resume`,
    guard: member('member'),
    errors: [400],
    response: RecurringTask,
    operationId: 'resumeRecurringTask',
    summary: 'Resume a recurring task',
    description:
      'It goes on with the next occurrence after now. Those that passed keep their numbers and are not made. 400 for a series that has ended.',
    handle: ({ deps, who, params }) => resumeSeries(deps, who, params.job_id),
  }),
  route({
    method: 'post',
    path: `${ONE}/instances/{task_id}/edit-mode`,
    guard: member('member'),
    body: EditModeInput,
    validateReferences: ({ deps, who, params, body }) =>
      updateIssues(deps.read, who, params.job_id, params.task_id, body),
    response: Task,
    operationId: 'editInstance',
    summary: 'Edit one instance, the following or all',
    description:
      '`this` changes one task and marks the fields as overridden. `all` changes the series and every instance not ' +
      'done, except overridden fields. `following` does so from this instance on, which becomes the first of a new ' +
      'series (see `recurrence.recurringTaskId`) with what is left of a count; the old one ends before it. On the ' +
      'first occurrence it is the same as `all`.',
    handle: ({ deps, who, params, body }) => editInstance(deps, who, params.job_id, params.task_id, body),
  }),
]);
