import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAccount } from '../../src/auth/account/account.ts';
import { clientAddress } from '../../src/http/client-address.ts';
import { createLimit } from '../../src/http/rate-limits.ts';
import { tooManyRequests } from '../../src/kernel/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { inFlightAttempts } from '../../src/users/in-flight-attempts.ts';
import { openWorld, type Person, quickPasswords, type World } from '../world.ts';

let world: World;
afterEach(() => world?.close());

const open = async (
  limits: Record<string, unknown> = {},
  more: Record<string, Record<string, unknown>> = {},
) => {
  world = await openWorld({ settings: { rate_limits: { enabled: true, ...limits }, ...more } });
  return world;
};
const login = (email: string, password: string, address = '192.0.2.1', headers = {}) =>
  world.call('POST', '/auth/login', { body: { email, password }, address, headers });
const confirm = (email: string, code: string | undefined) =>
  world.call('POST', '/auth/login/code/confirm', { body: { email, code }, address: '192.0.2.1' });

describe('the limit of an address', () => {
  it('holds 200 and refills one a second, counting malformed requests too', async () => {
    await open();
    for (let i = 0; i < 200; i += 1)
      expect(
        (
          await world.call('POST', '/auth/register/confirm', {
            body: '{',
            headers: { 'Content-Type': 'application/json' },
            address: '192.0.2.9',
          })
        ).status,
      ).toBe(400);
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
    await world.close();
    await open({ auth_burst: 1 }, { server: { trusted_proxies: ['10.0.0.0/8', 'fd00::/8'] } });
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
    await open({ auth_burst: 1 }, { server: { trusted_proxies: ['10.0.0.1'] } });
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
    await open({ auth_burst: 1 }, { server: { trusted_proxies: ['127.0.0.1'] } });
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
    await open({}, { server: { trusted_proxies: ['127.0.0.1'] } });
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

describe('failed sign-ins', () => {
  /** Hashing that is rejected, as too many wait, while a test says so. */
  const busyHash = () => {
    let isBusy = false;
    const hash: typeof quickPasswords.hash = async (password) => {
      if (isBusy) throw tooManyRequests(1);
      return quickPasswords.hash(password);
    };
    const setBusy = (busy: boolean) => {
      isBusy = busy;
    };
    return { hash, setBusy };
  };

  it('are 10 per account and address, then one a minute; 429 for unknown addresses too', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let i = 0; i < 10; i += 1) expect((await login(email, 'wrong password')).status).toBe(401);
      const { status, headers } = await login(email, 'wrong password');
      expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    }
    expect((await login(ada.email, ada.password)).status).toBe(429);
    expect((await login(ada.email, ada.password, '192.0.2.2')).status).toBe(200);
    world.clock.advance(MINUTE);
    expect((await login(ada.email, ada.password)).status).toBe(200);
  });

  it('are counted on the disk: a restart forgives none', async () => {
    await open();
    for (let i = 0; i < 10; i += 1) await login('a@example.com', 'wrong password');
    const { folder } = world;
    await world.opened.close();
    const again = await openWorld({ folder, settings: { rate_limits: { enabled: true } } });
    expect(
      (
        await again.call('POST', '/auth/login', {
          body: { email: 'a@example.com', password: 'x' },
          address: '192.0.2.1',
        })
      ).status,
    ).toBe(429);
    await again.close();
    world = await openWorld();
  });

  it('are not used up by tries that were never compared, as too many waited', async () => {
    let isBusy = true;
    const verify: typeof quickPasswords.verify = async (stored, password) => {
      if (isBusy) throw tooManyRequests(1);
      return quickPasswords.verify(stored, password);
    };
    world = await openWorld({
      settings: { rate_limits: { enabled: true } },
      passwords: { ...quickPasswords, verify },
    });
    const ada = await world.signUp('ada@example.com');
    const change = () =>
      world.call('POST', '/me/password', {
        token: ada.accessToken,
        address: '192.0.2.1',
        body: { currentPassword: ada.password, newPassword: 'password2' },
      });
    for (let i = 0; i < 10; i += 1) {
      for (const { status, headers } of [await login(ada.email, ada.password), await change()])
        expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    }
    isBusy = false;
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect((await change()).status).toBe(204);
  });

  it('are not used up by right passwords of which a new hash was rejected, as too many waited', async () => {
    const { hash, setBusy } = busyHash();
    world = await openWorld({
      settings: { rate_limits: { enabled: true } },
      passwords: { ...quickPasswords, hash, isOutdated: () => true },
    });
    const ada = await world.signUp('ada@example.com');
    const change = (currentPassword: string) =>
      world.call('POST', '/me/password', {
        token: ada.accessToken,
        address: '192.0.2.1',
        body: { currentPassword, newPassword: 'password2' },
      });
    setBusy(true);
    for (let i = 0; i < 10; i += 1) {
      for (const { status, headers } of [await login(ada.email, ada.password), await change(ada.password)])
        expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    }
    for (let i = 0; i < 9; i += 1) expect((await change('wrong password')).status).toBe(403);
    setBusy(false);
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect((await change(ada.password)).status).toBe(204);
    expect((await login(ada.email, 'wrong password')).status).toBe(401);
    expect((await login(ada.email, 'password2')).status).toBe(429);
  });

  it('are not forgiven by an account without a password whose first one could not be hashed', async () => {
    const { hash, setBusy } = busyHash();
    world = await openWorld({
      settings: { rate_limits: { enabled: true, failures_burst: 1 } },
      passwords: { ...quickPasswords, hash },
    });
    await world.deps.write((tx) =>
      createAccount(tx, { email: 'nopass@example.com', name: 'No', passwordHash: null }, world.clock.now()),
    );
    await world.call('POST', '/auth/login/code', { body: { email: 'nopass@example.com' } });
    const { code } = await world.mailTo('nopass@example.com');
    const { accessToken: token } = (await confirm('nopass@example.com', code)).body;
    expect((await login('nopass@example.com', 'wrong password')).status).toBe(401);
    setBusy(true);
    const body = { newPassword: 'password2' };
    expect((await world.call('POST', '/me/password', { token, address: '192.0.2.1', body })).status).toBe(
      429,
    );
    expect((await login('nopass@example.com', 'wrong password')).status).toBe(429);
  });

  it('are not even counted, nor accounts looked up, while too many wait: a flood costs the disk nothing', async () => {
    let isBusy = false;
    const requireCapacity = () => {
      if (isBusy) throw tooManyRequests(1);
    };
    world = await openWorld({
      settings: { rate_limits: { enabled: true } },
      passwords: { ...quickPasswords, requireCapacity },
    });
    const ada = await world.signUp('ada@example.com');
    isBusy = true;
    const { commits } = world.opened.writer.counts;
    const reads = vi.spyOn(world.deps.read, 'one');
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let i = 0; i < 20; i += 1) expect((await login(email, 'password2')).status).toBe(429);
    }
    for (const path of ['/auth/login', '/auth/register', '/auth/password/reset/confirm'])
      expect((await world.call('POST', path, { body: '{' })).status).toBe(429);
    expect(world.opened.writer.counts.commits).toBe(commits);
    expect(reads).not.toHaveBeenCalled();
    expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
    isBusy = false;
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect(reads).toHaveBeenCalled();
  });

  it('are not used up by sign-ins that succeed', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    for (let i = 0; i < 30; i += 1) expect((await login(ada.email, ada.password)).status).toBe(200);
    await world.close();
    await open({ failures_burst: 1 });
    const bob = await world.signUp('bob@example.com');
    for (let i = 0; i < 3; i += 1) {
      await world.call('POST', '/auth/login/code', { body: { email: bob.email } });
      const { code } = await world.mailTo(bob.email);
      expect((await confirm(bob.email, code)).status).toBe(200);
    }
  });

  it('cannot slip through together', async () => {
    await open();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => login('a@example.com', 'wrong password')),
    );
    expect(outcomes.filter(({ status }) => status === 401).length).toBe(10);
  });

  it('are not used up by right passwords that come together', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    const together = (password: string, most: number) =>
      Promise.all(Array.from({ length: most }, () => login(ada.email, password)));
    const statuses = (await together(ada.password, 30)).map(({ status }) => status);
    expect(statuses).toEqual(Array(30).fill(200));
    const failed = await together('wrong password', 30);
    expect(failed.filter(({ status }) => status === 401).length).toBe(10);
    expect((await login(ada.email, ada.password)).status).toBe(429);
  });

  it('let the next one in as soon as a right one gives its place back, while others are still compared', async () => {
    const compared: (() => void)[] = [];
    let onCompared = () => {};
    const verify: typeof quickPasswords.verify = async (stored, password) => {
      await new Promise<void>((resolve) => {
        compared.push(resolve);
        onCompared();
      });
      return quickPasswords.verify(stored, password);
    };
    const areCompared = (most: number) =>
      new Promise<void>((resolve) => {
        onCompared = () => {
          if (compared.length === most) resolve();
        };
        onCompared();
      });
    world = await openWorld({
      settings: { rate_limits: { enabled: true, failures_burst: 2 } },
      passwords: { ...quickPasswords, verify },
    });
    const ada = await world.signUp('ada@example.com');
    const slow = login(ada.email, ada.password);
    const quick = login(ada.email, ada.password);
    await areCompared(2);
    const { capacity } = inFlightAttempts(world.deps);
    const waiting = new Promise<void>((resolve) => {
      inFlightAttempts(world.deps).capacity = (key) => {
        resolve();
        return capacity(key);
      };
    });
    const third = login(ada.email, ada.password);
    await waiting;
    compared[1]?.();
    expect((await quick).status).toBe(200);
    await areCompared(3);
    for (const resume of compared) resume();
    expect([(await await third).status, (await slow).status]).toEqual([200, 200]);
  });

  it('of all addresses are 100 per account, and hold up no network that signed in within 30 days', async () => {
    await open({ auth_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    const bob = await world.signUp('bob@example.com');
    expect((await login(ada.email, ada.password, '198.51.100.1')).status).toBe(200);
    world.clock.advance(30 * DAY - 1);
    for (let i = 0; i < 100; i += 1)
      expect((await login(ada.email, 'wrong password', `203.0.113.${i}`)).status).toBe(401);
    expect((await login(ada.email, 'wrong password', '203.0.113.200')).status).toBe(429);
    expect((await login(ada.email, ada.password, '198.51.100.1')).status).toBe(200);
    expect((await login(ada.email, ada.password, '203.0.113.201')).status).toBe(429);
    expect((await login(bob.email, bob.password, '203.0.113.201')).status).toBe(200);
  });

  it('come back at the rates that are set, of one address and of all', async () => {
    await open({
      failures_burst: 1,
      failures_per_minute: 2,
      account_failures_burst: 2,
      account_failures_per_minute: 4,
    });
    const outcomes = [];
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const { status, headers } = await login('a@example.com', 'wrong password', address);
      outcomes.push([status, headers.get('retry-after')]);
    }
    expect(outcomes).toEqual([
      [401, null],
      [429, '30'],
      [401, null],
      [429, '15'],
    ]);
  });

  it('hold up a network that only another account knows, or this one for 30 days no more', async () => {
    await open({ auth_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    const bob = await world.signUp('bob@example.com');
    expect((await login(ada.email, ada.password, '198.51.100.2')).status).toBe(200);
    world.clock.advance(30 * DAY);
    expect((await login(bob.email, bob.password, '198.51.100.1')).status).toBe(200);
    for (let i = 0; i < 100; i += 1)
      expect((await login(ada.email, 'wrong password', `203.0.113.${i}`)).status).toBe(401);
    for (const address of ['198.51.100.1', '198.51.100.2'])
      expect((await login(ada.email, ada.password, address)).status).toBe(429);
  });

  it('wait for the scarcer of both budgets', async () => {
    await open({ failures_burst: 1, failures_per_minute: 60, account_failures_burst: 1 });
    await login('a@example.com', 'wrong password');
    const { status, headers } = await login('a@example.com', 'wrong password');
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  });

  /** Wrong passwords of as many networks, which leave none for any that is not known. */
  const guessFromEverywhere = async (email: string) => {
    for (let i = 0; i < 100; i += 1)
      expect((await login(email, 'wrong password', `203.0.113.${i}`)).status).toBe(401);
    expect((await login(email, 'wrong password', '203.0.113.200')).status).toBe(429);
  };
  const reset = async (email: string, newPassword: string) => {
    await world.call('POST', '/auth/password/reset/request', { body: { email } });
    const { token } = await world.mailTo(email);
    const body = { token, newPassword };
    const address = '192.0.2.1';
    expect((await world.call('POST', '/auth/password/reset/confirm', { body, address })).status).toBe(204);
  };

  it('from everywhere keep nobody from signing in by a mailed code, or by the password of a reset', async () => {
    await open({ auth_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    await guessFromEverywhere(ada.email);
    expect((await login(ada.email, ada.password)).status).toBe(429);
    await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const { code } = await world.mailTo(ada.email);
    expect((await confirm(ada.email, code)).status).toBe(200);
    const bob = await world.signUp('bob@example.com');
    await guessFromEverywhere(bob.email);
    await reset(bob.email, 'password2');
    expect((await login(bob.email, 'password2')).status).toBe(200);
  });

  it('of the address that resets the password are forgotten, those of another are not', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    for (const address of ['192.0.2.1', '192.0.2.2'])
      for (let i = 0; i < 10; i += 1) await login(ada.email, 'wrong password', address);
    await reset(ada.email, 'password2');
    expect((await login(ada.email, 'password2', '192.0.2.2')).status).toBe(429);
    for (let i = 0; i < 9; i += 1) expect((await login(ada.email, 'wrong again')).status).toBe(401);
    expect((await login(ada.email, 'password2')).status).toBe(200);
  });

  it('of passwords are not forgiven by a code that signs in', async () => {
    await open({ auth_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    await guessFromEverywhere(ada.email);
    await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const { code } = await world.mailTo(ada.email);
    expect((await confirm(ada.email, code)).status).toBe(200);
    expect((await login(ada.email, 'wrong password', '203.0.113.201')).status).toBe(429);
  });

  it('by codes are 100 per account from everywhere as well, and count for passwords', async () => {
    await open({ auth_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    expect((await login(ada.email, ada.password, '198.51.100.1')).status).toBe(200);
    const guess = async (address: string, code = '000000') => {
      const body = { email: ada.email, code };
      return (await world.call('POST', '/auth/login/code/confirm', { body, address })).status;
    };
    for (let i = 0; i < 100; i += 1) expect(await guess(`203.0.113.${i}`)).toBe(401);
    await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const { code } = await world.mailTo(ada.email);
    expect(await guess('203.0.113.200', code)).toBe(429);
    expect((await login(ada.email, ada.password, '203.0.113.200')).status).toBe(429);
    expect(await guess('198.51.100.1', code)).toBe(200);
    const bob = await world.signUp('bob@example.com');
    await world.call('POST', '/auth/login/code', { body: { email: bob.email } });
    expect((await confirm(bob.email, (await world.mailTo(bob.email)).code)).status).toBe(200);
  });

  it('from everywhere are not used up by one who signs in from many networks', async () => {
    await open({ auth_burst: 100_000, account_failures_burst: 2 });
    const ada = await world.signUp('ada@example.com');
    for (let i = 0; i < 5; i += 1) {
      expect((await login(ada.email, ada.password, `203.0.113.${i}`)).status).toBe(200);
      await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
      const { code } = await world.mailTo(ada.email);
      const body = { email: ada.email, code };
      const address = `198.51.100.${i}`;
      expect((await world.call('POST', '/auth/login/code/confirm', { body, address })).status).toBe(200);
    }
  });

  it('of passwords, from the very same address, keep nobody from signing in by a mailed code', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let i = 0; i < 10; i += 1) expect((await login(email, 'wrong password')).status).toBe(401);
      expect((await login(email, ada.password)).status).toBe(429);
      expect((await confirm(email, '000000')).status).toBe(401);
    }
    await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    expect((await confirm(ada.email, (await world.mailTo(ada.email)).code)).status).toBe(200);
  });

  it('by codes are 10 per account and address as well, for addresses without an account too', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let i = 0; i < 10; i += 1) expect((await confirm(email, '000000')).status).toBe(401);
      const { status, headers } = await confirm(email, '000000');
      expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    }
  });

  it('count wrong codes and wrong passwords of a change together, for passwords', async () => {
    await open();
    const ada = await world.signUp('ada@example.com');
    const change = () =>
      world.call('POST', '/me/password', {
        token: ada.accessToken,
        address: '192.0.2.1',
        body: { currentPassword: 'wrong password', newPassword: 'password2' },
      });
    for (let i = 0; i < 5; i += 1) expect((await change()).status).toBe(403);
    for (let i = 0; i < 5; i += 1) expect((await confirm(ada.email, '000000')).status).toBe(401);
    await world.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const { code } = await world.mailTo(ada.email);
    expect((await change()).status).toBe(429);
    const { status, headers } = await login(ada.email, ada.password);
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect((await confirm(ada.email, code)).status).toBe(200);
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
    for (let i = 0; i < 60; i += 1)
      await world.call('POST', '/auth/register', {
        body: { email: 'a@example.com', password: 'password1', name: 'A' },
      });
    await world.untilIdle();
    expect(world.mails.length).toBe(50);
  });

  it('that one user causes are 30 a day, then 429', async () => {
    await open({ user_burst: 100_000 });
    const ada = await world.signUp('ada@example.com');
    const change = (i: number) =>
      world.call('POST', '/auth/email/change/request', {
        token: ada.accessToken,
        body: { newEmail: `new${i}@example.com` },
      });
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
      (
        await world.call('POST', `/workspaces/${id}/spaces`, {
          token: person.accessToken,
          body: '{',
          headers: { 'Content-Type': 'application/json' },
        })
      ).status;
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
    world = await openWorld({
      settings: {
        rate_limits: { enabled: false, user_burst: 1, auth_burst: 1, failures_burst: 1, mail_burst: 1 },
      },
    });
    const ada = await world.signUp('ada@example.com');
    for (let i = 0; i < 20; i += 1) {
      expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
      expect((await login(ada.email, 'wrong password')).status).toBe(401);
    }
  });
});
