import { type Change, type Intent, isEqual, replacedByDeletion } from './change.ts';
import { moveTask, removeComment, restore, stepBack, updateTask } from './intents.ts';
import type { ChecklistItem, Comment, Row, Task } from './rows.ts';
import type { View } from './view.ts';

/** One thing that was done, with what is needed to take it back. */
export interface Step {
  intent: Intent;
  changeId: string;
  /** The row as it showed before. */
  before: Row | undefined;
  /** Of a task that its series had as the next: that series. */
  seriesId: string | null;
  /** Of a deletion: the changes not sent yet that it takes the place of. */
  replaced: readonly Change[];
  /** Of a series made of a task: that task as it was. */
  task: Task | undefined;
}

/** Notes what a step has to know to be taken back, before it is done. */
export function stepOf(intent: Intent, changeId: string, view: View, outbox: readonly Change[]): Step {
  const before = view.row(intent.kind, intent.thing) as Row | undefined;
  const recurrence = before?.recurrence as Task['recurrence'] | undefined;
  const series = recurrence?.recurringTaskId
    ? view.row('recurringTask', recurrence.recurringTaskId)
    : undefined;
  const own = view.changesOf(intent.kind, intent.thing).filter(({ thing }) => thing === intent.thing);
  return {
    intent,
    changeId,
    before,
    seriesId: series && series.nextTaskId === intent.thing ? series.id : null,
    replaced: intent.op === 'delete' ? replacedByDeletion(own, () => outbox) : [],
    task: intent.kind === 'recurringTask' ? view.row('task', String(intent.fields.taskId)) : undefined,
  };
}

/** Ids of labels that are made again, by those they had: an id is never given twice. */
export type Remade = Map<string, string>;

/** Makes a label again that went with what made it; nothing where the step is no such deletion. */
export function madeAgain(
  { intent, before }: Step,
  view: View,
  makeId: () => string,
  remade: Remade,
): Intent[] {
  const { op, kind, thing, workspaceId } = intent;
  if (op !== 'delete' || kind !== 'label' || !before || view.row('label', thing)) return [];
  const id = makeId();
  remade.set(thing, id);
  const { title, color, position } = before;
  return [{ op: 'create', kind, thing: id, workspaceId, fields: { title, color, position } }];
}

/** What a deletion took the place of, and is not in the outbox any more. */
export const replacedBy = ({ replaced }: Step, outbox: readonly Change[]): Change[] =>
  replaced.filter(({ id }) => !outbox.some((change) => change.id === id));

/** What takes a step back, as things are now: only what still holds my value is set back. */
export function inverseOf(step: Step, view: View, outbox: readonly Change[], remade: Remade): Intent[] {
  const { intent, before, seriesId } = step;
  const { kind, thing, workspaceId } = intent;
  const now = view.row(kind, thing) as Row | undefined;
  const base = { workspaceId, kind, thing };
  const series = seriesId ? view.row('recurringTask', seriesId) : undefined;
  const hasAdvanced = series?.nextTaskId && series.nextTaskId !== thing;
  switch (intent.op) {
    case 'create': {
      if (!now) return [];
      if (kind === 'comment') return [removeComment(now as unknown as Comment, workspaceId)].map(atOnce);
      // The task that it was made of stays in any case; a later one is of the series.
      const isUpcoming = step.task !== undefined && now.nextTaskId === step.task.id;
      const deletion: Intent = { ...base, op: 'delete', fields: isUpcoming ? { keepUpcoming: true } : {} };
      return [deletion, ...dueBack(step, view)];
    }
    case 'delete': {
      if (now) return [];
      const again = replacedBy(step, outbox);
      const isHeld =
        view.get(kind, thing) || outbox.some((change) => change.thing === thing && !change.aside);
      if (again[0]?.op === 'create' && !isHeld) return again;
      if (intent.fields.permanent) return [];
      if (hasAdvanced) return [...stepBack(view, series.id), ...again];
      if (kind === 'task' || kind === 'list' || kind === 'space')
        return [restore(kind, workspaceId, thing, before), ...again];
      return [];
    }
    case 'restore':
      return now ? [{ ...base, op: 'delete', fields: {} }] : [];
    case 'update': {
      if (!now || !before) return [];
      if (hasAdvanced && 'statusId' in intent.fields && now.statusId === intent.fields.statusId)
        return stepBack(view, series.id);
      return setBack(step, now, before, view, remade);
    }
    case 'move': {
      if (!now || !before || now.listId !== intent.fields.listId) return [];
      const { listId, statusId, position } = before as unknown as Task;
      const back = moveTask(view, now as unknown as Task, listId);
      const isMine = isEqual(now.statusId, intent.fields.statusId);
      return [{ ...back, fields: { ...back.fields, position, ...(isMine && { statusId }) } }];
    }
    case 'addItem':
      return [{ ...base, op: 'removeItem', fields: { itemId: intent.fields.itemId } }];
    case 'updateItem':
    case 'removeItem':
      return itemBack(step, now, before);
    case 'pause':
      return now?.state === 'paused' ? [{ ...base, op: 'resume', fields: {} }] : [];
    case 'resume':
      return now?.state === 'active' ? [{ ...base, op: 'pause', fields: {} }] : [];
    case 'skip':
      return stepBack(view, thing);
    default:
      return [];
  }
}

/** Gives the task that a series was made of its due date back, unless it was given another meanwhile. */
function dueBack({ task, intent }: Step, view: View): Intent[] {
  const now = task && view.row('task', task.id);
  const { recurringTaskId, overridden = [] } = now?.recurrence ?? {};
  if (!now || recurringTaskId !== intent.thing) return [];
  if (overridden.includes('dueDate') || overridden.includes('dueDay')) return [];
  if (now.dueDate === task.dueDate && now.dueDay === task.dueDay) return [];
  const fields = task.dueDay === null ? { dueDate: task.dueDate } : { dueDay: task.dueDay };
  return [updateTask(now, fields)];
}

const atOnce = ({ delay: _, ...intent }: Intent): Intent => intent;

/** Comments keep their task beside the text; labels are set back one by one. */
function setBack({ intent }: Step, now: Row, before: Row, view: View, remade: Remade): Intent[] {
  const { addLabelIds, removeLabelIds, taskId, ...plain } = intent.fields;
  const fields: Row = {};
  const pairs: Record<string, string> = {
    dueDate: 'dueDay',
    dueDay: 'dueDate',
    startDate: 'startDay',
    startDay: 'startDate',
  };
  for (const [name, mine] of Object.entries(plain)) {
    if (!isEqual(now[name] ?? null, mine)) continue;
    const pair = pairs[name];
    if (pair && !before[name] && before[pair]) fields[pair] = before[pair];
    else fields[name] = before[name] ?? null;
  }
  const had = (before.labelIds ?? []) as string[];
  const has = (now.labelIds ?? []) as string[];
  const taken = ((addLabelIds ?? []) as string[]).filter((id) => !had.includes(id) && has.includes(id));
  const given = ((removeLabelIds ?? []) as string[])
    .filter((id) => had.includes(id) && !has.includes(id))
    .flatMap((id) => remade.get(id) ?? (view.row('label', id) ? id : []));
  if (taken.length > 0) fields.removeLabelIds = taken;
  if (given.length > 0) fields.addLabelIds = given;
  if (Object.keys(fields).length === 0) return [];
  if (taskId !== undefined) fields.taskId = taskId;
  const { workspaceId, kind, thing, text } = intent;
  const from = (text && (intent.fields[text.field] as string | null | undefined)) ?? null;
  const held = text && text.field in fields && { text: { field: text.field, from } };
  return [{ workspaceId, kind, thing, op: 'update', fields, ...held }];
}

function itemBack({ intent }: Step, now: Row | undefined, before: Row | undefined): Intent[] {
  const find = (row: Row | undefined): ChecklistItem | undefined =>
    (row?.checklist as ChecklistItem[] | undefined)?.find(({ id }) => id === intent.fields.itemId);
  const [was, is] = [find(before), find(now)];
  if (!was || !now) return [];
  const { workspaceId, kind, thing } = intent;
  const { id, ...values } = was;
  const base = { workspaceId, kind, thing };
  if (intent.op === 'removeItem')
    return is ? [] : [{ ...base, op: 'addItem', fields: { itemId: id, ...values } }];
  const { itemId, ...mine } = intent.fields;
  const changed = Object.entries(mine).filter(
    ([name, value]) => is && isEqual(is[name as keyof ChecklistItem], value),
  );
  if (changed.length === 0) return [];
  const fields = Object.fromEntries(changed.map(([name]) => [name, was[name as keyof ChecklistItem]]));
  return [{ ...base, op: 'updateItem', fields: { itemId, ...fields } }];
}
