import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { DAY, toInstant } from '../../src/kernel/instants.ts';
import type { TaskRow } from '../../src/storage/tables.ts';
import { PRIORITIES } from '../../src/tasks/schema.ts';
import { addTasks } from '../many-tasks.ts';
import { as, joined, openHome, pathsOf } from '../people.ts';
import { type Seeded, seedTasks } from '../seeded-tasks.ts';
import { START } from '../world.ts';

type Asked = Record<string, string>;

let seeded: Seeded;
beforeAll(async () => {
  seeded = await seedTasks(400);
});
afterAll(() => seeded.world.close());

const get = (path: string, asked: Asked) =>
  seeded.world.call('GET', `/workspaces/${seeded.workspaceId}${path}?${new URLSearchParams(asked)}`, {
    token: seeded.ada.accessToken,
  });
const ask = async (asked: Asked) => {
  const { status, body } = await get('/tasks/query', { limit: '100', ...asked });
  expect(status).toBe(200);
  return body;
};
const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

/** What the rows say should be returned. */
function expected(asked: Asked): TaskRow[] {
  const any = (name: string) => asked[name]?.split(',');
  const { people, statuses } = seeded;
  const assignees = any('assigneeId')?.map((id) => (id === 'me' ? people[0]?.id : id === 'none' ? null : id));
  const typeOf = (task: TaskRow) => statuses.find(({ id }) => id === task.status_id)?.type ?? '';
  const among = (values: readonly unknown[] | undefined, value: unknown) => values?.includes(value) ?? true;
  const due = ({ due_date }: TaskRow) =>
    (asked.dueAfter === undefined || (due_date !== null && due_date >= asked.dueAfter)) &&
    (asked.dueBefore === undefined || (due_date !== null && due_date < asked.dueBefore));
  const descending = asked.sortOrder === 'desc';
  return seeded.tasks
    .filter(
      (task) =>
        among(assignees, task.assignee_id) &&
        among(any('creatorId'), task.creator_id) &&
        among(any('listId'), task.list_id) &&
        among(any('spaceId'), task.space_id) &&
        among(any('statusId'), task.status_id) &&
        among(any('statusType'), typeOf(task)) &&
        among(any('priority'), PRIORITIES[task.priority]) &&
        among(any('recurringTaskId'), task.recurring_task_id) &&
        (asked.completed === undefined || (asked.completed === 'true') === (typeOf(task) === 'completed')) &&
        due(task),
    )
    .sort((a, b) => {
      const [left, right] = [sortValue(asked, a), sortValue(asked, b)];
      const nullsLast = Number(left === null) - Number(right === null);
      const forward = compare(left, right) || compare(a.id, b.id);
      return (
        compare(groupRank(asked, a), groupRank(asked, b)) || nullsLast || (descending ? -forward : forward)
      );
    });
}

const compare = (a: string | number | null, b: string | number | null): number =>
  a === b || a === null || b === null ? 0 : a < b ? -1 : 1;

function sortValue({ sortBy }: Asked, task: TaskRow): string | number | null {
  if (sortBy === 'position') return task.position;
  if (sortBy === 'updatedAt') return task.updated_at;
  if (sortBy === 'dueDate') return task.due_date;
  if (sortBy === 'priority') return task.priority;
  if (sortBy === 'title') return task.title_key;
  return task.id;
}

function groupRank(asked: Asked, task: TaskRow): number | string {
  const { lists, statuses } = seeded;
  switch (asked.groupBy) {
    case 'priority':
      return asked.sortBy === 'priority' && asked.sortOrder !== 'desc' ? task.priority : -task.priority;
    case 'statusId':
      return statuses.findIndex(({ id }) => id === task.status_id);
    case 'listId':
      return lists.findIndex(({ id }) => id === task.list_id);
    case 'assigneeId':
      return ['Ada', 'Bob', 'érika', 'Zoë', null].indexOf(nameOf(task.assignee_id));
    case 'dueDate': {
      const latestFirst = asked.sortBy === 'dueDate' && asked.sortOrder === 'desc';
      return task.due_date === null
        ? Infinity
        : Date.parse(task.due_date.slice(0, 10)) * (latestFirst ? -1 : 1);
    }
    default:
      return 0;
  }
}

const nameOf = (id: string | null) => seeded.people.find((person) => person.id === id)?.name ?? null;

function groupKey(asked: Asked, task: TaskRow): string | null {
  if (asked.groupBy === 'priority') return PRIORITIES[task.priority] ?? null;
  if (asked.groupBy === 'statusId') return task.status_id;
  if (asked.groupBy === 'listId') return task.list_id;
  if (asked.groupBy === 'assigneeId') return task.assignee_id;
  return task.due_date?.slice(0, 10) ?? null;
}

/** Questions with none, one or several values for every parameter. */
function questions(): fc.Arbitrary<Asked> {
  const { lists, statuses, people, series } = seeded;
  const anyOf = (...values: string[]) =>
    fc.subarray(values, { minLength: 1, maxLength: 3 }).map((some) => some.join(','));
  const instant = fc.nat(28).map((halfDays) => toInstant(START + (halfDays - 2) * (DAY / 2)));
  const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 4) => fc.option(value, { nil: undefined, freq });
  return fc
    .record({
      assigneeId: maybe(anyOf('me', 'none', ...idsOf(people), newId(START)), 2),
      creatorId: maybe(anyOf(...idsOf(people)), 1),
      listId: maybe(anyOf(...idsOf(lists), newId(START)), 2),
      spaceId: maybe(anyOf(...lists.map(({ spaceId }) => spaceId)), 1),
      statusId: maybe(anyOf(...idsOf(statuses)), 1),
      statusType: maybe(anyOf('unstarted', 'started', 'completed', 'canceled'), 1),
      completed: maybe(fc.constantFrom('true', 'false'), 1),
      priority: maybe(anyOf(...PRIORITIES), 2),
      recurringTaskId: maybe(anyOf(...series, newId(START)), 1),
      dueAfter: maybe(instant, 1),
      dueBefore: maybe(instant, 1),
      sortBy: maybe(fc.constantFrom('position', 'createdAt', 'updatedAt', 'dueDate', 'priority', 'title')),
      sortOrder: maybe(fc.constantFrom('asc', 'desc')),
      groupBy: maybe(fc.constantFrom('priority', 'statusId', 'assigneeId', 'listId', 'dueDate')),
      page: fc.constantFrom('1', '1', '1', '2', '3', '9'),
      limit: fc.constantFrom('7', '20', '100'),
    })
    .map(
      (asked) =>
        Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Asked,
    );
}

describe('every question', () => {
  it('is as the rows say: items, order, total, groups', async () => {
    await fc.assert(
      fc.asyncProperty(questions(), async (asked) => {
        const body = await ask(asked);
        const tasks = expected(asked);
        const [page, limit] = [Number(asked.page), Number(asked.limit)];
        const onPage = tasks.slice((page - 1) * limit, page * limit);
        expect(idsOf(body.items)).toEqual(idsOf(onPage));
        expect(body).toMatchObject({ page, limit, total: tasks.length });
        expect(body.groups !== undefined).toBe(asked.groupBy !== undefined);
        if (asked.groupBy === undefined) return;
        const keyOf = (task: TaskRow) => groupKey(asked, task);
        const found = body.groups.filter(({ taskIds }: { taskIds: string[] }) => taskIds.length > 0);
        expect(found.map(({ key, total, taskIds }: never) => ({ key, total, taskIds }))).toEqual(
          Array.from(Map.groupBy(onPage, keyOf), ([key, some]) => ({
            key,
            total: tasks.filter((task) => keyOf(task) === key).length,
            taskIds: idsOf(some),
          })),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is the same by the list of tasks, which knows no groupBy', async () => {
    const asked = { sortBy: 'title', groupBy: 'listId', priority: 'low,high', limit: '30' };
    const { body } = await get('/tasks', asked);
    const { groupBy: _, ...ungrouped } = asked;
    expect(body).toEqual(await ask(ungrouped));
    expect((await get('/tasks', { groupBy: 'nonsense' })).status).toBe(200);
  });

  it.each(['position', 'createdAt', 'updatedAt', 'dueDate', 'priority', 'title'])(
    'shows every task once, page by page, by %s',
    async (sortBy) => {
      for (const groupBy of [undefined, 'dueDate', 'statusId']) {
        for (const sortOrder of ['asc', 'desc']) {
          const asked = { sortBy, sortOrder, limit: '37', ...(groupBy && { groupBy }) };
          const seen: string[] = [];
          for (let page = 1; seen.length < seeded.tasks.length; page += 1) {
            const { items } = await ask({ ...asked, page: String(page) });
            expect(items.length).toBeGreaterThan(0);
            seen.push(...idsOf(items));
          }
          expect(seen).toEqual(idsOf(expected(asked)));
        }
      }
    },
  );
});

describe('filters', () => {
  it('are sorted by default by creation, ascending', async () => {
    const { body } = await get('/tasks', {});
    expect(body).toMatchObject({ page: 1, limit: 50, total: 400 });
    expect(idsOf(body.items)).toEqual(idsOf(seeded.tasks.slice(0, 50)));
  });

  it('understand me and none among the assignees', async () => {
    const { items, total } = await ask({ assigneeId: 'me,none' });
    expect(total).toBe(expected({ assigneeId: 'me,none' }).length);
    expect(new Set(items.map((task: { assigneeId: string }) => task.assigneeId))).toEqual(
      new Set([seeded.ada.id, null]),
    );
  });

  it('take dueAfter inclusively and dueBefore exclusively, in any offset', async () => {
    const [some] = seeded.tasks.flatMap(({ due_date }) => due_date ?? []).sort();
    const instant = some ?? '';
    const next = toInstant(Date.parse(instant) + 1);
    const many = seeded.tasks.filter(({ due_date }) => due_date === instant).length;
    const inBerlin = `${toInstant(Date.parse(instant) + 3_600_000).slice(0, -1)}+01:00`;
    expect((await ask({ dueAfter: instant, dueBefore: next })).total).toBe(many);
    expect((await ask({ dueAfter: inBerlin, dueBefore: next })).total).toBe(many);
    expect((await ask({ dueBefore: instant })).total).toBe(0);
    expect((await ask({ dueAfter: next, dueBefore: instant })).total).toBe(0);
  });

  it('understand the bare plus of an offset in a URL', async () => {
    const url = `/workspaces/${seeded.workspaceId}/tasks/query?dueAfter=2026-03-28T00:00:00+02:00`;
    const { status, body } = await seeded.world.call('GET', url, { token: seeded.ada.accessToken });
    expect(status).toBe(200);
    expect(body.total).toBe(expected({ dueAfter: '2026-03-27T22:00:00.000Z' }).length);
  });

  it('put missing due dates last either way', async () => {
    for (const sortOrder of ['asc', 'desc']) {
      const { items } = await ask({ sortBy: 'dueDate', sortOrder, page: '4' });
      expect(items.at(-1).dueDate).toBeNull();
      expect((await ask({ sortBy: 'dueDate', sortOrder })).items[0].dueDate).not.toBeNull();
    }
  });

  it('match nothing where an id is well-formed but unknown', async () => {
    for (const name of ['assigneeId', 'creatorId', 'listId', 'spaceId', 'statusId', 'recurringTaskId']) {
      expect(await ask({ [name]: newId(START) })).toMatchObject({ items: [], total: 0 });
      expect(await ask({ [name]: newId(START), groupBy: 'dueDate' })).toMatchObject({
        items: [],
        total: 0,
        groups: [],
      });
    }
  });

  it.each([
    ['listId', 'x'],
    ['listId', ''],
    ['listId', `${newId(START)},`],
    ['listId', `${newId(START)},x`],
    ['listId', `${newId(START)}, ${newId(START)}`],
    ['spaceId', 'me'],
    ['creatorId', 'none'],
    ['statusId', '__proto__'],
    ['recurringTaskId', "' or 1=1 --"],
    ['assigneeId', 'you'],
    ['assigneeId', 'me,,none'],
    ['statusType', 'done'],
    ['statusType', 'started,'],
    ['priority', 'Urgent'],
    ['priority', '4'],
    ['priority', 'low;drop table tasks'],
    ['completed', 'yes'],
    ['completed', ''],
    ['dueAfter', '2026-02-30T00:00:00Z'],
    ['dueAfter', '2026-2-3'],
    ['dueBefore', '2026-02-03T00:00:00'],
    ['dueBefore', '2026-02-03 00:00:00Z'],
    ['dueBefore', 'tomorrow'],
    ['sortBy', 'id'],
    ['sortBy', 'title desc'],
    ['sortBy', '__proto__'],
    ['sortOrder', 'ASC'],
    ['groupBy', 'priority;drop'],
    ['groupBy', 'constructor'],
    ['groupBy', ''],
    ['groupBy', 'x'.repeat(1_000)],
    ['page', '0'],
    ['limit', '-1'],
  ])('reject %s=%s, at its path', async (name, value) => {
    const { status, body } = await get('/tasks/query', { [name]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'ValidationError', issues: [{ path: name }] });
    expect(body.issues).toHaveLength(1);
  });

  it('reject all of what is wrong at once, and a parameter given twice', async () => {
    const { body } = await get('/tasks/query', { listId: 'x', sortBy: 'x', dueAfter: 'x' });
    expect(pathsOf(body).sort()).toEqual(['dueAfter', 'listId', 'sortBy']);
    const twice = await seeded.world.call(
      'GET',
      `/workspaces/${seeded.workspaceId}/tasks?priority=low&priority=high`,
      { token: seeded.ada.accessToken },
    );
    expect(twice.status).toBe(400);
    expect(twice.body.issues).toMatchObject([{ path: 'priority' }]);
  });

  it('are bounded to a page of a hundred, and have pages past the end', async () => {
    expect(await ask({ limit: '5000' })).toMatchObject({ limit: 100, total: 400 });
    expect(await ask({ page: '9007199254740993' })).toMatchObject({ items: [], total: 400 });
    expect(await ask({ page: '99', groupBy: 'dueDate' })).toMatchObject({
      items: [],
      groups: [],
      total: 400,
    });
  });
});

describe('groups', () => {
  const labels = async (groupBy: string, more: Asked = {}) => {
    const found: string[] = [];
    for (let page = 1; page <= 4; page += 1) {
      const { groups } = await ask({ groupBy, page: String(page), ...more });
      for (const { label } of groups) if (!found.includes(label)) found.push(label);
    }
    return found;
  };

  it('come most urgent first, unless tasks are asked for by ascending priority', async () => {
    expect(await labels('priority')).toEqual(['Urgent', 'High', 'Medium', 'Low', 'No priority']);
    expect(await labels('priority', { sortBy: 'priority' })).toEqual([
      'No priority',
      'Low',
      'Medium',
      'High',
      'Urgent',
    ]);
  });

  it('come by status as in the templates', async () => {
    expect(await labels('statusId')).toEqual([
      'To Do',
      'In Progress',
      'Done',
      'Idea',
      'Draft',
      'Printed',
      'Dropped',
    ]);
  });

  it("come by the assignee's name, whatever its case and accents, and nobody last", async () => {
    expect(await labels('assigneeId')).toEqual(['Ada', 'Bob', 'érika', 'Zoë', 'No assignee']);
  });

  it('come by list as the lists are listed', async () => {
    expect(await labels('listId')).toEqual([...new Set(seeded.lists.map(({ title }) => title))]);
  });

  it('come day by day in UTC, the latest first where asked so, undated tasks last', async () => {
    const days = [...new Set(seeded.tasks.flatMap(({ due_date }) => due_date?.slice(0, 10) ?? []))].sort();
    expect(await labels('dueDate')).toEqual([...days, 'No due date']);
    const latestFirst = await labels('dueDate', { sortBy: 'dueDate', sortOrder: 'desc' });
    expect(latestFirst).toEqual([...days.reverse(), 'No due date']);
  });

  it('have null for a key where there is no value, and only there', async () => {
    const last = async (groupBy: string) =>
      (await ask({ groupBy, page: '4' })).groups.at(-1) as { key: string | null };
    expect((await last('assigneeId')).key).toBeNull();
    expect((await last('dueDate')).key).toBeNull();
    expect((await last('priority')).key).toBe('none');
  });

  it('show every status of a single list, also without tasks, on every page', async () => {
    const list = seeded.lists.at(-1);
    const { statuses = [], id: listId = '' } = list ?? {};
    for (const more of [{}, { page: '50' }, { assigneeId: newId(START) }, { priority: 'low', limit: '1' }]) {
      const asked: Asked = { listId, groupBy: 'statusId', ...more };
      const { groups } = await ask(asked);
      expect(groups.map(({ key }: { key: string }) => key)).toEqual(idsOf(statuses));
      for (const { key, total } of groups) {
        expect(total).toBe(expected(asked).filter((task) => task.status_id === key).length);
      }
    }
    const two = await ask({
      listId: `${listId},${newId(START)}`,
      groupBy: 'statusId',
      assigneeId: newId(START),
    });
    expect(two.groups).toEqual([]);
  });
});

describe('tasks that change', () => {
  it('are counted as they are', async () => {
    const { world, lists, statuses, workspaceId, ada } = await seedTasks(40);
    const call = async (method: string, path: string, body?: object) =>
      (await world.call(method, `/workspaces/${workspaceId}${path}`, { token: ada.accessToken, body })).body;
    const totals = async () =>
      Promise.all(
        ['listId', 'statusId', 'priority', 'assigneeId', 'dueDate'].map(async (groupBy) => {
          const { groups, total, items } = await call('GET', `/tasks/query?limit=100&groupBy=${groupBy}`);
          expect(total).toBe(items.length);
          for (const group of groups) expect(group.taskIds).toHaveLength(group.total);
        }),
      );
    const { id } = await call('POST', '/tasks', { title: 'New', listId: lists[0]?.id, priority: 'urgent' });
    await totals();
    await call('PATCH', `/tasks/${id}`, { priority: 'low', assigneeId: ada.id, statusId: statuses[2]?.id });
    await totals();
    await call('POST', `/tasks/${id}/move`, { listId: lists[1]?.id });
    await totals();
    await call('DELETE', `/tasks/${id}`);
    await call('DELETE', `/lists/${lists.at(-1)?.id}`);
    await totals();
  });
});

describe('pages in the midst of very many matches', () => {
  it('follow each other as the whole order does, whatever the matches are ordered by', async () => {
    const { world, ada, home } = await openHome();
    const bob = await joined(world, ada, home, 'member');
    for (const { id: creatorId } of [ada, bob, ada, bob]) {
      await addTasks(world, home, 1_500, { creatorId, title: `Task of ${creatorId}` });
    }
    const columns = {
      title: 'title_key',
      updatedAt: 'updated_at',
      position: 'position',
      priority: 'priority',
    };
    for (const [sortBy, column] of Object.entries(columns)) {
      const sql = `select id from tasks where creator_id = ? order by ${column} desc, seq desc`;
      const inOrder = world.values(sql, ada.id);
      const asked = `creatorId=${ada.id}&sortBy=${sortBy}&sortOrder=desc&limit=100`;
      for (const page of [14, 16, 30]) {
        const path = `/workspaces/${home}/tasks/query?${asked}&page=${page}`;
        const { body } = await as(world, ada)('GET', path);
        expect(idsOf(body.items)).toEqual(inOrder.slice((page - 1) * 100, page * 100));
      }
    }
  });
});
