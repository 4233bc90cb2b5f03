import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, toInstant } from '../../src/kernel/instants.ts';
import { consoleTransport } from '../../src/mail/console-transport.ts';
import { retryMail } from '../../src/storage/outbox.ts';
import { listMails, showMail } from '../../src/storage/outbox-listing.ts';
import { tick } from '../../src/tick.ts';
import { openWorld, type World } from '../world.ts';

describe('console mails', () => {
  let printed: string;
  let fails: boolean;
  let world: World;
  beforeEach(async () => {
    printed = '';
    fails = false;
    const out = new Writable({
      write: (chunk, _encoding, done) => {
        if (fails) return done(new Error('EPIPE'));
        printed += chunk;
        return done();
      },
      autoDestroy: false,
    });
    world = await openWorld({ transport: consoleTransport(out) });
  });

  const messageOf = () => {
    const [mail] = listMails(world.deps.read);
    return mail && showMail(world.deps.read, world.deps.keys, mail.id)?.message;
  };
  const register = async () => {
    await world.call('POST', '/auth/register', {
      body: { email: 'ada@example.com', password: 'password1', name: 'Ada' },
    });
    await world.untilIdle();
    return /^Token: (.+)$/m.exec(printed)?.[1] ?? '';
  };

  it('are printed with Link and Token, or Code, on lines of their own', async () => {
    const token = await register();
    expect(printed).toContain('To: ada@example.com\nSubject: Confirm your e-mail address\n');
    expect(printed).toMatch(/^Link: http:\/\/localhost:8080\/confirm-signup#token=/m);
    await world.call('POST', '/auth/register/confirm', { body: { token } });
    await world.call('POST', '/auth/login/code', { body: { email: 'ada@example.com' } });
    await world.untilIdle();
    expect(printed).toMatch(/^Code: \d{6}$/m);
  });

  it('keep their content until what they carry is used', async () => {
    const token = await register();
    expect(listMails(world.deps.read)).toMatchObject([{ state: 'sent' }]);
    expect(messageOf()).toMatchObject({ token });
    expect((await world.call('POST', '/auth/register/confirm', { body: { token } })).status).toBe(201);
    expect(listMails(world.deps.read)).toEqual([]);
    const email = 'ada@example.com';
    await world.call('POST', '/auth/login/code', { body: { email } });
    await world.untilIdle();
    const code = /^Code: (\d+)$/m.exec(printed)?.[1];
    expect(messageOf()).toMatchObject({ code });
    expect((await world.call('POST', '/auth/login/code/confirm', { body: { email, code } })).status).toBe(
      200,
    );
    expect(listMails(world.deps.read)).toEqual([]);
  });

  it('keep their content until it expires, and can be printed again', async () => {
    const token = await register();
    const [{ id } = { id: '' }] = listMails(world.deps.read);
    printed = '';
    expect(await world.deps.write((tx) => retryMail(tx, id, toInstant(world.clock.now())))).toBe(true);
    world.deps.mailer.wake();
    await world.untilIdle();
    expect(printed).toContain(token);
    world.clock.advance(DAY);
    await tick(world.deps);
    expect(listMails(world.deps.read)).toMatchObject([{ state: 'sent' }]);
    expect(messageOf()).toBeNull();
    expect(await world.deps.write((tx) => retryMail(tx, id, toInstant(world.clock.now())))).toBe(false);
  });

  it('wait while nothing reads stdout', async () => {
    fails = true;
    await register();
    expect(listMails(world.deps.read)).toMatchObject([{ state: 'queued', attempts: 1 }]);
  });

  it('hold nothing that a terminal would obey', async () => {
    await consoleTransport(
      new Writable({
        write: (chunk, _encoding, done) => {
          printed += chunk;
          done();
        },
      }),
    ).deliver({ id: '1', to: 'a\x1b[2J\r@example.com', subject: '\x07', text: 'one\ntwo', html: '' });
    expect(printed).toContain('To: a?[2J?@example.com\nSubject: ?\n\none\ntwo\n');
  });
});
