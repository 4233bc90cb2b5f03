import { type Change, type OutboxWrites, setAside, textOf } from './change.ts';
import { isBatched } from './requests.ts';
import type { Row, Status } from './rows.ts';
import type { View } from './view.ts';

const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 400_000;

/** The changes to send next. */
export interface Batch {
  send: Change[];
  /** What to write to the outbox first: some may turn out to be done, or in conflict. Null where none may be sent. */
  changes: OutboxWrites | null;
  /** When the next delayed change may go; null where none waits. */
  soonest: number | null;
}

/** Chooses the next changes to send, and compares them with their rows as they are by now. */
export function nextBatch(outbox: readonly Change[], view: View, now: number): Batch {
  const { group, soonest } = choose(outbox, now);
  const send: Change[] = [];
  const changes: OutboxWrites = { put: [], remove: [] };
  for (const change of group) {
    const row = view.get(change.kind, change.thing);
    const { open, conflict } = withoutConflict(change, row, outbox, now);
    if (conflict) changes.put.push(conflict);
    if (open) {
      const next = { ...withStatus(open, row, view), sent: change.sent + 1 };
      changes.put.push(next);
      send.push(next);
    } else if (conflict?.seq !== change.seq) changes.remove.push(change.seq);
  }
  return { send, changes: group.length > 0 ? changes : null, soonest };
}

/** The first change that may go, and batched ones behind it, each thing once. */
function choose(outbox: readonly Change[], now: number): { group: Change[]; soonest: number | null } {
  const group: Change[] = [];
  const blocked = new Set<string>();
  let soonest: number | null = null;
  let bytes = 0;
  for (const change of outbox) {
    if (change.aside) continue;
    const [first] = group;
    const name = `${change.kind}:${change.thing}`;
    if (change.notBefore > now) {
      soonest = Math.min(soonest ?? change.notBefore, change.notBefore);
      blocked.add(name);
      continue;
    }
    if (blocked.has(name)) continue;
    if (!first) {
      group.push(change);
      bytes = JSON.stringify(change.fields).length;
      if (!isBatched(change)) return { group, soonest: null };
      continue;
    }
    if (change.workspaceId !== first.workspaceId) continue;
    bytes += JSON.stringify(change.fields).length + 200;
    const isFull = group.length >= Math.min(MAX_BATCH, first.maxBatch, change.maxBatch);
    const isTwice = group.some(({ thing }) => thing === change.thing);
    if (!isBatched(change) || isFull || isTwice || bytes > MAX_BATCH_BYTES) break;
    group.push(change);
  }
  return { group, soonest };
}

/** A long text that someone else changed meanwhile is set aside; one that is there already need not be sent. */
function withoutConflict(
  change: Change,
  row: Row | undefined,
  outbox: readonly Change[],
  now: number,
): { open: Change | null; conflict?: Change } {
  const text = textOf(change);
  if (!text || change.op !== 'update' || !row) return { open: change };
  const present = (row[text.field] ?? null) as string | null;
  if (present === text.from && present !== text.mine) return { open: change };
  const { [text.field]: _, ...others } = change.fields;
  const { text: __, ...plain } = change;
  const hasOthers = Object.keys(others).some((name) => name !== 'taskId');
  const open = hasOthers ? { ...plain, fields: others } : null;
  if (present === text.mine) return { open };
  const id = open ? `${change.id}-text` : change.id;
  const { taskId } = change.fields;
  const own = {
    ...change,
    id,
    seq: open ? nextFree(outbox, change.seq) : change.seq,
    fields: { [text.field]: text.mine, ...(taskId ? { taskId } : {}) },
  };
  const why = {
    status: 412,
    error: 'PreconditionFailedError',
    message: 'Changed by someone else meanwhile',
    issues: [],
    theirs: { text: present },
  };
  return { open, conflict: setAside(own, why, id, now) };
}

function nextFree(outbox: readonly Change[], seq: number): number {
  let free = seq + 0.5;
  while (outbox.some((change) => change.seq === free)) free = (seq + free) / 2;
  return free;
}

/** A status that is gone becomes the first of its type. */
function withStatus(change: Change, row: Row | undefined, view: View): Change {
  const { statusId } = change.fields;
  if (change.kind !== 'task' || typeof statusId !== 'string') return change;
  const list = view.get('list', String(change.fields.listId ?? row?.listId));
  const template = list && view.get('statusTemplate', String(list.statusTemplateId));
  const statuses = (template?.statuses ?? list?.statuses ?? []) as Status[];
  if (statuses.length === 0 || statuses.some(({ id }) => id === statusId)) return change;
  const other = statuses.find(({ type }) => type === change.statusType) ?? statuses[0];
  return other ? { ...change, fields: { ...change.fields, statusId: other.id } } : change;
}
