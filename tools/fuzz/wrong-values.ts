import type { Parameter } from '../../src/http/openapi-document.ts';
import { alternativesOf, type NamedSchema, typesOf } from './operations.ts';
import { BROKEN_EMAILS, BROKEN_INSTANTS, FORBIDDEN_TEXTS } from './texts.ts';
import { kindOf } from './values.ts';

/** A place in a body, and how to put another value there. */
interface Field {
  path: string[];
  name: string;
  schema: NamedSchema;
  isRequired: boolean;
  /** The body with that value in its place; undefined leaves it out. */
  put(body: unknown, value: unknown): Record<string, unknown>;
}

const ITEM = '0';
export const UNKNOWN_ID = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';

/** Every field of a body, with those of its objects, of the first item of its arrays, and of every alternative. */
export function fieldsOf(schema: NamedSchema, path: string[] = [], beside: object = {}): Field[] {
  const isList = schema.items !== undefined;
  const parts = isList ? { [ITEM]: schema.items ?? {} } : (schema.properties ?? {});
  return Object.entries(parts).flatMap(([name, part]) => {
    const here = [...path, name];
    const field: Field = {
      path: here,
      name,
      schema: part,
      isRequired: !isList && (schema.required?.includes(name) ?? false),
      put: (body, value) => replaced(body, here, value, beside) as Record<string, unknown>,
    };
    const shapes = alternativesOf(part);
    const inner = shapes.flatMap((shape) =>
      fieldsOf(shape, here, shapes.length > 1 ? constantsOf(shape) : {}),
    );
    return [field, ...inner];
  });
}

/** Values that a field must reject, by its shape. */
export function wrongValues({ schema, name }: Field): unknown[] {
  const shapes = alternativesOf(schema);
  const types = shapes.flatMap(typesOf);
  const ofType = Object.entries(SAMPLES).flatMap(([type, samples]) => (takes(types, type) ? [] : samples));
  const isText = types.includes('string');
  return [
    ...ofType,
    ...(schema.enum ? ['', 'nonsense', String(schema.enum[0]).toUpperCase(), `${schema.enum[0]} `] : []),
    ...(schema.minimum !== undefined ? [schema.minimum - 1, -1e308, -(2 ** 53)] : []),
    ...(schema.maximum !== undefined ? [schema.maximum + 1, 1e308, 2 ** 53] : []),
    ...(types[0] === 'integer' && !isText ? [1.5, 1e-7] : []),
    ...(schema.minLength !== undefined && schema.minLength > 0 ? ['x'.repeat(schema.minLength - 1)] : []),
    ...(schema.maxLength !== undefined ? ['x'.repeat(schema.maxLength + 1)] : []),
    ...(schema.minItems !== undefined && schema.minItems > 0 ? [[]] : []),
    ...(schema.maxItems !== undefined ? [Array(schema.maxItems + 1).fill(null)] : []),
    ...shapes.flatMap(({ pattern }) => outsidePattern(pattern)),
    ...(schema.format === 'date-time' ? BROKEN_INSTANTS : []),
    ...(schema.format === 'date' ? ['', '2026-02-30', '2026-1-1', '2026-01-01T00:00:00Z'] : []),
    ...(schema.format === 'email' ? BROKEN_EMAILS : []),
    ...(kindOf(name) !== undefined ? ['', 'malformed', `${UNKNOWN_ID} `, UNKNOWN_ID, '*'] : []),
    ...(isText ? FORBIDDEN_TEXTS : []),
  ];
}

function outsidePattern(pattern: string | undefined): string[] {
  if (pattern === undefined) return [];
  const allowed = new RegExp(pattern, 'u');
  return ['', '??', 'x'.repeat(300), ' 1', 'a\nb'].filter((text) => !allowed.test(text));
}

/** The same for a parameter of the query, where everything is text. */
export function wrongParameters({ name, schema }: Parameter): string[] {
  const [type] = typesOf(schema);
  if (type === 'integer')
    return ['', '0', '-1', '1.5', '1e3', '0x10', ' 1', '+1', '١', 'NaN', 'Infinity', 'x', '1,2'];
  if (type === 'boolean') return ['', 'yes', '1', '0', 'TRUE', 'null'];
  if (schema.enum) return ['', 'nonsense', String(schema.enum[0]).toUpperCase(), schema.enum.join(',')];
  if (schema.format === 'date-time') return BROKEN_INSTANTS;
  if (kindOf(name) !== undefined)
    return ['', 'malformed', `${UNKNOWN_ID},`, `,${UNKNOWN_ID}`, `${UNKNOWN_ID} `, '*'];
  if (name === 'q') return ['', ' ', '\t\n', 'x'.repeat(201)];
  return [];
}

/** Values of each type, to be wrong where another is asked for. */
const SAMPLES: Record<string, unknown[]> = {
  null: [null],
  boolean: [true, false],
  number: [0, -0, 1.5, 1e308],
  string: ['', 'text', '1', 'NaN', 'true'],
  array: [[], [[]], ['x']],
  object: [{}, { length: 1 }, { toString: 'x' }],
};

const takes = (types: string[], type: string): boolean =>
  types.includes(type) || (type === 'number' && types.includes('integer'));

/** What tells one alternative from the others. */
const constantsOf = ({ properties = {} }: NamedSchema): object =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { enum: values }]) =>
      values?.length === 1 ? [[name, values[0]]] : [],
    ),
  );

/** The same body with another value at that place; what leads there is made where it is missing. */
function replaced(given: unknown, [key, ...rest]: string[], value: unknown, beside: object): unknown {
  if (key === undefined) return value;
  if (key === ITEM) {
    const [first, ...others] = Array.isArray(given) ? given : [];
    return [replaced(first, rest, value, beside), ...others];
  }
  const present = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  const inner = replaced((present as Record<string, unknown>)[key], rest, value, beside);
  // JSON leaves out what is undefined.
  return { ...present, ...(rest.length === 0 && beside), [key]: inner };
}
