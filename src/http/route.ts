import { z } from '@hono/zod-openapi';
import type { Context, Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { AppError, type Issue, invalid } from '../kernel/errors.ts';
import { epochOf } from '../storage/meta.ts';
import { isPlainText, readBody, readChunks } from './body.ts';
import type { Held } from './bytes-under-way.ts';
import { networkOf } from './client-address.ts';
import {
  acceptsGzip,
  gzipped,
  gzippedStream,
  hasShortForm,
  isCompressible,
  markGzipped,
  varyByEncoding,
} from './compression.ts';
import { etagOf, namesEtag, type Precondition, preconditionOf } from './etags.ts';
import { isCommaList } from './fields.ts';
import { jsonOf } from './long-json.ts';
import { usePlainMessages } from './plain-messages.ts';
import { type Environment, type RequestContext, requestContextOf } from './request-context.ts';
import { commonHeaders, jsonHeaders, respond, respondText } from './response.ts';
import { requireSameOrigin } from './same-origin.ts';

const SHORT_BODY_BYTES = 16 * 1024;
/** A longer read counts as one more request for each of these: to read and to write it takes as long as so many. */
const CHARACTERS_OF_A_REQUEST = 128 * 1024;
/** No character has more in UTF-8. */
const MAX_BYTES_OF_CHARACTER = 3;

/** Tells who comes in and whether they may; throws 401, 403 or 404 otherwise. */
export interface Guard<Who> {
  authorize(deps: Deps, requestContext: RequestContext, request: GuardRequest): Who | Promise<Who>;
  /** A Bearer token is asked for. */
  bearer?: true;
  /**
   * What API tokens may do there: nothing (403), all that their cap allows in the workspace, or read what is of their
   * workspaces. Every guard that takes credentials says it.
   */
  apiTokens?: 'rejected' | 'capped' | 'narrowed';
  /** For the description: the least role that may authorize. */
  role?: string;
}

export interface GuardRequest {
  authorization: string | undefined;
  workspaceId: string | undefined;
  /** A GET or HEAD. */
  isRead: boolean;
  /** Other sites may not ask for it with the caller's cookie, though it is a GET. */
  isPrivate: boolean;
}

/** The guard of public routes: everyone passes. */
export const open: Guard<undefined> = { authorize: () => {} };

usePlainMessages();

type Shape = z.ZodType<unknown, unknown>;
type QueryShape = z.ZodObject;
type Read<S> = S extends z.ZodType<infer Output> ? Output : undefined;
type Result<S> =
  S extends z.ZodType<infer Output> ? Output | Existing<Output> | Response : Response | undefined;
type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;

interface RouteOf<Path extends string, Who, Query, Body, ResponseShape> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Relative to the base path, `{name}` for what varies. */
  path: Path;
  guard: Guard<Who>;
  /** Which bucket a request is counted in, beside the one of its user. */
  limit?: 'auth' | 'refresh' | 'search';
  /** How many requests of its user a body counts as, which is read before that. */
  costOf?: (body: unknown) => number;
  /** A public route that hashes or compares a password: 429 while too many wait for that, before the body is read. */
  hashes?: true;
  query?: Query;
  /** A GET that pages of other sites may not cause with someone's cookie: it takes from what the person is allowed. */
  isPrivate?: true;
  /** It signs someone in: what its body calls `session` says where the session is kept. */
  signsIn?: true;
  /** What is wrong with a query is ignored: its parameters are plain texts, as they came. */
  takesAnyQuery?: true;
  body?: Body;
  /** It changes a thing only where that is as `If-Match` says: else 412. */
  isConditional?: true;
  /** Validates references in the fields that passed their own rules, so that all issues are reported together. */
  validateReferences?(input: {
    deps: Deps;
    who: Who;
    params: Params<Path>;
    body: Partial<Read<Body>>;
  }): Issue[];
  /** Its body is not read before `handle`, which reads it piece by piece: so many bytes at most, and for so long. */
  longBody?: { maxBytes: number; milliseconds: number };
  /** Its body is a few fields: 16 KiB at most. */
  shortBody?: true;
  /** For the description: the body may be left out altogether. */
  bodyOptional?: true;
  status: 200 | 201 | 204;
  /** The shape of the response's body; none for a response without one. */
  response?: ResponseShape;
  /** The response goes on as long as the connection does: server-sent events of this shape. */
  isStream?: true;
  /** For the description: the headers of its success beside those that every response has, each with what it says. */
  headers?: Readonly<Record<string, string>>;
  /** Another success without a body, which its handler returns as a Response. */
  otherResponses?: { status: 201; description: string };
  /** When it responds with what is there already (200, `Existing`) in place of what it would have created. */
  existing?: string;
  /** Errors of its own rules, beside those that guard, path and shapes bring. */
  errors?: readonly (400 | 401 | 403)[];
  /** The name of its function in generated clients: part of the API, never to be changed. */
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  /** Returns the body, or a Response where that is no plain JSON. */
  handle(input: {
    deps: Deps;
    who: Who;
    params: Params<Path>;
    query: Read<Query>;
    body: Read<Body>;
    requestContext: RequestContext;
    /** What `If-Match` asks; of a route that `isConditional`. */
    ifMatch: Precondition;
    /** The bytes of a `longBody`, as they come. */
    chunks: () => AsyncIterable<Uint8Array>;
    /** Counts a long response before it is read; 429 or 503 where too many bytes are under way. */
    reserve: (bytes: number) => void;
  }): Result<ResponseShape> | Promise<Result<ResponseShape>>;
}

/** A route as the application mounts and describes it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of routes holds handlers of many input types
export type Route = RouteOf<string, any, any, any, any>;

/** Declares a route; its handler's input and response are typed by the shapes it names. */
export const route = <
  const Path extends string,
  Who,
  Query extends QueryShape | undefined = undefined,
  Body extends Shape | undefined = undefined,
  ResponseShape extends Shape | undefined = undefined,
>(
  declared: RouteOf<Path, Who, Query, Body, ResponseShape>,
): Route => declared as Route;

/** The path of a route as Hono writes it, under the base path. */
export const mountedPath = (basePath: string, path: string): string =>
  basePath + path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Mounts a route: address limit, guard, user limit, capacity to hash, shape, service function, response, in that order. */
export function mount(
  app: Hono<Environment>,
  deps: Deps,
  basePath: string,
  declared: Route,
  routes: readonly Route[],
): void {
  const path = mountedPath(basePath, declared.path);
  const maxBytes =
    declared.longBody?.maxBytes ??
    (declared.shortBody ? SHORT_BODY_BYTES : deps.config.server.max_body_bytes);
  const locationOf = locator(deps, basePath, createdAt(declared, routes));
  const hasTwoForms = !declared.isStream && isCompressible(declared.path);
  const hasEtag = isVersioned(declared);
  const { bytesUnderWay } = deps.http;
  const respondTo = async (context: Context<Environment>): Promise<Response> => {
    const requestContext = requestContextOf(deps, context);
    const addressBucket = declared.guard.bearer ? undefined : declared.limit;
    if (addressBucket) deps.http.limits[addressBucket](requestContext.address, deps.clock.now());
    const params = idsIn(context);
    const authorization = context.req.header('authorization');
    const authorize = () =>
      declared.guard.authorize(deps, requestContext, {
        authorization,
        workspaceId: params.workspace_id,
        isRead: declared.method === 'get',
        isPrivate: declared.isPrivate === true,
      });
    const who = await authorize();
    const charge = (count?: number) => {
      if (declared.guard.bearer && who) takeFromUser(deps, who as { userId: string }, declared.limit, count);
    };
    if (!declared.costOf) charge();
    const owner = (who as { userId?: string } | undefined)?.userId ?? networkOf(requestContext.address);
    if (declared.method === 'get') bytesUnderWay.requireRoom(owner);
    if (declared.hashes) deps.signIn.passwords.requireCapacity(requestContext.address);
    const input = await readInput(declared, { deps, params, authorize, charge }, context, maxBytes);
    const chunks = () =>
      readChunks(context.req.raw, maxBytes, () => {
        sayContinue(context);
        context.env?.outgoing?.allowBody?.(declared.longBody?.milliseconds ?? 0);
      });
    if (declared.signsIn && isForCookie(input.body)) requireSameOrigin(deps, requestContext);
    const expected = declared.isConditional ? context.req.header('if-match') : undefined;
    const ifMatch = preconditionOf(expected === undefined ? '' : epochOf(deps.read), expected);
    let reserved = 0;
    let held: Held | undefined;
    const reserve = (bytes: number) => {
      if (bytes <= reserved) return;
      if (held) held.resize(bytes);
      else held = bytesUnderWay.hold(owner, bytes, context.env?.outgoing);
      reserved = bytes;
    };
    const result = await declared.handle({
      ...{ deps, who, params, requestContext, ifMatch, chunks, reserve },
      ...input,
    });
    const { requestId } = requestContext;
    const versioned = hasEtag ? versionedIn(result) : undefined;
    const etag = versioned && etagOf(epochOf(deps.read), versioned.version);
    if (versioned && declared.method === 'get') {
      await deps.database.whenSynced(() => {}, { workspaceId: params.workspace_id ?? '', id: versioned.id });
    }
    const isKnown =
      etag !== undefined &&
      declared.method === 'get' &&
      namesEtag(context.req.header('if-none-match') ?? '', etag);
    const isExisting = result instanceof Existing;
    const json =
      result instanceof Response || result === undefined || requestContext.isHead
        ? undefined
        : await jsonOf(isExisting ? result.body : result, reserve);
    if (declared.method === 'get' && declared.guard.bearer) {
      const characters = json?.characters ?? reserved / MAX_BYTES_OF_CHARACTER;
      const more = Math.floor(characters / CHARACTERS_OF_A_REQUEST);
      if (more > 0) deps.http.limits.user(owner, deps.clock.now(), more, true);
    }
    if (requestContext.isHead)
      return headOf(requestId, isKnown ? 304 : declared.status, result, hasTwoForms, etag);
    const isGzipped = hasTwoForms && acceptsGzip(context.req.header('accept-encoding'));
    if (result instanceof Response) return hasTwoForms ? inForm(result, isGzipped) : result;
    if (json === undefined) return respond(requestId, declared.status);
    const { body } = json;
    const status = isExisting ? 200 : declared.status;
    const headers = isExisting ? {} : locationOf(params, result);
    if (etag !== undefined) headers.ETag = etag;
    if (hasTwoForms) varyByEncoding(headers);
    if (isKnown) return notModified(requestId, headers, isGzipped && hasShortForm(body));
    if (held) held.resize(body.length);
    else held = bytesUnderWay.hold(owner, body, context.env?.outgoing);
    const short = isGzipped ? await gzipped(body) : undefined;
    if (!short) return respondText(requestId, status, body, headers);
    held?.resize(short.length);
    markGzipped(headers);
    return new Response(short, { status, headers: Object.assign(jsonHeaders(requestId), headers) });
  };
  // The response to a write, errors too, may tell of what others have just written.
  const respondToWrite = (context: Context<Environment>) =>
    respondTo(context).finally(() => deps.database.whenSynced(() => {}));
  app.on(declared.method.toUpperCase(), path, declared.method === 'get' ? respondTo : respondToWrite);
}

/** The ids in the path, which are one thing in either case, as those in bodies are. */
function idsIn({ req }: Context<Environment>): Record<string, string> {
  const params: Record<string, string> = req.param();
  for (const name in params) params[name] = params[name]?.toLowerCase() ?? '';
  return params;
}

/** What is there already, in place of what a request would have created: a 200. */
export class Existing<Body> {
  readonly body: Body;
  constructor(body: Body) {
    this.body = body;
  }
}

/** Whether a route responds with a single thing that has a version, and so an ETag. */
export const isVersioned = ({ response }: Route): boolean => hasVersion(response);

const hasVersion = (shape: unknown): boolean =>
  shape instanceof z.ZodUnion
    ? shape.options.every(hasVersion)
    : shape instanceof z.ZodObject && Object.hasOwn(shape.shape, 'version');

const versionedIn = (result: unknown) =>
  (result instanceof Existing ? result.body : result) as { id: string; version: number };

/** What the client has is as it is now; told by the ETag of the form that it would have got. */
function notModified(requestId: string, headers: Record<string, string>, isShort: boolean): Response {
  if (isShort && headers.ETag !== undefined) headers.ETag = `W/${headers.ETag}`;
  return new Response(null, { status: 304, headers: Object.assign(commonHeaders(requestId), headers) });
}

const isForCookie = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'session' in body && body.session === 'cookie';

/** Where what a route creates can be read: a path with its id at the end; none where GET is not a route there. */
export const createdAt = (route: Route, routes: readonly Route[]): string | undefined =>
  route.method === 'post' && route.status === 201
    ? routes.find(
        ({ method, path }) =>
          method === 'get' &&
          path.startsWith(`${route.path}/{`) &&
          /^\/\{\w+\}$/.test(path.slice(route.path.length)),
      )?.path
    : undefined;

/** Makes the `Location` of what was created, as clients reach it: with what the public address has before the base path. */
function locator({ config }: Deps, basePath: string, path: string | undefined) {
  const root = new URL(config.server.public_url).pathname.replace(/\/$/, '') + basePath;
  // A text, then in turns the name of what varies and the text that follows.
  const [first = '', ...rest] = path?.split(/\{(\w+)\}/) ?? [];
  return (params: Record<string, string>, created: unknown): Record<string, string> => {
    if (path === undefined || typeof created !== 'object' || created === null || !('id' in created))
      return {};
    let filled = root + first;
    for (const [i, part] of rest.entries())
      filled += i % 2 === 0 ? (params[part] ?? String(created.id)) : part;
    return { Location: filled };
  };
}

/** The response to HEAD: what GET would say, but for the body. */
async function headOf(
  requestId: string,
  status: number,
  result: unknown,
  hasTwoForms: boolean,
  etag: string | undefined,
): Promise<Response> {
  const headers = new Headers(result instanceof Response ? result.headers : jsonHeaders(requestId));
  if (etag !== undefined) headers.set('ETag', etag);
  if (hasTwoForms) varyByEncoding(headers);
  if (!(result instanceof Response)) return new Response(null, { status, headers });
  await result.body?.cancel();
  return new Response(null, { status: result.status, headers });
}

/** A streamed response in the form that the client accepts. */
function inForm(response: Response, isGzipped: boolean): Response {
  varyByEncoding(response.headers);
  return isGzipped ? gzippedStream(response) : response;
}

function takeFromUser(deps: Deps, { userId }: { userId: string }, limit: Route['limit'], count = 1): void {
  const now = deps.clock.now();
  deps.http.limits.user(userId, now, count);
  if (limit) deps.http.limits[limit](userId, now);
}

/** What a request gives. Who is to be told what it validateReferences to must `authorize` again: the body may have been long in coming. */
async function readInput(
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
  if (declared.costOf && reading) await charged(reading, declared.costOf, charge);
  const given = reading && ((await reading) ?? {});
  const body = isRead && check(declared.body, given, issues);
  if (issues.length === 0) return { query, body };
  const references =
    declared.validateReferences?.({
      ...entered,
      who: await authorize(),
      body: validFieldsOf(declared.body, given) ?? {},
    }) ?? [];
  const isNew = (reference: Issue) => issues.every(({ path }) => path !== reference.path);
  throw invalid(...issues, ...references.filter(isNew));
}

/** Counts a request as its body says, and as one where that cannot be read. */
async function charged(
  reading: Promise<unknown>,
  costOf: (body: unknown) => number,
  charge: (count?: number) => void,
): Promise<void> {
  const count = await reading.then(costOf, () => 1);
  charge(count);
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
  throw invalid(...issues, ...more.filter(({ path }) => issues.every((issue) => issue.path !== path)));
}

/** To a client that waits for it before it sends its body. */
function sayContinue({ env }: Context<Environment>): void {
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
  if (!decodes(url.slice(start))) {
    throw new AppError('BadRequestError', 'The query is not valid percent-encoded UTF-8');
  }
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
