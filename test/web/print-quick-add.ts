import type { Weekday } from '../../src/web/text/days.ts';
import {
  type Named,
  parseQuickAdd,
  type QuickAddContext,
  type QuickTask,
} from '../../src/web/text/quick-add.ts';
import { printName } from '../../src/web/text/quick-add-completion.ts';
import type { Repeat } from '../../src/web/text/quick-add-repeats.ts';
import { escapeQuoted } from '../../src/web/text/quick-add-words.ts';
import { SHORT_MONTHS } from '../../src/web/text/say-dates.ts';
import { type EndCondition, ordinal } from '../../src/web/text/say-rules.ts';

const PRIORITY_WORDS = { none: null, urgent: 'p1', high: 'p2', medium: 'p3', low: 'p4' } as const;

/** A task as a line of quick add that says the same: `parse(print(task))` is the task. */
export function printQuickAdd(task: QuickTask, context: QuickAddContext): string {
  const named = (sigil: string, id: string | null, things: readonly Named[]): string | null => {
    const title = things.find((thing) => thing.id === id)?.title;
    return title === undefined ? null : printName(sigil, title);
  };
  const listId = task.listId ?? context.listId;
  const tokens = [
    named('#', task.listId, context.lists),
    task.assigneeId === context.me ? '@me' : named('@', task.assigneeId, context.people),
    task.priority && PRIORITY_WORDS[task.priority],
    ...task.labelIds.map((id) => named('*', id, context.labels)),
    named('/', task.statusId, listId === null ? [] : context.statusesOf(listId)),
    task.repeat && printRepeat(task.repeat),
    task.repeat && printEnd(task.end),
    task.day,
    task.time,
  ];
  const tail = tokens.filter((token) => token).join(' ');
  return [protectTitle(task.title, tail, context), tail].filter(Boolean).join(' ');
}

/** Quotes a title in which something would be understood. */
function protectTitle(title: string, tail: string, context: QuickAddContext): string {
  const { plain: _, ...fresh } = context;
  const read = parseQuickAdd(tail ? `${title} ${tail}` : title, fresh);
  const isText = read.pieces.every(
    ({ start, end, chip, text }) => start >= title.length || (!chip && text.length === end - start),
  );
  return isText && read.task.title === title ? title : `"${escapeQuoted(title)}"`;
}

const short = (days: readonly Weekday[]): string => days.map((day) => day.slice(0, 3)).join(' and ');

/** A repeat as it can be typed. */
function printRepeat(repeat: Repeat): string {
  const { frequency, every, daysOfWeek = [], weekIndex, dayOfMonth, month } = repeat;
  const base = every === 1 ? `every ${frequency}` : `every ${every} ${frequency}s`;
  if (frequency === 'week') return daysOfWeek.length > 0 ? `${base} on ${short(daysOfWeek)}` : base;
  if (frequency === 'year')
    return month === undefined ? base : `${base} on ${dayOfMonth} ${SHORT_MONTHS[month - 1]?.toLowerCase()}`;
  if (weekIndex) {
    const isWorking = daysOfWeek.length === 5;
    return `${base} on the ${weekIndex} ${isWorking ? 'weekday' : short(daysOfWeek)}`;
  }
  if (dayOfMonth === undefined) return base;
  return `${base} on the ${dayOfMonth === -1 ? 'last day' : ordinal(dayOfMonth)}`;
}

/** The end of a repeat as it can be typed. */
function printEnd(end: EndCondition): string | null {
  if (end.type === 'date') return `until ${end.endDate}`;
  return end.type === 'count' ? `${end.count} times` : null;
}
