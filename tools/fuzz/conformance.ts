import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { alternativesOf, type NamedSchema, type Operation } from './operations.ts';

/** What came back. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

const KINDS: Record<number, string[]> = {
  400: ['ValidationError', 'BadRequestError'],
  401: ['UnauthorizedError'],
  403: ['ForbiddenError'],
  404: ['NotFoundError'],
  405: ['MethodNotAllowedError'],
  413: ['PayloadTooLargeError'],
  415: ['UnsupportedMediaTypeError'],
  429: ['TooManyRequestsError'],
  503: ['ServiceUnavailableError'],
};
const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FIXED_HEADERS: Record<string, string> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};
const BANNERS = ['server', 'x-powered-by'];

/** Tells what a response does that its route does not declare, or that no response may do. */
type Conformance = (operation: Operation, response: Received, body: unknown) => string[];

/** The checks of every response, with the shapes compiled once. */
export function createConformance(): Conformance {
  // What goes out has one form of instants, stricter than RFC 3339.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, date: /^\d{4}-\d\d-\d\d$/ },
  });
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = ({ name }: Operation, status: number, schema: NamedSchema): ValidateFunction => {
    const key = `${status} ${name}`;
    const validate = compiled.get(key) ?? ajv.compile(closed(schema));
    compiled.set(key, validate);
    return validate;
  };
  return (operation, { status, headers, text }, body) => {
    const found = faultsOfHeaders(operation, status, headers);
    if (status >= 500) found.push(`status ${status}`);
    const isOfHttp = status === 405 || (status === 404 && !operation.responses.has(404));
    if (isOfHttp) return found;
    if (!operation.responses.has(status)) return [...found, `status ${status} is not declared`];
    if (operation.plain.includes(status)) {
      return headers.get('content-type')?.startsWith('text/plain') ? found : [...found, 'no plain text'];
    }
    const schema = operation.responses.get(status);
    if (schema === undefined) return text === '' ? found : [...found, 'a body where none is declared'];
    if (body === undefined) return [...found, 'no JSON where a body is declared'];
    const validate = validatorOf(operation, status, schema);
    if (!validate(body)) {
      const [error] = validate.errors ?? [];
      found.push(
        `body: ${error?.instancePath || '/'} ${error?.message} ${JSON.stringify(error?.params)}`.slice(
          0,
          300,
        ),
      );
    }
    return [...found, ...faultsOfPage(body), ...faultsOfRejection(status, body)];
  };
}

function faultsOfHeaders({ bearer }: Operation, status: number, headers: Headers): string[] {
  const found = Object.entries(FIXED_HEADERS).flatMap(([name, value]) =>
    headers.get(name) === value ? [] : [`header ${name}: ${headers.get(name)}`],
  );
  if (!REQUEST_ID.test(headers.get('x-request-id') ?? '')) found.push('no X-Request-Id of ours');
  for (const name of BANNERS) if (headers.has(name)) found.push(`a banner: ${name}`);
  if (status === 401 && bearer && headers.get('www-authenticate') !== 'Bearer')
    found.push('401 without WWW-Authenticate: Bearer');
  if (status === 405 && !headers.get('allow')) found.push('405 without Allow');
  if (status === 429 && !(Number(headers.get('retry-after')) > 0)) found.push('429 without Retry-After');
  return found;
}

function faultsOfPage(body: unknown): string[] {
  const { items, page, limit, total } = body as Record<string, unknown>;
  if (!Array.isArray(items) || typeof page !== 'number') return [];
  const expected = Math.max(0, Math.min(Number(total) - (page - 1) * Number(limit), Number(limit)));
  return items.length === expected
    ? []
    : [`${items.length} items on page ${page} of ${limit} where the total is ${total}`];
}

function faultsOfRejection(status: number, body: unknown): string[] {
  if (status < 400) return [];
  const { error, issues } = body as Record<string, unknown>;
  if (!KINDS[status]?.includes(String(error))) return [`${status} calls itself ${error}`];
  return (error === 'ValidationError') === Array.isArray(issues) ? [] : [`${error} and issues disagree`];
}

/** The same shape, with no field beyond those it names. */
function closed(schema: NamedSchema): NamedSchema {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema;
  // An example is data, and `discriminator` needs no support: the alternatives say it all.
  const { example: _example, ...own } = schema;
  return {
    ...own,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, closed(part)])),
      additionalProperties: additionalProperties ?? false,
    }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: alternativesOf(schema).map(closed) }),
    ...(oneOf && { oneOf: alternativesOf(schema).map(closed) }),
  };
}
