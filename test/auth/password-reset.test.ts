import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { ada, openAda, useAda, world } from '../ada.ts';
import { withoutPassword } from '../people.ts';
import {
  askForEmail,
  codeTo,
  confirmCode,
  confirmEmail,
  confirmReset,
  confirmSignup,
  logIn,
  me,
  post,
  register,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';
import { quickPasswords } from '../world.ts';

useAda();
const mailsListed = (to: string) => listMails(world.deps.read).filter((mail) => mail.to === to);
const issuesOf = (body: { issues: { path: string; message: string }[] }) => body.issues;

describe('password reset', () => {
  it('sets the new password, ends all sessions, tells the owner', async () => {
    const token = await resetTokenTo(ada.email);
    const { status, body } = await confirmReset(token);
    expect([status, body]).toEqual([204, undefined]);
    expect(await me(ada.accessToken)).toBe(401);
    expect((await post('/auth/refresh', { refreshToken: ada.refreshToken })).status).toBe(401);
    expect((await logIn(ada.email, ada.password)).status).toBe(401);
    expect((await logIn(ada.email, 'new password')).status).toBe(200);
    expect((await world.mailTo(ada.email)).subject).toBe('Your password was changed');
    expect((await confirmReset(token, 'newer password')).status).toBe(401);
  });

  it('does not burn the token on a weak password', async () => {
    const token = await resetTokenTo(ada.email);
    const weak = await confirmReset(token, 'short');
    expect(weak.status).toBe(400);
    expect(issuesOf(weak.body)).toEqual([
      { path: 'newPassword', message: 'Password must be at least 8 characters' },
    ]);
    expect((await confirmReset(token, 'long enough')).status).toBe(204);
  });

  it('expires after 30 minutes; three are live at most, and all die at the first success', async () => {
    const tokens = [];
    for (let i = 0; i < 4; i += 1) {
      tokens.push(await resetTokenTo(ada.email));
      world.clock.advance(SECOND);
    }
    expect((await confirmReset(tokens[0])).status).toBe(401);
    expect((await confirmReset(tokens[1])).status).toBe(204);
    expect((await confirmReset(tokens[2])).status).toBe(401);
    expect((await confirmReset(tokens[3])).status).toBe(401);
    const late = await resetTokenTo(ada.email);
    world.clock.advance(30 * MINUTE);
    expect((await confirmReset(late)).status).toBe(401);
  });

  it('of two tokens with two passwords at once succeeds by one, whose password signs in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const passwords = [`first password ${round}`, `second password ${round}`];
      const tokens = [await resetTokenTo(ada.email), await resetTokenTo(ada.email)];
      const outcomes = await Promise.all(
        passwords.map((newPassword, i) => confirmReset(tokens[i], newPassword)),
      );
      const statuses = outcomes.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([204, 401]);
      for (const [i, password] of passwords.entries())
        expect((await logIn(ada.email, password)).status).toBe(statuses[i] === 204 ? 200 : 401);
    }
  });

  it('kills outstanding codes and e-mail changes', async () => {
    const token = await resetTokenTo(ada.email);
    const code = await codeTo(ada.email);
    await askForEmail(ada.accessToken, 'new@example.com');
    const change = await tokenTo('new@example.com');
    expect((await confirmReset(token)).status).toBe(204);
    expect(mailsListed('new@example.com')).toEqual([]);
    expect((await confirmCode(ada.email, code)).status).toBe(401);
    expect((await confirmEmail(change)).status).toBe(401);
  });

  it('costs no hash where the token does not work', async () => {
    let hashes = 0;
    const hash = (password: string) => {
      hashes += 1;
      return quickPasswords.hash(password);
    };
    await openAda({ passwords: { ...quickPasswords, hash } });
    await askForEmail(ada.accessToken, 'new@example.com');
    const keep = await tokenTo(ada.email);
    const spent = await resetTokenTo(ada.email);
    expect((await confirmReset(spent)).status).toBe(204);
    const late = await resetTokenTo(ada.email);
    world.clock.advance(30 * MINUTE);
    const live = await resetTokenTo(ada.email);
    const before = hashes;
    for (const token of ['unknown', spent, late, keep]) expect((await confirmReset(token)).status).toBe(401);
    expect(hashes).toBe(before);
    expect((await confirmReset(live)).status).toBe(204);
  });

  it('gives a password to an account without one', async () => {
    await withoutPassword(world, 'nopass@example.com');
    const token = await resetTokenTo('nopass@example.com');
    expect((await confirmReset(token, 'password1')).status).toBe(204);
    expect((await logIn('nopass@example.com', 'password1')).status).toBe(200);
  });

  it('comes to nothing for an address that has only asked for an account', async () => {
    await register('new@example.com', 'password1', 'New');
    const signup = await tokenTo('new@example.com');
    expect((await post('/auth/password/reset/request', { email: 'new@example.com' })).status).toBe(200);
    await world.untilIdle();
    expect(world.mails.filter(({ to }) => to === 'new@example.com').length).toBe(1);
    expect((await confirmSignup(signup)).status).toBe(201);
    expect((await logIn('new@example.com', 'password1')).status).toBe(200);
  });
});
