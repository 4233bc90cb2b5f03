import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ada, call, home, inside, list, listId, openHomeInstead, world } from '../ada.ts';
import { as, invite, joined } from '../people.ts';
import { DAILY } from '../series-world.ts';

const UNKNOWN = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';

/** Where each kind of thing lies. */
let at: Record<'home' | 'task' | 'template' | 'list' | 'series' | 'instance', string>;

beforeAll(async () => {
  await openHomeInstead();
  const home = inside;
  const { body: task } = await call('POST', `${home}/tasks`, { title: 'Buy milk', listId });
  const { body: series } = await call('POST', `${home}/recurring-tasks`, {
    title: 'Water the plants',
    listId,
    interval: DAILY,
  });
  at = {
    home,
    task: `${home}/tasks/${task.id}`,
    template: `${home}/status-templates/${list.statusTemplateId}`,
    list: `${home}/lists/${listId}`,
    series: `${home}/recurring-tasks/${series.id}`,
    instance: `${home}/recurring-tasks/${series.id}/instances/${series.nextTaskId}`,
  };
});
afterAll(() => world.close());

const pathsRejected = async (method: string, path: string, body: object): Promise<string[]> => {
  const { status, body: response } = await as(world, ada)(method, path, body);
  expect([status, response.error]).toEqual([400, 'ValidationError']);
  return response.issues.map((issue: { path: string }) => issue.path).toSorted();
};

describe('what a body refers to is told of together with what is wrong by itself', () => {
  const wrong = { title: ' ', priority: 'often' };
  const foreign = { listId: UNKNOWN, assigneeId: UNKNOWN };

  it('in a task: its list, status and assignee', async () => {
    const tasks = `${at.home}/tasks`;
    expect(await pathsRejected('POST', tasks, { ...wrong, ...foreign })).toEqual([
      'assigneeId',
      'listId',
      'priority',
      'title',
    ]);
    expect(await pathsRejected('POST', tasks, { title: ' ', listId, statusId: UNKNOWN })).toEqual([
      'statusId',
      'title',
    ]);
    expect(
      await pathsRejected('POST', tasks, { statusId: UNKNOWN, assigneeId: UNKNOWN, title: ' ' }),
    ).toEqual(['assigneeId', 'listId', 'title']);
    expect(await pathsRejected('PATCH', at.task, { ...wrong, ...foreign, statusId: UNKNOWN })).toEqual([
      'assigneeId',
      'listId',
      'priority',
      'statusId',
      'title',
    ]);
    expect(await pathsRejected('POST', `${at.task}/move`, { listId: UNKNOWN, position: 'last' })).toEqual([
      'listId',
      'position',
    ]);
    // Of which list the status must be, nobody knows.
    expect(await pathsRejected('POST', `${at.task}/move`, { listId: 7, statusId: UNKNOWN })).toEqual([
      'listId',
    ]);
  });

  it('in a list: its space and status template', async () => {
    const body = { title: ' ', spaceId: UNKNOWN, statusTemplateId: UNKNOWN };
    const paths = ['spaceId', 'statusTemplateId', 'title'];
    expect(await pathsRejected('POST', `${at.home}/lists`, body)).toEqual(paths);
    expect(await pathsRejected('PATCH', at.list, body)).toEqual(paths);
  });

  it('in a status template: the statuses to keep, and the mark of the default one', async () => {
    const statuses = [{ id: UNKNOWN }];
    const paths = ['isDefault', 'statuses.0.id'];
    expect(await pathsRejected('PATCH', at.template, { statuses, isDefault: false })).toEqual(paths);
    expect(await pathsRejected('PATCH', at.template, { statuses, isDefault: false, title: ' ' })).toEqual([
      ...paths,
      'title',
    ]);
  });

  it('in a series and its instances', async () => {
    const interval = { ...DAILY, every: 0 };
    const paths = ['assigneeId', 'interval.every', 'listId', 'title'];
    const body = { ...foreign, title: ' ', interval };
    expect(await pathsRejected('POST', `${at.home}/recurring-tasks`, body)).toEqual(paths);
    expect(await pathsRejected('PATCH', at.series, body)).toEqual(paths);
    for (const mode of ['following', 'all']) {
      const updates = { ...foreign, title: ' ' };
      expect(await pathsRejected('POST', `${at.instance}/edit-mode`, { mode, updates })).toEqual([
        'updates.assigneeId',
        'updates.listId',
        'updates.title',
      ]);
    }
    const updates = { statusId: UNKNOWN, assigneeId: UNKNOWN, title: ' ' };
    expect(await pathsRejected('POST', `${at.instance}/edit-mode`, { mode: 'this', updates })).toEqual([
      'updates.assigneeId',
      'updates.statusId',
      'updates.title',
    ]);
  });

  it('in an invitation: an address that is a member already', async () => {
    const body = { email: 'ada@example.com', role: 'queen' };
    expect(await pathsRejected('POST', `${at.home}/invitations`, body)).toEqual(['email', 'role']);
  });

  it('in a sign-up: an invitation that does not work for the address', async () => {
    const body = { email: 'eve@example.com', name: 'Eve', password: 'short', invitationToken: 'made up' };
    expect(await pathsRejected('POST', '/auth/register', body)).toEqual(['invitationToken', 'password']);
    const invitationToken = await invite(world, ada, home, body.email, 'member');
    for (const invitation of [undefined, invitationToken]) {
      const invited = { ...body, invitationToken: invitation };
      expect(await pathsRejected('POST', '/auth/register', invited)).toEqual(['password']);
      expect(await pathsRejected('POST', '/auth/register', { ...invited, email: 'eve' })).toEqual([
        'email',
        'password',
      ]);
    }
  });

  it('in updates that are none: nothing', async () => {
    for (const updates of [null, [], 'text'])
      expect(await pathsRejected('POST', `${at.instance}/edit-mode`, { mode: 'all', updates })).toEqual([
        'updates',
      ]);
  });

  it('in a change of password: the present one, where there is one', async () => {
    for (const currentPassword of [undefined, 7, 'x'.repeat(300)])
      expect(await pathsRejected('POST', '/me/password', { currentPassword, newPassword: 'short' })).toEqual([
        'currentPassword',
        'newPassword',
      ]);
  });
});

it('a field that a new status lacks is told of as an invalid one is', async () => {
  const told = async (entry: object) =>
    (await as(world, ada)('PATCH', at.template, { statuses: [entry] })).body.issues;
  expect(await told({})).toEqual(await told({ title: '', type: 'none' }));
});

it('who loses their right while the body arrives is told of nothing that it refers to', async () => {
  const eve = await joined(world, ada, home, 'member');
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const isRemoved = Promise.withResolvers<void>();
  const body = new ReadableStream(
    {
      pull: async (controller) => {
        isAsked();
        await isRemoved.promise;
        const bad = { title: '', listId, assigneeId: crypto.randomUUID() };
        controller.enqueue(new TextEncoder().encode(JSON.stringify(bad)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { Authorization: `Bearer ${eve.accessToken}`, 'Content-Type': 'application/json' };
  const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const response = world.app.request(`/api${at.home}/tasks`, request);
  await asked;
  const removed = await as(world, ada)('DELETE', `${at.home}/members/${eve.id}`);
  isRemoved.resolve();
  expect([removed.status, (await response).status]).toEqual([204, 403]);
});
