import type { OpenApiDocument, Schema } from './openapi-document.ts';

const ANNOTATIONS = new Set(['description', 'example', 'default']);

/** Writes what says more about a named schema beside its `$ref`, as 3.1 allows, where generators find the name. */
export function tidy(document: OpenApiDocument): void {
  for (const part of [document.paths, document.components]) visit(part);
}

function visit(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) unwrapReference(value as Schema);
  for (const [name, inner] of Object.entries(value)) if (name !== 'example') visit(inner);
}

function unwrapReference(schema: Schema): void {
  const [named, more, ...others] = schema.allOf ?? [];
  if (named?.$ref === undefined || more === undefined || others.length > 0) return;
  if (!Object.keys(more).every((keyword) => ANNOTATIONS.has(keyword))) return;
  delete schema.allOf;
  Object.assign(schema, named, more);
}
