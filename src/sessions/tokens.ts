import type { UserRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from '../http/client-address.ts';
import type { Visitor } from '../http/request.ts';
import { unauthorized, unauthorizedBearer } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, toInstant, toMs } from '../kernel/instants.ts';
import { hashSecret, newSecret } from '../kernel/secrets.ts';
import { sessionsEnded } from '../mail/messages.ts';
import { enqueueMail } from '../mail/outbox.ts';
import { findUser, userOf } from '../users/store.ts';
import type { SignedIn } from './door.ts';
import type { RefreshInput, SignedInAnswer, TokenPair } from './schema.ts';
import * as store from './store.ts';

interface NewSession {
  sessionId: string;
  userId: string;
  refreshToken: string;
}

/** Opens a session for a user who has proved to be one, from the visitor's device. */
export function startSession(deps: Deps, tx: Tx, visitor: Visitor, userId: string, now: number): NewSession {
  const sessionId = newId(now);
  const refreshToken = newSecret();
  const at = toInstant(now);
  store.insertSession(tx, {
    id: sessionId,
    user_id: userId,
    user_agent: visitor.userAgent,
    ip: visitor.address,
    created_at: at,
    last_used_at: at,
    expires_at: toInstant(expiryOf(deps, now, now)),
  });
  store.insertRefreshToken(tx, { hash: hashSecret(refreshToken), session_id: sessionId, used_at: null });
  store.rememberNetwork(tx, userId, networkOf(visitor.address), at);
  return { sessionId, userId, refreshToken };
}

/** The answer to every sign-in. */
export async function signedInAnswer(
  deps: Deps,
  user: UserRow,
  session: NewSession,
  now: number,
): Promise<SignedInAnswer> {
  deps.log.info({ event: 'signed-in', userId: user.id, sessionId: session.sessionId }, 'signed in');
  return { ...(await tokenPair(deps, session, now)), user: userOf(user) };
}

/**
 * Exchanges a refresh token for a new pair; each works once. A used token of a session that still lives ends every
 * session of its user, on the disk before the 401 is sent.
 */
export async function refresh(deps: Deps, visitor: Visitor, input: RefreshInput): Promise<TokenPair> {
  const now = deps.clock.now();
  const refreshToken = newSecret();
  const outcome = await deps.write((tx) => rotate(deps, tx, visitor, input.refreshToken, refreshToken, now));
  if (outcome.kind === 'reused') reportReuse(deps, outcome.userId);
  if (outcome.kind !== 'rotated') throw unauthorized('The refresh token is not valid');
  return tokenPair(deps, { ...outcome, refreshToken }, now);
}

/**
 * Ends the session of that refresh token when it is the caller's. A used one of the caller's is reuse: every
 * session ends, 401. Anything else changes nothing and is not told apart.
 */
export async function logOut(deps: Deps, who: SignedIn, input: RefreshInput): Promise<undefined> {
  const now = deps.clock.now();
  const reused = await deps.write((tx) => {
    const token = store.findRefreshToken(tx, hashSecret(input.refreshToken));
    if (!token || token.user_id !== who.userId || toMs(token.expires_at) <= now) return false;
    if (token.used_at !== null) {
      endAfterReuse(deps, tx, who.userId, now);
      return true;
    }
    store.endSession(tx, who.userId, token.id);
    return false;
  });
  if (!reused) return;
  reportReuse(deps, who.userId);
  throw unauthorizedBearer('The refresh token was used before');
}

type Rotation =
  | { kind: 'unknown' }
  | { kind: 'reused'; userId: string }
  | { kind: 'rotated'; sessionId: string; userId: string };

function rotate(
  deps: Deps,
  tx: Tx,
  visitor: Visitor,
  presented: string,
  replacement: string,
  now: number,
): Rotation {
  const hash = hashSecret(presented);
  const token = store.findRefreshToken(tx, hash);
  if (!token || toMs(token.expires_at) <= now) return { kind: 'unknown' };
  if (token.used_at !== null) {
    endAfterReuse(deps, tx, token.user_id, now);
    return { kind: 'reused', userId: token.user_id };
  }
  const expiresAt = expiryOf(deps, now, toMs(token.created_at));
  if (expiresAt <= now) return { kind: 'unknown' };
  const at = toInstant(now);
  store.useRefreshToken(tx, hash, at);
  store.insertRefreshToken(tx, { hash: hashSecret(replacement), session_id: token.id, used_at: null });
  store.prolongSession(tx, token.id, {
    last_used_at: at,
    expires_at: toInstant(expiresAt),
    ip: visitor.address,
    user_agent: visitor.userAgent,
  });
  return { kind: 'rotated', sessionId: token.id, userId: token.user_id };
}

function endAfterReuse(deps: Deps, tx: Tx, userId: string, now: number): void {
  store.endSessions(tx, userId);
  const user = findUser(tx, userId);
  if (!user) return;
  enqueueMail(deps, tx, { kind: 'sessions-ended', to: user.email, message: sessionsEnded(), userId }, now);
}

const reportReuse = (deps: Deps, userId: string) =>
  deps.log.warn(
    { event: 'refresh-token-reused', userId },
    'a refresh token was used twice: all sessions ended',
  );

/** Sessions last from their last use, and from sign-in where `auth.session_max_days` says so. */
function expiryOf({ config: { auth } }: Deps, usedAt: number, startedAt: number): number {
  const idle = usedAt + auth.refresh_token_days * DAY;
  return auth.session_max_days === 0 ? idle : Math.min(idle, startedAt + auth.session_max_days * DAY);
}

const tokenPair = async (deps: Deps, session: NewSession, now: number): Promise<TokenPair> => ({
  accessToken: await deps.accessTokens.issue(session, now),
  refreshToken: session.refreshToken,
});
