/** The part of an OpenAPI 3.1 document that is written and read here. */
export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** None: open to everyone. */
  security: unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Answer | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Answer {
  description: string;
  content?: Content;
}

/** Bodies are JSON, in and out; only the metrics are text. */
export interface Content {
  'application/json'?: { schema: Schema; example?: unknown };
  'text/plain'?: { schema: Schema };
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
