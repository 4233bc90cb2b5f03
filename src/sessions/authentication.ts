import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { NotPromise } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Guard, GuardRequest } from '../http/route.ts';
import { rejectOtherSites, requireSameOrigin } from '../http/same-origin.ts';
import { forbidden, unauthorizedBearer } from '../kernel/errors.ts';
import { type Instant, MINUTE, toInstant, toMs } from '../kernel/instants.ts';
import { ownState } from '../kernel/own-state.ts';
import { hashSecret } from '../kernel/secrets.ts';
import { findApiToken, findApiTokenByHash, noteApiTokenUse } from '../storage/api-tokens.ts';
import { findSession, findSessionByCookie, noteSessionUse } from '../storage/sessions.ts';
import type { UserRow } from '../storage/tables.ts';
import { findUser } from '../storage/users.ts';
import type { Actor, SignedIn, TokenCap } from './actor.ts';
import { isApiToken, isWellFormed } from './api-token-format.ts';
import { expiryOf } from './expiry.ts';

/** How often the use of a credential is noted at most. */
const NOTED_EVERY_MS = 10 * MINUTE;

/** The guard of what an API token may do too, narrowed to its workspaces. */
export const signedInOrToken: Guard<Actor> = {
  bearer: true,
  apiTokens: 'narrowed',
  authorize: async (deps, requestContext, request) => {
    const who = await authenticate(deps, requestContext, request);
    if (!who) throw unauthorizedBearer('The session has ended');
    return entered(requestContext, who);
  },
};

/** The guard of everything but the public routes: a valid access token or cookie of a session that still lives, else 401. */
export const signedIn: Guard<SignedIn> = {
  bearer: true,
  apiTokens: 'rejected',
  authorize: async (deps, requestContext, request) =>
    requireNoToken(await signedInOrToken.authorize(deps, requestContext, request)),
};

/** The guard of signing out: as `signedIn`, but a cookie whose session has ended is undefined. */
export const signingOut: Guard<SignedIn | undefined> = {
  bearer: true,
  apiTokens: 'rejected',
  authorize: async (deps, requestContext, request) => {
    const who = await authenticate(deps, requestContext, request);
    if (who) return requireNoToken(entered(requestContext, who));
    deps.http.limits.auth(requestContext.address, deps.clock.now());
    return undefined;
  },
};

/** 403 for an API token: what only a session may do. */
export function requireNoToken<Who extends Actor>(who: Who): Who & SignedIn {
  if (who.cap)
    throw forbidden(`API tokens may not do this (this one: ${capText(who.cap)}): sign in to do it`);
  return who as Who & SignedIn;
}

/** What a token is capped to, for people. */
export const capText = ({ role, workspaceIds }: TokenCap): string =>
  `role ${role}, ${workspaceIds === null ? 'all workspaces' : `workspaces: ${workspaceIds.length}`}`;

function entered(requestContext: RequestContext, who: Credential): Actor {
  if (requestContext.expectedUserId !== undefined && requestContext.expectedUserId !== who.userId) {
    throw unauthorizedBearer('You are signed in as another user');
  }
  requestContext.userId = who.userId;
  return { ...who, clientId: requestContext.clientId, isGone: () => requestContext.isGone };
}

type Credential = Pick<Actor, 'userId' | 'sessionId' | 'byCookie' | 'cap' | 'expiresAt'>;

/**
 * A Bearer wins over the cookie; another scheme is a proxy's, and counts as none. Undefined for a cookie whose session
 * has ended; 401 for anything else that does not work, 403 for a cookie that comes with a forged request.
 */
async function authenticate(
  deps: Deps,
  requestContext: RequestContext,
  request: GuardRequest,
): Promise<Credential | undefined> {
  const { authorization = '' } = request;
  const [, token] = /^bearer ([^\s,]+)$/i.exec(authorization) ?? [];
  if (token === undefined) {
    if (/^bearer(?![\w-])/i.test(authorization)) throw noCredential();
    return authenticateCookie(deps, requestContext, request);
  }
  if (isApiToken(token)) return authenticateToken(deps, token);
  const { userId, sessionId, expiresAt } = await deps.signIn.accessTokens.verify(token);
  requireSession(deps, deps.read, { userId, sessionId, cap: null });
  return { userId, sessionId, byCookie: false, cap: null, expiresAt };
}

function authenticateToken(deps: Deps, presented: string): Credential {
  const now = deps.clock.now();
  const found = isWellFormed(presented) ? findApiTokenByHash(deps.read, hashSecret(presented)) : undefined;
  const expiresAt = found?.expires_at ? toMs(found.expires_at) : Number.POSITIVE_INFINITY;
  if (!found || expiresAt <= now) throw unauthorizedBearer('The API token is not valid');
  const { id, user_id: userId, role, workspaceIds, last_used_at: lastUsedAt } = found;
  noteUse(
    deps,
    id,
    lastUsedAt === null ? Number.NEGATIVE_INFINITY : toMs(lastUsedAt),
    now,
    (tx, { now: at }) => noteApiTokenUse(tx, id, at),
  );
  return { userId, sessionId: null, byCookie: false, cap: { tokenId: id, role, workspaceIds }, expiresAt };
}

function authenticateCookie(
  deps: Deps,
  requestContext: RequestContext,
  request: GuardRequest,
): Credential | undefined {
  const secret = deps.http.sessionCookie.read(requestContext.cookie);
  if (secret === undefined) throw noCredential();
  // Before anything is read: a page of another site learns nothing.
  if (!request.isRead) requireSameOrigin(deps, requestContext);
  else if (request.isPrivate) rejectOtherSites(requestContext);
  const session = findSessionByCookie(deps.read, hashSecret(secret));
  const now = deps.clock.now();
  if (!session || toMs(session.expires_at) <= now) return undefined;
  const { id, user_id: userId, created_at: createdAt, last_used_at: lastUsedAt } = session;
  noteUse(deps, id, toMs(lastUsedAt), now, (tx, times) =>
    noteSessionUse(tx, { id, ...times, expiresAt: toInstant(expiryOf(deps, now, toMs(createdAt))) }),
  );
  return { userId, sessionId: id, byCookie: true, cap: null, expiresAt: Number.POSITIVE_INFINITY };
}

/** The sessions and API tokens whose use is being noted. */
const usesBeingNoted = ownState(() => new Map<string, Promise<void>>());

/** Waits until the uses of credentials so far are noted, for lists that show the last one. */
export const usesNoted = async (deps: Deps): Promise<void> => {
  await Promise.all(usesBeingNoted(deps).values());
};

/** Notes the use of a credential unless that was done lately. Nobody waits: with a full disk, reading still works. */
function noteUse(
  deps: Deps,
  id: string,
  lastUsedAt: number,
  now: number,
  note: (tx: Tx, times: { now: Instant; before: Instant }) => void,
): void {
  const beingNoted = usesBeingNoted(deps);
  if (now - lastUsedAt < NOTED_EVERY_MS || beingNoted.has(id)) return;
  const noted = deps
    .write((tx) => note(tx, { now: toInstant(now), before: toInstant(now - NOTED_EVERY_MS) }))
    .catch(() => {})
    .finally(() => beingNoted.delete(id));
  beingNoted.set(id, noted);
}

const noCredential = () =>
  unauthorizedBearer('Sign in first: an access token is needed (Authorization: Bearer …), or the cookie');

/**
 * Writes in someone's name, in a transaction that asks at the guard again: whose session has ended since the request
 * came in gets the guard's 401 and writes nothing.
 */
export const writeSignedIn = <T>(deps: Deps, who: Actor, fn: (tx: Tx) => NotPromise<T>): Promise<T> =>
  deps.write<T>((tx: Tx) => {
    requireSession(deps, tx, who);
    tx.actAs(who);
    return fn(tx);
  }, who);

/** As `writeSignedIn`, for what may be very much. */
export const writeInStepsSignedIn = <T>(deps: Deps, who: Actor, fn: (tx: Tx) => Steps<T>): Promise<T> =>
  deps.writeInSteps(function* (tx): Steps<T> {
    requireSession(deps, tx, who);
    tx.actAs(who);
    return yield* fn(tx);
  }, who);

/** The account of the caller; 401 once it is gone, and its sessions with it. */
export function requireAccount(db: Db, { userId }: Pick<Actor, 'userId'>): UserRow {
  const user = findUser(db, userId);
  if (!user) throw unauthorizedBearer('The session has ended');
  return user;
}

/** 401 when the session, or the API token, has ended or expired. */
export function requireSession(
  { clock }: Pick<Deps, 'clock'>,
  db: Db,
  { userId, sessionId, cap }: Pick<Actor, 'userId' | 'sessionId' | 'cap'>,
): void {
  const isLive = (row: { user_id: string; expires_at: Instant | null } | undefined) =>
    row?.user_id === userId && (row.expires_at === null || row.expires_at > toInstant(clock.now()));
  if (cap) {
    if (!isLive(findApiToken(db, cap.tokenId))) throw unauthorizedBearer('The API token is not valid');
    return;
  }
  if (!isLive(findSession(db, sessionId ?? ''))) throw unauthorizedBearer('The session has ended');
}
