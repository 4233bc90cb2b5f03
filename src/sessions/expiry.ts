import type { Deps } from '../deps.ts';
import { DAY } from '../kernel/instants.ts';

/** When a session ends: some days after its last use, and some after sign-in where `auth.session_max_days` says so. */
export function expiryOf(
  { config: { auth } }: Pick<Deps, 'config'>,
  usedAt: number,
  startedAt: number,
): number {
  const idle = usedAt + auth.refresh_token_days * DAY;
  return auth.session_max_days === 0 ? idle : Math.min(idle, startedAt + auth.session_max_days * DAY);
}
