import { beforeEach, describe, expect, it } from 'vitest';
import { HEARTBEAT_MS } from '../../src/changes/streams.ts';
import { ada, useHome, home as workspaceId, world } from '../ada.ts';
import { as, joined } from '../people.ts';
import type { Person } from '../world.ts';

const DAY = 86_400_000;
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };
let bob: Person;
useHome();
beforeEach(async () => {
  bob = await joined(world, ada, workspaceId, 'member');
});

const signIn = async (more: object = {}) =>
  world.call('POST', '/auth/login', {
    body: { email: bob.email, password: bob.password, ...more },
    headers: SAME_ORIGIN,
  });

/** What a stream is opened with. */
const CREDENTIALS: Record<string, () => Promise<Record<string, string>>> = {
  'an access token': async () => ({ Authorization: `Bearer ${bob.accessToken}` }),
  'a cookie': async () => {
    const { headers } = await signIn({ session: 'cookie' });
    return { Cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
  },
  'an API token': async () => {
    const made = await as(world, bob)('POST', '/me/tokens', {
      title: 'Script',
      role: 'member',
      workspaceIds: null,
    });
    return { Authorization: `Bearer ${made.body.token}` };
  },
};

/** What ends all of them, by someone who is signed in elsewhere. */
const ENDS: Record<string, (elsewhere: Person) => Promise<unknown>> = {
  'ending all other sessions': (elsewhere) => as(world, elsewhere)('DELETE', '/me/sessions'),
  'a reset of the password': async () => {
    await world.call('POST', '/auth/password/reset/request', { body: { email: bob.email } });
    const { token } = await world.mailTo(bob.email);
    await world.call('POST', '/auth/password/reset/confirm', { body: { token, newPassword: 'another one' } });
  },
  'reuse of a refresh token': async ({ refreshToken }) => {
    for (const _twice of [1, 2]) await world.call('POST', '/auth/refresh', { body: { refreshToken } });
  },
  'deletion of the account': (elsewhere) =>
    as(world, elsewhere)('DELETE', '/auth/me', { password: bob.password }),
};

/** Opens a stream; returns what it says from then on until it ends. */
async function listen(headers: Record<string, string>): Promise<() => Promise<string>> {
  const response = await world.app.request('/api/me/events', { headers });
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let hello = '';
  while (!hello.includes('\n\n')) hello += (await reader?.read())?.value ?? '\n\n';
  return async () => {
    let said = '';
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return said;
      said += value;
    }
  };
}

const change = () =>
  world.deps.write((tx) => void tx.record({ kind: 'list', id: 'secret', op: 'delete', workspaceId }));

describe.each(Object.keys(CREDENTIALS))('a stream by %s', (credential) => {
  it.each(Object.keys(ENDS))('ends by %s, before the next event', async (end) => {
    const rest = await listen((await CREDENTIALS[credential]?.()) ?? {});
    const { body } = await signIn();
    await ENDS[end]?.({ ...bob, ...body });
    await change();
    expect(await rest()).not.toContain('secret');
  });
});

it('a stream by an API token ends with its token: deleted at once, expired by the next beat', async () => {
  const make = async (expiresAt: number) => {
    const body = {
      title: 'Script',
      role: 'viewer',
      workspaceIds: null,
      expiresAt: new Date(expiresAt).toISOString(),
    };
    const made = (await as(world, bob)('POST', '/me/tokens', body)).body;
    return { id: made.id, rest: await listen({ Authorization: `Bearer ${made.token}` }) };
  };
  const deleted = await make(world.clock.now() + DAY);
  await make(world.clock.now() + DAY);
  await as(world, bob)('DELETE', `/me/tokens/${deleted.id}`);
  await deleted.rest();
  const expiring = await make(world.clock.now() + HEARTBEAT_MS);
  world.clock.advance(HEARTBEAT_MS);
  world.deps.streams.heartbeat();
  await change();
  expect(await expiring.rest()).not.toContain('secret');
});

it('a stream by cookie ends when its session was not used for too long', async () => {
  const rest = await listen((await CREDENTIALS['a cookie']?.()) ?? {});
  world.clock.advance(31 * DAY);
  world.deps.streams.heartbeat();
  await change();
  expect(await rest()).not.toContain('secret');
});

it('a cursor that is changed, cut or made longer anywhere is 400 or begins again, and skips nothing', async () => {
  const pageAt = (cursor: string) =>
    as(world, ada)('GET', `/workspaces/${workspaceId}/changes?cursor=${encodeURIComponent(cursor)}`);
  const { cursor } = (await as(world, ada)('GET', `/workspaces/${workspaceId}/changes`)).body;
  await change();
  const genuine = (await pageAt(cursor)).body;
  expect(genuine.items).toHaveLength(1);
  const broken = ['', `${cursor}A`, `A${cursor}`, cursor.slice(1), '0', '-1', 'AAAA'.repeat(12)];
  for (let i = 0; i < cursor.length; i += 1) {
    broken.push(cursor.slice(0, i));
    for (const other of ['A', 'B', '_', '7']) broken.push(cursor.slice(0, i) + other + cursor.slice(i + 1));
  }
  for (const text of broken) {
    const { status, body } = await pageAt(text);
    const isSame = status === 200 && !body.reset && body.cursor === genuine.cursor;
    if (isSame) expect([text, body.items]).toEqual([text, genuine.items]);
    else expect([text, status === 400 || (status === 200 && body.reset)]).toEqual([text, true]);
  }
});
