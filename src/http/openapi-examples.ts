import { type Content, callsOf, type OpenApiDocument, resolve, type Schema } from './openapi-document.ts';

/** Gives every body of every operation an example, made of the examples of its fields. */
export function addExamples(document: OpenApiDocument): void {
  for (const { operation } of callsOf(document)) {
    addExample(document, operation.requestBody?.content, requestExample);
    for (const response of Object.values(operation.responses)) {
      if ('content' in response) addExample(document, response.content, exampleOf);
    }
  }
}

function addExample(document: OpenApiDocument, content: Content | undefined, make: typeof exampleOf): void {
  const media = content?.['application/json'] ?? content?.['text/event-stream'];
  if (media) media.example = make(document, media.schema);
}

/** A value that the schema allows, with every field. */
function exampleOf(document: OpenApiDocument, named: Schema): unknown {
  const schema = resolve(document, named);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const [alternative] = schema.anyOf ?? schema.oneOf ?? [];
  if (alternative) return exampleOf(document, alternative);
  if (schema.properties) return fieldsOf(document, schema, Object.keys(schema.properties));
  if (schema.items) return [exampleOf(document, schema.items)];
  return ZEROS[[schema.type].flat()[0] ?? ''] ?? null;
}

const ZEROS: Record<string, unknown> = { string: 'text', integer: 1, number: 1, boolean: true, object: {} };

/** What one would send: the fields that must be there, else the first one. */
function requestExample(document: OpenApiDocument, named: Schema): unknown {
  const schema = resolve(document, named);
  if (schema.example !== undefined || !schema.properties) return exampleOf(document, schema);
  const required = schema.required ?? [];
  const names = required.length > 0 ? required : Object.keys(schema.properties).slice(0, 1);
  return fieldsOf(document, schema, names, requestExample);
}

const fieldsOf = (
  document: OpenApiDocument,
  { properties = {} }: Schema,
  names: string[],
  make: (document: OpenApiDocument, schema: Schema) => unknown = exampleOf,
): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, make(document, properties[name] ?? {})]));
