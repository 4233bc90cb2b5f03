import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { badRequest } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import { commonHeaders, errorBody, refusal } from './answer.ts';
import type { Environment } from './request.ts';

const HEADER_BYTES = 16 * 1024;
/** What a client has time for, and how often that is looked at; a test is less patient. */
const PATIENCE = {
  headersMs: 10 * SECOND,
  requestMs: 30 * SECOND,
  /** For a client that does not take its answer: nothing else would ever end its connection. */
  silenceMs: 30 * SECOND,
  /** For a client that goes on, or stays, once it was refused. */
  lingerMs: 10 * SECOND,
  checkMs: 100,
};
/** In one turn of the event loop: to cut off thousands takes longer than anyone should wait. */
const REFUSED_AT_ONCE = 10;
const KEEP_ALIVE_MS = 5 * SECOND;
/** Longer than a reverse proxy keeps its own end, so that it never writes into a closing socket. */
const KEEP_ALIVE_BEHIND_PROXY_MS = 65 * SECOND;
const CONNECTIONS_AT_MOST = 10_000;
/** Requests that came before the one ahead of them was answered: hardly a client does so, and each waits in memory. */
const PIPELINED_AT_MOST = 10;
const IDLE_CHECK_MS = 20;
/** So many turns of the event loop without anything new, and all that was sent before a stop has been read. */
const QUIET_TURNS = 3;
const NOT_HTTP = 'The request is not valid HTTP';

export interface Listening {
  port: number;
  /** Takes nothing new and waits until what is in flight is answered, at most so long. */
  drain(milliseconds: number): Promise<void>;
}

/** Serves the application over HTTP with bounded headers, times and connections. Rejects when the port is taken. */
export async function listen(
  app: Hono<Environment>,
  options: { host: string; port: number; behindProxy: boolean; patience?: Partial<typeof PATIENCE> },
): Promise<Listening> {
  const { headersMs, requestMs, silenceMs, lingerMs, checkMs } = { ...PATIENCE, ...options.patience };
  /** The latest response of each connection: to watch every response until its end would cost each request. */
  const latest = new Map<Socket, ServerResponse>();
  const pipelined = new WeakMap<Socket, number>();
  /** Connections to which all is said, and that are only heard out. */
  const closing = new Set<Duplex>();
  const hearOut = (socket: Duplex) => {
    closing.add(socket);
    const patience = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => {
      clearTimeout(patience);
      closing.delete(socket);
    });
  };
  let isDraining = false;
  let arrivals = 0;
  /** A turn accepts one connection, and a later one reads it: to close before would cut off what was sent long ago. */
  const quiet = async (end: number) => {
    for (let turns = 0; turns < QUIET_TURNS && performance.now() < end; turns += 1) {
      const before = arrivals;
      await nextTurn();
      if (arrivals !== before) turns = -1;
    }
  };
  const handle = getRequestListener(app.fetch, {
    errorHandler: (reason) =>
      refusal(randomUUID(), reason instanceof RequestError ? badRequest(NOT_HTTP) : reason),
  });
  const mayWait = (socket: Socket, response: ServerResponse): boolean => {
    const ahead = pipelined.get(socket) ?? 0;
    if (ahead >= PIPELINED_AT_MOST) socket.destroy();
    if (socket.destroyed) return false;
    pipelined.set(socket, ahead + 1);
    response.once('close', () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
    return true;
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: options.behindProxy ? KEEP_ALIVE_BEHIND_PROXY_MS : KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
      // Node would refuse in no words at all; the adapter asks for a Host as well.
      requireHostHeader: false,
    },
    (request, response) => {
      const { socket } = request;
      arrivals += 1;
      const ahead = latest.get(socket);
      // Once the client is told that the connection closes, nothing more may be done (RFC 9112, section 9.6).
      if (closing.has(socket) || ahead?.shouldKeepAlive === false) return;
      if (ahead && !ahead.writableFinished && !mayWait(socket, response)) return;
      latest.set(socket, response);
      if (isDraining) response.shouldKeepAlive = false;
      // Before HTTP/1.1 there was none (RFC 9112, section 3.2), and health checks of proxies still leave it out.
      if (request.httpVersion === '1.0') request.headers.host ??= 'localhost';
      handle(request, response);
    },
  );
  server.timeout = silenceMs;
  server.on('timeout', (socket: Socket) => {
    // While we work on the answer it is not the client who is silent.
    if (latest.get(socket)?.headersSent !== false) socket.destroy();
  });
  server.maxConnections = CONNECTIONS_AT_MOST;
  const refuse = fewInTurn(REFUSED_AT_ONCE, ([error, socket]: [NodeJS.ErrnoException, Socket]) => {
    const ahead = latest.get(socket);
    // What came behind a whole request is not what its answer is about.
    if (ahead?.req.complete && !ahead.writableFinished) endAfter(ahead, socket);
    else if (refuseBroken(error, socket)) hearOut(socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Whatever else it sends is heard out unread: a request that ends after all would be done.
    socket.removeAllListeners('data').on('data', () => {});
    refuse([error, socket]);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = bareRefusal('Expect may only be 100-continue');
    response.writeHead(417, headers).end(body);
  });
  server.on('connection', (socket: Socket) => {
    arrivals += 1;
    // Asked for now, Node remembers it. A client that has reset its connection has no address to be counted by.
    if (socket.remoteAddress === undefined) socket.destroy();
    socket.destroySoon = () => {
      if (closeGently(socket, latest.get(socket)?.req)) hearOut(socket);
    };
    socket.once('close', () => latest.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen({ port: options.port, host: options.host, backlog: CONNECTIONS_AT_MOST }, resolve);
  });
  const address = server.address();

  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    drain: async (milliseconds) => {
      isDraining = true;
      for (const response of latest.values()) {
        if (!response.headersSent) response.shouldKeepAlive = false;
      }
      const begun = performance.now();
      await quiet(begun + milliseconds / 2);
      const left = Math.max(0, begun + milliseconds - performance.now());
      const idle = setInterval(() => {
        server.closeIdleConnections();
        for (const socket of closing) socket.destroy();
      }, IDLE_CHECK_MS);
      const deadline = setTimeout(() => server.closeAllConnections(), left);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(idle);
      clearTimeout(deadline);
    },
  };
}

/**
 * Closes a connection once all is sent, as Node does; but not to a client that still sends a body that was refused, as
 * to close with something unread would reset it, and the answer be lost: then true, and it is to be heard out.
 */
function closeGently(socket: Socket, request: IncomingMessage | undefined): boolean {
  if (!request || request.complete) {
    Socket.prototype.destroySoon.call(socket);
    return false;
  }
  socket.end();
  request.once('end', () => socket.destroy());
  return true;
}

/** Puts work off to the next turns of the event loop, so much of it in each. */
function fewInTurn<Item>(atOnce: number, work: (item: Item) => void): (item: Item) => void {
  const waiting: Item[] = [];
  const workSome = () => {
    for (const item of waiting.splice(0, atOnce)) work(item);
    if (waiting.length > 0) setImmediate(workSome);
  };
  return (item) => {
    waiting.push(item);
    if (waiting.length === 1) setImmediate(workSome);
  };
}

/** Closes a connection once an answer under way is sent. */
function endAfter(response: ServerResponse, socket: Socket): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
  response.once('finish', () => socket.destroySoon());
}

/** What Node answers to before the application is asked, in the same words as everything else; true when it was said. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): boolean {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return false;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long to arrive']
        : ['400 Bad Request', NOT_HTTP];
  const { headers, body } = bareRefusal(message);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  return true;
}

/** A refusal after which the connection closes. */
function bareRefusal(message: string) {
  const body = JSON.stringify(errorBody(badRequest(message)));
  const headers = {
    ...commonHeaders(randomUUID()),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return { headers, body };
}
