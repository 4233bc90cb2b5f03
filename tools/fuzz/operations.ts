import {
  type ApiResponse,
  callsOf,
  nameIn,
  type OpenApiDocument,
  type Parameter,
  type Reference,
  resolve,
  type Schema,
} from '../../src/http/openapi-document.ts';

export type Role = 'viewer' | 'member' | 'admin' | 'owner';

/** A route as the OpenAPI document tells of it. */
export interface Operation {
  /** `PATCH /me`: without the base path. */
  name: string;
  method: string;
  /** From the root, `{name}` for what varies. */
  path: string;
  params: string[];
  query: Parameter[];
  body: Schema | undefined;
  /** An example of a body, as the document gives it. */
  example: unknown;
  isBodyRequired: boolean;
  /** Whether it asks for an access token. */
  bearer: boolean;
  /** The least role in the workspace of its path. */
  role: Role | undefined;
  /** The shape of the body for each declared status; undefined where there is no body. */
  responses: Map<number, Schema | undefined>;
  /** The statuses whose responses are plain text. */
  plain: number[];
}

export const PATH_PARAMETER = /\{(\w+)\}/g;

/** Server-sent events, which do not end by themselves. */
const isStream = (responses: Record<string, ApiResponse | Reference>): boolean =>
  Object.values(responses).some(
    (response) => 'content' in response && 'text/event-stream' in (response.content ?? {}),
  );

/** Every route of the document but streams; schemas are written out in full, without references to components. */
export const operationsOf = (document: OpenApiDocument, basePath: string): Operation[] =>
  callsOf(document).flatMap(({ method, path, operation }): Operation[] => {
    if (isStream(operation.responses)) return [];
    const media = operation.requestBody?.content['application/json'];
    const [, role] = /Needs the role (\w+)/.exec(operation.description ?? '') ?? [];
    const found: Operation = {
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: document.paths[path]?.servers ? path : basePath + path,
      params: [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => name),
      query: (operation.parameters ?? []).filter((parameter) => parameter.in === 'query'),
      body: media && writtenOut(document, media.schema),
      example: media?.example,
      isBodyRequired: operation.requestBody?.required ?? false,
      bearer: operation.security.length > 0,
      role: role as Role | undefined,
      responses: new Map(
        Object.entries(operation.responses).map(([status, response]) => [
          Number(status),
          responseOf(document, response),
        ]),
      ),
      plain: Object.entries(operation.responses).flatMap(([status, response]) =>
        'content' in response && 'text/plain' in (response.content ?? {}) ? [Number(status)] : [],
      ),
    };
    return [found];
  });

function responseOf(document: OpenApiDocument, named: ApiResponse | Reference): Schema | undefined {
  const response = '$ref' in named ? document.components.responses[nameIn(named.$ref)] : named;
  const schema = response?.content?.['application/json']?.schema;
  return schema && writtenOut(document, schema);
}

/** The schema without `$ref` and `allOf`; `title` tells which component it, or its greatest part, came from. */
function writtenOut(document: OpenApiDocument, named: Schema): NamedSchema {
  const reference = named.$ref ?? named.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  const schema: NamedSchema = { ...resolve(document, named) };
  const inner = (part: Schema) => writtenOut(document, part);
  if (reference !== undefined) schema.title = nameIn(reference);
  if (schema.properties) {
    schema.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, inner(part)]),
    );
  }
  if (schema.items) schema.items = inner(schema.items);
  if (typeof schema.additionalProperties === 'object')
    schema.additionalProperties = inner(schema.additionalProperties);
  for (const kind of ['anyOf', 'oneOf'] as const) {
    const parts = schema[kind];
    if (parts) schema[kind] = parts.map(inner);
  }
  return schema;
}

/** A schema that remembers the component it is. */
export interface NamedSchema extends Schema {
  title?: string;
}

export const typesOf = ({ type }: Schema): string[] => [type ?? []].flat();

/** The shapes among which a value must have one: a schema without alternatives is its own. */
export const alternativesOf = (schema: Schema): NamedSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** Calls for every object in `value` that is of a named component. */
export function visitComponents(
  schema: NamedSchema,
  value: unknown,
  visit: (component: string, found: Record<string, unknown>) => void,
): void {
  if (Array.isArray(value)) {
    for (const item of value) if (schema.items) visitComponents(schema.items, item, visit);
  } else if (typeof value === 'object' && value !== null) {
    const found = value as Record<string, unknown>;
    if (schema.title !== undefined) visit(schema.title, found);
    for (const shape of alternativesOf(schema)) {
      for (const [name, part] of Object.entries(shape.properties ?? {})) {
        visitComponents(part, found[name], visit);
      }
    }
  }
}
