import { z } from '@hono/zod-openapi';
import { enumeration, WireId, WireInstant } from '../http/fields.ts';

const Local = z
  .string()
  .openapi({ description: "On the clocks of the rule's time zone", example: '2026-03-29T09:00' });

export const OccurrenceState = enumeration('OccurrenceState', 'State', [
  'generated',
  'skipped',
  'deleted',
  'missed',
]);

export const BroughtBack = enumeration('BroughtBack', 'Brought back', ['no', 'unchanged', 'changed']);

/** What decides how a series goes on, beside what it shows. */
export const SeriesProgress = z
  .object({
    anchorDate: z
      .string()
      .openapi({ description: "Local date of the rule's first occurrence", example: '2026-03-27' }),
    numberOffset: z.int().openapi({
      description:
        'What is added to a number of the rule to give that of the series, which goes on when the rule changes',
      example: 0,
    }),
    ruleVersion: z.int().openapi({ description: 'Counts the rules that the series had', example: 1 }),
    zoneData: z
      .string()
      .openapi({ description: 'The time zone data that its instants come from', example: '2026c' }),
    adoptedTaskId: WireId.nullable().openapi({ description: 'Of the task that it was made of' }),
    upcoming: z
      .object({ local: Local, number: z.int().openapi({ example: 3 }), taskId: WireId.nullable() })
      .nullable()
      .openapi({ description: 'Where it stands; a paused series remembers it' }),
    broughtBack: BroughtBack.openapi({
      description: 'Whether a step back left the upcoming task, and whether someone changed it since',
    }),
  })
  .openapi('RecurringTaskProgress');
export type SeriesProgress = z.output<typeof SeriesProgress>;

/** What was decided about an occurrence, for good. */
export const DecidedOccurrence = z
  .object({
    ruleVersion: z.int().openapi({ example: 1 }),
    local: Local,
    at: WireInstant,
    number: z.int().openapi({ example: 3 }),
    state: OccurrenceState,
    taskId: WireId.nullable().openapi({ description: 'null once the task is gone' }),
  })
  .openapi('DecidedOccurrence');
export type DecidedOccurrence = z.output<typeof DecidedOccurrence>;

/** What made a series advance before its time, so that it can be taken back. */
export const SeriesStep = z
  .object({
    number: z.int().openapi({ description: 'Of the occurrence that was closed', example: 3 }),
    ruleVersion: z.int().openapi({ example: 1 }),
    local: Local,
    taskId: WireId.nullable().openapi({ description: 'Also of a task that is gone' }),
    task: z
      .object({ number: z.int().openapi({ example: 12 }), position: z.number(), createdAt: WireInstant })
      .nullable()
      .openapi({ description: 'What its task has if it is made again' }),
    statusId: WireId.nullable().openapi({ description: 'That its task had before' }),
    isOwnStatus: z.boolean().openapi({ description: 'Whether someone gave it that status' }),
  })
  .openapi('RecurringTaskStep');
export type SeriesStep = z.output<typeof SeriesStep>;
