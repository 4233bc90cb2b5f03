import { describe, expect, test } from 'vitest';
import {
  createRule,
  instantOf,
  type Occurrence,
  occurrenceAfter,
  occurrenceAtOrBefore,
  occurrences,
  preview,
} from '../../src/recurring/recurrence/recurrence.ts';
import type { EndCondition, Interval } from '../../src/recurring/rule-schema.ts';
import * as schema from '../../src/recurring/rule-schema.ts';
import { walk } from '../recurrence-oracle.ts';
import { zoneLookups } from '../zone-lookups.ts';

const NEVER: EndCondition = { type: 'never' };
const DAILY: Interval = { frequency: 'day', timeOfDay: '09:00', timezone: 'Europe/Paris' };
function first(limit: number, interval: Interval, startsAt: string, end = NEVER): Occurrence[] {
  return preview(createRule(interval, end, startsAt), { limit }).occurrences;
}
const dates = (list: Occurrence[]) => list.map(({ local }) => local.slice(0, 10));

describe('what a clock change does', () => {
  const rows: [string, string, string, string, string, Occurrence['note']][] = [
    ['Paris in spring', 'Europe/Paris', '02:30', '2026-03-29', '2026-03-29T01:30:00.000Z', 'shifted'],
    ['Paris in autumn', 'Europe/Paris', '02:30', '2026-10-25', '2026-10-25T00:30:00.000Z', 'first-pass'],
    ['Paris on a plain day', 'Europe/Paris', '02:30', '2026-03-30', '2026-03-30T00:30:00.000Z', null],
    ['Paris, end of the gap', 'Europe/Paris', '03:00', '2026-03-29', '2026-03-29T01:00:00.000Z', null],
    ['Paris, start of the gap', 'Europe/Paris', '02:00', '2026-03-29', '2026-03-29T01:00:00.000Z', 'shifted'],
    ['Berlin in spring', 'Europe/Berlin', '02:30', '2026-03-29', '2026-03-29T01:30:00.000Z', 'shifted'],
    [
      'half an hour in spring',
      'Australia/Lord_Howe',
      '02:15',
      '2026-10-04',
      '2026-10-03T15:45:00.000Z',
      'shifted',
    ],
    [
      'half an hour in autumn',
      'Australia/Lord_Howe',
      '01:45',
      '2026-04-05',
      '2026-04-04T14:45:00.000Z',
      'first-pass',
    ],
    ['two hours in spring', 'Antarctica/Troll', '01:30', '2026-03-29', '2026-03-29T01:30:00.000Z', 'shifted'],
    [
      'two hours in autumn',
      'Antarctica/Troll',
      '01:30',
      '2026-10-25',
      '2026-10-24T23:30:00.000Z',
      'first-pass',
    ],
    ['Ramadan begins', 'Africa/Casablanca', '02:30', '2026-02-15', '2026-02-15T01:30:00.000Z', 'first-pass'],
    ['Ramadan ends', 'Africa/Casablanca', '02:30', '2026-03-22', '2026-03-22T02:30:00.000Z', 'shifted'],
    ['an offset of 5:45', 'Asia/Kathmandu', '09:00', '2026-01-01', '2026-01-01T03:15:00.000Z', null],
    ['a gap of 15 minutes', 'Asia/Kathmandu', '00:10', '1986-01-01', '1985-12-31T18:40:00.000Z', 'shifted'],
    ['midnight missing', 'America/Sao_Paulo', '00:00', '2018-11-04', '2018-11-04T03:00:00.000Z', 'shifted'],
    ['a gap up to midnight', 'America/Nuuk', '23:30', '2024-03-30', '2024-03-31T01:30:00.000Z', 'shifted'],
    ['a whole day missing', 'Pacific/Apia', '09:00', '2011-12-30', '2011-12-30T19:00:00.000Z', 'shifted'],
    [
      '23 hours repeated',
      'Pacific/Kwajalein',
      '09:00',
      '1969-09-30',
      '1969-09-29T22:00:00.000Z',
      'first-pass',
    ],
    ['a local mean time', 'Europe/Paris', '09:00', '1905-07-01', '1905-07-01T08:50:39.000Z', null],
    ['far ahead', 'Europe/Paris', '09:00', '9998-07-01', '9998-07-01T07:00:00.000Z', null],
  ];
  test.each(rows)('%s (%s %s on %s)', (_, timezone, timeOfDay, date, at, note) => {
    const startsAt = new Date(Date.parse(at) - 5 * 86_400_000).toISOString();
    const rule = createRule({ frequency: 'day', timeOfDay, timezone }, NEVER, startsAt);
    const justBefore = new Date(Date.parse(at) - 1).toISOString();
    const found = occurrenceAfter(rule, justBefore);
    expect(found).toMatchObject({ at, local: `${date}T${timeOfDay}`, note });
    expect(occurrenceAtOrBefore(rule, at)).toEqual(found);
    expect(occurrenceAtOrBefore(rule, justBefore)?.at).not.toBe(at);
    expect(preview(rule, { limit: 10 }).occurrences).toContainEqual(found);
    expect(instantOf(`${date}T${timeOfDay}`, timezone)).toBe(at);
  });

  test('a yearly task in the missing hour occurs each year', () => {
    const interval: Interval = {
      frequency: 'year',
      month: 3,
      weekIndex: 'last',
      daysOfWeek: ['sunday'],
      timeOfDay: '02:30',
      timezone: 'Europe/Paris',
    };
    expect(first(3, interval, '2026-01-01T00:00:00.000Z').map(({ at, note }) => [at, note])).toEqual([
      ['2026-03-29T01:30:00.000Z', 'shifted'],
      ['2027-03-28T01:30:00.000Z', 'shifted'],
      ['2028-03-26T01:30:00.000Z', 'shifted'],
    ]);
  });

  test('a change of clocks is noted before a clamped day', () => {
    const interval: Interval = {
      frequency: 'month',
      dayOfMonth: 31,
      timeOfDay: '00:30',
      timezone: 'Africa/Cairo',
    };
    expect(first(1, interval, '2027-04-02T00:00:00.000Z')).toEqual([
      { at: '2027-04-29T22:30:00.000Z', local: '2027-04-30T00:30', number: 1, note: 'shifted' },
    ]);
  });
});

describe('a skipped calendar day', () => {
  const daily: Interval = { frequency: 'day', timeOfDay: '09:00', timezone: 'Pacific/Apia' };

  test('gives one occurrence for two nominal dates, and counts it once', () => {
    expect(first(4, daily, '2011-12-29T00:00:00.000Z')).toEqual([
      { at: '2011-12-29T19:00:00.000Z', local: '2011-12-29T09:00', number: 1, note: null },
      { at: '2011-12-30T19:00:00.000Z', local: '2011-12-30T09:00', number: 2, note: 'shifted' },
      { at: '2011-12-31T19:00:00.000Z', local: '2012-01-01T09:00', number: 3, note: null },
      { at: '2012-01-01T19:00:00.000Z', local: '2012-01-02T09:00', number: 4, note: null },
    ]);
  });

  test('is counted once also when asked for from far away', () => {
    const rule = createRule(daily, NEVER, '1926-01-01T00:00:00.000Z');
    expect(rule.anchor).toBe('1926-01-01');
    // From 1 January 1926 to 2 January 2026 there are 100 years with 25 leap days, and two dates; one fell together.
    expect(occurrenceAfter(rule, '2026-01-01T00:00:00.000Z')).toMatchObject({
      local: '2026-01-02T09:00',
      number: 36_525 + 2 - 1,
    });
  });

  test('does not use up a count twice', () => {
    const list = first(10, daily, '2011-12-29T00:00:00.000Z', { type: 'count', count: 3 });
    expect(dates(list)).toEqual(['2011-12-29', '2011-12-30', '2012-01-01']);
    const rule = createRule(daily, { type: 'count', count: 3 }, '2011-12-29T00:00:00.000Z');
    expect(occurrenceAtOrBefore(rule, '2020-01-01T00:00:00.000Z')).toEqual(list[2]);
  });

  test.each([1, 2, 3, 4])('leaves the last of %i the last, whichever side of it that is', (count) => {
    const rule = createRule(daily, { type: 'count', count }, '2011-12-29T00:00:00.000Z');
    expect(occurrenceAtOrBefore(rule, '2020-01-01T00:00:00.000Z')?.number).toBe(count);
  });

  test('is within an inclusive end date', () => {
    const end: EndCondition = { type: 'date', endDate: '2011-12-30' };
    expect(dates(first(10, daily, '2011-12-29T00:00:00.000Z', end))).toEqual(['2011-12-29', '2011-12-30']);
  });

  test('joins neighbours of a weekly rule, and only neighbours', () => {
    const weekly = (daysOfWeek: Interval['daysOfWeek']): Interval => ({
      ...daily,
      frequency: 'week',
      daysOfWeek,
    });
    const numbers = (interval: Interval, startsAt = '2011-12-28T12:00:00.000Z') => {
      const rule = createRule(interval, NEVER, startsAt);
      const list = preview(rule, { limit: 4 }).occurrences;
      for (const [n, { at }] of list.entries()) expect(occurrenceAfter(rule, at)?.number).toBe(n + 2);
      return list.map(({ local, number }) => `${local.slice(0, 10)} ${number}`);
    };
    expect(numbers(weekly(['friday', 'saturday']))).toEqual([
      '2011-12-30 1',
      '2012-01-06 2',
      '2012-01-07 3',
      '2012-01-13 4',
    ]);
    expect(numbers(weekly(['saturday', 'monday']), '2011-12-24T00:00:00.000Z')).toEqual([
      '2011-12-24 1',
      '2011-12-26 2',
      '2011-12-31 3',
      '2012-01-02 4',
    ]);
    expect(numbers(weekly(['friday', 'sunday']))).toEqual([
      '2011-12-30 1',
      '2012-01-01 2',
      '2012-01-06 3',
      '2012-01-08 4',
    ]);
    const everyOther = createRule({ ...daily, every: 2 }, NEVER, '2011-12-28T00:00:00.000Z');
    expect(occurrenceAfter(everyOther, '2012-01-02T00:00:00.000Z')).toMatchObject({ number: 4 });
  });

  test.each([
    ['Pacific/Kwajalein', '1993-08-21'],
    ['Pacific/Kiritimati', '1994-12-31'],
    ['Pacific/Kanton', '1994-12-31'],
    ['Pacific/Fakaofo', '2011-12-30'],
  ])('is known in %s: %s', (timezone, date) => {
    const dayBefore = new Date(Date.parse(date) - 86_400_000).toISOString();
    const list = first(4, { ...daily, timezone }, dayBefore);
    const skipped = list.findIndex(({ local }) => local.startsWith(date));
    expect(list[skipped]?.note).toBe('shifted');
    const next = new Date(Date.parse(date) + 2 * 86_400_000).toISOString().slice(0, 10);
    expect(list[skipped + 1]?.local.slice(0, 10)).toBe(next);
  });
});

describe('months and years', () => {
  const monthly: Interval = { ...DAILY, frequency: 'month' };
  const yearly: Interval = { ...DAILY, frequency: 'year' };
  const start = '2026-01-01T00:00:00.000Z';

  test('a missing day is clamped to the end of the month, without drift', () => {
    expect(first(5, { ...monthly, dayOfMonth: 31 }, start).map(({ local, note }) => [local, note])).toEqual([
      ['2026-01-31T09:00', null],
      ['2026-02-28T09:00', 'clamped'],
      ['2026-03-31T09:00', null],
      ['2026-04-30T09:00', 'clamped'],
      ['2026-05-31T09:00', null],
    ]);
  });

  test('29 February is clamped in common years, 1900 and 2100 among them', () => {
    const interval: Interval = { ...yearly, month: 2, dayOfMonth: 29 };
    expect(first(3, interval, '2027-01-01T00:00:00.000Z').map(({ local, note }) => [local, note])).toEqual([
      ['2027-02-28T09:00', 'clamped'],
      ['2028-02-29T09:00', null],
      ['2029-02-28T09:00', 'clamped'],
    ]);
    for (const [year, day] of [
      [1900, 28],
      [2000, 29],
      [2100, 28],
      [2400, 29],
    ])
      expect(first(1, interval, `${year}-01-01T00:00:00.000Z`)[0]?.local).toBe(`${year}-02-${day}T09:00`);
  });

  test.each<[string, Interval, string[]]>([
    [
      'the last day',
      { ...monthly, dayOfMonth: -1 },
      ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30'],
    ],
    [
      'the last working day',
      { ...monthly, weekIndex: 'last', daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] },
      ['2026-01-30', '2026-02-27', '2026-03-31', '2026-04-30', '2026-05-29'],
    ],
    [
      'the first day of a weekend',
      { ...monthly, weekIndex: 'first', daysOfWeek: ['saturday', 'sunday'] },
      ['2026-01-03', '2026-02-01', '2026-03-01', '2026-04-04'],
    ],
    [
      'the second Tuesday',
      { ...monthly, weekIndex: 'second', daysOfWeek: ['tuesday'] },
      ['2026-01-13', '2026-02-10', '2026-03-10', '2026-04-14'],
    ],
    [
      'the third Wednesday',
      { ...monthly, weekIndex: 'third', daysOfWeek: ['wednesday'] },
      ['2026-01-21', '2026-02-18', '2026-03-18', '2026-04-15'],
    ],
    [
      'the fourth Thursday of November',
      { ...yearly, month: 11, weekIndex: 'fourth', daysOfWeek: ['thursday'] },
      ['2026-11-26', '2027-11-25', '2028-11-23'],
    ],
    [
      'the first Monday of every second September',
      { ...yearly, every: 2, month: 9, weekIndex: 'first', daysOfWeek: ['monday'] },
      ['2026-09-07', '2028-09-04', '2030-09-02'],
    ],
    ['every quarter', { ...monthly, every: 3, dayOfMonth: 15 }, ['2026-01-15', '2026-04-15', '2026-07-15']],
    ['every ten years', { ...yearly, every: 10, month: 6, dayOfMonth: 1 }, ['2026-06-01', '2036-06-01']],
    ['31 February', { ...yearly, month: 2, dayOfMonth: 31 }, ['2026-02-28', '2027-02-28', '2028-02-29']],
  ])('%s', (_, interval, expected) => {
    expect(dates(first(expected.length, interval, start))).toEqual(expected);
  });
});

describe('weeks', () => {
  const weekly: Interval = { ...DAILY, frequency: 'week' };

  // The example of RFC 5545, 3.8.5.3, that shows what WKST changes.
  test.each([
    ['monday', ['1997-08-05', '1997-08-10', '1997-08-19', '1997-08-24']],
    ['sunday', ['1997-08-05', '1997-08-17', '1997-08-19', '1997-08-31']],
  ] as const)('every second one, beginning on %s', (firstDayOfWeek, expected) => {
    const interval: Interval = { ...weekly, every: 2, daysOfWeek: ['tuesday', 'sunday'], firstDayOfWeek };
    expect(dates(first(4, interval, '1997-08-05T00:00:00.000Z'))).toEqual(expected);
  });

  test('are counted from the week of the first slot, not from that of the start', () => {
    const interval: Interval = { ...weekly, every: 2, daysOfWeek: ['monday'] };
    expect(dates(first(3, interval, '2026-01-07T00:00:00.000Z'))).toEqual([
      '2026-01-12',
      '2026-01-26',
      '2026-02-09',
    ]);
  });

  test('a day named twice occurs once', () => {
    const interval: Interval = { ...weekly, daysOfWeek: ['friday', 'monday', 'friday'] };
    expect(createRule(interval, NEVER, '2026-01-01T00:00:00.000Z').interval).toMatchObject({
      daysOfWeek: ['monday', 'friday'],
    });
    expect(dates(first(3, interval, '2026-01-01T00:00:00.000Z'))).toEqual([
      '2026-01-02',
      '2026-01-05',
      '2026-01-09',
    ]);
  });
});

describe('the start', () => {
  test('fills in what the interval leaves open, from its local date', () => {
    // Already Tuesday 1 December in Auckland.
    const startsAt = '2026-11-30T20:00:00.000Z';
    const base = { timeOfDay: '12:00', timezone: 'Pacific/Auckland' } as const;
    const complete = (interval: Interval) => createRule(interval, NEVER, startsAt).interval;
    const common = { every: 1, timeOfDay: '12:00', timezone: 'Pacific/Auckland' };
    expect(complete({ frequency: 'day', ...base })).toEqual({ frequency: 'day', ...common });
    expect(complete({ frequency: 'week', ...base })).toEqual({
      frequency: 'week',
      ...common,
      daysOfWeek: ['tuesday'],
      firstDayOfWeek: 'monday',
    });
    expect(complete({ frequency: 'month', ...base })).toEqual({
      frequency: 'month',
      ...common,
      dayOfMonth: 1,
    });
    expect(complete({ frequency: 'year', ...base, every: 2 })).toEqual({
      frequency: 'year',
      ...common,
      every: 2,
      month: 12,
      dayOfMonth: 1,
    });
    const indexed = { weekIndex: 'last', daysOfWeek: ['friday'] } as const;
    expect(complete({ frequency: 'month', ...base, ...indexed, daysOfWeek: ['friday'] })).toEqual({
      frequency: 'month',
      ...common,
      ...indexed,
    });
  });

  test('is an inclusive bound, to the millisecond', () => {
    const slot = '2026-03-28T08:00:00.000Z';
    expect(first(1, DAILY, slot)[0]?.at).toBe(slot);
    expect(first(1, DAILY, '2026-03-28T08:00:00.001Z')[0]?.at).toBe('2026-03-29T07:00:00.000Z');
  });

  test('the anchor is the next slot of any period, then only every N-th counts', () => {
    const rule = createRule({ ...DAILY, every: 3 }, NEVER, '2026-03-27T10:00:00.000Z');
    expect(rule.anchor).toBe('2026-03-28');
    expect(dates(preview(rule, { limit: 3 }).occurrences)).toEqual([
      '2026-03-28',
      '2026-03-31',
      '2026-04-03',
    ]);
    const passed = createRule({ ...DAILY, frequency: 'month', every: 2 }, NEVER, '2026-03-15T10:00:00.000Z');
    expect(passed.anchor).toBe('2026-04-15');
  });

  test('in the past fixes phase and numbers only', () => {
    const rule = createRule({ ...DAILY, every: 2 }, NEVER, '2020-01-01T00:00:00.000Z');
    expect(occurrenceAfter(rule, '2026-01-01T00:00:00.000Z')).toEqual({
      at: '2026-01-01T08:00:00.000Z',
      local: '2026-01-01T09:00',
      number: 2192 / 2 + 1,
      note: null,
    });
  });

  test('a rule made again from its own first occurrence is the same rule', () => {
    const rule = createRule({ ...DAILY, frequency: 'week', every: 2 }, NEVER, '2026-03-27T10:00:00.000Z');
    const [one] = occurrences(rule);
    expect(createRule(rule.interval, rule.endCondition, one?.at ?? '')).toEqual(rule);
  });
});

describe('the end', () => {
  const start = '2026-03-27T10:00:00.000Z';

  test('a count is of occurrences', () => {
    const rule = createRule(DAILY, { type: 'count', count: 3 }, start);
    const numbers = [...occurrences(rule)].map(({ number }) => number);
    expect(numbers).toEqual([1, 2, 3]);
    expect(occurrenceAfter(rule, '2026-03-30T06:59:59.999Z')?.number).toBe(3);
    expect(occurrenceAfter(rule, '2026-03-30T07:00:00.000Z')).toBeNull();
    expect(occurrenceAtOrBefore(rule, '2030-01-01T00:00:00.000Z')?.number).toBe(3);
  });

  test('the last occurrence is the one on the end date; before the first there is none', () => {
    const rule = createRule(DAILY, { type: 'date', endDate: '2026-03-29' }, start);
    const lastAt = (at: string) => occurrenceAtOrBefore(rule, at)?.local;
    expect(lastAt('2030-01-01T00:00:00.000Z')).toBe('2026-03-29T09:00');
    expect(lastAt('2026-03-28T08:00:00.000Z')).toBe('2026-03-28T09:00');
    expect(lastAt('2026-03-28T07:59:59.999Z')).toBeUndefined();
  });

  test('an end date is inclusive and local', () => {
    // 09:00 on 29 March in Auckland is still 28 March in UTC.
    const interval: Interval = { ...DAILY, timezone: 'Pacific/Auckland' };
    const list = first(10, interval, '2026-03-27T10:00:00.000Z', { type: 'date', endDate: '2026-03-29' });
    expect(list.map(({ at }) => at)).toEqual(['2026-03-27T20:00:00.000Z', '2026-03-28T20:00:00.000Z']);
  });

  test('an end before the start leaves nothing', () => {
    const rule = createRule(DAILY, { type: 'date', endDate: '2026-03-27' }, start);
    expect(occurrenceAfter(rule, start)).toBeNull();
    expect(occurrenceAtOrBefore(rule, '9999-01-01T00:00:00.000Z')).toBeNull();
    expect(preview(rule, { limit: 10 })).toEqual({ occurrences: [], exhausted: true });
  });

  test('preview tells whether anything follows', () => {
    const rule = createRule(DAILY, { type: 'count', count: 3 }, start);
    expect(preview(rule, { limit: 2 })).toMatchObject({ exhausted: false });
    expect(preview(rule, { limit: 3 })).toMatchObject({ exhausted: true });
    const rest = preview(rule, { after: '2026-03-28T08:00:00.000Z', limit: 100 });
    expect(rest.occurrences.map(({ number }) => number)).toEqual([2, 3]);
    expect(rest.exhausted).toBe(true);
  });

  test('keeps nothing that a client sent beside it', () => {
    const end = schema.EndCondition.parse({ type: 'count', count: 3, colour: 'red' });
    expect(createRule(DAILY, end, start).endCondition).toEqual({ type: 'count', count: 3 });
  });

  test.each(['Pacific/Kiritimati', 'UTC', 'Etc/GMT+1', 'Etc/GMT+12'])(
    'in %s a series ends with the year 9999',
    (timezone) => {
      for (const frequency of ['day', 'week', 'month', 'year'] as const) {
        const interval: Interval = { frequency, timezone, timeOfDay: '23:30', every: 1 };
        const list = [...occurrences(createRule(interval, NEVER, '9998-12-31T23:59:59.999Z'))];
        expect(list.length).toBeGreaterThan(0);
        for (const { at, local } of list)
          expect([at.length, local.length, at < '9999-12-31T24']).toEqual([24, 16, true]);
        const late = createRule(interval, NEVER, '9999-12-31T23:59:59.999Z');
        expect(preview(late, { limit: 1 })).toEqual({ occurrences: [], exhausted: true });
        expect(occurrenceAtOrBefore(late, '9999-12-31T23:59:59.999Z')).toBeNull();
        const early = createRule(interval, NEVER, '1900-01-01T00:00:00.000Z');
        expect(occurrenceAfter(early, '1900-01-01T00:00:00.000Z')?.number).toBeLessThan(3);
        expect(occurrenceAfter(early, '-271821-04-20T00:00:00.000Z')?.number).toBe(1);
        expect(occurrenceAfter(early, '+275760-09-13T00:00:00.000Z')).toBeNull();
      }
    },
  );
});

describe('cost', () => {
  test('a daily series since 1926 is not walked through, numbers included', async () => {
    for (const timezone of ['Europe/Paris', 'Pacific/Kwajalein']) {
      const interval: Interval = { ...DAILY, timezone };
      const walked = walk(interval, NEVER, '1926-01-01T00:00:00.000Z', 40_000).find(
        ({ at }) => at > '2026-06-01T12:00:00.000Z',
      );
      const lookups = await zoneLookups(() => {
        const rule = createRule(interval, NEVER, '1926-01-01T00:00:00.000Z');
        const shown = preview(rule, { after: '2026-06-01T12:00:00.000Z', limit: 100 });
        expect(occurrenceAfter(rule, '2026-06-01T12:00:00.000Z')).toEqual(walked);
        expect(shown.occurrences[0]).toEqual(walked);
      });
      expect(lookups).toBeLessThan(1_000);
    }
  });

  test('eight thousand years ahead take no more', async () => {
    const rule = createRule(DAILY, NEVER, '1900-01-01T00:00:00.000Z');
    const lookups = await zoneLookups(() =>
      expect(occurrenceAfter(rule, '9990-01-01T00:00:00.000Z')?.local).toBe('9990-01-01T09:00'),
    );
    expect(lookups).toBeLessThan(1_000);
  });
});
