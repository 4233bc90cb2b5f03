import type { DecidedOccurrence } from '../recurring/progress-schema.ts';
import type { RecurringOccurrenceRow } from '../storage/tables.ts';

/** A part of the export, some items at a time, each time read from where the last one ended. */
export type Part = Generator<Item[]>;

/** An object of the export: its fields, then those that are arrays of more. */
export interface Item {
  fields: object;
  parts?: Record<string, Part>;
}

/** What was decided about an occurrence, as it is exported. */
export const decidedOf = (row: RecurringOccurrenceRow): DecidedOccurrence => ({
  ruleVersion: row.rule_version,
  local: row.occurrence_local,
  at: row.occurrence_at,
  number: row.number,
  state: row.state,
  taskId: row.task_id,
});
