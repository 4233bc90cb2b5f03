import type { Deps } from '../deps.ts';
import type { Door } from '../http/route.ts';
import { unauthorizedBearer } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { findLiveSession } from './store.ts';

/** Someone whose session lives. */
export interface SignedIn {
  userId: string;
  sessionId: string;
}

/** The door of everything but the public routes: a valid access token of a session that still lives, else 401. */
export const signedIn: Door<SignedIn> = {
  bearer: true,
  enter: (deps, _visitor, { authorization }) => identify(deps, authorization),
};

/** For doors further in, which begin with this one. */
export async function identify(deps: Deps, authorization: string | undefined): Promise<SignedIn> {
  const [, token] = /^bearer ([^\s,]+)$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) throw unauthorizedBearer('An access token is needed: Authorization: Bearer …');
  const claims = await deps.accessTokens.verify(token);
  const session = findLiveSession(deps.read, claims.sessionId, toInstant(deps.clock.now()));
  if (session?.user_id !== claims.userId) throw unauthorizedBearer('The session has ended');
  return { userId: claims.userId, sessionId: claims.sessionId };
}
