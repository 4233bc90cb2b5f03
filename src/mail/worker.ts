import type { OutboxRow } from '../db/tables.ts';
import type { Writer } from '../db/writer.ts';
import type { Clock } from '../kernel/clock.ts';
import { MINUTE, SECOND, toInstant } from '../kernel/instants.ts';
import type { Keys } from '../kernel/keys.ts';
import type { Log } from '../kernel/log.ts';
import type { Message } from './messages.ts';
import { dropDecoys, dueMails, markFailed, markForRetry, markSent } from './outbox.ts';

const AT_ONCE = 10;
const FIRST_RETRY_MS = 10 * SECOND;
const LAST_RETRY_MS = 15 * MINUTE;

export interface Letter extends Message {
  /** Stable over all attempts, so that a receiver can tell a repetition. */
  messageId: string;
  to: string;
}

/** The fate of one attempt: a `refused` letter is not tried again, a `delayed` one is. */
export type Delivery = { kind: 'taken' } | { kind: 'refused' | 'delayed'; reason: string };

export interface Transport {
  /** Answers, never throws; in bounded time. */
  deliver(letter: Letter): Promise<Delivery>;
  /** Whether the content may be erased once it is taken. */
  erasesTaken: boolean;
  /** Verifies that the transport can be reached; the reason if not. */
  verify(): Promise<string | undefined>;
  close(): void;
}

/** Sends what the outbox promises. */
export interface Mailer {
  /** Says that there may be something to send. */
  wake: () => void;
  /** Resolves when nothing that is due is left. */
  idle(): Promise<void>;
  /** Finishes what is being sent and starts nothing more. */
  stop(): Promise<void>;
}

/**
 * Sends due mails, urgent ones first, a few at once; what fails comes back later and later until it expires. At least
 * once: a crash between the transport's yes and our note of it sends the mail again, under the same Message-ID.
 */
export function createMailer(options: {
  writer: Pick<Writer, 'read' | 'write'>;
  keys: Keys;
  clock: Clock;
  log: Log;
  transport: Transport;
}): Mailer {
  const { writer, keys, clock, log, transport } = options;
  let round: Promise<void> | undefined;
  let isAskedAgain = false;
  let isStopped = false;

  const settle = async (row: OutboxRow) => {
    const content = row.content && keys.unseal(row.content);
    const delivery: Delivery =
      typeof content === 'string'
        ? await transport.deliver(letterOf(row, content))
        : { kind: 'refused', reason: 'the content cannot be decrypted with the present key file' };
    const now = clock.now();
    await writer.write((tx) => {
      if (delivery.kind === 'taken') markSent(tx, row.id, toInstant(now), transport.erasesTaken);
      else if (delivery.kind === 'refused') markFailed(tx, row.id, delivery.reason);
      else markForRetry(tx, row.id, toInstant(now + retryMs(row.attempts)), delivery.reason);
    });
    const facts = { event: `mail-${delivery.kind}`, mailId: row.id, kind: row.kind };
    if (delivery.kind === 'taken') log.debug(facts, 'mail sent');
    else log.warn({ ...facts, reason: delivery.reason }, 'mail not sent');
  };

  const run = async () => {
    await writer.write((tx) => dropDecoys(tx));
    while (!isStopped) {
      isAskedAgain = false;
      const due = dueMails(writer.read, toInstant(clock.now()), AT_ONCE);
      if (due.length > 0) await Promise.all(due.map(settle));
      else if (!isAskedAgain) return;
    }
  };

  const wake = () => {
    isAskedAgain = true;
    if (round || isStopped) return;
    round = run()
      .catch((err: unknown) => log.error({ err }, 'the outbox cannot be worked on'))
      .finally(() => {
        round = undefined;
      });
  };

  return {
    wake,
    idle: async () => {
      while (round) await round;
    },
    stop: async () => {
      isStopped = true;
      await round;
      transport.close();
    },
  };
}

const letterOf = (row: OutboxRow, content: string): Letter => ({
  ...(JSON.parse(content) as Message),
  messageId: `<${row.id}@errand>`,
  to: row.recipient,
});

/** 10 s, 20 s, 40 s, … at most 15 minutes. */
const retryMs = (attempts: number) => Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS);
