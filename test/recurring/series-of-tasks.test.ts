import { afterEach, describe, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { DAILY, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(w.world));

const makeTask = (more: Record<string, unknown> = {}) =>
  w.ok('POST', `${w.inside}/tasks`, { title: 'Water', listId: w.list.id, ...more });
const comment = (taskId: string) =>
  w.ok('POST', `${w.inside}/tasks/${taskId}/comments`, { body: 'With rain' });
const repeat = (taskId: string, more: Record<string, unknown> = {}) =>
  w.call('POST', w.series, { taskId, interval: DAILY, ...more });
const rejectedAt = (taskId: string, more: object = {}) =>
  w.rejectedAt('POST', w.series, { taskId, interval: DAILY, ...more });
const remove = (seriesId: string, query = '') => w.call('DELETE', `${w.series}/${seriesId}${query}`);

describe('a task becomes a series', () => {
  it('as its first instance, with all that it had but the due date', async () => {
    const label = (await w.ok('POST', `${w.inside}/labels`, { title: 'Shop' })).id;
    const started = w.list.statuses[1].id;
    const task = await makeTask({
      description: 'Not the cactus',
      priority: 'high',
      statusId: started,
      assigneeId: w.owner.id,
      dueDay: '2027-01-01',
      startDay: '2026-12-30',
      labelIds: [label],
      checklist: [{ title: 'Can', isDone: true }, { title: 'Cloth' }],
    });
    await comment(task.id);
    const { status, body: series } = await repeat(task.id);
    expect(status).toBe(201);
    const items = task.checklist.map((item: object) => ({ ...item, isDone: false }));
    expect(series).toMatchObject({
      title: 'Water',
      description: 'Not the cactus',
      priority: 'high',
      assigneeId: w.owner.id,
      listId: w.list.id,
      labelIds: [label],
      checklist: items,
      state: 'active',
      nextRunAt: '2026-03-28T08:00:00.000Z',
      nextTaskId: task.id,
      nextOccurrenceNumber: 1,
    });
    const instance = await w.task(task.id);
    expect(instance).toEqual({
      ...task,
      dueDay: null,
      dueDate: '2026-03-28T08:00:00.000Z',
      commentCount: 1,
      recurrence: {
        recurringTaskId: series.id,
        occurrenceAt: '2026-03-28T08:00:00.000Z',
        occurrenceNumber: 1,
        overridden: [],
      },
      updatedAt: instance.updatedAt,
      ...('version' in task && { version: instance.version }),
    });
    await w.complete(task.id);
    const next = await w.upcoming(series.id);
    expect(next).toMatchObject({
      title: 'Water',
      labelIds: [label],
      checklist: items,
      commentCount: 0,
      statusId: w.list.statuses[0].id,
      dueDate: '2026-03-29T07:00:00.000Z',
    });
  });

  it('changed by what is given', async () => {
    const task = await makeTask({ checklist: [{ title: 'Can', isDone: true }], priority: 'low' });
    const { body: series } = await repeat(task.id, {
      title: 'Water the roses',
      listId: w.list.id,
      checklist: [{ id: task.checklist[0].id }, { title: 'Cloth' }],
      startsAt: '2026-04-01T00:00:00Z',
      endCondition: { type: 'count', count: 2 },
    });
    expect(series).toMatchObject({ title: 'Water the roses', priority: 'low', endCondition: { count: 2 } });
    expect(await w.task(task.id)).toMatchObject({
      title: 'Water the roses',
      dueDate: '2026-04-01T07:00:00.000Z',
      checklist: [{ title: 'Can', isDone: true }, { title: 'Cloth' }],
      recurrence: { overridden: [] },
    });
    await w.at('2026-04-01T12:00:00Z');
    const next = await w.upcoming(series.id);
    expect(next.checklist).toEqual(series.checklist);
    expect(series.checklist.map(({ isDone }: { isDone: boolean }) => isDone)).toEqual([false, false]);
  });

  it('only while it is open, of no series and of this workspace', async () => {
    const done = await makeTask({ statusId: w.done });
    const { nextTaskId } = await w.create();
    const other = await w.ok('POST', '/workspaces', { title: 'Other' });
    const [list] = (await w.ok('GET', `/workspaces/${other.id}/lists`)).items;
    const foreign = await w.ok('POST', `/workspaces/${other.id}/tasks`, { title: 'x', listId: list.id });
    for (const id of [done.id, nextTaskId, foreign.id, '0199a1b2-0000-7000-8000-00000000000a', 'nonsense']) {
      expect(await rejectedAt(id)).toEqual(['taskId']);
    }
    expect(await w.task(done.id)).toEqual(done);
  });

  it('where list, people, labels and items will do, and the rule has a future', async () => {
    const task = await makeTask();
    const list = await w.anotherList();
    expect(await rejectedAt(task.id, { listId: list.id })).toEqual(['listId']);
    const unknown = '0199a1b2-0000-7000-8000-00000000000a';
    const wrong = { assigneeId: unknown, labelIds: [unknown], checklist: [{}] };
    expect((await rejectedAt(task.id, wrong)).toSorted()).toEqual([
      'assigneeId',
      'checklist.0.title',
      'labelIds',
    ]);
    const past = { endCondition: { type: 'date', endDate: '2026-01-01' } };
    expect(await rejectedAt(task.id, past)).toEqual(['endCondition']);
    expect(await w.task(task.id)).toEqual(task);
  });

  it('needs no title and no list, which a series of no task does', async () => {
    expect(await w.rejectedAt('POST', w.series, { interval: DAILY })).toEqual(['title', 'listId']);
  });
});

describe('a deleted series', () => {
  it('leaves the task that it was made of, and one with comments', async () => {
    const task = await makeTask();
    const { body: series } = await repeat(task.id);
    expect((await remove(series.id)).status).toBe(204);
    expect((await w.task(task.id)).recurrence).toMatchObject({ recurringTaskId: null });
    const other = await w.create();
    await comment(other.nextTaskId);
    await remove(other.id, '?keepUpcoming=false');
    expect((await w.task(other.nextTaskId)).recurrence).toMatchObject({ recurringTaskId: null });
    const plain = await w.create();
    await remove(plain.id);
    expect((await w.call('GET', `${w.inside}/tasks/${plain.nextTaskId}`)).status).toBe(404);
    const again = await repeat(task.id);
    expect(again.status).toBe(201);
  });

  it('leaves the upcoming instance as an ordinary task where that is asked for', async () => {
    const { id, first, nextTaskId } = await w.createBegun({ title: 'Keep' });
    await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { priority: 'high' });
    for (const text of ['yes', '1', '', 'TRUE']) {
      const path = `${w.series}/${id}?keepUpcoming=${text}`;
      expect(await w.rejectedAt('DELETE', path)).toEqual(['keepUpcoming']);
    }
    expect((await remove(id, '?keepUpcoming=true')).status).toBe(204);
    expect(await w.task(nextTaskId)).toMatchObject({
      title: 'Keep',
      priority: 'high',
      dueDate: '2026-03-29T07:00:00.000Z',
      recurrence: null,
    });
    expect((await w.task(first)).recurrence).toMatchObject({ recurringTaskId: null });
  });
});
