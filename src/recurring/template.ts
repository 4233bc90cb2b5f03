import type { Db } from '../db/connection.ts';
import { isBeingRemoved } from '../db/removed.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Issue, notFound } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { findList } from '../lists/store.ts';
import { referencesOf } from '../tasks/references.ts';
import { findTask, overriddenIn, priorityRank } from '../tasks/store.ts';
import { editTask } from '../tasks/tasks.ts';
import type { Member } from '../workspaces/door.ts';
import { openInstances } from './instances-store.ts';
import type { SeriesPatch } from './series-schema.ts';
import { type StoredSeries, updateSeriesRow } from './store.ts';

/** What the tasks of a series are made from. */
type TemplateChange = Pick<SeriesPatch, 'title' | 'description' | 'priority' | 'assigneeId' | 'listId'>;

/** What a template refers to that will not do. */
export const templateIssues = (db: Db, who: Member, { listId, assigneeId }: TemplateChange): Issue[] =>
  referencesOf(db, who, { listId, assigneeId }).issues;

/** Stores what later instances are made from, and how they catch up. 404 to take it out of a list whose deletion has begun. */
export function saveTemplate(
  tx: Tx,
  series: StoredSeries,
  change: TemplateChange & Pick<SeriesPatch, 'catchUp'>,
  now: number,
): StoredSeries {
  const { title, description, priority, assigneeId, listId, catchUp } = change;
  const asked = {
    title,
    description,
    priority: priority && priorityRank(priority),
    assignee_id: assigneeId,
    list_id: listId,
    catch_up: catchUp,
  };
  const next = patched(series, asked, toInstant(now));
  if (next === series) return series;
  if (next.list_id !== series.list_id && isOnItsWayOut(tx, series)) {
    throw notFound('recurring task');
  }
  const { workspace_code: _, ...row } = next;
  return updateSeriesRow(tx, series, row);
}

/** Its list, or the space of that, is being deleted: some of its tasks may be gone. */
function isOnItsWayOut(tx: Tx, { workspace_id: workspaceId, list_id: id }: StoredSeries): boolean {
  const spaceId = findList(tx, workspaceId, id)?.space_id;
  return (
    isBeingRemoved(tx, { kind: 'list', id }) ||
    (spaceId !== undefined && isBeingRemoved(tx, { kind: 'space', id: spaceId }))
  );
}

/** Some 150 µs each, and as much for each 1,000 units of a text that goes into the search index. */
const UNITS_AT_ONCE = 30_000;
const UNITS_OF_A_TASK = 1_000;

/**
 * Changes every instance that is not done, except for what is overridden there, some in each step; each moves to another
 * list by itself.
 */
export function* changeInstances(
  deps: Deps,
  tx: Tx,
  who: Member,
  series: StoredSeries,
  { title, description, priority, assigneeId, listId }: TemplateChange,
  now: number,
): Steps<void> {
  const given = Object.entries({ title, description, priority, assigneeId, listId }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length === 0) return;
  const isFoundAnew = title !== undefined || description !== undefined;
  let units = 0;
  for (const id of openInstances(tx, series)) {
    const task = findTask(tx, series.workspace_id, id);
    if (!task) continue;
    const text = isFoundAnew ? (task.description?.length ?? 0) + (description?.length ?? 0) : 0;
    units += UNITS_OF_A_TASK + text;
    if (units > UNITS_AT_ONCE) {
      yield;
      units = 0;
    }
    const overridden = overriddenIn(task);
    const edit: TemplateChange = Object.fromEntries(given.filter(([field]) => !overridden.includes(field)));
    editTask(deps, tx, who, task, edit, now, { marked: false });
  }
}
