import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { nextTick } from 'node:process';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { badRequest } from '../kernel/errors.ts';
import { MINUTE, SECOND } from '../kernel/instants.ts';
import { bareError, NOT_HTTP, originIn, rejectBroken, rejectedBefore } from './broken-requests.ts';
import { trustedProxies } from './client-address.ts';
import { connectionsByNetwork, fewInTurn } from './connection-limits.ts';
import type { Environment } from './request-context.ts';
import { EXPOSED, errorResponse } from './response.ts';

const HEADER_BYTES = 16 * 1024;
/** What a client has time for, and how often that is looked at; a test is less patient. */
const TIMEOUTS = {
  headersMs: 10 * SECOND,
  requestMs: 30 * SECOND,
  /** At most, where a route allows a longer body. */
  longRequestMs: 10 * MINUTE,
  /** For a client that does not take its response: nothing else would ever end its connection. */
  silenceMs: 30 * SECOND,
  /** For a client that goes on, or stays, once it was rejected. */
  lingerMs: 10 * SECOND,
  checkMs: 100,
};
/** In one turn of the event loop: to cut off thousands takes longer than anyone should wait. */
const REJECTED_BATCH_SIZE = 10;
const KEEP_ALIVE_MS = 5 * SECOND;
/** Longer than a reverse proxy keeps its own end, so that it never writes into a closing socket. */
const KEEP_ALIVE_BEHIND_PROXY_MS = 65 * SECOND;
const MAX_CONNECTIONS = 10_000;
/** Of one IPv4 address or IPv6 /64 network; a trusted proxy speaks for many and may have all. */
const MAX_CONNECTIONS_PER_NETWORK = 200;
/** Pipelined requests that wait behind the one being worked on before the connection is no longer read from. */
const LOOK_AHEAD = 10;
/** What was read before that may hold more. They wait too, up to this many; then the connection closes after them. */
const MAX_PIPELINED = 100;
const IDLE_CHECK_MS = 20;
/** So many turns of the event loop without anything new, and all that was sent before a stop has been read. */
const QUIET_TURNS = 3;
export interface Listening {
  port: number;
  /** Takes nothing new and waits until the responses in flight are sent, at most so long. */
  drain(milliseconds: number): Promise<void>;
}

interface ListenOptions {
  host: string;
  port: number;
  /** As `server.trusted_proxies` and `server.cors_origins` have them. */
  proxies?: readonly string[];
  origins?: readonly string[];
  timeouts?: Partial<typeof TIMEOUTS>;
  connectionsPerNetwork?: number;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Serves the application over HTTP with bounded headers, times and connections. Rejects when the port is taken. */
export async function listen(
  app: Pick<Hono<Environment>, 'fetch'>,
  options: ListenOptions,
): Promise<Listening> {
  const { headersMs, requestMs, longRequestMs, silenceMs, lingerMs, checkMs } = {
    ...TIMEOUTS,
    ...options.timeouts,
  };
  const { proxies = [], origins = [] } = options;
  /** The latest response of each connection: to watch every response until its end would cost each request. */
  const latest = new Map<Socket, ServerResponse>();
  /** The response that each connection is at: the latest, but where requests are pipelined. */
  const current = new WeakMap<Socket, ServerResponse>();
  const waiting = new WeakMap<Socket, Exchange[]>();
  /** Connections with more pipelined requests than are served. */
  const overrun = new WeakSet<Socket>();
  /** Connections whose response has been sent and whose request body is being drained. */
  const closing = new Set<Duplex>();
  const drainThenDestroy = (socket: Duplex) => {
    closing.add(socket);
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => {
      clearTimeout(timer);
      closing.delete(socket);
    });
  };
  const connections = connectionsByNetwork(
    trustedProxies(proxies),
    options.connectionsPerNetwork ?? MAX_CONNECTIONS_PER_NETWORK,
  );
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
      errorResponse(randomUUID(), reason instanceof RequestError ? badRequest(NOT_HTTP) : reason),
  });
  const begin = ({ request, response }: Exchange) => {
    current.set(request.socket, response);
    const rejected = rejectedBefore(request);
    if (rejected === undefined) handle(request, response);
    else {
      const { headers, body } = bareError(rejected.message, corsFor(request.headers.origin));
      response.writeHead(rejected.status, headers).end(body);
    }
  };
  /** Works on pipelined requests one after the other, and reads on once few are left. */
  const beginNext = (socket: Socket, queue: Exchange[]) => {
    const next = queue.shift();
    if (queue.length < LOOK_AHEAD) socket.resume();
    if (next === undefined || socket.destroyed) waiting.delete(socket);
    else {
      next.response.once('close', () => beginNext(socket, queue));
      begin(next);
    }
  };
  const wait = (socket: Socket, ahead: ServerResponse, exchange: Exchange) => {
    const queue = waiting.get(socket) ?? [];
    if (!waiting.has(socket)) {
      waiting.set(socket, queue);
      ahead.once('close', () => beginNext(socket, queue));
    }
    queue.push(exchange);
    if (queue.length === LOOK_AHEAD) {
      // Node resumes the socket at the end of each request that it has read: this comes after that.
      nextTick(() => nextTick(() => queue.length >= LOOK_AHEAD && !overrun.has(socket) && socket.pause()));
    }
    if (queue.length < MAX_PIPELINED) return;
    exchange.response.shouldKeepAlive = false;
    overrun.add(socket);
    discardInput(socket);
  };
  const corsFor = (origin: string | undefined): Record<string, string> =>
    origin !== undefined && origins.includes(origin)
      ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED, Vary: 'Origin' }
      : {};
  /** Rejects a body that takes longer than a request may, unless its route allows it more time. */
  const limitBody = (request: IncomingMessage, response: ServerResponse) => {
    const { headers, socket } = request;
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return;
    const expire = () => {
      const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      if (!request.complete && !socket.destroyed) server.emit('clientError', late, socket);
    };
    let timer = setTimeout(expire, requestMs).unref();
    request.once('close', () => clearTimeout(timer));
    Object.assign(response, {
      allowBody: (milliseconds: number) => {
        clearTimeout(timer);
        if (!request.complete) timer = setTimeout(expire, milliseconds).unref();
      },
    });
  };
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    arrivals += 1;
    const ahead = latest.get(socket);
    // Once the client is told that the connection closes, nothing more may be done (RFC 9112, section 9.6).
    if (closing.has(socket) || ahead?.shouldKeepAlive === false) return;
    latest.set(socket, response);
    if (isDraining) response.shouldKeepAlive = false;
    limitBody(request, response);
    // Before HTTP/1.1 there was none (RFC 9112, section 3.2), and health checks of proxies still leave it out.
    if (request.httpVersion === '1.0') request.headers.host ??= 'localhost';
    // For what is rejected before the application is asked; it sets them itself as well.
    if (request.headers.origin !== undefined && origins.length > 0) {
      for (const [name, value] of Object.entries(corsFor(request.headers.origin))) {
        response.setHeader(name, value);
      }
    }
    if (ahead && !ahead.writableFinished && !ahead.destroyed) wait(socket, ahead, { request, response });
    else begin({ request, response });
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: Math.max(requestMs, longRequestMs),
      keepAliveTimeout: proxies.length > 0 ? KEEP_ALIVE_BEHIND_PROXY_MS : KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
      // Node would reject in no words at all; the adapter asks for a Host as well.
      requireHostHeader: false,
    },
    respond,
  );
  // The application says 100 Continue once it wants the body, so that an error comes instead of it.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    Object.assign(response, { awaitsContinue: true });
    respond(request, response);
  });
  server.timeout = silenceMs;
  server.on('timeout', (socket: Socket) => {
    // While we work on the response it is not the client who is silent.
    if (current.get(socket)?.headersSent !== false) socket.destroy();
  });
  server.maxConnections = MAX_CONNECTIONS;
  const reject = fewInTurn(REJECTED_BATCH_SIZE, ([error, socket]: [NodeJS.ErrnoException, Socket]) => {
    const ahead = latest.get(socket);
    // What came behind a whole request is not what its response is about.
    if (ahead?.req.complete && !ahead.writableFinished) return endAfter(ahead, socket);
    const origin = ahead?.req.complete === false ? ahead.req.headers.origin : originIn(error);
    if (rejectBroken(error, socket, corsFor(origin))) drainThenDestroy(socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Whatever else it sends is drained unread: a request that ends after all would be done.
    discardInput(socket);
    reject([error, socket]);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = bareError('Expect may only be 100-continue', corsFor(request.headers.origin));
    response.writeHead(417, headers).end(body);
  });
  server.on('connection', (socket: Socket) => {
    arrivals += 1;
    // Asked for now, Node remembers it. A client that has reset its connection has no address to be counted by.
    if (socket.remoteAddress === undefined || !connections.take(socket.remoteAddress, socket)) {
      socket.destroy();
      return;
    }
    socket.destroySoon = () => {
      if (overrun.has(socket)) {
        socket.end();
        drainThenDestroy(socket);
      } else if (closeGently(socket, latest.get(socket)?.req)) drainThenDestroy(socket);
    };
    socket.once('close', () => latest.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen({ port: options.port, host: options.host, backlog: MAX_CONNECTIONS }, resolve);
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
 * Closes a connection once all is sent, as Node does; but not to a client that still sends a body that was rejected, as
 * to close with something unread would reset it, and the response be lost: then true, and its body is to be drained.
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

/** Reads on without looking at it: to close with something unread would reset the connection. */
const discardInput = (socket: Duplex) =>
  socket
    .removeAllListeners('data')
    .on('data', () => {})
    .resume();

/** Closes a connection once a response under way is sent. */
function endAfter(response: ServerResponse, socket: Socket): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
  response.once('finish', () => socket.destroySoon());
}
