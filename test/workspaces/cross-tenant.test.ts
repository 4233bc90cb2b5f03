import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { routes } from '../../src/routes.ts';
import { GROUPINGS } from '../../src/tasks/query-schema.ts';
import { tick } from '../../src/tick.ts';
import { ada, useAda, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, type Call, homeOf, joined } from '../people.ts';
import { DAILY } from '../series-world.ts';
import type { Person } from '../world.ts';

// Two workspaces that hold the same, word for word. Whatever happens in one of them, the other's responses stay the same
// to the last byte: nothing reaches across, be it by a statement that forgot the workspace, a count, or an order.

let bob: Person;
let here: Place;
let there: Place;
useAda();
beforeEach(async () => {
  bob = await world.signUp('bob@example.com', 'Bob');
  [here, there] = [await furnish(ada), await furnish(bob)];
});
afterEach(() => expectIntegrity(world));

interface Place {
  id: string;
  call: Call;
  guest: Person;
  params: Record<string, string>;
}

async function furnish(owner: Person): Promise<Place> {
  const id = await homeOf(world, owner);
  const call: Call = async (method, path, body) => {
    const response = await as(world, owner)(method, `/workspaces/${id}${path}`, body);
    expect([path, response.body?.message, response.status < 300]).toEqual([path, undefined, true]);
    return response;
  };
  const made = async (path: string, body: object) => (await call('POST', path, body)).body;
  const guest = await joined(world, owner, id, 'admin', 'Guest');
  const [list] = (await call('GET', '/lists')).body.items;
  const template = await made('/status-templates', { title: 'Spare' });
  const label = await made('/labels', { title: 'Shop' });
  const task = await made('/tasks', {
    title: 'Milk',
    listId: list.id,
    assigneeId: guest.id,
    labelIds: [label.id],
    checklist: [{ title: 'Oat milk' }],
  });
  const comment = await made(`/tasks/${task.id}/comments`, {
    body: `milk [@Guest](errand:user/${guest.id})`,
  });
  await made('/tasks', { title: 'Water', description: 'milk', listId: list.id, priority: 'high' });
  const job = await made('/recurring-tasks', { title: 'Milk', listId: list.id, interval: DAILY });
  await made('/invitations', { email: 'invited@example.com', role: 'viewer' });
  return {
    id,
    call,
    guest,
    params: {
      workspace_id: id,
      space_id: list.spaceId,
      list_id: list.id,
      template_id: template.id,
      task_id: task.id,
      job_id: job.id,
      number: String(task.number),
      label_id: label.id,
      comment_id: comment.id,
    },
  };
}

/** Everything that can be asked about a workspace. */
async function responses({ params, call }: Place): Promise<[string, unknown][]> {
  const paths = routes
    .filter(({ method, path }) => method === 'get' && path.startsWith('/workspaces/{workspace_id}'))
    .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? name))
    .map((path) => path.slice(`/workspaces/${params.workspace_id}`.length));
  const asked = [
    ...paths.map((path) => path + (REQUIRED[path] ?? '')),
    ...GROUPINGS.map((groupBy) => `/tasks/query?groupBy=${groupBy}&sortBy=title`),
  ];
  return Promise.all(
    asked.map(async (path): Promise<[string, unknown]> => [path, (await call('GET', path)).body]),
  );
}

/** What has to be asked of a path. */
const REQUIRED: Record<string, string> = {
  '/tasks/search': '?q=milk',
  '/occurrences': '?from=2026-03-27&to=2026-04-27',
};

const ACTS: Record<string, (place: Place) => Promise<unknown>> = {
  'tasks come, change, move and go': async ({ call, params }) => {
    const space = (await call('POST', '/spaces', { title: 'New' })).body;
    const body = { title: 'Milk', listId: params.list_id, description: 'milk', priority: 'urgent' };
    for (let i = 0; i < 20; i += 1) await call('POST', '/tasks', body);
    await call('PATCH', `/tasks/${params.task_id}`, { title: 'Milk milk', assigneeId: null });
    await call('POST', `/tasks/${params.task_id}/move`, { listId: space.lists[0].id });
    await call('DELETE', `/tasks/${params.task_id}`);
  },
  'comments come, change and go': async ({ call, params, guest }) => {
    const path = `/tasks/${params.task_id}/comments`;
    const { id } = (await call('POST', path, { body: `milk [@G](errand:user/${guest.id})` })).body;
    await call('PATCH', `${path}/${id}`, { body: 'milk milk' });
    await call('DELETE', `${path}/${params.comment_id}`);
    await as(world, guest)('POST', `/workspaces/${params.workspace_id}${path}`, { body: 'milk' });
  },
  'labels and checklists change and go': async ({ call, params }) => {
    const { id } = (await call('POST', '/labels', { title: 'New' })).body;
    const task = `/tasks/${params.task_id}`;
    await call('POST', `${task}/labels/${id}`);
    await call('POST', `${task}/checklist`, { title: 'milk' });
    await call('PATCH', `/labels/${params.label_id}`, { title: 'Milk' });
    await call('DELETE', `/labels/${params.label_id}`);
    await call('PATCH', task, { checklist: [] });
  },
  'statuses change': async ({ call, params }) => {
    const [standard] = (await call('GET', '/status-templates')).body.items;
    const [first, ...rest] = standard.statuses;
    const statuses = [{ title: 'New', type: 'unstarted' }, { ...first, type: 'completed' }, rest[1]];
    await call('PATCH', `/status-templates/${standard.id}`, { statuses });
    await call('PATCH', `/lists/${params.list_id}`, { statusTemplateId: params.template_id });
    await call('PATCH', `/status-templates/${params.template_id}`, { isDefault: true });
    await call('DELETE', `/status-templates/${standard.id}`);
  },
  'series go on, split and go': async ({ call, params }) => {
    const series = `/recurring-tasks/${params.job_id}`;
    const { nextTaskId } = (await call('POST', `${series}/skip`)).body;
    const updates = { title: 'Juice', priority: 'low' };
    const edit = (of: string, mode: string) =>
      call('POST', `${of}/instances/${nextTaskId}/edit-mode`, { mode, updates });
    const { recurrence } = (await edit(series, 'following')).body;
    const split = `/recurring-tasks/${recurrence.recurringTaskId}`;
    await edit(split, 'all');
    await call('PATCH', split, { interval: { ...DAILY, every: 2 } });
    for (const one of [series, split]) await call('DELETE', one);
  },
  'people change roles and go': async ({ call, guest }) => {
    const invitations = (await call('GET', '/invitations')).body.items;
    for (const { id } of invitations) await call('DELETE', `/invitations/${id}`);
    await call('PATCH', `/members/${guest.id}`, { role: 'viewer' });
    await call('DELETE', `/members/${guest.id}`);
  },
  'a list goes': ({ call, params }) => call('DELETE', `/lists/${params.list_id}`),
  'a space goes': ({ call, params }) => call('DELETE', `/spaces/${params.space_id}`),
  'the workspace goes': ({ call }) => call('DELETE', ''),
};

describe('the other workspace stays as it is', () => {
  it.each(Object.entries(ACTS))('when %s', async (_what, act) => {
    const before = await responses(there);
    await act(here);
    expect(await responses(there)).toEqual(before);
  });

  it('when the account behind the workspace goes', async () => {
    const before = await responses(there);
    const response = await as(world, ada)('DELETE', '/auth/me', { password: ada.password });
    expect(response.status).toBe(204);
    expect(await responses(there)).toEqual(before);
  });

  it('when its series go on beside those of the other', async () => {
    const { job_id: job } = there.params;
    await here.call('POST', `/recurring-tasks/${here.params.job_id}/pause`);
    world.clock.advance(DAY);
    await tick(world.deps);
    const { body } = await world.call('POST', '/auth/login', { body: bob });
    const seen = await world.call('GET', `/workspaces/${there.id}/recurring-tasks/${job}`, {
      token: body.accessToken,
    });
    expect(seen.body).toMatchObject({ state: 'active', nextOccurrenceNumber: 2 });
  });
});
