import { CLIENT_ID, idToken, newSigningKey, openGoogle } from '../../test/google-double.ts';
import { BOT_TOKEN } from '../../test/telegram-double.ts';
import type { WorldOptions } from '../../test/world.ts';

const GOOGLE_ACCOUNTS = 40;
/** Long ago: Google's tokens are checked by the real time as well, which the campaign's must not overtake. */
const START = Date.parse('2022-03-26T10:00:00.000Z');

/** Google and Telegram as doubles, and the world that knows them. */
export interface Outside {
  options: Pick<WorldOptions, 'settings'> & { start: number };
  /** An ID token of the n-th person that Google knows. */
  idToken(n: number): string;
  close(): Promise<void>;
}

export async function openOutside(isLimited: boolean): Promise<Outside> {
  const key = newSigningKey('fuzz');
  const google = await openGoogle(key);
  return {
    options: {
      start: START,
      settings: {
        // The world keeps what is logged.
        log: { level: 'error' },
        metrics: { enabled: true },
        rate_limits: { enabled: isLimited },
        auth: {
          google_client_ids: [CLIENT_ID],
          google_certs_url: google.url,
          telegram_bot_token: BOT_TOKEN,
        },
      },
    },
    idToken: (n) => {
      const account = n % GOOGLE_ACCOUNTS;
      return idToken(key, { sub: `google-${account}`, email: `google${account}@gmail.com`, name: 'Grace' });
    },
    close: google.close,
  };
}
