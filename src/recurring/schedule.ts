import { type Instant, toInstant, toMs } from '../kernel/instants.ts';
import type { RecurringSeriesRow } from '../storage/tables.ts';
import type { CompleteInterval } from './recurrence/interval.ts';
import {
  type Occurrence,
  occurrenceAtOrBefore,
  occurrences,
  preview,
  type Rule,
} from './recurrence/recurrence.ts';
import type { EndCondition } from './rule-schema.ts';

type Ruled = Pick<RecurringSeriesRow, 'interval' | 'end_condition' | 'anchor_date' | 'number_offset'>;

/** The instant just before: what is after it includes the one it is before. */
export const justBefore = (at: Instant): Instant => toInstant(toMs(at) - 1);

export const intervalOf = (series: Pick<Ruled, 'interval'>) =>
  JSON.parse(series.interval) as CompleteInterval;

export const endConditionOf = (series: Pick<Ruled, 'end_condition'>) =>
  JSON.parse(series.end_condition) as EndCondition;

/**
 * The occurrences of a stored series in its own numbers: they go on when the rule changes, which counts from 1 again,
 * and a count is one of them.
 */
export function scheduleOf(series: Ruled) {
  const offset = series.number_offset;
  const end = endConditionOf(series);
  const rule: Rule = {
    interval: intervalOf(series),
    anchor: series.anchor_date,
    endCondition: end.type === 'count' ? { type: 'count', count: end.count - offset } : end,
  };
  const renumbered = (occurrence: Occurrence): Occurrence => ({
    ...occurrence,
    number: occurrence.number + offset,
  });
  return {
    /** The first later than an instant; those before number 1 are left to the series that it was split from. */
    after: (at: Instant): Occurrence | null => {
      const found = occurrences(rule, at, 1 - offset).find(({ number }) => number + offset >= 1);
      return found ? renumbered(found) : null;
    },
    /** Those later than one instant and not later than another, the newest first and no more than `limit`. */
    newestBetween: (after: Instant, until: Instant, limit: number): Occurrence[] => {
      const last = occurrenceAtOrBefore(rule, until);
      if (!last) return [];
      // Half the way leaves about half of them: of a long way only the end is walked.
      let from = after;
      while (last.number - (occurrenceAtOrBefore(rule, from)?.number ?? 0) > 3 * limit) {
        from = toInstant((toMs(from) + toMs(last.at)) / 2);
      }
      const found: Occurrence[] = [];
      for (const occurrence of occurrences(rule, from)) {
        if (occurrence.at > until) break;
        found.push(renumbered(occurrence));
      }
      return found.slice(-limit).toReversed();
    },
    /** Those from an instant on. */
    *from(at: Instant): Generator<Occurrence, void, undefined> {
      for (const occurrence of occurrences(rule, justBefore(at))) yield renumbered(occurrence);
    },
    /** At most `limit` later than an instant, and whether none follows them. */
    coming: (after: Instant, limit: number) => {
      const { occurrences, exhausted } = preview(rule, { after, limit });
      return { occurrences: occurrences.map(renumbered), exhausted };
    },
  };
}
