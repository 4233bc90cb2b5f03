import { METHODS } from './route.ts';

/** The part of an OpenAPI 3.1 document that is written and read here. */
export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  servers: Server[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, Schema>; responses: Record<string, ApiResponse> };
}

interface Server {
  url: string;
}

type PathItem = Partial<Record<(typeof METHODS)[number], Operation>> & {
  /** In place of those of the document: the base path is not in front of it. */
  servers?: Server[];
};

/** An operation, and where it is. */
export interface Call {
  method: string;
  path: string;
  operation: Operation;
  /** What the path is relative to. */
  server: string;
}

/** Every operation of the document. */
export const callsOf = ({ paths, servers }: OpenApiDocument): Call[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const [server] = item.servers ?? servers;
      return operation ? [{ method, path, operation, server: server?.url ?? '' }] : [];
    }),
  );

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** None: open to everyone. */
  security: unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, ApiResponse | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface ApiResponse {
  description: string;
  headers?: Record<string, Header | Reference>;
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>;
  content?: Content;
}

export interface Header {
  description: string;
  schema: Schema;
}

/** Bodies are JSON, in and out; only the metrics are text. */
export interface Content {
  'application/json'?: { schema: Schema; example?: unknown };
  'text/plain'?: { schema: Schema };
  'text/event-stream'?: { schema: Schema; example?: unknown };
}

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** The last part of `#/components/schemas/Task`. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** The schema itself, where one is only named; `allOf` becomes one object with the fields of all. */
export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const { $ref, ...own } = schema;
    return { ...resolve(document, document.components.schemas[nameIn($ref)] ?? {}), ...own };
  }
  if (!schema.allOf) return schema;
  const { allOf, ...own } = schema;
  const whole: Schema = {};
  for (const part of [...allOf, own].map((each) => resolve(document, each))) {
    const { properties, required } = whole;
    Object.assign(whole, part);
    if (properties) whole.properties = { ...properties, ...part.properties };
    if (required) whole.required = [...required, ...(part.required ?? [])];
  }
  return whole;
}
