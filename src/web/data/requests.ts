import { type Change, textOf } from './change.ts';
import type { Kind, Row } from './rows.ts';

interface WriteRequest {
  method: string;
  path: string;
  body?: unknown;
  ifMatch?: string | null;
}

const BATCHED = new Set(['create', 'update', 'move', 'delete', 'restore']);
const PATHS: Partial<Record<Kind, string>> = {
  space: 'spaces',
  list: 'lists',
  label: 'labels',
  recurringTask: 'recurring-tasks',
};
const ACTIONS: Partial<Record<Change['op'], string>> = {
  skip: 'skip',
  stepBack: 'step-back',
  pause: 'pause',
  resume: 'resume',
};

/** Whether a change goes to `tasks/batch`, alone or with others. */
export const isBatched = ({ kind, op }: Change): boolean => kind === 'task' && BATCHED.has(op);

/** The ETag that a change must meet: that of the row whose long text it edits. */
export function ifMatchOf(change: Change, row: Row | undefined, epoch: string | null): string | null {
  if (!textOf(change) || change.op !== 'update' || !row?.version || epoch === null) return null;
  return `"${epoch}-${row.version}"`;
}

/** An operation of `tasks/batch`. */
export function operationOf(change: Change, ifMatch: string | null): Row {
  return { op: change.op, id: change.thing, ...change.fields, ...(ifMatch && { ifMatch }) };
}

/** The request of a change that is not batched. */
export function requestOf(change: Change, ifMatch: string | null): WriteRequest {
  const { kind, op, thing, fields } = change;
  const root = `workspaces/${change.workspaceId}`;
  if (kind === 'comment') {
    const { taskId, ...rest } = fields;
    const path = `${root}/tasks/${taskId}/comments`;
    if (op === 'create') return { method: 'POST', path, body: { id: thing, ...rest } };
    if (op === 'delete') return { method: 'DELETE', path: `${path}/${thing}` };
    return { method: 'PATCH', path: `${path}/${thing}`, body: rest, ifMatch };
  }
  if (kind === 'task') {
    const path = `${root}/tasks/${thing}/checklist`;
    const { itemId, ...rest } = fields;
    if (op === 'addItem') return { method: 'POST', path, body: { id: itemId, ...rest } };
    if (op === 'removeItem') return { method: 'DELETE', path: `${path}/${itemId}` };
    return { method: 'PATCH', path: `${path}/${itemId}`, body: rest };
  }
  const path = `${root}/${PATHS[kind]}`;
  if (op === 'create') {
    const reuse = kind === 'label' ? { reuse: true } : {};
    return { method: 'POST', path, body: { id: thing, ...fields, ...reuse } };
  }
  if (op === 'restore') return { method: 'POST', path: `${root}/trash/${thing}/restore`, body: fields };
  if (op === 'delete') {
    const query = fields.keepUpcoming ? '?keepUpcoming=true' : '';
    return { method: 'DELETE', path: `${path}/${thing}${query}` };
  }
  if (op === 'editMode') {
    const { taskId, ...body } = fields;
    return { method: 'POST', path: `${path}/${thing}/instances/${taskId}/edit-mode`, body };
  }
  const action = ACTIONS[op];
  if (action) return { method: 'POST', path: `${path}/${thing}/${action}`, body: fields };
  return { method: 'PATCH', path: `${path}/${thing}`, body: fields, ifMatch };
}
