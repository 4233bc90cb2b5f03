import { describe, expect, test } from 'vitest';
import { canonicalTimezone } from '../../src/kernel/time-zones.ts';
import { createRule } from '../../src/recurring/recurrence/recurrence.ts';
import type { EndCondition, Interval } from '../../src/recurring/rule-schema.ts';
import * as schema from '../../src/recurring/rule-schema.ts';

const NEVER: EndCondition = { type: 'never' };
const DAILY: Interval = { frequency: 'day', timeOfDay: '09:00', timezone: 'Europe/Paris' };

describe('rejected, with the path of each issue', () => {
  const paths = (shape: { safeParse: typeof schema.Interval.safeParse }, value: unknown) => [
    ...new Set(shape.safeParse(value).error?.issues.map(({ path }) => path.join('.'))),
  ];
  const week = { frequency: 'week' };
  const month = { frequency: 'month' };
  const indexed = { weekIndex: 'last', daysOfWeek: ['friday'] };

  type Case = [object, string[]];
  const each = (field: string, values: readonly unknown[], base: object = {}): Case[] =>
    values.map((value) => [{ ...base, [field]: value }, [field]]);

  test.each<Case>([
    ...each('frequency', ['hour', 'weekly', 'DAY', undefined]),
    [{ frequency: 'hour', daysOfWeek: ['monday'], every: 366 }, ['frequency', 'every']],
    ...each('every', [0, -1, 1.5, '2', 366, null, 2 ** 31, 2 ** 53, Number.POSITIVE_INFINITY]),
    ...each('every', [11], { frequency: 'year' }),
    ...each('every', [121], month),
    ...each('timeOfDay', ['9:00', '24:00', '09:60', '09:00:00', '7:5', '09:00\n', '', 9, undefined]),
    ...each('timezone', ['Mars/Phobos', '+02:00', '', 'GMT+5', '../x', 'Z', undefined]),
    ...each('dayOfMonth', [3], week),
    ...each('daysOfWeek', [['monday']]),
    ...each('daysOfWeek', [[], ['mon'], 'monday', Array(8).fill('monday')], week),
    ...each('weekIndex', ['first'], week),
    ...each('firstDayOfWeek', ['sun'], week),
    ...each('firstDayOfWeek', ['sunday']),
    ...['month', 'year'].flatMap((frequency): Case[] => [
      [{ frequency, weekIndex: 'last' }, ['daysOfWeek']],
      [{ frequency, daysOfWeek: ['friday'] }, ['daysOfWeek']],
      [{ frequency, ...indexed, dayOfMonth: 3 }, ['dayOfMonth']],
    ]),
    [{ ...month, ...indexed, weekIndex: 'fifth' }, ['weekIndex']],
    ...each('month', [3], month),
    ...each('dayOfMonth', [0, 32, -2, 1.5], month),
    ...each('month', [0, 13], { frequency: 'year' }),
    [
      { ...week, every: 1.5, timeOfDay: '24:00', timezone: 'x', dayOfMonth: 3 },
      ['every', 'timeOfDay', 'timezone', 'dayOfMonth'],
    ],
  ])('interval with %o', (wrong, expected) => {
    expect(paths(schema.Interval, { ...DAILY, ...wrong })).toEqual(expected);
  });

  test.each<[unknown, string[]]>([
    [{ type: 'count', count: 0 }, ['count']],
    [{ type: 'count', count: 1000 }, ['count']],
    [{ type: 'count' }, ['count']],
    [{ type: 'date', endDate: '2026-02-30' }, ['endDate']],
    [{ type: 'date', endDate: '2026-2-3' }, ['endDate']],
    [{ type: 'often' }, ['type']],
    [{}, ['type']],
    [{ type: 'never', count: 3 }, ['']],
    [{ type: 'date', endDate: '2026-03-01', count: 3 }, ['']],
    ['never', ['']],
  ])('end condition %o', (value, expected) => {
    const issues = schema.EndCondition.safeParse(value).error?.issues.map(({ path }) => path.join('.'));
    expect(issues).toEqual(expected);
  });

  test('no message is left to a library', () => {
    const wrong = [
      schema.Interval.safeParse(1),
      schema.Interval.safeParse({}),
      schema.EndCondition.safeParse(1),
    ];
    for (const { error } of wrong)
      for (const { message } of error?.issues ?? []) expect(message).not.toMatch(/^Invalid|expected/);
  });
});

describe('accepted', () => {
  test.each([
    ['day', {}],
    ['day', { every: 365 }],
    ['week', { daysOfWeek: ['monday', 'sunday'], firstDayOfWeek: 'sunday' }],
    ['month', { every: 120, dayOfMonth: -1 }],
    ['month', { weekIndex: 'last', daysOfWeek: ['friday'] }],
    ['year', { month: 2, dayOfMonth: 31 }],
    ['year', { every: 10, month: 2, weekIndex: 'first', daysOfWeek: ['monday'] }],
    ['day', { colour: 'unknown keys are ignored' }],
  ])('by %s with %o', (frequency, more) => {
    expect(schema.Interval.safeParse({ ...DAILY, frequency, ...more }).error).toBeUndefined();
  });

  test('what an interval leaves open is that of the local date, from its first instant to its last', () => {
    const monthly = (startsAt: string) =>
      createRule({ ...DAILY, frequency: 'month' }, NEVER, startsAt).interval;
    expect(monthly('2026-05-31T21:59:59.999Z')).toMatchObject({ dayOfMonth: 31 });
    expect(monthly('2026-05-31T22:00:00.000Z')).toMatchObject({ dayOfMonth: 1 });
  });

  test('a completed interval is one', () => {
    for (const frequency of ['day', 'week', 'month', 'year'] as const) {
      const { interval } = createRule({ ...DAILY, frequency }, NEVER, '2026-03-27T10:00:00.000Z');
      expect(schema.Interval.parse(interval)).toEqual(interval);
    }
  });

  test.each([
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['gmt', 'GMT'],
    ['EST', 'EST'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['europe/paris', 'Europe/Paris'],
    ['US/Eastern', 'US/Eastern'],
    ['Asia/Kathmandu', 'Asia/Kathmandu'],
    ['asia/katmandu', 'Asia/Katmandu'],
    ['AMERICA/PORT-AU-PRINCE', 'America/Port-au-Prince'],
  ])('the zone %s, kept as %s', (name, kept) => {
    expect(canonicalTimezone(name)).toBe(kept);
    expect(schema.Interval.parse({ ...DAILY, timezone: name }).timezone).toBe(kept);
  });

  test.each([
    '+02:00',
    '-0800',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00[Europe/Paris]',
    'T00:00:00Z',
    'T0000Z',
    'Europe/Paris ',
    'Europe/Paris\0',
    'UTC[u-ca=iso8601]',
    'Europe/Paris'.repeat(90_000),
  ])('no zone: %o', (name) => {
    expect(canonicalTimezone(name)).toBeNull();
  });
});
