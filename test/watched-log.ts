import { pino } from 'pino';
import { expect } from 'vitest';
import type { Log, LogLevel } from '../src/kernel/log.ts';

/** The fields whose values are secrets, in what is sent and in what is returned. */
const SECRET_FIELDS = new Set([
  ...['password', 'newPassword', 'currentPassword', 'code', 'hash', 'idToken'],
  ...['token', 'accessToken', 'refreshToken', 'invitationToken'],
]);
/** What shorter ones say, such as a rejected password of one letter, stands in any log by chance. */
const SHORTEST = 6;
/** Whatever their values: an address of mail, a header, a link, a password's hash. */
const NEVER = [/[\w.+-]+@[\w-]+\.\w+/, /bearer [\w.-]{6}/i, /#token=/, /quick:/, /\$argon2/];

/** A log in memory, at every level, that knows the secrets its world saw and proves that it holds none of them. */
interface WatchedLog {
  log: Log;
  /** JSON, one event each. */
  lines: string[];
  /** Takes note of a secret. */
  isSecret(value: unknown): void;
  /** Takes note of the secrets in a body, however deep. */
  notesSecretsOf(body: unknown): void;
  prove(): void;
}

export function openWatchedLog(level: LogLevel): WatchedLog {
  const lines: string[] = [];
  const secrets = new Set<string>();
  const isSecret = (value: unknown) => {
    if (typeof value === 'string' && value.trim().length >= SHORTEST) secrets.add(value);
  };
  const notesSecretsOf = (body: unknown): void => {
    if (typeof body !== 'object' || body === null) return;
    for (const [field, value] of Object.entries(body)) {
      if (SECRET_FIELDS.has(field)) isSecret(value);
      notesSecretsOf(value);
    }
  };
  return {
    log: pino({ level }, { write: (line) => lines.push(line) }),
    lines,
    isSecret,
    notesSecretsOf,
    prove: () => {
      const log = lines.join('');
      const found = [...secrets].filter((secret) => holds(log, secret));
      const told = NEVER.flatMap((pattern) => pattern.exec(log)?.[0] ?? []);
      const offending = lines.filter((line) => [...found, ...told].some((text) => line.includes(text)));
      expect({ found, told, offending }, 'secrets in the log').toEqual({
        found: [],
        told: [],
        offending: [],
      });
    },
  };
}

/** Whether a text stands there, not as a part of a longer word: a code is six digits, which ids have as well. */
function holds(log: string, text: string): boolean {
  for (let at = log.indexOf(text); at !== -1; at = log.indexOf(text, at + 1)) {
    const around = [log[at - 1] ?? '', log[at + text.length] ?? ''];
    if (text.length > 12 || !around.some((character) => /[\w-]/.test(character))) return true;
  }
  return false;
}
