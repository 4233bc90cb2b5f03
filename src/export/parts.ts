import type { MadeBefore } from '../recurring/advance.ts';
import { digestOf } from '../recurring/brought-back.ts';
import type { DecidedOccurrence, SeriesProgress, SeriesStep } from '../recurring/progress-schema.ts';
import type { RecurringOccurrenceRow, RecurringSeriesRow, SeriesStepRow } from '../storage/tables.ts';

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

/** Whether the upcoming task is as a step back left it. */
export const broughtBackOf = (
  { brought_back: digest }: RecurringSeriesRow,
  upcoming: Parameters<typeof digestOf>[0] | undefined,
): SeriesProgress['broughtBack'] => {
  if (digest === null) return 'no';
  return upcoming && digestOf(upcoming) === digest ? 'unchanged' : 'changed';
};

/** What made a series advance, as it is exported. */
export function stepOf(row: SeriesStepRow): SeriesStep {
  const task = row.task === null ? null : (JSON.parse(row.task) as MadeBefore);
  return {
    number: row.number,
    ruleVersion: row.rule_version,
    local: row.occurrence_local,
    taskId: row.task_id,
    task: task && { number: task.number, position: task.position, createdAt: task.created_at },
    statusId: row.status_id,
    isOwnStatus: row.was_status_overridden === 1,
  };
}
