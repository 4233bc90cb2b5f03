import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { joined } from '../people.ts';
import { count, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

describe('an instance', () => {
  it('marks what a change of its own overrides, by edit-mode, by the task and by a move', async () => {
    const other = await w.anotherList();
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', {
      title: 'Mine',
      statusId: w.list.statuses[1].id,
      listId: other.id,
    });
    await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { priority: 'low' });
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: w.list.id });
    const { recurrence, listId, title } = await w.task(nextTaskId);
    expect(new Set(recurrence.overridden)).toEqual(new Set(['title', 'statusId', 'listId', 'priority']));
    expect([listId, title]).toEqual([w.list.id, 'Mine']);
    expect(await w.read(id)).toMatchObject({ title: 'Water', priority: 'none', listId: w.list.id });
  });

  it('rejects an edit that says nothing, something unknown or what one instance alone may have', async () => {
    const { id, nextTaskId } = await w.create();
    const path = `${w.series}/${id}/instances/${nextTaskId}/edit-mode`;
    const dueDate = '2026-03-29T08:00:00.000Z';
    const statusId = w.done;
    const unknown = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';
    const title = 'New';
    for (const [body, paths] of [
      [{ mode: 'some', updates: { title } }, ['mode']],
      [{ updates: { title } }, ['mode']],
      [{ mode: 'this' }, ['updates']],
      [{ mode: 'this', updates: {} }, ['updates']],
      [{ mode: 'this', updates: { colour: 'red' } }, ['updates']],
      [{ mode: 'this', updates: [] }, ['updates']],
      [{ mode: 'all', updates: { dueDate } }, ['updates.dueDate']],
      [{ mode: 'all', updates: { dueDate: null } }, ['updates.dueDate']],
      [{ mode: 'all', updates: { dueDay: '2026-03-29' } }, ['updates.dueDay']],
      [{ mode: 'following', updates: { startDay: null } }, ['updates.startDay']],
      [{ mode: 'all', updates: { startDate: null } }, ['updates.startDate']],
      [{ mode: 'this', updates: { dueDate, dueDay: '2026-03-29' } }, ['updates.dueDay']],
      [{ mode: 'following', updates: { title, statusId, dueDate } }, ['updates.statusId', 'updates.dueDate']],
      [{ mode: 'x', updates: { title: '' } }, ['mode', 'updates.title']],
      [{ mode: 'this', updates: { listId: unknown } }, ['updates.listId']],
      [{ mode: 'this', updates: { statusId: unknown } }, ['updates.statusId']],
      [
        { mode: 'this', updates: { assigneeId: unknown, listId: unknown } },
        ['updates.listId', 'updates.assigneeId'],
      ],
      [
        { mode: 'all', updates: { assigneeId: unknown, listId: unknown } },
        ['updates.listId', 'updates.assigneeId'],
      ],
      [{ mode: 'following', updates: { listId: unknown } }, ['updates.listId']],
    ] as const) {
      expect([body, (await w.rejectedAt('POST', path, body)).toSorted()]).toEqual([
        body,
        [...paths].toSorted(),
      ]);
    }
    expect((await w.call('POST', path, { mode: 'all', updates: { dueDate } })).body.message).toBe(
      'updates.dueDate: Can be changed with the mode "this" only',
    );
    expect((await w.task(nextTaskId)).recurrence.overridden).toEqual([]);
    expect((await w.ok('GET', w.series)).total).toBe(1);
  });

  it('is of its own series only', async () => {
    const mine = await w.create();
    const other = await w.create();
    const { body: plain } = await w.call('POST', `${w.inside}/tasks`, { title: 'Plain', listId: w.list.id });
    expect(plain.recurrence).toBeNull();
    for (const taskId of [other.nextTaskId, plain.id, mine.id, 'x']) {
      const path = `${w.series}/${mine.id}/instances/${taskId}/edit-mode`;
      expect((await w.call('POST', path, { mode: 'this', updates: { title: 'x' } })).status).toBe(404);
    }
  });

  it('that a full disk cannot take is no fault of the request, and stays as it was', async () => {
    const { id, nextTaskId } = await w.create();
    const before = await w.task(nextTaskId);
    const { writing } = w.world.opened.storage;
    writing.pragma(`max_page_count = ${writing.pragma('page_count', { simple: true })}`);
    const path = `${w.series}/${id}/instances/${nextTaskId}/edit-mode`;
    const updates = { description: 'x'.repeat(9_000) };
    expect((await w.call('POST', path, { mode: 'this', updates })).status).toBe(503);
    writing.pragma('max_page_count = 1000000');
    expect(await w.task(nextTaskId)).toEqual(before);
  });

  it('done through edit-mode lets the series go on like any other completion', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { statusId: w.done });
    expect((await w.read(id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
  });

  it('completed by an edit of its status template lets the series go on like any other completion', async () => {
    const { id, nextTaskId } = await w.create({ endCondition: count(2) });
    const apart = await w.create();
    const [, started] = w.list.statuses;
    await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { statusId: started.id });
    const edit = (statuses: object[]) =>
      w.ok('PATCH', `${w.inside}/status-templates/${w.list.statusTemplateId}`, { statuses });
    await edit(w.list.statuses.map((one: object) => (one === started ? { ...one, type: 'completed' } : one)));
    expect(w.days(id)).toEqual(['03-28', '03-29']);
    expect(await w.read(id)).toMatchObject({
      nextRunAt: '2026-03-29T07:00:00.000Z',
      nextOccurrenceNumber: 2,
    });
    expect(await w.read(apart.id)).toEqual(apart);

    const next = { title: 'Next', type: 'unstarted' };
    await edit([next, ...w.list.statuses.map((one: object) => ({ ...one, type: 'completed' }))]);
    expect(await w.read(id)).toMatchObject({ state: 'ended', stateReason: 'completed' });
    expect(await w.read(apart.id)).toMatchObject({ nextRunAt: '2026-03-29T07:00:00.000Z' });
    expect(w.days(apart.id)).toEqual(['03-28', '03-29']);
  });

  it("completed by another template of its list does so too, and another list's does not", async () => {
    const other = await w.anotherList();
    const [here, there] = [await w.create(), await w.create({ listId: other.id })];
    const [started] = w.list.statuses.slice(1);
    for (const { nextTaskId } of [here, there]) {
      await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { statusId: started.id });
    }
    const template = await w.ok('POST', `${w.inside}/status-templates`, {
      title: 'Brief',
      statuses: [
        { title: 'To Do', type: 'unstarted' },
        { title: started.title, type: 'completed' },
      ],
    });
    await w.ok('PATCH', `${w.inside}/lists/${w.list.id}`, { statusTemplateId: template.id });
    expect(w.days(here.id)).toEqual(['03-28', '03-29']);
    expect((await w.read(here.id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    const made = w.instances(here.id)[1];
    expect([made?.status_id, made?.completed_at]).toEqual([template.statuses[0].id, null]);
    expect((await w.read(there.id)).nextTaskId).toBe(there.nextTaskId);
  });

  it('reopened by an edit of its status template takes nothing back', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    const template = `${w.inside}/status-templates/${w.list.statusTemplateId}`;
    const statuses = w.list.statuses.map((one: { id: string }) =>
      one.id === w.done ? { ...one, type: 'started' } : one,
    );
    const before = await w.read(id);
    await w.ok('PATCH', template, { statuses: [...statuses, { title: 'Over', type: 'completed' }] });
    expect((await w.task(nextTaskId)).completedAt).toBeNull();
    expect(await w.read(id)).toEqual(before);
    expect(w.days(id)).toEqual(['03-28', '03-29']);
  });

  it('reopened does not come back when a later one is done', async () => {
    const { id, nextTaskId: first } = await w.create();
    await w.complete(first);
    const { nextTaskId: second } = await w.read(id);
    await w.reopen(first);
    await w.complete(second);
    expect((await w.read(id)).nextOccurrenceNumber).toBe(3);
  });

  it('completed last ends the series', async () => {
    const { id, nextTaskId } = await w.create({ endCondition: count(1) });
    await w.complete(nextTaskId);
    expect(await w.read(id)).toMatchObject({ state: 'ended', stateReason: 'completed', nextTaskId: null });
    expect(w.days(id)).toEqual(['03-28']);
  });

  it('completed when its time has come already makes nothing more than that time did', async () => {
    const { id, nextTaskId } = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:10.000Z'));
    await w.complete(nextTaskId);
    await tick(w.world.deps);
    expect(w.days(id)).toEqual(['03-28', '03-29']);
  });

  it('deleted when its time has come already is an old one', async () => {
    const { id, nextTaskId } = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:10.000Z'));
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    await tick(w.world.deps);
    expect(w.states(id)).toEqual(['deleted', 'generated']);
    expect(w.days(id)).toEqual(['03-29']);
  });
});

describe('people', () => {
  it('who become viewers or leave are unassigned from the series and its open instances, and it goes on', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id, nextTaskId } = await w.create({ assigneeId: helper.id });
    const done = await w.skip(id);
    await w.complete(done.nextTaskId);
    await w.ok('PATCH', `${w.inside}/members/${helper.id}`, { role: 'viewer' });
    expect(nextTaskId).not.toBe(done.nextTaskId);
    expect(await w.read(id)).toMatchObject({ assigneeId: null, state: 'active' });
    expect(w.instances(id).map(({ assignee_id }) => assignee_id)).toEqual([helper.id, null]);
  });

  it('who became viewers are no assignees of a series, also by an instance that they completed', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id, nextTaskId } = await w.create({ assigneeId: helper.id });
    await w.complete(nextTaskId);
    await w.ok('PATCH', `${w.inside}/members/${helper.id}`, { role: 'viewer' });
    expect((await w.task(nextTaskId)).assigneeId).toBe(helper.id);
    const path = `${w.series}/${id}/instances/${nextTaskId}/edit-mode`;
    for (const mode of ['following', 'all']) {
      const rejected = await w.rejectedAt('POST', path, {
        mode,
        updates: { title: ' ', assigneeId: helper.id },
      });
      expect(rejected.toSorted()).toEqual(['updates.assigneeId', 'updates.title']);
    }
  });

  it.each([
    ['removed', 403],
    ['signed out', 401],
  ])('who were %s while a series was brought to now for them see nothing of it', async (how, rejection) => {
    const { id } = await w.create();
    const helper = await joined(w.world, w.owner, w.workspaceId, 'viewer');
    for (const path of ['', `/${id}`, `/${id}/instances`, `/${id}/occurrences`]) {
      w.world.clock.advance(DAY);
      const { body: session } = await w.world.call('POST', '/auth/login', { body: helper });
      await w.ok('GET', `${w.inside}/tasks`);
      if (how === 'removed' && path !== '') {
        await w.ok('POST', `${w.inside}/invitations`, { email: helper.email, role: 'viewer' });
        const { token } = await w.world.mailTo(helper.email);
        await w.call('POST', '/invitations/accept', { token }, session.accessToken);
      }
      const { write } = w.world.deps;
      w.world.deps.write = async (settling) => {
        w.world.deps.write = write;
        const value = await write(settling);
        const ending =
          how === 'removed'
            ? w.call('DELETE', `${w.inside}/members/${helper.id}`)
            : w.call('POST', '/auth/logout', { refreshToken: session.refreshToken }, session.accessToken);
        expect((await ending).status).toBe(204);
        return value;
      };
      const reading = w.call('GET', w.series + path, undefined, session.accessToken);
      expect((await reading).status).toBe(rejection);
    }
  });

  it('are told of a task that a series gives them, but not of their own', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const told = async (token: string) => {
      const { body } = await w.call('GET', '/me/notifications', undefined, token);
      return body.items.filter(({ type }: { type: string }) => type === 'task.assigned');
    };
    const { id, nextTaskId } = await w.create({ assigneeId: helper.id });
    const [notice] = await told(helper.accessToken);
    expect(notice).toMatchObject({ body: 'Water', data: { taskId: nextTaskId, workspaceId: w.workspaceId } });
    await w.call('PATCH', `${w.inside}/tasks/${nextTaskId}`, { statusId: w.done }, helper.accessToken);
    expect(await told(helper.accessToken)).toHaveLength(1);
    await w.skip(id);
    expect(await told(helper.accessToken)).toHaveLength(2);
    await w.patch(id, { assigneeId: w.owner.id });
    await w.skip(id);
    expect(await told(w.owner.accessToken)).toEqual([]);
  });
});
