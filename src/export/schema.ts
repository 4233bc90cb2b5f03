import { z } from '@hono/zod-openapi';
import { Me } from '../auth/schema.ts';
import { WireInstant } from '../http/fields.ts';
import { List, Space, StatusTemplate } from '../lists/schema.ts';
import { Notification } from '../notifications/schema.ts';
import { RecurringTask } from '../recurring/series-schema.ts';
import { Task } from '../tasks/schema.ts';
import { Workspace, WorkspaceMember } from '../workspaces/schema.ts';

/** Counts up when a reader of the format would have to change; new fields alone are no such reason. */
export const FORMAT_VERSION = 1;

const ExportedWorkspace = Workspace.extend({
  members: z.array(WorkspaceMember),
  spaces: z.array(Space),
  lists: z.array(List),
  statusTemplates: z.array(StatusTemplate),
  tasks: z.array(Task),
  recurringTasks: z.array(RecurringTask),
}).openapi('ExportedWorkspace');

/** Everything of an account, as of one moment. */
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
