import { createHash } from 'node:crypto';
import type { TaskRow, TemplateRow } from '../storage/tables.ts';
import { templateIn } from '../storage/template-fields.ts';

type Shown = TemplateRow & Pick<TaskRow, 'status_id' | 'start_date' | 'due_date' | 'comment_count'>;

/** A digest of a task as a step back leaves it, which tells whether someone changed it since. */
export function digestOf(task: Shown): string {
  const { status_id, start_date, due_date, comment_count } = task;
  const fields = { ...templateIn(task), status_id, start_date, due_date, comment_count };
  // A column that is empty changes nothing, so that those to come leave digests as they are.
  const filled = Object.entries(fields).filter(([, value]) => value !== null);
  return createHash('sha256').update(JSON.stringify(filled)).digest('base64url');
}
