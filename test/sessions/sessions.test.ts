import { readFileSync, writeFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { rotateAccessKey } from '../../src/kernel/keys.ts';
import { ada, openAda, reopen, useAda, world } from '../ada.ts';
import { homeOf, invite } from '../people.ts';
import {
  askForEmail,
  codeTo,
  confirmCode,
  confirmEmail,
  confirmReset,
  confirmSignup,
  keepEmail,
  logIn,
  logOut,
  me,
  post,
  refresh,
  register,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';
import type { Person } from '../world.ts';

useAda();
const login = async ({ email, password }: Person) => (await logIn(email, password)).body;

describe('access token', () => {
  it('works for 15 minutes', async () => {
    expect(await me(ada.accessToken)).toBe(200);
    world.clock.advance(15 * MINUTE - SECOND);
    expect(await me(ada.accessToken)).toBe(200);
    world.clock.advance(SECOND);
    expect(await me(ada.accessToken)).toBe(401);
    world.clock.advance(500);
    const { accessToken } = await login(ada);
    world.clock.advance(15 * MINUTE);
    expect(await me(accessToken)).toBe(401);
  });

  it('comes with the seconds that it works, at sign-in and at refresh', async () => {
    expect((await login(ada)).expiresIn).toBe(900);
    expect((await refresh(ada.refreshToken)).body.expiresIn).toBe(900);
    await openAda({ settings: { auth: { access_token_minutes: 5 } } });
    const { accessToken, expiresIn } = (await refresh(ada.refreshToken)).body;
    world.clock.advance(expiresIn * SECOND - 1);
    expect(await me(accessToken)).toBe(200);
    world.clock.advance(1);
    expect(await me(accessToken)).toBe(401);
  });

  it('has one spelling: with padding or anything around it, it is rejected', async () => {
    const { accessToken } = await login(ada);
    expect(await me(accessToken)).toBe(200);
    const [header, claims, signature] = accessToken.split('.');
    for (const other of [
      `${accessToken}=`,
      `${header}.${claims}=.${signature}`,
      `${header}=.${claims}.${signature}`,
    ])
      expect(await me(other)).toBe(401);
  });

  it('ends with its session, though it would last longer', async () => {
    await openAda({ settings: { auth: { session_max_days: 1 } } });
    world.clock.advance(DAY - MINUTE);
    const { accessToken } = (await refresh(ada.refreshToken)).body;
    expect(await me(accessToken)).toBe(200);
    world.clock.advance(MINUTE);
    expect(await me(accessToken)).toBe(401);
  });

  it('ends with its key, also where it was verified before', async () => {
    const path = `${world.folder}/keys.json`;
    const { accessToken } = await login(ada);
    expect(await me(ada.accessToken)).toBe(200);
    rotateAccessKey(path, world.clock.now(), 15 * MINUTE);
    const file = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...file, access: file.access.slice(1) }));
    world.deps.keys.refresh();
    expect([await me(ada.accessToken), await me(accessToken)]).toEqual([401, 401]);
  });

  it('is asked for with WWW-Authenticate on every Bearer route', async () => {
    for (const headers of [
      {},
      { Authorization: 'Basic x' },
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer a, Bearer b' },
    ]) {
      const response = await world.call('GET', '/me', { headers: headers as Record<string, string> });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.body.error).toBe('UnauthorizedError');
    }
    expect((await world.call('GET', `/me?access_token=${ada.accessToken}`)).status).toBe(401);
    expect(
      (await world.call('GET', '/me', { headers: { Authorization: `bearer ${ada.accessToken}` } })).status,
    ).toBe(200);
  });

  it('is rejected when forged: other algorithm, type, key, issuer, audience, missing or odd claims', async () => {
    const { kid, key } = world.deps.keys.signing();
    const { public_url: issuer, base_path: base } = world.deps.config.server;
    const now = Math.floor(world.clock.now() / 1000);
    const sessions = (await world.call('GET', '/me/sessions', { token: ada.accessToken })).body.items;
    const good = {
      iss: issuer,
      aud: issuer + base,
      sub: ada.id,
      sid: sessions[0].id,
      jti: 'x',
      iat: now,
      exp: now + 60,
    };
    const header = { alg: 'HS256', typ: 'at+jwt', kid };
    const sign = (claims: object, head: object = {}, secret: Uint8Array = key) =>
      new SignJWT({ ...claims }).setProtectedHeader({ ...header, ...head }).sign(secret);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

    const DAY_LONG = 24 * 60 * 60;
    for (const within of [{}, { iat: now + 30 }, { exp: now + DAY_LONG }])
      expect(await me(await sign({ ...good, ...within })), JSON.stringify(within)).toBe(200);
    const forged = [
      await sign(good, { alg: 'HS512' }),
      await sign(good, { alg: 'HS512' }, Buffer.concat([key, key])),
      await sign(good, { typ: 'JWT' }),
      await sign(good, { kid: '__proto__' }),
      await sign(good, { kid: '../../keys.json' }),
      await sign(good, {}, Buffer.alloc(32)),
      await sign({ ...good, iss: 'https://evil.example' }),
      await sign({ ...good, aud: 'other' }),
      await sign({ ...good, exp: undefined }),
      await sign({ ...good, exp: now - 1 }),
      await sign({ ...good, nbf: now + 3600 }),
      await sign({ ...good, sub: undefined }),
      await sign({ ...good, sid: undefined }),
      await sign({ ...good, jti: undefined }),
      await sign({ ...good, iat: undefined }),
      await sign({ ...good, iat: -1 }),
      await sign({ ...good, iat: now + 31 }),
      await sign({ ...good, iat: now + 3600, exp: now + 3700 }),
      await sign({ ...good, exp: now + DAY_LONG + 1 }),
      await sign({ ...good, exp: 9_999_999_999 }),
      await sign({ ...good, exp: 1e300 }),
      await sign({ ...good, sid: 'another' }),
      await sign({ ...good, sid: { id: good.sid } }),
      await sign({ ...good, more: 'x'.repeat(2_000) }),
      await sign({ ...good, sub: 'another' }),
      ...['none', 'None', 'nOnE'].map((alg) => `${encode({ ...header, alg })}.${encode(good)}.`),
      `${encode(header)}.${encode({ ...good, exp: 'Infinity' })}.x`,
      'x'.repeat(9_000),
      ada.refreshToken,
    ];
    for (const token of forged) expect(await me(token), token.slice(0, 60)).toBe(401);
  });

  it('verifies with a rotated-out key until its last token is out, and no longer', async () => {
    rotateAccessKey(`${world.folder}/keys.json`, world.clock.now(), 15 * MINUTE);
    world.deps.keys.refresh();
    expect(await me(ada.accessToken)).toBe(200);
    const { accessToken } = await login(ada);
    expect(accessToken.split('.')[0]).not.toBe(ada.accessToken.split('.')[0]);
    expect(await me(accessToken)).toBe(200);
    world.clock.advance(15 * MINUTE + SECOND);
    const { accessToken: fresh } = await login(ada);
    expect(await me(fresh)).toBe(200);
  });
});

describe('over a restart', () => {
  it('a used refresh token is remembered: presented again, it ends every session', async () => {
    const other = await login(ada);
    const { body: rotated } = await refresh(ada.refreshToken);
    await reopen();
    expect([await me(rotated.accessToken), await me(other.accessToken)]).toEqual([200, 200]);
    expect((await refresh(ada.refreshToken)).status).toBe(401);
    for (const { accessToken, refreshToken } of [rotated, other])
      expect([await me(accessToken), (await refresh(refreshToken)).status]).toEqual([401, 401]);
  });

  it('what reuse has ended stays ended', async () => {
    const other = await login(ada);
    const { body: rotated } = await refresh(ada.refreshToken);
    expect((await refresh(ada.refreshToken)).status).toBe(401);
    await reopen();
    for (const { accessToken, refreshToken } of [ada, rotated, other])
      expect([await me(accessToken), (await refresh(refreshToken)).status]).toEqual([401, 401]);
  });
});

describe('logout', () => {
  it('ends the session of the given token at once, and only that one', async () => {
    const other = await login(ada);
    const { status, body } = await logOut(ada.accessToken, other.refreshToken);
    expect([status, body]).toEqual([204, undefined]);
    expect(await me(other.accessToken)).toBe(401);
    expect((await refresh(other.refreshToken)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(200);
    expect((await logOut(ada.accessToken, ada.refreshToken)).status).toBe(204);
    expect((await logOut(ada.accessToken, ada.refreshToken)).status).toBe(401);
  });

  it('leaves nothing of the session behind, and all of the others', async () => {
    const rowsOf = (table: string) => world.rows(`select * from ${table}`);
    const rows = () => ['sessions', 'refresh_tokens'].map(rowsOf);
    await refresh((await login(ada)).refreshToken);
    const others = rows();
    const own = await login(ada);
    expect((await logOut(own.accessToken, own.refreshToken)).status).toBe(204);
    expect(rows()).toEqual(others);
  });

  it('asks for a new sign-in as every Bearer route does when the token was used before', async () => {
    await refresh(ada.refreshToken);
    const { status, headers } = await logOut(ada.accessToken, ada.refreshToken);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it("does nothing with another's or an unknown token, and tells neither apart", async () => {
    const bob = await world.signUp('bob@example.com');
    expect((await logOut(ada.accessToken, bob.refreshToken)).status).toBe(204);
    for (const unknown of ['unknown', 'x'.repeat(10_000)])
      expect((await logOut(ada.accessToken, unknown)).status).toBe(204);
    expect((await refresh(bob.refreshToken)).status).toBe(200);
    expect(await me(ada.accessToken)).toBe(200);
  });

  it("does nothing with another's used token, nor with one of a session that has expired", async () => {
    const bob = await world.signUp('bob@example.com');
    await refresh(bob.refreshToken);
    expect((await logOut(ada.accessToken, bob.refreshToken)).status).toBe(204);
    await refresh(ada.refreshToken);
    world.clock.advance(30 * DAY);
    const { accessToken } = await login(ada);
    expect((await logOut(accessToken, ada.refreshToken)).status).toBe(204);
    expect(await me(accessToken)).toBe(200);
    expect(await me((await login(bob)).accessToken)).toBe(200);
  });

  it("takes the caller's own used token as reuse", async () => {
    const { body } = await refresh(ada.refreshToken);
    expect((await logOut(body.accessToken, ada.refreshToken)).status).toBe(401);
    expect(await me(body.accessToken)).toBe(401);
    expect(world.log.join('')).toContain(`"event":"refresh-token-reused","userId":"${ada.id}"`);
  });
});

describe('a session', () => {
  it('is asked for again before a write, so its end counts from its commit', async () => {
    const other = await login(ada);
    expect(await me(other.accessToken)).toBe(200);
    const both = await Promise.all([
      logOut(other.accessToken, other.refreshToken),
      world.call('POST', '/workspaces', { token: other.accessToken, body: { title: 'Too late' } }),
    ]);
    expect(both.map(({ status }) => status)).toEqual([204, 401]);
    expect((await world.call('GET', '/me/workspaces', { token: ada.accessToken })).body.total).toBe(1);
  });

  it('that goes with its account while a request comes in is rejected like any that has ended', async () => {
    const ended = Promise.withResolvers<void>();
    const body = new ReadableStream({
      pull: async (controller) => {
        await ended.promise;
        controller.enqueue(
          new TextEncoder().encode(JSON.stringify({ currentPassword: password, newPassword: 'password2' })),
        );
        controller.close();
      },
    });
    const { accessToken: token, password } = ada;
    const late = world.app.request('/api/me/password', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await world.call('DELETE', '/auth/me', { token, body: { password } })).status).toBe(204);
    ended.resolve();
    expect((await late).status).toBe(401);
  });
});

describe('my sessions', () => {
  it('are listed with the current one marked, and end one by one or all the others', async () => {
    const second = await login(ada);
    const third = await login(ada);
    const { status, body } = await world.call('GET', '/me/sessions', { token: ada.accessToken });
    expect([status, body.total]).toEqual([200, 3]);
    expect(body.items.map((session: { current: boolean }) => session.current)).toEqual([true, false, false]);
    const { id } = body.items[1];
    expect((await world.call('DELETE', `/me/sessions/${id}`, { token: ada.accessToken })).status).toBe(204);
    expect((await world.call('DELETE', `/me/sessions/${id}`, { token: ada.accessToken })).status).toBe(404);
    expect([await me(second.accessToken), await me(third.accessToken)]).toEqual([401, 200]);
    expect((await world.call('DELETE', '/me/sessions', { token: ada.accessToken })).status).toBe(204);
    expect([await me(third.accessToken), await me(ada.accessToken)]).toEqual([401, 200]);
  });

  it('are paged oldest first, without those that have expired', async () => {
    for (let i = 0; i < 4; i += 1) await login(ada);
    const page = async (query: string) =>
      (await world.call('GET', `/me/sessions?${query}`, { token: ada.accessToken })).body;
    const { items, total } = await page('');
    expect([items.length, total]).toEqual([5, 5]);
    expect(items[0].current).toBe(true);
    const paged = [];
    for (let i = 1; i <= 3; i += 1) paged.push(...(await page(`limit=2&page=${i}`)).items);
    expect(paged).toEqual(items);
    world.clock.advance(29 * DAY);
    const { body } = await refresh(ada.refreshToken);
    world.clock.advance(DAY);
    const { body: rotated } = await refresh(body.refreshToken);
    const left = (await world.call('GET', '/me/sessions', { token: rotated.accessToken })).body;
    expect([left.total, left.items.map(({ id }: { id: string }) => id)]).toEqual([1, [items[0].id]]);
  });
});

describe('a secret of one kind', () => {
  it('is 256 bits, and never the same', async () => {
    const secrets = [
      ada.refreshToken,
      (await login(ada)).refreshToken,
      (await world.mailTo(ada.email)).token ?? '',
    ];
    expect(secrets.map((secret) => Buffer.from(secret, 'base64url').length)).toEqual([32, 32, 32]);
    expect(new Set(secrets).size).toBe(3);
  });

  it('works as no other', async () => {
    await register('new@example.com');
    const reset = await resetTokenTo(ada.email);
    await askForEmail(ada.accessToken, 'changed@example.com');
    const secrets: Record<string, string> = {
      access: ada.accessToken,
      refresh: ada.refreshToken,
      signup: await tokenTo('new@example.com'),
      reset,
      change: await tokenTo('changed@example.com'),
      keep: await tokenTo(ada.email),
      invitation: await invite(world, ada, await homeOf(world, ada), 'guest@example.com', 'member'),
      code: await codeTo(ada.email),
    };
    const bearer = ada.accessToken;
    const uses: Record<string, (secret: string) => Promise<{ status: number }>> = {
      access: (token) => world.call('GET', '/me', { token }),
      refresh,
      signup: confirmSignup,
      reset: (token) => confirmReset(token),
      change: confirmEmail,
      keep: keepEmail,
      invitation: (token) => post('/invitations/accept', { token }, bearer),
      code: (code) => confirmCode(ada.email, code),
      google: (idToken) => post('/auth/login/google', { idToken }),
    };
    for (const [use, present] of Object.entries(uses)) {
      for (const [kind, secret] of Object.entries(secrets)) {
        if (kind === use) continue;
        const { status } = await present(secret);
        expect([use, kind, status]).toEqual([use, kind, use === 'invitation' || use === 'code' ? 400 : 401]);
      }
    }
    expect(await me(bearer)).toBe(200);
    // Nor is any of them spent by that.
    for (const kind of ['signup', 'reset', 'change', 'keep', 'invitation'])
      expect([kind, (await post('/auth/links/read', { token: secrets[kind] })).status]).toEqual([kind, 200]);
    for (const kind of ['code', 'signup', 'change', 'keep']) {
      expect([kind, (await uses[kind]?.(secrets[kind] ?? ''))?.status ?? 0]).toEqual([
        kind,
        { code: 200, signup: 201, change: 204, keep: 204 }[kind],
      ]);
    }
  });
});
