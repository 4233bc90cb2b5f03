import { z } from '@hono/zod-openapi';
import type { Deps } from '../deps.ts';
import type { Issue } from '../kernel/errors.ts';
import type { Precondition } from './etags.ts';
import type { WrittenPage } from './long-json.ts';
import { usePlainMessages } from './plain-messages.ts';
import type { RequestContext } from './request-context.ts';

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
  /** For the description: the least role that passes. */
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

export type Shape = z.ZodType<unknown, unknown>;
export type QueryShape = z.ZodObject;
type Read<S> = S extends z.ZodType<infer Output> ? Output : undefined;
type Result<S> =
  S extends z.ZodType<infer Output>
    ?
        | Output
        | Existing<Output>
        | Response
        | (Output extends { items: unknown[] } ? WrittenPage<Output> : never)
    : Response | undefined;
type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;

export const METHODS = ['get', 'post', 'patch', 'delete'] as const;

interface RouteOf<Path extends string, Who, Query, Body, ResponseShape> {
  method: (typeof METHODS)[number];
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
  /** Of its success, where that is neither 200 with a body nor 204 without one. */
  status?: 201;
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

// biome-ignore lint/suspicious/noExplicitAny: a list of routes holds handlers of many input types
type UntaggedRoute = Omit<RouteOf<string, any, any, any, any>, 'status'> & { status: 200 | 201 | 204 };

/** A route as the application mounts and describes it. */
export type Route = UntaggedRoute & { tag: string };

/** Declares a route; its handler's input and response are typed by the shapes it names. */
export const route = <
  const Path extends string,
  Who,
  Query extends QueryShape | undefined = undefined,
  Body extends Shape | undefined = undefined,
  ResponseShape extends Shape | undefined = undefined,
>(
  declared: RouteOf<Path, Who, Query, Body, ResponseShape>,
): UntaggedRoute => ({
  ...(declared as UntaggedRoute),
  status: declared.status ?? (declared.response ? 200 : 204),
});

/** Routes that the API description shows together. */
export const tagged = (tag: string, routes: readonly UntaggedRoute[]): Route[] =>
  routes.map((each) => ({ tag, ...each }));

/** The path of a route as Hono writes it, under the base path. */
export const mountedPath = (basePath: string, path: string): string =>
  basePath + path.replaceAll(/\{(\w+)\}/g, ':$1');

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
