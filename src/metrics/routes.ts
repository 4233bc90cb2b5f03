import { hash, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import { routePath } from 'hono/route';
import type { Deps } from '../deps.ts';
import { trustsLoopback } from '../http/client-address.ts';
import {
  type Environment,
  isFromThisMachine,
  requestContextOf,
  requestIdOf,
} from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';
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
 * `/metrics` for Prometheus: to a caller with `metrics.token`. Where none is configured, and no proxy on this machine is
 * trusted, to this machine itself. Anyone else is 401.
 */
export function mountMetrics(app: Hono<Environment>, deps: Deps, metrics: Metrics): void {
  const { token } = deps.config.metrics;
  const requiresToken = token !== '' || trustsLoopback(deps.config.server.trusted_proxies);
  app.get('/metrics', async (context) => {
    if (requiresToken || !isFromThisMachine(context)) {
      deps.http.limits.auth(requestContextOf(deps, context).address, deps.clock.now());
      requireToken(token, context.req.header('authorization'));
    }
    const headers = { ...commonHeaders(requestIdOf(context)), 'Content-Type': metrics.contentType };
    return new Response(await metrics.text(), { headers });
  });
}

function requireToken(token: string, authorization: string | undefined): void {
  const [, offered] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  if (token === '' || offered === undefined || !isSame(offered, token)) {
    throw new AppError('UnauthorizedError', 'The metrics take their token: Authorization: Bearer …', {
      headers: { 'WWW-Authenticate': 'Bearer' },
      event: 'metrics-rejected',
    });
  }
}

/** In a time that tells nothing of where two secrets differ, nor of their lengths. */
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
