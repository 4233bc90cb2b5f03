import { z } from '@hono/zod-openapi';
import { ERROR_KINDS, type ErrorKind, type Issue } from '../kernel/errors.ts';
import { CHANGED_MEANWHILE } from './etags.ts';
import type { Route } from './route.ts';

const ErrorName = z.enum(ERROR_KINDS).openapi('ErrorKind');

export const ErrorBody = z.object({
  // Open: a client must bear with a kind that it does not know.
  error: z.union([ErrorName, z.string()]).openapi({
    description: 'The kind of error; more kinds may come',
    example: 'ValidationError',
  }),
  message: z.string().openapi({ description: 'For people; may change' }),
  issues: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .openapi({ description: 'With ValidationError only: every broken rule, by field' }),
});

interface DocumentedError {
  error: ErrorKind;
  /** When it is given. */
  description: string;
  /** For the example. */
  message: string;
  issues?: Issue[];
  headers?: Record<string, { description: string; schema: { type: 'string' | 'integer'; minimum?: number } }>;
  /** Of the component, where the kind has several statuses. */
  name?: string;
}

export const ERRORS: Record<number, DocumentedError> = {
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
    headers: {
      'WWW-Authenticate': {
        description: '`Bearer`, where an access token is asked for',
        schema: { type: 'string' },
      },
    },
  },
  403: {
    error: 'ForbiddenError',
    description:
      'You are not a member of this workspace, or your role in it is too low; elsewhere, what the operation says',
    message: 'This needs the role admin or a higher one',
  },
  404: {
    error: 'NotFoundError',
    description: 'No such workspace, or no such thing in this workspace',
    message: 'No such task',
  },
  408: {
    error: 'BadRequestError',
    name: 'RequestTimeout',
    description: 'The request took too long to arrive',
    message: 'The request took too long to arrive',
  },
  412: {
    error: 'PreconditionFailedError',
    description: '`If-Match` names another version than the present one',
    message: CHANGED_MEANWHILE,
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
  417: {
    error: 'BadRequestError',
    name: 'ExpectationFailed',
    description: '`Expect` is something else than `100-continue`',
    message: 'Expect may only be 100-continue',
  },
  429: {
    error: 'TooManyRequestsError',
    description: 'Rate limit exceeded',
    message: 'Too many requests, try again later',
    headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } },
  },
  431: {
    error: 'BadRequestError',
    name: 'HeadersTooLarge',
    description: 'The headers, or the address with its query, are too large',
    message: 'The headers are too large',
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

/** The statuses that a route may reject with. */
export function errorsOf(route: Route): number[] {
  const takesInput = route.body || route.query || route.isConditional;
  return [
    ...(takesInput && !route.takesAnyQuery ? [400] : []),
    ...(route.guard.bearer ? [401] : []),
    ...(route.guard.bearer || route.signsIn ? [403] : []),
    ...(route.path.includes('{') ? [404] : []),
    ...(route.isConditional ? [412] : []),
    ...(route.body ? [408, 413, 415, 417] : []),
    ...(route.errors ?? []),
    429,
    431,
    500,
    503,
  ];
}

export const nameOf = ({ error, name = error }: DocumentedError): string => name;

function responseName(status: number): string {
  const error = ERRORS[status];
  return error ? nameOf(error) : '';
}

export const errorResponses = (statuses: number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${responseName(status)}` }]),
  );

export const errorResponseOf = ({ description, headers, name: _name, ...example }: DocumentedError) => ({
  description,
  ...(headers && { headers }),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
});
