import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRule, preview } from '../../src/recurring/recurrence/recurrence.ts';
import { addDays, makeDay, WEEKDAYS } from '../../src/web/text/days.ts';
import { nextDates, startsOnItsDay } from '../../src/web/text/next-dates.ts';
import { parseQuickAdd, type QuickAddContext, type QuickTask } from '../../src/web/text/quick-add.ts';
import { complete, completionAt } from '../../src/web/text/quick-add-completion.ts';
import { dayOrderOf } from '../../src/web/text/quick-add-dates.ts';
import {
  chipBefore,
  makePlain,
  movePlain,
  pastedLines,
  seriesFields,
  taskFields,
} from '../../src/web/text/quick-add-edits.ts';
import { sayShortDay } from '../../src/web/text/say-dates.ts';
import { printQuickAdd } from './print-quick-add.ts';

const context: QuickAddContext = {
  now: Date.parse('2026-11-23T13:00:00Z'), // a Monday, 14:00 in Paris
  zone: 'Europe/Paris',
  weekStart: 'monday',
  dayOrder: 'dmy',
  me: 'u-me',
  listId: 'l-inbox',
  lists: [
    { id: 'l-inbox', title: 'Inbox' },
    { id: 'l-office', title: 'Office' },
    { id: 'l-site', title: 'Website relaunch' },
    { id: 'l-quote', title: 'The "big" one \\ two' },
  ],
  people: [
    { id: 'u-me', title: 'Grace Hopper' },
    { id: 'u-ada', title: 'Ada Lovelace' },
    { id: 'u-alan', title: 'Alan Turing' },
  ],
  labels: [
    { id: 'b-home', title: 'home' },
    { id: 'b-deep', title: 'deep work' },
  ],
  statusesOf: (listId) =>
    listId === 'l-site'
      ? [{ id: 's-review', title: 'In review' }]
      : [
          { id: 's-todo', title: 'To Do' },
          { id: 's-progress', title: 'In Progress' },
          { id: 's-done', title: 'Done' },
        ],
};

const read = (text: string, more: Partial<QuickAddContext> = {}) =>
  parseQuickAdd(text, { ...context, ...more });
const nothing: QuickTask = {
  title: '',
  day: null,
  time: null,
  listId: null,
  assigneeId: null,
  priority: null,
  labelIds: [],
  statusId: null,
  repeat: null,
  end: { type: 'never' },
};

describe('quick add', () => {
  it('understands the line of the design', () => {
    const { task, chips } = read('Call Ada about the lease fri 15:00 #office @ada p1 *home every month');
    expect(task).toEqual({
      ...nothing,
      title: 'Call Ada about the lease',
      day: '2026-11-27',
      time: '15:00',
      listId: 'l-office',
      assigneeId: 'u-ada',
      priority: 'urgent',
      labelIds: ['b-home'],
      repeat: { frequency: 'month', every: 1 },
    });
    expect(chips.map(({ label }) => label)).toEqual([
      'Starts: Fri 27 Nov',
      'Repeats: Every month at 15:00',
      'List: Office',
      'Assignee: Ada Lovelace',
      'Priority: Urgent',
      'Label: home',
    ]);
  });

  it.each([
    ['today', 'Due: Mon 23 Nov'],
    ['tomorrow 15:00', 'Due: Tue 24 Nov 15:00'],
    ['at 9', 'Due: Tue 24 Nov 9:00'],
    ['5 jan', 'Due: Tue 5 Jan 2027'],
    ['every week tomorrow', 'Starts: Tue 24 Nov'],
  ])('names the date of "%s": %s', (phrase, label) => {
    expect(read(`Pay rent ${phrase}`).chips.map((chip) => chip.label)).toContain(label);
  });

  it.each([
    ['today', '2026-11-23', null],
    ['tod', '2026-11-23', null],
    ['TOMORROW', '2026-11-24', null],
    ['tom', '2026-11-24', null],
    ['fri', '2026-11-27', null],
    ['mon', '2026-11-30', null],
    ['monday', '2026-11-30', null],
    ['sunday', '2026-11-29', null],
    ['next week', '2026-11-30', null],
    ['in 3 days', '2026-11-26', null],
    ['in 2 weeks', '2026-12-07', null],
    ['+3d', '2026-11-26', null],
    ['5 jan', '2027-01-05', null],
    ['jan 5', '2027-01-05', null],
    ['jan 5, 2028', '2028-01-05', null],
    ['jan 5, 2028 15:00', '2028-01-05', '15:00'],
    ['23 nov', '2026-11-23', null],
    ['22 nov', '2027-11-22', null],
    ['5 jan 2028', '2028-01-05', null],
    ['29 feb', '2028-02-29', null],
    ['2026-12-05', '2026-12-05', null],
    ['12/5', '2027-05-12', null],
    ['31/12', '2026-12-31', null],
    ['fri 15:00', '2026-11-27', '15:00'],
    ['15:00', '2026-11-23', '15:00'],
    ['13:59', '2026-11-24', '13:59'],
    ['3pm', '2026-11-23', '15:00'],
    ['12am', '2026-11-24', '00:00'],
    ['12:30pm', '2026-11-24', '12:30'],
    ['at 9', '2026-11-24', '09:00'],
    ['at 3pm tomorrow', '2026-11-24', '15:00'],
    ['fri at 9', '2026-11-27', '09:00'],
    ['next mon', '2026-11-30', null],
    ['next fri', '2026-12-04', null],
    ['on fri', '2026-11-27', null],
    ['on 5 jan at 9', '2027-01-05', '09:00'],
    ['by next friday', '2026-12-04', null],
    ['on 12/5', '2027-05-12', null],
    ['next month', '2026-12-01', null],
    ['at noon', '2026-11-24', '12:00'],
    ['at midnight', '2026-11-24', '00:00'],
    ['noon fri', '2026-11-27', '12:00'],
    ['tomorrow noon', '2026-11-24', '12:00'],
    ['tonight', '2026-11-23', '20:00'],
    ['tonight at 9', '2026-11-23', '21:00'],
    ['7:30 tonight', '2026-11-23', '19:30'],
    ['tonight 22:00', '2026-11-23', '22:00'],
    ['tonight at midnight', '2026-11-24', '00:00'],
  ])('reads "%s" as %s %s', (phrase, day, time) => {
    expect(read(`Pay rent ${phrase}`).task).toEqual({ ...nothing, title: 'Pay rent', day, time });
  });

  it.each([
    ['The 5th Wave'],
    ['work on it next time, stand by'],
    ['Renovation - 2nd Floor'],
    ["today's paper"],
    ['meetings mon-fri'],
    ['buy 12'],
    ['30/2'],
    ['read 1/2 of it'],
    ['31 feb'],
    ['2026-02-30'],
    ['25:00'],
    ['at 24'],
    ['#unknown @nobody *nolabel /nostatus'],
    ['p5 P0 p12'],
    ['every'],
    ['every 0 days'],
    ['3 times'],
    ['until'],
    ['say "hello world" now'],
    ['a lone " stays'],
    ['C:\\dir and \\server'],
    ['@a'],
    ['p1.5 of fri.com'],
    ['every 2 parsecs'],
    ['constructor __proto__'],
    ['Daily report'],
    ['Weekly'],
    ['write the weekly summary'],
    ['read The Daily'],
    ['watch High Noon'],
    ['Midnight train to Georgia'],
    ["next month's plan"],
  ])('leaves "%s" as it is', (text) => {
    const { task, chips } = read(text);
    expect(chips).toEqual([]);
    expect(task).toEqual({ ...nothing, title: text });
  });

  it('reads 12/5 in the local order', () => {
    expect(read('x 12/5', { dayOrder: 'mdy' }).task.day).toBe('2026-12-05');
    expect(read('x 25/12', { dayOrder: 'mdy' }).task.title).toBe('x 25/12');
    expect(['en-US', 'en-GB', 'de', 'C'].map(dayOrderOf)).toEqual(['mdy', 'dmy', 'dmy', 'dmy']);
  });

  it('takes n/n for a date at the end or beside a time only', () => {
    expect(read('x 12/5 y').task.title).toBe('x 12/5 y');
    expect(read('x 12/5 9:00 y').task).toMatchObject({ day: '2027-05-12', time: '09:00', title: 'x y' });
    expect(read('x 12/5 #office').task.day).toBe('2027-05-12');
  });

  it('lets the last date phrase count, and a time belong to it wherever it stands', () => {
    expect(read('9:00 move today to fri').task).toMatchObject({
      title: 'move today to',
      day: '2026-11-27',
      time: '09:00',
    });
  });

  it('ends a word at white space or punctuation that follows', () => {
    expect(read('call fri, then write (tomorrow)').task.title).toBe('call, then write (tomorrow)');
    expect(read('really today?').task).toMatchObject({ title: 'really?', day: '2026-11-23' });
  });

  it('begins weeks where the person does', () => {
    expect(read('x next week', { weekStart: 'sunday' }).task.day).toBe('2026-11-29');
  });

  it.each([
    ['every day', { frequency: 'day', every: 1 }],
    ['every weekday', { frequency: 'week', every: 1, daysOfWeek: WEEKDAYS.slice(0, 5) }],
    ['every 2 weeks', { frequency: 'week', every: 2 }],
    ['every mon and thu', { frequency: 'week', every: 1, daysOfWeek: ['monday', 'thursday'] }],
    [
      'every mon, wed and fri',
      { frequency: 'week', every: 1, daysOfWeek: ['monday', 'wednesday', 'friday'] },
    ],
    ['every mon wed fri', { frequency: 'week', every: 1, daysOfWeek: ['monday', 'wednesday', 'friday'] }],
    ['every mon and wed', { frequency: 'week', every: 1, daysOfWeek: ['monday', 'wednesday'] }],
    ['every mon, wed & fri', { frequency: 'week', every: 1, daysOfWeek: ['monday', 'wednesday', 'friday'] }],
    ['every other mon', { frequency: 'week', every: 2, daysOfWeek: ['monday'] }],
    ['every 2 weeks on tue thu', { frequency: 'week', every: 2, daysOfWeek: ['tuesday', 'thursday'] }],
    ['every 2 weeks on thu and mon', { frequency: 'week', every: 2, daysOfWeek: ['monday', 'thursday'] }],
    [
      'every month on the last fri',
      { frequency: 'month', every: 1, weekIndex: 'last', daysOfWeek: ['friday'] },
    ],
    [
      'every month on the 2nd tue',
      { frequency: 'month', every: 1, weekIndex: 'second', daysOfWeek: ['tuesday'] },
    ],
    ['every month on the 15th', { frequency: 'month', every: 1, dayOfMonth: 15 }],
    ['every month 15th', { frequency: 'month', every: 1, dayOfMonth: 15 }],
    ['every 2 months the 15th', { frequency: 'month', every: 2, dayOfMonth: 15 }],
    ['every month last fri', { frequency: 'month', every: 1, weekIndex: 'last', daysOfWeek: ['friday'] }],
    ['every 2nd tue', { frequency: 'month', every: 1, weekIndex: 'second', daysOfWeek: ['tuesday'] }],
    ['every 15th', { frequency: 'month', every: 1, dayOfMonth: 15 }],
    ['every 3 months on the last day', { frequency: 'month', every: 3, dayOfMonth: -1 }],
    ['daily', { frequency: 'day', every: 1 }],
    ['weekly', { frequency: 'week', every: 1 }],
    ['monthly', { frequency: 'month', every: 1 }],
    ['yearly', { frequency: 'year', every: 1 }],
    ['every year on 29 feb', { frequency: 'year', every: 1, month: 2, dayOfMonth: 29 }],
  ])('reads "%s" as a rule', (phrase, repeat) => {
    expect(read(`Water ${phrase}`).task).toEqual({ ...nothing, title: 'Water', repeat });
  });

  it.each([
    ['every mon mon-report', 'mon-report', ['monday']],
    ['every mon and report', 'and report', ['monday']],
    ['every mon & wed & report', '& report', ['monday', 'wednesday']],
    ['every mon, report wed-notes', ', report wed-notes', ['monday']],
    ['every mon. Wednesdays', '. Wednesdays', ['monday']],
    ['every mon "wed" report', 'wed report', ['monday']],
  ])('keeps what follows the weekdays of "%s" in the title', (text, title, daysOfWeek) => {
    expect(read(text).task).toEqual({
      ...nothing,
      title,
      repeat: { frequency: 'week', every: 1, daysOfWeek },
    });
  });

  it('reads daily and its like at the end only, where nothing but other phrases follows', () => {
    expect(read('Water daily at 9 #home 10 times *home').task).toMatchObject({
      title: 'Water daily #home 10 times',
      repeat: null,
    });
    expect(read('Water daily at 9 10 times *home').task).toEqual({
      ...nothing,
      title: 'Water',
      time: '09:00',
      labelIds: ['b-home'],
      repeat: { frequency: 'day', every: 1 },
      end: { type: 'count', count: 10 },
    });
    expect(read('fri weekly review').task).toMatchObject({ title: 'weekly review', repeat: null });
    expect(read('Review weekly on mon').task).toMatchObject({ title: 'Review', day: '2026-11-30' });
    expect(read('fri daily').task).toMatchObject({ title: 'daily', repeat: null });
  });

  it('means the evening by tonight, and no time where that is past', () => {
    const late = { now: Date.parse('2026-11-23T20:00:00Z') };
    expect(read('x tonight', late).task).toMatchObject({ day: '2026-11-23', time: null });
    expect(read('x tonight 1am', late).task).toMatchObject({ day: '2026-11-24', time: '01:00' });
    expect(read('x tonight every day').task).toMatchObject({ day: '2026-11-23', time: '20:00' });
  });

  it('reads the end, the time and the start of a repeat', () => {
    expect(read('Water every day at 9 until 31 dec tomorrow').task).toMatchObject({
      title: 'Water',
      time: '09:00',
      day: '2026-11-24',
      end: { type: 'date', endDate: '2026-12-31' },
    });
    expect(read('Water every week 10 times').task.end).toEqual({ type: 'count', count: 10 });
  });

  it('takes names of several words in quotes or by a beginning that no other has', () => {
    expect(read('x #"Website relaunch" /in').task).toMatchObject({ listId: 'l-site', statusId: 's-review' });
    expect(read('x #web /"in progress"').task).toMatchObject({ listId: 'l-site', statusId: null });
    expect(read('x /in').task.statusId).toBe('s-progress');
    expect(read('x @me *deep').task).toMatchObject({ assigneeId: 'u-me', labelIds: ['b-deep'] });
  });

  it('drops quotes and backslashes where they protected something, and only there', () => {
    expect(read('watch "the fri show" \\tomorrow').task).toEqual({
      ...nothing,
      title: 'watch the fri show tomorrow',
    });
    expect(read('\\in 3 days').task.title).toBe('in 3 days');
    expect(read('\\\\fri').task.title).toBe('\\fri');
  });

  it('keeps a phrase text that was made text, until it is changed', () => {
    const text = 'dinner fri 15:00';
    const { chips } = read(text);
    const [chip] = chips;
    if (!chip) throw new Error('no chip');
    const plain = makePlain([], chip);
    expect(read(text, { plain }).task).toEqual({ ...nothing, title: text });
    const longer = 'late dinner fri 15:00 p1';
    const late = movePlain(plain, text, 'late dinner fri 15:00');
    const moved = movePlain(late, 'late dinner fri 15:00', longer);
    expect(read(longer, { plain: moved }).task).toEqual({
      ...nothing,
      title: 'late dinner fri 15:00',
      priority: 'urgent',
    });
    const changed = movePlain(moved, longer, 'late dinner friday 15:00 p1');
    expect(read('late dinner friday 15:00 p1', { plain: changed }).task.day).toBe('2026-11-27');
  });

  it('finds the chip before the caret, also behind the space that follows it', () => {
    const text = 'dinner fri ';
    const { chips } = read(text);
    expect(chipBefore(chips, text, 10)).toBe(chips[0]);
    expect(chipBefore(chips, text, 11)).toBe(chips[0]);
    expect(chipBefore(chips, text, 5)).toBeNull();
  });

  it('completes the name that is being typed', () => {
    expect(completionAt('call @ad', 8)).toEqual({ sigil: '@', query: 'ad', start: 5, end: 8 });
    expect(completionAt('x #"web re', 10)).toMatchObject({ query: 'web re', start: 2 });
    expect(completionAt('x #web re', 9)).toBeNull();
    expect(completionAt('a@b', 3)).toBeNull();
    const at = completionAt('x #we now', 5);
    expect(at && complete('x #we now', at, 'Website relaunch')).toEqual({
      text: 'x #"Website relaunch" now',
      caret: 22,
    });
  });

  it('offers pasted lines as many tasks or as one with a description', () => {
    expect(pastedLines('one')).toBeNull();
    expect(pastedLines('\n one \n\n two\r\nthree\n')).toEqual({
      many: ['one', 'two', 'three'],
      one: { title: 'one', description: 'two\nthree' },
    });
  });

  it('takes the marks of a list from pasted lines, where all of them have one', () => {
    const titles = (pasted: string, before = '') => pastedLines(pasted, before)?.many;
    expect(titles('- oak\n  * ash\n• elm\n2. fir\n10) yew')).toEqual(['oak', 'ash', 'elm', 'fir', 'yew']);
    expect(titles('- [ ] oak\n- [x] ash\n- [] elm')).toEqual(['oak', 'ash', 'elm']);
    expect(titles('- oak\nash')).toEqual(['- oak', 'ash']);
    expect(titles('- oak\n- ash', 'Order ')).toEqual(['Order - oak', '- ash']);
    expect(titles('*label oak\n-5 degrees\n2.5 m ash')).toEqual(['*label oak', '-5 degrees', '2.5 m ash']);
    expect(titles('- \n- oak')).toEqual(['-', '- oak']);
    expect(pastedLines('- oak\n- ash')?.one).toEqual({ title: 'oak', description: '- ash' });
  });

  it('keeps what was typed around pasted lines', () => {
    expect(pastedLines('\toak\t2 m\r\nash\n\tindented')).toEqual({
      many: ['oak 2 m', 'ash', 'indented'],
      one: { title: 'oak 2 m', description: 'ash\n\tindented' },
    });
    expect(pastedLines('oak\nash\n', 'Order ', ' fri')).toEqual({
      many: ['Order oak', 'ash fri'],
      one: { title: 'Order oak', description: 'ash fri' },
    });
    expect(pastedLines('oak\n', 'Order ', ' fri')).toBeNull();
  });

  it('shows the next three dates of a repeat, without those of the past and beyond its end', () => {
    const dates = (text: string) => nextDates(read(text).task, { day: '2026-11-23', time: '14:00' }, 3);
    expect(dates('x every day')).toEqual(['24 Nov', '25 Nov', '26 Nov']);
    expect(dates('x every day 15:00')).toEqual(['23 Nov', '24 Nov', '25 Nov']);
    expect(dates('x every day 9:00')).toEqual(['24 Nov', '25 Nov', '26 Nov']);
    expect(dates('x every week')).toEqual(['30 Nov', '7 Dec', '14 Dec']);
    expect(dates('x every 2 weeks')).toEqual(['30 Nov', '14 Dec', '28 Dec']);
    expect(dates('x every month')).toEqual(['23 Dec', '23 Jan 2027', '23 Feb 2027']);
    expect(dates('x every week on fri')).toEqual(['27 Nov', '4 Dec', '11 Dec']);
    expect(dates('x every 2 weeks on sun')).toEqual(['29 Nov', '13 Dec', '27 Dec']);
    expect(dates('x every month on the last day')).toEqual(['30 Nov', '31 Dec', '31 Jan 2027']);
    expect(dates('x every month on the first weekday')).toEqual(['1 Dec', '1 Jan 2027', '1 Feb 2027']);
    expect(dates('x fri every month')).toEqual(['27 Dec', '27 Jan 2027', '27 Feb 2027']);
    expect(dates('x fri every 2 weeks on mon')).toEqual(['30 Nov', '14 Dec', '28 Dec']);
    expect(dates('x every day 2 times')).toEqual(['24 Nov', '25 Nov']);
    expect(dates('x every fri until 5 dec')).toEqual(['27 Nov', '4 Dec']);
    expect(dates('x')).toEqual([]);
  });

  it('says of a repeat that starts today whether its first date is today', () => {
    const present = { day: '2026-11-23', time: '14:00' };
    const isFirst = (text: string) => startsOnItsDay(read(text).task, present);
    expect(isFirst('x tod 15:00 every week')).toBe(true);
    expect(isFirst('x fri every week')).toBe(true);
    expect(isFirst('x tod every week')).toBe(false);
    expect(isFirst('x tod 9:00 every week')).toBe(false);
    expect(isFirst('x fri every 2 weeks on mon')).toBe(false);
    expect(isFirst('x every week')).toBe(false);
  });

  it('makes the fields of a task and of a series', () => {
    expect(taskFields(read('x fri').task, 'l-inbox', 'Europe/Paris')).toEqual({
      title: 'x',
      listId: 'l-inbox',
      dueDay: '2026-11-27',
    });
    expect(taskFields(read('x fri 15:00 #office').task, 'l-inbox', 'Europe/Paris')).toEqual({
      title: 'x',
      listId: 'l-office',
      dueDate: '2026-11-27T14:00:00.000Z',
    });
    expect(seriesFields(read('x every 2 weeks fri').task, 'l-inbox', 'Europe/Paris', 'sunday')).toEqual({
      title: 'x',
      listId: 'l-inbox',
      interval: {
        frequency: 'week',
        every: 2,
        firstDayOfWeek: 'sunday',
        timeOfDay: null,
        timezone: 'Europe/Paris',
      },
      endCondition: { type: 'never' },
      startsAt: '2026-11-26T23:00:00.000Z',
    });
  });
});

const words = fc.constantFrom(
  ...'today fri mon, 5 jan in 3 days weeks every day weekday month on by the last 15th and until times at 9 3pm 15:00 12/5'.split(
    ' ',
  ),
  ...'next week p1 P4 #office #web @ada @me *home *"deep work" /done /in "fri" "a \\" \\fri \\\\p1 " \\ "" \\" call Ada 2026-12-05 +3d (x) 東京 مرحبا tonight noon midnight daily weekly monthly'.split(
    ' ',
  ),
);
const anyLine = fc.oneof(
  fc
    .array(fc.tuple(words, fc.constantFrom(' ', '  ', '\t', ', ', '. ', '" ', ')')), { maxLength: 9 })
    .map((parts) => parts.flat().join('')),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const anyTitle = fc
  .oneof(
    fc.array(words, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' ')),
    anyLine,
  )
  .map((text) => text.trim());

const anyDay = fc
  .tuple(
    fc.integer({ min: 1900, max: 9999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, day]) => makeDay(year, month, day));
const anyTime = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
const someDays = fc.subarray([...WEEKDAYS], { minLength: 1 });
const anyRepeat = fc.oneof(
  fc.record({ frequency: fc.constant('day' as const), every: fc.integer({ min: 1, max: 365 }) }),
  fc.record({ frequency: fc.constant('week' as const), every: fc.integer({ min: 1, max: 365 }) }),
  fc.record({
    frequency: fc.constant('week' as const),
    every: fc.integer({ min: 1, max: 365 }),
    daysOfWeek: someDays,
  }),
  fc.record({
    frequency: fc.constant('month' as const),
    every: fc.integer({ min: 1, max: 120 }),
    dayOfMonth: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constant(-1)),
  }),
  fc.record({
    frequency: fc.constant('month' as const),
    every: fc.integer({ min: 1, max: 120 }),
    weekIndex: fc.constantFrom(
      'first' as const,
      'second' as const,
      'third' as const,
      'fourth' as const,
      'last' as const,
    ),
    daysOfWeek: fc.oneof(
      fc.constantFrom(...WEEKDAYS).map((day) => [day]),
      fc.constant(WEEKDAYS.slice(0, 5)),
    ),
  }),
  fc.record({
    frequency: fc.constant('year' as const),
    every: fc.integer({ min: 1, max: 10 }),
    month: fc.integer({ min: 1, max: 12 }),
    dayOfMonth: fc.integer({ min: 1, max: 28 }),
  }),
);
const anyEnd = fc.oneof(
  fc.constant({ type: 'never' as const }),
  fc.integer({ min: 1, max: 999 }).map((count) => ({ type: 'count' as const, count })),
  anyDay.map((endDate) => ({ type: 'date' as const, endDate: endDate ?? '' })),
);
const anyTask = fc
  .record({
    title: anyTitle,
    day: fc.option(anyDay),
    time: fc.option(anyTime),
    listId: fc.option(fc.constantFrom('l-inbox', 'l-office', 'l-quote')),
    assigneeId: fc.option(fc.constantFrom('u-me', 'u-ada', 'u-alan')),
    priority: fc.option(
      fc.constantFrom('low' as const, 'medium' as const, 'high' as const, 'urgent' as const),
    ),
    labelIds: fc.subarray(['b-home', 'b-deep']),
    statusId: fc.option(fc.constantFrom('s-todo', 's-progress', 's-done')),
    repeat: fc.option(anyRepeat),
    end: anyEnd,
  })
  .map(
    (task): QuickTask => ({
      ...task,
      time: task.day === null && task.repeat === null ? null : task.time,
      end: task.repeat === null ? { type: 'never' } : task.end,
    }),
  );

const RUNS = Number(process.env.ERRAND_TEST_RUNS ?? 3_000);

describe('the grammar of quick add', () => {
  it('reads what it printed as the same task', () => {
    fc.assert(
      fc.property(anyTask, (task) => {
        const text = printQuickAdd(task, context);
        expect([text, read(text).task]).toEqual([text, task]);
      }),
      { numRuns: RUNS },
    );
  });

  it('loses no character of any input', () => {
    fc.assert(
      fc.property(anyLine, (text) => {
        const { pieces, chips, task } = read(text);
        expect(pieces.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        const bare = (value: string) => value.replace(/[\s"\\]/g, '');
        const kept = pieces.filter(({ chip }) => !chip).map(({ start, end }) => text.slice(start, end));
        expect(bare(task.title)).toBe(bare(kept.join('')));
        expect(chips.every(({ spans }) => spans.every(({ start, end }) => start < end))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it('reads weekdays with any separators between them, and no word that follows', () => {
    const separator = fc.constantFrom(' ', ', ', ' and ', ', and ', ' & ', ', & ');
    const anyWeekdays = fc.array(fc.tuple(separator, fc.constantFrom(...WEEKDAYS), fc.boolean()), {
      minLength: 1,
      maxLength: 7,
    });
    const anyRest = fc.constantFrom('', 'report', 'mon-report', 'and report', '& co', 'wed/fri', 'sundries');
    fc.assert(
      fc.property(anyWeekdays, anyRest, (given, rest) => {
        const list = given.map(([between, day, isShort], index) =>
          [index > 0 && between, isShort ? day.slice(0, 3) : day].filter(Boolean).join(''),
        );
        const text = `every ${list.join('')} ${rest}`;
        const daysOfWeek = WEEKDAYS.filter((day) => given.some(([, one]) => one === day));
        const repeat = { frequency: 'week', every: 1, daysOfWeek };
        expect([text, read(text).task]).toEqual([text, { ...nothing, title: rest, repeat }]);
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it('makes every chip text again on request', () => {
    fc.assert(
      fc.property(anyLine, (text) => {
        let plain: { start: number; end: number }[] = [];
        for (let tries = 0; tries < 50; tries++) {
          const [chip] = read(text, { plain }).chips;
          if (!chip) return;
          plain = makePlain(plain, chip);
        }
        throw new Error('chips come back');
      }),
      { numRuns: RUNS },
    );
  });

  it('previews the dates that the server counts', () => {
    const present = { day: '2026-11-23', time: '14:00' };
    const now = '2026-11-23T14:00:30.000Z';
    const soon = fc.integer({ min: 0, max: 400 }).map((days) => addDays(present.day, days));
    const anyCase = fc.tuple(anyRepeat, fc.option(soon), fc.option(anyTime), fc.constantFrom(...WEEKDAYS));
    fc.assert(
      fc.property(anyCase, ([rule, day, time, weekStart]) => {
        const repeat = { ...rule, every: (rule.every % 3) + 1 };
        const task = { ...read('x').task, repeat, day, time };
        const series = seriesFields(task, 'l-inbox', 'UTC', weekStart);
        if (!series) throw new Error('a repeat makes a series');
        const { interval, endCondition, startsAt = now } = series;
        const counted = preview(createRule(interval, endCondition, String(startsAt)), {
          after: now,
          limit: 4,
        });
        const days = counted.occurrences.map(({ local }) => local.slice(0, 10)).filter((one) => one !== day);
        const words = days.slice(0, 3).map((one) => sayShortDay(one, present.day));
        expect(nextDates(task, present, 3, weekStart)).toEqual(words);
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it('takes a long line of quotes and backslashes in its stride', () => {
    const text = '"a \\" \\fri '.repeat(2_000);
    expect(read(text).pieces.length).toBeGreaterThan(0);
  });
});
