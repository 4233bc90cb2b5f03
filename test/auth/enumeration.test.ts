import { beforeEach, expect, it } from 'vitest';
import { ada, openAda, openLimited, reopen, world } from '../ada.ts';
import { withoutPassword } from '../people.ts';
import { logIn, register } from '../sign-in.ts';
import { type Call, quickPasswords, type TestResponse } from '../world.ts';

let hashes: number;
beforeEach(async () => {
  hashes = 0;
  const counted = <Args extends unknown[], Result>(work: (...given: Args) => Result) => {
    return (...given: Args): Result => {
      hashes += 1;
      return work(...given);
    };
  };
  const { hash, verify } = quickPasswords;
  const passwords = { ...quickPasswords, hash: counted(hash), verify: counted(verify) };
  await openAda({ settings: { rate_limits: { enabled: true, auth_burst: 1_000 } }, passwords });
  await register('pending@example.com');
  await world.untilIdle();
});

/** What a stranger sees of a request, and the slow work before its response: hashes, and asking the disk. */
async function seen(request: () => Promise<TestResponse>) {
  const before = { ...world.opened.writer.counts };
  const hashed = hashes;
  const { status, body, headers } = await request();
  const after = { ...world.opened.writer.counts };
  await world.untilIdle();
  const names = [...headers]
    .filter(([name]) => name !== 'x-request-id')
    .map(([name, value]) => `${name}: ${value}`);
  return { status, body, names, jobs: after.jobs - before.jobs, hashes: hashes - hashed };
}

/** What is asked about an address; `from` says by whom: a token for what needs one, and from where. */
const FLOWS: Record<string, (email: string, from: Call) => Promise<TestResponse>> = {
  'sign-up': (email, from) =>
    world.call('POST', '/auth/register', { ...from, body: { email, password: 'password1', name: 'A' } }),
  'a sign-in code': (email, from) => world.call('POST', '/auth/login/code', { ...from, body: { email } }),
  'a wrong code': (email, from) =>
    world.call('POST', '/auth/login/code/confirm', { ...from, body: { email, code: '000000' } }),
  'a password reset': (email, from) =>
    world.call('POST', '/auth/password/reset/request', { ...from, body: { email } }),
  'a failed sign-in': (email, from) =>
    world.call('POST', '/auth/login', { ...from, body: { email, password: 'wrong password' } }),
  'an e-mail change': (newEmail, from) =>
    world.call('POST', '/auth/email/change/request', { ...from, body: { newEmail } }),
};

for (const [flow, ask] of Object.entries(FLOWS)) {
  it(`${flow} looks the same for existing, passwordless, pending and new addresses: response, headers, hashes, commits`, async () => {
    const other = await world.signUp('bob@example.com');
    await withoutPassword(world, 'nopass@example.com');
    const from = { token: ada.accessToken };
    const existing = await seen(() => ask(other.email, from));
    const pending = await seen(() => ask('pending@example.com', from));
    const fresh = await seen(() => ask('new@example.com', from));
    expect(await seen(() => ask('nopass@example.com', from))).toEqual(existing);
    expect(pending).toEqual(existing);
    expect(fresh).toEqual(existing);
  });

  it(`${flow} is limited at the same request for existing, pending and new addresses`, async () => {
    await openLimited({ auth_burst: 20 });
    const other = await world.signUp('bob@example.com');
    await register('pending@example.com');
    const firstLimited = async (email: string, address: string) => {
      const { accessToken: token } = await world.signUp();
      for (let i = 1; i <= 31; i += 1) if ((await ask(email, { token, address })).status === 429) return i;
      return 0;
    };
    const limits = [
      await firstLimited(other.email, '192.0.2.1'),
      await firstLimited('pending@example.com', '192.0.2.2'),
      await firstLimited('new@example.com', '192.0.2.3'),
    ];
    expect(new Set(limits).size).toBe(1);
    expect(limits[0]).toBeGreaterThan(0);
  });
}

it('an existing owner is told of a sign-up, and nothing of theirs changes', async () => {
  await register(ada.email, 'attacker password', 'Eve');
  const mail = await world.mailTo(ada.email);
  expect([mail.subject, mail.token]).toEqual(['You already have an account', undefined]);
  expect((await logIn(ada.email, ada.password)).status).toBe(200);
});

it('closed sign-up rejects everyone alike, and accounts that exist still sign in', async () => {
  await reopen({ settings: { auth: { signup: 'closed' } } });
  for (const email of [ada.email, 'new@example.com']) {
    const { status, body } = await register(email);
    expect([status, body.error]).toEqual([403, 'ForbiddenError']);
  }
  expect((await logIn(ada.email, ada.password)).status).toBe(200);
});
