import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Config } from '../config.ts';
import { type Db, prepared, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Instant, MINUTE, toInstant } from '../kernel/instants.ts';
import type { Keys } from '../kernel/keys.ts';
import type { Message } from '../mail/messages.ts';
import { type PersistentLimit, requireWithinLimits, takeFromLimits } from './rate-limits.ts';
import type { OutboxRow, Tables } from './tables.ts';

/** A notice that could not be sent for so long is news no more. */
const NOTICE_MS = 3 * DAY;
/** A mail's content takes up pages of its own, which are overwritten. */
const PURGED_BATCH_SIZE = 100;
/** How long `mail list` remembers what was sent or given up. */
const KEPT_MS = 7 * DAY;

export const URGENT = 0;
export const ORDINARY = 1;
/** Apart from the rest, so that what waits is found without a look at them. */
export const DECOY = 2;

export interface Mail {
  /** Names the template, and the flow that is limited: `confirm-signup`, `login-code`, … */
  kind: string;
  to: string;
  message: Message;
  /** The account that it is to, or that caused it, and with which it goes; null where there is none. */
  userId: string | null;
  /** The secret it carries: its row and when it expires. None for a notice. */
  secret?: { id: string; expiresAt: Instant };
  /** Codes are waited for. */
  urgent?: boolean;
}

const insert = prepared<Omit<OutboxRow, 'attempts' | 'sent_at' | 'last_error'>, unknown>((argument) =>
  query.insertInto('outbox').values({
    id: argument('id'),
    priority: argument('priority'),
    kind: argument('kind'),
    recipient: argument('recipient'),
    content: argument('content'),
    secret_id: argument('secret_id'),
    user_id: argument('user_id'),
    state: argument('state'),
    attempts: 0,
    next_attempt_at: argument('next_attempt_at'),
    expires_at: argument('expires_at'),
    created_at: argument('created_at'),
    sent_at: null,
    last_error: null,
  }),
);

const disabledAt = prepared<{ email: string }, { id: string }>((argument) =>
  query
    .selectFrom('users')
    .select('id')
    .where('email', '=', argument('email'))
    .where('disabled_at', 'is not', null),
);

/** What promising a mail needs. */
interface MailDeps {
  config: Config;
  keys: Keys;
  mailer: { wake: () => void };
}

/**
 * Promises a mail in the caller's transaction; the worker sends it once that is on the disk. To the address of a disabled
 * account it is a decoy.
 */
export const enqueueMail = (deps: MailDeps, tx: Tx, mail: Mail, now: number) =>
  put(deps, tx, mail, tx.one(disabledAt({ email: mail.to })) ? 'decoy' : 'queued', now);

/**
 * Leaves a mail that is sent to nobody until it expires: the same work as for one that is, now and when it is replaced,
 * so that neither response nor time tells whether the address has an account.
 */
export const enqueueDecoy = (deps: MailDeps, tx: Tx, mail: Mail, now: number) =>
  put(deps, tx, mail, 'decoy', now);

/**
 * Takes a mail that anyone may cause from the recipient's allowance for its kind. False when that is used up: then none may
 * be promised, and nothing that was mailed before may be replaced by what would not be.
 */
export const takeMailAllowance = (
  deps: MailDeps,
  tx: Tx,
  mail: Pick<Mail, 'kind' | 'to'>,
  now: number,
): boolean => takeFromLimits(tx, limitsOf(deps, mail), now) === undefined;

/** Takes one from the mails to others that a user may cause in a day; 429 when there are none left. */
export const requireSenderAllowance = (deps: MailDeps, tx: Tx, userId: string, now: number): void =>
  requireWithinDay(deps, tx, `sender:${userId}`, 'sender_mails_per_day', now);

/**
 * Takes one from the mails that sign-ups of the whole server may cause in a day, to any address; 429 when there
 * are none left.
 */
export const requireSignupAllowance = (deps: MailDeps, tx: Tx, now: number): void =>
  requireWithinDay(deps, tx, 'signups', 'signup_mails_per_day', now);

function requireWithinDay(
  { config: { rate_limits: limits } }: MailDeps,
  tx: Tx,
  key: string,
  setting: 'sender_mails_per_day' | 'signup_mails_per_day',
  now: number,
): void {
  const most = limits[setting];
  if (limits.enabled) requireWithinLimits(tx, [{ key, bucket: { burst: most, refillMs: DAY / most } }], now);
}

function put(deps: MailDeps, tx: Tx, mail: Mail, state: OutboxRow['state'], now: number): void {
  tx.run(
    insert({
      id: newId(now),
      priority: state === 'decoy' ? DECOY : mail.urgent ? URGENT : ORDINARY,
      kind: mail.kind,
      recipient: mail.to,
      content: deps.keys.seal(JSON.stringify(mail.message)),
      secret_id: mail.secret?.id ?? null,
      user_id: mail.userId,
      state,
      next_attempt_at: toInstant(now),
      expires_at: mail.secret?.expiresAt ?? toInstant(now + NOTICE_MS),
      created_at: toInstant(now),
    }),
  );
  tx.afterCommit(deps.mailer.wake);
}

function limitsOf(
  { config: { rate_limits: limits }, keys }: MailDeps,
  { kind, to }: Pick<Mail, 'kind' | 'to'>,
): PersistentLimit[] {
  if (!limits.enabled) return [];
  const recipient = `${kind}:${keys.codeHash(to)}`;
  return [
    {
      key: `mail:${recipient}`,
      bucket: { burst: limits.mail_burst, refillMs: MINUTE / limits.mail_per_minute },
    },
    {
      key: `mail-day:${recipient}`,
      bucket: { burst: limits.mail_per_day, refillMs: DAY / limits.mail_per_day },
    },
  ];
}

/** Deletes the mails that carry these secrets: consumed or revoked, they are worth nothing. */
export function deleteMailsWith(db: Db, secrets: readonly { id: string }[]): void {
  for (const { id } of secrets) db.run(mailDeletion({ id }));
}

/** Deletes every mail to an address, sent or not. */
export const deleteMailsTo = (db: Db, address: string) =>
  db.run(query.deleteFrom('outbox').where('recipient', '=', address));

/** Deletes the mails to an address that are still to be sent. */
export const deleteWaitingMailsTo = (db: Db, address: string) =>
  db.run(query.deleteFrom('outbox').where('recipient', '=', address).where(isWaiting));

/** Deletes every mail that was to a user or caused by them, sent or not; returns their former addresses. */
export const deleteMailsOf = (db: Db, userId: string): string[] =>
  db
    .all(query.deleteFrom('outbox').where('user_id', '=', userId).returning(['kind', 'recipient']))
    .filter(({ kind }) => kind === 'email-keep')
    .map(({ recipient }) => recipient);

const mailDeletion = prepared<{ id: string }, unknown>((argument) =>
  query.deleteFrom('outbox').where('secret_id', '=', argument('id')),
);

/** The condition of the index `outbox_waiting`, word for word: with a bound value SQLite could not use it. */
export const isWaiting = sql<SqlBool>`state in ('queued', 'decoy')`;

const due = prepared<{ priority: number; now: Instant; most: number }, OutboxRow>((argument) =>
  query
    .selectFrom('outbox')
    .selectAll()
    .where(isWaiting)
    .where('state', '=', 'queued')
    .where('priority', '=', argument('priority'))
    .where('next_attempt_at', '<=', argument('now'))
    .where('expires_at', '>', argument('now'))
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(argument('most')),
);

/** Mails of one priority that may be sent now, those that wait longest first. */
export const dueMails = (db: Db, priority: number, now: Instant, most: number): OutboxRow[] =>
  db.all(due({ priority, now, most }));

/** What a mail says; undefined when it is erased, or sealed with another key. */
export function messageOf(keys: Keys, row: Pick<OutboxRow, 'content'>): Message | undefined {
  const content = row.content ? keys.unseal(row.content) : undefined;
  return content === undefined ? undefined : (JSON.parse(content) as Message);
}

/** `erase` deletes the content, which a transport that has taken the mail no longer needs. */
export const markSent = (db: Db, id: string, now: Instant, erase: boolean) =>
  db.run(
    query
      .updateTable('outbox')
      .set((row) => ({
        state: 'sent',
        sent_at: now,
        attempts: row('attempts', '+', 1),
        last_error: null,
        ...(erase && { content: null }),
      }))
      .where('id', '=', id),
  );

/** Notes an attempt that failed; without an instant for the next one it was the last. */
export const markUnsent = (db: Db, id: string, error: string, nextAttemptAt?: Instant) =>
  db.run(
    query
      .updateTable('outbox')
      .set(nextAttemptAt === undefined ? { state: 'failed' } : { next_attempt_at: nextAttemptAt })
      .set((row) => ({ attempts: row('attempts', '+', 1), last_error: error }))
      .where('id', '=', id),
  );

/**
 * Erases what mails carry once it has expired, whether they were sent or not; that there was a mail, and its fate,
 * stays listed for a week. Some at a time: returns how many, none when that was all.
 */
export function purgeMails(db: Db, now: number): number {
  const some = query.selectFrom('outbox').select('id').limit(PURGED_BATCH_SIZE);
  const expired = some.where('content', 'is not', null).where('expires_at', '<=', toInstant(now));
  const old = some.where('expires_at', '<=', toInstant(now - KEPT_MS));
  return (
    deleteMails(db, expired.where('state', '=', 'decoy')) +
    erase(db, expired.where('state', 'in', ['queued', 'sent', 'failed'])) +
    deleteMails(db, old)
  );
}

type Ids = SelectQueryBuilder<Tables, 'outbox', { id: string }>;

const deleteMails = (db: Db, ids: Ids): number => db.run(query.deleteFrom('outbox').where('id', 'in', ids));

const erase = (db: Db, ids: Ids): number =>
  db.run(
    query
      .updateTable('outbox')
      .set({
        content: null,
        state: sql<OutboxRow['state']>`case state when 'queued' then 'failed' else state end`,
        last_error: sql<string>`case state when 'queued'
          then 'expired before it could be sent' || coalesce('; ' || last_error, '') else last_error end`,
      })
      .where('id', 'in', ids),
  );

/** Has a mail sent at once, again if it was sent, its attempts counted again. False when its content is gone. */
export const retryMail = (db: Db, id: string, now: Instant): boolean =>
  db.run(
    query
      .updateTable('outbox')
      .set({ state: 'queued', attempts: 0, next_attempt_at: now })
      .where('id', '=', id)
      .where('state', '!=', 'decoy')
      .where('content', 'is not', null)
      .where('expires_at', '>', now),
  ) > 0;
