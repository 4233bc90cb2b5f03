import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { setMeta } from '../../src/storage/meta.ts';
import { ada, call, inside, listId, spaceId, useHome, world } from '../ada.ts';
import type { TestResponse } from '../world.ts';

useHome();

const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  world.call(method, path, { token: ada.accessToken, headers, body });
const make = async (path: string, body: object): Promise<string> => {
  const response = await call('POST', `${inside}/${path}`, body);
  expect(response.status).toBe(201);
  return `${inside}/${path}/${response.body.id}`;
};
const etagOf = ({ headers }: TestResponse): string => headers.get('etag') ?? '';
const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'UTC' };

/** Where a new thing of each kind is, and a change that it can take. */
const THINGS: Record<string, () => Promise<[path: string, change: object]>> = {
  task: async () => [await make('tasks', { title: 'T', listId }), { title: 'New' }],
  'recurring task': async () => [
    await make('recurring-tasks', { title: 'T', listId, interval }),
    { title: 'New' },
  ],
  list: async () => [await make('lists', { title: 'T', spaceId }), { title: 'New' }],
  space: async () => [await make('spaces', { title: 'T' }), { title: 'New' }],
  label: async () => [await make('labels', { title: 'T' }), { title: 'New' }],
  comment: async () => {
    const task = (await make('tasks', { title: 'T', listId })).slice(inside.length + 1);
    return [await make(`${task}/comments`, { body: 'T' }), { body: 'New' }];
  },
};

describe.each(Object.entries(THINGS))('a %s', (_kind, made) => {
  it('has an ETag of epoch and version, the same wherever it is the response', async () => {
    const { epoch } = (await call('GET', `${inside}/changes`)).body;
    const [path, change] = await made();
    const read = await call('GET', path);
    expect(etagOf(read)).toBe(`"${epoch}-1"`);
    const head = await ask('HEAD', path, {});
    expect([head.status, etagOf(head)]).toEqual([200, etagOf(read)]);
    const changed = await call('PATCH', path, change);
    expect([changed.body.version, etagOf(changed)]).toEqual([2, `"${epoch}-2"`]);
    expect(etagOf(await call('PATCH', path, change))).toBe(`"${epoch}-2"`);
    expect(etagOf(await call('GET', path))).toBe(`"${epoch}-2"`);
  });

  it('is 304 without a body while it is as If-None-Match says', async () => {
    const [path, change] = await made();
    const etag = etagOf(await call('GET', path));
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await ask(method, path, { 'If-None-Match': known });
        expect([response.status, response.body, etagOf(response)]).toEqual([304, undefined, etag]);
        expect(response.headers.get('vary')).toBe('Accept-Encoding');
      }
    }
    for (const other of ['"other"', 'other', etag.replace('-1', '-2'), '']) {
      expect((await ask('GET', path, { 'If-None-Match': other })).status).toBe(200);
    }
    await call('PATCH', path, change);
    expect((await ask('GET', path, { 'If-None-Match': etag })).status).toBe(200);
  });

  it('is changed and deleted only while it is as If-Match says, or without it', async () => {
    const [path, change] = await made();
    const first = etagOf(await call('GET', path));
    for (const stale of ['"other"', first.replace('-1', '-2'), first.replace(/"\w+/, '"00000000'), '']) {
      const response = await ask('PATCH', path, { 'If-Match': stale }, change);
      expect([response.status, response.body.error]).toEqual([412, 'PreconditionFailedError']);
      expect((await ask('DELETE', path, { 'If-Match': stale })).status).toBe(412);
    }
    expect(etagOf(await call('GET', path))).toBe(first);
    const changed = await ask('PATCH', path, { 'If-Match': `"other", W/${first}` }, change);
    expect(changed.status).toBe(200);
    expect((await ask('PATCH', path, { 'If-Match': first }, change)).status).toBe(412);
    expect((await ask('DELETE', path, { 'If-Match': first })).status).toBe(412);
    expect((await ask('DELETE', path, { 'If-Match': etagOf(changed) })).status).toBe(204);
    expect((await ask('DELETE', path, { 'If-Match': etagOf(changed) })).status).toBe(404);
  });

  it('takes an If-Match only of ETags with commas between, or *', async () => {
    const [path, change] = await made();
    const etag = etagOf(await call('GET', path));
    const malformed = [
      'x',
      '"',
      `", ${etag}`,
      etag.slice(1, -1),
      etag.slice(1),
      `w/${etag}`,
      `${etag} "other"`,
      `*, ${etag}`,
    ];
    for (const header of malformed) {
      for (const method of ['PATCH', 'DELETE']) {
        const response = await ask(method, path, { 'If-Match': header }, change);
        expect([header, response.status, response.body.error]).toEqual([header, 400, 'BadRequestError']);
      }
    }
    for (const header of [`"a,b",${etag}`, `, ${etag} ,`]) {
      expect((await ask('PATCH', path, { 'If-Match': header }, {})).status).toBe(200);
    }
  });

  it('is looked at only once its change breaks no rule: 400 comes before 412', async () => {
    const [path] = await made();
    const broken = { title: '', body: '' };
    expect((await ask('PATCH', path, { 'If-Match': '"other"' }, broken)).status).toBe(400);
  });
});

it('references are looked at before If-Match, and quotas after', async () => {
  const path = await make('tasks', { title: 'T', listId });
  const headers = { 'If-Match': '"other"' };
  const unknown = { assigneeId: crypto.randomUUID() };
  expect((await ask('PATCH', path, headers, unknown)).status).toBe(400);
  expect((await ask('POST', `${path}/move`, headers, { listId: crypto.randomUUID() })).status).toBe(400);
  expect((await ask('POST', `${path}/move`, headers, { listId })).status).toBe(412);
  expect((await ask('POST', `${path}/move`, { 'If-Match': '*' }, { listId })).status).toBe(200);
});

it("If-Match asks for the task's version where an item or a label of it changes", async () => {
  const label = (await make('labels', { title: 'L' })).slice(inside.length + 1);
  const labelId = label.slice('labels/'.length);
  const path = await make('tasks', {
    title: 'T',
    listId,
    labelIds: [labelId],
    checklist: [{ title: 'One' }],
  });
  const read = await call('GET', path);
  const item = `${path}/checklist/${read.body.checklist[0].id}`;
  const tick = { isDone: true };
  expect((await ask('PATCH', item, { 'If-Match': '"other"' }, tick)).status).toBe(412);
  const ticked = await ask('PATCH', item, { 'If-Match': etagOf(read) }, tick);
  expect([ticked.status, ticked.body.version]).toEqual([200, 2]);
  expect((await ask('DELETE', `${path}/${label}`, { 'If-Match': etagOf(read) })).status).toBe(412);
  expect((await ask('DELETE', `${path}/${label}`, { 'If-Match': etagOf(ticked) })).status).toBe(200);
});

it('the compressed form carries the same ETag, weak, and both match', async () => {
  const path = await make('tasks', { title: 'T', listId, description: 'x'.repeat(5_000) });
  const etag = etagOf(await call('GET', path));
  const raw = (method: string, headers: Record<string, string>, body?: string) =>
    world.app.request(`/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${ada.accessToken}`, 'Accept-Encoding': 'gzip', ...headers },
      ...(body !== undefined && { body }),
    });
  const short = await raw('GET', {});
  expect(short.headers.get('content-encoding')).toBe('gzip');
  expect(short.headers.get('etag')).toBe(`W/${etag}`);
  expect(JSON.parse(gunzipSync(await short.arrayBuffer()).toString()).version).toBe(1);
  for (const known of [etag, `W/${etag}`]) {
    const response = await raw('GET', { 'If-None-Match': known });
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([
      304,
      `W/${etag}`,
      '',
    ]);
    expect(response.headers.get('content-encoding')).toBeNull();
  }
  const json = { 'Content-Type': 'application/json', 'If-Match': `W/${etag}` };
  expect((await raw('PATCH', json, '{"title":"New"}')).status).toBe(200);
});

it('no ETag of before a restore is believed', async () => {
  const path = await make('tasks', { title: 'T', listId });
  const etag = etagOf(await call('GET', path));
  await world.deps.write((tx) => void setMeta(tx, 'epoch', 'feedbeef'));
  expect(etagOf(await call('GET', path))).toBe('"feedbeef-1"');
  expect((await ask('GET', path, { 'If-None-Match': etag })).status).toBe(200);
  expect((await ask('DELETE', path, { 'If-Match': etag })).status).toBe(412);
});
