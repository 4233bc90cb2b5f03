import { describe, expect, it } from 'vitest';
import { timeKeptToday } from '../../src/web/tasks/dates.ts';

describe('an overdue task that moves to today', () => {
  const zone = 'America/New_York';
  const noon = Date.parse('2026-11-24T17:00:00.000Z');
  const kept = (dueDate: string | null, dueDay: string | null = null) =>
    timeKeptToday({ dueDate, dueDay }, '2026-11-24', noon, zone);

  it('keeps its local time of day, over a change of the clocks too', () => {
    expect(kept('2026-11-20T20:00:00.000Z')).toBe('15:00');
    expect(kept('2026-10-20T19:00:00.000Z')).toBe('15:00');
  });

  it('is due on the day where its time has passed, or it has none', () => {
    expect(kept('2026-11-20T14:00:00.000Z')).toBeNull();
    expect(kept('2026-11-20T17:00:00.000Z')).toBeNull();
    expect(kept(null, '2026-11-20')).toBeNull();
  });
});
