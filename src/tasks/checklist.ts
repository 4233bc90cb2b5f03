import type { Db } from '../db/connection.ts';
import type { Issue } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { takenIds } from '../storage/client-ids.ts';
import type { TaskRow } from '../storage/tables.ts';
import { checklistOf, itemTitles } from '../storage/template-fields.ts';
import { TAKEN_ID } from '../workspaces/client-ids.ts';
import { type ChecklistEntry, type ChecklistItem, MISSING_ITEM_TITLE } from './schema.ts';

type WithChecklist = Pick<TaskRow, 'checklist'>;

/** The items that entries leave, in their order: those with the id of a present one keep what is not given. */
export const itemsFrom = (
  entries: readonly ChecklistEntry[],
  present: readonly ChecklistItem[],
  now: number,
): ChecklistItem[] =>
  entries.map(({ id = newId(now), title, isDone }) => {
    const before = present.find((item) => item.id === id);
    return { id, title: title ?? before?.title ?? '', isDone: isDone ?? before?.isDone ?? false };
  });

/** The titles of the items that entries leave. */
export const titlesFrom = (entries: readonly ChecklistEntry[], present: readonly ChecklistItem[]): string[] =>
  itemsFrom(entries, present, 0).map(({ title }) => title);

/** What has items: a task, or a series with its own id as that of its series. */
export type ItemHolder = Pick<TaskRow, 'checklist' | 'recurring_task_id'>;

/** Validates the entries of a checklist: one issue at each that lacks a title or has an id that is taken. */
export function checklistIssues(
  db: Db,
  entries: readonly ChecklistEntry[] = [],
  holder?: ItemHolder,
): Issue[] {
  const present = new Set(holder ? checklistOf(holder).map(({ id }) => id) : []);
  const given = entries.flatMap(({ id }) => (id === undefined || present.has(id) ? [] : [id]));
  const taken = given.length === 0 ? new Set<string>() : takenIds(db, given, holder?.recurring_task_id);
  return entries.flatMap(({ id, title }, i): Issue[] => {
    const isRepeated = id !== undefined && entries.findIndex((entry) => entry.id === id) < i;
    const isKept = id !== undefined && present.has(id);
    return [
      ...(title === undefined && !isKept
        ? [{ path: `checklist.${i}.title`, message: MISSING_ITEM_TITLE, isMissing: true }]
        : []),
      ...(isRepeated || (id !== undefined && taken.has(id))
        ? [{ path: `checklist.${i}.id`, message: TAKEN_ID }]
        : []),
    ];
  });
}

/** An issue at each entry that has the id of the new thing which the checklist is of. */
export const ownIdIssues = (
  ownId: string | undefined,
  entries: readonly Pick<ChecklistEntry, 'id'>[] = [],
): Issue[] =>
  entries.flatMap(({ id }, i) =>
    id !== undefined && id === ownId ? [{ path: `checklist.${i}.id`, message: TAKEN_ID }] : [],
  );

/** Whether one has other items than the other, whatever is ticked. */
export const haveOtherItems = (one: WithChecklist, other: WithChecklist): boolean =>
  JSON.stringify(withoutTicks(one)) !== JSON.stringify(withoutTicks(other));

const withoutTicks = (row: WithChecklist) => checklistOf(row).map(({ id, title }) => ({ id, title }));

/** Whether what is searched of one differs from the other. */
export const haveOtherTitles = (one: WithChecklist, other: WithChecklist): boolean =>
  JSON.stringify(itemTitles(one)) !== JSON.stringify(itemTitles(other));

/** How many bytes of text the items have more than before. */
export const growthOfItems = (before: WithChecklist, after: WithChecklist): number =>
  bytesOfText(...itemTitles(after)) - bytesOfText(...itemTitles(before));
