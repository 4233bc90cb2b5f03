import { beforeEach, describe, expect, it } from 'vitest';
import { removeAccount } from '../../src/auth/account/account-deletion.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import { ada, call, home, inside, list, useHome, world } from '../ada.ts';
import { as, joined, signInAgain } from '../people.ts';
import { requireRaisedVersions } from '../versions-raised.ts';
import type { Person } from '../world.ts';
import { ReferenceClient } from './reference-client.ts';

let bob: Person;
useHome();
beforeEach(async () => {
  requireRaisedVersions(world.opened.storage.writing);
  bob = await joined(world, ada, home, 'admin');
});

/** Brings a copy of the workspace up to date, as Ada's device would. */
const follow = (copy: ReferenceClient) => copy.follow(call, inside);

const task = async (more: object = {}) =>
  (await call('POST', `${inside}/tasks`, { title: 'Mow the lawn', listId: list.id, ...more })).body;
const series = async (more: object = {}) =>
  (
    await call('POST', `${inside}/recurring-tasks`, {
      title: 'Water the plants',
      listId: list.id,
      interval: { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' },
      ...more,
    })
  ).body;
const tasksOfPage = async () => (await call('GET', `${inside}/tasks?limit=100`)).body.items;
const otherList = async (more: object = {}) =>
  (await call('POST', `${inside}/lists`, { title: 'Other', spaceId: list.spaceId, ...more })).body;
/** A label to be changed like that. */
const labelThat = async (changes: object) => {
  const { id } = (await call('POST', `${inside}/labels`, { title: 'Label' })).body;
  return () => call('PATCH', `${inside}/labels/${id}`, changes);
};
const doneId = () => list.statuses.find(({ type }) => type === 'completed')?.id;

/** Each act is made after the copy was loaded; afterwards the copy must be what a fresh client gets. */
const ACTS: Record<string, () => Promise<() => Promise<unknown>>> = {
  'a task is made': async () => () => task(),
  'a task changes': async () => {
    const { id } = await task();
    return () =>
      call('PATCH', `${inside}/tasks/${id}`, { title: 'New', statusId: doneId(), assigneeId: bob.id });
  },
  ...Object.fromEntries(
    Object.entries({
      title: 'New',
      description: 'New',
      priority: 'high',
      startDate: '2026-12-01T10:00:00.000Z',
      startDay: '2026-12-01',
      dueDate: '2026-12-02T10:00:00.000Z',
      dueDay: '2026-12-02',
      position: 77,
      checklist: [{ title: 'Two' }],
    }).map(([field, value]): [string, () => Promise<() => Promise<unknown>>] => [
      `a task changes in its ${field}`,
      async () => {
        const { id } = await task({ checklist: [{ title: 'One' }] });
        return () => call('PATCH', `${inside}/tasks/${id}`, { [field]: value });
      },
    ]),
  ),
  'a task gets a label': async () => {
    const [{ id }, label] = [await task(), (await call('POST', `${inside}/labels`, { title: 'Label' })).body];
    return () => call('POST', `${inside}/tasks/${id}/labels/${label.id}`);
  },
  'a task is restored': async () => {
    const { id } = await task({
      labelIds: [(await call('POST', `${inside}/labels`, { title: 'Label' })).body.id],
    });
    await tasksOfPage();
    await call('DELETE', `${inside}/tasks/${id}`);
    const { items } = (await call('GET', `${inside}/labels`)).body;
    await call('DELETE', `${inside}/labels/${items[0].id}`);
    return () => call('POST', `${inside}/trash/${id}/restore`);
  },
  'an instance of a series is edited': async () => {
    const { nextTaskId } = await series();
    return () => call('PATCH', `${inside}/tasks/${nextTaskId}`, { title: 'New' });
  },
  'a task moves': async () => {
    const [{ id }, to] = [await task(), await otherList()];
    return () => call('POST', `${inside}/tasks/${id}/move`, { listId: to.id });
  },
  'a task is deleted': async () => {
    const { id } = await task();
    return () => call('DELETE', `${inside}/tasks/${id}`);
  },
  'a series is made': async () => () => series(),
  'a series goes on': async () => {
    const { nextTaskId } = await series();
    return () => call('PATCH', `${inside}/tasks/${nextTaskId}`, { statusId: doneId() });
  },
  'a series becomes due': async () => {
    await series();
    return async () => {
      world.clock.advance(3 * 86_400_000);
      await sweep(world.deps);
      await signInAgain(world, ada);
    };
  },
  'a series steps back': async () => {
    const { id } = await series();
    const { nextRunAt } = (await call('POST', `${inside}/recurring-tasks/${id}/skip`)).body;
    return () => call('POST', `${inside}/recurring-tasks/${id}/step-back`, { occurrenceAt: nextRunAt });
  },
  'a task becomes a series': async () => {
    const { id } = await task();
    const interval = { frequency: 'day', timeOfDay: '09:00', timezone: 'Europe/Paris' };
    return () => call('POST', `${inside}/recurring-tasks`, { taskId: id, interval });
  },
  'a series is deleted but for its upcoming task': async () => {
    const { id } = await series();
    return () => call('DELETE', `${inside}/recurring-tasks/${id}?keepUpcoming=true`);
  },
  'a label of a series is deleted': async () => {
    const label = (await call('POST', `${inside}/labels`, { title: 'Label' })).body;
    await series({ labelIds: [label.id] });
    return () => call('DELETE', `${inside}/labels/${label.id}`);
  },
  'a series is paused': async () => {
    const { id } = await series();
    return () => call('POST', `${inside}/recurring-tasks/${id}/pause`);
  },
  'a series changes': async () => {
    const { id } = await series();
    return () => call('PATCH', `${inside}/recurring-tasks/${id}`, { title: 'New', assigneeId: bob.id });
  },
  'a series is deleted': async () => {
    const { id, nextTaskId } = await series();
    await call('PATCH', `${inside}/tasks/${nextTaskId}`, { statusId: doneId() });
    return () => call('DELETE', `${inside}/recurring-tasks/${id}`);
  },
  'a list is made': async () => () => otherList(),
  'a space is made': async () => () => call('POST', `${inside}/spaces`, { title: 'New' }),
  'a label is made': async () => () => call('POST', `${inside}/labels`, { title: 'New' }),
  'a status template is made': async () => () => call('POST', `${inside}/status-templates`, { title: 'New' }),
  'a label goes': async () => {
    const { id } = (await call('POST', `${inside}/labels`, { title: 'Label' })).body;
    await task({ labelIds: [id] });
    return () => call('DELETE', `${inside}/labels/${id}`);
  },
  'a label changes in its title': () => labelThat({ title: 'New' }),
  'a label changes in its color': () => labelThat({ color: '#112233' }),
  'a label changes in its position': () => labelThat({ position: 77 }),
  'a comment goes': async () => {
    const { id } = await task();
    const path = `${inside}/tasks/${id}/comments`;
    const comment = (await call('POST', path, { body: 'Hello' })).body;
    return () => call('DELETE', `${path}/${comment.id}`);
  },
  'an item is ticked': async () => {
    const { id, checklist } = await task({ checklist: [{ title: 'One' }] });
    return () => call('PATCH', `${inside}/tasks/${id}/checklist/${checklist[0].id}`, { isDone: true });
  },
  'a series is split': async () => {
    const { id, nextTaskId } = await series();
    await call('PATCH', `${inside}/tasks/${nextTaskId}`, { statusId: doneId() });
    const next = (await call('GET', `${inside}/recurring-tasks/${id}`)).body.nextTaskId;
    const edit = { mode: 'following', updates: { title: 'New' } };
    return () => call('POST', `${inside}/recurring-tasks/${id}/instances/${next}/edit-mode`, edit);
  },
  'a list moves to another space': async () => {
    const space = (await call('POST', `${inside}/spaces`, { title: 'Space' })).body;
    await task();
    await series();
    return () => call('PATCH', `${inside}/lists/${list.id}`, { spaceId: space.id });
  },
  'a list gets another status template': async () => {
    const template = (await call('POST', `${inside}/status-templates`, { title: 'Template' })).body;
    await task({ statusId: doneId() });
    return () => call('PATCH', `${inside}/lists/${list.id}`, { statusTemplateId: template.id });
  },
  'a list is deleted': async () => {
    const { id } = await otherList();
    for (let i = 0; i < 30; i += 1) await task({ listId: id });
    await series({ listId: id });
    return () => call('DELETE', `${inside}/lists/${id}`);
  },
  'a space is deleted': async () => {
    const space = (await call('POST', `${inside}/spaces`, { title: 'Space' })).body;
    const { id } = await otherList({ spaceId: space.id });
    for (let i = 0; i < 30; i += 1) await task({ listId: id });
    return () => call('DELETE', `${inside}/spaces/${space.id}`);
  },
  ...Object.fromEntries(
    ['', '?permanent=true'].flatMap((how): [string, () => Promise<() => Promise<unknown>>][] => [
      [
        `a list is deleted that holds upcoming tasks of series elsewhere${how}`,
        async () => {
          const { id } = await otherList();
          for (let i = 0; i < 2; i += 1) {
            const { nextTaskId } = await series();
            await call('POST', `${inside}/tasks/${nextTaskId}/move`, { listId: id });
          }
          return () => call('DELETE', `${inside}/lists/${id}${how}`);
        },
      ],
      [
        `a list is deleted whose series has tasks elsewhere${how}`,
        async () => {
          const { id } = await otherList();
          for (let i = 0; i < 30; i += 1) {
            const { nextTaskId } = await series({ listId: id });
            await call('POST', `${inside}/tasks/${nextTaskId}/move`, { listId: list.id });
          }
          return () => call('DELETE', `${inside}/lists/${id}${how}`);
        },
      ],
      [
        `the task is deleted that a paused series remembers${how}`,
        async () => {
          const { id, nextTaskId } = await series();
          await call('POST', `${inside}/recurring-tasks/${id}/pause`);
          return () => call('DELETE', `${inside}/tasks/${nextTaskId}${how}`);
        },
      ],
    ]),
  ),
  'a space is restored that holds the upcoming task of a series elsewhere': async () => {
    const space = (await call('POST', `${inside}/spaces`, { title: 'Space' })).body;
    const { nextTaskId } = await series();
    await call('POST', `${inside}/tasks/${nextTaskId}/move`, { listId: space.lists[0].id });
    await call('DELETE', `${inside}/spaces/${space.id}`);
    return () => call('POST', `${inside}/trash/${space.id}/restore`);
  },
  'a list is restored whose series has tasks elsewhere': async () => {
    const { id } = await otherList();
    const { nextTaskId } = await series({ listId: id });
    await call('POST', `${inside}/tasks/${nextTaskId}/move`, { listId: list.id });
    await call('DELETE', `${inside}/lists/${id}`);
    return () => call('POST', `${inside}/trash/${id}/restore`);
  },
  'a space changes': async () => () => call('PATCH', `${inside}/spaces/${list.spaceId}`, { title: 'New' }),
  'a status template becomes the default one': async () => {
    const { id } = (await call('POST', `${inside}/status-templates`, { title: 'Template' })).body;
    return () => call('PATCH', `${inside}/status-templates/${id}`, { isDefault: true });
  },
  'a status goes': async () => {
    for (const { id } of list.statuses) await task({ statusId: id });
    const statuses = list.statuses
      .filter(({ type }) => type !== 'started')
      .map(({ id, type }) => ({ id, title: `New ${type}`, type }));
    return () => call('PATCH', `${inside}/status-templates/${list.statusTemplateId}`, { statuses });
  },
  'a status template is deleted': async () => {
    const { id } = (await call('POST', `${inside}/status-templates`, { title: 'Template' })).body;
    return () => call('DELETE', `${inside}/status-templates/${id}`);
  },
  'the workspace changes': async () => () => call('PATCH', inside, { title: 'New' }),
  'the workspace passes to someone else': async () => () =>
    call('PATCH', `${inside}/members/${bob.id}`, { role: 'owner', password: ada.password }),
  'someone comes': async () => () => joined(world, ada, home, 'member'),
  'someone gets another role': async () => {
    await task({ assigneeId: bob.id });
    await series({ assigneeId: bob.id });
    return () => call('PATCH', `${inside}/members/${bob.id}`, { role: 'viewer' });
  },
  'someone goes': async () => {
    await task({ assigneeId: bob.id });
    await series({ assigneeId: bob.id });
    return () => call('DELETE', `${inside}/members/${bob.id}`);
  },
  'someone has another name': async () => () => as(world, bob)('PATCH', '/me', { name: 'Robert' }),
  'an account is deleted': async () => {
    const create = as(world, bob);
    for (let i = 0; i < 30; i += 1) {
      await create('POST', `${inside}/tasks`, { title: 'Task', listId: list.id, assigneeId: bob.id });
    }
    await series({ assigneeId: bob.id });
    return () => create('DELETE', '/auth/me', { password: bob.password });
  },
  'an account is deleted at the command line': async () => {
    await as(world, bob)('POST', `${inside}/tasks`, { title: 'Task', listId: list.id, assigneeId: bob.id });
    return async () => {
      const command = await openDeps(world.deps.config, silentLog, { role: 'command' });
      await removeAccount(command.deps, bob.id);
      await command.close();
    };
  },
};

describe('a copy that follows the cursors is what a fresh client gets, after', () => {
  it.each(Object.keys(ACTS))('%s', async (name) => {
    const act = await ACTS[name]?.();
    const [followed, fresh] = [new ReferenceClient(), new ReferenceClient()];
    await follow(followed);
    const before = followed.contents();
    await tasksOfPage();
    await act?.();
    await world.untilIdle();
    for (const shown of await tasksOfPage())
      expect(shown).toEqual((await call('GET', `${inside}/tasks/${shown.id}`)).body);
    await follow(followed);
    await follow(fresh);
    expect(followed.contents()).toEqual(fresh.contents());
    expect(followed.contents()).not.toEqual(before);
    expectRaisedVersions(before, followed.contents());
  });
});

it('a copy learns that the author of a comment is gone, and who was mentioned in it', async () => {
  const copy = new ReferenceClient();
  await follow(copy);
  const { id } = await task();
  const path = `${inside}/tasks/${id}/comments`;
  for (let i = 0; i < 25; i += 1) {
    await as(world, bob)('POST', path, { body: 'Mine' });
    await call('POST', path, { body: `Ask [@Bob](errand:user/${bob.id})` });
  }
  await follow(copy);
  await as(world, bob)('DELETE', '/auth/me', { password: bob.password });
  await world.untilIdle();
  await follow(copy);
  const { items } = (await call('GET', `${path}?limit=100`)).body;
  expect(items).toHaveLength(50);
  const held = new Map(copy.comments().map(({ id, value }) => [id, value]));
  expect(items.map(({ id }: { id: string }) => held.get(id))).toEqual(items);
});

type Contents = ReturnType<ReferenceClient['contents']>;

/** What shows something else than before has a higher version; what shows the same has the same. */
function expectRaisedVersions(before: Contents, after: Contents): void {
  for (const [key, now] of Object.entries(after)) {
    const was = before[key];
    if (was?.version === undefined || now === undefined) continue;
    const isSame = JSON.stringify({ ...was, version: 0 }) === JSON.stringify({ ...now, version: 0 });
    if (isSame) expect(now.version, key).toBe(was.version);
    else expect(now.version, key).toBeGreaterThan(Number(was.version));
  }
}

it('no row names an account that is deleted, but its own workspace in place of that', async () => {
  const other = (await call('POST', '/workspaces', { title: 'Other' })).body.id;
  const eve = await joined(world, ada, other, 'member');
  await call('PATCH', '/me', { name: 'Lovelace' });
  for (const { accessToken: token, password } of [bob, eve])
    await world.call('DELETE', '/auth/me', { token, body: { password } });
  const named = world.opened.storage.reading.prepare(`
    select distinct workspaces.id, op, thing_id from changes join workspaces on code = workspace_code
      where kind = 'member' order by workspaces.rowid, op`);
  expect(named.raw().all()).toEqual(
    [home, other].flatMap((id) => [
      [id, 'put', ada.id],
      [id, 'refetch', id],
    ]),
  );
});
