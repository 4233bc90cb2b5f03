import { newId } from '../kernel/ids.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import type { MadeBefore } from '../recurring/advance.ts';
import { digestOf } from '../recurring/brought-back.ts';
import type { RecurringSeriesRow, SeriesStepRow } from '../storage/tables.ts';
import { itemTitles } from '../storage/template-fields.ts';
import type { ReadWorkspace } from './document.ts';
import { type Continuation, continuationOf } from './progress.ts';
import type { Series, Task, Trashed } from './read-things.ts';
import { idFor, personOf, type Storing, stampsOf, taskEntry, templateRow } from './rows.ts';
import type { ImportedStep } from './schema.ts';

const BATCH_SIZE = 200;

/** The rows of a series and of its occurrences, these some at a time. */
export function seriesRows(
  workspace: ReadWorkspace,
  storing: Storing,
  series: Series,
  instances: readonly Task[],
) {
  const { ids } = workspace;
  const taskId = (id: string | null | undefined) => (id == null ? null : (ids.tasks.get(id) ?? null));
  const id = ids.series.get(series.id) ?? '';
  const continuation = continuationOf(series, series.occurrences, instances);
  const row: RecurringSeriesRow = {
    id,
    workspace_id: workspace.id,
    ...templateRow(workspace, storing, series),
    creator_id: personOf(series.creatorId, workspace, storing),
    ...ruleColumns(series, continuation, storing, taskId),
    brought_back: broughtBack(workspace, storing, continuation, instances),
    version: 1,
    ...stampsOf(series, storing.at),
  };
  const rows = continuation.occurrences.map((occurrence) => ({
    series_id: id,
    rule_version: occurrence.ruleVersion,
    occurrence_local: occurrence.local,
    occurrence_at: occurrence.at,
    number: occurrence.number,
    state: occurrence.state,
    task_id: taskId(occurrence.taskId),
  }));
  const bytes = bytesOfText(row.title, row.description, ...itemTitles(row));
  const steps = series.steps.map((step) => stepRow(workspace, storing, id, step));
  return { row, bytes, occurrences: batchesOf(rows), steps };
}

export const batchesOf = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / BATCH_SIZE) }, (_, i) =>
    rows.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE),
  );

/** A task in the trash says its status, which may be gone. */
type MaybeTrashed = Task & Partial<Pick<Trashed['tasks'][number], 'status'>>;

/** The digest of the upcoming task as it is here, where nobody changed it; of one that someone changed none that fits. */
function broughtBack(
  workspace: ReadWorkspace,
  storing: Storing,
  { progress }: Continuation,
  instances: readonly Task[],
): string | null {
  if ((progress.broughtBack ?? 'no') === 'no') return null;
  const isUpcoming = ({ id }: MaybeTrashed) => id === progress.upcoming?.taskId;
  // Of a series in the trash it may have stayed in another list.
  const upcoming: MaybeTrashed | undefined = instances.find(isUpcoming) ?? workspace.tasks.find(isUpcoming);
  if (!upcoming || progress.broughtBack === 'changed') return 'changed';
  const { row, columns } = taskEntry(workspace, storing, upcoming, 0, 0);
  const { ids } = workspace;
  return digestOf({
    label_ids: null,
    checklist: null,
    ...row,
    ...columns,
    ...(upcoming.status && {
      list_id: idFor(ids.lists, upcoming.listId, storing),
      status_id: idFor(ids.statuses, upcoming.status.id, storing),
    }),
  });
}

function stepRow(
  { ids }: ReadWorkspace,
  { at }: Storing,
  series_id: string,
  { number, ruleVersion, local, taskId, task, statusId, isOwnStatus }: ImportedStep,
): SeriesStepRow {
  const task_id = taskId == null ? null : (ids.tasks.get(taskId) ?? newId(at));
  const made: MadeBefore | undefined =
    task && task_id !== null
      ? { id: task_id, number: task.number, position: task.position, created_at: task.createdAt, version: 1 }
      : undefined;
  return {
    series_id,
    number,
    rule_version: ruleVersion,
    occurrence_local: local,
    task_id,
    task: made ? JSON.stringify(made) : null,
    status_id: ids.statuses.get(statusId ?? '') ?? null,
    was_status_overridden: isOwnStatus ? 1 : 0,
  };
}

function ruleColumns(
  series: Series,
  { interval, endCondition, progress }: Continuation,
  storing: Storing,
  taskId: (id: string | null | undefined) => string | null,
) {
  const { upcoming } = progress;
  const { state = 'active' } = series;
  return {
    interval: JSON.stringify(interval),
    end_condition: JSON.stringify(endCondition),
    starts_at: series.startsAt,
    catch_up: series.catchUp ?? ('latest' as const),
    anchor_date: progress.anchorDate,
    number_offset: progress.numberOffset,
    rule_version: progress.ruleVersion,
    tz_version: progress.zoneData ?? storing.zoneData,
    state,
    state_reason: series.stateReason ?? null,
    next_run_at: state === 'active' ? (series.nextRunAt ?? null) : null,
    next_local: upcoming?.local ?? null,
    next_number: upcoming?.number ?? null,
    adopted_task_id: taskId(progress.adoptedTaskId),
    next_task_id: taskId(upcoming?.taskId ?? null),
  };
}
