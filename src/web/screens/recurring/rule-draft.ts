import type { Series } from '../../data/rows.ts';
import { type Day, dayOfMonth, monthOf, type Weekday, weekdayOf } from '../../text/days.ts';
import type { EndCondition, Interval } from '../../text/say-rules.ts';
import type { Time } from '../../text/zones.ts';

export type Frequency = Interval['frequency'];

/** A rule as it is typed. */
export interface RuleDraft {
  frequency: Frequency;
  every: string;
  /** Empty for none. */
  time: string;
  days: readonly Weekday[];
  /** Which weekday of the month; empty for a day of it. */
  weekIndex: string;
  monthDay: string;
  month: string;
  endType: EndCondition['type'];
  count: string;
  endDate: string;
}

/** The draft of a series; of a new one, every week from a day and time on. */
export function draftOf(series: Series | undefined, from: Day, time: Time | null): RuleDraft {
  const { interval, endCondition } = series ?? {};
  return {
    frequency: interval?.frequency ?? 'week',
    every: String(interval?.every ?? 1),
    time: (interval ? interval.timeOfDay : time) ?? '',
    days: interval?.daysOfWeek ?? [weekdayOf(from)],
    weekIndex: interval?.weekIndex ?? '',
    monthDay: String(interval?.dayOfMonth ?? dayOfMonth(from)),
    month: String(interval?.month ?? monthOf(from)),
    endType: endCondition?.type ?? 'never',
    count: endCondition?.type === 'count' ? String(endCondition.count) : '10',
    endDate: endCondition?.type === 'date' ? endCondition.endDate : '',
  };
}

interface RuleContext {
  from: Day;
  timezone: string;
  firstDayOfWeek: Weekday;
}

/** What a draft says; what is not typed yet counts as 1, or never. */
export function ruleOf(
  draft: RuleDraft,
  { from, timezone, firstDayOfWeek }: RuleContext,
): { interval: Interval; endCondition: EndCondition } {
  const { frequency, days, weekIndex, endType, endDate } = draft;
  const every = countOf(draft.every) ?? 1;
  const interval: Interval = {
    frequency,
    every,
    timeOfDay: draft.time === '' ? null : draft.time,
    timezone,
    ...(frequency === 'week' && { daysOfWeek: [...days], ...(every > 1 && { firstDayOfWeek }) }),
    ...((frequency === 'month' || frequency === 'year') &&
      (weekIndex === ''
        ? { dayOfMonth: Number(draft.monthDay) || 1 }
        : {
            weekIndex: weekIndex as NonNullable<Interval['weekIndex']>,
            daysOfWeek: days.length > 0 ? [...days] : [weekdayOf(from)],
          })),
    ...(frequency === 'year' && { month: Number(draft.month) }),
  };
  const endCondition: EndCondition =
    endType === 'count'
      ? { type: 'count', count: countOf(draft.count) ?? 1 }
      : endType === 'date' && endDate !== ''
        ? { type: 'date', endDate }
        : { type: 'never' };
  return { interval, endCondition };
}

/** What is wrong with a draft as it stands, as a sentence. */
export function problemOf(draft: RuleDraft): string | undefined {
  const { frequency, weekIndex, monthDay, endType } = draft;
  const isOfMonth = (frequency === 'month' || frequency === 'year') && weekIndex === '';
  const day = countOf(monthDay) ?? 0;
  if (countOf(draft.every) === null) return 'Every how many? A whole number from 1.';
  if (frequency === 'week' && draft.days.length === 0) return 'Choose at least one day of the week.';
  if (isOfMonth && monthDay.trim() !== '-1' && (day < 1 || day > 31))
    return 'The day of the month is from 1 to 31, or -1 for the last.';
  if (endType === 'date' && draft.endDate === '') return 'Choose the last day.';
  if (endType === 'count' && countOf(draft.count) === null) return 'How many times? A whole number from 1.';
  return undefined;
}

/** A whole number from 1; null where the text is none. */
const countOf = (text: string): number | null => {
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 ? count : null;
};
