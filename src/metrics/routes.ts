import { hash, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import { routePath } from 'hono/route';
import type { Deps } from '../deps.ts';
import { commonHeaders } from '../http/answer.ts';
import { networkOf } from '../http/client-address.ts';
import { type Environment, isFromThisMachine, requestIdOf, visitorOf } from '../http/request.ts';
import { AppError } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import type { Metrics } from './metrics.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts every request from here on, by the template of its route: what a client sends never makes a new label. */
export function countRequests(app: Hono<Environment>, metrics: Metrics): void {
  app.use(async (context, next) => {
    const began = performance.now();
    await next();
    const { method } = context.req;
    const path = routePath(context);
    metrics.count({
      method: METHODS.has(method) ? method : 'other',
      route: path.includes('*') ? 'unmatched' : path.replaceAll(/:(\w+)/g, '{$1}'),
      status: context.res.status,
      seconds: (performance.now() - began) / SECOND,
    });
  });
}

/**
 * `/metrics` for Prometheus: to whoever has `metrics.token`, and without it to this machine itself. Another is 401,
 * whether there is a token or not.
 */
export function mountMetrics(app: Hono<Environment>, deps: Deps, metrics: Metrics): void {
  app.get('/metrics', async (context) => {
    if (!isFromThisMachine(context)) {
      deps.limits.auth(networkOf(visitorOf(deps, context).address), deps.clock.now());
      demandToken(deps.config.metrics.token, context.req.header('authorization'));
    }
    const headers = { ...commonHeaders(requestIdOf(context)), 'Content-Type': metrics.contentType };
    return new Response(await metrics.text(), { headers });
  });
}

function demandToken(token: string, authorization: string | undefined): void {
  const [, offered] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  if (token === '' || offered === undefined || !isSame(offered, token)) {
    throw new AppError('UnauthorizedError', 'The metrics take their token: Authorization: Bearer …', {
      headers: { 'WWW-Authenticate': 'Bearer' },
      event: 'metrics-refused',
    });
  }
}

/** In a time that tells nothing of where two secrets differ, nor of their lengths. */
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
