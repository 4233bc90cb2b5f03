import type { Instant } from '../../kernel/instants.ts';
import type { TemplateRow } from './tasks.ts';

/** How many series a workspace has, and the bytes of their text; kept by triggers, and gone with the last of them. */
export interface SeriesCountRow {
  workspace_code: number;
  n: number;
  bytes: number;
}

export type CatchUp = 'latest' | 'all' | 'none';
export type SeriesState = 'active' | 'paused' | 'ended';

/** A recurring task: the template of its instances, no item of it done, its rule, and where it stands. */
export interface RecurringSeriesRow extends TemplateRow {
  id: string;
  workspace_id: string;
  creator_id: string | null;
  /** JSON, with nothing left to imply. */
  interval: string;
  /** JSON; a count is one of the series' numbers. */
  end_condition: string;
  starts_at: Instant;
  catch_up: CatchUp;
  /** Local date of the rule's first occurrence. */
  anchor_date: string;
  /** What is added to a number of the rule to give that of the series, which goes on when the rule changes. */
  number_offset: number;
  rule_version: number;
  /** The zone data that `next_run_at` was computed with. */
  tz_version: string;
  state: SeriesState;
  state_reason: 'completed' | 'error' | null;
  /** When the upcoming occurrence is; null unless active. */
  next_run_at: Instant | null;
  /** Its local time, number and task; a paused series remembers them. */
  next_local: string | null;
  next_number: number | null;
  next_task_id: string | null;
  version: number;
  created_at: Instant;
  updated_at: Instant;
  /** The task that it was made of, its first instance. */
  adopted_task_id: string | null;
  /** A digest of the upcoming task as a step back left it; null where the series made it. */
  brought_back: string | null;
}

/** That a series advanced before its time, and from where. */
export interface SeriesStepRow {
  series_id: string;
  /** Of the occurrence that was completed, skipped or deleted. */
  number: number;
  rule_version: number;
  occurrence_local: string;
  /** Null where it had no task. */
  task_id: string | null;
  /** JSON: what its task must have if it is made again. */
  task: string | null;
  status_id: string | null;
  was_status_overridden: 0 | 1;
}

/** For finding series by label; kept by triggers. */
export interface SeriesLabelRow {
  label_code: number;
  series_id: string;
}

/** For finding what has the id of an item; kept by triggers. */
export interface SeriesChecklistItemRow {
  id: string;
  series_id: string;
}

/** An occurrence that was decided upon, for good. */
export interface RecurringOccurrenceRow {
  series_id: string;
  rule_version: number;
  /** `YYYY-MM-DDTHH:MM` on the clocks of the zone. */
  occurrence_local: string;
  occurrence_at: Instant;
  number: number;
  state: 'generated' | 'skipped' | 'deleted' | 'missed';
  /** Null once the task is gone. */
  task_id: string | null;
}
