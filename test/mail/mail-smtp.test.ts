import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createConfig } from '../../src/config.ts';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { smtpTransport, type Timeouts } from '../../src/mail/smtp-transport.ts';
import { testDelivery } from '../../src/mail/transport.ts';
import type { OutgoingMail } from '../../src/mail/worker.ts';
import { enqueueMail } from '../../src/storage/outbox.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { selfSigned } from '../mail-certificate.ts';
import { cert, smtpServer } from '../smtp-server.ts';
import { openWorld, type World } from '../world.ts';

/** Long enough for loopback, short enough for a test that waits for it. */
const SHORT: Partial<Timeouts> = { connectMs: 600, greetingMs: 300, silenceMs: 300, mailMs: 600 };

const outgoing = (more: Partial<OutgoingMail> = {}): OutgoingMail => ({
  id: 'id-1',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Text\nToken: secret-token',
  html: '<p>secret-token</p>',
  token: 'secret-token',
  ...more,
});

interface Script {
  port: number;
  /** Every line that the client said, apart from the mails. */
  commands: string[];
  /** The lines of the mails. */
  data: string[];
  connections: number;
}

/** A server that says what the test wants: `reply` gets each command, and `.` for the end of the data. */
async function scriptedServer(
  response: (command: string, socket: Socket) => string | undefined,
  greeting: string | undefined = '220 ready',
): Promise<Script> {
  const script: Script = { port: 0, commands: [], data: [], connections: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    script.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    if (greeting !== undefined) socket.write(`${greeting}\r\n`);
    let rest = '';
    let inData = false;
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (inData && line !== '.') {
          script.data.push(line);
          continue;
        }
        script.commands.push(line);
        inData = line === 'DATA';
        const reply = response(line, socket);
        if (reply !== undefined && !socket.destroyed) socket.write(`${reply}\r\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  script.port = (server.address() as AddressInfo).port;
  return script;
}

const friendly = (command: string): string => {
  if (command === 'DATA') return '354 go on';
  if (command === 'QUIT') return '221 bye';
  return '250 fine';
};

const configFor = (port: number, mail: Record<string, unknown> = {}, public_url = '') =>
  createConfig({
    server: { public_url },
    mail: {
      transport: 'smtp',
      smtp_host: '127.0.0.1',
      smtp_port: port,
      smtp_tls: 'none',
      from: 'Errand <errand@mail.example.org>',
      ...mail,
    },
  });

function transportTo(
  port: number,
  mail: Record<string, unknown> = {},
  options: { timeouts?: Partial<Timeouts>; ca?: string } = {},
  publicUrl = '',
) {
  const transport = smtpTransport(configFor(port, mail, publicUrl), options);
  onTestFinished(() => transport.close());
  return transport;
}

const replying = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

describe('the SMTP transport', () => {
  it('hands over text and HTML under the sender of the settings and a stable Message-ID of its domain', async () => {
    const server = await smtpServer({ hideSTARTTLS: true });
    expect(await transportTo(server.port).deliver(outgoing({ id: 'abc' }))).toEqual({ kind: 'taken' });
    const [mail] = server.received;
    expect(mail).toMatch(/^From: Errand <errand@mail\.example\.org>\r$/m);
    expect(mail).toMatch(/^To: ada@example\.com\r$/m);
    expect(mail).toMatch(/^Message-ID: <abc@mail\.example\.org>\r$/m);
    expect(mail).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail).toContain('Content-Type: text/plain');
    expect(mail).toContain('<p>secret-token</p>');
  });

  it.each([
    ['https://errand.example.net/x', 'errand.example.net'],
    ['http://192.0.2.7:8080', '[192.0.2.7]'],
    ['http://[2001:db8::7]:8080', '[IPv6:2001:db8::7]'],
  ])('of a server at %s calls itself %s', async (publicUrl, name) => {
    const server = await scriptedServer(friendly);
    await transportTo(server.port, {}, {}, publicUrl).deliver(outgoing({ id: 'abc' }));
    expect(server.commands[0]).toBe(`EHLO ${name}`);
  });

  it('takes the public host for the Message-ID when the sender has no real domain', async () => {
    const server = await smtpServer({ hideSTARTTLS: true });
    const transport = transportTo(
      server.port,
      { from: 'errand@localhost' },
      {},
      'https://errand.example.net/x',
    );
    await transport.deliver(outgoing({ id: 'abc' }));
    expect(server.received[0]).toContain('Message-ID: <abc@errand.example.net>');
  });

  it('keeps its connection for the next mail', async () => {
    const server = await scriptedServer(friendly);
    const transport = transportTo(server.port);
    for (const id of ['1', '2', '3']) expect((await transport.deliver(outgoing({ id }))).kind).toBe('taken');
    expect(server.connections).toBe(1);
  });

  it('delays when nobody listens, and says so', async () => {
    const transport = transportTo(1);
    expect(await transport.deliver(outgoing())).toEqual({
      kind: 'delayed',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await transport.verify()).toContain('ECONNREFUSED');
  });

  it('delays when the server accepts and then says nothing', async () => {
    const server = await scriptedServer(() => undefined, '');
    const silent = await scriptedServer((command) => (command === 'DATA' ? undefined : friendly(command)));
    for (const { port } of [server, silent]) {
      expect((await transportTo(port, {}, { timeouts: SHORT }).deliver(outgoing())).kind).toBe('delayed');
    }
  });

  it('gives up on a server that never stops talking', async () => {
    let chatter: NodeJS.Timeout | undefined;
    onTestFinished(() => clearInterval(chatter));
    const server = await scriptedServer((command, socket) => {
      if (!command.startsWith('RCPT')) return friendly(command);
      chatter = setInterval(() => socket.writable && socket.write('250-wait\r\n'), 20);
      return undefined;
    });
    const transport = transportTo(server.port, {}, { timeouts: SHORT });
    expect(await transport.deliver(outgoing())).toEqual({
      kind: 'delayed',
      reason: 'the server took too long',
    });
  });

  it('delays on 4xx and on a rejected sender, and gives up on 5xx for the recipient or the mail', async () => {
    const fates: [string, string, string][] = [
      ['MAIL', '451 4.3.0 later', 'delayed'],
      ['MAIL', '550 5.1.8 unknown sender domain', 'delayed'],
      ['MAIL', '530 5.7.0 authentication required', 'delayed'],
      ['RCPT', '450 4.2.0 greylisted', 'delayed'],
      ['RCPT', '421 4.7.0 too many connections', 'delayed'],
      ['RCPT', '530 5.7.0 authentication required', 'delayed'],
      ['RCPT', '550 5.1.1 no such user', 'rejected'],
      ['DATA', '451 4.3.0 later', 'delayed'],
      ['DATA', '554 5.5.1 no', 'rejected'],
      ['.', '452 4.3.1 disk full', 'delayed'],
      ['.', '554 5.7.1 spam', 'rejected'],
    ];
    for (const [verb, reply, kind] of fates) {
      const server = await scriptedServer((command) =>
        command.startsWith(verb) ? reply : friendly(command),
      );
      const delivery = await transportTo(server.port).deliver(outgoing());
      expect([verb, reply, delivery.kind]).toEqual([verb, reply, kind]);
    }
  });

  it('never quotes a secret, the recipient or a control character in a reason', async () => {
    const quoting = async (verb: string, reply: string) => {
      const server = await scriptedServer((command) =>
        command.startsWith(verb) ? reply : friendly(command),
      );
      const delivery = await transportTo(server.port).deliver(outgoing());
      return delivery.kind === 'taken' ? '' : delivery.reason;
    };
    expect(await quoting('RCPT', '550 5.1.1 <Ada@Example.com>: \x1b[31munknown')).toBe(
      'the server rejected the recipient: 550 5.1.1 <the recipient>:  [31munknown',
    );
    expect(await quoting('.', '554 5.7.1 blocked link https://x/#token=secret-token')).toBe(
      'the server rejected the mail: 554 5.7.1',
    );
    expect((await quoting('RCPT', `550 ${'x'.repeat(5_000)}`)).length).toBeLessThanOrEqual(200);
  });

  it('delays when the password is wrong, without repeating it', async () => {
    const server = await smtpServer({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      authOptional: false,
      onAuth: (auth, _session, done) => done(replying(535, `not ${auth.password}`)),
    });
    const login = { smtp_user: 'errand', smtp_password: 'wrong-password' };
    expect(await transportTo(server.port, login).deliver(outgoing())).toEqual({
      kind: 'delayed',
      reason: 'the server rejected the credentials: 535',
    });
    expect(await transportTo(server.port, login).verify()).toBe('the server rejected the credentials: 535');
  });

  it('signs in with the password of the settings', async () => {
    const seen: unknown[] = [];
    const server = await smtpServer({
      authOptional: false,
      onAuth: (auth, session, done) => {
        seen.push([auth.username, auth.password, session.secure]);
        done(null, { user: auth.username });
      },
    });
    const settings = { smtp_tls: 'starttls', smtp_user: 'errand', smtp_password: 'right' };
    const transport = transportTo(server.port, settings, { ca: cert });
    expect(await transport.verify()).toBeUndefined();
    expect(await transport.deliver(outgoing())).toEqual({ kind: 'taken' });
    expect(seen).toEqual([
      ['errand', 'right', true],
      ['errand', 'right', true],
    ]);
  });
});

describe('TLS', () => {
  const settings = { smtp_tls: 'starttls', smtp_user: 'errand', smtp_password: 'right' };

  it('sends nothing, no password either, when STARTTLS is required and not offered', async () => {
    for (const reply of ['250-fine\r\n250 AUTH PLAIN LOGIN', '250 fine']) {
      const server = await scriptedServer((command) =>
        command.startsWith('EHLO') ? reply : command === 'STARTTLS' ? '502 no' : friendly(command),
      );
      const delivery = await transportTo(server.port, settings).deliver(outgoing());
      expect(delivery).toEqual({ kind: 'delayed', reason: expect.stringContaining('STARTTLS') });
      expect(server.commands.filter((line) => !/^(EHLO|STARTTLS|QUIT)/.test(line))).toEqual([]);
    }
  });

  it('sends nothing to a server whose certificate is not trusted, in either mode', async () => {
    for (const smtpTls of ['starttls', 'implicit']) {
      const server = await smtpServer({ secure: smtpTls === 'implicit' });
      const transport = transportTo(server.port, { ...settings, smtp_tls: smtpTls });
      expect(await transport.deliver(outgoing())).toEqual({
        kind: 'delayed',
        reason: expect.stringMatching(/unknown authority.*NODE_EXTRA_CA_CERTS.*--use-system-ca/),
      });
      expect(server.received).toEqual([]);
    }
  });

  it('tells which port goes with which mode where they are mixed up', async () => {
    for (const [secure, smtpTls] of [
      [true, 'starttls'],
      [false, 'implicit'],
    ] as const) {
      const { port } = await smtpServer({ secure });
      const transport = transportTo(port, { smtp_tls: smtpTls }, { timeouts: { greetingMs: 300 } });
      expect(await transport.deliver(outgoing())).toEqual({
        kind: 'delayed',
        reason: expect.stringContaining('"implicit" usually goes with port 465, "starttls" with 587'),
      });
    }
  });

  it('sends nothing to a server that presents the certificate of another name', async () => {
    const other = selfSigned('mail.example.net');
    const server = await smtpServer({ key: other.key, cert: other.cert });
    const delivery = await transportTo(server.port, { smtp_tls: 'starttls' }, { ca: other.cert }).deliver(
      outgoing(),
    );
    expect(delivery).toEqual({ kind: 'delayed', reason: expect.stringContaining('127.0.0.1') });
    expect(server.received).toEqual([]);
  });

  it('delays when the handshake is garbage', async () => {
    const server = await scriptedServer((command) =>
      command.startsWith('EHLO')
        ? '250-fine\r\n250 STARTTLS'
        : command === 'STARTTLS'
          ? '220 go\r\nthis is not TLS'
          : undefined,
    );
    const transport = transportTo(server.port, settings, { timeouts: SHORT });
    expect((await transport.deliver(outgoing())).kind).toBe('delayed');
  });

  it('sends over a trusted connection, in either mode', async () => {
    for (const smtpTls of ['starttls', 'implicit']) {
      const secured: boolean[] = [];
      const server = await smtpServer({
        secure: smtpTls === 'implicit',
        onMailFrom: (_address, session, done) => {
          secured.push(session.secure);
          done();
        },
      });
      const transport = transportTo(server.port, { smtp_tls: smtpTls }, { ca: cert });
      expect(await transport.deliver(outgoing())).toEqual({ kind: 'taken' });
      expect([secured, server.received.length]).toEqual([[true], 1]);
    }
  });
});

describe('hostile input', () => {
  it('leaves exactly one recipient and one set of headers in the dialogue', async () => {
    const server = await scriptedServer(friendly);
    const transport = transportTo(server.port);
    const subjects = ['x\r\nBcc: eve@evil.example', '=?utf-8?Q?=0d=0aBcc:=20eve@evil.example?=', 'a\0b', 'é'];
    for (const subject of subjects) {
      const hostile = outgoing({
        subject,
        text: '\r\n.\r\nRCPT TO:<eve@evil.example>\r\n',
        html: '<b>\r\n.\r\n',
      });
      expect(await transport.deliver(hostile)).toEqual({ kind: 'taken' });
    }
    expect(server.commands.filter((line) => line.startsWith('RCPT'))).toEqual(
      subjects.map(() => 'RCPT TO:<ada@example.com>'),
    );
    expect(server.commands.filter((line) => line === 'DATA')).toHaveLength(subjects.length);
    expect(server.data.filter((line) => /^(Bcc|Cc):/i.test(line))).toEqual([]);
    expect(server.data.filter((line) => /^Subject:/i.test(line))).toHaveLength(subjects.length);
  });

  it('rejects an address that could be read as another one, before a word to the server', async () => {
    const server = await scriptedServer(friendly);
    const transport = transportTo(server.port);
    const addresses = [
      'a\r\nBcc:x@y.example',
      'ada@example.com\r\nRCPT TO:<eve@evil.example>',
      '"x y"@z.example',
      'u@good.example(x)evil.example',
      'ada@example.com, eve@evil.example',
      'ada@example.com> SIZE=1',
      '<ada@example.com>',
      'ada@exa\0mple.com',
      'ada',
      '',
      'ﬁ@example.com',
    ];
    for (const to of addresses) {
      expect([to, (await transport.deliver(outgoing({ to }))).kind]).toEqual([to, 'rejected']);
    }
    expect(server.commands).toEqual([]);
  });

  it('reads no file and fetches nothing, whatever a mail says', async () => {
    const server = await smtpServer({ hideSTARTTLS: true });
    const transport = transportTo(server.port);
    const sneaky = { ...outgoing(), text: { path: '/etc/hostname' } } as unknown as OutgoingMail;
    expect((await transport.deliver(sneaky)).kind).toBe('delayed');
    expect(server.received).toEqual([]);
  });

  it('does not start with a sender that is not one address', () => {
    for (const from of [
      'a@b.example, c@d.example',
      'Errand <errand@x.example> <y@z.example>',
      '"a b"@c.example',
    ])
      expect(() => smtpTransport(configFor(25, { from }))).toThrow('mail.from');
  });
});

describe('the outbox over SMTP', () => {
  let world: World;

  const openOver = async (port: number, timeouts: Partial<Timeouts> = {}) => {
    world = await openWorld({ transport: smtpTransport(configFor(port), { timeouts }) });
  };
  const promise = (...recipients: string[]) =>
    world.deps.write((tx) => {
      for (const to of recipients) {
        const message = { subject: 'Hello', text: `to ${to}`, html: '<p>x</p>' };
        enqueueMail(world.deps, tx, { kind: 'notice', to, message, userId: null }, world.clock.now());
      }
    });
  const later = async (ms: number) => {
    world.clock.advance(ms);
    world.deps.mailer.wake();
    await world.untilIdle();
  };
  const states = () =>
    Object.fromEntries(listMails(world.deps.read).map(({ to, state, attempts }) => [to, [state, attempts]]));

  it('delivers after 4xx as soon as the server relents', async () => {
    let busy = true;
    const server = await smtpServer({
      hideSTARTTLS: true,
      onRcptTo: (_address, _session, done) => done(busy ? replying(450, 'busy') : null),
    });
    await openOver(server.port);
    await promise('a@example.com');
    await world.untilIdle();
    expect([states(), server.received.length]).toEqual([{ 'a@example.com': ['queued', 1] }, 0]);
    busy = false;
    await later(10 * SECOND);
    expect([states(), server.received.length]).toEqual([{ 'a@example.com': ['sent', 2] }, 1]);
  });

  it('buries what is rejected with 5xx while the others flow', async () => {
    const server = await smtpServer({
      hideSTARTTLS: true,
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('poison') ? replying(550, '5.1.1 no such user') : null),
    });
    await openOver(server.port);
    await promise('poison1@example.com', 'a@example.com', 'poison2@example.com', 'b@example.com');
    await world.untilIdle();
    await later(60 * MINUTE);
    expect(states()).toEqual({
      'poison1@example.com': ['failed', 1],
      'a@example.com': ['sent', 1],
      'poison2@example.com': ['failed', 1],
      'b@example.com': ['sent', 1],
    });
    expect(server.received).toHaveLength(2);
  });

  it('sends again under the same Message-ID when the connection drops after DATA', async () => {
    let drops = 1;
    const server = await scriptedServer((command, socket) => {
      if (command !== '.' || drops === 0) return friendly(command);
      drops -= 1;
      socket.destroy();
      return undefined;
    });
    await openOver(server.port);
    await promise('a@example.com');
    await world.untilIdle();
    expect(states()).toEqual({ 'a@example.com': ['queued', 1] });
    await later(10 * SECOND);
    expect(states()).toEqual({ 'a@example.com': ['sent', 2] });
    const ids = server.data.filter((line) => line.startsWith('Message-ID:'));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('accepts a sign-up at once and loses nothing while the server accepts and hangs', async () => {
    let hangs = true;
    const server = await scriptedServer((command) =>
      hangs && command.startsWith('EHLO') ? undefined : friendly(command),
    );
    await openOver(server.port, SHORT);
    const body = { email: 'ada@example.com', password: 'password1', name: 'Ada' };
    expect((await world.call('POST', '/auth/register', { body })).status).toBe(201);
    expect(states()).toEqual({ 'ada@example.com': ['queued', 0] });
    await world.untilIdle();
    expect(states()).toEqual({ 'ada@example.com': ['queued', 1] });
    hangs = false;
    await later(10 * SECOND);
    expect(states()).toEqual({ 'ada@example.com': ['sent', 2] });
  });

  it('stops while the server hangs, and keeps the mail', async () => {
    const reached = Promise.withResolvers<void>();
    const server = await scriptedServer((command) => {
      if (!command.startsWith('EHLO')) return friendly(command);
      reached.resolve();
      return undefined;
    });
    const transport = smtpTransport(configFor(server.port));
    world = await openWorld({ transport });
    await promise('a@example.com');
    await reached.promise;
    const stopped = world.deps.mailer.stop();
    transport.close();
    await stopped;
    expect(states()).toEqual({ 'a@example.com': ['queued', 1] });
  });
});

it('tests delivery past the outbox and returns how it went', async () => {
  const server = await smtpServer({ hideSTARTTLS: true });
  expect(await testDelivery(transportTo(server.port), 'admin@example.com')).toEqual({ kind: 'taken' });
  expect(server.received[0]).toContain('Subject: A test of mail delivery');
});
