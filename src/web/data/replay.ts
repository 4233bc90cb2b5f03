import { UNPLACED } from '../text/positions.ts';
import type { Change } from './change.ts';
import type { ChecklistItem, Kind, Row, Status } from './rows.ts';

/** What replaying has to know of other rows. */
export interface ReplayContext {
  status: (id: unknown) => Status | undefined;
  list: (id: unknown) => Row | undefined;
  userId: string;
}

const iso = (at: number): string => new Date(at).toISOString();

/** A row as it is with a change of mine; undefined where there is none (any more). */
export function replay(
  row: Row | undefined,
  change: Change,
  kind: Kind,
  key: string,
  context: ReplayContext,
): Row | undefined {
  const isOwn = change.kind === kind && change.thing === key;
  if (!isOwn) return row && touched(row, change, kind, context);
  switch (change.op) {
    case 'create':
      return row ?? newRow(change, context);
    case 'update':
      return row && updated(row, change.fields, change, context);
    case 'move': {
      const spaceId = context.list(change.fields.listId)?.spaceId ?? row?.spaceId;
      return row && updated(row, { ...change.fields, spaceId }, change, context);
    }
    case 'delete':
      return undefined;
    case 'restore':
      return row ?? change.before;
    case 'addItem':
    case 'updateItem':
    case 'removeItem':
      return row && { ...row, checklist: withItem(row.checklist as ChecklistItem[], change) };
    case 'pause':
      return row && { ...row, state: 'paused', nextRunAt: null };
    case 'resume':
      return row && { ...row, state: 'active' };
    case 'editMode':
      return row && change.fields.mode !== 'this'
        ? updated(row, change.fields.updates as Row, change, context)
        : row;
    default:
      return row;
  }
}

function touched(row: Row, change: Change, kind: Kind, context: ReplayContext): Row | undefined {
  if (change.op === 'skip') return kind === 'task' ? undefined : row;
  if (change.op === 'editMode') return updated(row, change.fields.updates as Row, change, context);
  if (kind === 'task' && change.kind === 'comment') {
    const difference = change.op === 'create' ? 1 : change.op === 'delete' ? -1 : 0;
    return { ...row, commentCount: Number(row.commentCount ?? 0) + difference };
  }
  return row;
}

function updated(row: Row, fields: Row, change: Change, context: ReplayContext): Row {
  const { addLabelIds, removeLabelIds, ...plain } = fields;
  const next: Row = { ...row, ...plain, updatedAt: iso(change.at) };
  if (plain.dueDate) next.dueDay = null;
  if (plain.dueDay) next.dueDate = null;
  if (plain.startDate) next.startDay = null;
  if (plain.startDay) next.startDate = null;
  if (addLabelIds || removeLabelIds) {
    const removed = (removeLabelIds ?? []) as string[];
    const kept = ((row.labelIds ?? []) as string[]).filter((id) => !removed.includes(id));
    next.labelIds = [...new Set([...kept, ...((addLabelIds ?? []) as string[])])];
  }
  if (plain.statusId !== undefined) {
    const isCompleted = context.status(plain.statusId)?.type === 'completed';
    next.completedAt = isCompleted ? (row.completedAt ?? iso(change.at)) : null;
  }
  return next;
}

function withItem(items: readonly ChecklistItem[], { op, fields }: Change): ChecklistItem[] {
  const { itemId: id, ...rest } = fields as { itemId: string } & Partial<ChecklistItem>;
  if (op === 'removeItem') return items.filter((item) => item.id !== id);
  if (op === 'updateItem') return items.map((item) => (item.id === id ? { ...item, ...rest } : item));
  if (items.some((item) => item.id === id)) return [...items];
  return [...items, { id, title: '', isDone: false, ...rest }];
}

/** What fields of a thing are where nobody said anything of them. */
export const EMPTY: Partial<Record<Kind, Row>> = {
  task: {
    description: null,
    priority: 'none',
    assigneeId: null,
    startDate: null,
    startDay: null,
    dueDate: null,
    dueDay: null,
    completedAt: null,
    number: null,
    labelIds: [],
    checklist: [],
    commentCount: 0,
    recurrence: null,
  },
  recurringTask: {
    description: null,
    priority: 'none',
    assigneeId: null,
    labelIds: [],
    checklist: [],
    endCondition: { type: 'never' },
    state: 'active',
    nextRunAt: null,
    nextTaskId: null,
  },
  space: { description: null },
  comment: { mentionedUserIds: [], editedAt: null },
};

/** What a thing made here looks like until the server has made it. */
function newRow(change: Change, context: ReplayContext): Row {
  const { fields, kind } = change;
  const list = context.list(fields.listId);
  const statuses = (list?.statuses ?? []) as Status[];
  const at = iso(change.at);
  const row: Row = {
    position: UNPLACED,
    ...EMPTY[kind],
    ...(kind === 'list' && { statuses: [] }),
    ...fields,
    id: change.thing,
    workspaceId: change.workspaceId,
    createdAt: at,
    updatedAt: at,
    version: 0,
  };
  if (kind === 'comment') row.authorId = context.userId;
  if (kind === 'task') {
    row.creatorId = context.userId;
    row.spaceId = list?.spaceId ?? null;
    row.statusId ??= statuses[0]?.id;
    if (context.status(row.statusId)?.type === 'completed') row.completedAt = at;
  }
  return row;
}
