import { describe, expect, it, vi } from 'vitest';
import { tooManyRequests } from '../../src/kernel/errors.ts';
import { DAY, MINUTE } from '../../src/kernel/instants.ts';
import { inFlightAttempts } from '../../src/users/in-flight-attempts.ts';
import { openLimited, reopen, world } from '../ada.ts';
import { withoutPassword } from '../people.ts';
import { codeTo, resetTokenTo } from '../sign-in.ts';
import { type Person, quickPasswords } from '../world.ts';

const login = (email: string, password: string, address = '192.0.2.1') =>
  world.call('POST', '/auth/login', { body: { email, password }, address });
const confirm = (email: string, code: string | undefined, address = '192.0.2.1') =>
  world.call('POST', '/auth/login/code/confirm', { body: { email, code }, address });

let ada: Person;
/** Too many wait, while a test says so. */
let isBusy: boolean;

async function open(...given: Parameters<typeof openLimited>): Promise<void> {
  isBusy = false;
  await openLimited(...given);
  ada = await world.signUp('ada@example.com');
}

/** Ada asks for another password. */
const change = (currentPassword: string) =>
  world.call('POST', '/me/password', {
    token: ada.accessToken,
    address: '192.0.2.1',
    body: { currentPassword, newPassword: 'password2' },
  });
const unlessBusy =
  <Given extends unknown[], Result>(act: (...given: Given) => Result) =>
  (...given: Given): Result => {
    if (isBusy) throw tooManyRequests(1);
    return act(...given);
  };

describe('failed sign-ins', () => {
  it('are 10 per account and address, then one a minute; 429 for unknown addresses too', async () => {
    await open();
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
    await reopen({ settings: { rate_limits: { enabled: true } } });
    expect((await login('a@example.com', 'x')).status).toBe(429);
  });

  it('are not used up by tries that were never compared, as too many waited', async () => {
    await open({}, { passwords: { ...quickPasswords, verify: unlessBusy(quickPasswords.verify) } });
    isBusy = true;
    for (let i = 0; i < 10; i += 1) {
      for (const { status, headers } of [await login(ada.email, ada.password), await change(ada.password)])
        expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    }
    isBusy = false;
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect((await change(ada.password)).status).toBe(204);
  });

  it('are not used up by right passwords of which a new hash was rejected, as too many waited', async () => {
    const hash = unlessBusy(quickPasswords.hash);
    await open({}, { passwords: { ...quickPasswords, hash, isOutdated: () => true } });
    isBusy = true;
    for (let i = 0; i < 10; i += 1) {
      for (const { status, headers } of [await login(ada.email, ada.password), await change(ada.password)])
        expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    }
    for (let i = 0; i < 9; i += 1) expect((await change('wrong password')).status).toBe(403);
    isBusy = false;
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect((await change(ada.password)).status).toBe(204);
    expect((await login(ada.email, 'wrong password')).status).toBe(401);
    expect((await login(ada.email, 'password2')).status).toBe(429);
  });

  it('are not forgiven by an account without a password whose first one could not be hashed', async () => {
    const hash = unlessBusy(quickPasswords.hash);
    await open({ failures_burst: 1 }, { passwords: { ...quickPasswords, hash } });
    await withoutPassword(world, 'nopass@example.com');
    const code = await codeTo('nopass@example.com');
    const { accessToken: token } = (await confirm('nopass@example.com', code)).body;
    expect((await login('nopass@example.com', 'wrong password')).status).toBe(401);
    isBusy = true;
    const body = { newPassword: 'password2' };
    expect((await world.call('POST', '/me/password', { token, address: '192.0.2.1', body })).status).toBe(
      429,
    );
    expect((await login('nopass@example.com', 'wrong password')).status).toBe(429);
  });

  it('are not even counted, nor accounts looked up, while too many wait: a flood costs the disk nothing', async () => {
    await open({}, { passwords: { ...quickPasswords, requireCapacity: unlessBusy(() => {}) } });
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
    for (let i = 0; i < 30; i += 1) expect((await login(ada.email, ada.password)).status).toBe(200);
    await open({ failures_burst: 1 });
    const bob = await world.signUp('bob@example.com');
    for (let i = 0; i < 3; i += 1) {
      expect((await confirm(bob.email, await codeTo(bob.email))).status).toBe(200);
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
    await open({ failures_burst: 2 }, { passwords: { ...quickPasswords, verify } });
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
    const body = { token: await resetTokenTo(email), newPassword };
    const address = '192.0.2.1';
    expect((await world.call('POST', '/auth/password/reset/confirm', { body, address })).status).toBe(204);
  };

  it('from everywhere keep nobody from signing in by a mailed code, or by the password of a reset', async () => {
    await open({ auth_burst: 100_000 });
    await guessFromEverywhere(ada.email);
    expect((await login(ada.email, ada.password)).status).toBe(429);
    expect((await confirm(ada.email, await codeTo(ada.email))).status).toBe(200);
    const bob = await world.signUp('bob@example.com');
    await guessFromEverywhere(bob.email);
    await reset(bob.email, 'password2');
    expect((await login(bob.email, 'password2')).status).toBe(200);
  });

  it('of the address that resets the password are forgotten, those of another are not', async () => {
    await open();
    for (const address of ['192.0.2.1', '192.0.2.2'])
      for (let i = 0; i < 10; i += 1) await login(ada.email, 'wrong password', address);
    await reset(ada.email, 'password2');
    expect((await login(ada.email, 'password2', '192.0.2.2')).status).toBe(429);
    for (let i = 0; i < 9; i += 1) expect((await login(ada.email, 'wrong again')).status).toBe(401);
    expect((await login(ada.email, 'password2')).status).toBe(200);
  });

  it('of passwords are not forgiven by a code that signs in', async () => {
    await open({ auth_burst: 100_000 });
    await guessFromEverywhere(ada.email);
    expect((await confirm(ada.email, await codeTo(ada.email))).status).toBe(200);
    expect((await login(ada.email, 'wrong password', '203.0.113.201')).status).toBe(429);
  });

  it('by codes are 100 per account from everywhere as well, and count for passwords', async () => {
    await open({ auth_burst: 100_000 });
    expect((await login(ada.email, ada.password, '198.51.100.1')).status).toBe(200);
    const guess = async (address: string, code = '000000') =>
      (await confirm(ada.email, code, address)).status;
    for (let i = 0; i < 100; i += 1) expect(await guess(`203.0.113.${i}`)).toBe(401);
    const code = await codeTo(ada.email);
    expect(await guess('203.0.113.200', code)).toBe(429);
    expect((await login(ada.email, ada.password, '203.0.113.200')).status).toBe(429);
    expect(await guess('198.51.100.1', code)).toBe(200);
    const bob = await world.signUp('bob@example.com');
    expect((await confirm(bob.email, await codeTo(bob.email))).status).toBe(200);
  });

  it('from everywhere are not used up by one who signs in from many networks', async () => {
    await open({ auth_burst: 100_000, account_failures_burst: 2 });
    for (let i = 0; i < 5; i += 1) {
      expect((await login(ada.email, ada.password, `203.0.113.${i}`)).status).toBe(200);
      expect((await confirm(ada.email, await codeTo(ada.email), `198.51.100.${i}`)).status).toBe(200);
    }
  });

  it('of passwords, from the very same address, keep nobody from signing in by a mailed code', async () => {
    await open();
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let i = 0; i < 10; i += 1) expect((await login(email, 'wrong password')).status).toBe(401);
      expect((await login(email, ada.password)).status).toBe(429);
      expect((await confirm(email, '000000')).status).toBe(401);
    }
    expect((await confirm(ada.email, await codeTo(ada.email))).status).toBe(200);
  });

  it('by codes are 10 per account and address as well, for addresses without an account too', async () => {
    await open();
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let i = 0; i < 10; i += 1) expect((await confirm(email, '000000')).status).toBe(401);
      const { status, headers } = await confirm(email, '000000');
      expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    }
  });

  it('count wrong codes and wrong passwords of a change together, for passwords', async () => {
    await open();
    for (let i = 0; i < 5; i += 1) expect((await change('wrong password')).status).toBe(403);
    for (let i = 0; i < 5; i += 1) expect((await confirm(ada.email, '000000')).status).toBe(401);
    const code = await codeTo(ada.email);
    expect((await change('wrong password')).status).toBe(429);
    const { status, headers } = await login(ada.email, ada.password);
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect((await confirm(ada.email, code)).status).toBe(200);
  });
});
