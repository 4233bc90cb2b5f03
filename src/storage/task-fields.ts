import { type Day, isWholeDay } from '../kernel/days.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Task } from '../tasks/schema.ts';
import { type LeftOut, withoutLong } from './long-texts.ts';
import type { DateText, TaskKeys, TaskRow } from './tables.ts';
import { checklistOf, labelIdsOf, priorityOf } from './template-fields.ts';

/** Every column of tasks: whether it is shown on the wire, or only kept. */
const COLUMNS = {
  seq: 'kept',
  id: 'shown',
  number: 'shown',
  workspace_code: 'kept',
  workspace_id: 'shown',
  space_id: 'shown',
  list_code: 'kept',
  list_id: 'shown',
  title: 'shown',
  title_key: 'kept',
  description: 'shown',
  priority: 'shown',
  status_code: 'kept',
  status_id: 'shown',
  assignee_code: 'kept',
  assignee_id: 'shown',
  creator_code: 'kept',
  creator_id: 'shown',
  start_date: 'shown',
  due_date: 'shown',
  due_noticed: 'kept',
  completed_at: 'shown',
  position: 'shown',
  recurring_task_id: 'shown',
  occurrence_at: 'shown',
  occurrence_number: 'shown',
  overridden: 'shown',
  created_at: 'shown',
  updated_at: 'shown',
  label_ids: 'shown',
  checklist: 'shown',
  comment_count: 'shown',
  more_bytes: 'kept',
  version: 'shown',
} as const satisfies Record<keyof (StoredTask & TaskKeys), 'shown' | 'kept'>;
type Column = keyof typeof COLUMNS;

/** The names of the columns, in the order in which a task is inserted. */
export const INSERTED = Object.keys(COLUMNS) as Column[];

/** A task with its number: the rowid, in the search index too. */
export type StoredTask = TaskRow & { seq: number };

/** A task without its long texts, as of which very many are read at once. */
export type ShortTask = Omit<StoredTask, 'description' | 'checklist'>;

/** The columns of a `ShortTask`. */
export const SHORT = INSERTED.filter((column) => column !== 'description' && column !== 'checklist');

/** What of a task is on the wire. */
export type ShownTask = Pick<
  TaskRow,
  { [Name in Column]: (typeof COLUMNS)[Name] extends 'shown' ? Name : never }[Column] & keyof TaskRow
>;

/** The columns of a `ShownTask`. */
export const SHOWN = INSERTED.filter((column) => COLUMNS[column] === 'shown').join(', ');

/** A task of a page, with its place in the default order; without its long texts. */
export type PagedTask = ShownTask & Pick<TaskRow, 'workspace_code'> & { seq: number } & LeftOut;

/** The columns of a `PagedTask`. */
export const PAGED = `${withoutLong(SHOWN)}, workspace_code, seq`;

/** A task of a page as it is found: its version tells whether its JSON is known. */
export type FoundTask = Pick<StoredTask, 'seq' | 'version' | 'id' | 'due_date'>;

/** The columns of a `FoundTask`. */
export const FOUND = 'seq, version, id, due_date';

export const taskOf = (row: ShownTask): Task => ({
  id: row.id,
  number: row.number,
  workspaceId: row.workspace_id,
  spaceId: row.space_id,
  listId: row.list_id,
  title: row.title,
  description: row.description,
  priority: priorityOf(row),
  statusId: row.status_id,
  assigneeId: row.assignee_id,
  creatorId: row.creator_id,
  startDate: instantIn(row.start_date),
  startDay: dayIn(row.start_date),
  dueDate: instantIn(row.due_date),
  dueDay: dayIn(row.due_date),
  completedAt: row.completed_at,
  position: row.position,
  labelIds: labelIdsOf(row),
  checklist: checklistOf(row),
  commentCount: row.comment_count,
  recurrence:
    row.occurrence_at === null
      ? null
      : {
          recurringTaskId: row.recurring_task_id,
          occurrenceAt: row.occurrence_at,
          occurrenceNumber: row.occurrence_number ?? 0,
          overridden: overriddenIn(row),
        },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

const dayIn = (date: DateText | null): Day | null => (date !== null && isWholeDay(date) ? date : null);
const instantIn = (date: DateText | null): Instant | null =>
  date !== null && !isWholeDay(date) ? date : null;

/** A date that is given as an instant or a day: either takes the place of the other, null clears its own kind only. */
export function dateAfter(
  before: DateText | null,
  instant: Instant | null | undefined,
  day: Day | null | undefined,
): DateText | null {
  if (instant != null || day != null) return instant ?? day ?? null;
  const kept = instant === null ? dayIn(before) : before;
  return day === null && kept !== null ? instantIn(kept) : kept;
}

/** The fields of an instance that differ from its series by intent. */
export const overriddenIn = (row: Pick<ShownTask, 'overridden'>): string[] =>
  row.overridden === null ? [] : (JSON.parse(row.overridden) as string[]);
