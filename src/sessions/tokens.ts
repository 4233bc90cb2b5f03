import { recordAct } from '../audit/trail.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from '../http/client-address.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalid, unauthorized, unauthorizedBearer } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, MINUTE, SECOND, toInstant, toMs } from '../kernel/instants.ts';
import { hashSecret, newSecret } from '../kernel/secrets.ts';
import { sessionsEnded } from '../mail/messages.ts';
import { revokeApiTokens } from '../storage/api-tokens.ts';
import { enqueueMail } from '../storage/outbox.ts';
import * as store from '../storage/sessions.ts';
import { findUser, noteSignIn } from '../storage/users.ts';
import type { SignedIn } from './actor.ts';
import { expiryOf } from './expiry.ts';
import type { LogoutInput, RefreshInput, SessionMode, TokenPair } from './schema.ts';

export interface NewSession {
  mode: SessionMode;
  sessionId: string;
  userId: string;
  /** The refresh token, or the value of the cookie. */
  secret: string;
}

/** Opens a session for a user who has proved to be one, from the requestContext's device. */
export function openSession(
  deps: Deps,
  tx: Tx,
  requestContext: RequestContext,
  { userId, by, mode }: { userId: string; by: string; mode: SessionMode },
  now: number,
): NewSession {
  const sessionId = newId(now);
  const secret = newSecret();
  const at = toInstant(now);
  store.insertSession(tx, {
    id: sessionId,
    user_id: userId,
    user_agent: requestContext.userAgent,
    ip: requestContext.address,
    created_at: at,
    last_used_at: at,
    expires_at: toInstant(expiryOf(deps, now, now)),
    cookie_hash: mode === 'cookie' ? hashSecret(secret) : null,
  });
  if (mode === 'token')
    store.insertRefreshToken(tx, { hash: hashSecret(secret), session_id: sessionId, used_at: null });
  store.rememberNetwork(tx, userId, networkOf(requestContext.address), at);
  noteSignIn(tx, userId, at);
  recordAct(deps, tx, { event: 'signed-in', userId, sessionId, proof: by }, 'signed in');
  return { mode, sessionId, userId, secret };
}

/**
 * Exchanges a refresh token for a new pair; each works once. A used token of a session that still lives ends every
 * session of its user, on the disk before the 401 is sent; but within `auth.refresh_grace_seconds` of its use, and
 * while its successor is unused, it gets that successor again.
 */
export async function refresh(
  deps: Deps,
  requestContext: RequestContext,
  input: RefreshInput,
): Promise<TokenPair> {
  const now = deps.clock.now();
  const refreshToken =
    deps.config.auth.refresh_grace_seconds > 0 ? deps.keys.successorOf(input.refreshToken) : newSecret();
  const outcome = await deps.write((tx) =>
    rotate(deps, tx, requestContext, input.refreshToken, refreshToken, now),
  );
  if (outcome.kind !== 'rotated') throw unauthorized('The refresh token is not valid');
  return tokenPair(deps, outcome, refreshToken, now);
}

/**
 * Ends the session of that refresh token when it is the caller's. A used one of the caller's is reuse: every
 * session ends, 401. Anything else changes nothing and is not told apart. Without a refresh token the session of the
 * cookie ends; undefined stands for one that has ended before.
 */
export async function logOut(deps: Deps, who: SignedIn | undefined, input: LogoutInput): Promise<void> {
  if (!who) return;
  if (!who.byCookie && input.refreshToken === undefined) {
    throw invalid({ path: 'refreshToken', message: 'refreshToken is required' });
  }
  const now = deps.clock.now();
  const { refreshToken } = input;
  const reused = await deps.write((tx) => {
    if (refreshToken === undefined) {
      store.endSession(tx, who.userId, who.sessionId);
      return false;
    }
    const token = store.findRefreshToken(tx, hashSecret(refreshToken));
    if (!token || token.user_id !== who.userId || toMs(token.expires_at) <= now) return false;
    if (token.used_at !== null) {
      endAfterReuse(deps, tx, who.userId, now);
      return true;
    }
    store.endSession(tx, who.userId, token.id);
    return false;
  });
  if (!reused) return;
  throw unauthorizedBearer('The refresh token was used before');
}

type Rotation =
  | { kind: 'unknown' }
  | { kind: 'reused' }
  | { kind: 'rotated'; sessionId: string; userId: string };

function rotate(
  deps: Deps,
  tx: Tx,
  requestContext: RequestContext,
  presented: string,
  replacement: string,
  now: number,
): Rotation {
  const hash = hashSecret(presented);
  const token = store.findRefreshToken(tx, hash);
  if (!token || toMs(token.expires_at) <= now) return { kind: 'unknown' };
  if (token.used_at !== null) {
    if (isInGrace(deps, tx, token.used_at, token.id, replacement, now))
      return { kind: 'rotated', sessionId: token.id, userId: token.user_id };
    endAfterReuse(deps, tx, token.user_id, now);
    return { kind: 'reused' };
  }
  const expiresAt = expiryOf(deps, now, toMs(token.created_at));
  if (expiresAt <= now) return { kind: 'unknown' };
  const at = toInstant(now);
  store.consumeRefreshToken(tx, hash, at);
  store.insertRefreshToken(tx, { hash: hashSecret(replacement), session_id: token.id, used_at: null });
  store.prolongSession(tx, token.id, {
    last_used_at: at,
    expires_at: toInstant(expiresAt),
    ip: requestContext.address,
    user_agent: requestContext.userAgent,
  });
  return { kind: 'rotated', sessionId: token.id, userId: token.user_id };
}

/** A clock that was set back since the use is no grace. */
function isInGrace(
  deps: Deps,
  tx: Tx,
  usedAt: Instant,
  sessionId: string,
  successor: string,
  now: number,
): boolean {
  const since = now - toMs(usedAt);
  if (since < 0 || since > deps.config.auth.refresh_grace_seconds * SECOND) return false;
  const row = store.findRefreshToken(tx, hashSecret(successor));
  return row?.id === sessionId && row.used_at === null;
}

function endAfterReuse(deps: Deps, tx: Tx, userId: string, now: number): void {
  store.endSessions(tx, userId);
  revokeApiTokens(tx, userId);
  const warning = 'a refresh token was used twice: all sessions ended';
  recordAct(deps, tx, { event: 'refresh-token-reused', userId }, warning, 'warn');
  const user = findUser(tx, userId);
  if (!user) return;
  const message = sessionsEnded(deps.config, user.email);
  enqueueMail(deps, tx, { kind: 'sessions-ended', to: user.email, message, userId }, now);
}

/** An access token for a session, with the refresh token that gets the next one. */
export const tokenPair = async (
  deps: Deps,
  session: { sessionId: string; userId: string },
  refreshToken: string,
  now: number,
): Promise<TokenPair> => ({
  accessToken: await deps.signIn.accessTokens.issue(session, now),
  refreshToken,
  expiresIn: (deps.config.auth.access_token_minutes * MINUTE) / SECOND,
});
