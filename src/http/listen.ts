import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { SECOND } from '../kernel/instants.ts';
import { commonHeaders } from './answer.ts';
import type { Environment } from './request.ts';

const HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 10 * SECOND;
const REQUEST_MS = 30 * SECOND;
const KEEP_ALIVE_MS = 5 * SECOND;
/** Longer than a reverse proxy keeps its own end, so that it never writes into a closing socket. */
const KEEP_ALIVE_BEHIND_PROXY_MS = 65 * SECOND;
const CHECK_MS = 2 * SECOND;
const CONNECTIONS_AT_MOST = 10_000;
const IDLE_CHECK_MS = 20;

export interface Listening {
  port: number;
  /** Takes nothing new and waits until what is in flight is answered, at most so long. */
  drain(milliseconds: number): Promise<void>;
}

/** Serves the application over HTTP with bounded headers, times and connections. Rejects when the port is taken. */
export async function listen(
  app: Hono<Environment>,
  options: { host: string; port: number; behindProxy: boolean },
): Promise<Listening> {
  let isDraining = false;
  const server = createAdaptorServer({
    fetch: app.fetch,
    createServer,
    serverOptions: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: options.behindProxy ? KEEP_ALIVE_BEHIND_PROXY_MS : KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
  }) as Server;
  server.maxConnections = CONNECTIONS_AT_MOST;
  server.on('clientError', refuseBroken);
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (isDraining) response.shouldKeepAlive = false;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();

  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    drain: (milliseconds) => {
      isDraining = true;
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const deadline = setTimeout(() => server.closeAllConnections(), milliseconds);
      return new Promise((resolve) => {
        server.close(() => {
          clearInterval(idle);
          clearTimeout(deadline);
          resolve();
        });
      });
    },
  };
}

/** What Node answers to before the application is asked, in the same words as everything else. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, kind, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'BadRequestError', 'The headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'BadRequestError', 'The request took too long to arrive']
        : ['400 Bad Request', 'BadRequestError', 'The request is not valid HTTP'];
  const body = JSON.stringify({ error: kind, message });
  const headers = {
    ...commonHeaders(randomUUID()),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}
