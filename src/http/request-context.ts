import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { Deps } from '../deps.ts';
import type { Outgoing } from './bytes-under-way.ts';
import { isLoopback } from './client-address.ts';
import type { StreamedResponse } from './event-sink.ts';

/** What a guard and a public service function may know of a request. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's address, as `server.trusted_proxies` lets us see it. */
  readonly address: string;
  readonly userAgent: string;
  /** What `X-Client-Id` says, by which a client knows its own changes again; null for none or a malformed one. */
  readonly clientId: string | null;
  /** Of the last event that a stream saw before it was cut. */
  readonly lastEventId: string | undefined;
  /** The `Cookie` header. */
  readonly cookie: string | undefined;
  /** What the browser says of the page that sends the request: `same-origin`, `cross-site`, … */
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** The origin that the request was sent to, as far as we and trusted proxies can tell. */
  readonly ownOrigin: string | undefined;
  /** Whose request it should be, by `X-User-Id`. */
  readonly expectedUserId: string | undefined;
  /** The connection is closed: no response will be read. */
  readonly isGone: boolean;
  /** What an endless response is written to, behind its headers; undefined when called in process. */
  readonly response: StreamedResponse | undefined;
  /** Nobody will read a body. */
  readonly isHead: boolean;
  /** Who it turned out to be; set by the guard, for the log. */
  userId?: string;
}

export interface Environment {
  Variables: { requestId: string | undefined; userId: string | undefined };
  /** What @hono/node-server hands over; absent when the application is called in process. */
  Bindings: {
    incoming?: { socket: { remoteAddress?: string; destroyed?: boolean } };
    outgoing?: Outgoing &
      StreamedResponse & {
        awaitsContinue?: boolean;
        writeContinue(): void;
        /** Gives the request so long to arrive, from now on. */
        allowBody?(milliseconds: number): void;
      };
  };
}

const MAX_USER_AGENT = 300;
/** Printable ASCII. */
export const CLIENT_ID = /^[\x20-\x7e]{1,64}$/;
/** Of no one: a client that reset its connection has no address any more, and must not pass for a neighbour. */
const GONE = '0.0.0.0';

/** The id of a request, the same each time it is asked for. */
export function requestIdOf(context: Context<Environment>): string {
  const known = context.get('requestId');
  if (known !== undefined) return known;
  const made = randomUUID();
  context.set('requestId', made);
  return made;
}

/** What proxies say of whom they ask for. */
const HANDED_ON = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
];

/**
 * Whether a request was made on this machine and sent to it by that name: not by a proxy here for someone elsewhere,
 * nor by a browser here for a site whose name was made to lead to us.
 */
export function isFromThisMachine(context: Context<Environment>): boolean {
  const { req: request, env } = context;
  return (
    isLoopback(peerOf(env?.incoming)) &&
    isLoopback(new URL(request.url).hostname) &&
    HANDED_ON.every((name) => request.header(name) === undefined)
  );
}

export const requestContextOf = (deps: Deps, context: Context<Environment>): RequestContext =>
  new LazyRequestContext(deps, context);

/** Looks into headers only when asked, which most service functions never do; getters of a class cost nothing until then. */
class LazyRequestContext implements RequestContext {
  readonly requestId: string;
  readonly #deps: Deps;
  readonly #context: Context<Environment>;
  /** Read at once: it is gone with the connection. */
  readonly #peer: string;

  constructor(deps: Deps, context: Context<Environment>) {
    this.requestId = requestIdOf(context);
    this.#deps = deps;
    this.#context = context;
    this.#peer = peerOf(context.env?.incoming);
  }

  get address(): string {
    return this.#deps.http.addressOf(this.#peer, this.#context.req.header('x-forwarded-for'));
  }

  get isGone(): boolean {
    return this.#context.env?.incoming?.socket.destroyed === true;
  }

  get response(): StreamedResponse | undefined {
    return this.#context.env?.outgoing;
  }

  get isHead(): boolean {
    return this.#context.req.method === 'HEAD';
  }

  set userId(id: string) {
    this.#context.set('userId', id);
  }

  get lastEventId(): string | undefined {
    return this.#context.req.header('last-event-id');
  }

  get cookie(): string | undefined {
    return this.#context.req.header('cookie');
  }

  get fetchSite(): string | undefined {
    return this.#context.req.header('sec-fetch-site');
  }

  get origin(): string | undefined {
    return this.#context.req.header('origin');
  }

  get ownOrigin(): string | undefined {
    const { req: request } = this.#context;
    const forwarded = this.#deps.http.isTrustedProxy(this.#peer)
      ? request.header('x-forwarded-proto')?.split(',').at(-1)?.trim()
      : undefined;
    const scheme = forwarded === 'https' ? 'https' : 'http';
    const address = `${scheme}://${request.header('host') ?? new URL(request.url).host}`;
    return URL.canParse(address) ? new URL(address).origin : undefined;
  }

  get expectedUserId(): string | undefined {
    return this.#context.req.header('x-user-id');
  }

  get clientId(): string | null {
    const given = this.#context.req.header('x-client-id');
    return given !== undefined && CLIENT_ID.test(given) ? given : null;
  }

  get userAgent(): string {
    return (this.#context.req.header('user-agent') ?? '').slice(0, MAX_USER_AGENT);
  }
}

const peerOf = (incoming: Environment['Bindings']['incoming']): string =>
  incoming ? (incoming.socket.remoteAddress ?? GONE) : '127.0.0.1';
