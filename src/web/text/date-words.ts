import type { Day } from './days.ts';
import { parseQuickAdd, type QuickAddContext } from './quick-add.ts';
import type { Time } from './zones.ts';

const NOTHING = { me: '', listId: null, lists: [], people: [], labels: [], statusesOf: () => [] };

/** The day and the time that a text says and nothing else, as quick add understands it; null where it says more or none. */
export function readDate(
  text: string,
  context: Pick<QuickAddContext, 'now' | 'zone' | 'weekStart' | 'dayOrder'>,
): { day: Day; time: Time | null } | null {
  const { task, chips } = parseQuickAdd(text, { ...NOTHING, ...context });
  const isDate = chips.length === 1 && chips[0]?.kind === 'Due' && !/[^,.;:!?)\s]/.test(task.title);
  return isDate && task.day !== null ? { day: task.day, time: task.time } : null;
}
