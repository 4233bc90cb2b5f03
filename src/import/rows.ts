import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { defined } from '../kernel/patch.ts';
import { POSITION_STEP } from '../kernel/positions.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import type { MadeBefore } from '../recurring/advance.ts';
import { digestOf } from '../recurring/brought-back.ts';
import type { ImportedColumns, NewTask } from '../storage/insert-task.ts';
import { replaceMentions } from '../storage/mentions.ts';
import { wordsOf } from '../storage/searchable.ts';
import type {
  CommentRow,
  LabelRow,
  ListRow,
  RecurringOccurrenceRow,
  RecurringSeriesRow,
  SeriesStepRow,
  SpaceRow,
  StatusRow,
  StatusTemplateRow,
  TemplateRow,
  TrashedRow,
  TrashRow,
} from '../storage/tables.ts';
import { dateAfter } from '../storage/task-fields.ts';
import { columnsOf, EMPTY_TEMPLATE, itemTitles, labelsToJson, toJson } from '../storage/template-fields.ts';
import type { PackedTask } from '../storage/trash-contents.ts';
import type { ReadWorkspace, Series, Task, Trashed } from './document.ts';
import { type Continuation, continuationOf } from './progress.ts';
import type { ImportedComment, ImportedList, ImportedSpace, ImportedStep, Ordered } from './schema.ts';

const OCCURRENCES_IN_ROW = 200;

interface Words {
  title: string;
  description: string;
}

/** Rows of one thing, in the order in which they can be stored. */
export type Entry =
  | { kind: 'space'; row: SpaceRow }
  | { kind: 'statusTemplate'; row: StatusTemplateRow; statuses: StatusRow[] }
  | { kind: 'list'; row: ListRow }
  | { kind: 'label'; row: LabelRow }
  | { kind: 'series'; row: RecurringSeriesRow; bytes: number }
  | { kind: 'occurrences'; rows: RecurringOccurrenceRow[] }
  | { kind: 'steps'; rows: SeriesStepRow[] }
  | {
      kind: 'task';
      row: NewTask;
      columns: ImportedColumns;
      words: Words;
      bytes: number;
      /** Of its items and labels. */
      rowsBeside: number;
    }
  | { kind: 'comment'; workspaceId: string; row: CommentOfTask; words: string; mentions: string[] }
  | { kind: 'place'; taskId: string }
  | { kind: 'trash'; row: Omit<TrashRow, 'deleted_by'>; isDeletedByOwner: boolean }
  | PackedEntry
  | { kind: 'lastNumber'; workspaceKey: number; last: number };

/** A thing of the entry of the trash that was stored last. */
export interface PackedEntry {
  kind: 'packed';
  as: TrashedRow['kind'];
  id: string | null;
  seriesId: string | null;
  workspaceId: string;
  bytes: number;
  /** Its columns, by which it is packed; of a task without a place, of a comment without task and key. */
  row: object;
  /** Of a task. */
  status?: PackedTask['status'];
  /** Of a comment its task, of a task itself. */
  taskId?: string;
  items?: string[];
  /** Of a series. */
  steps?: SeriesStepRow[];
  mentionsOwner?: boolean;
}

/** A comment of the task that was stored last. */
export type CommentOfTask = Omit<CommentRow, 'task_seq'>;

/** The owner of what is imported. */
export interface Owner {
  id: string;
  /** The number that stands for the id. */
  code: number;
}

export interface Storing {
  owner: Owner;
  /** Of each new workspace, by its id. */
  keys: ReadonlyMap<string, number>;
  now: number;
  /** Of this process, for a document that does not say its own. */
  zoneData: string;
}

export const common = (
  workspace: ReadWorkspace,
  { now, owner }: Storing,
  thing: Ordered,
  i: number,
  id: string | undefined,
) => ({
  id: id ?? newId(now),
  workspace_id: workspace.id,
  position: thing.position ?? (i + 1) * POSITION_STEP,
  creator_code: owner.code,
  version: 1,
  ...stampsOf(thing, toInstant(now)),
});

export function spaceRow(
  workspace: ReadWorkspace,
  storing: Storing,
  space: ImportedSpace,
  i: number,
): SpaceRow {
  const { title, description = null } = space;
  return {
    ...common(workspace, storing, space, i, workspace.ids.spaces.get(space.id)),
    title,
    description,
  };
}

/** The new id of a thing that may be gone, the same each time. */
export function idFor(ids: Map<string, string>, id: string, { now }: Storing): string {
  const known = ids.get(id) ?? newId(now);
  ids.set(id, known);
  return known;
}

export function listRow(workspace: ReadWorkspace, storing: Storing, list: ImportedList, i: number): ListRow {
  const { ids } = workspace;
  return {
    ...common(workspace, storing, list, i, ids.lists.get(list.id)),
    title: list.title,
    // In the trash it may be that neither is there any more.
    space_id: idFor(ids.spaces, list.spaceId, storing),
    status_template_id: idFor(ids.statusTemplates, list.statusTemplateId, storing),
  };
}

export const stampsOf = (thing: Pick<Ordered, 'createdAt' | 'updatedAt'>, at: Instant) => ({
  created_at: thing.createdAt ?? at,
  updated_at: thing.updatedAt ?? thing.createdAt ?? at,
});

/** The rows of a series and of its occurrences, these some at a time. */
export function seriesRows(
  workspace: ReadWorkspace,
  storing: Storing,
  series: Series,
  instances: readonly Task[],
  at: Instant,
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
    brought_back: broughtBack(workspace, storing, continuation, instances, at),
    version: 1,
    ...stampsOf(series, at),
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
  const occurrences = Array.from({ length: Math.ceil(rows.length / OCCURRENCES_IN_ROW) }, (_, i) =>
    rows.slice(i * OCCURRENCES_IN_ROW, (i + 1) * OCCURRENCES_IN_ROW),
  );
  const bytes = bytesOfText(row.title, row.description, ...itemTitles(row));
  const steps = series.steps.map((step) => stepRow(workspace, storing, id, step));
  return { row, bytes, occurrences, steps };
}

/** A task in the trash says its status, which may be gone. */
type MaybeTrashed = Task & Partial<Pick<Trashed['tasks'][number], 'status'>>;

/** The digest of the upcoming task as it is here, where nobody changed it; of one that someone changed none that fits. */
function broughtBack(
  workspace: ReadWorkspace,
  storing: Storing,
  { progress }: Continuation,
  instances: readonly Task[],
  at: Instant,
): string | null {
  if ((progress.broughtBack ?? 'no') === 'no') return null;
  const isUpcoming = ({ id }: MaybeTrashed) => id === progress.upcoming?.taskId;
  // Of a series in the trash it may have stayed in another list.
  const upcoming: MaybeTrashed | undefined = instances.find(isUpcoming) ?? workspace.tasks.find(isUpcoming);
  if (!upcoming || progress.broughtBack === 'changed') return 'changed';
  const { row, columns } = taskEntry(workspace, storing, {
    task: upcoming,
    number: 0,
    i: 0,
    workspaceKey: 0,
    at,
  });
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
  { now }: Storing,
  series_id: string,
  { number, ruleVersion, local, taskId, task, statusId, isOwnStatus }: ImportedStep,
): SeriesStepRow {
  const task_id = taskId == null ? null : (ids.tasks.get(taskId) ?? newId(now));
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

/** People other than the importer are nobody here. */
const personOf = (id: string | null | undefined, { importerIds }: ReadWorkspace, { owner }: Storing) =>
  id != null && importerIds.has(id) ? owner.id : null;

export function commentRow(
  workspace: ReadWorkspace,
  storing: Storing,
  comment: ImportedComment,
  at: Instant,
): { row: CommentOfTask; mentions: string[] } {
  const author = personOf(comment.authorId, workspace, storing);
  const { body, mentioned } = replaceMentions(comment.body, (id) => personOf(id, workspace, storing));
  const row = {
    id: newId(storing.now),
    workspace_code: storing.keys.get(workspace.id) ?? 0,
    author_code: author === null ? null : storing.owner.code,
    body,
    version: 1,
    created_at: comment.createdAt ?? at,
    edited_at: comment.editedAt ?? null,
  };
  return { row, mentions: mentioned };
}

export function taskEntry(
  workspace: ReadWorkspace,
  storing: Storing,
  {
    task,
    number,
    i,
    workspaceKey,
    at,
  }: { task: Task; number: number; i: number; workspaceKey: number; at: Instant },
): Extract<Entry, { kind: 'task' }> {
  const { ids } = workspace;
  const { recurrence } = task;
  const statuses = workspace.statusesOf.get(task.listId) ?? [];
  const status = statuses.find(({ id }) => task.statusId === undefined || id === task.statusId);
  const stamps = stampsOf(task, at);
  const due = dateAfter(null, task.dueDate, task.dueDay);
  const template = templateRow(workspace, storing, task);
  const more_bytes = bytesOfText(...itemTitles(template), ...task.comments.map(({ body }) => body));
  const row: NewTask = {
    id: ids.tasks.get(task.id) ?? '',
    workspace_code: workspaceKey,
    workspace_id: workspace.id,
    space_id: ids.spaces.get(workspace.spaceOf.get(task.listId) ?? '') ?? '',
    ...template,
    status_id: ids.statuses.get(status?.id ?? '') ?? '',
    creator_id: personOf(task.creatorId, workspace, storing),
    start_date: dateAfter(null, task.startDate, task.startDay),
    due_date: due,
    completed_at: status?.type === 'completed' ? (task.completedAt ?? stamps.updated_at) : null,
    position: task.position ?? (i + 1) * POSITION_STEP,
    recurring_task_id: ids.series.get(recurrence?.recurringTaskId ?? '') ?? null,
    occurrence_at: recurrence?.occurrenceAt ?? null,
    occurrence_number: recurrence?.occurrenceNumber ?? null,
    overridden: toJson(recurrence?.overridden ?? []),
    ...stamps,
  };
  return {
    kind: 'task',
    row,
    // What was due before is told of nobody.
    columns: {
      number,
      due_noticed: due !== null && due <= at ? due : null,
      comment_count: task.comments.length,
      more_bytes,
    },
    words: wordsOf(row),
    bytes: task.bytes,
    rowsBeside: (task.checklist?.length ?? 0) + (task.labelIds?.length ?? 0),
  };
}

/** What tasks and series have in common. */
const templateRow = (workspace: ReadWorkspace, storing: Storing, thing: Task | Series): TemplateRow => ({
  ...EMPTY_TEMPLATE,
  ...defined(columnsOf({ ...thing, labelIds: undefined })),
  list_id: workspace.ids.lists.get(thing.listId) ?? '',
  assignee_id: personOf(thing.assigneeId, workspace, storing),
  label_ids: labelsToJson(thing.labelIds?.map((id) => workspace.ids.labels.get(id) ?? '')),
  checklist: toJson(
    (thing.checklist ?? []).map((item) => ({
      id: itemId(workspace, item.id, storing),
      title: item.title,
      isDone: item.isDone ?? false,
    })),
  ),
});

/** Instances keep having the ids of the template's items. */
function itemId({ items }: ReadWorkspace, id: string | undefined, { now }: Storing): string {
  const known = id === undefined ? undefined : items.get(id);
  if (known !== undefined) return known;
  const fresh = newId(now);
  if (id !== undefined) items.set(id, fresh);
  return fresh;
}
