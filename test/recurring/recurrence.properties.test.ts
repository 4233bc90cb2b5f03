import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { describe, expect, test } from 'vitest';
import { WEEKDAYS, type Weekday } from '../../src/kernel/weekdays.ts';
import { type Frequency, WEEK_INDEXES } from '../../src/recurring/recurrence/interval.ts';
import {
  createRule,
  instantOf,
  type Occurrence,
  occurrenceAfter,
  occurrenceAtOrBefore,
  occurrences,
  preview,
  type Rule,
} from '../../src/recurring/recurrence/recurrence.ts';
import {
  type EndCondition,
  type Interval,
  Interval as IntervalShape,
} from '../../src/recurring/rule-schema.ts';
import { walk } from '../recurrence-oracle.ts';

const DAY = 86_400_000;
const NEVER: EndCondition = { type: 'never' };

/** Zones with something to trip over, more often than the others. */
const timezone = fc.oneof(
  fc.constantFrom(
    ...['Europe/Paris', 'America/New_York', 'America/Sao_Paulo', 'Africa/Casablanca', 'Africa/Monrovia'],
    ...['Pacific/Apia', 'Pacific/Kwajalein', 'Pacific/Kiritimati', 'Australia/Lord_Howe', 'Antarctica/Troll'],
    ...['Asia/Kathmandu', 'Asia/Gaza', 'UTC', 'Etc/GMT+12', 'EST'],
  ),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);

const two = (n: number) => String(n).padStart(2, '0');
const timeOfDay = fc.oneof(
  fc.constant(null),
  fc.constantFrom('00:00', '00:30', '01:30', '02:00', '02:30', '03:00', '23:30'),
  fc.tuple(fc.nat(23), fc.nat(59)).map(([hours, minutes]) => `${two(hours)}:${two(minutes)}`),
);

const weekdays = fc.subarray<Weekday>([...WEEKDAYS], { minLength: 1 });
const often = (max: number) => fc.oneof(fc.constant(undefined), fc.constant(1), fc.integer({ min: 1, max }));
const monthDay = fc.oneof(
  fc.record({
    dayOfMonth: fc.oneof(
      fc.constant(undefined),
      fc.constantFrom(-1, 28, 29, 30, 31),
      fc.integer({ min: 1, max: 31 }),
    ),
  }),
  fc.record({ weekIndex: fc.constantFrom(...WEEK_INDEXES), daysOfWeek: weekdays }),
);

const interval = (every: Record<Frequency, number>) => {
  const clock = { timezone, timeOfDay };
  return fc.oneof(
    fc.record({ ...clock, frequency: fc.constant('day' as const), every: often(every.day) }),
    fc.record({
      ...clock,
      frequency: fc.constant('week' as const),
      every: often(every.week),
      daysOfWeek: fc.option(weekdays, { nil: undefined }),
      firstDayOfWeek: fc.option(fc.constantFrom(...WEEKDAYS), { nil: undefined }),
    }),
    fc
      .tuple(
        fc.record({ ...clock, frequency: fc.constant('month' as const), every: often(every.month) }),
        monthDay,
      )
      .map(([base, day]): Interval => ({ ...base, ...day })),
    fc
      .tuple(
        fc.record({
          ...clock,
          frequency: fc.constant('year' as const),
          every: often(every.year),
          month: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        }),
        monthDay,
      )
      .map(([base, day]): Interval => ({ ...base, ...day })),
  );
};

const ANY_EVERY = { day: 365, week: 365, month: 120, year: 10 };
const SHORT_EVERY = { day: 20, week: 8, month: 13, year: 3 };

const between = (from: string, to: string) =>
  fc.integer({ min: Date.parse(from), max: Date.parse(to) }).map((ms) => new Date(ms).toISOString());

/** Starts of series, often just before a calendar day was skipped. */
const startsAt = fc.oneof(
  between('1969-09-01', '1969-09-30'),
  between('1993-08-01', '1993-08-23'),
  between('1994-12-15', '1995-01-01'),
  between('2011-12-01', '2012-01-01'),
  between('1900-01-01', '2110-01-01'),
);

const endCondition: fc.Arbitrary<EndCondition> = fc.oneof(
  fc.constant(NEVER),
  fc.record({ type: fc.constant('count' as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({
    type: fc.constant('date' as const),
    endDate: between('1969-09-01', '2030-01-01').map((at) => at.slice(0, 10)),
  }),
);

const take = (limit: number, list: Iterator<Occurrence>): Occurrence[] => {
  const taken: Occurrence[] = [];
  while (taken.length < limit) {
    const { done, value } = list.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
};

/** What is asked for directly at each instant must be what a list from the first occurrence on has there. */
function agreeAt(rule: Rule, list: Occurrence[], isWhole: boolean, instants: number[]) {
  const known = isWhole ? '9999-12-31' : (list.at(-4)?.at ?? '');
  for (const at of instants.map((ms) => new Date(ms).toISOString()).filter((text) => text < known)) {
    const next = list.findIndex((occurrence) => occurrence.at > at);
    expect(occurrenceAfter(rule, at)).toEqual(next === -1 ? null : list[next]);
    expect(take(3, occurrences(rule, at))).toEqual(next === -1 ? [] : list.slice(next, next + 3));
    const last = list.findLast((occurrence) => occurrence.at <= at);
    expect(occurrenceAtOrBefore(rule, at)).toEqual(last ?? null);
  }
}

describe('for every series', () => {
  test('instants and nominal dates rise strictly, numbers by one', () => {
    fc.assert(
      fc.property(interval(ANY_EVERY), endCondition, startsAt, (asked, end, start) => {
        const rule = createRule(asked, end, start);
        const list = take(60, occurrences(rule));
        for (const [n, occurrence] of list.entries()) {
          expect(occurrence.number).toBe(n + 1);
          expect(occurrence.at >= start).toBe(true);
          const before = list[n - 1];
          if (before) expect(occurrence.at > before.at && occurrence.local > before.local).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('the next and the last at any instant are those of the walk from the start, numbers included', () => {
    const far = fc.array(fc.nat(4_000 * DAY), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(interval(SHORT_EVERY), endCondition, startsAt, far, (asked, end, start, steps) => {
        const rule = createRule(asked, end, start);
        const list = take(400, occurrences(rule));
        const anywhere = steps.map((step) => Date.parse(start) - DAY + step);
        agreeAt(rule, list, list.length < 400, [
          ...list.slice(0, 5).map(({ at }) => Date.parse(at)),
          ...anywhere,
        ]);
      }),
      { numRuns: 120 },
    );
  });

  test('a skipped calendar day counts once, however it is asked for', () => {
    const skipped = fc.constantFrom(
      ['Pacific/Apia', '2011-12-30'],
      ['Pacific/Kwajalein', '1993-08-21'],
      ['Pacific/Kiritimati', '1994-12-31'],
    );
    const before = fc.integer({ min: -3 * DAY, max: 20 * DAY });
    fc.assert(
      fc.property(
        interval(SHORT_EVERY),
        endCondition,
        skipped,
        before,
        (any, end, [timezone = '', date = ''], ms) => {
          const asked = { ...any, timezone };
          const start = new Date(Date.parse(date) - ms).toISOString();
          const rule = createRule(asked, end, start);
          const list = take(60, occurrences(rule));
          const walked = take(60, walk(asked, end, start, 120));
          expect(list.slice(0, walked.length)).toEqual(walked);
          const near = Array.from({ length: 30 }, (_, n) => Date.parse(date) + (n - 10) * (DAY / 4));
          agreeAt(rule, list, list.length < 60, [
            ...near,
            ...list.slice(0, 20).map(({ at }) => Date.parse(at)),
          ]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('the clock of the zone shows the time asked for, except where it skips it', () => {
    fc.assert(
      fc.property(interval(ANY_EVERY), startsAt, (asked, start) => {
        for (const { at, local, note } of take(60, occurrences(createRule(asked, NEVER, start)))) {
          const shown = Temporal.Instant.from(at).toZonedDateTimeISO(asked.timezone);
          const clock = shown.toPlainDateTime().toString({ smallestUnit: 'minute' });
          if (asked.timeOfDay === null) {
            // A day that the zone skipped begins when the next one does.
            expect(shown.toPlainDate().toString() >= local).toBe(true);
            const before = shown.subtract({ nanoseconds: 1 }).toPlainDate().toString();
            expect(before < shown.toPlainDate().toString() && before < local).toBe(true);
            expect(note).not.toBe('shifted');
            expect(instantOf(local, asked.timezone)).toBe(at);
            continue;
          }
          if (note === 'shifted') expect(clock > local).toBe(true);
          else expect(clock).toBe(local);
          expect(local.slice(11)).toBe(asked.timeOfDay);
          expect(instantOf(local, asked.timezone)).toBe(at);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('an end only cuts off', () => {
    fc.assert(
      fc.property(interval(ANY_EVERY), endCondition, startsAt, (asked, end, start) => {
        const all = take(100, occurrences(createRule(asked, NEVER, start)));
        const ended = take(100, occurrences(createRule(asked, end, start)));
        expect(ended).toEqual(all.slice(0, ended.length));
        const next = all[ended.length];
        if (end.type === 'never' || !next) return;
        if (end.type === 'count') expect(ended.length).toBe(end.count);
        else expect(next.local.slice(0, 10) > end.endDate).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('split at any occurrence, the second part goes on as the first would have', () => {
    fc.assert(
      fc.property(interval(ANY_EVERY), startsAt, fc.nat(8), (asked, start, n) => {
        const rule = createRule(asked, NEVER, start);
        const list = take(20, occurrences(rule));
        const split = createRule(rule.interval, NEVER, list[n]?.at ?? '');
        const expected = list
          .slice(n)
          .map((occurrence) => ({ ...occurrence, number: occurrence.number - n }));
        expect(take(20 - n, occurrences(split))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('a rule survives storage, and its interval is valid', () => {
    fc.assert(
      fc.property(interval(ANY_EVERY), endCondition, startsAt, (asked, end, start) => {
        const rule = createRule(asked, end, start);
        expect(IntervalShape.parse(rule.interval)).toEqual(rule.interval);
        const stored = JSON.parse(JSON.stringify(rule)) as typeof rule; // what JSON gives back is the claim here
        expect(preview(stored, { limit: 5 })).toEqual(preview(rule, { limit: 5 }));
      }),
      { numRuns: 100 },
    );
  });

  test('nothing throws from the year 1900 to the year 9999', () => {
    const anywhere = fc.oneof(
      between('1900-01-01T00:00Z', '1900-02-01T00:00Z'),
      between('9980-01-01T00:00Z', '9999-12-31T23:59:59.999Z'),
      between('1900-01-01T00:00Z', '9999-12-31T23:59:59.999Z'),
    );
    fc.assert(
      fc.property(interval(ANY_EVERY), endCondition, anywhere, anywhere, (asked, end, start, at) => {
        const rule = createRule(asked, end, start);
        const next = occurrenceAfter(rule, at);
        const last = occurrenceAtOrBefore(rule, at);
        if (next) expect(next.at > at && next.at <= '9999-12-31T23:59:59.999Z').toBe(true);
        if (last) expect(last.at <= at && last.at >= start).toBe(true);
        if (next && last) expect(next.number).toBe(last.number + 1);
        expect(preview(rule, { after: at, limit: 3 }).occurrences[0] ?? null).toEqual(next);
      }),
      { numRuns: 400 },
    );
  });
});

describe('two other minds agree', () => {
  test('a walk over every day of the calendar', () => {
    fc.assert(
      fc.property(interval(SHORT_EVERY), endCondition, startsAt, (asked, end, start) => {
        const walked = take(80, walk(asked, end, start, 2_000));
        const list = take(walked.length, occurrences(createRule(asked, end, start)));
        expect(list).toEqual(walked);
      }),
      { numRuns: 150 },
    );
  });

  test('rrule-temporal, on floating time', () => {
    fc.assert(
      fc.property(interval(ANY_EVERY), startsAt, (asked, start) => {
        const rule = createRule({ ...asked, timezone: 'UTC' }, NEVER, start);
        const list = take(30, occurrences(rule));
        const dtstart = `${rule.anchor}T${asked.timeOfDay ?? '00:00'}00`.replaceAll(/[-:]/g, '');
        const rrule = new RRuleTemporal({
          rruleString: `DTSTART;TZID=UTC:${dtstart}\nRRULE:${rruleOf(rule.interval)};COUNT=30`,
          maxIterations: 1_000_000,
        });
        const length = asked.timeOfDay === null ? 10 : 16;
        expect(list.map(({ local }) => local)).toEqual(
          rrule.all().map((at) => at.toString().slice(0, length)),
        );
      }),
      { numRuns: 150 },
    );
  });
});

/** RFC 5545 drops a missing day; the last of a list of days (BYSETPOS=-1) is the month's end instead. */
function rruleOf(complete: ReturnType<typeof createRule>['interval']): string {
  const code = (name: Weekday) => name.slice(0, 2).toUpperCase();
  const freq = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY', year: 'YEARLY' }[complete.frequency];
  const parts = [`FREQ=${freq}`, `INTERVAL=${complete.every}`];
  if (complete.frequency === 'week') parts.push(`WKST=${code(complete.firstDayOfWeek)}`);
  if (complete.frequency === 'year') parts.push(`BYMONTH=${complete.month}`);
  if ('daysOfWeek' in complete && complete.daysOfWeek) parts.push(`BYDAY=${complete.daysOfWeek.map(code)}`);
  if ('weekIndex' in complete && complete.weekIndex)
    parts.push(
      `BYSETPOS=${complete.weekIndex === 'last' ? -1 : WEEK_INDEXES.indexOf(complete.weekIndex) + 1}`,
    );
  if ('dayOfMonth' in complete && complete.dayOfMonth !== undefined) {
    const { dayOfMonth } = complete;
    const days = [28, 29, 30, 31].filter((day) => day <= dayOfMonth);
    parts.push(dayOfMonth > 28 ? `BYMONTHDAY=${days};BYSETPOS=-1` : `BYMONTHDAY=${dayOfMonth}`);
  }
  return parts.join(';');
}
