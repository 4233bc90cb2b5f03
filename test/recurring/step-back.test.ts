import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { statement } from '../../src/db/connection.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(w.world));

const back = (id: string, occurrenceAt?: string) =>
  w.call('POST', `${w.series}/${id}/step-back`, { occurrenceAt });
const stepBack = async (id: string) => {
  const { nextRunAt } = await w.read(id);
  return w.ok('POST', `${w.series}/${id}/step-back`, { occurrenceAt: nextRunAt });
};
const cannot = async (id: string) => {
  const before = [await w.read(id), w.instances(id)];
  const response = await back(id, (await w.read(id)).nextRunAt ?? '2026-03-30T07:00:00Z');
  expect(response).toMatchObject({ status: 400, body: { error: 'BadRequestError' } });
  expect([await w.read(id), w.instances(id)]).toEqual(before);
};
const change = (taskId: string, fields: unknown) => w.ok('PATCH', `${w.inside}/tasks/${taskId}`, fields);

/** All that the API shows of a series, but for its versions. */
const stateOf = async (id: string) => {
  const plain = ({ updatedAt: _, version: __, ...rest }: Record<string, unknown>) => rest;
  const { items } = await w.ok('GET', `${w.series}/${id}/instances`);
  return {
    series: plain(await w.read(id)),
    tasks: items.map(plain),
    occurrences: w.occurrences(id),
    coming: await w.ok('GET', `${w.series}/${id}/occurrences`),
  };
};

describe('a step back', () => {
  it('takes back a completion: the earlier task is open in the status it had, the later one gone for good', async () => {
    const started = w.list.statuses[1].id;
    const series = await w.create({ checklist: [{ title: 'Can' }] });
    await change(series.nextTaskId, { statusId: started, title: 'Roses' });
    const before = await stateOf(series.id);
    await w.complete(series.nextTaskId);
    const later = (await w.read(series.id)).nextTaskId;
    expect(later).not.toBe(series.nextTaskId);
    const response = await stepBack(series.id);
    expect(response).toMatchObject({ id: series.id, nextTaskId: series.nextTaskId, nextOccurrenceNumber: 1 });
    expect(await stateOf(series.id)).toEqual(before);
    expect((await w.call('GET', `${w.inside}/tasks/${later}`)).status).toBe(404);
    await w.complete(series.nextTaskId);
    expect((await w.upcoming(series.id)).recurrence.occurrenceNumber).toBe(2);
  });

  it('takes back a skip, whose task is made again with its id and number', async () => {
    const series = await w.create({ checklist: [{ title: 'Can' }], priority: 'high' });
    const before = await stateOf(series.id);
    await w.skip(series.id);
    await stepBack(series.id);
    expect(await stateOf(series.id)).toEqual(before);
    const again = await w.skip(series.id, { occurrenceAt: before.series.nextRunAt });
    expect(again.skipped.occurrenceNumber).toBe(1);
  });

  it('takes back a deletion for good, by the template as it is', async () => {
    const series = await w.create();
    const { number } = await w.upcoming(series.id);
    await w.ok('DELETE', `${w.inside}/tasks/${series.nextTaskId}?permanent=true`);
    await stepBack(series.id);
    expect(await w.upcoming(series.id)).toMatchObject({ id: series.nextTaskId, number, title: 'Water' });
  });

  it('gives a task that is made again a version it never had', async () => {
    const series = await w.create();
    const { version } = await change(series.nextTaskId, { title: 'Own' });
    await w.skip(series.id);
    await stepBack(series.id);
    expect((await w.upcoming(series.id)).version).toBeGreaterThan(version);
    const done = await w.complete(series.nextTaskId);
    await w.ok('DELETE', `${w.inside}/tasks/${series.nextTaskId}?permanent=true`);
    await stepBack(series.id);
    expect((await w.upcoming(series.id)).version).toBeGreaterThan(done.version);
  });

  it('responds with the series as it is read then, its version too', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    expect(await stepBack(id)).toEqual(await w.read(id));
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    expect(await stepBack(id)).toEqual(await w.read(id));
  });

  it('brings the task back from the trash as it was, a done one too', async () => {
    const series = await w.create({ checklist: [{ title: 'Can' }] });
    const task = await w.upcoming(series.id);
    await w.ok('POST', `${w.inside}/tasks/${task.id}/comments`, { body: 'x' });
    await change(task.id, { title: 'Own', checklist: [{ ...task.checklist[0], isDone: true }] });
    const before = await stateOf(series.id);
    await w.ok('DELETE', `${w.inside}/tasks/${task.id}`);
    await stepBack(series.id);
    expect(await stateOf(series.id)).toEqual(before);
    await w.complete(task.id);
    await w.ok('DELETE', `${w.inside}/tasks/${task.id}`);
    await stepBack(series.id);
    expect(await stateOf(series.id)).toEqual(before);
    expect((await w.ok('GET', `${w.inside}/trash`)).total).toBe(0);
  });

  it('leaves a task alone that was restored from the trash as an ordinary one', async () => {
    const series = await w.create();
    await w.ok('DELETE', `${w.inside}/tasks/${series.nextTaskId}`);
    await w.ok('POST', `${w.inside}/trash/${series.nextTaskId}/restore`);
    expect((await w.task(series.nextTaskId)).recurrence).toBeNull();
    await cannot(series.id);
    await w.ok('DELETE', `${w.inside}/tasks/${series.nextTaskId}`);
    await cannot(series.id);
    await w.ok('DELETE', `${w.inside}/trash/${series.nextTaskId}`);
    await cannot(series.id);
  });

  it('leaves a task in the trash that was none of the series any more', async () => {
    const [other, third] = [await w.anotherList(), await w.anotherList()];
    const series = await w.create({ listId: other.id });
    const path = `${w.inside}/tasks/${series.nextTaskId}`;
    await w.complete(series.nextTaskId);
    await w.ok('POST', `${path}/move`, { listId: third.id });
    await w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    const { version } = await w.task(series.nextTaskId);
    await w.ok('DELETE', path);
    await w.ok('POST', `${w.inside}/trash/${other.id}/restore`);
    await cannot(series.id);
    await w.ok('DELETE', `${w.inside}/trash/${series.nextTaskId}`);
    await stepBack(series.id);
    const made = await w.upcoming(series.id);
    expect(made.recurrence.recurringTaskId).toBe(series.id);
    expect(made.id !== series.nextTaskId || made.version > version).toBe(true);
  });

  it('brings the task back into the list of the series where its own is gone', async () => {
    const other = await w.anotherList();
    const series = await w.create();
    await w.ok('POST', `${w.inside}/tasks/${series.nextTaskId}/move`, { listId: other.id });
    await w.ok('DELETE', `${w.inside}/tasks/${series.nextTaskId}`);
    await w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    await stepBack(series.id);
    expect(await w.upcoming(series.id)).toMatchObject({ id: series.nextTaskId, listId: w.list.id });
  });

  it('is possible several times, also over what a step brought back with comments and ticks', async () => {
    const series = await w.create({ checklist: [{ title: 'Can' }] });
    const states = [await stateOf(series.id)];
    await w.complete(series.nextTaskId);
    const second = await w.upcoming(series.id);
    await w.ok('POST', `${w.inside}/tasks/${second.id}/comments`, { body: 'x' });
    await change(second.id, { title: 'Own', checklist: [{ ...second.checklist[0], isDone: true }] });
    states.push(await stateOf(series.id));
    await w.complete(second.id);
    states.push(await stateOf(series.id));
    await w.skip(series.id);
    await stepBack(series.id);
    expect(await stateOf(series.id)).toEqual(states.pop());
    await stepBack(series.id);
    expect(await stateOf(series.id)).toEqual(states.pop());
    await stepBack(series.id);
    expect(await stateOf(series.id)).toEqual(states.pop());
    await cannot(series.id);
  });

  it('is rejected once someone changed the upcoming instance, or the one that was brought back', async () => {
    const series = await w.create({ checklist: [{ title: 'Can' }] });
    await w.complete(series.nextTaskId);
    const second = await w.upcoming(series.id);
    await change(second.id, { checklist: [{ ...second.checklist[0], isDone: true }] });
    await cannot(series.id);
    await change(second.id, { checklist: second.checklist });
    await w.complete(second.id);
    await stepBack(series.id);
    await w.ok('POST', `${w.inside}/tasks/${second.id}/comments`, { body: 'x' });
    await cannot(series.id);
    await w.complete(second.id);
    await stepBack(series.id);
    await change(second.id, { priority: 'low' });
    await cannot(series.id);
  });

  it.each<[string, (series: { id: string; nextTaskId: string }) => Promise<unknown>]>([
    ['a change of rule', ({ id }) => w.patch(id, { endCondition: { type: 'count', count: 9 } })],
    ['a change of template', ({ id }) => w.patch(id, { title: 'New' })],
    [
      'pause and resume',
      async ({ id }) => {
        await w.ok('POST', `${w.series}/${id}/pause`);
        await w.ok('POST', `${w.series}/${id}/resume`);
      },
    ],
    ['the time of the earlier one', () => w.at('2026-03-28T09:00:00Z')],
    ['the time of the upcoming one', () => w.at('2026-03-29T09:00:00Z')],
  ])('cannot reach behind %s', async (_, act) => {
    const series = await w.create();
    await w.complete(series.nextTaskId);
    await act(series);
    await cannot(series.id);
  });

  it('waits, as a skip does, for tasks that are on their way into the trash or out of it', async () => {
    const other = await w.anotherList();
    await addTasks(w.world, w.workspaceId, 2_100, { listId: other.id });
    const [first, second] = [await w.create(), await w.create()];
    await w.complete(second.nextTaskId);
    for (const { nextTaskId } of [first, second])
      await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, {
        listId: other.id,
        position: 1_000 * 1_024,
      });
    const { nextRunAt } = await w.read(second.id);
    const askFor = async (moved: Promise<unknown>, isUnderWay: string) => {
      while (w.world.deps.read.all(statement(isUnderWay, [])).length === 0) await new Promise(setImmediate);
      const skipped = await w.call('POST', `${w.series}/${first.id}/skip`);
      const back = await w.call('POST', `${w.series}/${second.id}/step-back`, { occurrenceAt: nextRunAt });
      await moved;
      return [skipped.status, back.status];
    };
    const before = [w.states(first.id), w.states(second.id)];
    const removed = w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    expect(await askFor(removed, 'select 1 from trash')).toEqual([400, 400]);
    const restored = w.ok('POST', `${w.inside}/trash/${other.id}/restore`);
    const isBack = `select 1 from tasks where id = '${second.nextTaskId}'`;
    expect(await askFor(restored, isBack)).toEqual([400, 400]);
    expect([w.states(first.id), w.states(second.id)]).toEqual(before);
  });

  it('cannot reach behind a split, in either part', async () => {
    const series = await w.create();
    await w.complete(series.nextTaskId);
    await w.complete((await w.upcoming(series.id)).id);
    const third = await w.upcoming(series.id);
    const split = await w.edit(series.id, third.id, 'following', { title: 'New' });
    await cannot(split.recurrence.recurringTaskId);
    await cannot(series.id);
  });

  it('keeps what a step can take back through edits that leave rule and template as they are', async () => {
    const series = await w.create();
    await w.complete(series.nextTaskId);
    await w.patch(series.id, { title: 'Water', catchUp: 'all' });
    await w.edit(series.id, series.nextTaskId, 'this', { title: 'Done well' });
    await stepBack(series.id);
    expect(await w.upcoming(series.id)).toMatchObject({
      id: series.nextTaskId,
      title: 'Done well',
      recurrence: { overridden: ['title'] },
    });
  });

  it('puts a task that was opened again in its place', async () => {
    const series = await w.create();
    await w.complete(series.nextTaskId);
    await w.reopen(series.nextTaskId);
    await stepBack(series.id);
    expect(w.instances(series.id)).toHaveLength(1);
    expect((await w.read(series.id)).nextTaskId).toBe(series.nextTaskId);
  });

  it('gives the first open status where the one before is gone', async () => {
    const series = await w.create();
    await change(series.nextTaskId, { statusId: w.list.statuses[1].id });
    await w.complete(series.nextTaskId);
    const template = `${w.inside}/status-templates/${w.list.statusTemplateId}`;
    const { statuses } = await w.ok('GET', template);
    await w.ok('PATCH', template, { statuses: [statuses[0], statuses[2]] });
    await stepBack(series.id);
    expect(await w.upcoming(series.id)).toMatchObject({
      statusId: statuses[0].id,
      completedAt: null,
      recurrence: { overridden: [] },
    });
  });

  it('takes back that a status became a completed one', async () => {
    const series = await w.create();
    const template = `${w.inside}/status-templates/${w.list.statusTemplateId}`;
    const { statuses } = await w.ok('GET', template);
    const doing = statuses[1];
    await change(series.nextTaskId, { statusId: doing.id });
    await w.ok('PATCH', template, { statuses: [statuses[0], { ...doing, type: 'completed' }, statuses[2]] });
    expect((await w.read(series.id)).nextOccurrenceNumber).toBe(2);
    await stepBack(series.id);
    expect(await w.upcoming(series.id)).toMatchObject({ id: series.nextTaskId, statusId: statuses[0].id });
  });

  it('names the present upcoming occurrence', async () => {
    const series = await w.create();
    await w.complete(series.nextTaskId);
    for (const at of [undefined, series.nextRunAt, 'now']) {
      expect(await back(series.id, at)).toMatchObject({
        status: 400,
        body: { error: 'ValidationError', issues: [{ path: 'occurrenceAt' }] },
      });
    }
    expect((await back('0199a1b2-0000-7000-8000-00000000000a', series.nextRunAt)).status).toBe(404);
  });

  it('is none of a series that made no step, is paused or has ended', async () => {
    const series = await w.create({ endCondition: { type: 'count', count: 2 } });
    await cannot(series.id);
    await w.skip(series.id);
    const { nextRunAt } = await w.read(series.id);
    await w.skip(series.id);
    const rejected = { status: 400, body: { error: 'BadRequestError' } };
    expect(await back(series.id, nextRunAt)).toMatchObject(rejected);
    const other = await w.create();
    await w.complete(other.nextTaskId);
    await w.ok('POST', `${w.series}/${other.id}/pause`);
    expect(await back(other.id, nextRunAt)).toMatchObject(rejected);
  });

  it('notifies nobody of the task that is made again', async () => {
    const series = await w.create({ assigneeId: w.owner.id });
    await w.skip(series.id);
    await stepBack(series.id);
    expect((await w.ok('GET', '/me/notifications')).total).toBe(0);
  });
});

it('after any run of completions, skips and deletions, each step back equals the state before', async () => {
  const act = fc.constantFrom('complete', 'start', 'skip', 'delete', 'tick', 'back');
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      const series = await w.create({ checklist: [{ title: 'Can' }] });
      const states: Awaited<ReturnType<typeof stateOf>>[] = [];
      /** Whether the upcoming instance is as it was made, or as a step brought it back. */
      let isAsMade = true;
      const takeBack = async () => {
        await stepBack(series.id);
        expect(await stateOf(series.id)).toEqual(states.pop());
        isAsMade = true;
      };
      for (const name of acts) {
        const task = await w.upcoming(series.id);
        if (name === 'start') await change(task.id, { statusId: w.list.statuses[1].id });
        if (name === 'tick') await change(task.id, { checklist: [{ ...task.checklist[0], isDone: true }] });
        if (name === 'start' || name === 'tick') {
          isAsMade = false;
        } else if (name === 'back') {
          if (states.length > 0 && isAsMade) await takeBack();
        } else {
          // What is skipped is made again from the template.
          const isPlain = task.recurrence.overridden.length === 0 && !task.checklist[0].isDone;
          if (name === 'skip' && !isPlain) continue;
          states.push(await stateOf(series.id));
          if (name === 'complete') await w.complete(task.id);
          if (name === 'skip') await w.skip(series.id);
          if (name === 'delete') await w.ok('DELETE', `${w.inside}/tasks/${task.id}`);
          isAsMade = true;
        }
      }
      if (isAsMade) while (states.length > 0) await takeBack();
    }),
    { numRuns: 25 },
  );
});
