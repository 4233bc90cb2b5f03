import { ROW_BATCH_SIZE } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { deleteRows } from '../storage/delete-rows.ts';
import { purgeMails } from '../storage/outbox.ts';
import { purgeLimits } from '../storage/rate-limits.ts';
import { KNOWN_NETWORK_MS } from '../storage/sessions.ts';
import { CONFLICT_MS } from '../storage/signup-attempts.ts';

const expired = (table: string, key?: string) => deleteRows(table, 'expires_at <= ?', key);

const EXPIRING = [
  // Sessions would take them along, but one may have thousands.
  deleteRows('refresh_tokens', 'session_id in (select id from sessions where expires_at <= ?)', 'hash'),
  expired('sessions'),
  expired('api_tokens'),
  expired('pending_signups'),
  expired('login_codes'),
  expired('email_tokens'),
  expired('used_telegram_logins', 'hash'),
];
const SIGNUP_ATTEMPTS = deleteRows('signup_attempts', 'made_at <= ?', 'email, password_tag');
const NETWORKS = deleteRows('known_addresses', 'signed_in_at <= ?', 'user_id, network');

/** Deletes what has expired: sessions, codes, tokens, sign-ups, used Telegram sign-ins, budgets, mails. */
export async function purgeAccounts(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  for (const rowsToDelete of EXPIRING) await purge(deps, rowsToDelete, toInstant(now));
  await purge(deps, SIGNUP_ATTEMPTS, toInstant(now - CONFLICT_MS));
  await purge(deps, NETWORKS, toInstant(now - KNOWN_NETWORK_MS));
  while ((await deps.write((tx) => purgeLimits(tx, now))) > 0);
  while ((await deps.write((tx) => purgeMails(tx, now))) > 0);
}

/** Deletes what is of that instant or older, a few rows in each commit. */
async function purge(
  { write }: Deps,
  rowsToDelete: ReturnType<typeof deleteRows>,
  until: Instant,
): Promise<void> {
  while ((await write((tx) => tx.run(rowsToDelete(until, ROW_BATCH_SIZE)))) === ROW_BATCH_SIZE);
}
