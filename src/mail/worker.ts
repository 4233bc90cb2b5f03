import { setTimeout as pause } from 'node:timers/promises';
import type { Writer } from '../db/writer.ts';
import type { Clock } from '../kernel/clock.ts';
import { MINUTE, SECOND, toInstant } from '../kernel/instants.ts';
import type { Keys } from '../kernel/keys.ts';
import type { Log } from '../kernel/log.ts';
import { dueMails, markSent, markUnsent, messageOf, ORDINARY, URGENT } from '../storage/outbox.ts';
import type { OutboxRow } from '../storage/tables.ts';
import type { Message } from './messages.ts';

export const MAIL_BATCH_SIZE = 5;
/** One place is always left for a code, however slowly the rest goes. */
const ORDINARY_BATCH_SIZE = MAIL_BATCH_SIZE - 1;
const FIRST_RETRY_MS = 10 * SECOND;
const LAST_RETRY_MS = 15 * MINUTE;
const STOP_TIMEOUT_MS = 5 * SECOND;

export interface OutgoingMail extends Message {
  /** Stable over all attempts, so that a receiver can tell a repetition. */
  id: string;
  to: string;
}

/**
 * The fate of one attempt: a `rejected` mail is not tried again, a `delayed` one is. A reason holds neither secrets
 * nor content.
 */
export type Delivery = { kind: 'taken' } | { kind: 'rejected' | 'delayed'; reason: string };

export interface Transport {
  /** In bounded time; to throw is to delay. */
  deliver(mail: OutgoingMail): Promise<Delivery>;
  /** Whether the content may be erased once it is taken. */
  erasesTaken: boolean;
  /** Verifies that the transport can be reached; the reason if not. */
  verify(): Promise<string | undefined>;
  /** Lets go of what is held; what is under way is delayed. */
  close(): void;
}

/** Sends what the outbox promises. */
export interface Mailer {
  /** Says that there may be something to send. */
  wake: () => void;
  /** Resolves when nothing that is due is left. */
  idle(): Promise<void>;
  /** Finishes what is being sent, within a few seconds, and starts nothing more. */
  stop(): Promise<void>;
}

/** For commands: what they promise is sent by the server, so that no mail goes out twice. */
export const noopMailer: Mailer = { wake: () => {}, idle: async () => {}, stop: async () => {} };

/**
 * Sends due mails, urgent ones first, a few at once; what fails comes back later and later until it expires. At least
 * once: a crash between the transport's yes and our note of it sends the mail again, under the same id. It begins
 * `pauseMs` after it is woken: the request that caused a mail has its response by then, as late or early as if there were none.
 */
export function createMailer(options: {
  writer: Pick<Writer, 'read' | 'write' | 'whenSynced'>;
  keys: Keys;
  clock: Clock;
  log: Log;
  transport: Transport;
  pauseMs: number;
}): Mailer {
  const { writer, keys, clock, log, transport, pauseMs } = options;
  const sending = new Map<string, Promise<void>>();
  /** Fates that the storage did not take. Nothing is sent while there are any, or it would be sent again and again. */
  const unnoted: (() => Promise<void>)[] = [];
  let round: Promise<void> | undefined;
  let isAsked = false;
  let isStopped = false;

  const wake = () => {
    isAsked = true;
    if (!isStopped) round ??= work();
  };

  const work = async () => {
    try {
      while (isAsked && !isStopped) {
        isAsked = false;
        await pause(pauseMs);
        await Promise.all(unnoted.splice(0).map((note) => note()));
        if (unnoted.length === 0) await writer.whenSynced(startDue);
      }
    } catch (err) {
      log.error({ err }, 'the outbox cannot be processed');
    } finally {
      // In the same breath as the last look at `isAsked`, or a call between the two would be lost.
      round = undefined;
    }
  };

  const startDue = () => {
    const now = toInstant(clock.now());
    startSome(dueMails(writer.read, URGENT, now, MAIL_BATCH_SIZE), MAIL_BATCH_SIZE);
    startSome(dueMails(writer.read, ORDINARY, now, MAIL_BATCH_SIZE), ORDINARY_BATCH_SIZE);
  };

  const startSome = (due: OutboxRow[], most: number) => {
    for (const row of due) {
      if (isStopped || sending.size >= most) return;
      if (!sending.has(row.id)) sending.set(row.id, send(row));
    }
  };

  const send = async (row: OutboxRow) => {
    const delivery = await deliver(row);
    const facts = { event: `mail-${delivery.kind}`, mailId: row.id, kind: row.kind };
    if (delivery.kind === 'taken') log.debug(facts, 'mail sent');
    else log.warn({ ...facts, reason: delivery.reason }, 'mail not sent');
    await note(row, delivery);
    sending.delete(row.id);
    wake();
  };

  const deliver = async (row: OutboxRow): Promise<Delivery> => {
    const message = messageOf(keys, row);
    if (!message) {
      return { kind: 'rejected', reason: 'the content cannot be decrypted with the present key file' };
    }
    try {
      return await transport.deliver({ ...message, id: row.id, to: row.recipient });
    } catch {
      return { kind: 'delayed', reason: 'the transport failed' };
    }
  };

  const note = async (row: OutboxRow, delivery: Delivery): Promise<void> => {
    const now = clock.now();
    try {
      await writer.write((tx) => {
        if (delivery.kind === 'taken') markSent(tx, row.id, toInstant(now), transport.erasesTaken);
        else if (delivery.kind === 'rejected') markUnsent(tx, row.id, delivery.reason);
        else markUnsent(tx, row.id, delivery.reason, toInstant(now + retryMs(row.attempts)));
      });
    } catch (err) {
      unnoted.push(() => note(row, delivery));
      log.error(
        { err, mailId: row.id },
        'the result of a mail cannot be stored: no mail is sent until it can',
      );
    }
  };

  const idle = async () => {
    while (round || sending.size > 0) await Promise.all([round, ...sending.values()]);
  };

  return {
    wake,
    idle,
    stop: async () => {
      isStopped = true;
      const timeout = setTimeout(() => transport.close(), STOP_TIMEOUT_MS);
      await idle();
      clearTimeout(timeout);
      transport.close();
    },
  };
}

/** 10 s, 20 s, 40 s, … at most 15 minutes. */
const retryMs = (attempts: number) => Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS);
