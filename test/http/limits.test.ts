import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../src/http/client-address.ts';
import { createLimit } from '../../src/http/rate-limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { openLimited as open, world } from '../ada.ts';
import { askForEmail, register } from '../sign-in.ts';
import type { Person } from '../world.ts';

/** Where the limits know these proxies. */
const openBehind = (trusted_proxies: string[], limits: object = { auth_burst: 1 }) =>
  open(limits, { settings: { server: { trusted_proxies } } });
const login = (email: string, password: string, address = '192.0.2.1', headers = {}) =>
  world.call('POST', '/auth/login', { body: { email, password }, address, headers });

describe('the limit of an address', () => {
  it('holds 200 and refills one a second, counting malformed requests too', async () => {
    await open();
    const malformed = { body: '{', address: '192.0.2.9' };
    for (let i = 0; i < 200; i += 1)
      expect((await world.call('POST', '/auth/register/confirm', malformed)).status).toBe(400);
    const { status, body, headers } = await login('a@example.com', 'password1', '192.0.2.9');
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'TooManyRequestsError', '1']);
    expect((await login('a@example.com', 'password1', '192.0.2.10')).status).toBe(401);
    world.clock.advance(SECOND);
    expect((await login('a@example.com', 'password1', '192.0.2.9')).status).toBe(401);
    expect((await login('a@example.com', 'password1', '192.0.2.9')).status).toBe(429);
  });

  it('locks nobody out for longer than it takes to fill, when the clock is set back', async () => {
    await open({ auth_burst: 5, failures_burst: 2 });
    const wrong = (address: string) => login('a@example.com', 'password1', address);
    world.clock.advance(HOUR);
    for (let i = 0; i < 5; i += 1) await wrong('192.0.2.1');
    for (let i = 0; i < 2; i += 1) expect((await wrong('192.0.2.2')).status).toBe(401);
    expect([(await wrong('192.0.2.1')).status, (await wrong('192.0.2.2')).status]).toEqual([429, 429]);
    world.clock.advance(-HOUR);
    expect((await wrong('192.0.2.2')).status).toBe(401);
    for (let i = 0; i < 4; i += 1) await wrong('192.0.2.1');
    expect((await login('b@example.com', 'password1', '192.0.2.1')).status).toBe(401);
    expect((await login('b@example.com', 'password1', '192.0.2.1')).status).toBe(429);
  });

  it('is another for refresh', async () => {
    await open({ auth_burst: 1, refresh_burst: 2 });
    await login('a@example.com', 'password1');
    expect((await login('a@example.com', 'password1')).status).toBe(429);
    const refresh = async () =>
      (await world.call('POST', '/auth/refresh', { body: { refreshToken: 'x' }, address: '192.0.2.1' }))
        .status;
    expect([await refresh(), await refresh(), await refresh()]).toEqual([401, 401, 429]);
  });

  it('counts a /56 as four and a /48 as sixteen, which leaves others of IPv6 and IPv4 theirs', async () => {
    await open({ auth_burst: 2 });
    const hex = (i: number) => i.toString(16);
    const rejectedAt = async (addressOf: (i: number) => string) => {
      for (let i = 0; i < 100; i += 1)
        if ((await login(`${i}@example.com`, 'password1', addressOf(i))).status === 429) return i;
      return 100;
    };
    expect(await rejectedAt((i) => `2001:db8:1:${hex(i)}::1`)).toBe(2 * 4);
    expect(await rejectedAt((i) => `2001:db8:1:ff${hex(i).padStart(2, '0')}::1`)).toBe(2 * 4);
    expect(await rejectedAt((i) => `2001:db8:1:${hex((i + 1) * 256)}::1`)).toBe(2 * 16 - 2 * 4 * 2);
    expect((await login('a@example.com', 'password1', '2001:db8:2::1')).status).toBe(401);
    expect((await login('a@example.com', 'password1', '192.0.2.77')).status).toBe(401);
    world.clock.advance(SECOND);
    expect((await login('a@example.com', 'password1', '2001:db8:1:1::1')).status).toBe(401);
  });

  it('counts a /64 of IPv6 as one, and IPv4 in IPv6 as IPv4', async () => {
    await open({ auth_burst: 2 });
    expect((await login('a@example.com', 'password1', '2001:db8:1:2::1')).status).toBe(401);
    expect((await login('a@example.com', 'password1', '2001:db8:1:2:ffff::7')).status).toBe(401);
    expect((await login('a@example.com', 'password1', '2001:0db8:0001:0002:1:2:3:4')).status).toBe(429);
    expect((await login('a@example.com', 'password1', '2001:db8:1:3::1')).status).toBe(401);
    await login('a@example.com', 'password1', '::ffff:192.0.2.1');
    await login('a@example.com', 'password1', '192.0.2.1');
    expect((await login('a@example.com', 'password1', '192.0.2.1')).status).toBe(429);
  });

  it('takes no hop beyond trusted_hops for a proxy, though it is in a trusted range', () => {
    const trusted = ['127.0.0.1', '10.0.0.0/8'];
    const forged = '8.8.8.8, 10.1.2.3';
    expect(clientAddress(trusted, 1)('127.0.0.1', forged)).toBe('10.1.2.3');
    expect(clientAddress(trusted, 1)('::ffff:127.0.0.1', '10.1.2.3')).toBe('10.1.2.3');
    expect(clientAddress(trusted, 2)('127.0.0.1', `${forged}, 10.0.0.1`)).toBe('10.1.2.3');
    expect(clientAddress(trusted, 1)('192.0.2.1', forged)).toBe('192.0.2.1');
    expect(clientAddress(trusted)('127.0.0.1', '192.0.2.1, 10.0.0.2, 10.0.0.1')).toBe('192.0.2.1');
  });

  it('believes X-Forwarded-For from a trusted proxy only, and there the right-most hop that is none', async () => {
    const forwarded = (value: string) => ({ 'X-Forwarded-For': value });
    await open({ auth_burst: 1 });
    await login('a@example.com', 'password1', '192.0.2.1', forwarded('203.0.113.1'));
    expect((await login('a@example.com', 'password1', '192.0.2.1', forwarded('203.0.113.2'))).status).toBe(
      429,
    );
    await openBehind(['10.0.0.0/8', 'fd00::/8']);
    const via = (value: string) => login('a@example.com', 'password1', '10.0.0.1', forwarded(value));
    expect((await via('203.0.113.1')).status).toBe(401);
    expect((await via('203.0.113.2')).status).toBe(401);
    expect((await via('9.9.9.9, 203.0.113.2, 10.1.1.1')).status).toBe(429);
    expect((await login('a@example.com', 'password1', '192.0.2.1', forwarded('203.0.113.9'))).status).toBe(
      401,
    );
    expect((await login('a@example.com', 'password1', '192.0.2.1', forwarded('203.0.113.8'))).status).toBe(
      429,
    );
  });

  it('is read in whatever form a proxy writes it: another spelling, a port, brackets', async () => {
    await openBehind(['10.0.0.1']);
    const statuses = async (...hops: string[]) => {
      const outcomes = [];
      for (const hop of hops) {
        const { status } = await login('a@example.com', 'password1', '10.0.0.1', { 'X-Forwarded-For': hop });
        outcomes.push(status);
      }
      return outcomes;
    };
    expect(
      await statuses('203.0.113.1', '203.0.113.1:50000', '::ffff:203.0.113.1', '::ffff:cb00:7101'),
    ).toEqual([401, 429, 429, 429]);
    expect(
      await statuses(
        '2001:db8::1',
        '[2001:db8::1]',
        '[2001:DB8:0::1]:443',
        '2001:db8::1%eth0',
        '2001:0db8:0:0:1::',
      ),
    ).toEqual([401, 429, 429, 429, 429]);
    expect(await statuses('::2:3:4:5:6:192.0.2.1', '0:2:3:4:5:6:192.0.2.1')).toEqual([401, 429]);
    expect(await statuses('unknown', '_hidden', '203.0.113.1:port', '')).toEqual([401, 429, 429, 429]);
  });

  it('of a client that has gone already is nobody’s: neither a proxy’s nor that of this machine', async () => {
    await openBehind(['127.0.0.1']);
    for (let i = 0; i < 3; i += 1) {
      await world.app.request(
        '/api/auth/login',
        { method: 'POST', headers: { 'X-Forwarded-For': '203.0.113.1' } },
        { incoming: { socket: {} } },
      );
    }
    for (const address of ['127.0.0.1', '203.0.113.1'])
      expect((await login('a@example.com', 'password1', address)).status).toBe(401);
  });

  it('is the one that sessions are listed with', async () => {
    await openBehind(['127.0.0.1'], {});
    const ada = await world.signUp();
    await login(ada.email, ada.password, '127.0.0.1', {
      'X-Forwarded-For': '203.0.113.1',
      'User-Agent': 'Test/1',
    });
    const { body } = await world.call('GET', '/me/sessions', { token: ada.accessToken });
    expect(body.items[1]).toMatchObject({ ip: '203.0.113.1', userAgent: 'Test/1', current: false });
  });

  it('keeps a bounded number of keys, and never forgets the one that is hammered', () => {
    const limit = createLimit({ burst: 2, refillMs: MINUTE }, 100);
    limit('victim', 0);
    limit('victim', 0);
    for (let i = 0; i < 10_000; i += 1) {
      limit(`other ${i}`, 0);
      if (i % 50 === 0) expect(() => limit('victim', 0)).toThrow('Too many requests');
    }
    for (let i = 0; i < 100; i += 1) limit(`other ${i}`, 0);
    limit('victim', 0);
  });

  it('counts on when it forgets those that nobody used', () => {
    const limit = createLimit({ burst: 2, refillMs: MINUTE }, 100);
    for (let i = 0; i < 50; i += 1) limit(`other ${i}`, 0);
    limit('new', 0);
    limit('new', 0);
    expect(() => limit('new', 0)).toThrow('Too many requests');
  });

  it('locks nobody out for longer than it takes to fill, should the clock be set back', () => {
    const limit = createLimit({ burst: 2, refillMs: MINUTE });
    limit('someone', DAY);
    limit('someone', DAY);
    expect(() => limit('someone', DAY - MINUTE)).toThrow('Too many requests');
    limit('someone', DAY - MINUTE - 1);
    limit('someone', DAY - MINUTE - 1);
    expect(() => limit('someone', DAY - MINUTE - 1)).toThrow('Too many requests');
  });
});

describe('a limit that is owed', () => {
  it('is owed by several at once as by one, and told when they fit', () => {
    const limit = createLimit({ burst: 10, refillMs: SECOND });
    limit('someone', 0, 30, true);
    for (const count of [1, 2, 10]) expect(() => limit('someone', 0, count)).toThrow('Too many requests');
    expect(() => limit('someone', 10 * SECOND, 2)).toThrow('Too many requests');
    limit('someone', 11 * SECOND, 2);
    expect(() => limit('someone', 11 * SECOND)).toThrow('Too many requests');
  });

  it('counts several at once as several, should the clock be set back', () => {
    const limit = createLimit({ burst: 10, refillMs: SECOND });
    limit('someone', DAY, 10);
    limit('someone', 0, 10);
    expect(() => limit('someone', 0)).toThrow('Too many requests');
  });
});

describe('mails', () => {
  it('are 10 per recipient and flow, then one a minute; the response does not change', async () => {
    await open({ auth_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    const sent = async () => {
      await world.untilIdle();
      return world.mails.filter(({ subject }) => subject === 'Your sign-in code').length;
    };
    const ask = () => world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    for (let i = 1; i <= 15; i += 1) {
      expect((await ask()).status).toBe(200);
      expect(await sent()).toBe(Math.min(i, 10));
    }
    world.clock.advance(MINUTE);
    await ask();
    expect(await sent()).toBe(11);
    await ask();
    expect(await sent()).toBe(11);
    await world.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    expect((await world.mailTo(ada.email)).subject).toBe('Reset your password');
  });

  it('are 50 a day per recipient and flow', async () => {
    await open({ auth_burst: 100_000, mail_burst: 1_000 });
    for (let i = 0; i < 60; i += 1) await register('a@example.com');
    await world.untilIdle();
    expect(world.mails.length).toBe(50);
  });

  it('that one user causes are 30 a day, then 429', async () => {
    await open({ user_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    const change = (i: number) => askForEmail(ada.accessToken, `new${i}@example.com`);
    for (let i = 0; i < 30; i += 1) expect((await change(i)).status).toBe(200);
    const { status, headers } = await change(30);
    expect([status, headers.get('retry-after')]).toEqual([429, String(DAY / 30 / SECOND)]);
  });
});

describe('signed-in requests', () => {
  it('are limited by user, not by address, and before the shape is looked at', async () => {
    await open({ user_burst: 3 });
    const ada = await world.signUp('ada@example.com');
    const bob = await world.signUp('bob@example.com');
    for (let i = 0; i < 3; i += 1)
      expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
    expect((await world.call('GET', '/me/sessions?page=0', { token: ada.accessToken })).status).toBe(429);
    expect((await world.call('GET', '/me', { token: bob.accessToken })).status).toBe(200);
    world.clock.advance(50);
    expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
  });

  it('are counted behind the guard: a stranger hears that they may not, and uses nothing up', async () => {
    await open({ user_burst: 2 });
    const ada = await world.signUp('ada@example.com');
    const bob = await world.signUp('bob@example.com');
    const { body } = await world.call('GET', '/me/workspaces', { token: ada.accessToken });
    const knock = async (person: Person, id: string) =>
      (await world.call('POST', `/workspaces/${id}/spaces`, { token: person.accessToken, body: '{' })).status;
    const { id } = body.items[0];
    for (let i = 0; i < 5; i += 1)
      expect([await knock(bob, id), await knock(bob, crypto.randomUUID())]).toEqual([403, 404]);
    expect([await knock(ada, id), await knock(ada, id), await knock(bob, id)]).toEqual([400, 429, 403]);
    expect((await world.call('GET', '/me', { token: bob.accessToken })).status).toBe(200);
  });

  it('that search are limited beside that, by user too, and nothing else by them', async () => {
    await open({ search_burst: 2 });
    const people = [await world.signUp(), await world.signUp()];
    for (const { accessToken: token } of people) {
      const { id } = (await world.call('GET', '/me/workspaces', { token })).body.items[0];
      const search = () => world.call('GET', `/workspaces/${id}/tasks/search?q=milk`, { token });
      for (let i = 0; i < 2; i += 1) expect((await search()).status).toBe(200);
      expect((await search()).status).toBe(429);
      expect((await world.call('GET', '/me', { token })).status).toBe(200);
    }
  });

  it('and all others are free when limits are off', async () => {
    await open({ enabled: false, user_burst: 1, auth_burst: 1, failures_burst: 1, mail_burst: 1 });
    const ada = await world.signUp('ada@example.com');
    for (let i = 0; i < 20; i += 1) {
      expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
      expect((await login(ada.email, 'wrong password')).status).toBe(401);
    }
  });
});
