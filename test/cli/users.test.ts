import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { removeAccount } from '../../src/auth/account/account-deletion.ts';
import { errand, errandJson, openServer, signIn, useFolder } from './commands.ts';

useFolder();

describe('create-user', () => {
  const ada = ['create-user', '--email', 'Ada@Example.com', '--name', ' Ada '];

  it('makes what a confirmation makes while the server runs, and the person signs in at once', async () => {
    const server = await openServer();
    const made = await errandJson([...ada, '--password-stdin'], { input: 'correct horse\n' });
    expect(made).toEqual({
      id: expect.any(String),
      email: 'ada@example.com',
      name: 'Ada',
      isEmailVerified: true,
    });
    const { status, body } = await signIn('ada@example.com', 'correct horse');
    expect(status).toBe(200);
    const workspaces = await server.call('GET', '/me/workspaces', { token: body.accessToken });
    expect(workspaces.body.items).toMatchObject([{ title: "Ada's workspace", role: 'owner' }]);
  });

  it('takes a title for the workspace, and no password when told so', async () => {
    await openServer();
    const { code } = await errand([...ada, '--no-password', '--workspace-title', 'Engines']);
    expect(code).toBe(0);
    expect(await errandJson(['users', 'list'])).toMatchObject([
      { email: 'ada@example.com', hasPassword: false },
    ]);
  });

  it('asks for the password on a terminal, twice, and never shows it', async () => {
    await openServer();
    const { code, out, err } = await errand(ada, { typed: ['correct horse', 'correct horse'] });
    expect([code, err]).toEqual([0, 'Password: \nRepeat password: \n']);
    expect(out + err).not.toContain('horse');
    expect((await signIn('ada@example.com', 'correct horse')).status).toBe(200);
  });

  it('makes nothing when the two passwords differ', async () => {
    await openServer();
    expect(await errand(ada, { typed: ['correct horse', 'correct hoarse'] })).toMatchObject({
      code: 1,
      err: expect.stringContaining('The two passwords differ'),
    });
    expect(await errandJson(['users', 'list'])).toEqual([]);
  });

  it('is misused without a password on stdin, a terminal or an option', async () => {
    await openServer();
    expect(await errand(ada)).toMatchObject({ code: 2, err: expect.stringContaining('--password-stdin') });
  });

  it('rejects what registration rejects, in the same words', async () => {
    await openServer();
    const rejected = async (email: string, name: string, input: string) =>
      errand(['create-user', '--email', email, '--name', name, '--password-stdin'], { input });
    expect(await rejected('ada', ' ', 'correct horse')).toEqual({
      code: 2,
      out: '',
      err: 'errand: Email must be valid\nerrand: Name must be 1 to 200 characters\n',
    });
    expect(await rejected('a@example.com', 'A', 'short\n')).toMatchObject({
      code: 2,
      err: 'errand: Password must be at least 8 characters\n',
    });
    expect(await rejected('a@example.com', 'A', 'correct\0horse\n')).toMatchObject({
      code: 1,
      err: expect.stringContaining('NUL'),
    });
  });

  it('takes a byte order mark for no part of a password', async () => {
    await openServer();
    expect(await errand([...ada, '--password-stdin'], { input: '\ufeffcorrect horse\r\n' })).toMatchObject({
      code: 0,
    });
    expect((await signIn('ada@example.com', 'correct horse')).status).toBe(200);
  });

  it('fails for an address that has an account', async () => {
    await openServer();
    await errand([...ada, '--no-password']);
    expect(await errand([...ada, '--no-password'])).toEqual({
      code: 1,
      out: '',
      err: 'errand: There is an account with the address ada@example.com already\n',
    });
  });
});

describe('users', () => {
  it('sign-out ends every session, access tokens included', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    await signIn(ada.email, ada.password);
    expect(await errandJson(['users', 'sign-out', 'ADA@example.com'])).toEqual({
      email: 'ada@example.com',
      sessionsEnded: 2,
    });
    expect((await server.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
  });

  it('set-password does what a reset does: sessions and mailed tokens end, and the server mails a notice', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    await server.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    const { token } = await server.mailTo(ada.email);
    const { code } = await errand(['users', 'set-password', ada.email, '--password-stdin'], {
      input: 'battery staple',
    });
    expect(code).toBe(0);
    expect((await server.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
    expect((await signIn(ada.email, ada.password)).status).toBe(401);
    expect((await signIn(ada.email, 'battery staple')).status).toBe(200);
    const reset = { token, newPassword: 'something else' };
    expect((await server.call('POST', '/auth/password/reset/confirm', { body: reset })).status).toBe(401);
    server.clock.set(Date.now());
    server.deps.mailer.wake();
    expect((await server.mailTo(ada.email)).subject).toBe('Your password was changed');
  });

  it('set-password takes what is piped into it without being told to', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    const { code } = await errand(['users', 'set-password', ada.email], { input: 'battery staple\n' });
    expect(code).toBe(0);
    expect((await signIn(ada.email, 'battery staple')).status).toBe(200);
    expect((await errand(['users', 'set-password', ada.email])).code).toBe(2);
    expect((await signIn(ada.email, 'battery staple')).status).toBe(200);
  });

  it('set-password fails for an account that is deleted while the password is typed', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    const typing = async function* () {
      await removeAccount(server.deps, ada.id);
      yield Buffer.from('battery staple');
    };
    const set = ['users', 'set-password', ada.email, '--password-stdin'];
    const { code, out } = await errand(set, { shell: { stdin: Readable.from(typing()) } });
    expect([code, out]).toEqual([1, '']);
  });

  it('fails for an address without an account', async () => {
    await openServer();
    expect(await errand(['users', 'sign-out', 'nobody@example.com'])).toMatchObject({
      code: 1,
      err: 'errand: There is no account with the address nobody@example.com\n',
    });
  });
});
