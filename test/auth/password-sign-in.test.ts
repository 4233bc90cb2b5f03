import { hash } from '@node-rs/argon2';
import { beforeEach, describe, expect, it } from 'vitest';
import { findUser, updateUser } from '../../src/storage/users.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { turns } from '../../src/users/turns.ts';
import { ada, openAda, openInstead, useAda, world } from '../ada.ts';
import { withoutPassword } from '../people.ts';
import { confirmReset, logIn, logInByCode, me, post, resetTokenTo } from '../sign-in.ts';
import { quickPasswords } from '../world.ts';

useAda();
const noRest = async () => {};

describe('sign-in by password', () => {
  it('returns tokens and user, whatever the case of the address', async () => {
    const { status, body } = await logIn('ADA@example.COM', ada.password);
    expect(status).toBe(200);
    expect(body.user).toEqual({ id: ada.id, email: 'ada@example.com', name: 'Ada', isEmailVerified: true });
    expect(await me(body.accessToken)).toBe(200);
  });

  it('rejects unknown address, wrong password and account without one alike', async () => {
    await withoutPassword(world, 'nopass@example.com');
    const responses = [
      await logIn('nobody@example.com', 'password1'),
      await logIn('ada@example.com', 'password1'),
      await logIn('nopass@example.com', 'password1'),
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
    meanwhile = async () => {};
    await openAda({
      passwords: {
        ...quickPasswords,
        verify: async (stored, offered) => {
          const matches = await quickPasswords.verify(stored, offered);
          await meanwhile();
          return matches;
        },
      },
    });
  });

  it('lets that request neither in nor change it back', async () => {
    for (const [newPassword, late] of [
      ['password2', () => logIn(ada.email, ada.password)],
      [
        'password3',
        (token: string) =>
          post('/me/password', { currentPassword: 'password2', newPassword: 'password4' }, token),
      ],
    ] as const) {
      const { accessToken } = (
        await logIn(ada.email, newPassword === 'password2' ? ada.password : 'password2')
      ).body;
      const token = await resetTokenTo(ada.email);
      meanwhile = async () => {
        meanwhile = async () => {};
        expect((await confirmReset(token, newPassword)).status).toBe(204);
      };
      expect((await late(accessToken)).status).toBe(401);
      expect((await logIn(ada.email, newPassword)).status).toBe(200);
    }
  });

  it('lets nobody in either when it went with its account', async () => {
    meanwhile = async () => {
      meanwhile = async () => {};
      const { password, accessToken: token } = ada;
      expect((await world.call('DELETE', '/auth/me', { token, body: { password } })).status).toBe(204);
    };
    const { status, body } = await logIn(ada.email, ada.password);
    expect([status, body]).toEqual([401, (await logIn('nobody@example.com', 'password1')).body]);
  });
});

describe('the hash of a password', () => {
  it('is argon2id as promised, and is renewed at a sign-in when it is weaker than that', async () => {
    await openInstead({ passwords: argon2Passwords() });
    const person = await world.signUp('hash@example.com');
    const stored = () => findUser(world.deps.read, person.id)?.password_hash ?? '';
    expect(stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const weak = await hash(person.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await world.deps.write((tx) =>
      updateUser(tx, person.id, '2026-03-27T10:00:00.000Z', { password_hash: weak }),
    );
    expect((await logIn(person.email, 'a wrong password')).status).toBe(401);
    expect(stored()).toBe(weak);
    expect((await logIn(person.email, person.password)).status).toBe(200);
    const renewed = stored();
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await logIn(person.email, person.password)).status).toBe(200);
    expect(stored()).toBe(renewed);
  });

  it('is renewed by sign-ins at the same time, and each of them is let in', async () => {
    await openInstead({ passwords: argon2Passwords() });
    const person = await world.signUp('hash@example.com');
    const weak = await hash(person.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await world.deps.write((tx) =>
      updateUser(tx, person.id, '2026-03-27T10:00:00.000Z', { password_hash: weak }),
    );
    const signIns = [1, 2].map(() => logIn(person.email, person.password));
    expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual([200, 200]);
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

describe('an account without a password', () => {
  it('sets one by nothing but a session, which is told to the owner and ends the others', async () => {
    await withoutPassword(world, 'nopass@example.com');
    const { body: here } = await logInByCode('nopass@example.com');
    const { body: elsewhere } = await logInByCode('nopass@example.com');
    const set = (body: object) => post('/me/password', body, here.accessToken);
    expect((await set({ newPassword: 'short' })).status).toBe(400);
    expect((await set({ newPassword: 'password1' })).status).toBe(204);
    expect((await world.mailTo('nopass@example.com')).subject).toBe('Your password was changed');
    expect([await me(here.accessToken), await me(elsewhere.accessToken)]).toEqual([200, 401]);
    expect((await logIn('nopass@example.com', 'password1')).status).toBe(200);
    expect((await set({ newPassword: 'password2' })).body.issues[0].path).toBe('currentPassword');
  });
});
