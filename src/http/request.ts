import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { Deps } from '../deps.ts';
import { isLoopback } from './client-address.ts';

/** What a door and a public verb may know of a request. */
export interface Visitor {
  readonly requestId: string;
  /** The client's address, as `server.trusted_proxies` lets us see it. */
  readonly address: string;
  readonly userAgent: string;
  /** Who it turned out to be; set by the door, for the log. */
  userId?: string;
}

export interface Environment {
  Variables: { requestId: string | undefined; userId: string | undefined };
  /** What @hono/node-server hands over; absent when the application is called in process. */
  Bindings: { incoming?: { socket: { remoteAddress?: string } } };
}

const USER_AGENT_AT_MOST = 300;
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

export const visitorOf = (deps: Deps, context: Context<Environment>): Visitor =>
  new RequestVisitor(deps, context);

/** Looks into headers only when asked, which most verbs never do; getters of a class cost nothing until then. */
class RequestVisitor implements Visitor {
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
    return this.#deps.addressOf(this.#peer, this.#context.req.header('x-forwarded-for'));
  }

  set userId(id: string) {
    this.#context.set('userId', id);
  }

  get userAgent(): string {
    return (this.#context.req.header('user-agent') ?? '').slice(0, USER_AGENT_AT_MOST);
  }
}

const peerOf = (incoming: Environment['Bindings']['incoming']): string =>
  incoming ? (incoming.socket.remoteAddress ?? GONE) : '127.0.0.1';
