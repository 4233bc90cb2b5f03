import { describe, expect, it } from 'vitest';
import { readDate } from '../../src/web/text/date-words.ts';

const now = Date.parse('2026-11-23T13:00:00Z'); // a Monday, 14:00 in Paris
const read = (text: string) => {
  const found = readDate(text, { now, zone: 'Europe/Paris', weekStart: 'monday', dayOrder: 'dmy' });
  return found && [found.day, ...(found.time === null ? [] : [found.time])].join(' ');
};

describe('the words of a date', () => {
  it('are those of quick add', () => {
    const words = {
      today: '2026-11-23',
      'Tomorrow ': '2026-11-24',
      'next week': '2026-11-30',
      'in 3 days': '2026-11-26',
      '+3d': '2026-11-26',
      '12/5': '2027-05-12',
      '5 jan 15:00': '2027-01-05 15:00',
      '5 jan, 15:00.': '2027-01-05 15:00',
      'mon 9am': '2026-11-30 09:00',
      '3pm fri': '2026-11-27 15:00',
      '15:00': '2026-11-23 15:00',
      'at 9': '2026-11-24 09:00',
      '2026-12-05': '2026-12-05',
    };
    for (const [text, date] of Object.entries(words)) expect(read(text), text).toBe(date);
  });

  it('are not understood where they say more than a date, or none', () => {
    for (const text of [
      '',
      'tom Ada',
      'today tomorrow',
      'fri p1',
      'fri @me',
      'every day',
      '31 feb',
      '"fri"',
      '9',
    ])
      expect(read(text), text).toBe(null);
  });
});
