import type { z } from '@hono/zod-openapi';
import {
  type ChecklistEntry,
  type ChecklistItem,
  PRIORITIES,
  type Priority,
  type ShownTemplate,
} from '../tasks/schema.ts';
import type { TaskRow, TemplateRow } from './tables.ts';

/** The fields that a series gives its instances, each with its column. */
export const TEMPLATE_COLUMNS = {
  listId: 'list_id',
  title: 'title',
  description: 'description',
  priority: 'priority',
  assigneeId: 'assignee_id',
  labelIds: 'label_ids',
  checklist: 'checklist',
} as const satisfies Record<keyof Template, keyof TemplateRow>;

export type TemplateField = keyof Template;

/** As tasks and series show it. */
type Template = z.output<typeof ShownTemplate> & { listId: string };

/** What of it is given; the entries of a checklist become items by rules of their own. */
type GivenTemplate = {
  [Field in Exclude<TemplateField, 'checklist'>]?: Template[Field] | undefined;
} & { checklist?: readonly ChecklistEntry[] | undefined };

/** A template that nothing is given of. */
export const EMPTY_TEMPLATE: TemplateRow = {
  list_id: '',
  title: '',
  description: null,
  priority: 0,
  assignee_id: null,
  label_ids: null,
  checklist: null,
};

const COLUMNS = Object.values(TEMPLATE_COLUMNS);

/** What a task and a series have in common, of either. */
export const templateIn = (row: TemplateRow): TemplateRow =>
  // Of all columns of a template: `TEMPLATE_COLUMNS` names each.
  Object.fromEntries(COLUMNS.map((column) => [column, row[column]])) as unknown as TemplateRow;

export const templateOf = (row: TemplateRow): Template => ({
  listId: row.list_id,
  title: row.title,
  description: row.description,
  priority: priorityOf(row),
  assigneeId: row.assignee_id,
  labelIds: labelIdsOf(row),
  checklist: checklistOf(row),
});

/** The columns of the fields that are given; undefined for the others, and for the checklist. */
export const columnsOf = (given: GivenTemplate) => ({
  list_id: given.listId,
  title: given.title,
  description: given.description,
  priority: given.priority && priorityRank(given.priority),
  assignee_id: given.assigneeId,
  label_ids: given.labelIds && labelsToJson(given.labelIds),
});

export const priorityOf = ({ priority }: Pick<TaskRow, 'priority'>): Priority =>
  PRIORITIES[priority] ?? 'none';

export const priorityRank = (priority: Priority): number => PRIORITIES.indexOf(priority);

export const labelIdsOf = ({ label_ids: ids }: Pick<TaskRow, 'label_ids'>): string[] =>
  ids === null ? [] : (JSON.parse(ids) as string[]);

export const checklistOf = ({ checklist }: Pick<TaskRow, 'checklist'>): ChecklistItem[] =>
  checklist === null ? [] : (JSON.parse(checklist) as ChecklistItem[]);

/** How labels and checklists are kept: null where there are none. */
export const toJson = (values: readonly unknown[]): string | null =>
  values.length === 0 ? null : JSON.stringify(values);

export const labelsToJson = (ids: readonly string[] = []): string | null => toJson([...new Set(ids)]);

/** The titles of its items, which are searched and counted like its own. */
export const itemTitles = (row: Pick<TaskRow, 'checklist'>): string[] =>
  checklistOf(row).map(({ title }) => title);

export const itemIds = (row: Pick<TaskRow, 'checklist'>): string[] => checklistOf(row).map(({ id }) => id);
