import type { z } from '@hono/zod-openapi';
import { isWholeDay } from '../kernel/days.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { checkEntry, type StepNumber } from './checks.ts';
import { allAt, arrayAt, isRecord, parseAt, type Remarks } from './issues.ts';
import { ruleOf } from './progress.ts';
import * as shapes from './schema.ts';

export type Series = shapes.ImportedSeriesHead & {
  occurrences: readonly shapes.ImportedOccurrence[];
  steps: readonly shapes.ImportedStep[];
};

export type Task = shapes.ImportedTaskHead & { comments: readonly shapes.ImportedComment[]; bytes: number };

/** An entry of the trash with what it holds. */
export interface Trashed extends shapes.ImportedTrashHead {
  spaces: readonly shapes.ImportedSpace[];
  lists: readonly shapes.ImportedList[];
  series: readonly Series[];
  tasks: readonly (Task & Pick<shapes.ImportedTrashedTask, 'status' | 'spaceId'>)[];
  comments: readonly shapes.ImportedTrashedComment[];
}

/** The UTF-8 bytes of the text of a task or series, as quotas count them. */
export const bytesOf = ({
  title,
  description,
  checklist = [],
}: {
  title: string;
  description?: string | null | undefined;
  checklist?: readonly { title: string }[] | undefined;
}): number => bytesOfText(title, description, ...checklist.map((item) => item.title));

export function readTask(value: unknown, path: string, issues: Remarks): Task | undefined {
  const task = parseAt(shapes.ImportedTaskHead, value, path, issues);
  const comments = isRecord(value) ? allAt(value, 'comments', shapes.ImportedComment, path, issues) : [];
  if (!task) return undefined;
  return {
    ...task,
    comments: present(comments),
    bytes: bytesOf(task) + bytesOfText(...present(comments).map(({ body }) => body)),
  };
}

export const readAllSeries = (
  of: Record<string, unknown>,
  path: string,
  issues: Remarks,
  stepNumbers: StepNumber[],
): (Series | undefined)[] =>
  arrayAt(of, 'recurringTasks', path, issues).map((each, i) =>
    readSeries(each, `${path}.recurringTasks.${i}`, issues, stepNumbers),
  );

function readSeries(
  value: unknown,
  path: string,
  issues: Remarks,
  stepNumbers: StepNumber[],
): Series | undefined {
  const series = parseAt(shapes.ImportedSeriesHead, value, path, issues);
  const all = <Shape extends z.ZodType>(name: string, shape: Shape, most: number) => {
    const given = isRecord(value) ? allAt(value, name, shape, path, issues) : [];
    if (given.length > most) issues.add(`${path}.${name}`, `There may be at most ${most} ${name}`);
    return given;
  };
  const occurrences = all('occurrences', shapes.ImportedOccurrence, shapes.MAX_OCCURRENCES);
  const steps = all('steps', shapes.ImportedStep, shapes.MAX_STEPS);
  const local = (each: (typeof occurrences)[number]) => each && `${each.ruleVersion} ${each.local}`;
  checkOnce(occurrences.map(local), (i) => `${path}.occurrences.${i}.local`, issues);
  checkOnce(
    steps.map((step) => step?.number),
    (i) => `${path}.steps.${i}.number`,
    issues,
  );
  for (const [i, step] of steps.entries()) {
    if (step?.task) {
      const { taskId = null, task } = step;
      stepNumbers.push({ taskId, number: task.number, path: `${path}.steps.${i}.task.number` });
    }
  }
  if (series && (series.state ?? 'active') === 'active' && series.nextRunAt == null)
    issues.add(`${path}.nextRunAt`, 'Must be there while the series is active');
  if (series && !series.progress && !isWholeDay(ruleOf(series).anchor))
    issues.add(`${path}.startsAt`, 'The rule has no occurrence');
  return series && { ...series, occurrences: present(occurrences), steps: present(steps) };
}

/** Adds an issue for each that has the key of one before. */
function checkOnce(keys: readonly unknown[], pathOf: (i: number) => string, issues: Remarks): void {
  const known = new Set<unknown>();
  for (const [i, key] of keys.entries()) {
    if (known.has(key)) issues.add(pathOf(i), 'Another one of the series has this already');
    if (key !== undefined) known.add(key);
  }
}

export function readTrashed(
  value: unknown,
  path: string,
  { issues, numbers, stepNumbers }: { issues: Remarks; numbers: Numbers; stepNumbers: StepNumber[] },
): Trashed | undefined {
  const head = parseAt(shapes.ImportedTrashHead, value, path, issues);
  if (!isRecord(value)) return undefined;
  const all = <Shape extends z.ZodType>(name: string, shape: Shape) =>
    allAt(value, name, shape, path, issues);
  const [spaces, lists] = [all('spaces', shapes.ImportedSpace), all('lists', shapes.ImportedList)];
  const series = readAllSeries(value, path, issues, stepNumbers);
  const tasks = all('tasks', shapes.ImportedTrashedTask);
  const comments = all('comments', shapes.ImportedTrashedComment);
  for (const [i, task] of tasks.entries()) {
    if (task) takeNumber(task, `${path}.tasks.${i}`, numbers, issues);
  }
  if (head) checkEntry(value, head, path, issues);
  const of = Map.groupBy(present(comments), ({ taskId }) => taskId);
  return (
    head && {
      ...head,
      spaces: present(spaces),
      lists: present(lists),
      series: present(series),
      tasks: present(tasks).map((task) => {
        const own = of.get(task.id) ?? [];
        const bytes = bytesOf(task) + bytesOfText(...own.map(({ body }) => body));
        return { ...task, comments: own, bytes };
      }),
      comments: present(comments),
    }
  );
}

export const present = <T>(things: readonly (T | undefined)[]): T[] =>
  things.filter((thing) => thing !== undefined);

/** The numbers of tasks, each with the id of its task. */
type Numbers = Map<number, string>;

export function takeNumber(
  { id, number }: shapes.ImportedTaskHead,
  path: string,
  numbers: Numbers,
  issues: Remarks,
): void {
  if (number === undefined) return;
  if (numbers.has(number)) issues.add(`${path}.number`, 'Another task has this number');
  else numbers.set(number, id);
}

/** A task that is made again takes the number that it had: no other task may have it. */
export function checkStepNumbers(steps: readonly StepNumber[], numbers: Numbers, issues: Remarks): void {
  for (const { taskId, number, path } of steps) {
    const present = numbers.get(number);
    if (present !== undefined && present !== taskId) issues.add(path, 'Another task has this number');
    numbers.set(number, present ?? taskId ?? '');
  }
}

const MAX_NAME_CHARACTERS = 100;
/** Nothing that is read lies deeper. */
const MAX_DEPTH = 32;

/** Adds an issue for each text that none of ours is; the path has no more of a name than what tells it. */
export function findOddTexts(value: unknown, path: string, issues: Remarks, depth = 0): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) issues.add(path, 'Must be plain text');
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const [key, inner] of Object.entries(value)) {
      const name = key.slice(0, MAX_NAME_CHARACTERS);
      findOddTexts(inner, path === '' ? name : `${path}.${name}`, issues, depth + 1);
    }
  }
}
