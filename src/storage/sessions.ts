import { type SqlBool, sql } from 'kysely';
import { type Db, prepared, query, ROW_BATCH_SIZE } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { DAY, type Instant, toInstant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { SignedIn } from '../sessions/actor.ts';
import type { Session } from '../sessions/schema.ts';
import { readPage } from './read-page.ts';
import type { RefreshTokenRow, SessionRow } from './tables.ts';

/** Before any time that a clock may tell, so that no clock revives what has ended. */
const ENDED = toInstant(0);
/** How long a network that signed in counts as the account's own. */
export const KNOWN_NETWORK_MS = 30 * DAY;

const sessionOf = (row: SessionRow, currentId: string): Session => ({
  id: row.id,
  userAgent: row.user_agent,
  ip: row.ip,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  current: row.id === currentId,
});

export const insertSession = (db: Db, row: SessionRow) => db.run(query.insertInto('sessions').values(row));

export const insertRefreshToken = (db: Db, row: RefreshTokenRow) =>
  db.run(query.insertInto('refresh_tokens').values(row));

const sessionById = prepared<{ id: string }, Pick<SessionRow, 'user_id' | 'expires_at'>>((argument) =>
  query.selectFrom('sessions').select(['user_id', 'expires_at']).where('id', '=', argument('id')),
);

/** Whose session it is, and until when, unless it has ended before. */
export const findSession = (db: Db, id: string) => db.cached(sessionById({ id }))[0];

const sessionByCookie = prepared<
  { hash: string },
  Pick<SessionRow, 'id' | 'user_id' | 'created_at' | 'last_used_at' | 'expires_at'>
>((argument) =>
  query
    .selectFrom('sessions')
    .select(['id', 'user_id', 'created_at', 'last_used_at', 'expires_at'])
    .where('cookie_hash', '=', argument('hash')),
);

/** The session whose cookie holds the secret of this hash. */
export const findSessionByCookie = (db: Db, hash: string) => db.one(sessionByCookie({ hash }));

const noteUse = prepared<{ id: string; now: Instant; expiresAt: Instant; before: Instant }, unknown>(
  (argument) =>
    query
      .updateTable('sessions')
      .set({ last_used_at: argument('now'), expires_at: argument('expiresAt') })
      .where('id', '=', argument('id'))
      .where('last_used_at', '<=', argument('before'))
      .where('expires_at', '>', argument('now')),
);

/** Notes that a session was used, unless that was noted after `before`, or it has ended. */
export const noteSessionUse = (
  db: Db,
  use: { id: string; now: Instant; expiresAt: Instant; before: Instant },
) => db.run(noteUse(use));

/** The refresh token of this hash, with the session it belongs to. */
export const findRefreshToken = (db: Db, hash: string) =>
  db.one(
    query
      .selectFrom('refresh_tokens as token')
      .innerJoin('sessions as session', 'session.id', 'token.session_id')
      .select(['token.used_at', 'session.id', 'session.user_id', 'session.created_at', 'session.expires_at'])
      .where('token.hash', '=', hash),
  );

/** Consumes a refresh token; its row stays, so that a second use of it is known. */
export const consumeRefreshToken = (db: Db, hash: string, now: Instant) =>
  db.run(
    query
      .updateTable('refresh_tokens')
      .set({ used_at: now })
      .where('hash', '=', hash)
      .where('used_at', 'is', null),
  );

export const prolongSession = (
  db: Db,
  id: string,
  changes: Pick<SessionRow, 'last_used_at' | 'expires_at' | 'ip' | 'user_agent'>,
) => db.run(query.updateTable('sessions').set(changes).where('id', '=', id));

/** Live sessions of a user, the oldest first. */
export function listSessions(
  db: Db,
  { userId, sessionId }: SignedIn,
  now: Instant,
  page: PageRequest,
): Page<Session> {
  const live = query
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now);
  return readPage(db, page, live.orderBy('created_at').orderBy('id'), (row) => sessionOf(row, sessionId));
}

/** Ends one session of that user; returns whether there was one. */
export const endSession = (tx: Tx, userId: string, id: string): boolean =>
  end(tx, userId, sessionsOf(userId).where('id', '=', id)) > 0;

/** Ends every session of a user, or every one but `keep`; returns how many. */
export const endSessions = (tx: Tx, userId: string, keep = ''): number =>
  end(tx, userId, sessionsOf(userId).where('id', '!=', keep));

const sessionsOf = (userId: string) =>
  query.selectFrom('sessions').select('id').where('user_id', '=', userId).where('expires_at', '>', ENDED);

const hasNoToken = sql<SqlBool>`not exists (select 1 from refresh_tokens where session_id = sessions.id)`;

/** Deletes sessions with their tokens, or as much as a commit may: the rest has expired, and the purge takes it. */
function end(tx: Tx, userId: string, sessions: ReturnType<typeof sessionsOf>): number {
  tx.tell({ userId, about: 'sessions' });
  const tokens = query.selectFrom('refresh_tokens').select('hash');
  const some = tokens.where('session_id', 'in', sessions).limit(ROW_BATCH_SIZE);
  tx.run(query.deleteFrom('refresh_tokens').where('hash', 'in', some));
  const bare = query.deleteFrom('sessions').where('id', 'in', sessions).where(hasNoToken);
  const rest = query
    .updateTable('sessions')
    .set({ expires_at: ENDED, ip: '', user_agent: '' })
    .where('id', 'in', sessions);
  return tx.run(bare) + tx.run(rest);
}

export const rememberNetwork = (db: Db, userId: string, network: string, now: Instant) =>
  db.run(
    query
      .insertInto('known_addresses')
      .values({ user_id: userId, network, signed_in_at: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'network']).doUpdateSet({ signed_in_at: now })),
  );

/** Whether someone signed in to this account from that network lately. */
export const knowsNetwork = (db: Db, userId: string, network: string, now: number) =>
  db.one(
    query
      .selectFrom('known_addresses')
      .select('network')
      .where('user_id', '=', userId)
      .where('network', '=', network)
      .where('signed_in_at', '>', toInstant(now - KNOWN_NETWORK_MS)),
  ) !== undefined;

/** Deletes the networks that someone signed in from. */
export const deleteAddressesOf = (db: Db, userId: string) =>
  db.run(query.deleteFrom('known_addresses').where('user_id', '=', userId));
