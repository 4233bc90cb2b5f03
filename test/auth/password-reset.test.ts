import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/auth/account/account.ts';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { openWorld, type Person, quickPasswords, type World } from '../world.ts';

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
