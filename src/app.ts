import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Deps } from './deps.ts';
import { exportSchema } from './export/json-schema.ts';
import { acceptsGzip, gzipped, isCompressible } from './http/compression.ts';
import { mountHealth } from './http/health.ts';
import { mount } from './http/mount.ts';
import { describe } from './http/openapi.ts';
import { readPath } from './http/public-path.ts';
import { type Environment, requestContextOf, requestIdOf } from './http/request-context.ts';
import { commonHeaders, EXPOSED, errorResponse, jsonHeaders, respond } from './http/response.ts';
import { METHODS, mountedPath } from './http/route.ts';
import { storedText } from './http/stored-text.ts';
import { AppError, notFound } from './kernel/errors.ts';
import { once } from './kernel/once.ts';
import { countRequests, mountMetrics } from './metrics/routes.ts';
import { mountPages, mountReference, PAGE_PATHS } from './pages/routes.ts';
import { routes } from './routes.ts';

/** Beside the base path. */
const OWN_PATHS = ['/app', '/assets', '/healthz', '/readyz', '/metrics', ...PAGE_PATHS];
/** Of a path that stands in the log. */
const MAX_PATH = 200;

export type App = Hono<Environment>;

/** The whole application: every route, the pages, the error guard. */
export function createApp(deps: Deps): App {
  const { base_path: basePath, public_url: publicUrl, cors_origins: origins } = deps.config.server;
  const getPath = readPath(publicUrl, [basePath, ...OWN_PATHS]);
  const app: App = new Hono(getPath && { getPath });

  if (deps.log.isLevelEnabled('debug')) logRequests(app, deps);
  if (deps.metrics) countRequests(app, deps.metrics);
  if (origins.length > 0) allowOrigins(app, [...origins]);

  reserveLiteralPaths(app, basePath);
  for (const route of routes) mount(app, deps, basePath, route, routes);
  const document = once(() => describe(basePath, publicUrl, routes));
  mountDocument(app, `${basePath}/openapi.json`, document);
  mountDocument(app, `${basePath}/export-schema.json`, async () => exportSchema(await document()));
  mountHealth(app, deps);
  if (deps.metrics) mountMetrics(app, deps, deps.metrics);
  mountPages(app, deps);
  mountReference(app, deps.config.server, document);

  app.notFound((context) => {
    const requestId = requestIdOf(context);
    const Allow = allowedMethods(app, context.req.path);
    if (Allow === '') return errorResponse(requestId, notFound('route'));
    if (context.req.method === 'OPTIONS') return respond(requestId, 204, undefined, { Allow });
    return errorResponse(requestId, methodNotAllowed(Allow));
  });
  app.onError((reason, context) => {
    logRejection(deps, context, reason);
    return errorInForm(context, basePath, errorResponse(requestIdOf(context), reason));
  });
  return app;
}

/** An error in the form that the client accepts, where its path has two. */
async function errorInForm(
  context: Context<Environment>,
  basePath: string,
  response: Response,
): Promise<Response> {
  const { path } = context.req;
  if (!path.startsWith(`${basePath}/`) || !isCompressible(path.slice(basePath.length))) return response;
  response.headers.append('Vary', 'Accept-Encoding');
  if (!acceptsGzip(context.req.header('accept-encoding'))) return response;
  const short = await gzipped(await response.clone().text());
  if (!short) return response;
  response.headers.set('Content-Encoding', 'gzip');
  return new Response(short, { status: response.status, headers: response.headers });
}

function mountDocument(app: App, path: string, document: () => Promise<object>): void {
  const stored = storedText(async () => JSON.stringify(await document()), ['gzip']);
  app.get(path, (context) => stored(context, jsonHeaders(requestIdOf(context))));
}

function logRejection(deps: Deps, context: Context<Environment>, reason: Error): void {
  const requestId = requestIdOf(context);
  if (!(reason instanceof AppError)) deps.log.error({ requestId, err: reason }, 'internal error');
  else if (typeof reason.cause === 'string') {
    deps.log.error({ requestId, reason: reason.cause }, reason.message);
  } else if (reason.cause !== undefined) deps.log.error({ requestId, err: reason.cause }, reason.message);
  else if (reason.event !== undefined) {
    const rejected = {
      event: reason.event,
      requestId,
      userId: context.get('userId'),
      address: requestContextOf(deps, context).address,
      method: context.req.method,
      path: context.req.path.slice(0, MAX_PATH),
    };
    deps.http.securityLog.note(
      reason.kind === 'TooManyRequestsError' ? 'warn' : 'info',
      rejected,
      reason.message,
    );
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
  const allow = cors({
    origin,
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'X-Client-Id',
      'X-User-Id',
    ],
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposeHeaders: EXPOSED.split(', '),
    maxAge: 600,
  });
  // Any other OPTIONS is no preflight, and asks what a path takes.
  app.use((context, next) =>
    context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') === undefined
      ? next()
      : allow(context, next),
  );
}

/** The handlers of methods that a path does not take. */
const RESERVED = new WeakSet<object>();

/** Rejects at `/tasks/query` the methods that only `/tasks/{task_id}` takes: they would read `query` as an id. */
function reserveLiteralPaths(app: App, basePath: string): void {
  const paths = [...new Set(routes.map((route) => route.path))].map((path) => path.split('/'));
  for (const path of paths) {
    const isMoreLiteral = (other: string[]) =>
      other !== path &&
      other.length === path.length &&
      path.every((part, i) => part === other[i] || part.startsWith('{'));
    for (const sibling of paths.filter(isMoreLiteral).map((parts) => parts.join('/'))) {
      const taken = routes.filter((route) => route.path === sibling).map(({ method }) => method);
      for (const method of METHODS) {
        if (taken.includes(method)) continue;
        const reject = () => {
          throw methodNotAllowed(allowOf(taken));
        };
        RESERVED.add(reject);
        app.on(method.toUpperCase(), mountedPath(basePath, sibling), reject);
      }
    }
  }
}

const methodNotAllowed = (allowed: string) =>
  new AppError('MethodNotAllowedError', `This path takes ${allowed}`, { headers: { Allow: allowed } });

const allowOf = (methods: readonly string[]): string =>
  [...new Set([...methods, ...(methods.includes('get') ? ['head'] : [])])]
    .map((method) => method.toUpperCase())
    .sort()
    .join(', ');

/** The methods that the most literal of the routes at this path takes, as `Allow` names them; empty where there is none. */
function allowedMethods(app: App, path: string): string {
  const matched = METHODS.flatMap((method) =>
    app.router
      .match(method.toUpperCase(), path)[0]
      .map(([[, route]]) => route)
      .filter((route) => route.method === method.toUpperCase()),
  );
  const variables = (route: { path: string }) => route.path.split('/:').length;
  const fewest = Math.min(...matched.map(variables));
  const nearest = matched.filter((route) => variables(route) === fewest && !RESERVED.has(route.handler));
  return allowOf(nearest.map(({ method }) => method.toLowerCase()));
}
