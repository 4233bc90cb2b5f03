import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/web/data/rows.ts';
import { compareDue, timeKeptToday } from '../../src/web/tasks/dates.ts';

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

describe('tasks of one day', () => {
  it('stand by time, those without one first; then by priority, then as in their list', () => {
    const due = (title: string, priority: Task['priority'], position: number, date: object) =>
      ({ title, priority, position, dueDate: null, dueDay: null, ...date }) as Task;
    const today = { dueDay: '2026-11-28' };
    const morning = { dueDate: '2026-11-28T08:00:00.000Z' };
    const tasks = [
      due('none', 'none', 1, today),
      due('early', 'low', 5, morning),
      due('late', 'urgent', 2, { dueDate: '2026-11-28T09:00:00.000Z' }),
      due('urgent', 'urgent', 9, today),
      due('later in its list', 'high', 8, today),
      due('high', 'high', 7, today),
      due('yesterday', 'none', 9, { dueDay: '2026-11-27' }),
      due('someday', 'urgent', 0, {}),
    ];
    expect(tasks.sort(compareDue('UTC')).map(({ title }) => title)).toEqual([
      'yesterday',
      'urgent',
      'high',
      'later in its list',
      'none',
      'early',
      'late',
      'someday',
    ]);
  });
});
