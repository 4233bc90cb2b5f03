import { z } from '@hono/zod-openapi';
import {
  boundedArray,
  InstantInput,
  isObject,
  NullableInstantInput,
  orNull,
  Position,
  Title,
} from '../http/fields.ts';
import { Color, SpaceInput, StatusType } from '../lists/schema.ts';
import { wholeNumber } from '../recurring/interval-shapes.ts';
import { BroughtBack, OccurrenceState } from '../recurring/progress-schema.ts';
import { SeriesFields, State, StateReason } from '../recurring/series-schema.ts';
import { CommentInput } from '../tasks/comment-schema.ts';
import { LabelInput } from '../tasks/label-schema.ts';
import { neverDayAndInstant, TaskInput } from '../tasks/schema.ts';
import { TrashKind } from '../trash/schema.ts';
import { WorkspaceInput, WorkspaceKey } from '../workspaces/schema.ts';
import {
  arrayOf,
  carried,
  DocumentId,
  Flag,
  LastNumber,
  Local,
  LocalDate,
  NullableDocumentId,
  Ordinal,
  stamps,
  Whole,
  Word,
} from './document-fields.ts';

export const MAX_WORKSPACES = 500;
const MAX_STATUSES = 50;
const MAX_OVERRIDDEN = 100;
export const MAX_STEPS = 10_000;
/** One a day for decades, and what was skipped ahead. */
export const MAX_OCCURRENCES = 20_000;

const PERSON_RULE = 'Must be a text of at most 254 characters';
const OfPerson = z.string({ error: PERSON_RULE }).max(254, PERSON_RULE).optional();

export const ImportedMember = z
  .object({ userId: DocumentId, email: OfPerson, name: OfPerson })
  .openapi('ImportedMember');
export type ImportedMember = z.output<typeof ImportedMember>;

export const ImportedSpace = z
  .object({ ...SpaceInput.shape, id: DocumentId, ...stamps })
  .openapi('ImportedSpace');
export type ImportedSpace = z.output<typeof ImportedSpace>;

export const ImportedList = z
  .object({
    id: DocumentId,
    spaceId: DocumentId,
    title: Title,
    statusTemplateId: DocumentId,
    position: Position.optional(),
    ...stamps,
  })
  .openapi('ImportedList');
export type ImportedList = z.output<typeof ImportedList>;

export const ImportedLabel = z
  .object({
    id: DocumentId,
    title: LabelInput.shape.title,
    color: Color.optional(),
    position: Position.optional(),
    ...stamps,
  })
  .openapi('ImportedLabel');
export type ImportedLabel = z.output<typeof ImportedLabel>;

const ImportedStatus = z
  .object({
    id: DocumentId,
    title: Title,
    type: StatusType,
    color: Color.optional(),
    position: Position.optional(),
  })
  .openapi('ImportedStatus');

export const ImportedStatusTemplate = z
  .object({
    id: DocumentId,
    title: Title,
    isDefault: Flag.optional(),
    statuses: boundedArray(ImportedStatus, MAX_STATUSES, {
      error: 'Statuses must be an array',
      tooMany: `There may be at most ${MAX_STATUSES} statuses`,
    }),
    ...stamps,
  })
  .openapi('ImportedStatusTemplate');
export type ImportedStatusTemplate = z.output<typeof ImportedStatusTemplate>;

export const ImportedComment = z
  .object({
    id: DocumentId.optional(),
    authorId: NullableDocumentId.optional(),
    body: CommentInput.shape.body,
    createdAt: InstantInput.optional(),
    editedAt: NullableInstantInput.optional(),
  })
  .openapi('ImportedComment');
export type ImportedComment = z.output<typeof ImportedComment>;

const ImportedRecurrence = z
  .object({
    recurringTaskId: NullableDocumentId,
    occurrenceAt: InstantInput,
    occurrenceNumber: Ordinal,
    overridden: boundedArray(Word, MAX_OVERRIDDEN, {
      error: 'Must be an array',
      tooMany: `There may be at most ${MAX_OVERRIDDEN} overridden fields`,
    }).optional(),
  })
  .openapi('ImportedRecurrence');

/** A task apart from its comments, which may be very many. */
export const ImportedTaskHead = z
  .object({
    ...TaskInput.shape,
    ...carried,
    id: DocumentId,
    statusId: DocumentId.optional(),
    number: Ordinal.optional(),
    completedAt: NullableInstantInput.optional(),
    recurrence: ImportedRecurrence.nullable().optional(),
    ...stamps,
  })
  .superRefine(neverDayAndInstant, { when: isObject });
export type ImportedTaskHead = z.output<typeof ImportedTaskHead>;

const ImportedTask = z
  .object({ ...ImportedTaskHead.shape, comments: arrayOf(ImportedComment).optional() })
  .openapi('ImportedTask');

export const ImportedOccurrence = z
  .object({
    ruleVersion: Ordinal,
    local: Local,
    at: InstantInput,
    number: Whole,
    state: OccurrenceState,
    taskId: NullableDocumentId.optional(),
  })
  .openapi('ImportedOccurrence');
export type ImportedOccurrence = z.output<typeof ImportedOccurrence>;

export const ImportedStep = z
  .object({
    number: Whole,
    ruleVersion: Ordinal,
    local: Local,
    taskId: NullableDocumentId.optional(),
    task: z.object({ number: Ordinal, position: Position, createdAt: InstantInput }).nullable().optional(),
    statusId: NullableDocumentId.optional(),
    isOwnStatus: Flag.optional(),
  })
  .openapi('ImportedStep');
export type ImportedStep = z.output<typeof ImportedStep>;

const ImportedProgress = z
  .object({
    anchorDate: LocalDate,
    numberOffset: Whole,
    ruleVersion: Ordinal,
    zoneData: Word.optional(),
    adoptedTaskId: NullableDocumentId.optional(),
    upcoming: z.object({ local: Local, number: Whole, taskId: NullableDocumentId.optional() }).nullable(),
    broughtBack: BroughtBack.optional(),
  })
  .openapi('ImportedProgress');

/** A series apart from its occurrences, which may be very many. */
export const ImportedSeriesHead = z.object({
  ...SeriesFields.shape,
  ...carried,
  id: DocumentId,
  startsAt: InstantInput,
  state: State.optional(),
  stateReason: orNull(StateReason).optional(),
  nextRunAt: NullableInstantInput.optional(),
  nextTaskId: NullableDocumentId.optional(),
  nextOccurrenceNumber: Whole.nullable()
    .optional()
    .openapi({ type: ['integer', 'null'] }),
  progress: ImportedProgress.optional().openapi({ description: 'Of version 2' }),
  ...stamps,
});
export type ImportedSeriesHead = z.output<typeof ImportedSeriesHead>;

const ImportedRecurringTask = z
  .object({
    ...ImportedSeriesHead.shape,
    occurrences: arrayOf(ImportedOccurrence).openapi({ maxItems: MAX_OCCURRENCES }).optional(),
    steps: arrayOf(ImportedStep).openapi({ maxItems: MAX_STEPS }).optional(),
  })
  .openapi('ImportedRecurringTask');

/** An entry of the trash apart from what it holds. */
export const ImportedTrashHead = z.object({
  id: DocumentId,
  kind: TrashKind,
  title: Title,
  deletedAt: InstantInput,
  deletedBy: NullableDocumentId.optional(),
  purgeAt: InstantInput,
  placeId: NullableDocumentId.optional(),
});
export type ImportedTrashHead = z.output<typeof ImportedTrashHead>;

/** A task as it was when it was deleted. */
export const ImportedTrashedTask = z
  .object({
    ...ImportedTaskHead.shape,
    spaceId: DocumentId.optional(),
    status: z.object({ id: DocumentId, title: Title, type: StatusType }),
  })
  .superRefine(neverDayAndInstant, { when: isObject })
  .openapi('ImportedTrashedTask');
export type ImportedTrashedTask = z.output<typeof ImportedTrashedTask>;

export const ImportedTrashedComment = z
  .object({ ...ImportedComment.shape, taskId: DocumentId })
  .openapi('ImportedTrashedComment');
export type ImportedTrashedComment = z.output<typeof ImportedTrashedComment>;

const ImportedTrashEntry = z
  .object({
    ...ImportedTrashHead.shape,
    spaces: arrayOf(ImportedSpace).optional(),
    lists: arrayOf(ImportedList).optional(),
    recurringTasks: arrayOf(ImportedRecurringTask).optional(),
    tasks: arrayOf(ImportedTrashedTask).optional(),
    comments: arrayOf(ImportedTrashedComment).optional(),
  })
  .openapi('ImportedTrashEntry');

/** A workspace apart from what is in it. */
export const ImportedWorkspaceHead = z.object({
  ...WorkspaceInput.shape,
  key: WorkspaceKey.optional(),
  lastTaskNumber: LastNumber.optional(),
  ...stamps,
});
export type ImportedWorkspaceHead = z.output<typeof ImportedWorkspaceHead>;

const ImportedWorkspace = z
  .object({
    ...ImportedWorkspaceHead.shape,
    members: arrayOf(ImportedMember).optional(),
    spaces: arrayOf(ImportedSpace).optional(),
    lists: arrayOf(ImportedList).optional(),
    labels: arrayOf(ImportedLabel).optional(),
    statusTemplates: arrayOf(ImportedStatusTemplate),
    tasks: arrayOf(ImportedTask).optional(),
    recurringTasks: arrayOf(ImportedRecurringTask).optional(),
    trash: arrayOf(ImportedTrashEntry).optional(),
  })
  .openapi('ImportedWorkspace');

const VERSION_RULE = 'Format version must be 1 or 2';
export const FormatVersion = wholeNumber(1, 2, VERSION_RULE);

/** What an import takes: an export. Fields that are not named here are ignored. */
export const AccountImport = z
  .object({
    formatVersion: FormatVersion,
    workspaces: arrayOf(ImportedWorkspace).openapi({ maxItems: MAX_WORKSPACES }),
  })
  .openapi('AccountImport', {
    example: {
      formatVersion: 2,
      workspaces: [
        {
          title: 'Household',
          statusTemplates: [
            {
              id: 'default',
              title: 'Default',
              isDefault: true,
              statuses: [
                { id: 'to-do', title: 'To Do', type: 'unstarted' },
                { id: 'done', title: 'Done', type: 'completed' },
              ],
            },
          ],
          spaces: [{ id: 'home', title: 'Home' }],
          lists: [{ id: 'groceries', title: 'Groceries', spaceId: 'home', statusTemplateId: 'default' }],
          tasks: [{ id: '1', title: 'Buy milk', listId: 'groceries' }],
        },
      ],
    },
  });
