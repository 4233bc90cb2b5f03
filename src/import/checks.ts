import { statusIssues } from '../lists/status-issues.ts';
import { labelTitleKey } from '../storage/labels.ts';
import { MAX_LABELS } from '../tasks/label-schema.ts';
import { arrayAt, isRecord, Remarks } from './issues.ts';
import type { ImportedLabel, ImportedStatusTemplate, ImportedTrashHead } from './schema.ts';

const FOREIGN = 'Does not belong to the entry';

/** The number that a step of a series would give a task again, and where the document says so. */
export interface StepNumber {
  taskId: string | null;
  number: number;
  path: string;
}

/** Checks that one template is the default one, and that each has its statuses; `takeId` is false for a taken id. */
export function checkTemplates(
  templates: readonly (ImportedStatusTemplate | undefined)[],
  path: string,
  takeId: (id: string) => boolean,
  issues: Remarks,
): void {
  const defaults = templates.filter((template) => template?.isDefault);
  if (defaults.length !== 1 && templates.every((template) => template !== undefined))
    issues.add(`${path}.statusTemplates`, 'There must be one default status template');
  for (const [i, template] of templates.entries()) {
    const at = `${path}.statusTemplates.${i}.statuses`;
    for (const issue of statusIssues(template?.statuses ?? [])) {
      if (template) issues.add([at, ...issue.path].join('.'), issue.message);
    }
    for (const [j, { id }] of (template?.statuses ?? []).entries()) {
      if (!takeId(id)) issues.add(`${at}.${j}.id`, 'Another one has this id');
    }
  }
}

/** Checks that there are not too many labels, each with a title of its own. */
export function checkLabels(
  labels: readonly (ImportedLabel | undefined)[],
  path: string,
  issues: Remarks,
): void {
  if (labels.length > MAX_LABELS)
    issues.add(`${path}.labels`, `A workspace may have at most ${MAX_LABELS} labels`);
  const titles = new Set<string>();
  for (const [i, label] of labels.entries()) {
    if (!label) continue;
    const key = labelTitleKey(label.title);
    if (titles.has(key)) issues.add(`${path}.labels.${i}.title`, 'Another label has this title');
    titles.add(key);
  }
}

const OWN = { task: 'tasks', list: 'lists', space: 'spaces' } as const;
/** Behind the kinds that an entry may hold. */
const HELD_BY = { spaces: ['space'], lists: ['list', 'space'], recurringTasks: ['list', 'space'] } as const;

/** Checks that an entry of the trash holds the thing that was deleted, what was in it, and nothing else. */
export function checkEntry(
  entry: Record<string, unknown>,
  { id, kind }: ImportedTrashHead,
  path: string,
  issues: Remarks,
): void {
  const things = (name: string) =>
    arrayAt(entry, name, path, new Remarks()).map((thing) => (isRecord(thing) ? thing : {}));
  /** What breaks its shape is told already, and may be referred to. */
  const idsOf = (name: string): ReadonlySet<unknown> => new Set(things(name).map((thing) => thing.id));
  const check = (name: string, field: string, isRight: (value: unknown) => boolean, message: string) => {
    for (const [i, thing] of things(name).entries()) {
      const value = thing[field];
      if (typeof value === 'string' && !isRight(value)) issues.add(`${path}.${name}.${i}.${field}`, message);
    }
  };
  const own = OWN[kind];
  if (!idsOf(own).has(id)) issues.add(path, 'What it is the entry of is not in it');
  check(own, 'id', (value) => value === id, FOREIGN);
  for (const [name, kinds] of Object.entries(HELD_BY)) {
    if (!kinds.some((holder) => holder === kind)) check(name, 'id', () => false, FOREIGN);
  }
  if (kind === 'space') check('lists', 'spaceId', (value) => value === id, 'Must be the space of the entry');
  const [lists, tasks] = [idsOf('lists'), idsOf('tasks')];
  for (const name of kind === 'task' ? [] : ['recurringTasks', 'tasks']) {
    check(name, 'listId', (value) => lists.has(value), 'There is no such list in the entry');
  }
  check('comments', 'taskId', (value) => tasks.has(value), 'There is no such task in the entry');
}
