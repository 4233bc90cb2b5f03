import type { Context, Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { epochOf } from '../storage/meta.ts';
import { readChunks } from './body.ts';
import type { Held } from './bytes-under-way.ts';
import { networkOf } from './client-address.ts';
import { acceptsGzip, gzipped, gzippedStream, hasShortForm, isCompressible } from './compression.ts';
import { etagOf, namesEtag, preconditionOf } from './etags.ts';
import { jsonOf } from './long-json.ts';
import { pathOf } from './public-path.ts';
import { CHARACTERS_OF_A_REQUEST, MAX_BYTES_OF_CHARACTER, readInput, sayContinue } from './read-input.ts';
import { type Environment, requestContextOf } from './request-context.ts';
import { commonHeaders, jsonHeaders, respond, respondText } from './response.ts';
import { createdAt, Existing, isVersioned, mountedPath, type Route } from './route.ts';
import { requireKeptCookie, requireSameOrigin } from './same-origin.ts';

const SHORT_BODY_BYTES = 16 * 1024;

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
    const userId = (who as { userId: string } | undefined)?.userId;
    const charge = (count = 1) => {
      if (userId === undefined) return;
      const now = deps.clock.now();
      deps.http.limits.user(userId, now, count);
      if (declared.limit) deps.http.limits[declared.limit](userId, now);
    };
    if (!declared.costOf) charge();
    const owner = userId ?? networkOf(requestContext.address);
    if (declared.method === 'get') bytesUnderWay.requireRoom(owner);
    if (declared.hashes) deps.signIn.passwords.requireCapacity(requestContext.address);
    const input = await readInput(declared, { deps, params, authorize, charge }, context, maxBytes);
    const chunks = () =>
      readChunks(context.req.raw, maxBytes, () => {
        sayContinue(context);
        context.env?.outgoing?.allowBody?.(declared.longBody?.milliseconds ?? 0);
      });
    if (declared.signsIn && isForCookie(input.body)) {
      requireSameOrigin(deps, requestContext);
      requireKeptCookie(deps, requestContext);
    }
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
    const { query, body: given } = input;
    // Named one by one: to spread an object costs as much as to find out who asks.
    const result = await declared.handle({
      deps,
      who,
      params,
      requestContext,
      ifMatch,
      chunks,
      reserve,
      query,
      body: given,
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
    if (result instanceof Response) {
      if (hasTwoForms) result.headers.append('Vary', 'Accept-Encoding');
      return isGzipped ? gzippedStream(result) : result;
    }
    if (json === undefined) return respond(requestId, declared.status);
    const { body } = json;
    const status = isExisting ? 200 : declared.status;
    const headers = isExisting ? {} : locationOf(params, result);
    const isShort = isGzipped && hasShortForm(body);
    // Weak where the bytes are not those of the plain form.
    if (etag !== undefined) headers.ETag = isShort ? `W/${etag}` : etag;
    if (hasTwoForms) headers.Vary = 'Accept-Encoding';
    // What the client has is as it is now; told by the ETag of the form that it would have got.
    if (isKnown) {
      return new Response(null, { status: 304, headers: Object.assign(commonHeaders(requestId), headers) });
    }
    // What a write did is told in any case.
    const isDone = declared.method !== 'get';
    if (held) held.resize(Buffer.byteLength(body), isDone);
    else held = bytesUnderWay.hold(owner, body, context.env?.outgoing, isDone);
    const short = isShort ? await gzipped(body) : undefined;
    if (!short) return respondText(requestId, status, body, headers);
    held?.resize(short.length);
    headers['Content-Encoding'] = 'gzip';
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

const versionedIn = (result: unknown) =>
  (result instanceof Existing ? result.body : result) as { id: string; version: number };

const isForCookie = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'session' in body && body.session === 'cookie';

/** Makes the `Location` of what was created, as clients reach it: with what the public address has before the base path. */
function locator({ config }: Deps, basePath: string, path: string | undefined) {
  const root = pathOf(config.server.public_url) + basePath;
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
  if (hasTwoForms) headers.append('Vary', 'Accept-Encoding');
  if (!(result instanceof Response)) return new Response(null, { status, headers });
  await result.body?.cancel();
  return new Response(null, { status: result.status, headers });
}
