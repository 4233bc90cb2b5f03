import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { defined } from '../kernel/patch.ts';
import { POSITION_STEP } from '../kernel/positions.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
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
import { dueInstant } from '../tasks/due-times.ts';
import type { ReadWorkspace } from './document.ts';
import type { Ordered } from './document-fields.ts';
import type { Series, Task } from './read-things.ts';
import type { ImportedComment, ImportedList, ImportedSpace } from './schema.ts';

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
  | { kind: 'reserveSeq'; taskId: string }
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
  /** Its columns, by which it is packed; of a task without its number in indexes, of a comment without task and key. */
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
type CommentOfTask = Omit<CommentRow, 'task_seq'>;

/** The owner of what is imported. */
interface Owner {
  id: string;
  /** The number that stands for the id. */
  code: number;
  timezone: string;
}

export interface Storing {
  owner: Owner;
  /** Of each new workspace, by its id. */
  keys: ReadonlyMap<string, number>;
  at: Instant;
  /** Of this process, for a document that does not say its own. */
  zoneData: string;
}

export const common = (
  workspace: ReadWorkspace,
  { at, owner }: Storing,
  thing: Ordered,
  i: number,
  id: string | undefined,
) => ({
  id: id ?? newId(at),
  workspace_id: workspace.id,
  position: thing.position ?? (i + 1) * POSITION_STEP,
  creator_code: owner.code,
  version: 1,
  ...stampsOf(thing, at),
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
export function idFor(ids: Map<string, string>, id: string, { at }: Storing): string {
  const known = ids.get(id) ?? newId(at);
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

/** The number that stands for the id of a workspace. */
export const keyOf = ({ id }: ReadWorkspace, { keys }: Storing): number => keys.get(id) ?? 0;

/** People other than the importer are nobody here. */
export const personOf = (
  id: string | null | undefined,
  { importerIds }: ReadWorkspace,
  { owner }: Storing,
) => (id != null && importerIds.has(id) ? owner.id : null);

export function commentRow(
  workspace: ReadWorkspace,
  storing: Storing,
  comment: ImportedComment,
): { row: CommentOfTask; mentions: string[] } {
  const author = personOf(comment.authorId, workspace, storing);
  const { body, mentioned } = replaceMentions(comment.body, (id) => personOf(id, workspace, storing));
  const row = {
    id: newId(storing.at),
    workspace_code: keyOf(workspace, storing),
    author_code: author === null ? null : storing.owner.code,
    body,
    version: 1,
    created_at: comment.createdAt ?? storing.at,
    edited_at: comment.editedAt ?? null,
  };
  return { row, mentions: mentioned };
}

export function taskEntry(
  workspace: ReadWorkspace,
  storing: Storing,
  task: Task,
  number: number,
  i: number,
): Extract<Entry, { kind: 'task' }> {
  const { ids } = workspace;
  const { recurrence } = task;
  const statuses = workspace.statusesOf.get(task.listId) ?? [];
  const status = statuses.find(({ id }) => task.statusId === undefined || id === task.statusId);
  const stamps = stampsOf(task, storing.at);
  const due = dateAfter(null, task.dueDate, task.dueDay);
  const template = templateRow(workspace, storing, task);
  const more_bytes = bytesOfText(...itemTitles(template), ...task.comments.map(({ body }) => body));
  const row: NewTask = {
    id: ids.tasks.get(task.id) ?? '',
    workspace_code: keyOf(workspace, storing),
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
      due_noticed: due !== null && dueInstant(due, storing.owner.timezone) <= storing.at ? due : null,
      comment_count: task.comments.length,
      more_bytes,
    },
    words: wordsOf(row),
    bytes: task.bytes,
    rowsBeside: (task.checklist?.length ?? 0) + (task.labelIds?.length ?? 0),
  };
}

/** What tasks and series have in common. */
export const templateRow = (
  workspace: ReadWorkspace,
  storing: Storing,
  thing: Task | Series,
): TemplateRow => ({
  ...EMPTY_TEMPLATE,
  ...defined(columnsOf({ ...thing, labelIds: undefined })),
  list_id: workspace.ids.lists.get(thing.listId) ?? '',
  assignee_id: personOf(thing.assigneeId, workspace, storing),
  label_ids: labelsToJson(thing.labelIds?.map((id) => workspace.ids.labels.get(id) ?? '')),
  checklist: toJson(
    (thing.checklist ?? []).map((item) => ({
      // Instances keep having the ids of the template's items.
      id: item.id === undefined ? newId(storing.at) : idFor(workspace.items, item.id, storing),
      title: item.title,
      isDone: item.isDone ?? false,
    })),
  ),
});
