import { purgeBudgets } from '../db/budgets.ts';
import { ROWS_AT_ONCE } from '../db/connection.ts';
import { deleteRows } from '../db/delete-rows.ts';
import type { Deps } from '../deps.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { purgeMails } from '../mail/outbox.ts';
import { KNOWN_NETWORK_MS } from '../sessions/store.ts';

const expired = (table: string, key?: string) => deleteRows(table, 'expires_at <= ?', key);

const EXPIRING = [
  // Sessions would take them along, but one may have thousands.
  deleteRows('refresh_tokens', 'session_id in (select id from sessions where expires_at <= ?)', 'hash'),
  expired('sessions'),
  expired('pending_signups'),
  expired('login_codes'),
  expired('email_tokens'),
  expired('used_telegram_logins', 'hash'),
];
const NETWORKS = deleteRows('known_addresses', 'signed_in_at <= ?', 'user_id, network');

/** Deletes what has expired: sessions, codes, tokens, sign-ups, used Telegram sign-ins, budgets, mails. */
export async function purgeAccounts(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  for (const doomed of EXPIRING) await purge(deps, doomed, toInstant(now));
  await purge(deps, NETWORKS, toInstant(now - KNOWN_NETWORK_MS));
  while ((await deps.write((tx) => purgeBudgets(tx, now))) > 0);
  while ((await deps.write((tx) => purgeMails(tx, now))) > 0);
}

/** Deletes what is of that instant or older, a few rows in each commit. */
async function purge({ write }: Deps, doomed: ReturnType<typeof deleteRows>, until: Instant): Promise<void> {
  while ((await write((tx) => tx.run(doomed(until, ROWS_AT_ONCE)))) === ROWS_AT_ONCE);
}
