import type { Context } from 'hono';
import type { Deps } from '../deps.ts';

/** What a door and a public verb may know of a request. */
export interface Visitor {
  requestId: string;
  /** The client's address, as `server.trusted_proxies` lets us see it. */
  address: string;
  userAgent: string;
}

export interface Environment {
  Variables: { requestId: string };
  /** What @hono/node-server hands over; absent when the application is called in process. */
  Bindings: { incoming?: { socket: { remoteAddress?: string } } };
}

const USER_AGENT_AT_MOST = 300;

export const visitorOf = (deps: Deps, context: Context<Environment>): Visitor => ({
  requestId: context.get('requestId'),
  address: deps.addressOf(
    context.env?.incoming?.socket.remoteAddress ?? '127.0.0.1',
    context.req.header('x-forwarded-for'),
  ),
  userAgent: (context.req.header('user-agent') ?? '').slice(0, USER_AGENT_AT_MOST),
});
