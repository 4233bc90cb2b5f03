import { type ApiResponse, callsOf, type Header, type OpenApiDocument } from './openapi-document.ts';
import { createdAt, isVersioned, type Route } from './route.ts';

const REQUEST_ID: Header = {
  description: 'Names this request, also in the log',
  schema: { type: 'string', format: 'uuid' },
};

const SET_COOKIE =
  'With `session: "cookie"`: the secret of the session, in a cookie that no script reads (the `cookie` of `securitySchemes`)';

const ETAG: Header = {
  description:
    'Of the thing in this version: the `epoch` that `changes` tells, and its `version`. Weak (`W/`) where the body is compressed',
  schema: { type: 'string' },
};

/** The headers of a success that only some routes have, each with what it says. */
export const ownHeadersOf = ({ headers, signsIn }: Route): Record<string, string> => ({
  ...headers,
  ...(signsIn && { 'Set-Cookie': SET_COOKIE }),
});

/** Tells of the headers of every response, and of what a client can do with what it created. */
export function addHeadersAndLinks(document: OpenApiDocument, routes: readonly Route[]): void {
  Object.assign(document.components, { headers: { RequestId: REQUEST_ID } });
  const responses = callsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  for (const response of [...responses, ...Object.values(document.components.responses)]) {
    if ('$ref' in response) continue;
    response.headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...response.headers };
  }
  for (const route of routes) {
    const responses = document.paths[route.path]?.[route.method]?.responses ?? {};
    for (const response of isVersioned(route) ? Object.values(responses) : [])
      if (!('$ref' in response)) response.headers = { ...response.headers, ETag: ETAG };
    const success = responses[route.status];
    if (!success || '$ref' in success) continue;
    for (const [name, description] of Object.entries(ownHeadersOf(route)))
      success.headers = { ...success.headers, [name]: { description, schema: { type: 'string' } } };
    const path = createdAt(route, routes);
    if (path !== undefined) describeCreated(document, path, success);
  }
}

function describeCreated(document: OpenApiDocument, path: string, response: ApiResponse): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const own = names.at(-1) ?? '';
  const given = names.slice(0, -1).map((name) => [name, `$request.path.${name}`]);
  const parameters = Object.fromEntries([...given, [own, '$response.body#/id']]);
  response.headers = {
    ...response.headers,
    Location: { description: 'The path of what was created', schema: { type: 'string' } },
  };
  response.links = Object.fromEntries(
    callsOf(document)
      .filter((call) => call.path === path)
      .map(({ operation: { operationId } }) => [operationId, { operationId, parameters }]),
  );
}
