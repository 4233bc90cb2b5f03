import { describe, expect, it } from 'vitest';
import { ada, useAda, world } from '../ada.ts';
import { askForEmail, codeTo, confirmCode, logIn, me, post, register } from '../sign-in.ts';

useAda();

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
    const other = (await logIn(ada.email, ada.password)).body;
    const change = (body: unknown) => post('/me/password', body, ada.accessToken);
    expect((await change({ newPassword: 'new password' })).body.issues[0].path).toBe('currentPassword');
    expect((await change({ currentPassword: 'wrong one', newPassword: 'new password' })).status).toBe(403);
    expect((await change({ currentPassword: ada.password, newPassword: 'short' })).status).toBe(400);
    expect((await change({ currentPassword: ada.password, newPassword: 'new password' })).status).toBe(204);
    expect([await me(ada.accessToken), await me(other.accessToken)]).toEqual([200, 401]);
    expect((await logIn(ada.email, 'new password')).status).toBe(200);
  });
});

describe('one address', () => {
  const spellings = ['ada@example.com', 'ADA@EXAMPLE.COM', 'Ada@Example.Com'];
  const others = ['ada+x@example.com', 'a.da@example.com', 'ada@sub.example.com'];

  it('is the same in every spelling, for every flow', async () => {
    for (const email of spellings) {
      expect((await logIn(email, ada.password)).body.user?.email).toBe('ada@example.com');
      const code = await codeTo(email);
      expect((await confirmCode(email, code)).status).toBe(200);
      await register(email, 'password1', 'Eve');
      expect((await world.mailTo('ada@example.com')).subject).toBe('You already have an account');
      await askForEmail(ada.accessToken, email);
      await world.untilIdle();
      expect(world.mails.some(({ subject }) => subject === 'Confirm your new e-mail address')).toBe(false);
      await post('/auth/password/reset/request', { email });
      expect((await world.mailTo('ada@example.com')).subject).toBe('Reset your password');
    }
  });

  it('is none but itself: neither sub-address nor dots are folded', async () => {
    for (const email of others) {
      expect((await logIn(email, ada.password)).status).toBe(401);
      expect((await world.signUp(email)).id).not.toBe(ada.id);
    }
  });

  it('has at most 64 characters before its @', async () => {
    const signUp = async (email: string) => (await register(email, 'password1', 'L')).status;
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
      expect([email, (await logIn(email, ada.password)).status]).toEqual([email, 400]);
      expect((await post('/auth/login/code', { email })).status).toBe(400);
    }
  });
});
