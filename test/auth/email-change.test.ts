import { beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { DAY, MINUTE, SECOND, toInstant } from '../../src/kernel/instants.ts';
import { insertIdentity } from '../../src/storage/identities.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { findUser, updateUser } from '../../src/storage/users.ts';
import { ada, useAda, world } from '../ada.ts';
import {
  askForEmail,
  codeTo,
  confirmCode,
  confirmEmail,
  confirmReset,
  confirmSignup,
  keepEmail,
  logIn,
  me,
  post,
  register,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';

useAda();
const mailsListed = (to: string) => listMails(world.deps.read).filter((mail) => mail.to === to);

describe('change of e-mail address', () => {
  const request = async (newEmail: string) => {
    expect((await askForEmail(ada.accessToken, newEmail)).status).toBe(200);
    return await tokenTo(newEmail);
  };
  beforeEach(() => world.clock.advance(1));
  const keepToken = (email = ada.email) =>
    world.mails.findLast(({ to, subject }) => to === email && /about to change/.test(subject))?.token ?? '';
  const keepBy = async (token: string) => (await keepEmail(token)).status;
  /** Moves Ada's account on, and returns the link that keeps the address it had. */
  const move = async (from: string, to: string) => {
    const token = await request(to);
    const keep = keepToken(from);
    expect((await confirmEmail(token)).status).toBe(204);
    world.clock.advance(SECOND);
    return keep;
  };
  const resetPassword = async (email: string, newPassword: string) => {
    const token = await resetTokenTo(email);
    expect((await confirmReset(token, newPassword)).status).toBe(204);
  };
  const signInAgain = async (email = ada.email, password = ada.password) => {
    ada.accessToken = (await logIn(email, password)).body.accessToken;
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
    for (const token of ['x', 'x'.repeat(10_000)]) expect((await confirmEmail(token)).status).toBe(401);
  });

  it('happens when the new address confirms; sessions live on', async () => {
    const token = await request('New@Example.com'.toLowerCase());
    expect((await confirmEmail(token)).status).toBe(204);
    expect((await world.call('GET', '/me', { token: ada.accessToken })).body.email).toBe('new@example.com');
    expect((await logIn('new@example.com', ada.password)).status).toBe(200);
    expect((await logIn(ada.email, ada.password)).status).toBe(401);
    expect((await confirmEmail(token)).status).toBe(401);
  });

  it('names newEmail in its rejections', async () => {
    const { status, body } = await askForEmail(ada.accessToken, 'nope');
    expect([status, body.error]).toEqual([400, 'ValidationError']);
    expect(body.issues).toEqual([{ path: 'newEmail', message: 'Email must be valid' }]);
  });

  it('only the newest token works, for 30 minutes', async () => {
    const first = await request('one@example.com');
    const second = await request('two@example.com');
    expect((await confirmEmail(first)).status).toBe(401);
    world.clock.advance(30 * MINUTE);
    expect((await confirmEmail(second)).status).toBe(401);
  });

  it('is rejected for a taken address with the same response; its owner is told', async () => {
    const bob = await world.signUp('bob@example.com');
    const taken = await askForEmail(ada.accessToken, bob.email);
    const free = await askForEmail(ada.accessToken, 'free@example.com');
    expect(taken).toMatchObject({ status: 200, body: free.body });
    const mail = await world.mailTo(bob.email);
    expect([mail.subject, mail.token]).toEqual(['Someone asked to use your address', undefined]);
  });

  it('is cancelled by the link in the old mailbox', async () => {
    const token = await request('new@example.com');
    expect((await keepEmail(keepToken())).status).toBe(204);
    expect((await confirmEmail(token)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(200);
  });

  it('is undone by that link for 7 days after, ending all sessions and what was mailed to the new address', async () => {
    const token = await request('new@example.com');
    await world.untilIdle();
    const keep = keepToken();
    await confirmEmail(token);
    const reset = await resetTokenTo('new@example.com');
    await post('/auth/login/code', { email: 'new@example.com' });
    world.clock.advance(10 * MINUTE);
    expect((await keepEmail(keep)).status).toBe(204);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await confirmReset(reset)).status).toBe(401);
    expect(mailsListed('new@example.com')).toEqual([]);
    expect((await logIn(ada.email, ada.password)).status).toBe(200);
    expect((await keepEmail(keep)).status).toBe(401);
  });

  it('cannot be undone after 7 days', async () => {
    const token = await request('new@example.com');
    const keep = keepToken();
    await confirmEmail(token);
    world.clock.advance(7 * DAY);
    expect((await keepEmail(keep)).status).toBe(401);
  });

  it('is undone from the first address, however often it has changed since, and whatever the newer ones undo', async () => {
    const keeps: string[] = [];
    let from = ada.email;
    for (const to of ['b@example.com', 'c@example.com']) {
      const token = await request(to);
      keeps.push(await tokenTo(from));
      expect((await confirmEmail(token)).status).toBe(204);
      world.clock.advance(1);
      from = to;
    }
    const [first, second] = keeps;
    expect((await keepEmail(second)).status).toBe(204);
    expect((await logIn('b@example.com', ada.password)).status).toBe(200);
    expect((await keepEmail(first)).status).toBe(204);
    expect((await logIn(ada.email, ada.password)).status).toBe(200);
    expect((await logIn('b@example.com', ada.password)).status).toBe(401);
  });

  it('undone from the first address, stays so: no newer address has a say any more', async () => {
    const first = await request('thief@example.com');
    const keep = keepToken();
    expect((await confirmEmail(first)).status).toBe(204);
    world.clock.advance(SECOND);
    const second = await request('thief@example.org');
    const thiefsKeep = await tokenTo('thief@example.com');
    expect((await confirmEmail(second)).status).toBe(204);
    expect((await keepEmail(keep)).status).toBe(204);
    expect((await keepEmail(thiefsKeep)).status).toBe(401);
    expect((await logIn(ada.email, ada.password)).status).toBe(200);
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
    await confirmEmail(token);
    await added('telegram');
    await added('telegram', bob);
    expect((await keepEmail(keep)).status).toBe(204);
    const { accessToken } = (await logIn(ada.email, ada.password)).body;
    const { body } = await world.call('GET', '/me', { token: accessToken });
    expect(body).toMatchObject({ email: ada.email, googleLinked: true, telegramLinked: false });
    const his = await world.call('GET', '/me', {
      token: (await logIn(bob.email, bob.password)).body.accessToken,
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
    expect((await logIn(ada.email, newPassword)).status).toBe(401);
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
    expect((await logIn(ada.email, ada.password)).status).toBe(200);
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
    await confirmEmail(token);
    const stolen = await resetTokenTo('thief@example.com');
    expect((await confirmReset(stolen, 'password of the thief')).status).toBe(204);
    expect((await logIn('thief@example.com', 'password of the thief')).status).toBe(200);
    expect((await keepEmail(keep)).status).toBe(204);
    for (const email of [ada.email, 'thief@example.com']) {
      expect((await logIn(email, 'password of the thief')).status).toBe(401);
    }
    expect(findUser(world.deps.read, ada.id)).toMatchObject({ password_hash: null, password_set_at: null });
    await post('/auth/password/reset/request', { email: ada.email });
    expect((await confirmReset(await tokenTo(ada.email), 'password of the owner')).status).toBe(204);
    expect((await logIn(ada.email, 'password of the owner')).status).toBe(200);
  });

  it('is undone though the address came back: no session, password or link of the thief is left', async () => {
    const { keep, thiefs } = await stealAndBringBack();
    expect(await keepBy(keep)).toBe(204);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await logIn(ada.email, 'password of the thief')).status).toBe(401);
    expect(findUser(world.deps.read, ada.id)).toMatchObject({ email: ada.email, password_hash: null });
    expect(await keepBy(thiefs)).toBe(401);
    expect(await keepBy(keep)).toBe(401);
    await resetPassword(ada.email, 'password of the owner');
    expect((await logIn(ada.email, 'password of the owner')).status).toBe(200);
  });

  it('is undone though the address came back, also once an account of the address between is deleted', async () => {
    const { keep } = await stealAndBringBack();
    const { accessToken: token, password } = await world.signUp('thief@example.com');
    expect((await world.call('DELETE', '/auth/me', { token, body: { password } })).status).toBe(204);
    expect(await keepBy(keep)).toBe(204);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await logIn(ada.email, 'password of the thief')).status).toBe(401);
  });

  it('is undone though the address came back by the newest link as well, whatever that was to cancel', async () => {
    const { keep } = await stealAndBringBack();
    const token = await request('thief@example.org');
    expect(await keepBy(keepToken())).toBe(204);
    expect((await confirmEmail(token)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await logIn(ada.email, 'password of the thief')).status).toBe(401);
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
    expect((await confirmEmail(token)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(200);
    expect((await logIn('b@example.com', 'password2')).status).toBe(200);
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
    await askForEmail(bob.accessToken, 'b@example.com');
    await world.untilIdle();
    expect(await keepBy(keepToken(address))).toBe(204);
    expect(await me(bob.accessToken)).toBe(200);
  });

  it('undone, leaves the password that was set before, also where its hash was renewed since, and says nothing of it', async () => {
    const token = await request('new@example.com');
    const keep = keepToken();
    await confirmEmail(token);
    await world.deps.write((tx) => {
      const { password_hash } = findUser(tx, ada.id) ?? {};
      updateUser(tx, ada.id, '2026-03-27T10:30:00.000Z', { password_hash: password_hash ?? null });
    });
    expect((await keepEmail(keep)).status).toBe(204);
    expect((await logIn(ada.email, ada.password)).status).toBe(200);
    expect(mailsListed(ada.email).map(({ kind }) => kind)).not.toContain('password-removed');
  });

  it('cannot be undone once the old address has an account of its own, which stays as it is', async () => {
    const token = await request('new@example.com');
    const keep = keepToken();
    await confirmEmail(token);
    const other = await world.signUp(ada.email, 'Other');
    expect((await keepEmail(keep)).status).toBe(401);
    expect((await logIn('new@example.com', ada.password)).body.user.id).toBe(ada.id);
    expect((await logIn(ada.email, other.password)).body.user.id).toBe(other.id);
  });

  it('can be undone after all once that other account has another address, or is deleted', async () => {
    const other = await world.signUp('other@example.com');
    const takeOver = async (newEmail: string) => {
      await askForEmail(other.accessToken, newEmail);
      expect((await confirmEmail(await tokenTo(newEmail))).status).toBe(204);
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
    await askForEmail(bob.accessToken, 'wanted@example.com');
    const his = await tokenTo('wanted@example.com');
    const outcomes = await Promise.all([mine, his].map((token) => confirmEmail(token)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  it('leaves no sign-up of its address pending, made or undone, also once the account moves on', async () => {
    const pending = async (email: string) => {
      await register(email, 'password of Mallory', 'Mallory');
      return await tokenTo(email);
    };
    const first = await pending('new@example.com');
    const token = await request('new@example.com');
    const keep = keepToken();
    expect((await confirmEmail(token)).status).toBe(204);
    const second = await pending(ada.email);
    expect((await keepEmail(keep)).status).toBe(204);
    ada.accessToken = (await logIn(ada.email, ada.password)).body.accessToken;
    const onwards = await request('newer@example.com');
    expect((await confirmEmail(onwards)).status).toBe(204);
    for (const token of [first, second]) {
      expect((await confirmSignup(token)).status).toBe(401);
    }
  });

  it('kills what was mailed to the old address', async () => {
    const reset = await resetTokenTo(ada.email);
    const code = await codeTo(ada.email);
    const token = await request('new@example.com');
    await confirmEmail(token);
    expect((await confirmReset(reset)).status).toBe(401);
    expect((await confirmCode(ada.email, code)).status).toBe(401);
    expect((await confirmCode('new@example.com', code)).status).toBe(401);
    expect(mailsListed(ada.email).map(({ kind }) => kind)).toEqual(['email-keep']);
    expect((await keepEmail(keepToken())).status).toBe(204);
    expect((await confirmCode(ada.email, code)).status).toBe(401);
  });
});
