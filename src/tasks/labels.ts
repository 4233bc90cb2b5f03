import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import { Existing } from '../http/route.ts';
import { badRequest, type Issue, invalid, orNotFound, throwIfIssues } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { userKeyOf } from '../storage/changes.ts';
import * as store from '../storage/labels.ts';
import { removeLabelFromTasks } from '../storage/many-tasks.ts';
import { removeLabelFromSeries } from '../storage/series.ts';
import type { LabelRow } from '../storage/tables.ts';
import { taskOf } from '../storage/task-fields.ts';
import { labelIdsOf } from '../storage/template-fields.ts';
import { MANY_ROWS, type Member, writeAs, writeInStepsAs } from '../workspaces/authorization.ts';
import { claimId, isMaker } from '../workspaces/client-ids.ts';
import { LABEL_COLOR, type Label, type LabelInput, type LabelPatch, MAX_LABELS } from './label-schema.ts';
import { MAX_LABELS_OF_TASK, type Task, TOO_MANY_LABELS } from './schema.ts';
import { editTask, requireTask } from './tasks.ts';

/**
 * Makes a label. 400 for a title that another one has, unless that one is to be the response, and beyond five hundred in
 * a workspace.
 */
export function createLabel(deps: Deps, who: Member, input: LabelInput): Promise<Label | Existing<Label>> {
  const now = toInstant(deps.clock.now());
  const { workspaceId, userId } = who;
  return writeAs(deps, who, (tx) => {
    const id = claimId(tx, input.id, now, (given) => {
      const made = store.findLabel(tx, workspaceId, given);
      return made && isMaker(tx, who, made) ? store.labelOf(made) : undefined;
    });
    if (id instanceof Existing) return id;
    const same = store.findLabelByTitle(tx, workspaceId, input.title);
    if (same && input.reuse) return new Existing(store.labelOf(same));
    throwIfIssues(titleIssues(tx, who, input));
    if (store.countLabels(tx, workspaceId) >= MAX_LABELS)
      throw badRequest(`A workspace may have at most ${MAX_LABELS} labels`);
    const row: LabelRow = {
      id,
      workspace_id: workspaceId,
      title: input.title,
      title_key: store.labelTitleKey(input.title),
      color: input.color ?? LABEL_COLOR,
      position: input.position ?? positionAfter(store.lastLabelPosition(tx, workspaceId)),
      creator_code: userKeyOf(tx, userId),
      version: 1,
      created_at: now,
      updated_at: now,
    };
    store.insertLabel(tx, row);
    return store.labelOf(row);
  });
}

/** Reads a label, for viewers; 404 where there is none. */
export const readLabel = (db: Db, who: Member, id: string): Label => store.labelOf(requireLabel(db, who, id));

/** Changes a label. 400 for a title that another one has. */
export function updateLabel(
  deps: Deps,
  who: Member,
  id: string,
  input: LabelPatch,
  ifMatch: Precondition,
): Promise<Label> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const { code: _, ...row } = requireLabel(tx, who, id);
    throwIfIssues(titleIssues(tx, who, input, id));
    ifMatch(row);
    const { title, color, position } = input;
    const title_key = title === undefined ? undefined : store.labelTitleKey(title);
    const changed = patched(row, { title, title_key, color, position }, now);
    if (changed === row) return store.labelOf(row);
    const next = { ...changed, version: row.version + 1 };
    store.saveLabel(tx, row, next);
    return store.labelOf(next);
  });
}

/** Deletes a label, from all tasks and series too, in one commit. */
export function removeLabel(deps: Deps, who: Member, id: string, ifMatch: Precondition): Promise<undefined> {
  const now = toInstant(deps.clock.now());
  const found = store.findLabel(deps.read, who.workspaceId, id);
  const rows = found ? store.countTasksWithLabel(deps.read, found.code, MANY_ROWS + 1) : 0;
  return writeInStepsAs(deps, who, rows, function* (tx) {
    const row = requireLabel(tx, who, id);
    ifMatch(row);
    yield* removeLabelFromTasks(tx, who.workspaceKey, row, now);
    yield* removeLabelFromSeries(tx, who.workspaceId, row, now);
    store.deleteLabelRow(tx, row);
    return undefined;
  });
}

/** Gives a task a label. 400 beyond fifty. */
export const labelTask = (deps: Deps, who: Member, taskId: string, labelId: string): Promise<Task> =>
  editLabels(deps, who, taskId, labelId, (ids) => [...ids, labelId]);

/** Takes a label from a task. */
export const unlabelTask = (
  deps: Deps,
  who: Member,
  taskId: string,
  labelId: string,
  ifMatch: Precondition,
): Promise<Task> =>
  editLabels(deps, who, taskId, labelId, (ids) => ids.filter((id) => id !== labelId), ifMatch);

function editLabels(
  deps: Deps,
  who: Member,
  taskId: string,
  labelId: string,
  edit: (ids: readonly string[]) => string[],
  ifMatch?: Precondition,
): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = requireTask(tx, who, taskId);
    requireLabel(tx, who, labelId);
    const labelIds = [...new Set(edit(labelIdsOf(row)))];
    if (labelIds.length > MAX_LABELS_OF_TASK) throw invalid({ path: 'labelIds', message: TOO_MANY_LABELS });
    return taskOf(editTask(deps, tx, who, row, { labelIds }, now, ifMatch && { ifMatch }));
  });
}

/** Validates the title of a label that is made or changed. */
export function titleIssues(
  db: Db,
  who: Member,
  { title, reuse }: { title?: string | undefined; reuse?: boolean | undefined },
  id?: string,
): Issue[] {
  const same = title === undefined || reuse ? undefined : store.findLabelByTitle(db, who.workspaceId, title);
  return same && same.id !== id
    ? [{ path: 'title', message: 'Title must be one that no other label of the workspace has' }]
    : [];
}

const requireLabel = (db: Db, who: Member, id: string): store.StoredLabel =>
  orNotFound(store.findLabel(db, who.workspaceId, id), 'label');
