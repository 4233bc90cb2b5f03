import { type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { version } from '../build-info.ts';
import type { Environment } from './request.ts';
import type { Route } from './route.ts';

const ErrorAnswer = z
  .object({
    error: z.string().openapi({ description: 'The kind of refusal', example: 'ValidationError' }),
    message: z.string().openapi({ description: 'For people; may change' }),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'With ValidationError only: every broken rule, by field' }),
  })
  .openapi('Error');

const REFUSALS: Record<number, string> = {
  400: 'Invalid input, or an action that the state forbids',
  401: 'What should prove who you are is missing, wrong, expired, used or revoked',
  403: 'Insufficient permissions',
  404: 'No such thing',
  413: 'The body is too large',
  415: 'The body is not application/json',
  429: 'Rate limit exceeded; `Retry-After` says for how many seconds',
  500: 'Internal error; the log has the details under the `X-Request-Id`',
  503: 'The storage cannot take writes now, or the server is stopping',
};

/** Writes every route into the application's OpenAPI registry, from the shapes that validate. */
export function describe(app: OpenAPIHono<Environment>, basePath: string, routes: readonly Route[]): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The accessToken of a sign-in',
  });
  for (const route of routes) app.openAPIRegistry.registerPath(operation(basePath, route));
}

/** The OpenAPI 3.1 document of everything described. */
export const openApiDocument = (app: OpenAPIHono<Environment>, publicUrl: string) =>
  app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Errand',
      version,
      license: { name: 'MIT' },
      description:
        'Task management that you host yourself: accounts, workspaces, lists, tasks, recurring tasks.\n\n' +
        'Instants go out as `2026-11-20T09:30:00.000Z`; those sent may have any offset. Identifiers are opaque strings. ' +
        'Every list is `{ items, page, limit, total }`. In a PATCH a missing field keeps its value and `null` clears it.',
    },
    servers: [{ url: publicUrl }],
  });

function operation(basePath: string, route: Route): RouteConfig {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
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
    ...(route.door.bearer && { security: [{ bearer: [] }] }),
    request: {
      ...(names.length > 0 && { params }),
      ...(route.query && { query: route.query }),
      ...(route.body && {
        body: { required: !route.bodyOptional, content: { 'application/json': { schema: route.body } } },
      }),
    },
    responses: {
      [route.status]: {
        description: 'Done',
        ...(route.answer && { content: { 'application/json': { schema: route.answer } } }),
      },
      ...(route.alsoAnswers && {
        [route.alsoAnswers.status]: { description: route.alsoAnswers.description },
      }),
      ...Object.fromEntries(refusalsOf(route).map((status) => [status, refusalResponse(status)])),
    },
  };
}

function refusalsOf(route: Route): number[] {
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

const refusalResponse = (status: number) => ({
  description: REFUSALS[status] ?? '',
  content: { 'application/json': { schema: ErrorAnswer } },
});
