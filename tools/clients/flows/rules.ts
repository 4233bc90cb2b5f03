// Beside each flow, with the types that its client has for the rules of recurring tasks.

import type { EndCondition, Interval, RecurringTask } from './types.ts';

const clock = { timeOfDay: '09:00', timezone: 'Europe/Paris' };
const INTERVALS: Interval[] = [
  { frequency: 'day', every: 1, ...clock },
  { frequency: 'week', daysOfWeek: ['monday', 'thursday'], ...clock },
  { frequency: 'month', dayOfMonth: -1, ...clock },
  { frequency: 'year', month: 2, dayOfMonth: 29, ...clock },
];
const ENDS: EndCondition[] = [
  { type: 'never' },
  { type: 'count', count: 10 },
  { type: 'date', endDate: '2099-12-31' },
];
// @ts-expect-error: a rule by day has no days of the month
export const noSuchField: Interval = { frequency: 'day', dayOfMonth: 3, ...clock };
// @ts-expect-error: a misspelt field
export const misspelt: EndCondition = { type: 'count', cuont: 3 };
const REASONS: RecurringTask['stateReason'][] = ['completed', 'error', null];

const lastOf = (end: EndCondition): string => {
  switch (end.type) {
    case 'never':
      return 'none';
    case 'count':
      return String(end.count);
    case 'date':
      return end.endDate;
  }
};

export const RULES = INTERVALS.flatMap((interval) =>
  ENDS.map((endCondition) => ({ interval, endCondition })),
);
export const isAsked = (series: RecurringTask, { interval, endCondition }: (typeof RULES)[number]): boolean =>
  series.interval.frequency === interval.frequency &&
  lastOf(series.endCondition) === lastOf(endCondition) &&
  REASONS.includes(series.stateReason);
