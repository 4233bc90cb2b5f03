import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import { cors } from 'hono/cors';
import type { Deps } from './deps.ts';
import { answer, commonHeaders, refusal } from './http/answer.ts';
import { mountHealth } from './http/health.ts';
import { describe, openApiDocument } from './http/openapi.ts';
import type { Environment } from './http/request.ts';
import { mount } from './http/route.ts';
import { AppError, notFound } from './kernel/errors.ts';
import { mountPages } from './pages/routes.ts';
import { routes } from './routes.ts';

export type App = OpenAPIHono<Environment>;

/** The whole application: every route, the pages, the error door. */
export function createApp(deps: Deps): App {
  const app: App = new OpenAPIHono<Environment>();
  const { base_path: basePath, public_url: publicUrl, cors_origins: origins } = deps.config.server;

  app.use(async (context, next) => {
    const requestId = randomUUID();
    const started = performance.now();
    context.set('requestId', requestId);
    await next();
    if (deps.log.isLevelEnabled('debug')) {
      const { method, path } = context.req;
      const milliseconds = Math.round(performance.now() - started);
      deps.log.debug({ requestId, method, path, status: context.res.status, milliseconds }, 'request');
    }
  });
  if (origins.length > 0) allowOrigins(app, [...origins]);

  for (const route of routes) mount(app, deps, basePath, route);
  describe(app, basePath, routes);
  let document: unknown;
  app.get(`${basePath}/openapi.json`, (context) => {
    document ??= openApiDocument(app, publicUrl);
    return answer(context.get('requestId'), 200, document);
  });
  mountHealth(app, deps);
  mountPages(app, deps);

  app.notFound((context) => {
    const allowed = allowedMethods(app, context.req.path);
    const error =
      allowed.length === 0
        ? notFound('route')
        : new AppError('MethodNotAllowedError', `This path takes ${allowed.join(', ')}`, {
            headers: { Allow: allowed.join(', ') },
          });
    return refusal(context.get('requestId'), error);
  });
  app.onError((reason, context) => {
    const requestId = context.get('requestId');
    if (!(reason instanceof AppError)) deps.log.error({ requestId, err: reason }, 'internal error');
    else if (reason.cause !== undefined) deps.log.error({ requestId, err: reason.cause }, reason.message);
    return refusal(requestId, reason);
  });
  return app;
}

/** Lets browsers of exactly these origins in; a preflight gets the common headers too. */
function allowOrigins(app: App, origin: string[]): void {
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(commonHeaders(context.get('requestId')))) {
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

/** The methods that some route takes at this path. */
function allowedMethods(app: App, path: string): string[] {
  const methods = new Set<string>();
  for (const { method, path: pattern } of app.routes) {
    if (method !== 'ALL' && patternOf(pattern).test(path)) methods.add(method);
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
