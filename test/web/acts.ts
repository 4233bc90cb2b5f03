import type { Intent } from '../../src/web/data/change.ts';
import * as intents from '../../src/web/data/intents.ts';
import type { Label, List, Task } from '../../src/web/data/rows.ts';
import type { Page, Timeline } from './simulation.ts';

const FIELDS = [
  { title: 'renamed' },
  { priority: 'high' },
  { dueDay: '2026-04-01' },
  { dueDate: '2026-04-02T09:00:00.000Z' },
];

/**
 * Does something at random with what a page shows, by the store's own intents. `created` are the ids that it makes,
 * `isStored` tells once the device holds it, false where it never does.
 */
export function actOn(
  { store }: Page,
  kind: number,
  timeline: Timeline,
): { created: string[]; isStored: Promise<boolean> } {
  const { view } = store;
  const task = timeline.pick([...view.all('task')]);
  const list = timeline.pick([...view.all('list')]);
  const label = timeline.pick([...view.all('label')]);
  const created: string[] = [];
  const newId = (): string => {
    const id = store.makeId();
    created.push(id);
    return id;
  };
  const made = intentsOf(kind);
  const isStored = store.acts.do(`act ${kind}`, made).then(
    () => made.length > 0,
    () => false,
  );
  return { created, isStored };

  function intentsOf(which: number): Intent[] {
    if (which === 0) return list ? [newTask(list)] : [];
    if (which === 1) return task ? [intents.updateTask(task, timeline.pick(FIELDS) ?? {})] : [];
    if (which === 2) return task ? complete(task) : [];
    if (which === 3) return task && list ? [intents.moveTask(view, task, list.id)] : [];
    if (which === 4) return task ? [intents.remove('task', task)] : [];
    if (which === 5) return list ? labelled(list) : [];
    if (which === 6) return task && label ? relabel(task, label) : [];
    if (which === 7) return label ? [intents.remove('label', label)] : [];
    if (which === 8) return list ? withList(list) : [];
    if (which === 9) return list ? [intents.remove('list', list)] : [];
    if (which === 10)
      return task ? [intents.editText(task, `text ${timeline.below(99)}`, task.description)] : [];
    if (which === 11) return task ? item(task) : [];
    if (which === 12) return task ? comment(task) : [];
    if (which === 13) return series();
    if (which === 14) return [...view.all('task')].slice(0, 7).flatMap(complete);
    return task && label ? [intents.updateTask(task, { title: '', addLabelIds: [label.id] })] : [];
  }

  function newTask({ id, workspaceId }: List): Intent {
    return intents.create('task', workspaceId, newId(), { title: 'made', listId: id });
  }

  function complete(one: Task): Intent[] {
    const statuses = view.row('list', one.listId)?.statuses ?? [];
    const next = statuses.find(({ type }) => (type === 'completed') === (one.completedAt === null));
    return next ? [intents.updateTask(one, { statusId: next.id })] : [];
  }

  function labelled({ workspaceId, id }: List): Intent[] {
    const title = `label ${timeline.below(3)}`;
    const labelId = newId();
    created.pop();
    return [
      intents.create('label', workspaceId, labelId, { title, color: '#000000' }),
      intents.create('task', workspaceId, newId(), { title: 'labelled', listId: id, labelIds: [labelId] }),
    ];
  }

  function relabel(one: Task, { id, workspaceId }: Label): Intent[] {
    if (workspaceId !== one.workspaceId) return [];
    const fields = one.labelIds.includes(id) ? { removeLabelIds: [id] } : { addLabelIds: [id] };
    return [intents.updateTask(one, fields)];
  }

  function withList({ workspaceId, spaceId }: List): Intent[] {
    const listId = newId();
    return [
      intents.create('list', workspaceId, listId, { title: 'new list', spaceId }),
      intents.create('task', workspaceId, newId(), { title: 'in it', listId }),
    ];
  }

  function item(one: Task): Intent[] {
    const found = timeline.pick(one.checklist);
    if (!found) return [intents.changeItem(one, 'addItem', store.makeId(), { title: 'item' })];
    if (timeline.random() < 0.5)
      return [intents.changeItem(one, 'updateItem', found.id, { isDone: !found.isDone })];
    return [intents.changeItem(one, 'removeItem', found.id)];
  }

  function comment(one: Task): Intent[] {
    const found = timeline.pick([...view.all('comment')]);
    if (!found || timeline.random() < 0.5) return [intents.addComment(one, newId(), 'comment')];
    const workspaceId = view.row('task', found.taskId)?.workspaceId;
    if (!workspaceId) return [];
    if (timeline.random() < 0.5)
      return [intents.editComment(found, workspaceId, `edited ${timeline.below(99)}`, found.body)];
    return [intents.removeComment(found, workspaceId)];
  }

  function series(): Intent[] {
    const found = timeline.pick([...view.all('recurringTask')]);
    const which = timeline.below(5);
    if (!found || which === 0)
      return list
        ? [intents.create('recurringTask', list.workspaceId, newId(), { title: 'series', listId: list.id })]
        : [];
    if (which === 1) return [found.state === 'active' ? intents.pause(found) : intents.resume(found)];
    if (which === 2) return [intents.skip(view, found)].filter((intent) => intent !== null);
    if (which === 3) return [intents.remove('recurringTask', found, { keepUpcoming: true })];
    return task?.recurrence?.recurringTaskId === found.id
      ? [intents.editInstances(view, found, task, 'this', { title: 'instance' })]
      : [];
  }
}

export const ACTS = 16;
