import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { HOUR, type Instant, MINUTE, SECOND, toInstant } from '../../../kernel/instants.ts';
import { hashSecret } from '../../../kernel/secrets.ts';
import type { TelegramInput } from '../../schema.ts';

const MAX_AGE_MS = HOUR;
/** How far Telegram's clock may be ahead of ours. */
const MAX_AHEAD_MS = MINUTE;
const MAX_SHOWN_CHARACTERS = 64;

/** What the widget signs; `hash` is the signature, and whatever else comes along (`email`) it does not know. */
const SIGNED_FIELDS = [
  'auth_date',
  'first_name',
  'id',
  'last_name',
  'photo_url',
  'username',
] as const satisfies (keyof TelegramInput)[];

/** Someone whom Telegram has signed in just now. */
interface TelegramPerson {
  subject: string;
  name: string;
  /** How to name them in a mail to a stranger. */
  shownAs: string;
  /** Knows this very sign-in again, until it is too old in any case. */
  payload: { hash: string; expires_at: Instant };
}

/**
 * Who the widget's fields speak for, or why they are rejected: signed with this bot's token, at most an hour old.
 * That they are used once is for the caller to see to.
 */
export function telegramPerson(
  botToken: string,
  fields: TelegramInput,
  now: number,
): TelegramPerson | { error: string } {
  if (botToken === '') {
    return {
      error: 'Sign-in by Telegram is not set up on this server: auth.telegram_bot_token is empty',
    };
  }
  const signature = signatureOf(botToken, fields);
  const given = Buffer.from(fields.hash, 'hex');
  if (given.length !== signature.length || !timingSafeEqual(given, signature)) {
    return { error: 'The Telegram sign-in is not valid' };
  }
  const signedAt = Number(fields.auth_date) * SECOND;
  if (now - signedAt > MAX_AGE_MS) return { error: 'The Telegram sign-in is more than an hour old' };
  if (signedAt - now > MAX_AHEAD_MS) return { error: 'The Telegram sign-in is from the future' };
  return {
    subject: String(fields.id),
    name: [fields.first_name, fields.last_name].join(' '),
    shownAs: shownName(fields),
    payload: {
      hash: hashSecret(signature.toString('hex')),
      expires_at: toInstant(signedAt + MAX_AGE_MS + SECOND),
    },
  };
}

/** HMAC-SHA-256 over the fields as they came, in order of their names; no value holds a line break of its own. */
function signatureOf(botToken: string, fields: TelegramInput): Buffer {
  const lines = SIGNED_FIELDS.filter((name) => fields[name] !== undefined).map(
    (name) => `${name}=${fields[name]}`,
  );
  const key = hash('sha256', botToken, 'buffer');
  return createHmac('sha256', key).update(lines.join('\n')).digest();
}

/** The username, else the first name and the number. Only letters, digits and what joins them: no link, no markup. */
function shownName({ id, username, first_name: firstName }: TelegramInput): string {
  if (username !== undefined && /^\w{1,32}$/.test(username)) return `@${username}`;
  const plain = firstName
    .replaceAll(/[^\p{L}\p{M}\p{N} '’-]/gu, '')
    .trim()
    .slice(0, MAX_SHOWN_CHARACTERS)
    .toWellFormed();
  return plain ? `${plain} (number ${id})` : `number ${id}`;
}
