import type { Db } from '../db/connection.ts';
import type { UserRow } from '../db/tables.ts';
import type { Tx } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import type { Door } from '../http/route.ts';
import { unauthorizedBearer } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { findUser } from '../users/store.ts';
import { findLiveSession } from './store.ts';

/** Someone whose session lives. */
export interface SignedIn {
  userId: string;
  sessionId: string;
}

/** The door of everything but the public routes: a valid access token of a session that still lives, else 401. */
export const signedIn: Door<SignedIn> = {
  bearer: true,
  enter: async (deps, visitor, { authorization }) => {
    const who = await claimed(deps, authorization);
    demandSession(deps, deps.read, who);
    visitor.userId = who.userId;
    return who;
  },
};

/** Whose session a valid access token names, else 401; whether that still lives is for the door to ask. */
export async function claimed(deps: Deps, authorization: string | undefined): Promise<SignedIn> {
  const [, token] = /^bearer ([^\s,]+)$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) throw unauthorizedBearer('An access token is needed: Authorization: Bearer …');
  const { userId, sessionId } = await deps.accessTokens.verify(token);
  return { userId, sessionId };
}

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

/** 401 when the session has ended. */
export const demandSession = ({ clock }: Deps, db: Db, who: SignedIn) =>
  demandLive(findLiveSession(db, who.sessionId, toInstant(clock.now())), who);

/** What was found of the session that someone claims; 401 when it has ended. */
export function demandLive<Found extends { user_id: string }>(
  found: Found | undefined,
  { userId }: SignedIn,
): Found {
  if (found?.user_id !== userId) throw unauthorizedBearer('The session has ended');
  return found;
}
