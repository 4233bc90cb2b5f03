import type { Budget } from '../db/budgets.ts';
import type { Deps } from '../deps.ts';
import { DAY } from '../kernel/instants.ts';

/** The budget of mails to others that one user may cause in a day; empty is 429. */
export function senderBudget({ config: { rate_limits: limits } }: Deps, userId: string): Budget[] {
  if (!limits.enabled) return [];
  const most = limits.sender_mails_per_day;
  return [{ key: `sender:${userId}`, bucket: { burst: most, refillMs: DAY / most } }];
}
