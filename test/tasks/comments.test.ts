import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ada, at, call, home, listId, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, type Call, expectIssues, joined } from '../people.ts';
import type { Person } from '../world.ts';

let bob: Person;
let asBob: Call;
let task: { id: string };
let path: string;
useHome();
beforeEach(async () => {
  bob = await joined(world, ada, home, 'member', 'Bob');
  asBob = as(world, bob);
  task = (await call('POST', at('/tasks'), { title: 'Milk', listId })).body;
  path = at(`/tasks/${task.id}/comments`);
  await call('POST', '/me/notifications/read-all');
});
afterEach(() => expectIntegrity(world));

const mention = ({ id }: { id: string }, name = 'X') => `[@${name}](errand:user/${id})`;
const told = async (by: Call) =>
  (await by('GET', '/me/notifications?unread=true')).body.items.filter(({ type }: { type: string }) =>
    type.startsWith('comment.'),
  );
const typesTold = async (by: Call) => (await told(by)).map(({ type }: { type: string }) => type);
const commentCount = async () => (await call('GET', at(`/tasks/${task.id}`))).body.commentCount;
const found = async (q: string) =>
  (await call('GET', at(`/tasks/search?q=${encodeURIComponent(q)}`))).body.items.map(
    ({ id }: { id: string }) => id,
  );

describe('a comment', () => {
  it('has every field, and is read, listed, changed and deleted', async () => {
    const made = await call('POST', path, { body: ' **Oat** or cow? ' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api${path}/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(String),
      taskId: task.id,
      authorId: ada.id,
      body: ' **Oat** or cow? ',
      mentionedUserIds: [],
      createdAt: '2026-03-27T10:00:00.000Z',
      editedAt: null,
      version: 1,
    });
    const second = (await asBob('POST', path, { body: 'Oat' })).body;
    expect((await call('GET', path)).body).toMatchObject({ items: [made.body, second], total: 2 });
    expect((await call('GET', `${path}?limit=1&page=2`)).body.items).toEqual([second]);
    expect((await call('GET', `${path}/${second.id}`)).body).toEqual(second);
    expect(await commentCount()).toBe(2);
    world.clock.advance(1_000);
    const edited = await asBob('PATCH', `${path}/${second.id}`, { body: 'Cow' });
    expect(edited.body).toEqual({ ...second, body: 'Cow', editedAt: '2026-03-27T10:00:01.000Z', version: 2 });
    expect((await asBob('PATCH', `${path}/${second.id}`, { body: 'Cow' })).body).toEqual(edited.body);
    expect((await asBob('PATCH', `${path}/${second.id}`, {})).body).toEqual(edited.body);
    expect((await asBob('DELETE', `${path}/${second.id}`)).status).toBe(204);
    expect((await call('GET', `${path}/${second.id}`)).status).toBe(404);
    expect((await call('GET', path)).body).toMatchObject({ items: [made.body], total: 1 });
    expect(await commentCount()).toBe(1);
  });

  it('has a body of 1 to 20,000 characters, not white space alone', async () => {
    for (const body of ['', ' \n', 'x'.repeat(20_001), null, 1]) {
      await expectIssues(call('POST', path, { body }), 'body');
    }
    expect((await call('POST', path, { body: 'x'.repeat(20_000) })).status).toBe(201);
  });

  it('is written by members, edited by its author, deleted by its author or an admin', async () => {
    const byBob = (await asBob('POST', path, { body: 'Oat' })).body;
    const byAda = (await call('POST', path, { body: 'Cow' })).body;
    const viewer = as(world, await joined(world, ada, home, 'viewer'));
    expect((await viewer('GET', path)).body.total).toBe(2);
    expect((await viewer('POST', path, { body: 'Me' })).status).toBe(403);
    expect((await call('PATCH', `${path}/${byBob.id}`, { body: 'Cow' })).status).toBe(403);
    expect((await asBob('PATCH', `${path}/${byAda.id}`, { body: 'Oat' })).status).toBe(403);
    expect((await asBob('DELETE', `${path}/${byAda.id}`)).status).toBe(403);
    await call('PATCH', at(`/members/${bob.id}`), { role: 'viewer' });
    expect((await asBob('PATCH', `${path}/${byBob.id}`, { body: 'Cow' })).status).toBe(403);
    expect((await asBob('DELETE', `${path}/${byBob.id}`)).status).toBe(403);
    expect((await call('DELETE', `${path}/${byBob.id}`)).status).toBe(204);
  });

  it('is found on its own task only', async () => {
    const { id } = (await call('POST', path, { body: 'Oat' })).body;
    const other = (await call('POST', at('/tasks'), { title: 'Other', listId })).body;
    expect((await call('GET', at(`/tasks/${other.id}/comments`))).body.items).toEqual([]);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const sent = method === 'PATCH' ? { body: 'x' } : undefined;
      expect((await call(method, at(`/tasks/${other.id}/comments/${id}`), sent)).status).toBe(404);
    }
  });

  it('is told to those who follow the workspace, and its task after it', async () => {
    const { cursor } = (await call('GET', at('/changes?limit=1000'))).body;
    const comment = (await call('POST', path, { body: 'Oat' })).body;
    const after = (await call('GET', at(`/changes?cursor=${cursor}`))).body;
    expect(after.items).toEqual([
      { kind: 'comment', op: 'put', id: comment.id, value: comment },
      expect.objectContaining({ kind: 'task', op: 'put', id: task.id }),
    ]);
    expect(after.items[1].value.commentCount).toBe(1);
    let { cursor: seen } = after;
    const told = async () => {
      const { items, cursor } = (await call('GET', at(`/changes?cursor=${seen}`))).body;
      seen = cursor;
      return items.map(({ kind, op }: { kind: string; op: string }) => `${op} ${kind}`);
    };
    await call('PATCH', `${path}/${comment.id}`, { body: 'Cow' });
    expect(await told()).toEqual(['put comment', 'put task']);
    await call('DELETE', `${path}/${comment.id}`);
    expect(await told()).toEqual(['delete comment', 'put task']);
  });
});

describe('a search', () => {
  it('finds the words of comments, together with those of the task, as long as they are there', async () => {
    const { id } = (await call('POST', path, { body: `Oat for ${mention(bob, 'Robert')} 東京都` })).body;
    expect(await found('oat')).toEqual([task.id]);
    expect(await found('milk oat')).toEqual([task.id]);
    expect(await found('robert')).toEqual([task.id]);
    expect(await found('京都')).toEqual([task.id]);
    expect(await found(bob.id.slice(0, 8))).toEqual([]);
    await call('POST', path, { body: 'Oat again' });
    expect(await found('oat')).toEqual([task.id]);
    await call('PATCH', `${path}/${id}`, { body: 'Cow' });
    expect(await found('robert')).toEqual([]);
    expect(await found('cow milk')).toEqual([task.id]);
    await call('DELETE', `${path}/${id}`);
    expect(await found('cow')).toEqual([]);
  });

  it('finds nothing in comments of other workspaces', async () => {
    const other = as(world, await world.signUp('eve@example.com', 'Eve'));
    const home = (await other('GET', '/me/workspaces')).body.items[0].id;
    await call('POST', path, { body: 'Oat 東京都' });
    for (const q of ['oat', '京都']) {
      expect(
        (await other('GET', `/workspaces/${home}/tasks/search?q=${encodeURIComponent(q)}`)).body.total,
      ).toBe(0);
    }
  });
});

describe('people who are told of comments', () => {
  it('are the assignee, the creator and who commented before, never the author nor anyone else', async () => {
    const cy = await joined(world, ada, home, 'member', 'Cy');
    const asCy = as(world, cy);
    const asDan = as(world, await joined(world, ada, home, 'member', 'Dan'));
    const other = (await asDan('POST', at('/tasks'), { title: 'Other', listId })).body;
    await asDan('POST', at(`/tasks/${other.id}/comments`), { body: 'Elsewhere' });
    await asBob('POST', path, { body: 'Oat' });
    expect(await typesTold(call)).toEqual(['comment.added']);
    expect(await typesTold(asBob)).toEqual([]);
    await call('PATCH', at(`/tasks/${task.id}`), { assigneeId: cy.id });
    await call('POST', path, { body: 'Secret cow' });
    expect(await typesTold(asBob)).toEqual(['comment.added']);
    expect(await typesTold(asCy)).toEqual(['comment.added']);
    expect(await typesTold(asDan)).toEqual([]);
    const [notification] = await told(asBob);
    expect(notification).toMatchObject({
      body: 'Milk',
      data: { workspaceId: home, taskId: task.id, commentId: expect.any(String) },
    });
    expect(JSON.stringify(notification)).not.toContain('Secret');
  });

  it('have repeats merged while they are unread', async () => {
    for (const body of ['One', 'Two', 'Three']) await asBob('POST', path, { body });
    expect(await typesTold(call)).toEqual(['comment.added']);
    await call('POST', '/me/notifications/read-all');
    await asBob('POST', path, { body: 'Four' });
    expect(await typesTold(call)).toEqual(['comment.added']);
  });

  it('leave what else is told of their task', async () => {
    await asBob('PATCH', at(`/tasks/${task.id}`), { assigneeId: ada.id });
    await asBob('POST', path, { body: 'One' });
    const { items } = (await call('GET', '/me/notifications?unread=true')).body;
    expect(items.map(({ type }: { type: string }) => type)).toEqual(['comment.added', 'task.assigned']);
  });

  it('are told of a mention in its place, once a comment however often that is edited', async () => {
    const { body } = await asBob('POST', path, { body: `Hi ${mention(ada)} and ${mention(bob)}` });
    expect(body.mentionedUserIds.toSorted()).toEqual([ada.id, bob.id].toSorted());
    expect(await typesTold(call)).toEqual(['comment.mentioned']);
    expect(await typesTold(asBob)).toEqual([]);
    await call('POST', '/me/notifications/read-all');
    for (const text of ['Nobody', `Again ${mention(ada)}`]) {
      await asBob('PATCH', `${path}/${body.id}`, { body: text });
    }
    expect(await typesTold(call)).toEqual([]);
    await asBob('POST', path, { body: `Once more ${mention(ada)}` });
    expect(await typesTold(call)).toEqual(['comment.mentioned']);
    expect((await call('GET', `${path}/${body.id}`)).body.mentionedUserIds).toEqual([ada.id]);
    await call('POST', '/me/notifications/read-all');
    const later = await asBob('POST', path, { body: 'Nobody yet' });
    await asBob('PATCH', `${path}/${later.body.id}`, { body: mention(ada) });
    expect(await typesTold(call)).toContain('comment.mentioned');
  });

  it('are no strangers: a mention of one is text', async () => {
    const eve = await world.signUp('eve@example.com', 'Eve');
    const text = `${mention(eve)} [@X](errand:user/nobody) [X](errand:user/${bob.id})`;
    const { status, body } = await call('POST', path, { body: text });
    expect([status, body.body, body.mentionedUserIds]).toEqual([201, text, []]);
    expect(await typesTold(as(world, eve))).toEqual([]);
    expect(await typesTold(asBob)).toEqual([]);
  });

  it('are told of a comment on a task that very many have commented on', async () => {
    for (let i = 0; i < 52; i += 1) await asBob('POST', path, { body: `${i}` });
    expect((await call('POST', path, { body: 'Last' })).status).toBe(201);
    expect(await typesTold(asBob)).toEqual(['comment.added']);
    expect(await commentCount()).toBe(53);
  });

  it('are told in steps where very many are mentioned', async () => {
    const steps = world.watchSteps();
    const many = Array.from({ length: 51 }, () => mention({ id: crypto.randomUUID() })).join(' ');
    const { body } = await call('POST', path, { body: `${mention(bob)} ${many.slice(many.indexOf(' '))}` });
    expect(steps).toHaveLength(1);
    expect(await typesTold(asBob)).toEqual(['comment.mentioned']);
    await call('PATCH', `${path}/${body.id}`, { body: many });
    expect(steps).toHaveLength(2);
    await call('PATCH', `${path}/${body.id}`, { body: many.slice(many.indexOf(' ')) });
    expect(steps).toHaveLength(2);
  });
});

describe('an account that is deleted', () => {
  it('leaves its comments without an author, and no mention of it', async () => {
    const byBob = (await asBob('POST', path, { body: 'Oat' })).body;
    const byAda = (await call('POST', path, { body: `Hi ${mention(bob)}` })).body;
    expect((await asBob('DELETE', '/auth/me', { password: bob.password })).status).toBe(204);
    expect((await call('GET', `${path}/${byBob.id}`)).body).toMatchObject({ authorId: null, body: 'Oat' });
    const left = (await call('GET', `${path}/${byAda.id}`)).body;
    expect(left.mentionedUserIds).toEqual([]);
    expect(left.body).not.toContain(bob.id);
  });
});
