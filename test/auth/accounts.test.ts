import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/auth/account/account.ts';
import { query } from '../../src/db/connection.ts';
import { DAY, MINUTE, SECOND, toInstant } from '../../src/kernel/instants.ts';
import type { Letter } from '../../src/mail/worker.ts';
import { insertIdentity } from '../../src/storage/identities.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { purgeExpired } from '../../src/storage/purge.ts';
import { findUser, updateUser } from '../../src/storage/users.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { turns } from '../../src/users/turns.ts';
import {
  collecting,
  openWorld,
  type Person,
  quickPasswords,
  type TestResponse,
  type World,
} from '../world.ts';

let world: World;
let ada: Person;
beforeEach(async () => {
  world = await openWorld();
  ada = await world.signUp('ada@example.com');
});
afterEach(() => world.close());

const post = (path: string, body: unknown, token?: string) => world.call('POST', path, { body, token });
const me = async (token: string) => (await world.call('GET', '/me', { token })).status;
const login = (email: string, password: string) => post('/auth/login', { email, password });
/** An account that is entered by other means only. */
const withoutPassword = (email: string) =>
  world.deps.write((tx) => createAccount(tx, { email, name: 'No', passwordHash: null }, world.clock.now()));
const mailsListed = (to: string) => listMails(world.deps.read).filter((mail) => mail.to === to);
const issuesOf = (body: { issues: { path: string; message: string }[] }) => body.issues;
const noRest = async () => {};

describe('sign-in by password', () => {
  it('returns tokens and user, whatever the case of the address', async () => {
    const { status, body } = await login('ADA@example.COM', ada.password);
    expect(status).toBe(200);
    expect(body.user).toEqual({ id: ada.id, email: 'ada@example.com', name: 'Ada', isEmailVerified: true });
    expect(await me(body.accessToken)).toBe(200);
  });

  it('rejects unknown address, wrong password and account without one alike', async () => {
    await withoutPassword('nopass@example.com');
    const responses = [
      await login('nobody@example.com', 'password1'),
      await login('ada@example.com', 'password1'),
      await login('nopass@example.com', 'password1'),
    ];
    for (const { status, body } of responses) {
      expect(status).toBe(401);
      expect(body).toEqual(responses[0]?.body);
    }
  });
});

describe('a password that is changed while another request compares the old one', () => {
  let meanwhile: () => Promise<void>;
  beforeEach(async () => {
    await world.close();
    meanwhile = async () => {};
    world = await openWorld({
      passwords: {
        ...quickPasswords,
        verify: async (stored, offered) => {
          const matches = await quickPasswords.verify(stored, offered);
          await meanwhile();
          return matches;
        },
      },
    });
    ada = await world.signUp('ada@example.com');
  });

  it('lets that request neither in nor change it back', async () => {
    for (const [newPassword, late] of [
      ['password2', () => login(ada.email, ada.password)],
      [
        'password3',
        (token: string) =>
          post('/me/password', { currentPassword: 'password2', newPassword: 'password4' }, token),
      ],
    ] as const) {
      const { accessToken } = (
        await login(ada.email, newPassword === 'password2' ? ada.password : 'password2')
      ).body;
      await post('/auth/password/reset/request', { email: ada.email });
      const { token } = await world.mailTo(ada.email);
      meanwhile = async () => {
        meanwhile = async () => {};
        expect((await post('/auth/password/reset/confirm', { token, newPassword })).status).toBe(204);
      };
      expect((await late(accessToken)).status).toBe(401);
      expect((await login(ada.email, newPassword)).status).toBe(200);
    }
  });

  it('lets nobody in either when it went with its account', async () => {
    meanwhile = async () => {
      meanwhile = async () => {};
      const { password, accessToken: token } = ada;
      expect((await world.call('DELETE', '/auth/me', { token, body: { password } })).status).toBe(204);
    };
    const { status, body } = await login(ada.email, ada.password);
    expect([status, body]).toEqual([401, (await login('nobody@example.com', 'password1')).body]);
  });
});

describe('the hash of a password', () => {
  it('is argon2id as promised, and is renewed at a sign-in when it is weaker than that', async () => {
    await world.close();
    world = await openWorld({ passwords: argon2Passwords() });
    const person = await world.signUp('hash@example.com');
    const stored = () => findUser(world.deps.read, person.id)?.password_hash ?? '';
    expect(stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const weak = await hash(person.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await world.deps.write((tx) =>
      updateUser(tx, person.id, '2026-03-27T10:00:00.000Z', { password_hash: weak }),
    );
    expect((await login(person.email, 'a wrong password')).status).toBe(401);
    expect(stored()).toBe(weak);
    expect((await login(person.email, person.password)).status).toBe(200);
    const renewed = stored();
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await login(person.email, person.password)).status).toBe(200);
    expect(stored()).toBe(renewed);
  });

  it('waits its turn: so many at once, so many behind them, and 429 for the rest', async () => {
    const { inTurn, requireCapacity } = turns(2, 3, noRest);
    const release = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await release.promise;
      running -= 1;
      return 'done';
    };
    const all = Promise.allSettled(Array.from({ length: 7 }, () => inTurn(work)));
    const broken = inTurn(() => Promise.reject(new Error('broken'))).catch(() => 'rejected');
    expect(await broken).toBe('rejected');
    expect(requireCapacity).toThrow('Too many requests');
    release.resolve();
    const outcomes = (await all).map(({ status }) => status);
    expect(outcomes).toEqual([...Array(5).fill('fulfilled'), ...Array(2).fill('rejected')]);
    expect([most, running]).toEqual([2, 0]);
    await expect(inTurn(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await inTurn(work)).toBe('done');
    expect(requireCapacity).not.toThrow();
  });
});

describe('in a flood of sign-ins', () => {
  it('one hash less is made at once, which leaves a processor to everyone else', async () => {
    const { inTurn } = turns(2, 4, noRest);
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 6 }, () =>
      inTurn(() => new Promise<void>((resolve) => ends.push(resolve))),
    );
    const underWay = async (ended: number) => {
      await new Promise(setImmediate);
      return ends.length - ended;
    };
    expect(await underWay(0)).toBe(2);
    for (const [ended, left] of [1, 1, 2, 2, 1, 0].entries()) {
      ends[ended]?.();
      expect([ended, await underWay(ended + 1)]).toEqual([ended, left]);
    }
    await Promise.all(all);
  });

  it('hashing rests for as long as people are turned away, and no longer', async () => {
    const rests: (() => void)[] = [];
    const { inTurn } = turns(1, 2, () => new Promise<void>((resolve) => rests.push(resolve)));
    const ends: (() => void)[] = [];
    const hash = () => inTurn(() => new Promise<void>((resolve) => ends.push(resolve)));
    const all = [hash(), hash(), hash()];
    await expect(hash()).rejects.toThrow('Too many requests');
    ends[0]?.();
    await all[0];
    await new Promise(setImmediate);
    expect([ends.length, rests.length]).toEqual([1, 1]);
    rests[0]?.();
    await new Promise(setImmediate);
    expect(ends.length).toBe(2);
    ends[1]?.();
    await new Promise(setImmediate);
    expect([ends.length, rests.length]).toEqual([3, 1]);
    ends[2]?.();
    await Promise.all(all);
  });
});

describe('a flood of sign-ins from one customer', () => {
  /** Fills a queue of 64 behind two that hash, from those addresses; returns what became of each. */
  const flood = (addressOf: (i: number) => string, count = 300) => {
    const { inTurn, requireCapacity } = turns(2, 64, noRest);
    const ends: (() => void)[] = [];
    const hash = (from: string) =>
      inTurn(() => new Promise<void>((resolve) => ends.push(resolve)), from).then(
        () => 'hashed',
        () => 'rejected',
      );
    const theirs = Array.from({ length: count }, (_, i) => hash(addressOf(i)));
    const hashSome = async (some: number) => {
      for (let i = 0; i < some; i += 1) {
        await new Promise(setImmediate);
        ends.shift()?.();
      }
      await new Promise(setImmediate);
    };
    return { hash, theirs, hashSome, requireCapacity };
  };
  const hex = (i: number) => i.toString(16);
  const CUSTOMERS: Record<string, (i: number) => string> = {
    'an IPv4 address': () => '203.0.113.7',
    'the /64s of an IPv6 /56': (i) => `2001:db8:0:${hex(i % 256)}::1`,
    'the /56s of an IPv6 /48': (i) => `2001:db8:0:${hex((i % 256) * 256)}::1`,
  };

  it.each(Object.entries(CUSTOMERS))(
    'by %s reject nobody elsewhere, who come first',
    async (_where, addressOf) => {
      const { hash, theirs, hashSome, requireCapacity } = flood(addressOf);
      expect(() => requireCapacity(addressOf(300))).toThrow('Too many requests');
      expect(() => requireCapacity('198.51.100.1')).not.toThrow();
      const others = Array.from({ length: 20 }, (_, i) => hash(`198.51.100.${i}`));
      await hashSome(2 + 40);
      const soFar = await Promise.all(
        others.map((other) => Promise.race([other, new Promise(setImmediate).then(() => 'waits')])),
      );
      expect(soFar).toEqual(Array(20).fill('hashed'));
      await hashSome(64);
      const outcomes = await Promise.all(theirs);
      expect(outcomes.filter((outcome) => outcome === 'hashed')).toHaveLength(2 + 64 - 20);
    },
  );

  it('from one subnet leaves the others of the customer their share', async () => {
    const { hash, hashSome } = flood(() => '2001:db8:0:1::1');
    const siblings = ['2001:db8:0:2::1', '2001:db8:0:100::1'].map(hash);
    await hashSome(2 + 4);
    expect(await Promise.all(siblings)).toEqual(['hashed', 'hashed']);
  });
});

describe('sign-in by code', () => {
  const errnoOf = async (email: string) => {
    await post('/auth/login/code', { email });
    return (await world.mailTo(email)).code ?? '';
  };
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

  it('mails six digits that sign in once', async () => {
    const code = await errnoOf(ada.email);
    expect(code).toMatch(/^\d{6}$/);
    const { status, body } = await post('/auth/login/code/confirm', { email: 'ADA@example.com', code });
    expect([status, body.user.id]).toEqual([200, ada.id]);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code })).status).toBe(401);
  });

  it('is any of a million, those that begin with zeros too', async () => {
    await Promise.all(Array.from({ length: 250 }, () => post('/auth/login/code', { email: ada.email })));
    await world.untilIdle();
    const codes = world.mails.flatMap(({ code }) => code ?? []);
    expect(codes).toHaveLength(250);
    for (const code of codes) expect(code).toMatch(/^\d{6}$/);
    for (const first of '0123456789') expect(codes.filter((code) => code.startsWith(first))).not.toEqual([]);
  });

  it('works for 10 minutes, also after a restart', async () => {
    const code = await errnoOf(ada.email);
    world.clock.advance(10 * MINUTE);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code })).status).toBe(401);
    const second = await errnoOf(ada.email);
    world.clock.advance(10 * MINUTE - 1);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code: second })).status).toBe(200);
  });

  it('dies after 5 wrong attempts, however parallel', async () => {
    const code = await errnoOf(ada.email);
    for (let i = 0; i < 4; i += 1)
      expect((await post('/auth/login/code/confirm', { email: ada.email, code: wrong(code) })).status).toBe(
        401,
      );
    expect((await post('/auth/login/code/confirm', { email: ada.email, code })).status).toBe(200);

    const next = await errnoOf(ada.email);
    for (let i = 0; i < 5; i += 1)
      await post('/auth/login/code/confirm', { email: ada.email, code: wrong(next) });
    expect((await post('/auth/login/code/confirm', { email: ada.email, code: next })).status).toBe(401);
  });

  it('is compared with 5 of 50 attempts at once, wherever the right one is among them', async () => {
    for (const place of [0, 49, 4, 5, 25, 49, 5, 4]) {
      const code = await errnoOf(ada.email);
      const tries = Array.from({ length: 50 }, (_, i) => (i === place ? code : wrong(code)));
      const attempt = (code: string) => post('/auth/login/code/confirm', { email: ada.email, code });
      const statuses = (await Promise.all(tries.map(attempt))).map(({ status }) => status);
      const right = place < 5 ? 200 : 401;
      expect([place, statuses]).toEqual([place, tries.map((_, i) => (i === place ? right : 401))]);
      expect((await attempt(code)).status).toBe(401);
    }
  });

  it('only the newest works, and only for its address', async () => {
    const first = await errnoOf(ada.email);
    const second = await errnoOf(ada.email);
    if (first !== second)
      expect((await post('/auth/login/code/confirm', { email: ada.email, code: first })).status).toBe(401);
    const bob = await world.signUp('bob@example.com');
    expect((await post('/auth/login/code/confirm', { email: bob.email, code: second })).status).toBe(401);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code: second })).status).toBe(200);
  });

  it('is mailed to registered addresses only, with the same response for all', async () => {
    const known = await post('/auth/login/code', { email: ada.email });
    const unknown = await post('/auth/login/code', { email: 'nobody@example.com' });
    await world.untilIdle();
    expect(unknown).toMatchObject({ status: 200, body: known.body });
    expect(world.mails.filter(({ to }) => to === 'nobody@example.com')).toEqual([]);
  });

  it('rejects what is no string of digits, and never creates an account', async () => {
    for (const code of [123456, '12345a', '', null]) {
      const { status, body } = await post('/auth/login/code/confirm', { email: ada.email, code });
      expect([status, issuesOf(body)[0]?.path]).toEqual([400, 'code']);
    }
    expect(
      (await post('/auth/login/code/confirm', { email: 'nobody@example.com', code: '000000' })).status,
    ).toBe(401);
  });

  it('lets nobody in who guesses the one that no mail carried', async () => {
    const email = 'nobody@example.com';
    await post('/auth/login/code', { email });
    world.opened.storage.writing
      .prepare('update login_codes set code_hash = ? where email = ?')
      .run(world.deps.keys.codeHash(`${email}\n123456`), email);
    const { status, body } = await post('/auth/login/code/confirm', { email, code: '123456' });
    expect([status, body.error]).toEqual([401, 'UnauthorizedError']);
  });
});

describe('password reset', () => {
  const request = async (email: string) => {
    expect((await post('/auth/password/reset/request', { email })).status).toBe(200);
    return (await world.mailTo(email)).token ?? '';
  };

  it('sets the new password, ends all sessions, tells the owner', async () => {
    const token = await request(ada.email);
    const { status, body } = await post('/auth/password/reset/confirm', {
      token,
      newPassword: 'new password',
    });
    expect([status, body]).toEqual([204, undefined]);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await post('/auth/refresh', { refreshToken: ada.refreshToken })).status).toBe(401);
    expect((await login(ada.email, ada.password)).status).toBe(401);
    expect((await login(ada.email, 'new password')).status).toBe(200);
    expect((await world.mailTo(ada.email)).subject).toBe('Your password was changed');
    expect(
      (await post('/auth/password/reset/confirm', { token, newPassword: 'newer password' })).status,
    ).toBe(401);
  });

  it('does not burn the token on a weak password', async () => {
    const token = await request(ada.email);
    const weak = await post('/auth/password/reset/confirm', { token, newPassword: 'short' });
    expect(weak.status).toBe(400);
    expect(issuesOf(weak.body)).toEqual([
      { path: 'newPassword', message: 'Password must be at least 8 characters' },
    ]);
    expect((await post('/auth/password/reset/confirm', { token, newPassword: 'long enough' })).status).toBe(
      204,
    );
  });

  it('expires after 30 minutes; three are live at most, and all die at the first success', async () => {
    const tokens = [];
    for (let i = 0; i < 4; i += 1) {
      tokens.push(await request(ada.email));
      world.clock.advance(SECOND);
    }
    const confirm = (token: string | undefined) =>
      post('/auth/password/reset/confirm', { token, newPassword: 'new password' });
    expect((await confirm(tokens[0])).status).toBe(401);
    expect((await confirm(tokens[1])).status).toBe(204);
    expect((await confirm(tokens[2])).status).toBe(401);
    expect((await confirm(tokens[3])).status).toBe(401);
    const late = await request(ada.email);
    world.clock.advance(30 * MINUTE);
    expect((await confirm(late)).status).toBe(401);
  });

  it('of two tokens with two passwords at once succeeds by one, whose password signs in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const passwords = [`first password ${round}`, `second password ${round}`];
      const tokens = [await request(ada.email), await request(ada.email)];
      const outcomes = await Promise.all(
        passwords.map((newPassword, i) =>
          post('/auth/password/reset/confirm', { token: tokens[i], newPassword }),
        ),
      );
      const statuses = outcomes.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([204, 401]);
      for (const [i, password] of passwords.entries())
        expect((await login(ada.email, password)).status).toBe(statuses[i] === 204 ? 200 : 401);
    }
  });

  it('kills outstanding codes and e-mail changes', async () => {
    const token = await request(ada.email);
    await post('/auth/login/code', { email: ada.email });
    const { code } = await world.mailTo(ada.email);
    await post('/auth/email/change/request', { newEmail: 'new@example.com' }, ada.accessToken);
    const { token: change } = await world.mailTo('new@example.com');
    expect((await post('/auth/password/reset/confirm', { token, newPassword: 'new password' })).status).toBe(
      204,
    );
    expect(mailsListed('new@example.com')).toEqual([]);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code })).status).toBe(401);
    expect((await post('/auth/email/change/confirm', { token: change })).status).toBe(401);
  });

  it('costs no hash where the token does not work', async () => {
    await world.close();
    let hashes = 0;
    const hash = (password: string) => {
      hashes += 1;
      return quickPasswords.hash(password);
    };
    world = await openWorld({ passwords: { ...quickPasswords, hash } });
    ada = await world.signUp('ada@example.com');
    await post('/auth/email/change/request', { newEmail: 'new@example.com' }, ada.accessToken);
    const { token: keep } = await world.mailTo(ada.email);
    const spent = await request(ada.email);
    const confirm = (token: string | undefined) =>
      post('/auth/password/reset/confirm', { token, newPassword: 'new password' });
    expect((await confirm(spent)).status).toBe(204);
    const late = await request(ada.email);
    world.clock.advance(30 * MINUTE);
    const live = await request(ada.email);
    const before = hashes;
    for (const token of ['unknown', spent, late, keep]) expect((await confirm(token)).status).toBe(401);
    expect(hashes).toBe(before);
    expect((await confirm(live)).status).toBe(204);
  });

  it('gives a password to an account without one', async () => {
    await withoutPassword('nopass@example.com');
    const token = await request('nopass@example.com');
    expect((await post('/auth/password/reset/confirm', { token, newPassword: 'password1' })).status).toBe(
      204,
    );
    expect((await login('nopass@example.com', 'password1')).status).toBe(200);
  });

  it('comes to nothing for an address that has only asked for an account', async () => {
    await post('/auth/register', { email: 'new@example.com', password: 'password1', name: 'New' });
    const { token: signup } = await world.mailTo('new@example.com');
    expect((await post('/auth/password/reset/request', { email: 'new@example.com' })).status).toBe(200);
    await world.untilIdle();
    expect(world.mails.filter(({ to }) => to === 'new@example.com').length).toBe(1);
    expect((await post('/auth/register/confirm', { token: signup })).status).toBe(201);
    expect((await login('new@example.com', 'password1')).status).toBe(200);
  });

  it('says the same for an unknown address and mails nothing', async () => {
    const known = await post('/auth/password/reset/request', { email: ada.email });
    const unknown = await post('/auth/password/reset/request', { email: 'nobody@example.com' });
    expect(unknown).toMatchObject({ status: 200, body: known.body });
    await world.untilIdle();
    expect(world.mails.some(({ to }) => to === 'nobody@example.com')).toBe(false);
  });
});

describe('change of e-mail address', () => {
  const request = async (newEmail: string) => {
    expect((await post('/auth/email/change/request', { newEmail }, ada.accessToken)).status).toBe(200);
    return (await world.mailTo(newEmail)).token ?? '';
  };
  beforeEach(() => world.clock.advance(1));
  const keepToken = (email = ada.email) =>
    world.mails.findLast(({ to, subject }) => to === email && /about to change/.test(subject))?.token ?? '';
  const confirm = (token: string) => post('/auth/email/change/confirm', { token });
  const keepBy = async (token: string) => (await post('/auth/email/change/revert', { token })).status;
  /** Moves Ada's account on, and returns the link that keeps the address it had. */
  const move = async (from: string, to: string) => {
    const token = await request(to);
    const keep = keepToken(from);
    expect((await confirm(token)).status).toBe(204);
    world.clock.advance(SECOND);
    return keep;
  };
  const resetPassword = async (email: string, newPassword: string) => {
    await post('/auth/password/reset/request', { email });
    const { token } = await world.mailTo(email);
    expect((await post('/auth/password/reset/confirm', { token, newPassword })).status).toBe(204);
  };
  const signInAgain = async (email = ada.email, password = ada.password) => {
    ada.accessToken = (await login(email, password)).body.accessToken;
  };
  const link = (provider: 'google' | 'telegram') =>
    world.deps.write((tx) => insertIdentity(tx, ada.id, provider, provider, world.clock.now()));
  const ways = () =>
    world.deps.read.all(query.selectFrom('identities').select('provider')).map(({ provider }) => provider);
  /** A thief in Ada's session takes the address, sets a password by it, and has the owner confirm the old one again. */
  const stealAndBringBack = async () => {
    const keep = await move(ada.email, 'thief@example.com');
    await resetPassword('thief@example.com', 'password of the thief');
    await signInAgain('thief@example.com', 'password of the thief');
    world.clock.advance(SECOND);
    return { keep, thiefs: await move('thief@example.com', ada.email) };
  };

  it('is rejected for a token of any length that nobody was mailed', async () => {
    for (const token of ['x', 'x'.repeat(10_000)]) expect((await confirm(token)).status).toBe(401);
  });

  it('happens when the new address confirms; sessions live on', async () => {
    const token = await request('New@Example.com'.toLowerCase());
    expect((await post('/auth/email/change/confirm', { token })).status).toBe(204);
    expect((await world.call('GET', '/me', { token: ada.accessToken })).body.email).toBe('new@example.com');
    expect((await login('new@example.com', ada.password)).status).toBe(200);
    expect((await login(ada.email, ada.password)).status).toBe(401);
    expect((await post('/auth/email/change/confirm', { token })).status).toBe(401);
  });

  it('names newEmail in its rejections', async () => {
    const { status, body } = await post('/auth/email/change/request', { newEmail: 'nope' }, ada.accessToken);
    expect([status, body.error]).toEqual([400, 'ValidationError']);
    expect(body.issues).toEqual([{ path: 'newEmail', message: 'Email must be valid' }]);
  });

  it('only the newest token works, for 30 minutes', async () => {
    const first = await request('one@example.com');
    const second = await request('two@example.com');
    expect((await post('/auth/email/change/confirm', { token: first })).status).toBe(401);
    world.clock.advance(30 * MINUTE);
    expect((await post('/auth/email/change/confirm', { token: second })).status).toBe(401);
  });

  it('is rejected for a taken address with the same response; its owner is told', async () => {
    const bob = await world.signUp('bob@example.com');
    const taken = await post('/auth/email/change/request', { newEmail: bob.email }, ada.accessToken);
    const free = await post('/auth/email/change/request', { newEmail: 'free@example.com' }, ada.accessToken);
    expect(taken).toMatchObject({ status: 200, body: free.body });
    const mail = await world.mailTo(bob.email);
    expect([mail.subject, mail.token]).toEqual(['Someone asked to use your address', undefined]);
  });

  it('fails when the address was taken meanwhile', async () => {
    const token = await request('wanted@example.com');
    await world.signUp('wanted@example.com');
    expect((await post('/auth/email/change/confirm', { token })).status).toBe(401);
  });

  it('is cancelled by the link in the old mailbox', async () => {
    const token = await request('new@example.com');
    expect((await post('/auth/email/change/revert', { token: keepToken() })).status).toBe(204);
    expect((await post('/auth/email/change/confirm', { token })).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(200);
  });

  it('is undone by that link for 7 days after, ending all sessions and what was mailed to the new address', async () => {
    const token = await request('new@example.com');
    await world.untilIdle();
    const keep = keepToken();
    await post('/auth/email/change/confirm', { token });
    await post('/auth/password/reset/request', { email: 'new@example.com' });
    const { token: reset } = await world.mailTo('new@example.com');
    await post('/auth/login/code', { email: 'new@example.com' });
    world.clock.advance(10 * MINUTE);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(204);
    expect(await me(ada.accessToken)).toBe(401);
    expect(
      (await post('/auth/password/reset/confirm', { token: reset, newPassword: 'new password' })).status,
    ).toBe(401);
    expect(mailsListed('new@example.com')).toEqual([]);
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(401);
  });

  it('cannot be undone after 7 days', async () => {
    const token = await request('new@example.com');
    const keep = keepToken();
    await post('/auth/email/change/confirm', { token });
    world.clock.advance(7 * DAY);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(401);
  });

  it('is undone from the first address, however often it has changed since, and whatever the newer ones undo', async () => {
    const keeps: string[] = [];
    let from = ada.email;
    for (const to of ['b@example.com', 'c@example.com']) {
      const token = await request(to);
      keeps.push((await world.mailTo(from)).token ?? '');
      expect((await post('/auth/email/change/confirm', { token })).status).toBe(204);
      world.clock.advance(1);
      from = to;
    }
    const [first, second] = keeps;
    expect((await post('/auth/email/change/revert', { token: second })).status).toBe(204);
    expect((await login('b@example.com', ada.password)).status).toBe(200);
    expect((await post('/auth/email/change/revert', { token: first })).status).toBe(204);
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect((await login('b@example.com', ada.password)).status).toBe(401);
  });

  it('undone from the first address, stays so: no newer address has a say any more', async () => {
    const first = await request('thief@example.com');
    const keep = keepToken();
    expect((await post('/auth/email/change/confirm', { token: first })).status).toBe(204);
    world.clock.advance(SECOND);
    const second = await request('thief@example.org');
    const { token: thiefsKeep } = await world.mailTo('thief@example.com');
    expect((await post('/auth/email/change/confirm', { token: second })).status).toBe(204);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(204);
    expect((await post('/auth/email/change/revert', { token: thiefsKeep })).status).toBe(401);
    expect((await login(ada.email, ada.password)).status).toBe(200);
  });

  it('undone, leaves no way to sign in that was added since it was asked for, save those of others', async () => {
    const bob = await world.signUp('bob@example.com');
    const added = (provider: 'google' | 'telegram', { id } = ada) =>
      world.deps.write((tx) => insertIdentity(tx, id, provider, `subject of ${id}`, world.clock.now()));
    await added('google');
    world.clock.advance(8 * DAY);
    await signInAgain();
    const token = await request('thief@example.com');
    const keep = keepToken();
    await post('/auth/email/change/confirm', { token });
    await added('telegram');
    await added('telegram', bob);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(204);
    const { accessToken } = (await login(ada.email, ada.password)).body;
    const { body } = await world.call('GET', '/me', { token: accessToken });
    expect(body).toMatchObject({ email: ada.email, googleLinked: true, telegramLinked: false });
    const his = await world.call('GET', '/me', {
      token: (await login(bob.email, bob.password)).body.accessToken,
    });
    expect(his.body.telegramLinked).toBe(true);
  });

  it('undone, leaves nothing that was added in the 7 days before it was asked for', async () => {
    world.clock.advance(DAY);
    await signInAgain();
    const at = toInstant(world.clock.now());
    const bare = { password_hash: null, password_set_at: null };
    await world.deps.write((tx) => updateUser(tx, ada.id, at, bare));
    await link('google');
    world.clock.advance(MINUTE);
    await link('telegram');
    const newPassword = 'password of the thief';
    expect((await post('/me/password', { newPassword }, ada.accessToken)).status).toBe(204);
    world.clock.advance(7 * DAY - SECOND);
    await signInAgain(ada.email, newPassword);
    const keep = await move(ada.email, 'thief@example.com');
    expect(await keepBy(keep)).toBe(204);
    expect((await login(ada.email, newPassword)).status).toBe(401);
    expect(ways()).toEqual(['google']);
  });

  it('undone, leaves what the sign-up brought, though it is not 7 days old', async () => {
    await link('google');
    const at = toInstant(world.clock.now());
    await world.deps.write((tx) =>
      tx.run(query.updateTable('users').set({ created_at: at, password_set_at: at })),
    );
    world.clock.advance(DAY);
    await signInAgain();
    const keep = await move(ada.email, 'thief@example.com');
    expect(await keepBy(keep)).toBe(204);
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect(ways()).toEqual(['google']);
  });

  it('undone, tells the owner what does not sign in any more', async () => {
    const keep = await move(ada.email, 'thief@example.com');
    await link('google');
    await link('telegram');
    await resetPassword('thief@example.com', 'password of the thief');
    await world.untilIdle();
    const before = world.mails.length;
    expect(await keepBy(keep)).toBe(204);
    await world.untilIdle();
    expect(
      world.mails
        .slice(before)
        .map(({ to, subject }) => `${to}: ${subject}`)
        .toSorted(),
    ).toEqual([
      'ada@example.com: Google was removed as a way to sign in',
      'ada@example.com: Telegram was removed as a way to sign in',
      'ada@example.com: Your password was removed',
    ]);
  });

  it('undone, leaves no password that was set since it was asked for: the owner sets one by mail', async () => {
    const token = await request('thief@example.com');
    const keep = keepToken();
    await post('/auth/email/change/confirm', { token });
    await post('/auth/password/reset/request', { email: 'thief@example.com' });
    const { token: stolen } = await world.mailTo('thief@example.com');
    const reset = (token: string | undefined, newPassword: string) =>
      post('/auth/password/reset/confirm', { token, newPassword });
    expect((await reset(stolen, 'password of the thief')).status).toBe(204);
    expect((await login('thief@example.com', 'password of the thief')).status).toBe(200);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(204);
    for (const email of [ada.email, 'thief@example.com']) {
      expect((await login(email, 'password of the thief')).status).toBe(401);
    }
    expect(findUser(world.deps.read, ada.id)).toMatchObject({ password_hash: null, password_set_at: null });
    await post('/auth/password/reset/request', { email: ada.email });
    expect((await reset((await world.mailTo(ada.email)).token, 'password of the owner')).status).toBe(204);
    expect((await login(ada.email, 'password of the owner')).status).toBe(200);
  });

  it('is undone though the address came back: no session, password or link of the thief is left', async () => {
    const { keep, thiefs } = await stealAndBringBack();
    expect(await keepBy(keep)).toBe(204);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await login(ada.email, 'password of the thief')).status).toBe(401);
    expect(findUser(world.deps.read, ada.id)).toMatchObject({ email: ada.email, password_hash: null });
    expect(await keepBy(thiefs)).toBe(401);
    expect(await keepBy(keep)).toBe(401);
    await resetPassword(ada.email, 'password of the owner');
    expect((await login(ada.email, 'password of the owner')).status).toBe(200);
  });

  it('is undone though the address came back, also once an account of the address between is deleted', async () => {
    const { keep } = await stealAndBringBack();
    const { accessToken: token, password } = await world.signUp('thief@example.com');
    expect((await world.call('DELETE', '/auth/me', { token, body: { password } })).status).toBe(204);
    expect(await keepBy(keep)).toBe(204);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await login(ada.email, 'password of the thief')).status).toBe(401);
  });

  it('is undone though the address came back by the newest link as well, whatever that was to cancel', async () => {
    const { keep } = await stealAndBringBack();
    const token = await request('thief@example.org');
    expect(await keepBy(keepToken())).toBe(204);
    expect((await confirm(token)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await login(ada.email, 'password of the thief')).status).toBe(401);
    expect(await keepBy(keep)).toBe(401);
  });

  it('that brings an address back ends the say of those between, and of none before', async () => {
    const first = await move(ada.email, 'b@example.com');
    const second = await move('b@example.com', 'c@example.com');
    const third = await move('c@example.com', 'b@example.com');
    expect(await keepBy(third)).toBe(401);
    expect(await keepBy(second)).toBe(204);
    expect(findUser(world.deps.read, ada.id)?.email).toBe('b@example.com');
    expect(await keepBy(first)).toBe(204);
    expect(findUser(world.deps.read, ada.id)?.email).toBe(ada.email);
  });

  it('is undone to before it was first asked for, by whichever link, of those that are not 7 days old', async () => {
    const cases = [
      { wait: MINUTE, by: 0, left: [] },
      { wait: MINUTE, by: 1, left: [] },
      { wait: 6 * DAY, by: 1, left: ['google'] },
    ];
    for (const { wait, by, left } of cases) {
      await world.deps.write((tx) => tx.run(query.deleteFrom('identities')));
      await link('google');
      world.clock.advance(6 * DAY);
      await signInAgain();
      await request('one@example.com');
      const first = keepToken();
      world.clock.advance(MINUTE);
      await link('telegram');
      world.clock.advance(wait);
      await signInAgain();
      const newest = await move(ada.email, 'two@example.com');
      world.clock.advance(DAY);
      const links = [first, newest];
      expect(await keepBy(links[by] ?? '')).toBe(204);
      expect(ways()).toEqual(left);
      expect(await keepBy(links[1 - by] ?? '')).toBe(401);
      await signInAgain();
    }
  });

  it('cancelled, ends no session and takes nothing away, however often it was asked for or made before', async () => {
    const former = await move(ada.email, 'b@example.com');
    await request('c@example.com');
    const first = keepToken('b@example.com');
    world.clock.advance(MINUTE);
    await link('google');
    await resetPassword('b@example.com', 'password2');
    await signInAgain('b@example.com', 'password2');
    const token = await request('d@example.com');
    expect(await keepBy(keepToken('b@example.com'))).toBe(204);
    expect(await keepBy(first)).toBe(204);
    expect((await confirm(token)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(200);
    expect((await login('b@example.com', 'password2')).status).toBe(200);
    expect(ways()).toEqual(['google']);
    expect(await keepBy(former)).toBe(204);
    expect(ways()).toEqual([]);
  });

  it('cancelled, ends no session either where a reset was asked for before', async () => {
    await post('/auth/password/reset/request', { email: ada.email });
    world.clock.advance(MINUTE);
    await request('new@example.com');
    expect(await keepBy(keepToken())).toBe(204);
    expect(await me(ada.accessToken)).toBe(200);
  });

  it('cancelled, ends no session either where another account had that address and left it', async () => {
    const address = ada.email;
    await move(address, 'moved@example.com');
    world.clock.advance(MINUTE);
    const bob = await world.signUp(address, 'Bob');
    await post('/auth/email/change/request', { newEmail: 'b@example.com' }, bob.accessToken);
    await world.untilIdle();
    expect(await keepBy(keepToken(address))).toBe(204);
    expect(await me(bob.accessToken)).toBe(200);
  });

  it('undone, leaves the password that was set before, also where its hash was renewed since, and says nothing of it', async () => {
    const token = await request('new@example.com');
    const keep = keepToken();
    await post('/auth/email/change/confirm', { token });
    await world.deps.write((tx) => {
      const { password_hash } = findUser(tx, ada.id) ?? {};
      updateUser(tx, ada.id, '2026-03-27T10:30:00.000Z', { password_hash: password_hash ?? null });
    });
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(204);
    expect((await login(ada.email, ada.password)).status).toBe(200);
    expect(mailsListed(ada.email).map(({ kind }) => kind)).not.toContain('password-removed');
  });

  it('cannot be undone once the old address has an account of its own, which stays as it is', async () => {
    const token = await request('new@example.com');
    const keep = keepToken();
    await post('/auth/email/change/confirm', { token });
    const other = await world.signUp(ada.email, 'Other');
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(401);
    expect((await login('new@example.com', ada.password)).body.user.id).toBe(ada.id);
    expect((await login(ada.email, other.password)).body.user.id).toBe(other.id);
  });

  it('can be undone after all once that other account has another address, or is deleted', async () => {
    const other = await world.signUp('other@example.com');
    const takeOver = async (newEmail: string) => {
      await post('/auth/email/change/request', { newEmail }, other.accessToken);
      expect((await confirm((await world.mailTo(newEmail)).token ?? '')).status).toBe(204);
    };
    const endings = [
      () => takeOver('other@example.org'),
      () =>
        world.call('DELETE', '/auth/me', { token: other.accessToken, body: { password: other.password } }),
    ];
    for (const end of endings) {
      const keep = await move(ada.email, 'thief@example.com');
      await takeOver(ada.email);
      expect(await keepBy(keep)).toBe(401);
      await end();
      expect(await keepBy(keep)).toBe(204);
      await signInAgain();
      expect(await me(ada.accessToken)).toBe(200);
    }
  });

  it('goes to one of two who want the same address', async () => {
    const bob = await world.signUp('bob@example.com');
    const mine = await request('wanted@example.com');
    await post('/auth/email/change/request', { newEmail: 'wanted@example.com' }, bob.accessToken);
    const { token: his } = await world.mailTo('wanted@example.com');
    const outcomes = await Promise.all(
      [mine, his].map((token) => post('/auth/email/change/confirm', { token })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  it('leaves no sign-up of its address pending, made or undone, also once the account moves on', async () => {
    const pending = async (email: string) => {
      await post('/auth/register', { email, password: 'password of Mallory', name: 'Mallory' });
      return (await world.mailTo(email)).token;
    };
    const first = await pending('new@example.com');
    const token = await request('new@example.com');
    const keep = keepToken();
    expect((await post('/auth/email/change/confirm', { token })).status).toBe(204);
    const second = await pending(ada.email);
    expect((await post('/auth/email/change/revert', { token: keep })).status).toBe(204);
    ada.accessToken = (await login(ada.email, ada.password)).body.accessToken;
    const onwards = await request('newer@example.com');
    expect((await post('/auth/email/change/confirm', { token: onwards })).status).toBe(204);
    for (const token of [first, second]) {
      expect((await post('/auth/register/confirm', { token })).status).toBe(401);
    }
  });

  it('kills what was mailed to the old address', async () => {
    await post('/auth/password/reset/request', { email: ada.email });
    const { token: reset } = await world.mailTo(ada.email);
    await post('/auth/login/code', { email: ada.email });
    const { code } = await world.mailTo(ada.email);
    const token = await request('new@example.com');
    await post('/auth/email/change/confirm', { token });
    expect(
      (await post('/auth/password/reset/confirm', { token: reset, newPassword: 'new password' })).status,
    ).toBe(401);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code })).status).toBe(401);
    expect((await post('/auth/login/code/confirm', { email: 'new@example.com', code })).status).toBe(401);
    expect(mailsListed(ada.email).map(({ kind }) => kind)).toEqual(['email-keep']);
    expect((await post('/auth/email/change/revert', { token: keepToken() })).status).toBe(204);
    expect((await post('/auth/login/code/confirm', { email: ada.email, code })).status).toBe(401);
  });
});

describe('me', () => {
  it('is read and renamed', async () => {
    const { body } = await world.call('GET', '/me', { token: ada.accessToken });
    expect(body).toEqual({
      id: ada.id,
      email: 'ada@example.com',
      name: 'Ada',
      isEmailVerified: true,
      hasPassword: true,
      googleLinked: false,
      telegramLinked: false,
      timezone: null,
      weekStart: 'monday',
      preferences: {},
      createdAt: '2026-03-27T10:00:00.000Z',
    });
    const renamed = await world.call('PATCH', '/me', { token: ada.accessToken, body: { name: '  Ada L ' } });
    expect(renamed.body.name).toBe('Ada L');
    expect((await world.call('PATCH', '/me', { token: ada.accessToken, body: {} })).body.name).toBe('Ada L');
    for (const name of [null, '', ' ', 'x'.repeat(201), '🐚'.repeat(101), 'a\nb', 5]) {
      expect((await world.call('PATCH', '/me', { token: ada.accessToken, body: { name } })).status).toBe(400);
    }
  });

  it('changes the password by the current one and ends the other sessions', async () => {
    const other = (await login(ada.email, ada.password)).body;
    const change = (body: unknown) => post('/me/password', body, ada.accessToken);
    expect((await change({ newPassword: 'new password' })).body.issues[0].path).toBe('currentPassword');
    expect((await change({ currentPassword: 'wrong one', newPassword: 'new password' })).status).toBe(403);
    expect((await change({ currentPassword: ada.password, newPassword: 'short' })).status).toBe(400);
    expect((await change({ currentPassword: ada.password, newPassword: 'new password' })).status).toBe(204);
    expect([await me(ada.accessToken), await me(other.accessToken)]).toEqual([200, 401]);
    expect((await login(ada.email, 'new password')).status).toBe(200);
  });
});

describe('an account without a password', () => {
  it('sets one by nothing but a session, which is told to the owner and ends the others', async () => {
    await withoutPassword('nopass@example.com');
    const enter = async () => {
      await post('/auth/login/code', { email: 'nopass@example.com' });
      const { code } = await world.mailTo('nopass@example.com');
      return (await post('/auth/login/code/confirm', { email: 'nopass@example.com', code })).body;
    };
    const [here, elsewhere] = [await enter(), await enter()];
    const set = (body: object) => post('/me/password', body, here.accessToken);
    expect((await set({ newPassword: 'short' })).status).toBe(400);
    expect((await set({ newPassword: 'password1' })).status).toBe(204);
    expect((await world.mailTo('nopass@example.com')).subject).toBe('Your password was changed');
    expect([await me(here.accessToken), await me(elsewhere.accessToken)]).toEqual([200, 401]);
    expect((await login('nopass@example.com', 'password1')).status).toBe(200);
    expect((await set({ newPassword: 'password2' })).body.issues[0].path).toBe('currentPassword');
  });
});

describe('one address', () => {
  const spellings = ['ada@example.com', 'ADA@EXAMPLE.COM', 'Ada@Example.Com'];
  const others = ['ada+x@example.com', 'a.da@example.com', 'ada@sub.example.com'];

  it('is the same in every spelling, for every flow', async () => {
    for (const email of spellings) {
      expect((await login(email, ada.password)).body.user?.email).toBe('ada@example.com');
      await post('/auth/login/code', { email });
      const { code } = await world.mailTo('ada@example.com');
      expect((await post('/auth/login/code/confirm', { email, code })).status).toBe(200);
      await post('/auth/register', { email, password: 'password1', name: 'Eve' });
      expect((await world.mailTo('ada@example.com')).subject).toBe('You already have an account');
      await post('/auth/email/change/request', { newEmail: email }, ada.accessToken);
      await world.untilIdle();
      expect(world.mails.some(({ subject }) => subject === 'Confirm your new e-mail address')).toBe(false);
      await post('/auth/password/reset/request', { email });
      expect((await world.mailTo('ada@example.com')).subject).toBe('Reset your password');
    }
  });

  it('is none but itself: neither sub-address nor dots are folded', async () => {
    for (const email of others) {
      expect((await login(email, ada.password)).status).toBe(401);
      expect((await world.signUp(email)).id).not.toBe(ada.id);
    }
  });

  it('has at most 64 characters before its @', async () => {
    const signUp = async (email: string) =>
      (await post('/auth/register', { email, password: 'password1', name: 'L' })).status;
    expect(await signUp(`${'x'.repeat(64)}@example.com`)).toBe(201);
    expect(await signUp(`${'x'.repeat(65)}@example.com`)).toBe(400);
  });

  it('has no second form by dots or blanks around it', async () => {
    for (const email of [
      'ada@example.com.',
      '.ada@example.com',
      'ada.@example.com',
      ' ada@example.com',
      'ada@example.com ',
      'ada@example..com',
      'ada@@example.com',
    ]) {
      expect([email, (await login(email, ada.password)).status]).toEqual([email, 400]);
      expect((await post('/auth/login/code', { email })).status).toBe(400);
    }
  });
});

describe('a mail that carries what a newer one replaces', () => {
  it('goes out all the same, as every mail that was promised', async () => {
    const atOnce = (times: number, path: string, body: unknown, token?: string) =>
      Promise.all(Array.from({ length: times }, () => post(path, body, token)));
    const home = (await world.call('GET', '/me/workspaces', { token: ada.accessToken })).body.items[0].id;
    world.mails.length = 0;
    await atOnce(2, '/auth/login/code', { email: ada.email });
    await atOnce(4, '/auth/password/reset/request', { email: ada.email });
    await atOnce(2, '/auth/email/change/request', { newEmail: 'new@example.com' }, ada.accessToken);
    await atOnce(6, '/auth/register', { email: 'eve@example.com', password: 'long enough', name: 'Eve' });
    const invited = { email: 'bob@example.com', role: 'member' };
    await atOnce(2, `/workspaces/${home}/invitations`, invited, ada.accessToken);
    await world.untilIdle();
    const sent: Record<string, number> = {};
    for (const { to, subject } of world.mails)
      sent[`${to}: ${subject}`] = (sent[`${to}: ${subject}`] ?? 0) + 1;
    expect(sent).toEqual({
      'ada@example.com: Your sign-in code': 2,
      'ada@example.com: Reset your password': 4,
      'ada@example.com: Your e-mail address is about to change': 2,
      'new@example.com: Confirm your new e-mail address': 2,
      'eve@example.com: Confirm your e-mail address': 5,
      'eve@example.com: Use an earlier mail to confirm your address': 1,
      'bob@example.com: You are invited to a workspace': 2,
    });
  });
});

describe('what a mail carries', () => {
  const NEW = 'new@example.com';
  const change = () => post('/auth/email/change/request', { newEmail: NEW }, ada.accessToken);
  type Flow = [
    kind: string,
    lifeMs: number,
    to: string,
    ask: () => Promise<TestResponse>,
    path: string,
    more?: object,
  ];
  const FLOWS: Flow[] = [
    [
      'confirm-signup',
      DAY,
      NEW,
      () => post('/auth/register', { email: NEW, password: 'password1', name: 'New' }),
      '/auth/register/confirm',
    ],
    [
      'login-code',
      10 * MINUTE,
      'ada@example.com',
      () => post('/auth/login/code', { email: ada.email }),
      '/auth/login/code/confirm',
      { email: 'ada@example.com' },
    ],
    [
      'password-reset',
      30 * MINUTE,
      'ada@example.com',
      () => post('/auth/password/reset/request', { email: ada.email }),
      '/auth/password/reset/confirm',
      { newPassword: 'new password' },
    ],
    ['email-change', 30 * MINUTE, NEW, change, '/auth/email/change/confirm'],
    ['email-keep', 7 * DAY, 'ada@example.com', change, '/auth/email/change/revert'],
  ];

  it.each(FLOWS)('%s: works to its last millisecond, and then its mail goes with it', async (...flow) => {
    const [kind, lifeMs, to, ask, path, more] = flow;
    await ask();
    const { token, code } = await world.mailTo(to);
    const listed = () => listMails(world.deps.read).filter((mail) => mail.kind === kind);
    expect(listed()).toMatchObject([{ to, expiresAt: toInstant(world.clock.now() + lifeMs) }]);
    world.clock.advance(lifeMs - 1);
    expect((await post(path, { token, code, ...more })).status).toBeLessThan(300);
    expect(listed()).toEqual([]);
  });

  it('does nothing elsewhere, nor do tokens of a session here, and is not spent by trying', async () => {
    const tokens = new Map<string, string>();
    for (const [kind, , to, ask, path] of FLOWS) {
      if (kind === 'login-code') continue;
      if (kind !== 'email-keep') await ask();
      tokens.set((await world.mailTo(to)).token ?? '', path);
    }
    const kept = () =>
      (['pending_signups', 'email_tokens'] as const).map((table) =>
        world.deps.read.all(query.selectFrom(table).select('id')),
      );
    const before = kept();
    expect(before.map(({ length }) => length)).toEqual([1, 3]);
    for (const path of tokens.values()) {
      for (const token of [...tokens.keys(), ada.accessToken, ada.refreshToken]) {
        if (tokens.get(token) === path) continue;
        expect((await post(path, { token, newPassword: 'new password' })).status).toBe(401);
      }
    }
    for (const token of tokens.keys()) {
      expect([(await post('/auth/refresh', { refreshToken: token })).status, await me(token)]).toEqual([
        401, 401,
      ]);
    }
    expect(kept()).toEqual(before);
  });
});

describe('mailed links', () => {
  it('lead to server.public_url, whatever the request says of its host', async () => {
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example',
    };
    const asked: [string, object][] = [
      ['/auth/register', { email: 'new@example.com', password: 'password1', name: 'New' }],
      ['/auth/password/reset/request', { email: ada.email }],
      ['/auth/email/change/request', { newEmail: 'other@example.com' }],
    ];
    for (const [path, body] of asked) {
      const response = await world.app.request(`http://evil.example/api${path}`, {
        method: 'POST',
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          Authorization: `Bearer ${ada.accessToken}`,
        },
        body: JSON.stringify(body),
      });
      expect(response.status).toBeLessThan(300);
    }
    await world.untilIdle();
    const links = world.mails.flatMap(({ link }) => link ?? []);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect(link).toMatch(/^http:\/\/localhost:8080\/[a-z-]+#token=/);
    expect(JSON.stringify(world.mails)).not.toContain('evil');
  });
});

describe('the data folder', () => {
  it('holds no secret that could be read, also where sent mails are kept', async () => {
    await world.close();
    const mails: Letter[] = [];
    world = await openWorld({ transport: { ...collecting(mails), erasesTaken: false } });
    const mailed = async () => {
      await world.untilIdle();
      return mails.at(-1)?.token ?? mails.at(-1)?.code ?? '';
    };
    const email = 'ada@example.com';
    const secrets = ['the first password', 'the second password', 'another password'];
    const [first, second, offered] = secrets;
    await post('/auth/register', { email, password: offered, name: 'Ada' });
    secrets.push(await mailed());
    await post('/auth/register', { email, password: first, name: 'Ada' });
    secrets.push(await mailed());
    const signedUp = (await post('/auth/register/confirm', { token: secrets.at(-1) })).body;
    const rotated = (await post('/auth/refresh', { refreshToken: signedUp.refreshToken })).body;
    await post('/auth/password/reset/request', { email });
    secrets.push(await mailed());
    await post('/auth/password/reset/confirm', { token: secrets.at(-1), newPassword: second });
    const again = (await login(email, second ?? '')).body;
    await post('/auth/email/change/request', { newEmail: 'new@example.com' }, again.accessToken);
    await post('/auth/password/reset/request', { email });
    await world.untilIdle();
    await post('/auth/login/code', { email });
    const code = await mailed();
    for (const { token } of mails) if (token) secrets.push(token);
    for (const pair of [signedUp, rotated, again]) secrets.push(pair.accessToken, pair.refreshToken);
    expect(secrets.every((secret) => secret.length > 10)).toBe(true);
    const files = readdirSync(world.folder).filter((name) => name !== 'keys.json');
    expect(files).toContain('errand.db-wal');
    for (const file of files) {
      const bytes = readFileSync(join(world.folder, file));
      for (const secret of [...secrets, `Code: ${code}`])
        expect([file, secret, bytes.includes(secret)]).toEqual([file, secret, false]);
    }
  });
});

describe('what time makes worthless', () => {
  const TABLES = [
    'sessions',
    'refresh_tokens',
    'known_addresses',
    'pending_signups',
    'signup_attempts',
    'login_codes',
    'email_tokens',
    'budgets',
    'outbox',
  ];
  const rows = () =>
    Object.fromEntries(
      TABLES.map((table) => [
        table,
        world.opened.storage.writing.prepare(`select count(*) as n from ${table}`).pluck().get(),
      ]),
    );

  it('is purged, however much it is, and nothing else', async () => {
    await world.close();
    world = await openWorld({ settings: { rate_limits: { enabled: true, auth_burst: 100_000 } } });
    ada = await world.signUp('ada@example.com');
    const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));
    world.opened.storage.writing
      .prepare(
        `insert into pending_signups
         select value, 'p@example.com', 'P', null, null, null, value, '2026', '2026-01-01', null from json_each(?)`,
      )
      .run(numbers(2_500));
    await post('/auth/register', { email: 'new@example.com', password: 'password1', name: 'New' });
    await post('/auth/login/code', { email: ada.email });
    await post('/auth/password/reset/request', { email: ada.email });
    await post('/auth/email/change/request', { newEmail: 'other@example.com' }, ada.accessToken);
    await login(ada.email, 'wrong password');
    await post('/auth/refresh', { refreshToken: ada.refreshToken });
    await world.untilIdle();
    const { pending_signups: pending, budgets, ...full } = rows();
    world.opened.storage.writing
      .prepare(`insert into budgets select 'full' || value, ? from json_each(?)`)
      .run(world.clock.now() - 1, numbers(5_500));
    await purgeExpired(world.deps);
    expect(rows()).toEqual({ ...full, budgets, pending_signups: Number(pending) - 2_500 });
    world.clock.advance(40 * DAY);
    await purgeExpired(world.deps);
    await purgeExpired(world.deps);
    expect(Object.values(rows())).toEqual(TABLES.map(() => 0));
  });
});

describe('single-use secrets', () => {
  const FIFTY = Array.from({ length: 50 });
  const winners = async (use: () => Promise<{ status: number }>) => {
    const statuses = (await Promise.all(FIFTY.map(use))).map(({ status }) => status);
    const winning = statuses.filter((status) => status < 300).length;
    expect(statuses.filter((status) => status === 401).length).toBe(FIFTY.length - winning);
    return winning;
  };

  it('of every kind are spent by exactly one of 50 parallel uses, round after round', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = `round${round}@example.com`;
      await post('/auth/register', { email, password: 'password1', name: 'Round' });
      const { token: signup } = await world.mailTo(email);
      expect(await winners(() => post('/auth/register/confirm', { token: signup }))).toBe(1);

      await post('/auth/login/code', { email });
      const { code } = await world.mailTo(email);
      expect(await winners(() => post('/auth/login/code/confirm', { email, code }))).toBe(1);

      await post('/auth/password/reset/request', { email });
      const { token: reset } = await world.mailTo(email);
      expect(
        await winners(() => post('/auth/password/reset/confirm', { token: reset, newPassword: 'password2' })),
      ).toBe(1);

      const { accessToken } = (await login(email, 'password2')).body;
      await post('/auth/email/change/request', { newEmail: `new-${email}` }, accessToken);
      const { token: change } = await world.mailTo(`new-${email}`);
      const { token: keep } = await world.mailTo(email);
      expect(await winners(() => post('/auth/email/change/confirm', { token: change }))).toBe(1);
      expect(await winners(() => post('/auth/email/change/revert', { token: keep }))).toBe(1);
    }
  });
});
