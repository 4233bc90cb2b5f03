import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { AccountExport } from '../../src/export/schema.ts';
import { listen } from '../../src/http/listen.ts';
import { MINUTE } from '../../src/kernel/instants.ts';
import { entriesInSteps } from '../../src/storage/trash.ts';
import { runningExports } from '../../src/users/running-exports.ts';
import { ada, call, home, listId, openLimited, reopen, spaceId, useHome, world } from '../ada.ts';
import { addTasks } from '../many-tasks.ts';
import { addMember, as, homeOf, invite, joined, signInAgain } from '../people.ts';
import { errand } from '../shell.ts';
import type { Person } from '../world.ts';

useHome();

const exportOf = (person: Person) => as(world, person)('GET', '/account/export');
const streamOf = async (person: Person, method = 'GET') =>
  world.app.request('/api/account/export', {
    method,
    headers: { Authorization: `Bearer ${person.accessToken}` },
  });

/** Ada's workspace with Bob in it and something of each kind; Eve's, where Ada is a guest. */
async function furnished() {
  const bob = await joined(world, ada, home, 'member', 'Bob');
  await invite(world, ada, home, 'invited@example.com', 'viewer');
  const eve = await world.signUp('eve@example.com', 'Eve');
  const foreign = await homeOf(world, eve);
  await addMember(world, eve, foreign, ada, 'admin');
  const post = (path: string, body: object) => call('POST', `/workspaces/${home}${path}`, body);
  await post('/spaces', { title: 'Garden', description: 'Quotes " and \\ and \u2028 and 東京' });
  await post('/status-templates', { title: 'Editorial' });
  await post('/labels', { title: 'Outside' });
  const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' };
  await post('/recurring-tasks', { title: 'Water', listId, interval });
  const task = (await post('/tasks', { title: 'Mow', listId, assigneeId: bob.id })).body;
  const comment = (await post(`/tasks/${task.id}/comments`, { body: 'Not too short' })).body;
  await as(world, bob)('POST', `/workspaces/${home}/tasks`, {
    title: 'Weed',
    listId,
    assigneeId: ada.id,
  });
  return { bob, foreign, task, comment };
}

describe('the export', () => {
  it('is the documented document: profile, owned workspaces with everything in them, notifications', async () => {
    const { bob, task, comment } = await furnished();
    const { status, body, headers } = await exportOf(ada);
    expect(status).toBe(200);
    expect(AccountExport.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      exportedAt: '2026-03-27T10:00:00.000Z',
      formatVersion: 2,
      profile: (await as(world, ada)('GET', '/me')).body,
    });
    expect(body.workspaces.map(({ id }: { id: string }) => id)).toEqual([home]);
    const [workspace] = body.workspaces;
    const read = async (path: string) => (await as(world, ada)('GET', `/workspaces/${home}${path}`)).body;
    const { members, spaces, lists, labels, statusTemplates, tasks, recurringTasks, ...fields } = workspace;
    expect(fields).toEqual({ ...(await read('')), lastTaskNumber: 3, trash: [] });
    const byId = (a: { userId: string }, b: { userId: string }) => (a.userId < b.userId ? -1 : 1);
    expect(members).toEqual((await read('/members')).items.toSorted(byId));
    expect(members.map(({ email }: { email: string }) => email).toSorted()).toEqual(
      [ada.email, bob.email].toSorted(),
    );
    expect(spaces).toEqual((await read('/spaces')).items);
    expect(lists).toEqual((await read('/lists')).items);
    expect(labels).toEqual((await read('/labels')).items);
    expect(labels).toHaveLength(1);
    expect(statusTemplates).toEqual((await read('/status-templates')).items);
    const [{ progress, occurrences, steps, ...series }] = recurringTasks;
    expect([series]).toEqual((await read('/recurring-tasks')).items);
    expect(progress).toMatchObject({
      anchorDate: '2026-03-28',
      numberOffset: 0,
      upcoming: { local: '2026-03-28T09:00', number: 1, taskId: series.nextTaskId },
      broughtBack: 'no',
    });
    expect(steps).toEqual([]);
    expect(occurrences).toEqual([
      {
        ruleVersion: 1,
        local: '2026-03-28T09:00',
        at: '2026-03-28T08:00:00.000Z',
        number: 1,
        state: 'generated',
        taskId: series.nextTaskId,
      },
    ]);
    expect(tasks).toHaveLength(3);
    expect(tasks).toContainEqual({ ...task, commentCount: 1, version: 2, comments: [comment] });
    expect(body.notifications).toEqual((await as(world, ada)('GET', '/me/notifications')).body.items);
    expect(body.notifications.length).toBeGreaterThan(1);
    expect(headers.get('content-disposition')).toBe('attachment; filename="errand-export-2026-03-27.json"');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('keeps to its JSON Schema, which every validator can read', async () => {
    await furnished();
    const { status, body: schema } = await world.call('GET', '/export-schema.json');
    expect(status).toBe(200);
    const validate = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true }).compile(schema);
    const { body } = await exportOf(ada);
    validate(body);
    expect(validate.errors).toBeNull();
    expect(validate({ ...body, formatVersion: 3 })).toBe(false);
    expect(validate({ ...body, exportedAt: 'today' })).toBe(false);
  });

  it('reads the comments of a task in parts that neither lose nor repeat one', async () => {
    const { id } = (await call('POST', `/workspaces/${home}/tasks`, { title: 'Talk', listId })).body;
    for (let i = 0; i < 60; i += 1) {
      await call('POST', `/workspaces/${home}/tasks/${id}/comments`, { body: `Comment ${i}` });
    }
    const [{ tasks }] = (await exportOf(ada)).body.workspaces;
    const bodies = tasks[0].comments.map(({ body }: { body: string }) => body);
    expect(bodies).toEqual(Array.from({ length: 60 }, (_, i) => `Comment ${i}`));
  });

  it('holds no secret and no address of anyone outside the owned workspaces', async () => {
    const { foreign } = await furnished();
    await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const text = JSON.stringify((await exportOf(ada)).body);
    expect(text).not.toContain('eve@example.com');
    expect(text).not.toContain('invited@example.com');
    const hidden = world.deps.read.all(
      query.selectFrom('users').select(['password_hash as secret']).where('email', '=', ada.email),
    );
    const hashes = [
      ...hidden,
      ...world.deps.read.all(query.selectFrom('refresh_tokens').select('hash as secret')),
      ...world.deps.read.all(query.selectFrom('invitations').select('token_hash as secret')),
    ].map(({ secret }) => secret ?? '-');
    for (const secret of [ada.accessToken, ada.refreshToken, ...hashes]) expect(text).not.toContain(secret);
    expect(JSON.parse(text).workspaces.map(({ id }: { id: string }) => id)).not.toContain(foreign);
  });

  it('is read in parts that neither lose nor repeat a row', async () => {
    await addTasks(world, home, 1_234);
    for (let i = 0; i < 230; i += 1) {
      const body = { title: `List ${i}`, spaceId, position: i % 7 };
      await call('POST', `/workspaces/${home}/lists`, body);
    }
    const [workspace] = (await exportOf(ada)).body.workspaces;
    const count = (things: { id: string }[]) => new Set(things.map(({ id }) => id)).size;
    expect([workspace.tasks.length, count(workspace.tasks)]).toEqual([1_234, 1_234]);
    expect([workspace.lists.length, count(workspace.lists)]).toEqual([231, 231]);
  });

  it('is sent in pieces of about one task, where the texts are the longest', async () => {
    const description = '.'.repeat(50_000);
    for (let i = 0; i < 10; i += 1) {
      await call('POST', `/workspaces/${home}/tasks`, { title: 'Novel', listId, description });
    }
    const sizes: number[] = [];
    for await (const piece of (await streamOf(ada)).body ?? []) sizes.push(piece.length);
    expect(Math.max(...sizes)).toBeGreaterThan(50_000);
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });

  it('is of one moment, whatever is written while it is read', async () => {
    await addTasks(world, home, 2_000);
    const reader = (await streamOf(ada)).body?.getReader();
    let text = '';
    const decoder = new TextDecoder();
    for (let i = 0; ; i += 1) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) break;
      text += decoder.decode(value, { stream: true });
      if (i === 1) expect((await call('DELETE', `/workspaces/${home}/lists/${listId}`)).status).toBe(204);
    }
    const [workspace] = AccountExport.parse(JSON.parse(text)).workspaces;
    expect(workspace?.tasks).toHaveLength(2_000);
    expect(workspace?.lists).toHaveLength(1);
    expect((await exportOf(ada)).body.workspaces[0].tasks).toHaveLength(0);
  });
});

describe('exports at a time', () => {
  it('are ten of all, and a place is free once one is read or left', async () => {
    const [bob = ada, ...others] = await Promise.all(Array.from({ length: 11 }, () => world.signUp()));
    const running = await Promise.all(others.map((person) => streamOf(person)));
    const busy = async () => {
      const { status, body, headers } = await exportOf(ada);
      expect([status, body.error]).toEqual([429, 'TooManyRequestsError']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    };
    await busy();
    await running[0]?.text();
    expect((await exportOf(bob)).status).toBe(200);
    await running[1]?.body?.cancel();
    expect((await exportOf(bob)).status).toBe(200);
    for (const response of running.slice(2)) await response.text();
    expect(runningExports(world.deps).size).toBe(0);
  });

  it('are one of each person, and another one is rejected until that has ended', async () => {
    const bob = await world.signUp();
    const first = await streamOf(ada);
    expect((await exportOf(ada)).status).toBe(429);
    expect((await exportOf(bob)).status).toBe(200);
    await first.body?.cancel();
    expect((await exportOf(ada)).status).toBe(200);
  });

  it('are none for a session that ends while a list is on its way into the trash', async () => {
    const { accessToken: token } = (await world.call('POST', '/auth/login', { body: ada })).body;
    await addTasks(world, home, 2_001, { listId });
    const removal = world.call('DELETE', `/workspaces/${home}/lists/${listId}`, { token });
    while (entriesInSteps(world.deps.read).length === 0) await new Promise(setImmediate);
    const { write } = world.deps;
    const goesOn = Promise.withResolvers<void>();
    world.deps.write = async (job, from) => {
      if (!from) await goesOn.promise;
      return write(job, from);
    };
    const exported = exportOf(ada);
    while (!world.log.some((line) => line.includes('account-exported'))) await new Promise(setImmediate);
    expect((await world.call('DELETE', '/me/sessions', { token })).status).toBe(204);
    goesOn.resolve();
    expect([(await exported).status, (await removal).status]).toEqual([401, 204]);
    expect(runningExports(world.deps).size).toBe(0);
  });

  it('are none after a HEAD', async () => {
    expect((await streamOf(ada, 'HEAD')).status).toBe(200);
    expect(runningExports(world.deps).size).toBe(0);
  });

  it('end with a broken stream, never with half a document, when the server stops', async () => {
    await addTasks(world, home, 500);
    const response = await streamOf(ada);
    world.opened.beginStop();
    await expect(response.text()).rejects.toThrow('broken off');
    expect(runningExports(world.deps).size).toBe(0);
  });

  it('end with a broken stream when the account is deleted, and hold up no erasure', async () => {
    await addTasks(world, home, 500);
    const response = await streamOf(ada);
    const body = { password: ada.password };
    expect((await world.call('DELETE', '/auth/me', { token: ada.accessToken, body })).status).toBe(204);
    await expect(response.text()).rejects.toThrow('broken off');
    expect(runningExports(world.deps).size).toBe(0);
    expect(readFileSync(join(world.folder, 'errand.db-wal'), 'latin1')).not.toContain(ada.email);
  });

  it('end when the client goes away', async () => {
    await addTasks(world, home, 5_000);
    const http = await listen(world.app, { host: '127.0.0.1', port: 0 });
    const leaving = new AbortController();
    const response = await fetch(`http://127.0.0.1:${http.port}/api/account/export`, {
      headers: { Authorization: `Bearer ${ada.accessToken}` },
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    expect(runningExports(world.deps).size).toBe(1);
    leaving.abort();
    await expect.poll(() => runningExports(world.deps).size).toBe(0);
    await http.drain(1_000);
  });
});

describe('the limit of exports', () => {
  it('is 5, then one every 20 minutes, for each user, and outlasts a restart', async () => {
    await openLimited();
    const [ada, bob] = [await world.signUp(), await world.signUp()];
    for (let i = 0; i < 5; i += 1) expect((await exportOf(ada)).status).toBe(200);
    const { status, headers } = await exportOf(ada);
    expect([status, headers.get('retry-after')]).toEqual([429, '1200']);
    expect((await exportOf(bob)).status).toBe(200);

    await reopen({ settings: { rate_limits: { enabled: true } } });
    expect((await exportOf(ada)).status).toBe(429);
    world.clock.advance(20 * MINUTE);
    await signInAgain(world, ada);
    expect((await exportOf(ada)).status).toBe(200);
    expect((await exportOf(ada)).status).toBe(429);
  });

  it('is not spent by HEAD', async () => {
    await openLimited({ export_burst: 2 });
    const ada = await world.signUp();
    for (let i = 0; i < 5; i += 1) {
      const headers = { Authorization: `Bearer ${ada.accessToken}` };
      const head = await world.app.request('/api/account/export', { method: 'HEAD', headers });
      expect([head.status, head.headers.get('content-disposition')]).toEqual([
        200,
        expect.stringContaining('attachment'),
      ]);
    }
    expect((await exportOf(ada)).status).toBe(200);
  });

  it('is off with rate_limits.enabled = false', async () => {
    for (let i = 0; i < 8; i += 1) expect((await exportOf(ada)).status).toBe(200);
  });
});

describe('errand export', () => {
  it('writes the same document to stdout', async () => {
    await furnished();
    const { body } = await exportOf(ada);
    const { code, out, err } = await errand(world, ['export', '--user', ada.email]);
    expect([code, err]).toEqual([0, '']);
    expect({ ...JSON.parse(out), exportedAt: '' }).toEqual({ ...body, exportedAt: '' });
  });

  it('writes a new file that only its owner can read, and replaces none', async () => {
    await furnished();
    const file = join(world.folder, 'ada.json');
    const command = ['export', '--user', ada.email, '--output', file];
    expect((await errand(world, command)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(AccountExport.parse(JSON.parse(text)).profile.email).toBe(ada.email);
    const again = await errand(world, command);
    expect([again.code, again.err]).toEqual([1, `errand: ${file} is there already\n`]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('says when there is no such account, and leaves no file', async () => {
    const file = join(world.folder, 'nobody.json');
    const { code, err } = await errand(world, ['export', '--user', 'no@example.com', '--output', file]);
    expect([code, err]).toEqual([1, 'errand: There is no account with the address no@example.com\n']);
    expect(existsSync(file)).toBe(false);
  });

  it('shows how far it is, on a terminal', async () => {
    await addTasks(world, home, 250);
    const { err } = await errand(world, ['export', '--user', ada.email], { isWatched: true });
    expect(err).toContain('100/250');
    expect(err).toMatch(/250\/250\n$/);
  });
});
