import { describe, expect, it } from 'vitest';
import { lanesOf } from '../../src/web/screens/calendar/lanes.ts';

const WEEK = Array.from({ length: 7 }, (_, index) => `2026-11-${23 + index}`);
const day = (id: string, date: number) => ({ id, start: `2026-11-${date}`, end: `2026-11-${date}` });
const span = (id: string, from: number, to: number) => ({
  id,
  start: `2026-11-${from}`,
  end: `2026-11-${to}`,
});
const idsOf = (lanes: ReturnType<typeof lanesOf>) =>
  lanes.map((segments) => segments.map((segment) => segment?.id ?? null));

describe('the lanes of a week', () => {
  it('hold single days in the order given', () => {
    const [monday] = idsOf(lanesOf(WEEK, [day('a', 23), day('b', 23)]));
    expect(monday).toEqual(['a', 'b']);
  });

  it('keep a span in one lane on all its days', () => {
    const lanes = idsOf(lanesOf(WEEK, [span('trip', 24, 26), span('fair', 25, 27), day('call', 26)]));
    expect(lanes).toEqual([[], ['trip'], ['trip', 'fair'], ['trip', 'fair', 'call'], [null, 'fair'], [], []]);
  });

  it('let a single day fill a lane that a span leaves free', () => {
    const lanes = idsOf(lanesOf(WEEK, [span('trip', 24, 26), span('fair', 25, 27), day('call', 27)]));
    expect(lanes[4]).toEqual(['call', 'fair']);
  });

  it('put single days below all spans where they are higher than a lane', () => {
    const lanes = idsOf(lanesOf(WEEK, [span('trip', 24, 26), span('fair', 25, 27), day('call', 27)], true));
    expect(lanes[4]).toEqual([null, 'fair', 'call']);
  });

  it('name a span on its first day in the week, wherever it starts', () => {
    const week = lanesOf(WEEK, [{ id: 'long', start: '2026-11-02', end: '2026-12-24' }]);
    expect(week.map(([segment]) => [segment?.isNamed, segment?.isStart, segment?.isEnd])).toEqual([
      [true, false, false],
      ...Array.from({ length: 6 }, () => [false, false, false]),
    ]);
  });

  it('leave out what lies before or after the week', () => {
    expect(idsOf(lanesOf(WEEK, [day('before', 22), span('earlier', 10, 22)])).flat()).toEqual([]);
  });
});
