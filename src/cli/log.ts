import { listActs } from '../audit/trail.ts';
import { findUserByEmail } from '../storage/users.ts';
import { type CommonOptions, withData } from './open-data.ts';
import { printResult, table } from './output.ts';
import type { Shell } from './shell.ts';

interface Options extends CommonOptions {
  user?: string;
  limit: number;
}

/** Prints the audit trail, the newest acts first. An account that is gone is asked for by its id. */
export async function showLog(shell: Shell, options: Options): Promise<void> {
  const { user, limit } = options;
  const acts = await withData(shell, options, ({ read }) => {
    const userId =
      user === undefined ? undefined : (findUserByEmail(read, user.trim().toLowerCase())?.id ?? user);
    return listActs(read, { userId, limit });
  });
  const rows = acts.map((act) => [
    act.at,
    act.source,
    act.isRejected ? `rejected: ${act.event}` : act.event,
    act.email ?? act.userId ?? '',
    Object.entries({ ...(act.by !== null && { by: act.by }), ...act.details })
      .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' '),
  ]);
  printResult(shell, options, acts, table(['AT', 'SOURCE', 'EVENT', 'ACCOUNT', 'DETAILS'], rows));
}
