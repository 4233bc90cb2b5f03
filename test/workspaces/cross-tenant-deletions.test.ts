import { beforeEach, expect, it } from 'vitest';
import { SECOND } from '../../src/kernel/instants.ts';
import { useWorld, world } from '../ada.ts';
import { as, type Call, homeOf, invite, joined } from '../people.ts';
import { DAILY } from '../series-world.ts';
import { BOT_TOKEN, widget } from '../telegram-double.ts';
import type { Person } from '../world.ts';

/** Of the server as a whole: what anyone does changes them. */
const SHARED = ['meta', 'budgets', 'last_task', 'removals', 'deleted_ids'];

/** In Bob's workspace and in Ada's. */
let carol: Person;
let bobs: Set<string>;
let ada: Person;
let call: Call;
let home: string;

useWorld({ settings: { auth: { telegram_bot_token: BOT_TOKEN } } });
beforeEach(async () => {
  const bob = await world.signUp('bob@example.com', 'Bob');
  const theirs = await homeOf(world, bob);
  carol = await joined(world, bob, theirs, 'member', 'Carol');
  await joined(world, bob, theirs, 'admin', 'Dan');
  await fill(as(world, bob), theirs, carol.id);
  await fillTrash(as(world, bob), theirs, carol.id);
  await invite(world, bob, theirs, 'guest@example.com', 'member');
  await post('/me/tokens', { title: 'Script', role: 'member', workspaceIds: [theirs] }, bob);
  await post('/auth/login', { email: bob.email, password: bob.password });
  await logInByCookie(bob);
  await post('/me/telegram', widget(world, { id: 7 }), bob);
  await secretsOf(bob, 'robert@example.com');
  await post('/auth/register', { email: 'late@example.com', password: 'password1', name: 'Late' });
  await world.untilIdle();
  bobs = everyRow();

  world.clock.advance(SECOND);
  ada = await world.signUp('ada@example.com', 'Ada');
  call = as(world, ada);
  home = await homeOf(world, ada);
});

const post = (path: string, body: unknown, person?: Person) =>
  world.call('POST', path, { body, token: person?.accessToken });

async function logInByCookie({ email, password }: Person): Promise<void> {
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  const body = { email, password, session: 'cookie' };
  expect((await world.call('POST', '/auth/login', { body, headers })).status).toBe(200);
}

/** A code, a reset token, and both tokens of a change of address, unspent. */
async function secretsOf(person: Person, newEmail: string) {
  await post('/auth/login/code', { email: person.email });
  const { code = '' } = await world.mailTo(person.email);
  await post('/auth/password/reset/request', { email: person.email });
  const reset = (await world.mailTo(person.email)).token;
  expect((await post('/auth/email/change/request', { newEmail }, person)).status).toBeLessThan(300);
  const [change, keep] = [(await world.mailTo(newEmail)).token, (await world.mailTo(person.email)).token];
  return { code, reset, change, keep };
}

/** A task and a series of someone's in a list, each with an assignee and all that it may carry. */
async function fill(by: Call, workspaceId: string, assigneeId: string, inList?: string) {
  const inside = `/workspaces/${workspaceId}`;
  const made = async (path: string, body: object) => {
    const response = await by('POST', inside + path, body);
    expect(response.status, path).toBe(201);
    return response.body;
  };
  const list = (await by('GET', `${inside}/lists`)).body.items[0];
  const listId = inList ?? list.id;
  const label = await made('/labels', { title: `Of ${listId}` });
  const about = { listId, assigneeId, labelIds: [label.id], checklist: [{ title: 'Spade' }] };
  const task = await made('/tasks', { title: 'Dig', ...about });
  const comment = await made(`/tasks/${task.id}/comments`, { body: `[@You](errand:user/${assigneeId})` });
  const series = await made('/recurring-tasks', { title: 'Water', interval: DAILY, ...about });
  expect((await by('POST', `${inside}/recurring-tasks/${series.id}/skip`)).status).toBe(200);
  return {
    list,
    label: `${inside}/labels/${label.id}`,
    task: `${inside}/tasks/${task.id}`,
    comment: `${inside}/tasks/${task.id}/comments/${comment.id}`,
    series: `${inside}/recurring-tasks/${series.id}`,
  };
}

/** A task in the trash, and a list with a task and a series; returns that list, as it was. */
async function fillTrash(by: Call, workspaceId: string, assigneeId: string): Promise<string> {
  const inside = `/workspaces/${workspaceId}`;
  const spaceId = (await by('GET', `${inside}/spaces`)).body.items[0].id;
  const { id } = (await by('POST', `${inside}/lists`, { title: 'Garden', spaceId })).body;
  const { task } = await fill(by, workspaceId, assigneeId, id);
  for (const path of [task, `${inside}/lists/${id}`]) expect((await by('DELETE', path)).status).toBe(204);
  return id;
}

const everyRow = (): Set<string> => {
  const tables = world.values<string>(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'",
  );
  return new Set(
    tables
      .filter((table) => !SHARED.includes(table))
      .flatMap((table) =>
        world.rows(`select * from ${table}`).map((row) => `${table} ${JSON.stringify(row)}`),
      ),
  );
};

/** All that was there before Ada came is there still, as it was. */
async function expectBystandersUntouched(): Promise<void> {
  await world.untilIdle();
  const now = everyRow();
  expect([...bobs].filter((row) => !now.has(row))).toEqual([]);
}

it('keep their sessions, secrets and ways to sign in, whatever others do to theirs', async () => {
  const { email, password } = ada;
  await post('/auth/login', { email, password: 'wrong password' });
  const other = (await post('/auth/login', { email, password })).body;
  const { body: renewed } = await post('/auth/refresh', { refreshToken: other.refreshToken });
  await expectBystandersUntouched();
  await post('/auth/refresh', { refreshToken: other.refreshToken });
  expect((await call('GET', '/me')).status).toBe(401);
  expect((await post('/auth/refresh', { refreshToken: renewed.refreshToken })).status).toBe(401);
  await expectBystandersUntouched();

  Object.assign(ada, (await post('/auth/login', { email, password })).body);
  await call('POST', '/me/telegram', widget(world, { id: 8 }));
  expect((await call('DELETE', '/me/telegram')).status).toBe(204);
  expect((await call('DELETE', '/me/sessions')).status).toBe(204);
  expect(
    (await call('POST', '/me/password', { currentPassword: password, newPassword: 'password2' })).status,
  ).toBe(204);
  await expectBystandersUntouched();

  const first = await secretsOf(ada, 'ada@example.org');
  for (let i = 0; i < 5; i += 1) {
    await post('/auth/login/code/confirm', { email, code: first.code === '000000' ? '000001' : '000000' });
    await post('/auth/password/reset/request', { email });
  }
  await expectBystandersUntouched();
  await post('/auth/login/code', { email });
  const { code } = await world.mailTo(email);
  expect((await post('/auth/login/code/confirm', { email, code })).status).toBe(200);
  expect((await post('/auth/email/change/confirm', { token: first.change })).status).toBe(204);
  await expectBystandersUntouched();
  expect((await post('/auth/email/change/revert', { token: first.keep })).status).toBe(204);
  await expectBystandersUntouched();
  await post('/auth/password/reset/request', { email });
  const reset = { token: (await world.mailTo(email)).token, newPassword: 'password3' };
  expect((await post('/auth/password/reset/confirm', reset)).status).toBe(204);
  await expectBystandersUntouched();
});

it('keep their roles, invitations and assignments, as people come and go elsewhere', async () => {
  const inside = `/workspaces/${home}`;
  const token = await invite(world, ada, home, carol.email, 'admin');
  expect((await post('/invitations/accept', { token }, carol)).status).toBe(200);
  await fill(call, home, carol.id);
  const eve = await joined(world, ada, home, 'member', 'Eve');
  await invite(world, ada, home, 'guest@example.com', 'viewer');
  await invite(world, ada, home, 'guest@example.com', 'viewer');
  const { items } = (await call('GET', `${inside}/invitations`)).body;
  expect(items).toHaveLength(1);
  expect((await call('DELETE', `${inside}/invitations/${items[0].id}`)).status).toBe(204);
  expect((await call('PATCH', `${inside}/members/${carol.id}`, { role: 'viewer' })).status).toBe(200);
  await expectBystandersUntouched();
  expect((await call('DELETE', `${inside}/members/${carol.id}`)).status).toBe(204);
  expect(
    (await call('PATCH', `${inside}/members/${eve.id}`, { role: 'owner', password: ada.password })).status,
  ).toBe(200);
  expect((await call('DELETE', `${inside}/members/${ada.id}`)).status).toBe(204);
  await expectBystandersUntouched();
});

it('keep their names, spaces, lists and statuses, whatever others call and delete', async () => {
  const inside = `/workspaces/${home}`;
  const made = async (path: string, body: object): Promise<string> => {
    const response = await call('POST', inside + path, body);
    expect(response.status).toBe(201);
    return `${inside}${path}/${response.body.id}`;
  };
  const spaceId = (await call('GET', `${inside}/spaces`)).body.items[0].id;
  const things = [
    await made('/spaces', { title: 'Cellar' }),
    await made('/lists', { title: 'Wine', spaceId }),
    await made('/status-templates', {
      title: 'Two',
      statuses: [
        { title: 'Open', type: 'unstarted', color: '#aaaaaa' },
        { title: 'Done', type: 'completed', color: '#00aa00' },
      ],
    }),
  ];
  for (const path of [inside, ...things]) {
    expect((await call('PATCH', path, { title: 'Renamed' })).status).toBe(200);
    await expectBystandersUntouched();
  }
  expect((await call('PATCH', '/me', { name: 'Augusta' })).status).toBe(200);
  for (const path of things) expect((await call('DELETE', path)).status).toBe(204);
  await expectBystandersUntouched();
});

it('keep all of theirs, as others delete their accounts', async () => {
  await fill(call, home, ada.id);
  await secretsOf(ada, 'ada@example.org');
  await call('POST', '/me/telegram', widget(world, { id: 8 }));
  await invite(world, ada, home, 'guest@example.com', 'viewer');
  expect((await call('DELETE', '/auth/me', { password: ada.password })).status).toBe(204);
  await expectBystandersUntouched();
});

it('keep their tasks and series, whatever becomes of those of others', async () => {
  const { series } = await fill(call, home, ada.id);
  const step = async (method: string, path: string, body?: unknown) => {
    const response = await call(method, path, body);
    expect(response.status, path).toBeLessThan(300);
    await expectBystandersUntouched();
    return response.body;
  };
  await step('POST', `${series}/skip`);
  await step('POST', `${series}/pause`);
  await step('POST', `${series}/resume`);
  const interval = { ...DAILY, timeOfDay: '10:00' };
  const { nextTaskId } = await step('PATCH', series, { title: 'Water twice', interval });
  await step('DELETE', `/workspaces/${home}/tasks/${nextTaskId}`);
  await step('DELETE', series);
});

it('keep what tasks carry and what is in the trash, whatever becomes of that of others', async () => {
  const inside = `/workspaces/${home}`;
  const step = async (method: string, path: string, body?: unknown) => {
    const response = await call(method, path, body);
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    await expectBystandersUntouched();
    return response.body;
  };
  const { list, label, task, comment, series } = await fill(call, home, ada.id);
  await step('PATCH', comment, { body: 'Nobody' });
  await step('PATCH', task, { labelIds: [], checklist: [] });
  await step('POST', `${series}/step-back`, { occurrenceAt: (await call('GET', series)).body.nextRunAt });
  const upcoming = (await call('GET', series)).body.nextTaskId;
  await step('POST', `${series}/instances/${upcoming}/edit-mode`, {
    mode: 'following',
    updates: { title: 'Later', checklist: [] },
  });
  await step('DELETE', label);
  await step('DELETE', comment);
  const [, taskId] = task.split('/tasks/');
  await step('DELETE', task);
  await step('POST', `${inside}/trash/${taskId}/restore`);
  await step('DELETE', task);
  await step('DELETE', `${inside}/trash/${taskId}`);

  const garden = await fillTrash(call, home, ada.id);
  await step('POST', `${inside}/trash/${garden}/restore`);
  await step('DELETE', `${inside}/lists/${garden}?permanent=true`);
  await fill(call, home, ada.id, list.id);
  await step('DELETE', `${inside}/spaces/${list.spaceId}`);
  await step('POST', `${inside}/trash/${list.spaceId}/restore`);
  await step('DELETE', `${inside}/spaces/${list.spaceId}`);
  await step('DELETE', `${inside}/trash`);
  await step('DELETE', inside);
});

it('are not seen in what others list', async () => {
  const { series } = await fill(call, home, ada.id);
  await invite(world, ada, home, 'someone@example.com', 'viewer');
  const lists = ['members', 'invitations', 'lists', 'spaces', 'tasks', 'recurring-tasks'].map(
    (name) => `/workspaces/${home}/${name}`,
  );
  const seen = await Promise.all(
    [...lists, '/me/sessions', '/me/workspaces', '/me/notifications'].map((path) => call('GET', path)),
  );
  const strange = [...bobs].join();
  for (const { body } of seen) {
    expect(body.items.length).toBe(body.total);
    for (const { id } of body.items) expect(strange.includes(id)).toBe(false);
  }
  expect((await call('GET', series)).status).toBe(200);
  expect((await call('GET', '/me')).body).toMatchObject({ telegramLinked: false });
});
