import { z } from '@hono/zod-openapi';
import type { Context, Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { AppError, type Issue, invalid } from '../kernel/errors.ts';
import { answer } from './answer.ts';
import { isPlainText, readBody } from './body.ts';
import { networkOf } from './client-address.ts';
import { type Environment, type Visitor, visitorOf } from './request.ts';

const AUTH_BODY_BYTES = 16 * 1024;

/** Tells who comes in and whether they may; throws 401, 403 or 404 otherwise. */
export interface Door<Who> {
  enter(deps: Deps, visitor: Visitor, request: DoorRequest): Who | Promise<Who>;
  /** A Bearer token is asked for. */
  bearer?: true;
  /** For the description: the least role that may enter. */
  role?: string;
}

interface DoorRequest {
  authorization: string | undefined;
  workspaceId: string | undefined;
}

/** The door of public routes: everyone enters. */
export const open: Door<undefined> = { enter: () => {} };

type Shape = z.ZodType<unknown, unknown>;
type QueryShape = z.ZodObject;
type Read<S> = S extends z.ZodType<infer Output> ? Output : undefined;
type Result<S> = S extends z.ZodType<infer Output> ? Output | Response : Response | undefined;
type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;

interface RouteOf<Path extends string, Who, Query, Body, Answer> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Relative to the base path, `{name}` for what varies. */
  path: Path;
  door: Door<Who>;
  /** Which bucket a request is counted in, beside the one of its user. */
  limit?: 'auth' | 'refresh' | 'search';
  /** A public route that hashes or compares a password: 429 while too many wait for that, before the body is read. */
  hashes?: true;
  query?: Query;
  body?: Body;
  /** What the sound fields of a body refer to that will not do, to be told together with the others. */
  refers?(input: { deps: Deps; who: Who; params: Params<Path>; body: Partial<Read<Body>> }): Issue[];
  /** For the description: the body may be left out altogether. */
  bodyOptional?: true;
  status: 200 | 201 | 204;
  /** The shape of the answer's body; none for an answer without one. */
  answer?: Answer;
  /** Another success without a body, which its handler answers as a Response. */
  alsoAnswers?: { status: 201; description: string };
  /** Refusals of its own rules, beside those that door, path and shapes bring. */
  refuses?: readonly (400 | 401 | 403)[];
  summary: string;
  description?: string;
  tag: string;
  /** Answers the body, or a Response where that is no plain JSON. */
  handle(input: {
    deps: Deps;
    who: Who;
    params: Params<Path>;
    query: Read<Query>;
    body: Read<Body>;
    visitor: Visitor;
  }): Result<Answer> | Promise<Result<Answer>>;
}

/** A route as the application mounts and describes it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of routes holds handlers of many input types
export type Route = RouteOf<string, any, any, any, any>;

/** Declares a route; its handler's input and answer are typed by the shapes it names. */
export const route = <
  const Path extends string,
  Who,
  Query extends QueryShape | undefined = undefined,
  Body extends Shape | undefined = undefined,
  Answer extends Shape | undefined = undefined,
>(
  declared: RouteOf<Path, Who, Query, Body, Answer>,
): Route => declared as Route;

/** Mounts a route: address limit, door, user limit, room to hash, shape, verb, answer, in that order. */
export function mount(app: Hono<Environment>, deps: Deps, basePath: string, declared: Route): void {
  const path = basePath + declared.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const maxBytes = declared.path.startsWith('/auth/') ? AUTH_BODY_BYTES : deps.config.server.max_body_bytes;
  app.on(declared.method.toUpperCase(), path, async (context) => {
    const visitor = visitorOf(deps, context);
    const addressBucket = declared.door.bearer ? undefined : declared.limit;
    if (addressBucket) deps.limits[addressBucket](networkOf(visitor.address), deps.clock.now());
    const params: Record<string, string> = context.req.param();
    const authorization = context.req.header('authorization');
    const enter = () =>
      declared.door.enter(deps, visitor, { authorization, workspaceId: params.workspace_id });
    const who = await enter();
    if (declared.door.bearer) takeFromUser(deps, who as { userId: string }, declared.limit);
    if (declared.hashes) deps.passwords.demandRoom();
    const input = await readInput(declared, { deps, params, enter }, context, maxBytes);
    const result = await declared.handle({ deps, who, params, visitor, ...input });
    if (result instanceof Response) {
      // Nobody will read its body.
      if (context.req.method === 'HEAD') await result.body?.cancel();
      return result;
    }
    return answer(visitor.requestId, declared.status, result);
  });
}

function takeFromUser(deps: Deps, { userId }: { userId: string }, limit: Route['limit']): void {
  const now = deps.clock.now();
  deps.limits.user(userId, now);
  if (limit) deps.limits[limit](userId, now);
}

/** What a request gives. Who is to be told what it refers to must `enter` again: the body may have been long in coming. */
async function readInput(
  declared: Route,
  { enter, ...entered }: { deps: Deps; params: Record<string, string>; enter: () => unknown },
  context: Context<Environment>,
  maxBytes: number,
) {
  const issues: Issue[] = [];
  const query = declared.query && check(declared.query, readQuery(context, declared.query, issues), issues);
  const given = declared.body && ((await readBody(context.req.raw, maxBytes)) ?? {});
  const body = declared.body && check(declared.body, given, issues);
  if (issues.length === 0) return { query, body };
  const references =
    declared.refers?.({ ...entered, who: await enter(), body: soundIn(declared.body, given) ?? {} }) ?? [];
  const isNew = (reference: Issue) => issues.every(({ path }) => path !== reference.path);
  throw invalid(...issues, ...references.filter(isNew));
}

function readQuery(
  context: Context<Environment>,
  shape: QueryShape,
  issues: Issue[],
): Record<string, string> {
  const values: Record<string, string> = {};
  if (!decodes(context.req.url.replace(/^[^?]*/, ''))) {
    throw new AppError('BadRequestError', 'The query is not valid percent-encoded UTF-8');
  }
  for (const [name, given] of Object.entries(context.req.queries())) {
    if (!Object.hasOwn(shape.shape, name)) continue;
    if (given.length > 1) issues.push({ path: name, message: 'Must be given once only' });
    else if (!isPlainText(given[0] ?? '')) issues.push({ path: name, message: 'Must be plain text' });
    values[name] = given[0] ?? '';
  }
  return values;
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function check(shape: Shape, given: unknown, issues: Issue[]): unknown {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) issues.push({ path: path.join('.'), message });
  return undefined;
}

/** The fields of something given that keep their own rules, though all together they do not. */
function soundIn(shape: Shape, given: unknown): unknown {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  if (!(shape instanceof z.ZodObject) || typeof given !== 'object' || given === null) return undefined;
  const values = given as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(shape.shape).map(([name, field]) => [name, soundIn(field as Shape, values[name])]),
  );
}
