import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Issue, notFound } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { defined, patched } from '../kernel/patch.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { openInstances, textOfOpenInstances } from '../storage/instances.ts';
import { isListBeingRemoved } from '../storage/removals.ts';
import { findSeries, type StoredSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteSteps } from '../storage/series-steps.ts';
import { isOpen } from '../storage/status-types.ts';
import type { RecurringSeriesRow, TaskRow, TemplateRow } from '../storage/tables.ts';
import { overriddenIn } from '../storage/task-fields.ts';
import { findTask } from '../storage/tasks.ts';
import {
  checklistOf,
  columnsOf,
  EMPTY_TEMPLATE,
  itemTitles,
  TEMPLATE_COLUMNS,
  type TemplateField,
  templateIn,
  templateOf,
  toJson,
} from '../storage/template-fields.ts';
import { checklistIssues, type ItemHolder, itemsFrom, titlesFrom } from '../tasks/checklist.ts';
import { referencesOf, statusOf } from '../tasks/references.ts';
import type { ChecklistEntry } from '../tasks/schema.ts';
import { editTask } from '../tasks/tasks.ts';
import type { Member } from '../workspaces/authorization.ts';
import { requireCapacity } from '../workspaces/quotas.ts';
import type { SeriesPatch } from './series-schema.ts';

/** What the tasks of a series are made from. */
type TemplateChange = Pick<SeriesPatch, TemplateField>;

const FIELDS = Object.keys(TEMPLATE_COLUMNS) as TemplateField[];

/** What is given of a template. */
export const givenTemplate = (input: TemplateChange): TemplateChange =>
  Object.fromEntries(FIELDS.map((field) => [field, input[field]]));

/** The template of a new series; the shape of what was sent has seen to it that it has a title and a list. */
export const newTemplate = (input: TemplateChange, now: number): TemplateRow => ({
  ...EMPTY_TEMPLATE,
  ...defined(columnsOf(input)),
  checklist: templateItems(input.checklist ?? [], EMPTY_TEMPLATE, now),
});

/** A task as a template. */
export const templateOfTask = (task: TaskRow, now: number): TemplateRow => ({
  ...templateIn(task),
  checklist: templateItems(checklistOf(task), task, now),
});

/** The invalid references of a template; the items of a series, or of the task it is made of, may be kept. */
export const templateIssues = (
  db: Db,
  who: Member,
  { listId, assigneeId, labelIds, checklist }: TemplateChange,
  holder?: ItemHolder,
): Issue[] => [
  ...referencesOf(db, who, { listId, assigneeId, labelIds }).issues,
  ...checklistIssues(db, checklist, holder),
];

/** A series as what holds the items of its template and of its instances. */
export const holderOf = ({ id, checklist }: Pick<RecurringSeriesRow, 'id' | 'checklist'>) => ({
  recurring_task_id: id,
  checklist,
});

/** Items of a template, none of them done. */
const templateItems = (
  entries: readonly ChecklistEntry[],
  present: Pick<RecurringSeriesRow, 'checklist'>,
  now: number,
): string | null =>
  toJson(itemsFrom(entries, checklistOf(present), now).map((item) => ({ ...item, isDone: false })));

/**
 * Stores what later instances are made from, and how they catch up. 403 for more text than the quota allows, 404 to take it
 * out of a list whose deletion has begun.
 */
export function saveTemplate(
  deps: Deps,
  tx: Tx,
  who: Member,
  series: StoredSeries,
  change: TemplateChange & Pick<SeriesPatch, 'catchUp'>,
  now: number,
): StoredSeries {
  requireCapacity(deps, tx, who, { tasks: 0, bytes: growthOf(tx, series, change) });
  const { checklist, catchUp } = change;
  const asked = { ...columnsOf(change), checklist: checklist && templateItems(checklist, series, now) };
  const template = patched(series, asked, toInstant(now));
  if (template !== series) deleteSteps(tx, series.id);
  const next = patched(template, { catch_up: catchUp }, toInstant(now));
  if (next === series) return series;
  if (next.list_id !== series.list_id && isListBeingRemoved(tx, series.list_id)) {
    throw notFound('recurring task');
  }
  const { workspace_code: _, version: __, ...row } = next;
  return updateSeriesRow(tx, series, row);
}

/** Some 150 µs each, and as much for each 1,000 units of a text that goes into the search index. */
const UNIT_BATCH_SIZE = 30_000;
const UNITS_OF_A_TASK = 1_000;
/** Some half a second, in which nobody else can write. */
const UNITS_IN_COMMIT = 3_000_000;

/** What of a template open instances are still to be given. */
interface InstancesLeft {
  ids: readonly string[];
  fields: readonly TemplateField[];
}

/** How much a change of so many instances is, in plain tasks. */
export function weightOf(
  instances: number,
  { description, checklist = [] }: Pick<TemplateChange, 'description' | 'checklist'>,
): number {
  const text = (description?.length ?? 0) + lengthOf(checklist.map((item) => item.title ?? ''));
  return instances * Math.ceil(1 + text / UNITS_OF_A_TASK);
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

/** How many bytes of text a change adds to a series and to those of its instances that it reaches, as if none were overridden. */
function growthOf(db: Db, series: StoredSeries, { title, description, checklist }: TemplateChange): number {
  const before = textOfOpenInstances(db, series);
  const added = (now: (string | null)[], were: (string | null)[], ofAll: number) =>
    bytesOfText(...now) * (1 + before.n) - bytesOfText(...were) - ofAll;
  return (
    (title === undefined ? 0 : added([title], [series.title], before.titles)) +
    (description === undefined ? 0 : added([description], [series.description], before.descriptions)) +
    (checklist === undefined
      ? 0
      : added(titlesFrom(checklist, checklistOf(series)), itemTitles(series), before.items))
  );
}

/**
 * Gives every instance that is not done what is given of the template, except for what is overridden there, some in each
 * step; each moves to another list by itself. Returns what is too much for one commit: `finishInstances` goes on.
 */
export function* changeInstances(
  deps: Deps,
  tx: Tx,
  who: Member,
  series: StoredSeries,
  change: TemplateChange,
  now: number,
): Steps<InstancesLeft> {
  const fields = FIELDS.filter((field) => change[field] !== undefined);
  const ids = fields.length > 0 ? openInstances(tx, series) : [];
  return yield* changeSome(deps, tx, who, { ids, fields }, now);
}

/**
 * Goes on with the rest in commits of half a second, whether or not the client still waits: others write between them. By
 * what the template has become then, so that the last of several changes holds everywhere.
 */
export async function finishInstances(
  deps: Deps,
  who: Member,
  left: InstancesLeft,
  now: number,
): Promise<void> {
  for (let rest = left; rest.ids.length > 0; ) {
    const still = rest;
    rest = await deps.writeInSteps(function* (tx): Steps<InstancesLeft> {
      tx.actAs(who);
      return yield* changeSome(deps, tx, who, still, now);
    });
  }
}

/** The template of a series, without ticks: those of an instance stay. */
function templateWithoutTicks(db: Db, who: Member, seriesId: string) {
  const series = findSeries(db, who.workspaceId, seriesId);
  const items = series && checklistOf(series).map(({ id, title }) => ({ id, title }));
  return series && { ...templateOf(series), checklist: items ?? [] };
}

function* changeSome(
  deps: Deps,
  tx: Tx,
  who: Member,
  { ids, fields }: InstancesLeft,
  now: number,
): Steps<InstancesLeft> {
  // A split may have handed some to another series meanwhile.
  const templates = new Map<string, ReturnType<typeof templateWithoutTicks>>();
  const isReindexed = ['title', 'description', 'checklist'].some((field) => fields.includes(field as never));
  let units = 0;
  let unitsOfCommit = 0;
  for (const [i, id] of ids.entries()) {
    const task = findTask(tx, who.workspaceId, id);
    const seriesId = task?.recurring_task_id;
    if (!task || seriesId == null || !isOpen(statusOf(tx, task).type)) continue;
    if (!templates.has(seriesId)) templates.set(seriesId, templateWithoutTicks(tx, who, seriesId));
    const template = templates.get(seriesId);
    if (!template) continue;
    const newText =
      (fields.includes('description') ? (template.description?.length ?? 0) : 0) +
      (fields.includes('checklist') ? lengthOf(template.checklist.map(({ title }) => title)) : 0);
    const text = isReindexed ? (task.description?.length ?? 0) + (task.checklist?.length ?? 0) + newText : 0;
    units += UNITS_OF_A_TASK + text;
    unitsOfCommit += UNITS_OF_A_TASK + text;
    if (unitsOfCommit > UNITS_IN_COMMIT) return { fields, ids: ids.slice(i) };
    if (units > UNIT_BATCH_SIZE) {
      yield;
      units = 0;
    }
    const overridden = overriddenIn(task);
    const edit: TemplateChange = Object.fromEntries(
      fields.filter((field) => !overridden.includes(field)).map((field) => [field, template[field]]),
    );
    editTask(deps, tx, who, task, edit, now, { marked: false });
  }
  return { fields, ids: [] };
}
