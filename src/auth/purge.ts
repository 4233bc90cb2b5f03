import { purgeBudgets } from '../db/budgets.ts';
import { ROWS_AT_ONCE, statement } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { purgeMails } from '../mail/outbox.ts';
import { KNOWN_NETWORK_MS } from '../sessions/tokens.ts';

interface Doomed {
  table: string;
  key: string;
  /** With a `?` for the instant. */
  where: string;
}

const expired = (table: string, key = 'id'): Doomed => ({ table, key, where: 'expires_at <= ?' });

const EXPIRING: Doomed[] = [
  // Sessions would take them along, but one may have thousands.
  {
    table: 'refresh_tokens',
    key: 'hash',
    where: 'session_id in (select id from sessions where expires_at <= ?)',
  },
  expired('sessions'),
  expired('pending_signups'),
  expired('login_codes'),
  expired('email_tokens'),
  expired('used_telegram_logins', 'hash'),
];
const NETWORKS: Doomed = { table: 'known_addresses', key: 'user_id, network', where: 'signed_in_at <= ?' };

/** Deletes what has expired: sessions, codes, tokens, sign-ups, used Telegram sign-ins, budgets, mails. */
export async function purgeAccounts(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  for (const doomed of EXPIRING) await purge(deps, doomed, toInstant(now));
  await purge(deps, NETWORKS, toInstant(now - KNOWN_NETWORK_MS));
  while ((await deps.write((tx) => purgeBudgets(tx, now))) > 0);
  while ((await deps.write((tx) => purgeMails(tx, now))) > 0);
}

/** Deletes what is of that instant or older, a few rows in each commit. */
async function purge({ write }: Deps, { table, key, where }: Doomed, until: Instant): Promise<void> {
  const some = `select ${key} from ${table} where ${where} limit ${ROWS_AT_ONCE}`;
  const deletion = statement(`delete from ${table} where (${key}) in (${some})`, [until]);
  while ((await write((tx) => tx.run(deletion))) === ROWS_AT_ONCE);
}
