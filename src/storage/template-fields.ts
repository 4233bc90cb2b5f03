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

/** What a task and a series have in common, of either. */
export const templateIn = (row: TemplateRow): TemplateRow => ({
  list_id: row.list_id,
  title: row.title,
  description: row.description,
  priority: row.priority,
  assignee_id: row.assignee_id,
  label_ids: row.label_ids,
  checklist: row.checklist,
});

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
export const columnsOf = ({ listId, title, description, priority, assigneeId, labelIds }: GivenTemplate) => ({
  list_id: listId,
  title,
  description,
  priority: priority && priorityRank(priority),
  assignee_id: assigneeId,
  label_ids: labelIds && labelsToJson(labelIds),
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
