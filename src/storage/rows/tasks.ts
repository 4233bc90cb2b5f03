import type { Day } from '../../kernel/days.ts';
import type { Instant } from '../../kernel/instants.ts';

/** A day of ten characters, or an instant. */
export type DateText = Day | Instant;

/** What tasks and series have in common: a series gives it to its instances. */
export interface TemplateRow {
  list_id: string;
  title: string;
  description: string | null;
  /** From 0 for none to 4 for urgent. */
  priority: number;
  assignee_id: string | null;
  /** JSON: ids, in the order they were given; null for none. */
  label_ids: string | null;
  /** JSON: items with id, title and whether they are done; null for none. */
  checklist: string | null;
}

export interface TaskRow extends TemplateRow {
  id: string;
  /** Counts up in its workspace, never given twice. */
  number: number;
  workspace_code: number;
  workspace_id: string;
  /** Of its list. */
  space_id: string;
  status_id: string;
  creator_id: string | null;
  start_date: DateText | null;
  due_date: DateText | null;
  /** The due date that the assignee was told of. */
  due_noticed: DateText | null;
  completed_at: Instant | null;
  position: number;
  /** Null for a task of no series, and for one whose series is gone. */
  recurring_task_id: string | null;
  occurrence_at: Instant | null;
  occurrence_number: number | null;
  /** JSON: names of the fields that differ from the series by intent. */
  overridden: string | null;
  /** Raised by each change of what it shows. */
  version: number;
  created_at: Instant;
  updated_at: Instant;
  /** How the title sorts: folded and bounded. */
  title_key: string;
  comment_count: number;
  /** UTF-8 bytes of the titles of its items and of its comments. */
  more_bytes: number;
}

/** What the indexes know a task's ids by. */
export interface TaskKeys {
  list_code: number;
  status_code: number;
  assignee_code: number | null;
  creator_code: number | null;
}

/**
 * How many tasks a workspace has, all of them (value 0) or those with a key in a field (0 for no assignee), by
 * priority and status; kept by triggers and by the insert.
 */
export interface TaskCountRow {
  workspace_code: number;
  field: 'all' | 'list' | 'assignee';
  value: number;
  priority: number;
  status_code: number;
  n: number;
  /** Of the text of all tasks; 0 for the other fields. */
  bytes: number;
}

/** For finding tasks by label; what a task shows is in `label_ids`. */
export interface TaskLabelRow {
  label_code: number;
  task_seq: number;
}

/** For finding a task by an item of its checklist; instances of a series share the ids of its template. */
export interface ChecklistItemRow {
  id: string;
  task_seq: number;
}

export interface CommentRow {
  id: string;
  workspace_code: number;
  task_seq: number;
  /** Null once that account is gone. */
  author_code: number | null;
  body: string;
  version: number;
  created_at: Instant;
  edited_at: Instant | null;
}

export interface CommentMentionRow {
  comment_code: number;
  user_code: number;
  /** 0 once an edit took the mention away: nobody is told of the same one twice. */
  is_current: 0 | 1;
}

/** The highest number of the tasks of a workspace that are gone; kept by a trigger. */
export interface TaskNumberRow {
  workspace_code: number;
  last: number;
}

/** One row: the highest `seq` of the tasks that are gone; kept by a trigger. */
export interface LastTaskRow {
  id: 1;
  seq: number;
}
