import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Deps } from '../deps.ts';
import { badRequest, type Issue, invalid } from '../kernel/errors.ts';
import { isPlainText, readBody } from './body.ts';
import { isCommaList } from './fields.ts';
import type { Environment } from './request-context.ts';
import type { QueryShape, Route, Shape } from './route.ts';

/** A longer read counts as one more request for each of these: to read and to write it takes as long as so many. */
export const CHARACTERS_OF_A_REQUEST = 128 * 1024;

/** No character has more in UTF-8. */
export const MAX_BYTES_OF_CHARACTER = 3;

/** What a request gives. The caller is authorized again before references are validated: the body may have been long in coming. */
export async function readInput(
  declared: Route,
  {
    authorize,
    charge,
    ...entered
  }: {
    deps: Deps;
    params: Record<string, string>;
    authorize: () => unknown;
    charge: (count?: number) => void;
  },
  context: Context<Environment>,
  maxBytes: number,
) {
  const issues: Issue[] = [];
  const query = declared.takesAnyQuery
    ? context.req.query()
    : declared.query && check(declared.query, readQuery(context, declared.query, issues), issues);
  const isRead = declared.body && !declared.longBody;
  const reading = isRead && readBody(context.req.raw, maxBytes, () => sayContinue(context));
  // As its body says, and as one where that cannot be read.
  if (declared.costOf && reading) charge(await reading.then(declared.costOf, () => 1));
  const given = reading && ((await reading) ?? {});
  const body = isRead && check(declared.body, given, issues);
  if (issues.length === 0) return { query, body };
  const references =
    declared.validateReferences?.({
      ...entered,
      who: await authorize(),
      body: validFieldsOf(declared.body, given) ?? {},
    }) ?? [];
  throw invalid(...issues, ...beside(issues, references));
}

/** What was given, as the shape makes it; 400 with all issues, those of references in the valid fields too. */
export function inputOf<S extends Shape>(
  shape: S,
  given: unknown,
  references?: (valid: Partial<z.output<S>>) => Issue[],
): z.output<S> {
  const issues: Issue[] = [];
  const input = check(shape, given, issues);
  if (issues.length === 0) return input as z.output<S>;
  const more = references?.((validFieldsOf(shape, given) ?? {}) as Partial<z.output<S>>) ?? [];
  throw invalid(...issues, ...beside(issues, more));
}

/** The issues of references at other paths than those that have one already. */
const beside = (issues: readonly Issue[], references: readonly Issue[]): Issue[] =>
  references.filter(({ path }) => issues.every((issue) => issue.path !== path));

/** To a client that waits for it before it sends its body. */
export function sayContinue({ env }: Context<Environment>): void {
  if (env?.outgoing?.awaitsContinue) env.outgoing.writeContinue();
}

function readQuery(
  context: Context<Environment>,
  shape: QueryShape,
  issues: Issue[],
): Record<string, string> {
  const values: Record<string, string> = {};
  const { url } = context.req;
  const start = url.indexOf('?');
  if (start === -1) return values;
  if (!decodes(url.slice(start))) throw badRequest('The query is not valid percent-encoded UTF-8');
  for (const [name, given] of Object.entries(context.req.queries())) {
    if (!Object.hasOwn(shape.shape, name)) {
      const meant = Object.keys(shape.shape).find((known) => plain(known) === plain(name));
      if (meant !== undefined) issues.push({ path: meant, message: spelling(shape, meant) });
      continue;
    }
    if (given.length > 1) issues.push({ path: name, message: repetition(shape, name) });
    else if (!isPlainText(given[0] ?? '')) issues.push({ path: name, message: 'Must be plain text' });
    values[name] = given[0] ?? '';
  }
  return values;
}

/** What is left of a parameter's name when it is written as some clients do: `statusType[]`, `status_type`. */
const plain = (name: string): string =>
  name
    .replace(/(\[[^\]]*\])+$/, '')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase();

const repetition = (shape: QueryShape, name: string): string =>
  `Must be given once only${isCommaList(shape.shape[name]) ? `. ${spelling(shape, name)}` : ''}`;

const spelling = (shape: QueryShape, name: string): string =>
  isCommaList(shape.shape[name])
    ? `Several values have commas between: use ${name}=a,b`
    : `The name is ${name}: use ${name}=…`;

function decodes(text: string): boolean {
  try {
    if (text.includes('%')) decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function check(shape: Shape, given: unknown, issues: Issue[]): unknown {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    issues.push({ path: path.join('.'), message, isMissing: isMissing(given, path) });
  return undefined;
}

/** Whether nothing stands at that path, though there is something it could stand in. */
function isMissing(given: unknown, [name, ...rest]: readonly PropertyKey[]): boolean {
  if (name === undefined || typeof given !== 'object' || given === null) return false;
  const inner: unknown = Reflect.get(given, name);
  return rest.length === 0 ? inner === undefined : isMissing(inner, rest);
}

/** The fields of something given that keep their own rules, though all together they do not. */
function validFieldsOf(shape: Shape, given: unknown): unknown {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  if (!(shape instanceof z.ZodObject) || typeof given !== 'object' || given === null) return undefined;
  const values = given as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(shape.shape).map(([name, field]) => [name, validFieldsOf(field as Shape, values[name])]),
  );
}
