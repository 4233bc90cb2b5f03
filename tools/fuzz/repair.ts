import type { Attempt } from './attempt.ts';
import type { Corpus } from './corpus.ts';

type Fields = Record<string, unknown>;

const BELONGING: Record<string, readonly string[]> = {
  day: [],
  week: ['daysOfWeek', 'firstDayOfWeek'],
  month: ['dayOfMonth'],
  year: ['dayOfMonth', 'month'],
};
const MOST: Record<string, number> = { day: 365, week: 365, month: 120, year: 10 };
const INDISPENSABLE = ['unstarted', 'completed'];

/** Makes a body keep the rules between its fields, which its schema does not tell. */
export function repair(body: Fields, { params }: Attempt, corpus: Corpus): Fields {
  const { interval, statuses, updates, mode, operations } = body;
  return {
    ...withOneDate(body),
    ...(isFields(interval) && { interval: repairedInterval(interval) }),
    ...(Array.isArray(statuses) && {
      statuses: repairedStatuses(statuses, corpus.find(params.template_id ?? '')?.fields.statuses),
    }),
    ...(isFields(updates) && { updates: repairedUpdates(updates, mode) }),
    ...(Array.isArray(operations) && {
      operations: operations.map((each) => repairedOperation(each, params.workspace_id ?? '', corpus)),
    }),
  };
}

function repairedInterval(interval: Fields): Fields {
  const frequency = String(interval.frequency);
  const { daysOfWeek, weekIndex, dayOfMonth, firstDayOfWeek, month, every, ...rest } = interval;
  const given = { daysOfWeek, dayOfMonth, firstDayOfWeek, month };
  const belongs = ([name, value]: [string, unknown]) =>
    value !== undefined && BELONGING[frequency]?.includes(name);
  const byIndex = weekIndex !== undefined && daysOfWeek !== undefined && 'month year'.includes(frequency);
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(given).filter(belongs)),
    ...(given.dayOfMonth === 0 && belongs(['dayOfMonth', 0]) && { dayOfMonth: -1 }),
    ...(every !== undefined && { every: 1 + (Number(every) % (MOST[frequency] ?? 1)) }),
    ...(byIndex && { dayOfMonth: undefined, daysOfWeek, weekIndex }),
  };
}

/** Entries keep statuses that are there, one each, before they make new ones; titles differ, and work can begin and end. */
function repairedStatuses(entries: Fields[], present: unknown): Fields[] {
  const kept = Array.isArray(present) ? (present as Fields[]) : [];
  const whole = entries.map((entry, i): Fields => {
    const { id: _id, ...fields } = entry;
    const old = kept[i];
    const title = `${String(fields.title ?? 'Status').slice(0, 400)} ${i}`;
    return { type: 'started', ...fields, title, ...(old && { id: old.id }) };
  });
  const lacking = INDISPENSABLE.filter((type) => whole.every((entry) => entry.type !== type));
  return [...whole, ...lacking.map((type) => ({ type, title: `The ${type} one` }))];
}

/** An instant or a day, never both. */
function withOneDate(fields: Fields): Fields {
  const { dueDay, startDay, ...rest } = fields;
  return {
    ...rest,
    ...(rest.dueDate === undefined && dueDay !== undefined && { dueDay }),
    ...(rest.startDate === undefined && startDay !== undefined && { startDay }),
  };
}

/** A period that ends after it begins, and is not too long. */
export function repairedQuery(query: [string, string][]): [string, string][] {
  const from = query.find(([name]) => name === 'from')?.[1];
  if (from === undefined) return query;
  const to = new Date(Date.parse(from) + 31 * 86_400_000).toISOString();
  return query.map(([name, value]) => [name, name === 'to' ? to : value]);
}

/** Only what is made has an id that is new, and a label is added or all of them are set. */
function repairedOperation(operation: Fields, workspaceId: string, corpus: Corpus): Fields {
  const { labelIds, ...rest } = withOneDate(operation);
  const tasks = corpus.things('Task', workspaceId);
  const at = parseInt(String(rest.id).slice(-8), 16) || 0;
  const task = rest.op === 'create' ? undefined : tasks[at % tasks.length];
  return {
    ...rest,
    ...(labelIds !== undefined && rest.addLabelIds === undefined && { labelIds }),
    ...(task && { id: task.id, ...(rest.op === 'update' && { statusId: undefined }) }),
  };
}

function repairedUpdates(given: Fields, mode: unknown): Fields {
  const updates = withOneDate(given);
  const { statusId, dueDate, dueDay, startDate, startDay, ...rest } = updates;
  const fields = mode === 'this' ? updates : rest;
  return Object.keys(fields).length > 0 ? fields : { title: 'Changed' };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
