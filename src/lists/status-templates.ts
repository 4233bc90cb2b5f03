import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { badRequest, type Issue, orNotFound, throwIfIssues } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { statusesOf } from '../storage/lists.ts';
import { countTasksOf } from '../storage/many-tasks.ts';
import { STARTING_STATUSES } from '../storage/starter.ts';
import * as store from '../storage/status-templates.ts';
import type { StatusTemplateRow } from '../storage/tables.ts';
import type { ShortTask } from '../storage/task-fields.ts';
import { restatusTasks } from '../storage/tasks-in-lists.ts';
import { type Member, writeAs, writeInStepsAs } from '../workspaces/authorization.ts';
import { requireQuota } from '../workspaces/quotas.ts';
import type {
  Status,
  StatusEntry,
  StatusTemplate,
  StatusTemplateInput,
  StatusTemplatePatch,
} from './schema.ts';
import { statusIssues } from './status-issues.ts';
import { inOrder, nextStatuses, successorOf } from './statuses.ts';

const LAST_DEFAULT: Issue = {
  path: 'isDefault',
  message: 'Make another template the default one instead',
};

/** Makes a status template; with `isDefault` it takes the place of the default one. */
export function createTemplate(deps: Deps, who: Member, input: StatusTemplateInput): Promise<StatusTemplate> {
  const now = toInstant(deps.clock.now());
  const { workspaceId } = who;
  const statuses = nextStatuses([], input.statuses ?? STARTING_STATUSES, now);
  const row: StatusTemplateRow = {
    id: newId(now),
    workspace_id: workspaceId,
    title: input.title,
    is_default: input.isDefault ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
  return writeAs(deps, who, (tx) => {
    requireQuota(deps, tx, who, 'status_templates');
    if (input.isDefault) store.unmarkDefault(tx, workspaceId, now);
    store.insertTemplate(tx, row);
    for (const status of statuses) store.insertStatus(tx, workspaceId, row.id, status);
    return store.templateOf(row, inOrder(statuses));
  });
}

/** Reads a status template with its statuses, for viewers; 404 where there is none. */
export function readTemplate(db: Db, who: Member, id: string): StatusTemplate {
  const row = requireTemplate(db, who, id);
  return store.templateOf(row, statusesOf(db, who.workspaceId, id));
}

/**
 * Changes a template. `statuses` is the whole array: entries with an id are kept, tasks of a removed status go to the
 * first of the same type, else to the first. 400 when that leaves it without an unstarted or a completed status, or
 * takes the mark from the default template without giving it to another.
 */
export function updateTemplate(
  deps: Deps,
  who: Member,
  id: string,
  input: StatusTemplatePatch,
): Promise<StatusTemplate> {
  const nowMs = deps.clock.now();
  const now = toInstant(nowMs);
  const { workspaceId } = who;
  const rows = input.statuses ? countTasksOf(deps.read, who.workspaceKey, { templateId: id }) : 0;
  return writeInStepsAs(deps, who, rows, function* (tx) {
    const row = requireTemplate(tx, who, id);
    const present = statusesOf(tx, workspaceId, id);
    throwIfIssues(issuesOf(row, present, input, now));
    const statuses = input.statuses ? inOrder(nextStatuses(present, input.statuses, now)) : present;
    const isDefault = input.isDefault ?? row.is_default === 1;
    if (isDefault && row.is_default === 0) store.unmarkDefault(tx, workspaceId, now);
    const areSame = isDeepStrictEqual(statuses, present);
    const completed = areSame ? [] : yield* replaceStatuses(tx, who, id, present, statuses, now);
    for (const task of completed) {
      deps.onInstanceClosed(deps, tx, { task, how: 'completed', by: who.userId }, nowMs);
      yield;
    }
    let next = patched(row, { title: input.title, is_default: isDefault ? 1 : 0 }, now);
    if (!areSame) {
      next = { ...next, updated_at: now };
      store.recordStatuses(tx, workspaceId, id);
    }
    if (next !== row) store.saveTemplate(tx, next);
    return store.templateOf(next, statuses);
  });
}

/** Deletes a template. 400 for the default one, and for one that lists use. */
export async function removeTemplate(deps: Deps, who: Member, id: string): Promise<undefined> {
  const { workspaceId } = who;
  await writeAs(deps, who, (tx) => {
    const row = requireTemplate(tx, who, id);
    if (row.is_default === 1) throw badRequest('The default status template cannot be deleted');
    if (store.isInUse(tx, workspaceId, id)) throw badRequest('Lists use this status template');
    store.deleteTemplate(tx, workspaceId, id);
  });
}

/** Validates a patch against the present template; no issues where there is none. */
export function templatePatchIssues(
  { read, clock }: Deps,
  who: Member,
  id: string,
  patch: StatusTemplatePatch,
): Issue[] {
  const row = store.findTemplate(read, who.workspaceId, id);
  return row ? issuesOf(row, statusesOf(read, who.workspaceId, id), patch, toInstant(clock.now())) : [];
}

const issuesOf = (
  row: StatusTemplateRow,
  present: readonly Status[],
  { statuses, isDefault = true }: StatusTemplatePatch,
  now: Instant,
): Issue[] => [
  ...(row.is_default === 1 && !isDefault ? [LAST_DEFAULT] : []),
  ...(statuses ? entryIssues(present, statuses, now) : []),
];

/** Validates the array that replaces a template's statuses. */
function entryIssues(present: readonly Status[], entries: readonly StatusEntry[], now: Instant): Issue[] {
  const ids = entries.map(({ id }) => id);
  const unknown = ids.flatMap((id, i) => {
    if (id === undefined) return [];
    const isOurs = present.some((status) => status.id === id);
    if (isOurs && ids.indexOf(id) === i) return [];
    return [{ path: [i, 'id'], message: isOurs ? 'Listed twice' : 'No such status in this template' }];
  });
  const issues = unknown.length > 0 ? unknown : statusIssues(nextStatuses(present, entries, now));
  return issues.map(({ path, message }) => ({ path: ['statuses', ...path].join('.'), message }));
}

/** Returns the upcoming instances of series that were completed by it. */
function* replaceStatuses(
  tx: Tx,
  who: Member,
  templateId: string,
  present: readonly Status[],
  next: readonly Status[],
  now: Instant,
): Steps<ShortTask[]> {
  for (const status of next) {
    if (present.some(({ id }) => id === status.id)) store.saveStatus(tx, who.workspaceId, status);
    else store.insertStatus(tx, who.workspaceId, templateId, status);
  }
  const changes = present.flatMap((status) => {
    const kept = next.find(({ id }) => id === status.id);
    if (kept?.type === status.type) return [];
    return [{ from: status.id, to: kept ?? successorOf(status, next) }];
  });
  const completed = yield* restatusTasks(tx, who, changes, now);
  for (const status of present) {
    if (!next.some(({ id }) => id === status.id)) store.deleteStatus(tx, who.workspaceId, status.id);
  }
  return completed;
}

const requireTemplate = (db: Db, who: Member, id: string): StatusTemplateRow =>
  orNotFound(store.findTemplate(db, who.workspaceId, id), 'status template');
