import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Deps } from './deps.ts';
import { answerText, commonHeaders, refusal } from './http/answer.ts';
import { mountHealth } from './http/health.ts';
import { describe } from './http/openapi.ts';
import { type Environment, requestIdOf, visitorOf } from './http/request.ts';
import { mount } from './http/route.ts';
import { AppError, notFound } from './kernel/errors.ts';
import { countRequests, mountMetrics } from './metrics/routes.ts';
import { mountPages, mountReference } from './pages/routes.ts';
import { routes } from './routes.ts';

/** Of a path that stands in the log. */
const PATH_AT_MOST = 200;

export type App = Hono<Environment>;

/** The whole application: every route, the pages, the error door. */
export function createApp(deps: Deps): App {
  const app: App = new Hono();
  const { base_path: basePath, public_url: publicUrl, cors_origins: origins } = deps.config.server;

  if (deps.log.isLevelEnabled('debug')) logRequests(app, deps);
  if (deps.metrics) countRequests(app, deps.metrics);
  if (origins.length > 0) allowOrigins(app, [...origins]);

  for (const route of routes) mount(app, deps, basePath, route);
  const document = once(describe(basePath, publicUrl, routes));
  const documentText = once(() => JSON.stringify(document()));
  app.get(`${basePath}/openapi.json`, (context) => answerText(requestIdOf(context), 200, documentText()));
  mountHealth(app, deps);
  if (deps.metrics) mountMetrics(app, deps, deps.metrics);
  mountPages(app, deps);
  mountReference(app, basePath, document);

  app.notFound((context) => {
    const allowed = allowedMethods(app, context.req.path);
    const error =
      allowed.length === 0
        ? notFound('route')
        : new AppError('MethodNotAllowedError', `This path takes ${allowed.join(', ')}`, {
            headers: { Allow: allowed.join(', ') },
          });
    return refusal(requestIdOf(context), error);
  });
  app.onError((reason, context) => {
    logRefusal(deps, context, reason);
    return refusal(requestIdOf(context), reason);
  });
  return app;
}

/** Made at the first call, and kept. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function logRefusal(deps: Deps, context: Context<Environment>, reason: Error): void {
  const requestId = requestIdOf(context);
  if (!(reason instanceof AppError)) deps.log.error({ requestId, err: reason }, 'internal error');
  else if (reason.cause !== undefined) deps.log.error({ requestId, err: reason.cause }, reason.message);
  else if (reason.event !== undefined) {
    const refused = {
      event: reason.event,
      requestId,
      userId: context.get('userId'),
      address: visitorOf(deps, context).address,
      method: context.req.method,
      path: context.req.path.slice(0, PATH_AT_MOST),
    };
    deps.refusals.note(reason.kind === 'TooManyRequestsError' ? 'warn' : 'info', refused, reason.message);
  }
}

function logRequests(app: App, deps: Deps): void {
  app.use(async (context, next) => {
    const started = performance.now();
    await next();
    const { method, path } = context.req;
    const milliseconds = Math.round(performance.now() - started);
    const requestId = requestIdOf(context);
    deps.log.debug({ requestId, method, path, status: context.res.status, milliseconds }, 'request');
  });
}

/** Lets browsers of exactly these origins in; a preflight gets the common headers too. */
function allowOrigins(app: App, origin: string[]): void {
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(commonHeaders(requestIdOf(context)))) {
      if (!context.res.headers.has(name)) context.header(name, value);
    }
  });
  app.use(
    cors({
      origin,
      allowHeaders: ['Authorization', 'Content-Type'],
      allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      exposeHeaders: ['X-Request-Id', 'Retry-After'],
      maxAge: 600,
    }),
  );
}

const METHODS = ['DELETE', 'GET', 'PATCH', 'POST'];

/** The methods that some route takes at this path. */
function allowedMethods({ router }: App, path: string): string[] {
  const taken = METHODS.filter((method) =>
    router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
  return (taken.includes('GET') ? [...taken, 'HEAD'] : taken).sort();
}
