import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { RequestContext } from '../http/request-context.ts';
import { respond } from '../http/response.ts';
import type { SessionMode, SignInResponse } from '../sessions/schema.ts';
import { type NewSession, openSession, tokenPair } from '../sessions/tokens.ts';
import type { UserRow } from '../storage/tables.ts';
import { userOf } from '../storage/users.ts';

/** How someone proved to be the owner of an account. */
type Proof = 'password' | 'code' | 'google' | 'telegram' | 'confirmation' | 'invitation';

/** A sign-in that is complete. */
export interface SignIn {
  user: UserRow;
  session: NewSession;
}

/**
 * Signs in a user who proved to own the account, in the caller's transaction: the one end of every sign-in flow. The
 * caller rejects disabled accounts.
 */
export function completeSignIn(
  deps: Deps,
  tx: Tx,
  requestContext: RequestContext,
  proved: { user: UserRow; by: Proof; mode: SessionMode | undefined },
  now: number,
): SignIn {
  const { user, by, mode = 'token' } = proved;
  return { user, session: openSession(deps, tx, requestContext, { userId: user.id, by, mode }, now) };
}

/** The response to a sign-in: the tokens and the user, or the user with the session's cookie. */
export async function signInResponse(
  deps: Deps,
  requestContext: RequestContext,
  status: 200 | 201,
  { user, session }: SignIn,
): Promise<SignInResponse | Response> {
  if (session.mode === 'token') {
    const { secret } = session;
    return { ...(await tokenPair(deps, session, secret, deps.clock.now())), user: userOf(user) };
  }
  const headers = { 'Set-Cookie': deps.http.sessionCookie.set(session.secret) };
  return respond(requestContext.requestId, status, { user: userOf(user) }, headers);
}
