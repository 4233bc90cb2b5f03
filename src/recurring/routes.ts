import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route } from '../http/route.ts';
import { Task } from '../tasks/schema.ts';
import { member } from '../workspaces/door.ts';
import { editInstance, listInstances, updateIssues } from './instances.ts';
import { pauseSeries, resumeSeries, skipOccurrence } from './lifecycle.ts';
import {
  comingOccurrences,
  createSeries,
  listSeries,
  previewRule,
  readSeries,
  removeSeries,
  updateSeries,
} from './series.ts';
import {
  ComingOccurrences,
  EditModeInput,
  OccurrencesQuery,
  Preview,
  PreviewInput,
  RecurringTask,
  SeriesInput,
  SeriesPatch,
  SeriesQuery,
  SkipInput,
  SkippedRecurringTask,
} from './series-schema.ts';
import { templateIssues } from './template.ts';

const SERIES = '/workspaces/{workspace_id}/recurring-tasks';
const ONE = `${SERIES}/{job_id}` as const;
const tag = 'Recurring tasks';

export const recurringRoutes = [
  route({
    method: 'get',
    path: SERIES,
    door: member('viewer'),
    query: SeriesQuery,
    status: 200,
    answer: pageShape(RecurringTask),
    tag,
    summary: 'List the recurring tasks',
    handle: ({ deps, who, query }) => listSeries(deps, who, query, pageRequest(deps, query)),
  }),
  route({
    method: 'post',
    path: SERIES,
    door: member('member'),
    body: SeriesInput,
    refers: ({ deps, who, body }) => templateIssues(deps.read, who, body),
    status: 201,
    answer: RecurringTask,
    tag,
    summary: 'Create a recurring task',
    description:
      'The task of the first occurrence after now is made at once, the next one when its time has come. What passed ' +
      'before now is counted and not made.',
    handle: ({ deps, who, body }) => createSeries(deps, who, body),
  }),
  route({
    method: 'post',
    path: `${SERIES}/preview`,
    door: member('viewer'),
    body: PreviewInput,
    status: 200,
    answer: Preview,
    tag,
    summary: 'Preview the occurrences of a rule',
    description: 'Nothing is stored. A rule without occurrences gives none, which is no error.',
    handle: ({ deps, body }) => previewRule(deps, body),
  }),
  route({
    method: 'get',
    path: ONE,
    door: member('viewer'),
    status: 200,
    answer: RecurringTask,
    tag,
    summary: 'Read a recurring task',
    handle: ({ deps, who, params }) => readSeries(deps, who, params.job_id),
  }),
  route({
    method: 'patch',
    path: ONE,
    door: member('member'),
    body: SeriesPatch,
    refers: ({ deps, who, body }) => templateIssues(deps.read, who, body),
    status: 200,
    answer: RecurringTask,
    tag,
    summary: 'Change a recurring task',
    description:
      '`title`, `description`, `priority`, `assigneeId` and `listId` also change every instance not done, except the ' +
      'fields overridden there. `interval` and `endCondition` are replaced whole. Another `interval` or `startsAt` ' +
      'makes a new rule from now on, counted from `startsAt`, else from a start to come or from now: the upcoming ' +
      'instance gets its date, or stays as an exception if it was edited, and another becomes upcoming. Another ' +
      '`endCondition` alone leaves the rhythm as it is. Numbers go on, and `count` is the last of them. An ended ' +
      'series is revived by a rule with a future; one without is refused.',
    handle: ({ deps, who, params, body }) => updateSeries(deps, who, params.job_id, body),
  }),
  route({
    method: 'delete',
    path: ONE,
    door: member('member'),
    status: 204,
    tag,
    summary: 'Delete a recurring task',
    description:
      'The upcoming instance goes with it, if it is open and nobody edited it. The others stay and keep their ' +
      '`occurrenceAt`, with `recurringTaskId` null.',
    handle: ({ deps, who, params }) => removeSeries(deps, who, params.job_id),
  }),
  route({
    method: 'get',
    path: `${ONE}/instances`,
    door: member('viewer'),
    query: PageQuery,
    status: 200,
    answer: pageShape(Task),
    tag,
    summary: 'List the instances of a recurring task',
    description: 'Its tasks that still exist, by occurrence.',
    handle: ({ deps, who, params, query }) =>
      listInstances(deps, who, params.job_id, pageRequest(deps, query)),
  }),
  route({
    method: 'get',
    path: `${ONE}/occurrences`,
    door: member('viewer'),
    query: OccurrencesQuery,
    status: 200,
    answer: ComingOccurrences,
    tag,
    summary: 'List the coming occurrences of a recurring task',
    description:
      'The upcoming one first, with its task. None while the series is paused, and none once it has ended: nothing follows then.',
    handle: ({ deps, who, params, query }) => comingOccurrences(deps, who, params.job_id, query.limit),
  }),
  route({
    method: 'post',
    path: `${ONE}/skip`,
    door: member('member'),
    body: SkipInput,
    bodyOptional: true,
    status: 200,
    answer: SkippedRecurringTask,
    tag,
    summary: 'Skip the next occurrence',
    description:
      'The task of the upcoming occurrence goes, edited or not, and the next one is made. A skipped occurrence counts. ' +
      'Each call skips one more, unless `occurrenceAt` names one that is skipped already.',
    handle: ({ deps, who, params, body }) => skipOccurrence(deps, who, params.job_id, body),
  }),
  route({
    method: 'post',
    path: `${ONE}/pause`,
    door: member('member'),
    status: 200,
    refuses: [400],
    answer: RecurringTask,
    tag,
    summary: 'Pause a recurring task',
    description: 'Nothing is made until it is resumed; its tasks stay. 400 for a series that has ended.',
    handle: ({ deps, who, params }) => pauseSeries(deps, who, params.job_id),
  }),
  route({
    method: 'post',
    path: `${ONE}/resume`,
    door: member('member'),
    status: 200,
    refuses: [400],
    answer: RecurringTask,
    tag,
    summary: 'Resume a recurring task',
    description:
      'It goes on with the next occurrence after now. Those that passed keep their numbers and are not made. 400 for a series that has ended.',
    handle: ({ deps, who, params }) => resumeSeries(deps, who, params.job_id),
  }),
  route({
    method: 'post',
    path: `${ONE}/instances/{task_id}/edit-mode`,
    door: member('member'),
    body: EditModeInput,
    refers: ({ deps, who, params, body }) => updateIssues(deps, who, params.task_id, body),
    status: 200,
    answer: Task,
    tag,
    summary: 'Edit one instance, the following or all',
    description:
      '`this` changes one task and marks the fields as overridden. `all` changes the series and every instance not ' +
      'done, except overridden fields. `following` does so from this instance on, which becomes the first of a new ' +
      'series (see `recurrence.recurringTaskId`) with what is left of a count; the old one ends before it. On the ' +
      'first occurrence it is the same as `all`.',
    handle: ({ deps, who, params, body }) => editInstance(deps, who, params.job_id, params.task_id, body),
  }),
];
