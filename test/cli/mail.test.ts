import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { consoleTransport } from '../../src/mail/console-transport.ts';
import { collecting } from '../world.ts';
import { closeServer, errand, errandJson, folder, openServer, start, useFolder } from './commands.ts';

useFolder();

describe('mail', () => {
  it('show gives the link and token that the console gave, while the server runs and after', async () => {
    let console = '';
    const stdout = new Writable({
      write: (chunk, _encoding, done) => {
        console += chunk;
        done();
      },
    });
    const server = await openServer({ transport: consoleTransport(stdout), folder });
    const person = { email: 'ada@example.com', password: 'correct horse', name: 'Ada' };
    await server.call('POST', '/auth/register', { body: person });
    await server.untilIdle();
    const token = /^Token: (.+)$/m.exec(console)?.[1];
    const [mail] = await errandJson(['mail', 'list']);
    expect(mail).toMatchObject({ kind: 'confirm-signup', to: 'ada@example.com', state: 'sent' });

    const shown = await errand(['mail', 'show', mail.id]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining(`Token: ${token}\n`) });
    await closeServer();
    expect(await errand(['mail', 'show', mail.id])).toEqual(shown);
    const { message } = await errandJson(['mail', 'show', mail.id]);
    expect(message).toMatchObject({ token, link: expect.stringContaining(token ?? '-') });
  });

  it('retry lets the server send a mail again', async () => {
    let fate: 'rejected' | 'taken' = 'rejected';
    const server = await openServer({
      transport: {
        ...collecting([]),
        deliver: async () =>
          fate === 'taken' ? { kind: 'taken' } : { kind: 'rejected', reason: 'no \x1b[31m' },
      },
    });
    await server.call('POST', '/auth/register', {
      body: { email: 'ada@example.com', password: 'correct horse', name: 'Ada' },
    });
    await server.untilIdle();
    expect((await errand(['mail', 'list'])).out).toMatch(/failed \(no \?\[31m\)/);
    const [{ id }] = await errandJson(['mail', 'list']);
    fate = 'taken';
    expect((await errand(['mail', 'retry', id])).code).toBe(0);
    server.clock.set(Date.now());
    server.deps.mailer.wake();
    await server.untilIdle();
    expect(await errandJson(['mail', 'list'])).toMatchObject([{ id, state: 'sent' }]);
    expect(await errand(['mail', 'retry', id])).toMatchObject({ code: 1, out: '' });
    expect(await errand(['mail', 'show', id])).toMatchObject({
      code: 0,
      err: expect.stringContaining('is gone'),
    });
  });

  it('retry rejects a mail whose content no key can read any more', async () => {
    const server = await openServer({
      folder,
      transport: { ...collecting([]), deliver: async () => ({ kind: 'delayed', reason: 'not now' }) },
    });
    const body = { email: 'ada@example.com', password: 'correct horse', name: 'Ada' };
    await server.call('POST', '/auth/register', { body });
    await server.untilIdle();
    await closeServer();
    const [{ id }] = await errandJson(['mail', 'list']);
    rmSync(join(folder, 'keys.json'));
    expect(await errand(['mail', 'retry', id])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('is gone'),
    });
  });

  it('show and retry fail for an unknown id', async () => {
    await openServer();
    for (const verb of ['show', 'retry']) {
      expect(await errand(['mail', verb, 'x'])).toMatchObject({
        code: 1,
        err: 'errand: There is no mail x in the outbox\n',
      });
    }
  });

  it('test needs no database', async () => {
    const { code, out, err } = await start(['mail', 'test', 'ada@example.com']).ended;
    expect(code).toBe(0);
    expect(out).toContain('To: ada@example.com\nSubject: A test of mail delivery');
    expect(err).toBe('errand: the console transport accepted a test mail to ada@example.com\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('test fails, and says why, where the mail server does not take the mail', async () => {
    const environment = {
      ERRAND_MAIL_TRANSPORT: 'smtp',
      ERRAND_MAIL_FROM: 'errand@example.org',
      ERRAND_MAIL_SMTP_HOST: '127.0.0.1',
      // Nothing listens there.
      ERRAND_MAIL_SMTP_PORT: '1',
    };
    expect(await errand(['mail', 'test', 'ada@example.com'], { shell: { environment } })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^errand: The test mail was not accepted: .*ECONNREFUSED.*\n$/),
    });
  });
});
