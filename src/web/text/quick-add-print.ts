import { type Named, parseQuickAdd, type QuickAddContext, type QuickTask } from './quick-add.ts';
import { printEnd, printRepeat } from './quick-add-repeats.ts';
import { escapeQuoted, unescapeQuoted } from './quick-add-words.ts';

const PRIORITY_WORDS = { none: null, urgent: 'p1', high: 'p2', medium: 'p3', low: 'p4' } as const;

/** A name behind its sigil, quoted where it needs to be. */
const printName = (sigil: string, title: string): string =>
  /^[\p{L}\p{N}_-]+$/u.test(title) ? `${sigil}${title}` : `${sigil}"${escapeQuoted(title)}"`;

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

/** Quotes a title of which something would be understood. */
function protectTitle(title: string, tail: string, context: QuickAddContext): string {
  const { plain: _, ...fresh } = context;
  const read = parseQuickAdd(tail ? `${title} ${tail}` : title, fresh);
  const isText = read.pieces.every(
    ({ start, end, chip, text }) => start >= title.length || (!chip && text.length === end - start),
  );
  return isText && read.task.title === title ? title : `"${escapeQuoted(title)}"`;
}

interface Completion {
  sigil: '#' | '@' | '*' | '/';
  query: string;
  /** What a chosen option replaces. */
  start: number;
  end: number;
}

/** What is being typed at the caret, where it is a name behind a sigil. */
export function completionAt(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret);
  const match = /(?:^|\s)([#@*/])("(?:[^"\\]|\\.)*|[^\s"]*)$/.exec(before);
  if (!match) return null;
  const [, sigil = '', typed = ''] = match;
  const start = caret - typed.length - 1;
  const rest = /^[^\s"]*/.exec(text.slice(caret))?.[0].length ?? 0;
  const query = typed.startsWith('"') ? unescapeQuoted(typed.slice(1)) : typed;
  return {
    sigil: sigil as Completion['sigil'],
    query,
    start,
    end: typed.startsWith('"') ? caret : caret + rest,
  };
}

/** Puts a chosen name in the place of what was typed; a space follows. */
export function complete(
  text: string,
  { sigil, start, end }: Completion,
  title: string,
): { text: string; caret: number } {
  const name = `${printName(sigil, title)} `;
  const rest = text.slice(end).replace(/^ /, '');
  return { text: text.slice(0, start) + name + rest, caret: start + name.length };
}
