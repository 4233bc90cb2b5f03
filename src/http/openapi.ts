import { setImmediate as nextTurn } from 'node:timers/promises';
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { version } from '../build-info.ts';
import { describedComponents } from './components.ts';
import { addHeadersAndLinks } from './openapi-created.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { ERRORS, ErrorBody, errorResponseOf, errorResponses, errorsOf, nameOf } from './openapi-errors.ts';
import { addExamples } from './openapi-examples.ts';
import { tidy } from './openapi-tidy.ts';
import { isVersioned, type Route } from './route.ts';
import { createSessionCookie } from './session-cookie.ts';

const TAGS: Record<string, string> = {
  Accounts:
    'Signing up, in and out. Sign in by password, mailed code, Google or Telegram; send the access token as `Authorization: Bearer …`; on 401, get a new pair with the refresh token.',
  Me: 'The person who is signed in: name, password, linked accounts, sessions.',
  Notifications: 'What people are told inside Errand.',
  Workspaces: 'Only its members can see a workspace and what is in it. Everyone has one from the start.',
  People: 'Members of a workspace and invitations to it. Roles: owner, admin, member, viewer.',
  'Spaces and lists': 'A workspace has spaces, a space has lists, a list has tasks.',
  'Status templates': 'The statuses that the tasks of a list can have.',
  Tasks: 'What there is to do: create, find, change, move.',
  Labels: 'What tasks have in common, across lists; everyone in the workspace shares them.',
  Trash: 'Deleted tasks, lists and spaces, which come back from there until their time is over.',
  Checklists: 'The small steps within a task.',
  Comments: 'What people say about a task.',
  'Recurring tasks':
    'A recurring task is a series: a rule in calendar and time zone that makes one task for each of its occurrences.',
  Changes:
    'What changed in a workspace: a client that follows keeps a copy of all of it, or of what it needs, without asking again.',
  Server: 'For operators; outside the base path, and without a token.',
};

const LICENSE = { name: 'MIT', identifier: 'MIT' };

const PATH_NAMES: Record<string, string> = { job_id: 'recurring task, also called a series' };

/**
 * The OpenAPI 3.1 document of every route, by the shapes that validate, with an example of every body. One route is
 * described in a turn of the event loop: all together would hold up other requests.
 */
export async function describe(
  basePath: string,
  publicUrl: string,
  routes: readonly Route[],
): Promise<OpenApiDocument> {
  const operations = [
    ...routes.map((route) => () => operation(route)),
    ...AT_THE_ROOT.map((route) => () => route),
  ];
  const document = documentOf([], basePath, publicUrl);
  for (const make of operations) {
    await nextTurn();
    const { paths, components } = documentOf([make()], basePath, publicUrl);
    for (const [path, item] of Object.entries(paths))
      document.paths[path] = { ...document.paths[path], ...item };
    Object.assign(document.components.schemas, components.schemas);
  }
  for (const { path } of AT_THE_ROOT)
    Object.assign(document.paths[path] ?? {}, { servers: [{ url: publicUrl }] });
  for (const finish of [
    () => addHeadersAndLinks(document, routes),
    () => tidy(document),
    () => addExamples(document),
  ]) {
    await nextTurn();
    finish();
  }
  return document;
}

/** What is named for all routes, before any of them is described. */
function registerComponents(registry: OpenAPIHono['openAPIRegistry'], publicUrl: string): void {
  registry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: createSessionCookie(publicUrl).name,
    description:
      'The cookie of a sign-in with `session: "cookie"`, for pages of this server. A Bearer wins over it. Whatever is no GET needs `Sec-Fetch-Site: same-origin`, or without that header an `Origin` of this server, else it is 403',
  });
  registry.registerComponent('securitySchemes', 'apiToken', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'errand_…',
    description:
      'An API token, made by `POST /me/tokens`: a cap on what its user may do. Elsewhere it is 403',
  });
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The accessToken of a sign-in',
  });
  for (const [name, shape] of describedComponents()) registry.register(name, shape);
  registry.register('Error', ErrorBody);
  for (const error of Object.values(ERRORS)) {
    registry.registerComponent('responses', nameOf(error), errorResponseOf(error));
  }
}

/** The credentials that an operation takes, any one of them. */
const securityOf = ({ guard }: Route): Record<string, string[]>[] => [
  ...(guard.bearer ? [{ bearer: [] }, { cookie: [] }] : []),
  ...(guard.apiTokens === 'capped' || guard.apiTokens === 'narrowed' ? [{ apiToken: [] }] : []),
];

function documentOf(
  operations: readonly RouteConfig[],
  basePath: string,
  publicUrl: string,
): OpenApiDocument {
  const described = new OpenAPIHono();
  registerComponents(described.openAPIRegistry, publicUrl);
  for (const each of operations) described.openAPIRegistry.registerPath(each);
  const generated = described.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Errand',
      version,
      license: LICENSE,
      description:
        'Task management that you host yourself: accounts, workspaces, lists, tasks, recurring tasks.\n\n' +
        'Bodies are JSON objects in UTF-8. Unknown fields are ignored; of duplicate keys the last one wins. ' +
        'Timestamps are returned as `2026-11-20T09:30:00.000Z`; those you send must carry a zone, `Z` or any offset. Identifiers are opaque strings. ' +
        'Every list is `{ items, page, limit, total }`. In a PATCH a missing field keeps its value and `null` clears it. ' +
        'Every response has an `X-Request-Id`, which the log uses too. Query parameters with several values have commas between; unknown parameters are ignored.',
    },
    servers: [{ url: publicUrl + basePath }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
  // What the library's types leave open is decided by what is registered above.
  return generated as unknown as OpenApiDocument;
}

function operation(route: Route): RouteConfig {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = z.object(Object.fromEntries(names.map((name) => [name, pathParameter(name)])));
  return {
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [
      route.description,
      route.guard.role &&
        `Needs the role ${route.guard.role}${route.guard.role === 'owner' ? '' : ' or a higher one'}.`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    security: securityOf(route),
    request: {
      ...(names.length > 0 && { params }),
      ...(route.query && { query: route.query }),
      ...headersOf(route),
      ...(route.body && {
        body: {
          required: !route.bodyOptional && route.method !== 'patch',
          content: { 'application/json': { schema: route.body } },
        },
      }),
    },
    responses: {
      [route.status]: route.response
        ? {
            description: 'Done',
            content: {
              [route.isStream ? 'text/event-stream' : 'application/json']: { schema: route.response },
            },
          }
        : { description: 'Done; the response has no body' },
      ...(route.existing &&
        route.response && {
          200: { description: route.existing, content: { 'application/json': { schema: route.response } } },
        }),
      ...(takesIfNoneMatch(route) && {
        304: { description: 'It is still as `If-None-Match` says; the response has no body' },
      }),
      ...(route.otherResponses && {
        [route.otherResponses.status]: { description: route.otherResponses.description },
      }),
      ...errorResponses(errorsOf(route)),
    },
  };
}

const takesIfNoneMatch = (route: Route): boolean => route.method === 'get' && isVersioned(route);

const etagParameter = (description: string) =>
  z.string().optional().openapi({ description, example: '"9f2c41d0-3"' });

/** The header parameters of a route, if it has any. */
function headersOf(route: Route) {
  const parameters = {
    ...(takesIfNoneMatch(route) && {
      'If-None-Match': etagParameter('ETags; where the present one is among them, the response is 304'),
    }),
    ...(route.isConditional && {
      'If-Match': etagParameter(
        'ETags, weak ones too; where the present one is not among them, it is 412; malformed: 400',
      ),
    }),
  };
  return Object.keys(parameters).length > 0 && { headers: z.object(parameters) };
}

const pathParameter = (name: string) =>
  z.string().openapi({ description: `Id of the ${PATH_NAMES[name] ?? name.replace(/_id$/, '')}` });

const health = (
  path: string,
  summary: string,
  status: string,
  description: string,
  errors: number[] = [],
): RouteConfig => ({
  method: 'get',
  path,
  operationId: path.slice(1),
  tags: ['Server'],
  summary,
  description,
  security: [],
  responses: {
    200: {
      description: 'Done',
      content: { 'application/json': { schema: z.object({ status: z.literal(status) }) } },
    },
    ...errorResponses(errors),
  },
});

const metrics: RouteConfig = {
  method: 'get',
  path: '/metrics',
  operationId: 'metrics',
  tags: ['Server'],
  summary: 'Read the metrics',
  description:
    "In Prometheus' text format. Off unless `metrics.enabled`: then it is no route. It takes `metrics.token` as a Bearer token. While none is configured it can only be read from the same machine, and not at all where `server.trusted_proxies` names a proxy there.",
  security: [],
  responses: {
    200: { description: 'Done', content: { 'text/plain': { schema: z.string() } } },
    ...errorResponses([401, 404, 429]),
  },
};

/** Outside the base path. */
const AT_THE_ROOT: RouteConfig[] = [
  health(
    '/healthz',
    'Check that the server responds',
    'ok',
    'Says nothing of the database: for a liveness probe.',
  ),
  health(
    '/readyz',
    'Check that the server is ready',
    'ready',
    'Ready while the database takes writes: for a load balancer or a readiness probe.',
    [503],
  ),
  metrics,
];
