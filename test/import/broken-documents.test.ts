import { afterEach, describe, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { w as series, useSeriesWorld } from '../series-world.ts';
import type { Document } from './round-trip.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(series.world));

/** An export with a task, a list and a space in its trash, in that order, and a series that can step back. */
async function exported(): Promise<Document> {
  const { ok, inside, list, create, skip } = series;
  const checklist = [{ title: 'Oat' }];
  const milk = await ok('POST', `${inside}/tasks`, { title: 'Milk', listId: list.id, checklist });
  await ok('POST', `${inside}/tasks`, { title: 'Bread', listId: list.id, checklist });
  await ok('POST', `${inside}/tasks/${milk.id}/comments`, { body: 'Two' });
  await ok('DELETE', `${inside}/tasks/${milk.id}`);
  await skip((await create()).id);
  const other = await series.anotherList();
  await fill(other.id);
  await ok('DELETE', `${inside}/lists/${other.id}`);
  const space = await ok('POST', `${inside}/spaces`, { title: 'Garden' });
  await fill(space.lists[0].id);
  await ok('DELETE', `${inside}/spaces/${space.id}`);
  return ok('GET', '/account/export');
}

/** Two tasks, the first with a comment, and a series. */
async function fill(listId: string): Promise<void> {
  const { ok, inside, create } = series;
  const first = await ok('POST', `${inside}/tasks`, { title: 'First', listId });
  await ok('POST', `${inside}/tasks/${first.id}/comments`, { body: 'Said' });
  await ok('POST', `${inside}/tasks`, { title: 'Second', listId });
  await create({ listId });
}

const rejected = async (document: Document): Promise<string[]> => {
  const { status, body } = await series.call('POST', '/account/import', document);
  expect([status, body.error]).toEqual([400, 'ValidationError']);
  return body.issues.map(({ path }: { path: string }) => path.replace(/^workspaces\.0\./, '')).toSorted();
};

describe('a document whose trash does not hold together', () => {
  it.each<[string, (workspace: Document) => void, string[]]>([
    [
      'a task of a list that is not in its entry',
      ({ trash, lists }) => {
        trash[1].tasks[0].listId = lists[0].id;
        trash[2].tasks[1].listId = 'elsewhere';
      },
      ['trash.1.tasks.0.listId', 'trash.2.tasks.1.listId'],
    ],
    [
      'a series of a list that is not in its entry',
      ({ trash, lists }) => {
        trash[1].recurringTasks[0].listId = 'elsewhere';
        trash[2].recurringTasks[0].listId = lists[0].id;
      },
      ['trash.1.recurringTasks.0.listId', 'trash.2.recurringTasks.0.listId'],
    ],
    [
      'a list of another space than its entry',
      ({ trash, spaces }) => {
        trash[2].lists[0].spaceId = spaces[0].id;
      },
      ['trash.2.lists.0.spaceId'],
    ],
    [
      'a comment of a task that is not in its entry',
      ({ trash, tasks }) => {
        trash[0].comments[0].taskId = tasks[0].id;
        trash[1].comments[0].taskId = trash[0].id;
      },
      ['trash.0.comments.0.taskId', 'trash.1.comments.0.taskId'],
    ],
    [
      'more in an entry than its kind allows',
      ({ trash }) => {
        trash[0].tasks.push({ ...trash[0].tasks[0], id: 'another', number: 99 });
        trash[0].lists.push({ ...trash[1].lists[0], id: 'a list' });
        trash[1].lists.push({ ...trash[1].lists[0], id: 'another list' });
        trash[1].spaces.push({ ...trash[2].spaces[0], id: 'a space' });
        trash[2].spaces.push({ ...trash[2].spaces[0], id: 'another space' });
      },
      [
        'trash.0.lists.0.id',
        'trash.0.tasks.1.id',
        'trash.1.lists.1.id',
        'trash.1.spaces.0.id',
        'trash.2.spaces.1.id',
      ],
    ],
    [
      'an entry of what is elsewhere',
      ({ trash, tasks }) => {
        trash[0].id = tasks[0].id;
        trash[1].kind = 'space';
      },
      ['trash.0', 'trash.0.tasks.0.id', 'trash.1', 'trash.1.lists.0.spaceId'],
    ],
    [
      'a broken thing before another one',
      ({ trash, tasks }) => {
        trash[2].tasks[0].title = '';
        trash[2].tasks[1].number = tasks[0].number;
        trash[2].tasks[2].listId = 'elsewhere';
      },
      ['trash.2.tasks.0.title', 'trash.2.tasks.1.number', 'trash.2.tasks.2.listId'],
    ],
  ])('is rejected: %s', async (_, breakIt, paths) => {
    const document = await exported();
    breakIt(document.workspaces[0]);
    expect(await rejected(document)).toEqual(paths);
  });

  it('is imported where all of it holds together, and all of it can be restored', async () => {
    const { ok } = series;
    const { workspaces } = await ok('POST', '/account/import', await exported());
    const inside = `/workspaces/${workspaces[0].id}`;
    for (const { id } of (await ok('GET', `${inside}/trash`)).items) {
      await ok('POST', `${inside}/trash/${id}/restore`);
    }
    expect((await ok('GET', `${inside}/tasks`)).items).toHaveLength(9);
  });
});

describe('a document that is rejected', () => {
  it('names both of two items that have one id, in the trash too', async () => {
    const document = await exported();
    const [{ tasks, trash, recurringTasks }] = document.workspaces;
    tasks[0].checklist.push({ ...tasks[0].checklist[0] });
    trash[0].tasks[0].checklist.push({ ...trash[0].tasks[0].checklist[0] });
    recurringTasks[0].checklist = [{ id: 'a', title: 'A' }, { title: 'B' }, { id: 'a', title: 'C' }];
    expect(await rejected(document)).toEqual([
      'recurringTasks.0.checklist.2.id',
      'tasks.0.checklist.1.id',
      'trash.0.tasks.0.checklist.1.id',
    ]);
  });

  it('names the step whose task has the number of another one', async () => {
    const document = await exported();
    const [{ tasks, recurringTasks, trash }] = document.workspaces;
    recurringTasks[0].steps[0].task.number = tasks[0].number;
    expect(await rejected(document)).toEqual(['recurringTasks.0.steps.0.task.number']);
    recurringTasks[0].steps[0].task.number = trash[2].tasks[0].number;
    expect(await rejected(document)).toEqual(['recurringTasks.0.steps.0.task.number']);
  });

  it('names what is decided or can be taken back twice, in the trash too', async () => {
    const document = await exported();
    const [{ recurringTasks, trash }] = document.workspaces;
    for (const { occurrences } of [recurringTasks[0], trash[1].recurringTasks[0]]) {
      occurrences.push({ ...occurrences[0] });
    }
    recurringTasks[0].steps.push({ ...recurringTasks[0].steps[0] });
    expect(await rejected(document)).toEqual([
      'recurringTasks.0.occurrences.2.local',
      'recurringTasks.0.steps.1.number',
      'trash.1.recurringTasks.0.occurrences.1.local',
    ]);
  });

  it('names a series in the trash that is active, and when it goes on is not said', async () => {
    const document = await exported();
    const [{ trash }] = document.workspaces;
    trash[1].recurringTasks[0].nextRunAt = null;
    delete trash[2].recurringTasks[0].nextRunAt;
    expect(await rejected(document)).toEqual([
      'trash.1.recurringTasks.0.nextRunAt',
      'trash.2.recurringTasks.0.nextRunAt',
    ]);
  });

  it('names what is in the trash where something outside it refers to it', async () => {
    const document = await exported();
    const [{ lists, tasks, recurringTasks, trash }] = document.workspaces;
    const [, { id: trashedList, recurringTasks: trashedSeries }, { id: trashedSpace }] = trash;
    lists[0].spaceId = trashedSpace;
    tasks[0].listId = trashedList;
    const instance = tasks.findIndex(({ recurrence }: Document) => recurrence !== null);
    tasks[instance].recurrence.recurringTaskId = trashedSeries[0].id;
    recurringTasks[0].listId = trashedList;
    expect(await rejected(document)).toEqual([
      'lists.0.spaceId',
      'recurringTasks.0.listId',
      'tasks.0.listId',
      `tasks.${instance}.recurrence.recurringTaskId`,
    ]);
  });

  it('names numbers behind which there is no room to count on', async () => {
    const document = await exported();
    const [workspace] = document.workspaces;
    workspace.lastTaskNumber = Number.MAX_SAFE_INTEGER;
    workspace.tasks[0].number = Number.MAX_SAFE_INTEGER;
    workspace.recurringTasks[0].progress.ruleVersion = Number.MAX_SAFE_INTEGER;
    expect(await rejected(document)).toEqual([
      'lastTaskNumber',
      'recurringTasks.0.progress.ruleVersion',
      'tasks.0.number',
    ]);
  });

  it('names a series of version 1 that begins when no year is left', async () => {
    const document = await exported();
    const [series] = document.workspaces[0].recurringTasks;
    delete series.progress;
    series.startsAt = '9999-12-31T23:59:59.999Z';
    expect(await rejected(document)).toEqual(['recurringTasks.0.startsAt']);
  });

  it('names what is longer than anything that Errand writes', async () => {
    const document = await exported();
    const [{ members, tasks, recurringTasks, trash }] = document.workspaces;
    members.push({ userId: 'x', email: 'x'.repeat(255), name: 'x'.repeat(255) });
    const instance = tasks.findIndex(({ recurrence }: Document) => recurrence !== null);
    tasks[instance].recurrence.overridden = ['x'.repeat(101)];
    tasks[0].recurrence ??= { ...tasks[instance].recurrence, recurringTaskId: null };
    tasks[0].recurrence.overridden = Array(101).fill('title');
    recurringTasks[0].progress.zoneData = 'x'.repeat(101);
    const [occurrence] = recurringTasks[0].occurrences;
    recurringTasks[0].occurrences = Array.from({ length: 20_001 }, (_, ruleVersion) => ({
      ...occurrence,
      ruleVersion: ruleVersion + 1,
    }));
    const [step] = recurringTasks[0].steps;
    trash[1].recurringTasks[0].steps = Array.from({ length: 10_001 }, (_, number) => ({ ...step, number }));
    expect(await rejected(document)).toEqual([
      'members.1.email',
      'members.1.name',
      'recurringTasks.0.occurrences',
      'recurringTasks.0.progress.zoneData',
      'tasks.0.recurrence.overridden',
      `tasks.${instance}.recurrence.overridden.0`,
      'trash.1.recurringTasks.0.steps',
    ]);
  });

  it('names what is no plain text in few words, however long and deep what is around it', async () => {
    const key = 'k'.repeat(1_000);
    const deep = `${'['.repeat(20_000)}"\\u0000"${']'.repeat(20_000)}`;
    const text = `{"formatVersion":2,"workspaces":[],"deep":${deep},"${key}":{"${key}":"\\u0000"}}`;
    expect(await rejected(text as never)).toEqual([`${'k'.repeat(100)}.${'k'.repeat(100)}`]);
  });

  it('names what is no array', async () => {
    expect(await rejected({ formatVersion: 2, workspaces: {} } as never)).toEqual(['workspaces']);
  });
});

it('tasks in the trash of a document that have no numbers get some that no other task is given', async () => {
  const { ok } = series;
  const document = await exported();
  for (const { tasks } of document.workspaces[0].trash) for (const task of tasks) delete task.number;
  const { workspaces } = await ok('POST', '/account/import', document);
  const inside = `/workspaces/${workspaces[0].id}`;
  const [list] = (await ok('GET', `${inside}/lists`)).items;
  for (let i = 0; i < 12; i += 1) await ok('POST', `${inside}/tasks`, { title: 'New', listId: list.id });
  for (const { id } of (await ok('GET', `${inside}/trash`)).items) {
    await ok('POST', `${inside}/trash/${id}/restore`);
  }
  const { items } = await ok('GET', `${inside}/tasks?limit=100`);
  expect(new Set(items.map(({ number }: { number: number }) => number)).size).toBe(21);
});
