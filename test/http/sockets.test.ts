import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Listening, listen } from '../../src/http/listen.ts';
import type { Environment } from '../../src/http/request-context.ts';
import { openWorld, type World } from '../world.ts';

const LOCAL = { host: '127.0.0.1', port: 0 };
const HOST = 'Host: errand.example\r\n';
const LOGIN = `POST /api/auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

const sockets: Socket[] = [];
const listeners: Listening[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(listeners.splice(0).map((listening) => listening.drain(0)));
});

type Options = Parameters<typeof listen>[1];

async function listenTo(app: Hono<Environment>, more: Partial<Options> = {}): Promise<Listening> {
  const listening = await listen(app, { ...LOCAL, ...more });
  listeners.push(listening);
  return listening;
}

interface Line {
  socket: Socket;
  /** Waits until the server has said this. */
  hears(text: string): Promise<void>;
  /** All that the server said, once it has closed the connection. */
  end: Promise<string>;
}

function dial(
  { port }: Listening,
  bytes: string | Buffer,
  options: { allowHalfOpen?: boolean; host?: string } = {},
): Line {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  sockets.push(socket);
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
    socket.emit('heard');
  });
  // The server may well close while we still talk.
  socket.on('error', () => {});
  socket.write(bytes);
  return {
    socket,
    hears: async (text) => {
      while (!heard.includes(text)) await once(socket, 'heard');
    },
    end: new Promise((resolve) => socket.once('close', () => resolve(heard))),
  };
}

/** Goes on sending until the server has closed the connection; resolves with all that it said. */
async function trickled({ socket, end }: Line): Promise<string> {
  const trickle = setInterval(() => socket.write('\n'), 5);
  const heard = await end;
  clearInterval(trickle);
  return heard;
}

const POST = `POST / HTTP/1.1\r\n${HOST}`;

/** Notes the bodies that came in full. */
function postApp() {
  const app = new Hono<Environment>();
  const done: string[] = [];
  app.post('/', async (context) => {
    done.push(await context.req.text());
    return new Response('done');
  });
  app.onError(() => new Response('failed'));
  return { app, done };
}

/** Reads the first response of a connection, which must have the headers and the shape of every error. */
function rejectionIn(heard: string): { status: number; error: string } {
  const [head = '', body = ''] = heard.split('\r\n\r\n');
  const headers = head.toLowerCase();
  expect(headers).toMatch(/x-request-id: [0-9a-f-]{36}/);
  for (const header of [
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    'referrer-policy: no-referrer',
    'content-type: application/json; charset=utf-8',
  ]) {
    expect(headers).toContain(header);
  }
  expect(headers).not.toContain('\r\nserver:');
  const { error, message } = JSON.parse(body.slice(0, Number(/content-length: (\d+)/.exec(headers)?.[1])));
  expect(message).toEqual(expect.any(String));
  return { status: Number(head.split(' ')[1]), error };
}

describe('what is no request of ours is rejected like everything else:', () => {
  let world: World;
  let listening: Listening;
  beforeEach(async () => {
    world = await openWorld();
    listening = await listenTo(world.app);
  });

  const get = (path: string, headers = HOST) => `GET ${path} HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`;

  it.each<[string, string, number]>([
    ['a request without Host', get('/api/me', ''), 400],
    ['two Hosts', get('/healthz', `${HOST}${HOST}`), 400],
    ['a coding beside chunked', `${LOGIN}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
    ['chunks in HTTP/1.0', `${LOGIN.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a Host of two words', get('/api/me', 'Host: a b\r\n'), 400],
    ['a Host with an impossible port', get('/api/me', 'Host: a:99999\r\n'), 400],
    ['an expectation other than 100-continue', get('/healthz', `${HOST}Expect: tea\r\n`), 417],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\nConnection: close\r\n${HOST}\r\n`, 400],
    ['a backslash in the path', get('/api\\me'), 400],
    ['bytes beyond ASCII in the path', get('/api/\u00ff'), 400],
    ['an unknown method', `BREW /api/me HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a method in lower case', `get /healthz HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['two lengths', `${LOGIN}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ['a length and chunks', `${LOGIN}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a negative length', `${LOGIN}Content-Length: -1\r\n\r\n`, 400],
    ['a chunk without a size', `${LOGIN}Transfer-Encoding: chunked\r\n\r\nx\r\n`, 400],
    [
      'a chunk with an endless extension',
      `${LOGIN}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`,
      400,
    ],
    ['headers beyond 16 KiB', get('/healthz', `${HOST}A: ${'x'.repeat(16 * 1024)}\r\n`), 431],
    ['ten thousand headers', get('/healthz', `${HOST}${'a:b\r\n'.repeat(10_000)}`), 431],
    ['a URL beyond 16 KiB', get(`/${'x'.repeat(16 * 1024)}`), 431],
  ])('%s', async (_name, bytes, status) => {
    const rejection = rejectionIn(await dial(listening, bytes).end);
    expect(rejection).toEqual({ status, error: 'BadRequestError' });
    await dial(listening, get('/healthz')).hears('{"status":"ok"}');
  });

  it('but for HTTP/1.0 without Host, which health checks of proxies speak', async () => {
    expect(await dial(listening, 'GET /healthz HTTP/1.0\r\n\r\n').end).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a body beyond the cap, by its length or chunk by chunk, before it is all there', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const lines = [
      dial(listening, `${LOGIN}Content-Length: 1073741824\r\n\r\n${'x'.repeat(1_000)}`),
      dial(listening, `${LOGIN}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`),
    ];
    for (const heard of await Promise.all(lines.map(({ end }) => end))) {
      expect(rejectionIn(heard)).toEqual({ status: 413, error: 'PayloadTooLargeError' });
    }
  });

  it('and the connection goes on for a client that has sent all of a rejected body', async () => {
    const line = dial(
      listening,
      `${LOGIN}Content-Length: 20000\r\n\r\n${'x'.repeat(20_000)}${get('/healthz')}`,
    );
    await line.hears('PayloadTooLargeError');
    await line.hears('{"status":"ok"}');
  });

  it('and a client that sends all of a rejected body before it listens hears why, also where it is the last', async () => {
    const length = 8_000_000;
    const line = dial(
      listening,
      `${LOGIN}Connection: close\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
    );
    line.socket.pause();
    await new Promise((resolve) => line.socket.write('', resolve));
    line.socket.resume();
    expect(rejectionIn(await line.end)).toEqual({ status: 413, error: 'PayloadTooLargeError' });
  });

  it('two Authorization headers', async () => {
    const { accessToken } = await world.signUp();
    const bearer = `Authorization: Bearer ${accessToken}\r\n`;
    const line = dial(listening, get('/api/me', `${HOST}${bearer}${bearer}`));
    expect(rejectionIn(await line.end)).toEqual({ status: 401, error: 'UnauthorizedError' });
  });

  it('raw UTF-8 in the target, with a message that tells what to do', async () => {
    for (const target of ['/api/k\u00e4se', '/api/me?q=k\u00e4se', '/\u5976']) {
      const heard = await dial(listening, Buffer.from(get(target))).end;
      expect(rejectionIn(heard)).toEqual({ status: 400, error: 'BadRequestError' });
      expect(heard).toContain('percent-encode');
    }
    expect(
      await dial(listening, Buffer.from(get('/api/me', `${HOST}A: \u5976\u0000\r\n`))).end,
    ).not.toContain('percent-encode');
  });

  it('a rejected body is told before its client was told to go on', async () => {
    const ask = (length: number) => `${LOGIN}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const heard = dial(listening, ask(200_000_000));
    await heard.hears('PayloadTooLargeError');
    heard.socket.end();
    expect(rejectionIn(await heard.end).status).toBe(413);
    const line = dial(listening, ask(2));
    await line.hears('HTTP/1.1 100 Continue\r\n\r\n');
    line.socket.write('{}');
    await line.hears('ValidationError');
  });

  it('to scripts of allowed origins as well', async () => {
    const origins = ['https://app.example'];
    const cors = await listenTo(world.app, { origins });
    const from = (origin: string) => `${HOST}Origin: ${origin}\r\n`;
    const broken = (origin: string) => [
      get('/healthz', `${from(origin)}A: ${'x'.repeat(16 * 1024)}\r\n`),
      get('/api\\me', from(origin)),
      get('/api/\u00ff', from(origin)),
      get('/healthz', `${from(origin)}Expect: tea\r\n`),
      get('/healthz', `${HOST}${from(origin)}`),
    ];
    for (const bytes of broken('https://app.example')) {
      expect(await dial(cors, bytes).end).toMatch(/access-control-allow-origin: https:\/\/app\.example\r\n/i);
    }
    for (const bytes of broken('https://evil.example')) {
      expect(await dial(cors, bytes).end).not.toMatch(/access-control-allow/i);
    }
  });

  it('to scripts of allowed origins also where the body of a request is late or breaks off', async () => {
    const origins = ['https://app.example'];
    const cors = await listenTo(world.app, { origins });
    // Long enough for the headers to be read on a busy machine: only then is their origin known.
    const impatient = await listenTo(world.app, {
      origins,
      timeouts: { headersMs: 1_000, requestMs: 1_000, checkMs: 10 },
    });
    const ask = (origin: string) => `${LOGIN}Origin: ${origin}\r\n`;
    const responses = async (origin: string) => {
      const chunked = dial(cors, `${ask(origin)}Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n`);
      await chunked.hears('100 Continue\r\n\r\n');
      chunked.socket.write('no chunk\r\n');
      return [await dial(impatient, `${ask(origin)}Content-Length: 100\r\n\r\n{`).end, await chunked.end];
    };
    const [allowed, others] = await Promise.all(
      ['https://app.example', 'https://evil.example'].map(responses),
    );
    for (const heard of allowed ?? [])
      expect(heard).toMatch(/access-control-allow-origin: https:\/\/app\.example\r\n/i);
    for (const heard of others ?? []) {
      expect(heard).toMatch(/HTTP\/1\.1 40[08]/);
      expect(heard).not.toMatch(/access-control-allow/i);
    }
  });

  it('a connection cannot be upgraded', async () => {
    const headers = `${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n`;
    expect(rejectionIn(await dial(listening, get('/api/me', headers)).end).status).toBe(401);
    expect(await dial(listening, `CONNECT evil.example:443 HTTP/1.1\r\n${HOST}\r\n`).end).toBe('');
  });
});

describe('a slow client', () => {
  it.each([
    ['that says nothing', ''],
    ['with half its headers', `GET /healthz HTTP/1.1\r\n${HOST}A: `],
    ['with half its body', `${LOGIN}Content-Length: 100\r\n\r\n{"email":`],
    ['with half its chunks', `${LOGIN}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ])('%s is told and cut off', async (_name, bytes) => {
    const world = await openWorld();
    const listening = await listenTo(world.app, {
      timeouts: { headersMs: 40, requestMs: 80, checkMs: 10 },
    });
    const heard = await dial(listening, bytes).end;
    expect(rejectionIn(heard)).toEqual({ status: 408, error: 'BadRequestError' });
    expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it.each([
    ['its headers', `${POST}Content-Length: 2\r\n`, '\r\n{}'],
    ['its body', `${POST}Content-Length: 2\r\n\r\n{`, '}'],
    ['all of it', '', `${POST}Content-Length: 2\r\n\r\n{}`],
  ])(
    'that sends %s once it was told that it took too long has asked for nothing',
    async (_what, first, rest) => {
      const { app, done } = postApp();
      const timeouts = { headersMs: 40, requestMs: 80, checkMs: 10, lingerMs: 60 };
      const line = dial(await listenTo(app, { timeouts }), first, { allowHalfOpen: true });
      await line.hears('took too long');
      line.socket.write(rest);
      await trickled(line);
      expect(done).toEqual([]);
    },
  );

  it('is cut off among a thousand others, a few in each turn of the event loop', async () => {
    const listening = await listenTo(new Hono<Environment>(), {
      connectionsPerNetwork: 1_000,
      timeouts: { headersMs: 40, requestMs: 80, checkMs: 10 },
    });
    const ends = vi.spyOn(Socket.prototype, 'end');
    const inTurn: number[] = [];
    let isOver = false;
    const count = () => {
      inTurn.push(ends.mock.calls.filter(([text]) => String(text).startsWith('HTTP/1.1 408')).length);
      ends.mockClear();
      if (!isOver) setImmediate(count);
    };
    count();
    const lines = Array.from({ length: 1_000 }, () => dial(listening, ''));
    await Promise.all(lines.map(({ end }) => end));
    isOver = true;
    expect(inTurn.reduce((sum, n) => sum + n)).toBe(1_000);
    expect(Math.max(...inTurn)).toBeLessThanOrEqual(10);
  });

  it('that goes on and on with a rejected body is cut off', async () => {
    const world = await openWorld();
    const listening = await listenTo(world.app, { timeouts: { lingerMs: 40 } });
    const endless = `${LOGIN}Connection: close\r\nContent-Length: 1073741824\r\n\r\n`;
    const line = dial(listening, endless, { allowHalfOpen: true });
    expect(rejectionIn(await trickled(line))).toEqual({ status: 413, error: 'PayloadTooLargeError' });
  });

  it('that does not take its response is cut off', async () => {
    const app = new Hono<Environment & { Bindings: { incoming: { socket: Socket } } }>();
    const cutOff = new Promise<void>((resolve) => {
      app.get('/', ({ env }) => {
        env.incoming.socket.once('close', resolve);
        return new Response('x'.repeat(32 * 1024 * 1024));
      });
    });
    const listening = await listenTo(app as unknown as Hono<Environment>, { timeouts: { silenceMs: 50 } });
    const { socket } = dial(listening, `GET / HTTP/1.1\r\n${HOST}\r\n`);
    socket.pause();
    await cutOff;
  });
});

describe('a patient client', () => {
  it('is not cut off while the response is worked on', async () => {
    const app = new Hono<Environment & { Bindings: { incoming: { socket: Socket } } }>();
    app.get('/', async ({ env }) => {
      await once(env.incoming.socket, 'timeout');
      return new Response('done');
    });
    const listening = await listenTo(app as unknown as Hono<Environment>, { timeouts: { silenceMs: 20 } });
    // In one piece: between two of them a busy machine might be silent for as long.
    const requests = `GET / HTTP/1.1\r\n${HOST}\r\nGET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    expect((await dial(listening, requests).end).match(/done/g)).toHaveLength(2);
  });
});

describe('a connection', () => {
  it('may pipeline requests, which are worked on one after the other and in order', async () => {
    const release = Promise.withResolvers<void>();
    const app = new Hono<Environment>();
    let asked = 0;
    app.get('/:n', async (context) => {
      asked += 1;
      await release.promise;
      return new Response(`<${context.req.param('n')}>`);
    });
    const listening = await listenTo(app);
    const numbers = Array.from({ length: 90 }, (_, n) => n);
    const line = dial(listening, numbers.map((n) => `GET /${n} HTTP/1.1\r\n${HOST}\r\n`).join(''));
    await expect.poll(() => asked).toBe(1);
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect(asked).toBe(1);
    release.resolve();
    await line.hears('<89>');
    line.socket.write(`GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect((await line.end).match(/<\w+>/g)).toEqual([...numbers, 'last'].map((n) => `<${n}>`));
  });

  it('closes after a hundred that came in one piece, and what follows is not done', async () => {
    const release = Promise.withResolvers<void>();
    const app = new Hono<Environment>();
    app.get('/', async () => {
      await release.promise;
      return new Response('done');
    });
    const listening = await listenTo(app);
    const line = dial(listening, `GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(1_000));
    line.socket.write(Buffer.alloc(12_000_000, `GET / HTTP/1.1\r\n${HOST}\r\n`));
    release.resolve();
    const heard = await line.end;
    expect(heard.match(/done/g)).toHaveLength(101);
    expect(heard.match(/connection: close/gi)).toHaveLength(1);
  });

  it('is closed at once beyond those that its network may have, and others are served', async () => {
    const app = new Hono<Environment>();
    app.get('/', () => new Response('done'));
    const ask = `GET / HTTP/1.1\r\n${HOST}\r\n`;
    const listening = await listenTo(app, { host: '::' });
    const held = Array.from({ length: 200 }, () => dial(listening, ''));
    await Promise.all(held.map(({ socket }) => once(socket, 'connect')));
    expect(await dial(listening, ask).end).toBe('');
    await dial(listening, ask, { host: '::1' }).hears('done');
    held[0]?.socket.destroy();
    const askOnce = `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    await expect.poll(() => dial(listening, askOnce).end).toContain('done');
    const proxied = await listenTo(app, { proxies: ['127.0.0.1'] });
    const many = Array.from({ length: 300 }, () => dial(proxied, ask));
    await Promise.all(many.map((line) => line.hears('done')));
  });

  it('that goes on with what is no request still gets the responses to those before, and only them', async () => {
    const app = new Hono<Environment>();
    app.get('/', async () => {
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      return new Response('done');
    });
    const line = dial(await listenTo(app), `GET / HTTP/1.1\r\n${HOST}\r\nnot HTTP\r\n\r\n`);
    const heard = await line.end;
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close.*done$/is);
    expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('may have any number of requests, one after the other', async () => {
    const app = new Hono<Environment>();
    app.get('/:n', (context) => new Response(`<${context.req.param('n')}>`));
    const listening = await listenTo(app);
    const line = dial(listening, '');
    for (let n = 0; n < 50; n += 1) {
      line.socket.write(`GET /${n} HTTP/1.1\r\n${HOST}\r\n`);
      await line.hears(`<${n}>`);
    }
  });
});

describe('stopping', () => {
  const ASK = `GET / HTTP/1.1\r\n${HOST}\r\n`;

  /** Returns `/` once it is released, and everything else at once. */
  function heldApp() {
    const held = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const app = new Hono<Environment>();
    app.get('/', async () => {
      entered.resolve();
      await held.promise;
      return new Response('done');
    });
    app.get('/now', () => new Response('at once'));
    return { app, entered: entered.promise, release: held.resolve };
  }

  it('finishes what is in flight, closes what is idle, and takes nothing new', async () => {
    const { app, entered, release } = heldApp();
    const listening = await listenTo(app);
    const idle = dial(listening, `GET /now HTTP/1.1\r\n${HOST}\r\n`);
    await idle.hears('at once');
    const silent = dial(listening, '');
    const busy = dial(listening, ASK);
    await entered;
    const stopped = listening.drain(60_000);
    await Promise.all([idle.end, silent.end]);
    const [rejected] = await once(connect(listening.port, '127.0.0.1'), 'error');
    expect(rejected).toMatchObject({ code: 'ECONNREFUSED' });
    release();
    const heard = await busy.end;
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard).toMatch(/connection: close/i);
    expect(heard).toMatch(/done$/);
    await stopped;
  });

  it('does not wait for clients that were rejected and stay, or go on', async () => {
    const world = await openWorld();
    const listening = await listenTo(world.app);
    const lines = [
      dial(listening, 'not HTTP\r\n\r\n', { allowHalfOpen: true }),
      dial(listening, `${LOGIN}Connection: close\r\nContent-Length: 1073741824\r\n\r\n`, {
        allowHalfOpen: true,
      }),
    ];
    await lines[0]?.hears('BadRequestError');
    await lines[1]?.hears('PayloadTooLargeError');
    await listening.drain(60_000);
  });

  it('serves what was sent before it, be it still unread, or its connection not yet accepted', async () => {
    const { app } = heldApp();
    const listening = await listenTo(app);
    const kept = dial(listening, `GET /now HTTP/1.1\r\n${HOST}\r\n`);
    await kept.hears('at once');
    kept.socket.write(`GET /now HTTP/1.1\r\n${HOST}\r\n`);
    const fresh = Array.from({ length: 20 }, () => dial(listening, `GET /now HTTP/1.1\r\n${HOST}\r\n`));
    const stopped = listening.drain(60_000);
    expect(await kept.end).toMatch(/at once.*connection: close.*at once$/is);
    for (const { end } of fresh) expect(await end).toMatch(/at once$/);
    await stopped;
  });

  it('does nothing that comes after a request whose response closes the connection', async () => {
    const { app, done } = postApp();
    const listening = await listenTo(app);
    const line = dial(
      listening,
      `${POST}Content-Length: 5\r\n\r\nfirst${POST}Content-Length: 6\r\n\r\nsecond`,
    );
    const stopped = listening.drain(60_000);
    expect((await line.end).match(/HTTP\/1\.1 /g)).toHaveLength(1);
    await stopped;
    expect(done).toEqual(['first']);
  });

  it('leaves nothing behind of a rejected body that would keep the process from ending', async () => {
    const source = `
      import { once } from 'node:events';
      import { connect } from 'node:net';
      const { Hono } = await import(import.meta.resolve('hono'));
      const { listen } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/http/listen.ts'))});
      const app = new Hono().post('/', () => new Response('no', { status: 401 }));
      const timeouts = { requestMs: 2 ** 31 - 1 };
      const { port, drain } = await listen(app, { host: '127.0.0.1', port: 0, timeouts });
      const socket = connect(port, '127.0.0.1');
      socket.write(${JSON.stringify(`${POST}Content-Length: 1000000\r\n\r\nsome`)});
      await once(socket, 'data');
      socket.destroy();
      await drain(60_000);
      process.stdout.write('drained');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: import.meta.dirname,
    });
    children.push(child);
    const [said] = await once(child.stdout, 'data');
    const [code] = await once(child, 'close');
    expect([String(said), code]).toEqual(['drained', 0]);
  });

  it('waits no longer than it was told', async () => {
    const { app, entered } = heldApp();
    const listening = await listenTo(app);
    const busy = dial(listening, ASK);
    await entered;
    await listening.drain(20);
    expect(await busy.end).toBe('');
  });
});
