import { html } from 'hono/html';
import { nameIn, type OpenApiDocument, resolve, type Schema } from '../http/openapi-document.ts';
import type { Html } from './layout.ts';

/** Where the shape that has this name is told. */
export const shapeAnchor = (name: string): string => `shape-${name}`;

/** Paragraphs, with what stands in backticks as code. */
export const prose = (text = ''): Html =>
  html`${text
    .split('\n\n')
    .filter(Boolean)
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;

/** One line of prose. */
export const inline = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** Whether a client sends what is described, and looks for what it must; or gets it, and for what may be missing. */
type Way = 'sent' | 'told';

/** Everything that can be said of a shape: its alternatives, its fields to the last. */
export function shape(document: OpenApiDocument, named: Schema, way: Way): Html {
  const schema = resolve(document, named);
  const { anyOf, oneOf, properties = {}, required = [] } = schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives) {
    return html`${alternatives.map(
      (each, index) => html`<p class="quiet">${index > 0 ? 'or' : 'Either'}</p>${shape(document, each, way)}`,
    )}`;
  }
  const entries = Object.entries(properties);
  if (entries.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return html`<dl class="fields">${entries.map(([name, field]) =>
    fieldOf(document, { name, schema: field, way, isRequired: required.includes(name) }),
  )}</dl>`;
}

interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  way: Way;
  description?: string | undefined;
}

/** A field or parameter: what it is called, what it may be, what it means. */
export function fieldOf(document: OpenApiDocument, field: Field): Html {
  const { name, schema, isRequired, way, description } = field;
  const meaning = description ?? schema.description ?? describedIn(schema);
  const inner = schema.type === 'array' && schema.items ? schema.items : schema;
  const isTold = inner.properties !== undefined || inner.oneOf?.some(({ properties }) => properties);
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    way === 'sent' && isRequired && html` <span class="required">required</span>`
  }${
    way === 'told' && !isRequired && html`<span class="type">, may be missing</span>`
  }</dt><dd>${meaning !== undefined && html`<p>${inline(meaning)}</p>`}${limits(document, schema)}${
    isTold && shape(document, inner, way)
  }</dd></div>`;
}

/** A name that has a description of its own here is written as both of them together. */
const describedIn = ({ allOf = [] }: Schema): string | undefined =>
  allOf.find(({ description }) => description !== undefined)?.description;

/** `string or null`, `array of Task`: in a word or a few, with links to the shapes that have names. */
export function typeOf(schema: Schema): Html {
  const { $ref, type, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = nameIn($ref);
    return html`<a href="#${shapeAnchor(name)}">${name}</a>`;
  }
  const alternatives =
    schema.anyOf ?? schema.oneOf ?? schema.allOf?.filter((part) => part.$ref !== undefined);
  if (alternatives) {
    return html`${alternatives.map((each, index) => html`${index > 0 && ' or '}${typeOf(each)}`)}`;
  }
  if (type === 'array' && items) return html`array of ${typeOf(items)}`;
  if (type === 'object' && typeof additionalProperties === 'object' && !schema.properties) {
    return html`object of ${typeOf(additionalProperties)}`;
  }
  const names = [type ?? 'any'].flat();
  return html`${names.map((name) => (name === 'string' ? (schema.format ?? name) : name)).join(' or ')}`;
}

/** What values are allowed, and which is taken by default. */
function limits(document: OpenApiDocument, schema: Schema): Html {
  const inner = resolve(document, schema.type === 'array' && schema.items ? schema.items : schema);
  const values = (inner.enum ?? []).filter((value) => value !== null);
  const lines = [
    values.length > 0 &&
      html`${values.length === 1 ? 'Always' : 'One of'} ${values.map((value, index) => html`${index > 0 && ', '}${code(value)}`)}`,
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'entries'),
    range(schema.minimum, schema.maximum),
    schema.pattern !== undefined &&
      schema.description === undefined &&
      html`Matches <code>${schema.pattern}</code>`,
    schema.default !== undefined && html`Default ${code(schema.default)}`,
    isTelling(schema) && html`Example ${code(schema.example)}`,
  ].filter((line) => line !== false);
  return html`${lines.length > 0 && html`<p class="limits">${lines.map((line) => html`<span>${line}</span> `)}</p>`}`;
}

const ID = /^[0-9a-f-]{36}$/;

/** Whether the example says more than the type does: ids and instants all look alike. */
const isTelling = ({ example, format, enum: values }: Schema): boolean =>
  ['string', 'number'].includes(typeof example) &&
  !values &&
  format !== 'date-time' &&
  !ID.test(String(example));

const code = (value: unknown): Html =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

function range(least: number | undefined, most: number | undefined, of = ''): Html | false {
  if (least === undefined && most === undefined) return false;
  if (most === undefined || most >= Number.MAX_SAFE_INTEGER) return html`At least ${least} ${of}`;
  if (least === undefined) return html`At most ${most} ${of}`;
  return html`${least} to ${most} ${of}`;
}
