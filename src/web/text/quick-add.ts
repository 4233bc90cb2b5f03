import { addDays, type Day } from './days.ts';
import { fold } from './match.ts';
import { PRIORITY_NAMES, type Priority } from './priorities.ts';
import { type DateContext, dateAt, phraseWords, timeAt } from './quick-add-dates.ts';
import { endAt, type Repeat, repeatAt } from './quick-add-repeats.ts';
import {
  type Protection,
  protectedWords,
  type Span,
  unprotectedWords,
  type Word,
} from './quick-add-words.ts';
import { plainTime, sayDate } from './say-dates.ts';
import { type EndCondition, sayRule } from './say-rules.ts';
import { localOf, type Time } from './zones.ts';

export interface Named {
  id: string;
  title: string;
}

/** What the grammar has to know of the world. */
export interface QuickAddContext {
  /** Milliseconds. */
  now: number;
  zone: string;
  weekStart: DateContext['weekStart'];
  dayOrder: DateContext['dayOrder'];
  me: string;
  /** The list a task goes to where the text names none. */
  listId: string | null;
  lists: readonly Named[];
  people: readonly Named[];
  labels: readonly Named[];
  statusesOf: (listId: string) => readonly Named[];
  /** Phrases that were made text again. */
  plain?: readonly Span[];
}

/** What a line of quick add says. Where there is a repeat, `day` is when it starts and `time` that of each. */
export interface QuickTask {
  title: string;
  day: Day | null;
  time: Time | null;
  listId: string | null;
  assigneeId: string | null;
  priority: Priority | null;
  labelIds: string[];
  statusId: string | null;
  repeat: Repeat | null;
  end: EndCondition;
}

type ChipKind = 'Due' | 'Starts' | 'List' | 'Assignee' | 'Priority' | 'Label' | 'Status' | 'Repeats';

export interface Chip {
  kind: ChipKind;
  /** As on the button: `Due: Fri 27 Nov 15:00`. */
  label: string;
  /** Where it stands in the text; a date and its time may stand apart. */
  spans: Span[];
}

/** A part of the input; all of them together are the input. */
interface Piece extends Span {
  /** Of what is understood; null for text. */
  chip: Chip | null;
  /** What the title takes of it. */
  text: string;
}

interface QuickAdd {
  task: QuickTask;
  chips: Chip[];
  pieces: Piece[];
}

type Meaning =
  | { group: 'date'; day: Day; isLoose: boolean; isTonight: boolean }
  | { group: 'time'; time: Time; isLoose: boolean }
  | { group: 'repeat'; repeat: Repeat; isLoose: boolean }
  | { group: 'end'; end: EndCondition }
  | { group: 'list' | 'assignee' | 'label' | 'status'; named: Named }
  | { group: 'priority'; priority: Priority };

type Phrase = Span & { meaning: Meaning };

const PRIORITIES: Record<string, Priority> = { p1: 'urgent', p2: 'high', p3: 'medium', p4: 'low' };
const SIGILS = { '#': 'list', '@': 'assignee', '*': 'label', '/': 'status' } as const;
const squeeze = (text: string): string => fold(text).replace(/\s+/g, '');

/** The one thing with this name, in full or by a beginning that no other has. */
function findNamed(name: string, things: readonly Named[]): Named | null {
  const exact = things.find(({ title }) => title === name);
  if (exact) return exact;
  const wanted = squeeze(name);
  if (wanted === '') return null;
  const same = things.filter(({ title }) => squeeze(title) === wanted);
  const found = same.length > 0 ? same : things.filter(({ title }) => squeeze(title).startsWith(wanted));
  return found.length === 1 ? (found[0] ?? null) : null;
}

interface Scanner extends QuickAddContext {
  dates: DateContext;
  /** Of the list the task goes to; of every list, each by itself, to see what could be understood. */
  statuses: (readonly Named[])[];
  hasRepeat: boolean;
}

function namedAt(word: Word, scanner: Scanner): Meaning | null {
  const group = SIGILS[word.sigil as keyof typeof SIGILS];
  if (!group || word.name === '') return null;
  if (group === 'assignee' && word.low === '@me')
    return { group, named: { id: scanner.me, title: nameOf(scanner.people, scanner.me) ?? 'Me' } };
  const things = {
    list: [scanner.lists],
    assignee: [scanner.people],
    label: [scanner.labels],
    status: scanner.statuses,
  }[group];
  const named = things.map((some) => findNamed(word.name, some)).find((found) => found !== null);
  return named ? { group, named } : null;
}

const nameOf = (things: readonly Named[], id: string): string | undefined =>
  things.find((thing) => thing.id === id)?.title;

function meaningAt(words: readonly Word[], index: number, scanner: Scanner): [Meaning, number] | null {
  const word = words[index];
  if (!word || word.isPlain) return null;
  if (word.sigil) {
    const named = namedAt(word, scanner);
    return named && [named, 1];
  }
  const priority = Object.hasOwn(PRIORITIES, word.low) ? PRIORITIES[word.low] : undefined;
  if (priority) return [{ group: 'priority', priority }, 1];
  const lows = phraseWords(words, index).map(({ low }) => low);
  const repeat = repeatAt(words.slice(index), lows);
  const isName = repeat?.isLoose && /^(the|an?)$/.test(words[index - 1]?.low ?? '');
  if (repeat && !isName)
    return [{ group: 'repeat', repeat: repeat.value, isLoose: repeat.isLoose ?? false }, repeat.words];
  const end = scanner.hasRepeat ? endAt(lows, scanner.dates) : null;
  if (end) return [{ group: 'end', end: end.value }, end.words];
  const time = timeAt(lows);
  const date = dateAt(lows, scanner.dates);
  if (date && date.words >= (time?.words ?? 0)) {
    const { value: day, isLoose = false } = date;
    return [{ group: 'date', day, isLoose, isTonight: word.low === 'tonight' }, date.words];
  }
  return time && [{ group: 'time', time: time.value, isLoose: time.isLoose ?? false }, time.words];
}

/** Every phrase that could be understood, in order, those included that a later one takes the place of. */
function phrasesOf(words: readonly Word[], scanner: Scanner): Phrase[] {
  type Step = { phrase: Phrase | null };
  const steps: Step[] = [];
  for (let index = 0; index < words.length; ) {
    const first = words[index];
    const found = meaningAt(words, index, scanner);
    const last = words[index + (found?.[1] ?? 1) - 1];
    if (first && last && found) {
      steps.push({ phrase: { start: first.start, end: last.end, meaning: found[0] } });
      index += found[1];
    } else {
      steps.push({ phrase: null });
      index++;
    }
  }
  let isEnd = true;
  const isBeside = (index: number, group: Meaning['group']): boolean =>
    [steps[index - 1], steps[index + 1]].some((step) => step?.phrase?.meaning.group === group);
  /** `12/5` is a date at the end or beside a time, `noon` a time beside a date, `daily` a repeat at the end of a title. */
  const counts = (index: number, { group }: Meaning): boolean => {
    if (group === 'time') return isBeside(index, 'date');
    if (group === 'repeat') return isEnd && steps.slice(0, index).some(({ phrase }) => !phrase);
    return isEnd || isBeside(index, 'time');
  };
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index];
    if (!step) continue;
    const meaning = step.phrase?.meaning;
    if (meaning && 'isLoose' in meaning && meaning.isLoose && !counts(index, meaning)) step.phrase = null;
    if (!step.phrase) isEnd = false;
  }
  return steps.flatMap(({ phrase }) => phrase ?? []);
}

/** Of phrases that say the same kind of thing the last counts; of labels all, each once. */
function chosenOf(phrases: readonly Phrase[]): Phrase[] {
  return phrases.filter(({ meaning }, index) => {
    const others = phrases.slice(index + 1);
    if (meaning.group !== 'label') return !others.some((other) => other.meaning.group === meaning.group);
    const earlier = phrases.slice(0, index);
    return !earlier.some(
      (other) => other.meaning.group === 'label' && other.meaning.named.id === meaning.named.id,
    );
  });
}

function scan(words: readonly Word[], scanner: Scanner): Phrase[] {
  const phrases = phrasesOf(words, { ...scanner, hasRepeat: true });
  const hasRepeat = phrases.some(({ meaning }) => meaning.group === 'repeat');
  return hasRepeat ? phrases : phrasesOf(words, scanner);
}

/** Understands a line of quick add. What is not understood is the title; no character is lost. */
export function parseQuickAdd(text: string, context: QuickAddContext): QuickAdd {
  const today = localOf(context.now, context.zone).day;
  const { weekStart, dayOrder } = context;
  const dates = { today, weekStart, dayOrder };
  const statuses = context.lists.map(({ id }) => context.statusesOf(id));
  const scanner: Scanner = { ...context, dates, statuses: [], hasRepeat: false };
  const loose = scan(unprotectedWords(text), { ...scanner, statuses });
  const { words, protections } = protectedWords(text, loose);
  for (const word of words)
    if (context.plain?.some((span) => span.start < word.end && span.end > word.start)) word.isPlain = true;
  const list = chosenOf(scan(words, scanner)).find(({ meaning }) => meaning.group === 'list');
  const listId = list?.meaning.group === 'list' ? list.meaning.named.id : context.listId;
  const phrases = chosenOf(
    scan(words, { ...scanner, statuses: listId === null ? [] : [context.statusesOf(listId)] }),
  );
  return understand(text, phrases, protections, context, today);
}

function understand(
  text: string,
  phrases: readonly Phrase[],
  protections: readonly Protection[],
  context: QuickAddContext,
  today: Day,
): QuickAdd {
  const task = taskOf(phrases, context, today);
  const chips = chipsOf(phrases, task, context, today);
  const marks: Piece[] = [
    ...protections.map(({ start, end, text: kept }) => ({ start, end, chip: null, text: kept })),
    ...chips.flatMap((chip) => chip.spans.map((span) => ({ ...span, chip, text: '' }))),
  ].sort((a, b) => a.start - b.start);
  const pieces: Piece[] = [];
  let at = 0;
  for (const mark of marks) {
    if (mark.start > at)
      pieces.push({ start: at, end: mark.start, chip: null, text: text.slice(at, mark.start) });
    pieces.push(mark);
    at = mark.end;
  }
  if (at < text.length) pieces.push({ start: at, end: text.length, chip: null, text: text.slice(at) });
  return { task: { ...task, title: titleOf(pieces) }, chips, pieces };
}

function titleOf(pieces: readonly Piece[]): string {
  let title = '';
  let isCut = false;
  for (const piece of pieces) {
    if (piece.chip) {
      isCut = true;
      continue;
    }
    let { text } = piece;
    if (isCut) {
      if (title === '' || /\s$/.test(title)) text = text.trimStart();
      if (/^[,.;:!?)]/.test(text)) title = title.trimEnd();
    }
    if (text !== '') isCut = false;
    title += text;
  }
  return title.trim();
}

function taskOf(phrases: readonly Phrase[], context: QuickAddContext, today: Day): QuickTask {
  const task: QuickTask = {
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
  for (const { meaning } of phrases) {
    if (meaning.group === 'date') task.day = meaning.day;
    else if (meaning.group === 'time') task.time = meaning.time;
    else if (meaning.group === 'repeat') task.repeat = meaning.repeat;
    else if (meaning.group === 'end') task.end = meaning.end;
    else if (meaning.group === 'priority') task.priority = meaning.priority;
    else if (meaning.group === 'label') task.labelIds.push(meaning.named.id);
    else if (meaning.group === 'list') task.listId = meaning.named.id;
    else if (meaning.group === 'assignee') task.assigneeId = meaning.named.id;
    else task.statusId = meaning.named.id;
  }
  const present = localOf(context.now, context.zone).time;
  if (phrases.some(({ meaning }) => meaning.group === 'date' && meaning.isTonight))
    return { ...task, ...tonight(task.time, today, present) };
  if (task.time !== null && task.day === null && task.repeat === null)
    task.day = task.time > present ? today : addDays(today, 1);
  return task;
}

/** The evening of a day: `9` is 21:00 then, 1:00 that of the next day, and without a time it is 20:00 until that is past. */
function tonight(time: Time | null, today: Day, present: Time): Pick<QuickTask, 'day' | 'time'> {
  if (time === null) return { day: today, time: present < '20:00' ? '20:00' : null };
  if (time < '05:00') return { day: addDays(today, 1), time };
  const isHalf = time < '12:00';
  return { day: today, time: isHalf ? `${Number(time.slice(0, 2)) + 12}${time.slice(2)}` : time };
}

function chipsOf(phrases: readonly Phrase[], task: QuickTask, context: QuickAddContext, today: Day): Chip[] {
  const chips: Chip[] = [];
  const spansOf = (...groups: Meaning['group'][]): Span[] =>
    phrases.filter(({ meaning }) => groups.includes(meaning.group)).map(({ start, end }) => ({ start, end }));
  const add = (kind: ChipKind, value: string, spans: Span[]): void => {
    if (spans.length > 0) chips.push({ kind, label: `${kind}: ${value}`, spans });
  };
  if (task.repeat) {
    const interval = { ...task.repeat, timeOfDay: task.time, timezone: context.zone };
    add('Repeats', sayRule(interval, task.end, today, context.zone), spansOf('repeat', 'time', 'end'));
    if (task.day) add('Starts', sayDate(task.day, today), spansOf('date'));
  } else if (task.day) {
    const due = [sayDate(task.day, today), ...(task.time === null ? [] : [plainTime(task.time)])];
    add('Due', due.join(' '), spansOf('date', 'time'));
  }
  if (task.priority) add('Priority', PRIORITY_NAMES[task.priority], spansOf('priority'));
  const kinds = { list: 'List', assignee: 'Assignee', status: 'Status', label: 'Label' } as const;
  for (const { start, end, meaning } of phrases)
    if ('named' in meaning) add(kinds[meaning.group], meaning.named.title, [{ start, end }]);
  return chips.sort((a, b) => (a.spans[0]?.start ?? 0) - (b.spans[0]?.start ?? 0));
}
