import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  dayFromNumber,
  isDay,
  isoWeek,
  mondayOfIsoWeek,
  monthGrid,
  startOfWeek,
  WEEKDAYS,
  weekdayOf,
} from '../../src/web/text/days.ts';
import { hrefAt, linkParts } from '../../src/web/text/links.ts';
import { match, rank } from '../../src/web/text/match.ts';
import { placeAt } from '../../src/web/text/positions.ts';
import { quoted } from '../../src/web/text/quoted.ts';
import { sayDay, sayInstant, sayMonth, sayWhen } from '../../src/web/text/say-dates.ts';
import { type Interval, sayRule } from '../../src/web/text/say-rules.ts';
import { dayIn, instantOf, localOf, startOfDay, untilMidnight } from '../../src/web/text/zones.ts';

describe('a title within a sentence', () => {
  it('is cut where it is long, between characters', () => {
    expect(quoted('a'.repeat(60))).toBe(`“${'a'.repeat(60)}”`);
    expect(quoted('a'.repeat(61))).toBe(`“${'a'.repeat(59)}…”`);
    expect(quoted(`${'a'.repeat(58)}🌱${'b'.repeat(9)}`)).toBe(`“${'a'.repeat(58)}🌱…”`);
  });
});

const anyDay = fc.integer({ min: -25_000, max: 60_000 }).map(dayFromNumber);

describe('days', () => {
  it('knows which days exist', () => {
    expect(['2028-02-29', '2026-02-29', '2026-13-01', '2026-1-1', '26-01-01'].map(isDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('adds months and clamps to the last day', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-01-31', -11)).toBe('2025-02-28');
    expect(addMonths('2026-11-30', 2)).toBe('2027-01-30');
  });

  it('numbers weeks as ISO 8601 does', () => {
    expect(['2026-01-01', '2027-01-01', '2026-11-23', '2020-12-31', '2021-01-03'].map(isoWeek)).toEqual([
      '2026-W01',
      '2026-W53',
      '2026-W48',
      '2020-W53',
      '2020-W53',
    ]);
    expect(mondayOfIsoWeek('2026-W48')).toBe('2026-11-23');
    expect(mondayOfIsoWeek('2025-W53')).toBeNull();
    fc.assert(fc.property(anyDay, (day) => mondayOfIsoWeek(isoWeek(day)) === startOfWeek(day, 'monday')));
  });

  it('begins a week where the person does', () => {
    fc.assert(
      fc.property(anyDay, fc.constantFrom(...WEEKDAYS), (day, weekStart) => {
        const start = startOfWeek(day, weekStart);
        expect(weekdayOf(start)).toBe(weekStart);
        expect(start <= day && day < addDays(start, 7)).toBe(true);
      }),
    );
  });

  it('covers a month by whole weeks', () => {
    const grid = monthGrid('2026-11', 'sunday');
    expect(grid.map((week) => week[0])).toEqual([
      '2026-11-01',
      '2026-11-08',
      '2026-11-15',
      '2026-11-22',
      '2026-11-29',
    ]);
    expect(monthGrid('2026-11', 'monday')[0]?.[0]).toBe('2026-10-26');
    expect(monthGrid('2027-02', 'monday')).toHaveLength(4);
    expect(monthGrid('9999-12', 'monday').flat()).toContain('9999-12-31');
    expect(addMonths('9999-12-31', 1)).toBe('9999-12-31');
  });
});

describe('zones', () => {
  it.each([
    ['2026-03-29', '02:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'], // a gap
    ['2026-10-25', '02:30', 'Europe/Paris', '2026-10-25T00:30:00.000Z'], // comes twice
    ['2026-03-29', '03:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
    ['2026-11-01', '01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['2026-03-08', '02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-06-01', '00:00', 'Asia/Kathmandu', '2026-05-31T18:15:00.000Z'],
    ['2026-10-04', '02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    ['1900-01-01', '12:00', 'UTC', '1900-01-01T12:00:00.000Z'],
  ])('reads %s %s in %s as %s', (day, time, zone, instant) => {
    expect(instantOf(day, time, zone)).toBe(instant);
    expect(instantOf(day, time, zone)).toBe(
      Temporal.PlainDateTime.from(`${day}T${time}`)
        .toZonedDateTime(zone)
        .toInstant()
        .toString({ smallestUnit: 'millisecond' }),
    );
  });

  it('agrees with Temporal everywhere', () => {
    const zones = fc.constantFrom(
      'Europe/Paris',
      'America/Sao_Paulo',
      'Pacific/Apia',
      'Africa/Casablanca',
      'Asia/Tehran',
      'Australia/Lord_Howe',
      'America/St_Johns',
    );
    fc.assert(
      fc.property(zones, fc.integer({ min: 0, max: 4_000_000_000 }), (zone, seconds) => {
        const there = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
        const { day, time } = localOf(seconds * 1000, zone);
        expect(`${day}T${time}`).toBe(there.toPlainDateTime().toString().slice(0, 16));
        const back = Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(zone).epochMilliseconds;
        expect(Date.parse(instantOf(day, time, zone))).toBe(back);
      }),
      { numRuns: 2_000 },
    );
  });

  it('begins a day at its first instant, also where midnight is missing', () => {
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z');
    expect(dayIn('2026-11-23T23:30:00Z', 'Europe/Paris')).toBe('2026-11-24');
    expect(untilMidnight(Date.parse('2026-11-23T22:59:00Z'), 'Europe/Paris')).toBe(60_000);
  });
});

describe('words for dates and rules', () => {
  const now = Date.parse('2026-11-23T13:00:00Z');

  it.each([
    ['2026-11-23', 'Today'],
    ['2026-11-24', 'Tomorrow'],
    ['2026-11-22', 'Yesterday'],
    ['2026-11-27', 'Fri 27 Nov'],
    ['2027-01-05', 'Tue 5 Jan 2027'],
  ])('says %s as "%s"', (day, words) => {
    expect(sayDay(day, '2026-11-23')).toBe(words);
  });

  it('says an instant with its time, and a month', () => {
    expect(sayInstant('2026-11-27T14:00:00.000Z', 'Europe/Paris', now)).toBe('Fri 27 Nov 15:00');
    expect(sayMonth('2026-11')).toBe('November 2026');
  });

  it.each([
    ['2026-11-24T08:05:00Z', 'tomorrow 9:05'],
    ['2026-11-26T17:00:00Z', 'Thu 26 Nov 18:00'],
  ])('says %s within a sentence as "%s"', (instant, words) => {
    expect(sayWhen(instant, 'Europe/Paris', now)).toBe(words);
  });

  const rule = (interval: Partial<Interval>): Interval => ({
    frequency: 'day',
    timeOfDay: null,
    timezone: 'UTC',
    ...interval,
  });
  it.each<[Partial<Interval>, string]>([
    [{ timeOfDay: '09:00' }, 'Every day at 9:00'],
    [{ every: 3 }, 'Every 3 days'],
    [
      { frequency: 'week', every: 2, daysOfWeek: ['thursday', 'monday'], timeOfDay: '09:00' },
      'Every 2 weeks on Mon and Thu at 9:00',
    ],
    [{ frequency: 'week', daysOfWeek: WEEKDAYS.slice(0, 5) }, 'Every weekday'],
    [{ frequency: 'month', dayOfMonth: 15 }, 'Every month on the 15th'],
    [{ frequency: 'month', dayOfMonth: -1 }, 'Every month on the last day'],
    [{ frequency: 'month', weekIndex: 'last', daysOfWeek: ['friday'] }, 'Every month on the last Fri'],
    [
      { frequency: 'month', weekIndex: 'first', daysOfWeek: WEEKDAYS.slice(0, 5) },
      'Every month on the first weekday',
    ],
    [{ frequency: 'year', month: 12, dayOfMonth: 24 }, 'Every year on 24 Dec'],
    [
      { frequency: 'year', month: 11, weekIndex: 'fourth', daysOfWeek: ['thursday'] },
      'Every year on the fourth Thu of Nov',
    ],
    [{ timezone: 'Asia/Tokyo' }, 'Every day, Asia/Tokyo'],
  ])('says %j as "%s"', (interval, words) => {
    expect(sayRule(rule(interval), { type: 'never' }, '2026-11-23', 'UTC')).toBe(words);
  });

  it('says when a rule ends', () => {
    expect(sayRule(rule({}), { type: 'count', count: 10 }, '2026-11-23', 'UTC')).toBe('Every day, 10 times');
    expect(sayRule(rule({}), { type: 'date', endDate: '2027-01-31' }, '2026-11-23', 'UTC')).toBe(
      'Every day, until 31 Jan 2027',
    );
  });
});

describe('the matcher of the palette', () => {
  const commands = ['New task', 'Go to Today', 'Toggle theme', 'Übersicht', 'Export your data', 'Today'];

  it('finds letters in order, without case and accents', () => {
    expect(match('ubr', 'Übersicht')?.at).toEqual([0, 1, 3]);
    expect(match('nt', 'New task')?.at).toEqual([0, 4]);
    expect(match('tn', 'New task')).toBeNull();
    expect(match('strasse', 'Hauptstraße 5')).not.toBeNull();
  });

  it('puts whole names and beginnings of words first', () => {
    expect(rank('today', commands, (name) => name)).toEqual(['Today', 'Go to Today']);
    expect(rank('td', commands, (name) => name)[0]).toBe('Today');
    expect(rank('', commands, (name) => name)).toEqual(commands);
  });

  it('matches every subsequence and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (query, text) => {
        const letters = [
          ...query
            .toLowerCase()
            .normalize('NFD')
            .replace(/[\p{M}\s]/gu, ''),
        ];
        fc.pre(/^[a-z0-9]*$/.test(letters.join('')) && /^[ -~]*$/.test(text));
        let at = 0;
        const isIn = letters.every((letter) => {
          at = text.toLowerCase().indexOf(letter, at) + 1;
          return at > 0;
        });
        expect(match(query, text) !== null).toBe(isIn);
      }),
    );
  });
});

describe('positions', () => {
  it('lie between their neighbours', () => {
    const rows = (...positions: number[]) =>
      positions.map((position) => ({ id: `at ${position}`, position }));
    const placed = [placeAt(rows(), 0, ['x']), placeAt(rows(1), 1, ['x']), placeAt(rows(1), 0, ['x'])];
    expect([...placed, placeAt(rows(1, 2), 1, ['x'])].flat().map(({ position }) => position)).toEqual([
      1024, 1025, -1023, 1.5,
    ]);
  });

  it('always come out in the wanted order, and seldom touch others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 4 })), { maxLength: 120 }),
        (moves) => {
          let rows: { id: string; position: number }[] = [];
          let made = 0;
          for (const [at, count] of moves) {
            const index = at % (rows.length + 1) > 3 ? Math.min(1, rows.length) : at % (rows.length + 1);
            const ids = Array.from({ length: count }, () => `t${made++}`);
            const placed = new Map(placeAt(rows, index, ids).map(({ id, position }) => [id, position]));
            const wanted = [
              ...rows.slice(0, index).map(({ id }) => id),
              ...ids,
              ...rows.slice(index).map(({ id }) => id),
            ];
            const before = new Map(rows.map(({ id, position }) => [id, position]));
            rows = wanted.map((id) => ({ id, position: placed.get(id) ?? before.get(id) ?? Number.NaN }));
            for (let next = 1; next < rows.length; next++)
              expect((rows[next]?.position ?? 0) - (rows[next - 1]?.position ?? 0)).toBeGreaterThan(1e-7);
          }
        },
      ),
    );
  });
});

describe('links in plain text', () => {
  it('end before any number of loose brackets, found in a time by their length', () => {
    const ends = ')'.repeat(40_000) + '].'.repeat(5_000);
    const before = process.threadCpuUsage();
    expect(linkParts(`https://x.test/(a)${ends}`)).toEqual([
      { text: 'https://x.test/(a)', href: 'https://x.test/(a)' },
      { text: ends },
    ]);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it('are http, https and mailto addresses without the punctuation of the sentence', () => {
    expect(
      linkParts('See https://example.org/a_(b), (http://x.test/?q=1). Or mailto:ada@example.org!'),
    ).toEqual([
      { text: 'See ' },
      { text: 'https://example.org/a_(b)', href: 'https://example.org/a_(b)' },
      { text: ', (' },
      { text: 'http://x.test/?q=1', href: 'http://x.test/?q=1' },
      { text: '). Or ' },
      { text: 'mailto:ada@example.org', href: 'mailto:ada@example.org' },
      { text: '!' },
    ]);
  });

  it('are found by any place within them, their edges included', () => {
    const text = 'See http://a.test, http://b.test!';
    const at = (part: string) => text.indexOf(part);
    expect(hrefAt(text, at('http://a') - 1)).toBeUndefined();
    expect(hrefAt(text, at('http://a'))).toBe('http://a.test');
    expect(hrefAt(text, at(','))).toBe('http://a.test');
    expect(hrefAt(text, at(',') + 1)).toBeUndefined();
    expect(hrefAt(text, at('b.test'))).toBe('http://b.test');
    expect(hrefAt(text, text.length)).toBeUndefined();
  });

  it('are never of another kind, and lose no character', () => {
    expect(linkParts('javascript:alert(1) data:text/html,x http:// mailto:x').some(({ href }) => href)).toBe(
      false,
    );
    const text = fc
      .array(fc.constantFrom('http://', 'a.b', ' ', ')', '(', '.', 'mailto:', 'x@y', '"', '<'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (value) => {
        expect(
          linkParts(value)
            .map((part) => part.text)
            .join(''),
        ).toBe(value);
      }),
    );
  });
});
