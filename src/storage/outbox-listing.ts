import { sql } from 'kysely';
import { type Db, query } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Keys } from '../kernel/keys.ts';
import type { Message } from '../mail/messages.ts';
import { DECOY, isWaiting, messageOf } from './outbox.ts';
import type { OutboxRow } from './tables.ts';

const MAX_LISTED = 1_000;
/** Counting stops here, so that nobody waits for it. */
const MAX_COUNTED = 100_000;

/** The newest mails first, at most a thousand. */
export const listMails = (db: Db): MailSummary[] =>
  db
    .all(
      query
        .selectFrom('outbox')
        .selectAll()
        .where('state', '!=', 'decoy')
        .orderBy('id', 'desc')
        .limit(MAX_LISTED),
    )
    .map(summaryOf);

/**
 * A mail with its links and codes: null once they are erased (SMTP took it, or they expired) or when they cannot be
 * decrypted. Undefined when there is no such mail.
 */
export function showMail(
  db: Db,
  keys: Keys,
  id: string,
): (MailSummary & { message: Message | null }) | undefined {
  const row = db.one(
    query.selectFrom('outbox').selectAll().where('id', '=', id).where('state', '!=', 'decoy'),
  );
  return row && { ...summaryOf(row), message: messageOf(keys, row) ?? null };
}

/** How much the outbox holds, counted up to 100,000, and since when the oldest mail waits. */
export function outboxDepth(db: Db): { waiting: number; failed: number; waitingSince: Instant | undefined } {
  const ids = query.selectFrom('outbox').select('id').limit(MAX_COUNTED);
  const depthOf = (some: typeof ids) =>
    db.one(
      query
        .selectFrom(some.as('mail'))
        .select(({ fn }) => [fn.countAll<number>().as('n'), fn.min('id').as('oldest')]),
    );
  const waiting = depthOf(ids.where(isWaiting).where('priority', '<', DECOY));
  // Ids are in the order of time.
  const oldest = query
    .selectFrom('outbox')
    .select('created_at')
    .where('id', '=', waiting?.oldest ?? '');
  return {
    waiting: waiting?.n ?? 0,
    failed: depthOf(ids.where('state', '=', sql.lit('failed')))?.n ?? 0,
    waitingSince: db.one(oldest)?.created_at,
  };
}

/** What an admin sees of a mail without opening it. */
export type MailSummary = ReturnType<typeof summaryOf>;

const summaryOf = (row: OutboxRow) => ({
  id: row.id,
  kind: row.kind,
  to: row.recipient,
  state: row.state,
  /** How often it was tried, the time that it was sent included. */
  attempts: row.attempts,
  createdAt: row.created_at,
  /** After this it is not sent any more, and its content is erased. */
  expiresAt: row.expires_at,
  /** While it waits. */
  nextAttemptAt: row.state === 'queued' ? row.next_attempt_at : null,
  sentAt: row.sent_at,
  /** Why it was not sent, the last time it was tried. */
  lastError: row.last_error,
});
