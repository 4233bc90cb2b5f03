import type { Weekday } from './days.ts';
import type { Chip, QuickTask } from './quick-add.ts';
import type { Span } from './quick-add-words.ts';
import type { EndCondition, Interval } from './say-rules.ts';
import { oneLine } from './titles.ts';
import { instantOf } from './zones.ts';

/** The plain phrases of `before`, moved to where they stand in `after`. One that was changed is plain no more. */
export function movePlain(plain: readonly Span[], before: string, after: string): Span[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const end = before.length - tail;
  const moved = after.length - before.length;
  return plain.flatMap((span) => {
    if (span.end < start || (span.end === start && /^(\s|$)/.test(after.slice(start)))) return span;
    if (span.start > end || (span.start === end && /(^|\s)$/.test(after.slice(0, end + moved))))
      return { start: span.start + moved, end: span.end + moved };
    return [];
  });
}

/** Makes a chip text again. */
export const makePlain = (plain: readonly Span[], chip: Chip): Span[] => [...plain, ...chip.spans];

/** The chip that ends at the caret: the first Backspace behind it makes it text and deletes nothing. */
export function chipBefore(chips: readonly Chip[], text: string, caret: number): Chip | null {
  const before = text.slice(0, caret).trimEnd().length;
  return (
    chips.find(({ spans }) =>
      spans.some(({ end }) => end === caret || (end === before && caret - end === 1)),
    ) ?? null
  );
}

/** What begins a line of a list in plain text or Markdown: `- `, `* `, `2. `, `- [ ] `. */
const LIST_MARK = /^(?:[-*+•–]|\d{1,3}[.)])\s+(?:\[[ x]?\]\s+)?(?=\S)/i;

/**
 * What pasted lines can become, with the text that was there around them: many tasks, or one with a description. Null
 * for a single line.
 */
export function pastedLines(
  pasted: string,
  before = '',
  after = '',
): { many: string[]; one: { title: string; description: string | null } } | null {
  const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);
  const written = (lines: string[]): string[] => lines.map((line) => oneLine(line).trim()).filter(Boolean);
  if (written(linesOf(pasted)).length < 2) return null;
  const lines = linesOf(`${before}${pasted.trim()}${after}`);
  const titles = written(lines);
  const isList = titles.every((line) => LIST_MARK.test(line));
  const many = isList ? titles.map((line) => line.replace(LIST_MARK, '')) : titles;
  const first = lines.findIndex((line) => line.trim() !== '');
  const description = lines
    .slice(first + 1)
    .join('\n')
    .trim();
  return { many, one: { title: many[0] ?? '', description: description || null } };
}

/** The fields of a task that quick add makes; `listId` as chosen, else that of the view. */
export function taskFields(task: QuickTask, listId: string, zone: string): Record<string, unknown> {
  return {
    ...sharedFields(task, listId),
    ...(task.statusId && { statusId: task.statusId }),
    ...(task.day && (task.time ? { dueDate: instantOf(task.day, task.time, zone) } : { dueDay: task.day })),
  };
}

/** The fields of a series that quick add makes; null where it says no repeat. */
export function seriesFields(
  task: QuickTask,
  listId: string,
  zone: string,
  weekStart: Weekday,
): (Record<string, unknown> & { interval: Interval; endCondition: EndCondition }) | null {
  const { repeat, day, time, end } = task;
  if (!repeat) return null;
  const firstDayOfWeek = repeat.frequency === 'week' && repeat.every > 1 ? { firstDayOfWeek: weekStart } : {};
  return {
    ...sharedFields(task, listId),
    interval: { ...repeat, ...firstDayOfWeek, timeOfDay: time, timezone: zone },
    endCondition: end,
    ...(day && { startsAt: instantOf(day, time ?? '00:00', zone) }),
  };
}

function sharedFields(task: QuickTask, listId: string): Record<string, unknown> {
  return {
    title: task.title,
    listId: task.listId ?? listId,
    ...(task.priority && { priority: task.priority }),
    ...(task.assigneeId && { assigneeId: task.assigneeId }),
    ...(task.labelIds.length > 0 && { labelIds: task.labelIds }),
  };
}
