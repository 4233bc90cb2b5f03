import { purgeBudgets } from '../db/budgets.ts';
import { query } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { toInstant } from '../kernel/instants.ts';
import { purgeMails } from '../mail/outbox.ts';
import { purgeSessions } from '../sessions/store.ts';
import { KNOWN_NETWORK_MS } from '../sessions/tokens.ts';

/** Deletes what has expired: sessions, codes, tokens, sign-ups, used Telegram sign-ins, budgets, mails. */
export async function purgeAccounts({ clock, write }: Deps): Promise<void> {
  const now = clock.now();
  const at = toInstant(now);
  await write((tx) => purgeSessions(tx, at, toInstant(now - KNOWN_NETWORK_MS)));
  await write((tx) => {
    for (const table of ['pending_signups', 'login_codes', 'email_tokens', 'used_telegram_logins'] as const) {
      tx.run(query.deleteFrom(table).where('expires_at', '<=', at));
    }
  });
  await write((tx) => purgeBudgets(tx, now));
  await write((tx) => purgeMails(tx, now));
}
