import { z } from '@hono/zod-openapi';
import { Me } from '../auth/schema.ts';
import { WireId, WireInstant } from '../http/fields.ts';
import { List, Space, StatusTemplate, StatusType } from '../lists/schema.ts';
import { Notification } from '../notifications/schema.ts';
import { DecidedOccurrence, SeriesProgress, SeriesStep } from '../recurring/progress-schema.ts';
import { RecurringTask } from '../recurring/series-schema.ts';
import { Comment } from '../tasks/comment-schema.ts';
import { Label } from '../tasks/label-schema.ts';
import { Task } from '../tasks/schema.ts';
import { TrashEntry } from '../trash/schema.ts';
import { Workspace, WorkspaceMember } from '../workspaces/schema.ts';

/** Counts up when a reader of the format would have to change; new fields alone are no such reason. */
export const FORMAT_VERSION = 2;

const ExportedTask = Task.extend({ comments: z.array(Comment) }).openapi('ExportedTask');

const ExportedRecurringTask = RecurringTask.extend({
  progress: SeriesProgress,
  occurrences: z.array(DecidedOccurrence).openapi({ description: 'What was decided, for good' }),
  steps: z.array(SeriesStep).openapi({ description: 'What made it advance before its time' }),
}).openapi('ExportedRecurringTask');

const TrashedTask = Task.extend({
  status: z
    .object({ id: WireId, title: z.string().openapi({ example: 'To Do' }), type: StatusType })
    .openapi({ description: 'Also where its status template is gone' }),
}).openapi('TrashedTask');

const TrashedList = List.omit({ statuses: true }).openapi('TrashedList');

const ExportedTrashEntry = TrashEntry.extend({
  placeId: WireId.nullable().openapi({ description: 'Of a task its list, of a list its space' }),
  spaces: z.array(Space),
  lists: z.array(TrashedList),
  recurringTasks: z.array(ExportedRecurringTask),
  tasks: z.array(TrashedTask),
  comments: z.array(Comment).openapi({ description: 'Of the tasks' }),
}).openapi('ExportedTrashEntry');

export const ExportedWorkspace = Workspace.extend({
  lastTaskNumber: z.int().openapi({ description: 'The highest number that a task ever had', example: 12 }),
  members: z.array(WorkspaceMember),
  spaces: z.array(Space),
  lists: z.array(List),
  labels: z.array(Label),
  statusTemplates: z.array(StatusTemplate),
  tasks: z.array(ExportedTask),
  recurringTasks: z.array(ExportedRecurringTask),
  trash: z.array(ExportedTrashEntry),
}).openapi('ExportedWorkspace');

/** Everything of an account, in one consistent snapshot. */
export const AccountExport = z
  .object({
    exportedAt: WireInstant,
    formatVersion: z
      .literal(FORMAT_VERSION)
      .openapi({ description: 'Counts up with changes that a reader must know of; new fields come without' }),
    profile: Me,
    workspaces: z.array(ExportedWorkspace).openapi({ description: 'Those you own' }),
    notifications: z.array(Notification),
  })
  .openapi('AccountExport');
export type AccountExport = z.output<typeof AccountExport>;
