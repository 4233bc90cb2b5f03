import { listActs } from '../audit/trail.ts';
import type { Db } from '../db/connection.ts';
import { OperatorError } from '../kernel/errors.ts';
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
  const acts = await withData(shell, options, ({ read }) =>
    listActs(read, { userId: user === undefined ? undefined : userIdOf(read, user.trim()), limit }),
  );
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

function userIdOf(read: Db, user: string): string {
  if (!user.includes('@')) return user;
  const found = findUserByEmail(read, user.toLowerCase());
  if (!found) {
    throw new OperatorError(
      `There is no account with the address ${user}; one that was deleted is asked for by its id`,
    );
  }
  return found.id;
}
