import { nameIn, type OpenApiDocument } from '../http/openapi-document.ts';

const ROOT = 'AccountExport';
/** Formats in a way that every validator checks: to many they are mere remarks. */
const PATTERNS: Record<string, string> = {
  date: '^\\d{4}-\\d\\d-\\d\\d$',
  'date-time': '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
};

/** The JSON Schema (2020-12) of an export, with all that it refers to, from the components of the OpenAPI document. */
export function exportSchema(document: OpenApiDocument): object {
  const $defs: Record<string, unknown> = {};
  const define = (name: string) => {
    if (name in $defs) return;
    // Before what is in it, which may refer to it.
    $defs[name] = undefined;
    $defs[name] = translate(document.components.schemas[name]);
  };
  const translate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(translate);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).flatMap(translateKeyword));
  };
  const translateKeyword = ([keyword, value]: [string, unknown]): [string, unknown][] => {
    if (keyword === 'properties') {
      const fields = Object.entries(value as object).map(([name, field]) => [name, translate(field)]);
      return [[keyword, Object.fromEntries(fields)]];
    }
    if (keyword === 'example' || keyword === 'discriminator') return [];
    if (keyword === 'format') {
      const pattern = PATTERNS[String(value)];
      return pattern === undefined ? [] : [['pattern', pattern]];
    }
    if (keyword !== '$ref') return [[keyword, translate(value)]];
    const name = nameIn(String(value));
    define(name);
    return [[keyword, `#/$defs/${name}`]];
  };
  define(ROOT);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Errand export',
    $ref: `#/$defs/${ROOT}`,
    $defs,
  };
}
