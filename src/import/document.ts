import type { z } from '@hono/zod-openapi';
import type { Issue } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { keyOf } from '../storage/starter.ts';
import { checkLabels, checkTemplates, type StepNumber } from './checks.ts';
import { allAt, arrayAt, isRecord, parseAt, Remarks } from './issues.ts';
import {
  bytesOf,
  checkStepNumbers,
  findOddTexts,
  present,
  readAllSeries,
  readTask,
  readTrashed,
  type Series,
  type Task,
  type Trashed,
  takeNumber,
} from './read-things.ts';
import type { Counts } from './result-schema.ts';
import * as shapes from './schema.ts';

/** Who imports, by whose address members are matched. */
export interface Importer {
  email: string;
  /** Milliseconds since the epoch. */
  now: number;
}

type Status = shapes.ImportedStatusTemplate['statuses'][number];

/** A workspace of the document that keeps all rules, with the new id of each thing by its id in the document. */
export interface ReadWorkspace {
  id: string;
  title: string;
  key: string;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  lastNumber: number;
  /** The ids that the importer has in the document. */
  importerIds: ReadonlySet<string>;
  /** New ids of items of checklists, which instances of a series share. */
  items: Ids;
  /** Of each list, both by their ids in the document. */
  spaceOf: ReadonlyMap<string, string>;
  ids: Record<'spaces' | 'lists' | 'labels' | 'statusTemplates' | 'statuses' | 'tasks' | 'series', Ids>;
  spaces: readonly shapes.ImportedSpace[];
  lists: readonly shapes.ImportedList[];
  labels: readonly shapes.ImportedLabel[];
  statusTemplates: readonly shapes.ImportedStatusTemplate[];
  /** The statuses of each list's template, by the list's id in the document. */
  statusesOf: ReadonlyMap<string, readonly Status[]>;
  series: readonly Series[];
  tasks: readonly Task[];
  trash: readonly Trashed[];
}

type Ids = Map<string, string>;

export interface ReadDocument {
  workspaces: ReadWorkspace[];
  counts: Counts;
  warnings: Issue[];
  /** What quotas count. */
  use: { tasks: number; bytes: number };
}

/** What can only stand in JSON as an escape, and is in no text of ours: NUL and half a surrogate pair. */
const ODD_ESCAPES = /\\u(?:0000|d[89a-f])/i;

/** Reads a document as a whole: what it holds, every rule that it breaks, or why it is none. */
export function readDocument(
  text: string,
  importer: Importer,
): { read: ReadDocument } | { issues: Issue[] } | { broken: string } {
  const issues = new Remarks();
  const value = text === '' ? {} : parseJson(text);
  if (value === undefined) return { broken: 'The document is not valid JSON' };
  if (!isRecord(value)) return { broken: 'The document must be a JSON object' };
  if (ODD_ESCAPES.test(text)) findOddTexts(value, '', issues);
  parseAt(shapes.FormatVersion, value.formatVersion, 'formatVersion', issues);
  const given = value.workspaces === undefined ? undefined : arrayAt(value, 'workspaces', '', issues);
  if (given === undefined) issues.add('workspaces', 'Must be an array', true);
  else if (given.length > shapes.MAX_WORKSPACES)
    issues.add('workspaces', `There may be at most ${shapes.MAX_WORKSPACES} workspaces`);
  const warnings = new Remarks();
  const workspaces = (given ?? [])
    .slice(0, shapes.MAX_WORKSPACES)
    .flatMap((each, i) => readWorkspace(each, `workspaces.${i}`, importer, { issues, warnings }) ?? []);
  if (!issues.isEmpty) return { issues: issues.toArray() };
  const all = (count: (workspace: ReadWorkspace) => number) => sum(workspaces, count);
  const read: ReadDocument = {
    workspaces,
    counts: {
      workspaces: workspaces.length,
      spaces: all(({ spaces }) => spaces.length),
      lists: all(({ lists }) => lists.length),
      labels: all(({ labels }) => labels.length),
      statusTemplates: all(({ statusTemplates }) => statusTemplates.length),
      tasks: all(({ tasks }) => tasks.length),
      comments: all(({ tasks }) => sum(tasks, ({ comments }) => comments.length)),
      recurringTasks: all(({ series }) => series.length),
      trash: all(({ trash }) => trash.length),
    },
    warnings: warnings.toArray(),
    use: {
      tasks: all(({ tasks, trash }) => tasks.length + sum(trash, (entry) => entry.tasks.length)),
      bytes: all((workspace) => bytesOfAll(workspace) + sum(workspace.trash, bytesOfAll)),
    },
  };
  return { read };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const sum = <T>(things: readonly T[], count: (thing: T) => number): number =>
  things.reduce((total, thing) => total + count(thing), 0);

const bytesOfAll = ({ tasks, series }: Pick<ReadWorkspace | Trashed, 'tasks' | 'series'>): number =>
  sum(tasks, ({ bytes }) => bytes) + sum(series, bytesOf);

interface Told {
  issues: Remarks;
  warnings: Remarks;
}

function readWorkspace(
  value: unknown,
  path: string,
  importer: Importer,
  { issues, warnings }: Told,
): ReadWorkspace | undefined {
  if (!isRecord(value)) {
    issues.add(path, 'Must be an object');
    return undefined;
  }
  const all = <Shape extends z.ZodType>(name: string, shape: Shape) =>
    allAt(value, name, shape, path, issues);
  const head = parseAt(shapes.ImportedWorkspaceHead, value, path, issues);
  const members = all('members', shapes.ImportedMember);
  const spaces = all('spaces', shapes.ImportedSpace);
  const lists = all('lists', shapes.ImportedList);
  const labels = all('labels', shapes.ImportedLabel);
  const templates = all('statusTemplates', shapes.ImportedStatusTemplate);
  const stepNumbers: StepNumber[] = [];
  const series = readAllSeries(value, path, issues, stepNumbers);
  const tasks = arrayAt(value, 'tasks', path, issues).map((each, i) =>
    readTask(each, `${path}.tasks.${i}`, issues),
  );

  const { now } = importer;
  const ids: ReadWorkspace['ids'] = {
    spaces: new Map(),
    lists: new Map(),
    labels: new Map(),
    statusTemplates: new Map(),
    statuses: new Map(),
    series: new Map(),
    tasks: new Map(),
  };
  // Also of what breaks rules of its own: what refers to it is not wrong as well.
  const { series: recurringTasks, statuses: _, ...others } = ids;
  const noteIds = (of: Record<string, unknown>, at: string) => {
    for (const [name, known] of Object.entries({ ...others, recurringTasks })) {
      for (const [i, thing] of arrayAt(of, name, at, new Remarks()).entries()) {
        if (!isRecord(thing) || typeof thing.id !== 'string') continue;
        if (known.has(thing.id)) issues.add(`${at}.${name}.${i}.id`, 'Another one has this id');
        known.set(thing.id, newId(now));
      }
    }
  };
  noteIds(value, path);
  const takeStatusId = (id: string): boolean => {
    const isFree = !ids.statuses.has(id);
    ids.statuses.set(id, newId(now));
    return isFree;
  };
  checkTemplates(templates, path, takeStatusId, issues);
  checkLabels(labels, path, issues);
  const known = (kind: keyof typeof ids, id: string, at: string, what: string) => {
    if (!ids[kind].has(id)) issues.add(at, `There is no such ${what} in the document`);
  };
  const byTemplate = new Map(templates.flatMap((each) => (each ? [[each.id, each.statuses]] : [])));
  const statusesOf = new Map<string, readonly Status[]>();
  for (const [i, list] of lists.entries()) {
    if (!list) continue;
    known('spaces', list.spaceId, `${path}.lists.${i}.spaceId`, 'space');
    known('statusTemplates', list.statusTemplateId, `${path}.lists.${i}.statusTemplateId`, 'status template');
    const statuses = byTemplate.get(list.statusTemplateId);
    if (statuses) statusesOf.set(list.id, statuses);
  }
  const people = readPeople(members, path, importer, warnings);
  const checkCarried = (thing: Task | Series, at: string) => {
    known('lists', thing.listId, `${at}.listId`, 'list');
    for (const [i, id] of (thing.labelIds ?? []).entries())
      known('labels', id, `${at}.labelIds.${i}`, 'label');
    people.meet(thing.assigneeId, `${at}.assigneeId`);
    people.meet(thing.creatorId, `${at}.creatorId`);
  };
  for (const [i, each] of series.entries()) {
    if (each) checkCarried(each, `${path}.recurringTasks.${i}`);
  }
  const numbers = new Map<number, string>();
  for (const [i, task] of tasks.entries()) {
    if (!task) continue;
    const at = `${path}.tasks.${i}`;
    checkCarried(task, at);
    const statuses = statusesOf.get(task.listId);
    if (task.statusId !== undefined && statuses && !statuses.some(({ id }) => id === task.statusId))
      issues.add(`${at}.statusId`, "Must be a status of the list's status template");
    takeNumber(task, at, numbers, issues);
    const seriesId = task.recurrence?.recurringTaskId ?? null;
    if (seriesId !== null) known('series', seriesId, `${at}.recurrence.recurringTaskId`, 'recurring task');
    for (const [j, { authorId }] of task.comments.entries())
      people.meet(authorId, `${at}.comments.${j}.authorId`);
  }
  const entries = arrayAt(value, 'trash', path, issues);
  // Only now: nothing outside the trash may refer to what is in it.
  for (const [i, entry] of entries.entries()) if (isRecord(entry)) noteIds(entry, `${path}.trash.${i}`);
  const trash = entries.map((each, i) => {
    const at = `${path}.trash.${i}`;
    const entry = readTrashed(each, at, { issues, numbers, stepNumbers });
    people.meet(entry?.deletedBy, `${at}.deletedBy`);
    for (const { recurrence } of entry?.tasks ?? []) {
      if (recurrence && !ids.series.has(recurrence.recurringTaskId ?? '')) recurrence.recurringTaskId = null;
    }
    return entry;
  });
  checkStepNumbers(stepNumbers, numbers, issues);
  if (!head || !issues.isEmpty) return undefined;
  return {
    id: newId(now),
    title: head.title,
    key: head.key ?? keyOf(head.title),
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    lastNumber: numbers.keys().reduce((last, number) => Math.max(last, number), head.lastTaskNumber ?? 0),
    importerIds: people.importerIds,
    items: new Map(),
    spaceOf: new Map(lists.flatMap((list) => (list ? [[list.id, list.spaceId]] : []))),
    ids,
    spaces: present(spaces),
    lists: present(lists),
    labels: present(labels),
    statusTemplates: present(templates),
    statusesOf,
    series: present(series),
    tasks: present(tasks),
    trash: present(trash),
  };
}

/** Finds the importer among the members by their address; warns of everybody else. */
function readPeople(
  members: readonly (shapes.ImportedMember | undefined)[],
  path: string,
  { email: own }: Importer,
  warnings: Remarks,
) {
  const importerIds = new Set<string>();
  const known = new Set<string>();
  for (const [i, member] of members.entries()) {
    if (!member) continue;
    known.add(member.userId);
    const { name = '', email = '' } = member;
    if (email.toLowerCase() === own) importerIds.add(member.userId);
    else {
      const who = name === '' ? email || member.userId : email === '' ? name : `${name} (${email})`;
      warnings.add(`${path}.members.${i}`, `${who} is not imported: what is theirs has nobody`);
    }
  }
  return {
    importerIds,
    meet: (id: string | null | undefined, at: string): void => {
      if (id == null || known.has(id)) return;
      known.add(id);
      warnings.add(at, `${id} is nobody among the members: what is theirs has nobody`);
    },
  };
}
