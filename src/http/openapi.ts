import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { version } from '../build-info.ts';
import type { ErrorKind, Issue } from '../kernel/errors.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { addExamples } from './openapi-examples.ts';
import type { Route } from './route.ts';

const TAGS: Record<string, string> = {
  Accounts:
    'Signing up, in and out. Sign in by password, mailed code, Google or Telegram; send the access token as `Authorization: Bearer …`; when it is refused with 401, get a new pair with the refresh token.',
  Me: 'The person who is signed in: name, password, linked accounts, sessions.',
  Notifications: 'What people are told inside Errand.',
  Workspaces: 'Who is not a member of a workspace can do nothing in it. Everyone has one from the start.',
  People: 'Members of a workspace and invitations to it. Roles: owner, admin, member, viewer.',
  'Spaces and lists': 'A workspace has spaces, a space has lists, a list has tasks.',
  'Status templates': 'The statuses that the tasks of a list can have.',
  Tasks: 'What there is to do: create, find, change, move.',
  'Recurring tasks':
    'A recurring task is a series: a rule in calendar and time zone that makes one task for each of its occurrences.',
  Server: 'For whoever runs the server; outside the base path, and without a token.',
};

const PATH_NAMES: Record<string, string> = { job_id: 'recurring task' };

const ErrorAnswer = z.object({
  error: z.string().openapi({ description: 'The kind of refusal', example: 'ValidationError' }),
  message: z.string().openapi({ description: 'For people; may change' }),
  issues: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .openapi({ description: 'With ValidationError only: every broken rule, by field' }),
});

interface Refusal {
  error: ErrorKind;
  /** When it is given. */
  description: string;
  /** For the example. */
  message: string;
  issues?: Issue[];
  headers?: Record<string, string>;
}

const REFUSALS: Record<number, Refusal> = {
  400: {
    error: 'ValidationError',
    description:
      'Input that breaks rules: `ValidationError`, with all of them in `issues`. Malformed JSON, or an action that the state forbids: `BadRequestError`',
    message: 'Title must be 1 to 500 characters',
    issues: [{ path: 'title', message: 'Title must be 1 to 500 characters' }],
  },
  401: {
    error: 'UnauthorizedError',
    description:
      'What should prove who you are is missing, wrong, expired, used or revoked: the access token, or what is sent to sign in',
    message: 'The session has ended',
    headers: { 'WWW-Authenticate': '`Bearer`, where an access token is asked for' },
  },
  403: {
    error: 'ForbiddenError',
    description:
      'You are no member of this workspace, or your role in it is too low; elsewhere, what the operation says',
    message: 'This needs the role admin or a higher one',
  },
  404: {
    error: 'NotFoundError',
    description: 'No such workspace, or no such thing in this workspace',
    message: 'No such task',
  },
  413: {
    error: 'PayloadTooLargeError',
    description: 'The body is too large',
    message: 'The body may have at most 1048576 bytes',
  },
  415: {
    error: 'UnsupportedMediaTypeError',
    description: 'The body is not `application/json` in UTF-8',
    message: 'A body must have Content-Type: application/json',
  },
  429: {
    error: 'TooManyRequestsError',
    description: 'Rate limit exceeded',
    message: 'Too many requests, try again later',
    headers: { 'Retry-After': 'Seconds to wait' },
  },
  500: {
    error: 'InternalServerError',
    description: 'Internal error; the log has the details under the `X-Request-Id`',
    message: 'Something went wrong on our side',
  },
  503: {
    error: 'ServiceUnavailableError',
    description: 'The storage cannot take writes now, or the server is stopping',
    message: 'Not ready',
  },
};

/**
 * Describes every route by the shapes that validate. Answers what makes the OpenAPI 3.1 document of that, with an
 * example of every body: were all of it done then, whoever asks first would be held up, and all others.
 */
export function describe(
  basePath: string,
  publicUrl: string,
  routes: readonly Route[],
): () => OpenApiDocument {
  const described = new OpenAPIHono();
  const registry = described.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The accessToken of a sign-in',
  });
  registry.register('Error', ErrorAnswer);
  for (const refusal of Object.values(REFUSALS)) {
    registry.registerComponent('responses', refusal.error, refusalResponse(refusal));
  }
  for (const route of routes) registry.registerPath(operation(basePath, route));
  registry.registerPath(health('/healthz', 'Check that the server answers', 'ok'));
  registry.registerPath(health('/readyz', 'Check that the server is ready', 'ready', [503]));
  registry.registerPath(metrics);
  return () => documentOf(described, publicUrl);
}

function documentOf(described: OpenAPIHono, publicUrl: string): OpenApiDocument {
  const generated = described.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Errand',
      version,
      license: { name: 'MIT' },
      description:
        'Task management that you host yourself: accounts, workspaces, lists, tasks, recurring tasks.\n\n' +
        'Bodies are JSON objects in UTF-8. Unknown fields are ignored; of a field that comes twice the last one counts. ' +
        'Instants go out as `2026-11-20T09:30:00.000Z`; those sent may have any offset. Identifiers are opaque strings. ' +
        'Every list is `{ items, page, limit, total }`. In a PATCH a missing field keeps its value and `null` clears it. ' +
        'Every answer has an `X-Request-Id`, and so has what the log says of that request.',
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
  // What the library's types leave open is settled by what is registered above.
  const document = generated as unknown as OpenApiDocument;
  addExamples(document);
  return document;
}

function operation(basePath: string, route: Route): RouteConfig {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = z.object(Object.fromEntries(names.map((name) => [name, pathParameter(name)])));
  return {
    method: route.method,
    path: basePath + route.path,
    operationId: route.summary
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+(\w?)/g, (_all, next: string) => next.toUpperCase()),
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, route.door.role && `Needs the role ${route.door.role} or a higher one.`]
      .filter(Boolean)
      .join('\n\n'),
    security: route.door.bearer ? [{ bearer: [] }] : [],
    request: {
      ...(names.length > 0 && { params }),
      ...(route.query && { query: route.query }),
      ...(route.body && {
        body: { required: !route.bodyOptional, content: { 'application/json': { schema: route.body } } },
      }),
    },
    responses: {
      [route.status]: route.answer
        ? { description: 'Done', content: { 'application/json': { schema: route.answer } } }
        : { description: 'Done; the answer has no body' },
      ...(route.alsoAnswers && {
        [route.alsoAnswers.status]: { description: route.alsoAnswers.description },
      }),
      ...refusals(refusalsOf(route)),
    },
  };
}

const pathParameter = (name: string) =>
  z.string().openapi({ description: `Id of the ${PATH_NAMES[name] ?? name.replace(/_id$/, '')}` });

/** The statuses that a route may refuse with. */
export function refusalsOf(route: Route): number[] {
  const takesInput = route.body || route.query;
  return [
    ...(takesInput ? [400] : []),
    ...(route.door.bearer || route.tag === 'Accounts' ? [401] : []),
    ...(route.door.role ? [403] : []),
    ...(route.path.includes('{') ? [404] : []),
    ...(route.body ? [413, 415] : []),
    ...(route.refuses ?? []),
    429,
    500,
    503,
  ];
}

const refusals = (statuses: number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status]?.error}` }]),
  );

const refusalResponse = ({ description, headers, ...example }: Refusal) => ({
  description,
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, meaning]) => [
        name,
        { description: meaning, schema: { type: 'string' as const } },
      ]),
    ),
  }),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
});

const health = (path: string, summary: string, status: string, refused: number[] = []): RouteConfig => ({
  method: 'get',
  path,
  operationId: path.slice(1),
  tags: ['Server'],
  summary,
  security: [],
  responses: {
    200: {
      description: 'Done',
      content: { 'application/json': { schema: z.object({ status: z.literal(status) }) } },
    },
    ...refusals(refused),
  },
});

const metrics: RouteConfig = {
  method: 'get',
  path: '/metrics',
  operationId: 'metrics',
  tags: ['Server'],
  summary: 'Read the metrics',
  description:
    "In Prometheus' text format. Off unless `metrics.enabled`: then it is no route. Asked from another machine, or through a proxy, it takes `metrics.token` as a Bearer token.",
  security: [],
  responses: {
    200: { description: 'Done', content: { 'text/plain': { schema: z.string() } } },
    ...refusals([401, 404, 429]),
  },
};
