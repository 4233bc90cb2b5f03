import type { Day } from '../../text/days.ts';

/** The days of a thing on a calendar, both ends included. */
export interface DateRange {
  id: string;
  start: Day;
  end: Day;
}

/** The part of a range on one day. */
export interface Segment {
  id: string;
  isSpan: boolean;
  isStart: boolean;
  isEnd: boolean;
  /** On the first day of its week it says what it is. */
  isNamed: boolean;
}

/**
 * Lays out the ranges of a week, for each day from top to bottom. A range of several days, a span, keeps its lane
 * through the week; null is a lane that a span passes on other days only. Single days fill what is free, in the order
 * given; where they are higher than a lane, as `isTall` says, they come below all spans, so that those stay bars.
 */
export function lanesOf(
  week: readonly Day[],
  ranges: readonly DateRange[],
  isTall = false,
): (Segment | null)[][] {
  const lanes: (Segment | null)[][] = week.map(() => []);
  const [first = '', last = ''] = [week[0], week.at(-1)];
  const inWeek = ranges.filter(({ start, end }) => start <= last && end >= first);
  const spans = inWeek
    .filter(({ start, end }) => start < end)
    .sort((a, b) => (a.start === b.start ? (a.end > b.end ? -1 : 1) : a.start < b.start ? -1 : 1));
  for (const { id, start, end } of spans) {
    const from = Math.max(0, week.indexOf(start));
    const to = end > last ? week.length - 1 : week.indexOf(end);
    const days = lanes.slice(from, to + 1);
    let lane = 0;
    while (days.some((day) => day[lane])) lane += 1;
    for (const [index, day] of days.entries()) {
      while (day.length < lane) day.push(null);
      day[lane] = {
        id,
        isSpan: true,
        isStart: week[from + index] === start,
        isEnd: week[from + index] === end,
        isNamed: index === 0,
      };
    }
  }
  for (const { id, start, end } of inWeek) {
    if (start < end) continue;
    const day = lanes[week.indexOf(start)];
    const free = isTall ? -1 : (day?.indexOf(null) ?? -1);
    const segment = { id, isSpan: false, isStart: true, isEnd: true, isNamed: true };
    if (free === -1) day?.push(segment);
    else if (day) day[free] = segment;
  }
  return lanes;
}
