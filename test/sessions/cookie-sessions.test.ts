import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSessionCookie } from '../../src/http/session-cookie.ts';
import { DAY, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { routes } from '../../src/routes.ts';
import { ada, openAda, openInstead, useAda, world } from '../ada.ts';
import { idToken, newSigningKey, openGoogle, withGoogle } from '../google-double.ts';
import { homeOf, invite, signInAgain } from '../people.ts';
import { codeTo, confirmReset, logIn, post, refresh, register, resetTokenTo, tokenTo } from '../sign-in.ts';
import { BOT_TOKEN, widget } from '../telegram-double.ts';
import type { TestResponse } from '../world.ts';

const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

/** The name and value of the cookie in a response. */
const cookieOf = ({ headers }: Pick<TestResponse, 'headers'>): string =>
  (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

let name: string;

useAda();
beforeEach(async () => {
  name = world.deps.http.sessionCookie.name;
});

const askForCookie = (headers: Record<string, string> = SAME_ORIGIN, { email, password } = ada) =>
  world.call('POST', '/auth/login', { body: { email, password, session: 'cookie' }, headers });

async function signIn(headers?: Record<string, string>): Promise<string> {
  const signedIn = await askForCookie(headers);
  expect(signedIn.status).toBe(200);
  return cookieOf(signedIn);
}

const get = (path: string, Cookie: string, headers: Record<string, string> = {}) =>
  world.call('GET', path, { headers: { Cookie, ...headers } });

const rename = (Cookie: string, headers: Record<string, string>) =>
  world.call('PATCH', '/me', { body: { name: 'Grace' }, headers: { Cookie, ...headers } });

const sessions = () => world.count('sessions');

describe('a sign-in that asks for a cookie', () => {
  it('returns the user alone, and the secret as a cookie that no script can read', async () => {
    const { status, body, headers } = await askForCookie();
    expect(status).toBe(200);
    expect(body).toEqual({ user: { id: ada.id, email: ada.email, name: 'Ada', isEmailVerified: true } });
    const [pair = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
    expect(pair).toMatch(new RegExp(`^${name}=[\\w-]{43}$`));
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Lax']);
    expect((await get('/me', pair)).body.id).toBe(ada.id);
  });

  it('keeps the hash of the secret only, and no refresh token', async () => {
    const tokens = world.count('refresh_tokens');
    const secret = (await signIn()).slice(name.length + 1);
    expect(world.count('refresh_tokens')).toBe(tokens);
    const row = world.rows('select * from sessions');
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(JSON.stringify(row)).toContain(createHash('sha256').update(secret).digest('base64url'));
  });

  it('returns tokens by default, and rejects another word', async () => {
    const { email, password } = ada;
    const asked = (session: unknown) =>
      world.call('POST', '/auth/login', { body: { email, password, session }, headers: SAME_ORIGIN });
    for (const session of ['token', undefined]) {
      const { body, headers } = await asked(session);
      expect(body.refreshToken).toEqual(expect.any(String));
      expect(headers.get('set-cookie')).toBeNull();
    }
    for (const session of ['Cookie', '', null, true]) {
      const { status, body } = await asked(session);
      expect([status, body.issues[0].path]).toEqual([400, 'session']);
    }
  });

  it('needs a proof of its origin wherever one signs in, and is not given before anything is looked at', async () => {
    const before = sessions();
    const fields = {
      email: ada.email,
      code: '123456',
      password: ada.password,
      name: 'Ada',
      id: 1,
      first_name: 'A',
    };
    const secrets = { token: 'x', idToken: 'x', invitationToken: 'x', hash: 'a'.repeat(64), auth_date: 1 };
    const ways = routes.filter(({ signsIn }) => signsIn);
    expect(ways.length).toBeGreaterThanOrEqual(6);
    for (const { path, method } of ways) {
      const body = { ...fields, ...secrets, session: 'cookie' };
      const { status, headers } = await world.call(method.toUpperCase(), path, { body });
      expect([path, status, headers.get('set-cookie')]).toEqual([path, 403, null]);
    }
    expect(sessions()).toBe(before);
  });

  it('never adopts a secret that was sent along', async () => {
    const Cookie = `${name}=${'x'.repeat(43)}`;
    expect(await signIn({ ...SAME_ORIGIN, Cookie })).not.toBe(Cookie);
    expect((await get('/me', Cookie)).status).toBe(401);
  });

  it('works by confirmation, invitation, code, Google and Telegram alike', async () => {
    const key = newSigningKey('key-1');
    const google = await openGoogle(key);
    await openInstead(withGoogle(google, { settings: { auth: { telegram_bot_token: BOT_TOKEN } } }));
    const asks = async (path: string, body: object, status = 200) => {
      const asked = { body: { ...body, session: 'cookie' }, headers: SAME_ORIGIN };
      const response = await world.call('POST', path, asked);
      expect([response.status, Object.keys(response.body)]).toEqual([status, ['user']]);
      expect((await get('/me', cookieOf(response))).body.id).toBe(response.body.user.id);
    };
    const email = 'grace@example.com';
    await register(email);
    await asks('/auth/register/confirm', { token: await tokenTo(email) }, 201);
    await asks('/auth/login/code/confirm', { email, code: await codeTo(email) });
    await asks('/auth/login/google', { idToken: idToken(key) });
    const bob = await world.signUp('bob@example.com');
    await post('/me/telegram', widget(world), bob.accessToken);
    world.clock.advance(SECOND);
    await asks('/auth/login/telegram', widget(world));
    const invitationToken = await invite(world, bob, await homeOf(world, bob), 'eve@example.com', 'viewer');
    await asks('/auth/register/invited', { invitationToken, name: 'Eve', password: 'password1' }, 201);
  });

  it('is no part of a refresh', async () => {
    const { body, headers } = await world.call('POST', '/auth/refresh', {
      body: { refreshToken: ada.refreshToken, session: 'cookie' },
      headers: SAME_ORIGIN,
    });
    expect(body.refreshToken).toEqual(expect.any(String));
    expect(headers.get('set-cookie')).toBeNull();
  });
});

/** Headers that a forged request may have; of the page of another site, a sibling, another port, none at all. */
const FORGED: Record<string, string>[] = [
  {},
  { 'Sec-Fetch-Site': 'none' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'Same-Origin' },
  { 'Sec-Fetch-Site': 'same-origin, same-origin' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://localhost:8080' },
  { Host: '[' },
  { Origin: 'null' },
  { Origin: 'https://localhost:8080' },
  { Origin: 'http://localhost:9999' },
  { Origin: 'http://localhost:8080, http://localhost:8080' },
  { Origin: 'https://app.example.com' },
  { Origin: 'http://evil.example.com', Host: 'localhost:8080' },
  { Origin: 'https://errand.example.com', Host: 'errand.example.com', 'X-Forwarded-Proto': 'https' },
];

describe('a request by cookie', () => {
  it.each(FORGED)('changes nothing without a proof of its origin: %j', async (headers) => {
    const Cookie = await signIn();
    const before = sessions();
    expect((await rename(Cookie, headers)).status).toBe(403);
    expect((await rename(`${name}=${'x'.repeat(43)}`, headers)).status).toBe(403);
    const forged = await askForCookie(headers);
    expect([forged.status, forged.headers.get('set-cookie')]).toEqual([403, null]);
    const wrong = await askForCookie(headers, { ...ada, password: 'wrong password' });
    expect(wrong.body).toEqual(forged.body);
    for (const path of ['/me/notifications/read-all', '/auth/logout']) {
      expect((await world.call('POST', path, { headers: { Cookie, ...headers } })).status).toBe(403);
    }
    expect(sessions()).toBe(before);
    expect((await get('/me', Cookie)).body.name).toBe('Ada');
  });

  it('changes what it asks for where its origin is proved', async () => {
    const Cookie = await signIn();
    const proofs = [
      SAME_ORIGIN,
      { Origin: 'http://localhost:8080' },
      { Origin: 'http://tasks.lan:8080', Host: 'tasks.lan:8080' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://elsewhere.example.com' },
    ];
    for (const proof of proofs) {
      expect((await rename(Cookie, proof)).status).toBe(200);
      expect((await rename(await signIn(proof), SAME_ORIGIN)).status).toBe(200);
    }
  });

  it('may come from the origin that a trusted proxy tells of', async () => {
    await openAda({ settings: { server: { trusted_proxies: ['127.0.0.1'] } } });
    name = world.deps.http.sessionCookie.name;
    const Cookie = await signIn();
    const proxied = { Host: 'errand.example.com', 'X-Forwarded-Proto': 'https' };
    expect((await rename(Cookie, { ...proxied, Origin: 'https://errand.example.com' })).status).toBe(200);
    expect((await rename(Cookie, { ...proxied, Origin: 'http://errand.example.com' })).status).toBe(403);
    const odd = { Host: 'errand.example.com', 'X-Forwarded-Proto': 'javascript', Origin: 'null' };
    expect((await rename(Cookie, odd)).status).toBe(403);
  });

  it('is not asked for where browsers drop it: on plain http, of a server at an https address', async () => {
    await openAda({ settings: { server: { public_url: 'https://errand.example.com' } } });
    const dropped = await askForCookie({ Host: 'server.lan:8080', Origin: 'http://server.lan:8080' });
    expect([dropped.status, dropped.headers.get('set-cookie')]).toEqual([403, null]);
    expect(dropped.body.message).toContain('https://errand.example.com');
    for (const kept of [
      { Origin: 'https://errand.example.com' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://localhost:8080' },
    ])
      expect((await askForCookie(kept)).status).toBe(200);
  });

  it('never gets credentials over CORS', async () => {
    const origin = 'https://app.example.com';
    await openAda({ settings: { server: { cors_origins: [origin] } } });
    name = world.deps.http.sessionCookie.name;
    const Cookie = await signIn();
    const read = await get('/me', Cookie, { Origin: origin, 'Sec-Fetch-Site': 'cross-site' });
    expect(read.headers.get('access-control-allow-origin')).toBe(origin);
    expect(read.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await rename(Cookie, { Origin: origin })).status).toBe(403);
  });

  it.each(['/me/events', '/account/export'])('from another site gets nothing of %s', async (path) => {
    const Cookie = await signIn();
    for (const site of ['cross-site', 'same-site']) {
      expect((await get(path, Cookie, { 'Sec-Fetch-Site': site })).status).toBe(403);
    }
    for (const headers of [{}, { 'Sec-Fetch-Site': 'none' }, SAME_ORIGIN]) {
      const stop = new AbortController();
      const response = await world.app.request(`/api${path}`, {
        headers: { Cookie, ...headers },
        signal: stop.signal,
      });
      expect(response.status).toBe(200);
      if (path === '/me/events') await response.body?.cancel();
      else await response.text();
    }
  });
});

describe('the cookie', () => {
  it('has one name, path and security by the public address', () => {
    const hash = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 8);
    const cases: [string, string, string][] = [
      ['https://errand.example.com', '__Host-errand', 'Path=/; HttpOnly; SameSite=Lax; Secure'],
      ['https://errand.example.com/', '__Host-errand', 'Path=/; HttpOnly; SameSite=Lax; Secure'],
      ['https://errand.example.com:8443', '__Host-errand-8443', 'Path=/; HttpOnly; SameSite=Lax; Secure'],
      [
        'https://example.com/tasks',
        `__Secure-errand-${hash('/tasks')}`,
        'Path=/tasks; HttpOnly; SameSite=Lax; Secure',
      ],
      [
        'https://example.com:8443/a/b/',
        `__Secure-errand-${hash('/a/b')}-8443`,
        'Path=/a/b; HttpOnly; SameSite=Lax; Secure',
      ],
      ['http://localhost:8080', 'errand-8080', 'Path=/; HttpOnly; SameSite=Lax'],
      ['http://tasks.lan', 'errand', 'Path=/; HttpOnly; SameSite=Lax'],
      ['http://tasks.lan/e', `errand-${hash('/e')}`, 'Path=/e; HttpOnly; SameSite=Lax'],
    ];
    for (const [address, expected, attributes] of cases) {
      const cookie = createSessionCookie(address);
      expect(cookie.name).toBe(expected);
      expect(cookie.set('secret')).toBe(`${expected}=secret; Max-Age=34560000; ${attributes}`);
      expect(cookie.clear()).toBe(`${expected}=; Max-Age=0; ${attributes}`);
      expect(cookie.set('secret')).not.toContain('Domain');
    }
  });

  it('is read under its one name only, byte for byte, and counts as none when it comes twice', async () => {
    for (const address of ['https://example.com', 'https://example.com/tasks', 'http://tasks.lan']) {
      const { name: own, read } = createSessionCookie(address);
      expect(read(`${own}=secret`)).toBe('secret');
      expect(read(`theme=dark; ${own}=secret; other=1`)).toBe('secret');
      const tossed = [
        undefined,
        '',
        `${own}=`,
        own,
        `${own}=a; ${own}=a`,
        `${own}=a; x=y;${own}=b`,
        `${own.toUpperCase()}=a`,
        `${own} =a`,
        ` \u00a0${own}=a`,
        `\u00a0${own}=a`,
        `  ${own}=a`,
        `\t${own}=a`,
        `=${own}=a`,
        `%65rrand=a`,
        `"${own}"=a`,
        `${own}x=a`,
        ...(own === 'errand' ? ['__Host-errand=a'] : ['errand=a', `%5f${own.slice(1)}=a`]),
      ];
      for (const header of tossed) expect([header, read(header)]).toEqual([header, undefined]);
    }
    const Cookie = await signIn();
    expect((await get('/me', `${Cookie}; ${Cookie}`)).status).toBe(401);
  });

  it('follows no header of the request', async () => {
    const { headers } = await askForCookie({
      ...SAME_ORIGIN,
      Host: 'evil.example.com',
      'X-Forwarded-Host': 'evil.example.com',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Prefix': '/evil',
    });
    expect(headers.get('set-cookie')).toMatch(
      /^errand-8080=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('gives way to a Bearer, also to a dead one, and stays in force beside other schemes', async () => {
    const bob = await world.signUp('bob@example.com');
    const Cookie = await signIn();
    const asked = (Authorization: string) => get('/me', Cookie, { Authorization });
    expect((await asked(`Bearer ${bob.accessToken}`)).body.id).toBe(bob.id);
    const renamed = await rename(Cookie, { Authorization: `Bearer ${bob.accessToken}` });
    expect([renamed.status, renamed.body.id]).toEqual([200, bob.id]);
    for (const dead of ['Bearer x', 'Bearer', 'bearer ', 'Bearer a b', `Bearer ${bob.refreshToken}`]) {
      expect((await asked(dead)).status).toBe(401);
    }
    for (const other of ['Basic YWRhOmFkYQ==', 'Digest x', 'Bearers x']) {
      expect((await asked(other)).body.id).toBe(ada.id);
      expect((await rename(Cookie, { Authorization: other })).status).toBe(403);
    }
  });

  it('takes no other secret, and is one nowhere else', async () => {
    const Cookie = await signIn();
    const secret = Cookie.slice(name.length + 1);
    for (const other of [ada.accessToken, ada.refreshToken]) {
      expect((await get('/me', `${name}=${other}`)).status).toBe(401);
    }
    expect((await world.call('GET', '/me', { token: secret })).status).toBe(401);
    const places: [string, object][] = [
      ['/auth/refresh', { refreshToken: secret }],
      ['/auth/register/confirm', { token: secret }],
      ['/auth/password/reset/confirm', { token: secret, newPassword: 'password2' }],
    ];
    for (const [path, body] of places) expect((await world.call('POST', path, { body })).status).toBe(401);
    expect((await get('/me', Cookie)).status).toBe(200);
  });
});

describe('X-User-Id', () => {
  it('of another user is 401 and nothing is done, by cookie and by token', async () => {
    const bob = await world.signUp('bob@example.com');
    const Cookie = await signIn();
    const expected = { 'X-User-Id': bob.id };
    expect((await rename(Cookie, { ...SAME_ORIGIN, ...expected })).status).toBe(401);
    expect((await rename(Cookie, { Authorization: `Bearer ${ada.accessToken}`, ...expected })).status).toBe(
      401,
    );
    const out = await world.call('POST', '/auth/logout', {
      headers: { Cookie, ...SAME_ORIGIN, ...expected },
    });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([401, null]);
    expect((await get('/me', Cookie)).body).toMatchObject({ id: ada.id, name: 'Ada' });
    expect((await rename(Cookie, { ...SAME_ORIGIN, 'X-User-Id': ada.id })).status).toBe(200);
  });
});

describe('signing out by cookie', () => {
  const signOut = (Cookie: string, headers: Record<string, string> = SAME_ORIGIN) =>
    world.call('POST', '/auth/logout', { headers: { Cookie, ...headers } });

  it('ends the session and clears the cookie under its own name and path', async () => {
    const Cookie = await signIn();
    const { status, headers } = await signOut(Cookie);
    expect([status, headers.get('set-cookie')]).toEqual([204, world.deps.http.sessionCookie.clear()]);
    expect((await get('/me', Cookie)).status).toBe(401);
    expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
  });

  it('clears a dead cookie too, but for no other site', async () => {
    const Cookie = await signIn();
    await signOut(Cookie);
    for (const dead of [Cookie, `${name}=x`]) {
      const { status, headers } = await signOut(dead);
      expect([status, headers.get('set-cookie')]).toEqual([204, world.deps.http.sessionCookie.clear()]);
      expect((await signOut(dead, {})).status).toBe(403);
    }
    expect((await signOut('')).status).toBe(401);
    expect((await signOut(`${Cookie}; ${Cookie}`)).status).toBe(401);
  });

  it('with dead cookies is limited as signing in is', async () => {
    await openAda({ settings: { rate_limits: { enabled: true, auth_burst: 2 } } });
    world.clock.advance(DAY);
    const dead = `${world.deps.http.sessionCookie.name}=x`;
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await signOut(dead)).status);
    expect(statuses).toEqual([204, 204, 429]);
  });

  it('keeps the cookie where a body names the session of a refresh token to be ended', async () => {
    const Cookie = await signIn();
    const { refreshToken } = ada;
    const { status, headers } = await world.call('POST', '/auth/logout', {
      headers: { Cookie, ...SAME_ORIGIN },
      body: { refreshToken },
    });
    expect([status, headers.get('set-cookie')]).toEqual([204, null]);
    expect((await get('/me', Cookie)).status).toBe(200);
    expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
  });

  it('is the only response that clears a cookie', async () => {
    const Cookie = await signIn();
    await signOut(Cookie);
    for (const response of [await get('/me', Cookie), await rename(Cookie, SAME_ORIGIN)]) {
      expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null]);
    }
  });

  it('still needs the refresh token of a caller with an access token', async () => {
    const { status, body } = await world.call('POST', '/auth/logout', { token: ada.accessToken });
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'refreshToken', message: 'refreshToken is required' }],
    ]);
  });
});

describe('a session by cookie', () => {
  it('is listed and ended like any other', async () => {
    const Cookie = await signIn();
    const { items } = (await get('/me/sessions', Cookie)).body;
    expect(items.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    await world.call('DELETE', `/me/sessions/${items[1].id}`, { token: ada.accessToken });
    expect((await get('/me', Cookie)).status).toBe(401);
  });

  it('ends by reset, reuse, ending other sessions, a new password and deletion of the account', async () => {
    const ends: [string, () => Promise<unknown>][] = [
      [
        'reset',
        async () => {
          ada.password = 'password of the reset';
          await confirmReset(await resetTokenTo(ada.email), ada.password);
        },
      ],
      [
        'reuse',
        async () => {
          const { body } = await logIn(ada.email, ada.password);
          for (const _twice of [1, 2]) await refresh(body.refreshToken);
        },
      ],
      [
        'ending others',
        async () => {
          await signInAgain(world, ada);
          await world.call('DELETE', '/me/sessions', { token: ada.accessToken });
        },
      ],
      [
        'a new password',
        () => {
          const [currentPassword, newPassword] = [ada.password, 'yet another password'];
          ada.password = newPassword;
          return post('/me/password', { currentPassword, newPassword }, ada.accessToken);
        },
      ],
      [
        'deletion',
        () => world.call('DELETE', '/auth/me', { token: ada.accessToken, body: { password: ada.password } }),
      ],
    ];
    for (const [how, end] of ends) {
      const Cookie = await signIn();
      expect((await get('/me', Cookie)).status).toBe(200);
      await end();
      expect([how, (await get('/me', Cookie)).status]).toEqual([how, 401]);
    }
  });

  it('ends so many days after its last use, which is noted every 10 minutes at most', async () => {
    const Cookie = await signIn();
    const used = () =>
      world.values('select max(last_used_at) from sessions where cookie_hash is not null')[0];
    const first = used();
    world.clock.advance(9 * MINUTE);
    await get('/me', Cookie);
    await world.untilIdle();
    expect(used()).toBe(first);
    world.clock.advance(MINUTE);
    await get('/me', Cookie);
    await world.untilIdle();
    expect(used()).not.toBe(first);
    world.clock.advance(30 * DAY - 1);
    expect((await get('/me', Cookie)).status).toBe(200);
    await world.untilIdle();
    world.clock.advance(30 * DAY - 1);
    expect((await rename(Cookie, SAME_ORIGIN)).status).toBe(200);
    await world.untilIdle();
    world.clock.advance(30 * DAY);
    expect((await get('/me', Cookie)).status).toBe(401);
  });

  it('is kept alive by its own use alone', async () => {
    const bob = await world.signUp('bob@example.com');
    const used = await signIn();
    const unused = [await signIn(), cookieOf(await askForCookie(SAME_ORIGIN, bob))];
    world.clock.advance(20 * DAY);
    expect((await get('/me', used)).status).toBe(200);
    await world.untilIdle();
    world.clock.advance(10 * DAY);
    for (const Cookie of unused) expect((await get('/me', Cookie)).status).toBe(401);
    expect((await get('/me', used)).status).toBe(200);
  });

  it('ends by auth.session_max_days, however much it is used', async () => {
    await openAda({ settings: { auth: { session_max_days: 2 } } });
    const Cookie = await signIn();
    world.clock.advance(DAY);
    expect((await get('/me', Cookie)).status).toBe(200);
    await world.untilIdle();
    world.clock.advance(DAY - 1);
    expect((await get('/me', Cookie)).status).toBe(200);
    await world.untilIdle();
    world.clock.advance(1);
    expect((await get('/me', Cookie)).status).toBe(401);
  });
});

it('of the requests of an hour by cookie, six are noted', async () => {
  const Cookie = await signIn();
  const write = world.deps.write;
  let writes = 0;
  world.deps.write = (job, lane) => {
    writes += 1;
    return write(job, lane);
  };
  for (let minute = 1; minute <= 60; minute += 1) {
    world.clock.advance(MINUTE);
    for (let i = 0; i < 5; i += 1) await get('/me', Cookie);
    await world.untilIdle();
  }
  expect(writes).toBe(6);
});
