import type { Db } from '../db/connection.ts';
import type { UserRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Door } from '../http/route.ts';
import { unauthorizedBearer } from '../kernel/errors.ts';
import { toMs } from '../kernel/instants.ts';
import { findUser } from '../users/store.ts';
import { findSession } from './store.ts';

/** Someone whose session lives. */
export interface SignedIn {
  userId: string;
  sessionId: string;
}

/** The door of everything but the public routes: a valid access token of a session that still lives, else 401. */
export const signedIn: Door<SignedIn> = {
  bearer: true,
  enter: async (deps, visitor, { authorization }) => {
    const [, token] = /^bearer ([^\s,]+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) throw unauthorizedBearer('An access token is needed: Authorization: Bearer …');
    const { userId, sessionId } = await deps.accessTokens.verify(token);
    demandSession(deps, deps.read, { userId, sessionId });
    visitor.userId = userId;
    return { userId, sessionId };
  },
};

/**
 * Writes in someone's name, in a transaction that asks at the door again: whose session has ended since the request
 * came in gets the door's 401 and writes nothing.
 */
export const writeSignedIn = <T>(
  deps: Deps,
  who: SignedIn,
  job: Parameters<typeof deps.write<T>>[0],
): Promise<T> =>
  deps.write<T>((tx: Tx) => {
    demandSession(deps, tx, who);
    return job(tx);
  });

/** The account of whoever is signed in; 401 once it is gone, and its sessions with it. */
export function demandAccount(db: Db, { userId }: Pick<SignedIn, 'userId'>): UserRow {
  const user = findUser(db, userId);
  if (!user) throw unauthorizedBearer('The session has ended');
  return user;
}

/** 401 when the session has ended or expired. */
export function demandSession({ clock }: Deps, db: Db, { userId, sessionId }: SignedIn): void {
  const session = findSession(db, sessionId);
  const isLive = session?.user_id === userId && toMs(session.expires_at) > clock.now();
  if (!isLive) throw unauthorizedBearer('The session has ended');
}
