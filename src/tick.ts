import { purgeAccounts } from './auth/purge.ts';
import type { Deps } from './deps.ts';

/** What time brings, once a minute and at start; safe to repeat. */
export async function tick(deps: Deps): Promise<void> {
  await purgeAccounts(deps);
}
