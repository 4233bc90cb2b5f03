import { purgeAudit } from './audit/trail.ts';
import { notifyExpiringTokens } from './auth/api-tokens.ts';
import { purgeOldChanges } from './changes/purge.ts';
import type { Deps } from './deps.ts';
import { sweep } from './recurring/sweep.ts';
import { purgeExpired } from './storage/purge.ts';
import { notifyDue } from './tasks/due.ts';
import { purgeTrash } from './trash/purge.ts';

/**
 * Runs what is due by the minute, in this order, since what the sweep makes may be due already; safe to repeat. Each
 * runs whatever became of the others; what failed is thrown at the end.
 */
export async function tick(deps: Deps): Promise<void> {
  deps.http.securityLog.sumUp();
  const tasks = [notifyDue, notifyExpiringTokens, purgeExpired, purgeAudit, purgeOldChanges, purgeTrash];
  if (deps.config.recurrence.sweep) tasks.unshift(sweep);
  const failures: unknown[] = [];
  for (const task of tasks) await task(deps).catch((reason) => failures.push(reason));
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}
