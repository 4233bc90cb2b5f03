import { createHash } from 'node:crypto';
import type { TaskRow } from '../storage/tables.ts';

type Shown = Pick<
  TaskRow,
  | 'title'
  | 'description'
  | 'priority'
  | 'assignee_id'
  | 'list_id'
  | 'status_id'
  | 'start_date'
  | 'due_date'
  | 'label_ids'
  | 'checklist'
  | 'comment_count'
>;

/** A digest of a task as a step back leaves it, which tells whether someone changed it since. */
export function digestOf(task: Shown): string {
  const { title, description, priority, assignee_id, list_id, status_id, start_date, due_date } = task;
  const { label_ids, checklist, comment_count } = task;
  const fields = [title, description, priority, assignee_id, list_id, status_id, start_date, due_date];
  return createHash('sha256')
    .update(JSON.stringify([fields, label_ids, checklist, comment_count]))
    .digest('base64url');
}
