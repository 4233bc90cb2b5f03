import { describe, expect, it } from 'vitest';
import { SECOND } from '../../src/kernel/instants.ts';
import type { Status } from '../../src/lists/schema.ts';
import { at, call, home, useHome, world } from '../ada.ts';
import { expectIssues } from '../people.ts';

useHome();

const create = (body: object) => call('POST', at('/status-templates'), { title: 'Mine', ...body });
const made = async (body: object = {}) => (await create(body)).body;
const patch = (id: string, body: unknown) => call('PATCH', at(`/status-templates/${id}`), body);
const read = async (id: string) => (await call('GET', at(`/status-templates/${id}`))).body;
const all = async () => (await call('GET', at('/status-templates'))).body.items;
const titlesOf = ({ statuses }: { statuses: Status[] }) => statuses.map(({ title }) => title);
const WORK = [
  { title: 'New', type: 'unstarted', color: '#ABCDEF' },
  { title: 'Doing', type: 'started' },
  { title: 'Testing', type: 'started' },
  { title: 'Shipped', type: 'completed' },
  { title: 'Dropped', type: 'canceled' },
];

describe('a status template', () => {
  it('keeps the order of its statuses, and colours those that bring none', async () => {
    const { status, body } = await create({ title: ' Work ', statuses: WORK });
    expect(status).toBe(201);
    expect(body).toMatchObject({ workspaceId: home, title: 'Work', isDefault: false });
    expect(body.statuses).toMatchObject(WORK.map((entry, i) => ({ ...entry, position: (i + 1) * 1024 })));
    for (const { color } of body.statuses) expect(color).toMatch(/^#[0-9a-f]{6}$/i);
    expect(await read(body.id)).toEqual(body);
    expect((await all()).map(({ title }: { title: string }) => title)).toEqual(['Default', 'Work']);
  });

  it('starts with To Do, In Progress and Done when none are given', async () => {
    expect(titlesOf(await made())).toEqual(['To Do', 'In Progress', 'Done']);
  });

  it('is rejected with every broken field at once', async () => {
    await expectIssues(
      create({
        title: '',
        statuses: [{ title: '', type: 'odd', color: 'red', position: null }, 5, { title: 'T' }],
        isDefault: 'yes',
      }),
      'title',
      'statuses.0.title',
      'statuses.0.type',
      'statuses.0.color',
      'statuses.0.position',
      'statuses.1',
      'statuses.2.type',
      'isDefault',
    );
    for (const color of ['#fff', '#12345g', '2f6feb', '#2f6feb ']) {
      const response = await create({ statuses: WORK.map((entry) => ({ ...entry, color })) });
      expect(response.status).toBe(400);
    }
    const many = Array.from({ length: 51 }, (_, i) => ({ title: `S${i}`, type: WORK[i % 5]?.type }));
    await expectIssues(create({ statuses: many }), 'statuses');
    expect((await create({ statuses: many.slice(1) })).status).toBe(201);
  });

  it('needs an unstarted and a completed status, and each title once', async () => {
    const only = (...types: string[]) => WORK.filter(({ type }) => types.includes(type));
    const { id, ...before } = await made({ statuses: WORK });
    for (const send of [
      (statuses: unknown) => create({ statuses }),
      (statuses: unknown) => patch(id, { statuses }),
    ]) {
      await expectIssues(send([]), 'statuses', 'statuses');
      await expectIssues(send(only('unstarted', 'started')), 'statuses');
      await expectIssues(send(only('completed')), 'statuses');
      await expectIssues(send([...WORK, { title: ' New ', type: 'started' }]), 'statuses.5.title');
    }
    expect(await read(id)).toEqual({ id, ...before });
  });
});

describe('a patch of the statuses', () => {
  it('keeps entries with an id, adds those without, removes the rest, in the order of the array', async () => {
    const before = await made({ statuses: WORK });
    const [fresh, doing, , shipped] = before.statuses;
    world.clock.advance(SECOND);
    const { status, body } = await patch(before.id, {
      statuses: [
        { id: doing.id, title: 'Working', color: '#000000' },
        { title: 'Review', type: 'started' },
        { id: fresh.id },
        { ...shipped, position: 9000 },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ title: 'Mine', updatedAt: '2026-03-27T10:00:01.000Z' });
    expect(body.statuses).toEqual([
      { ...doing, title: 'Working', color: '#000000' },
      { id: expect.any(String), title: 'Review', type: 'started', color: expect.any(String), position: 3072 },
      { ...fresh, position: 4096 },
      { ...shipped, position: 9000 },
    ]);
    expect(await read(before.id)).toEqual(body);
  });

  it('takes the order of an array that is sent back with the positions it was read with', async () => {
    const { id, statuses } = await made({ statuses: WORK });
    const turned = statuses.toReversed();
    const { status, body } = await patch(id, { statuses: turned });
    expect(status).toBe(200);
    const idsOf = (some: { id: string }[]) => some.map((one) => one.id);
    expect(idsOf(body.statuses)).toEqual(idsOf(turned));
    const [last, ...others] = body.statuses;
    const moved = await patch(id, { statuses: [{ ...last, position: 90_000 }, ...others] });
    expect(idsOf(moved.body.statuses)).toEqual(idsOf([...others, last]));
  });

  it('changes nothing when it names what is there', async () => {
    const before = await made({ statuses: WORK });
    world.clock.advance(SECOND);
    for (const nothing of [{}, before, { statuses: before.statuses.map(({ id }: Status) => ({ id })) }]) {
      expect((await patch(before.id, nothing)).body).toEqual(before);
    }
    await expectIssues(
      patch(before.id, { title: null, statuses: null, isDefault: null }),
      'title',
      'statuses',
      'isDefault',
    );
  });

  it('rejects ids that are not of the template, listed twice, or new statuses that lack a field', async () => {
    const before = await made({ statuses: WORK });
    const other = (await all())[0].statuses[0].id;
    const [{ id }] = before.statuses;
    const send = (...entries: unknown[]) => patch(before.id, { statuses: [...before.statuses, ...entries] });
    await expectIssues(send({ id: other, title: 'X', type: 'started' }), 'statuses.5.id');
    await expectIssues(send({ id, title: 'X' }), 'statuses.5.id');
    await expectIssues(send({ id: 'x' }), 'statuses.5.id');
    await expectIssues(send({}), 'statuses.5.title', 'statuses.5.type');
    expect(await read(before.id)).toEqual(before);
  });

  it('moves tasks of a removed status to the first of its type, else to the first', async () => {
    const template = await made({ statuses: WORK });
    const spaceId = (await call('GET', at('/spaces'))).body.items[0].id;
    const list = (await call('POST', at('/lists'), { title: 'L', spaceId, statusTemplateId: template.id }))
      .body;
    const tasks = [];
    for (const { id } of template.statuses) {
      tasks.push((await call('POST', at('/tasks'), { title: 'T', listId: list.id, statusId: id })).body);
    }
    world.clock.advance(SECOND);
    const [fresh, doing, , shipped] = template.statuses;
    const { body } = await patch(template.id, {
      statuses: [{ id: fresh.id }, { id: doing.id, type: 'completed' }, { title: 'QA', type: 'started' }],
    });
    const qa = body.statuses[2].id;
    const after = await Promise.all(
      tasks.map(async ({ id }) => {
        const task = (await call('GET', at(`/tasks/${id}`))).body;
        return [task.statusId, task.completedAt];
      }),
    );
    expect(after).toEqual([
      [fresh.id, null],
      [doing.id, '2026-03-27T10:00:01.000Z'],
      [qa, null],
      [doing.id, tasks[3].completedAt],
      [fresh.id, null],
    ]);
    expect(shipped.id).toBe(tasks[3].statusId);
    expect((await call('GET', at(`/lists/${list.id}`))).body.statuses).toEqual(body.statuses);
  });
});

describe('the default template', () => {
  it('hands its mark to another, and never loses it otherwise', async () => {
    const [first] = await all();
    const second = await made();
    const marks = async () => (await all()).map(({ isDefault }: { isDefault: boolean }) => isDefault);
    await expectIssues(patch(first.id, { isDefault: false }), 'isDefault');
    expect((await patch(second.id, { isDefault: true })).body.isDefault).toBe(true);
    expect(await marks()).toEqual([false, true]);
    const { lists } = (await call('POST', at('/spaces'), { title: 'S' })).body;
    expect(lists[0].statusTemplateId).toBe(second.id);
    expect((await made({ isDefault: true })).isDefault).toBe(true);
    expect(await marks()).toEqual([false, false, true]);
    const both = await Promise.all([
      patch(first.id, { isDefault: true }),
      patch(second.id, { isDefault: true }),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await marks()).toEqual([false, true, false]);
  });

  it('cannot be deleted, nor can one that lists use', async () => {
    const [first] = await all();
    const second = await made();
    const remove = (id: string) => call('DELETE', at(`/status-templates/${id}`));
    expect(await remove(first.id)).toMatchObject({ status: 400, body: { error: 'BadRequestError' } });
    const list = (await call('GET', at('/lists'))).body.items[0];
    await call('PATCH', at(`/lists/${list.id}`), { statusTemplateId: second.id });
    expect(await remove(second.id)).toMatchObject({ status: 400, body: { error: 'BadRequestError' } });
    await call('DELETE', at(`/lists/${list.id}`));
    expect((await remove(second.id)).status).toBe(204);
    expect((await remove(second.id)).status).toBe(404);
  });
});
