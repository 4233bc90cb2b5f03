import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf, endOfDay, instantAt, isDay, isWholeDay, startOfDay } from '../../src/kernel/days.ts';
import { edgeAt, windowOf } from '../../src/storage/task-query/due-range.ts';

const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+12', 'Etc/GMT-14'];
const zone = fc.constantFrom(...zones);
const FIRST = Temporal.PlainDate.from('1900-01-01');
const day = fc
  .oneof(fc.nat(365 * 200), fc.integer({ min: 365 * 110, max: 365 * 128 }))
  .map((days) => FIRST.add({ days }).toString());
/** Often at the very start of a day somewhere. */
const instant = fc
  .tuple(day, zone, fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: -2e8, max: 2e8 })))
  .map(([start, where, ms]) => new Date(Date.parse(startOfDay(start, where)) + ms).toISOString());
const date = fc.oneof(day, instant);

const localDay = (at: string, where: string) =>
  Temporal.Instant.from(at).toZonedDateTimeISO(where).toPlainDate().toString();
const keyOf = (text: string, where: string) => (isWholeDay(text) ? startOfDay(text, where) : text);
const shift = (text: string, by: number) => new Date(Date.parse(text) + by).toISOString();

describe('a day in a zone', () => {
  it('begins with its first instant there, whatever clocks skip, and ends where the next one begins', () => {
    fc.assert(
      fc.property(day, zone, (text, where) => {
        const [start, end] = [startOfDay(text, where), endOfDay(text, where)];
        const first = Temporal.PlainDate.from(text).toZonedDateTime(where);
        const isSkipped = first.toPlainDate().toString() !== text;
        const earlier = Math.floor(first.epochMilliseconds) - (isSkipped ? 1 : 0);
        expect(start).toBe(new Date(earlier).toISOString());
        expect(end).toBe(startOfDay(Temporal.PlainDate.from(text).add({ days: 1 }).toString(), where));
        expect(start < end).toBe(true);
        expect([dayOf(start, where), dayOf(shift(end, -1), where)]).toEqual([text, text]);
        expect(dayOf(end, where) > text && dayOf(shift(start, -1), where) < text).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('begins at one where clocks skip midnight', () => {
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z');
    expect(endOfDay('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-05T02:00:00.000Z');
    expect(startOfDay('1919-03-31', 'America/Toronto')).toBe('1919-03-31T04:30:00.000Z');
    expect(startOfDay('2026-11-01', 'America/Havana')).toBe('2026-11-01T04:00:00.000Z');
  });

  it('is that of every instant in it, as calendars there show', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 86_399_999 }), zone, (text, ms, where) => {
        const at = shift(text, ms);
        const shown = localDay(at, where);
        // Clocks set back over midnight show the day before once more.
        fc.pre(at >= startOfDay(shown, where) && at < endOfDay(shown, where));
        expect(dayOf(at, where)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has its times by the clocks there, shifted where they are skipped', () => {
    expect(instantAt('2026-03-29', '02:30', 'Europe/Paris')).toBe('2026-03-29T01:30:00.000Z');
    expect(instantAt('2026-10-25', '02:30', 'Europe/Paris')).toBe('2026-10-25T00:30:00.000Z');
    expect(instantAt('2026-12-24', '09:00', 'Asia/Kathmandu')).toBe('2026-12-24T03:15:00.000Z');
  });

  it('is one of the calendar, from 1900 to 9999', () => {
    for (const text of ['1900-01-01', '2024-02-29', '2000-02-29', '9999-12-31'])
      expect(isDay(text)).toBe(true);
    for (const text of ['1899-12-31', '1900-02-29', '2026-02-30', '2026-1-1', '2026-01-01T', '10000-01-01'])
      expect(isDay(text)).toBe(false);
    for (const where of ['Asia/Tokyo', 'America/New_York', 'UTC']) {
      for (const text of ['1900-01-01', '9999-12-31'])
        expect(startOfDay(text, where) < endOfDay(text, where)).toBe(true);
    }
  });
});

describe('due dates, as text and in a zone,', () => {
  it('come window after window, in either order', () => {
    fc.assert(
      fc.property(date, date, zone, (a, b, where) => {
        const [one, other] = [windowOf(a, where), windowOf(b, where)];
        if (one < other) expect([a < b, keyOf(a, where) < keyOf(b, where)]).toEqual([true, true]);
        if (isWholeDay(a)) expect(one).toBe(a);
      }),
      { numRuns: 5_000 },
    );
  });

  it('are on the side of an instant, or of the first one of a day, where a day counts', () => {
    const near = fc
      .tuple(day, zone, fc.integer({ min: -2, max: 2 }), fc.constantFrom(-1, 0, 1, 3_600_000, -3_600_000))
      .map(([text, where, days, ms]) => {
        const at = shift(startOfDay(text, where), ms);
        const moved = Temporal.PlainDate.from(text).add({ days }).toString();
        return { where, at, moved };
      });
    fc.assert(
      fc.property(
        fc.oneof(near, fc.record({ where: zone, at: date, moved: date })),
        ({ where, at, moved }) => {
          const edge = edgeAt(at, where);
          const isBehind = moved >= edge.at !== (moved === edge.day);
          expect(isBehind).toBe(keyOf(moved, where) >= keyOf(at, where));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
