import type { Day } from '../text/days.ts';
import type { Priority } from '../text/priorities.ts';
import type { EndCondition, Interval } from '../text/say-rules.ts';

export const KINDS = [
  'workspace',
  'member',
  'statusTemplate',
  'space',
  'list',
  'label',
  'recurringTask',
  'task',
  'comment',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Status {
  id: string;
  title: string;
  type: 'unstarted' | 'started' | 'completed' | 'canceled';
  color: string;
  position: number;
}

/** Whether tasks of this status are over: completed or canceled. */
export const isClosed = ({ type }: Pick<Status, 'type'>): boolean =>
  type === 'completed' || type === 'canceled';

/** Of the statuses of another list the one itself, else that of the same title, else the first of its type. */
export const statusLike = (
  status: Pick<Status, 'id'> & Partial<Status>,
  among: readonly Status[],
): Status | undefined =>
  among.find(({ id }) => id === status.id) ??
  among.find(({ title }) => title === status.title) ??
  among.find(({ type }) => type === status.type);

export interface ChecklistItem {
  id: string;
  title: string;
  isDone: boolean;
}

interface Dated {
  id: string;
  workspaceId: string;
  createdAt: string;
  updatedAt: string;
}

/** What tasks have, and the series that they are made after. */
interface Template extends Dated {
  listId: string;
  title: string;
  description: string | null;
  priority: Priority;
  assigneeId: string | null;
  labelIds: string[];
  checklist: ChecklistItem[];
  version: number;
}

export interface Task extends Template {
  spaceId: string;
  statusId: string;
  creatorId: string | null;
  startDate: string | null;
  startDay: Day | null;
  dueDate: string | null;
  dueDay: Day | null;
  completedAt: string | null;
  position: number;
  number: number;
  commentCount: number;
  recurrence: {
    recurringTaskId: string | null;
    occurrenceAt: string;
    occurrenceNumber: number;
    overridden: string[];
  } | null;
}

export interface Series extends Template {
  interval: Interval;
  endCondition: EndCondition;
  startsAt: string;
  state: 'active' | 'paused' | 'ended';
  nextRunAt: string | null;
  nextTaskId: string | null;
}

export interface Space extends Dated {
  title: string;
  description: string | null;
  position: number;
  version: number;
}

export interface List extends Dated {
  spaceId: string;
  title: string;
  statusTemplateId: string;
  statuses: Status[];
  position: number;
  version: number;
}

export interface Label extends Dated {
  title: string;
  color: string;
  position: number;
  version: number;
}

export interface StatusTemplate extends Dated {
  title: string;
  isDefault: boolean;
  statuses: Status[];
}

export interface Comment {
  id: string;
  workspaceId: string;
  taskId: string;
  authorId: string | null;
  body: string;
  mentionedUserIds: string[];
  createdAt: string;
  editedAt: string | null;
  version: number;
}

export type Role = 'owner' | 'admin' | 'member' | 'viewer';

export interface Member {
  /** Added here: the server's rows of members have no id of their own. */
  workspaceId: string;
  userId: string;
  email: string;
  name: string;
  role: Role;
  joinedAt: string;
}

export interface Workspace extends Dated {
  title: string;
  key: string;
  ownerId: string;
}

export interface Rows {
  workspace: Workspace;
  member: Member;
  statusTemplate: StatusTemplate;
  space: Space;
  list: List;
  label: Label;
  recurringTask: Series;
  task: Task;
  comment: Comment;
}

/** A row of any kind, as the core handles it. */
export type Row = Record<string, unknown>;

/** One thing under the key it is held by: its id; of a member also the workspace's. */
export interface Held {
  kind: Kind;
  key: string;
  workspaceId: string;
  value: Row;
}

export type ThingKey = `${Kind}:${string}`;

export const thingKey = (kind: Kind, key: string): ThingKey => `${kind}:${key}`;

/** The key of an item of a workspace's changes. */
export const keyOf = (kind: Kind, workspaceId: string, id: string): string =>
  kind === 'member' ? `${workspaceId}/${id}` : id;
