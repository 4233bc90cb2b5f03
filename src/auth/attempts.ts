import { type Budget, deleteBudgets, returnBudgets, takeBudgets } from '../db/budgets.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from '../http/client-address.ts';
import type { Visitor } from '../http/request.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { MINUTE } from '../kernel/instants.ts';
import { knowsNetwork } from '../sessions/store.ts';
import { findUserByEmail } from '../users/store.ts';

/** What is offered as a proof. */
type By = 'password' | 'code';

/**
 * Counts an attempt to prove to be the owner of an address, before it is known how it ends, so that many at once
 * cannot slip through; `forgiveAttempt` takes back one that succeeded. Answers the milliseconds to wait when the
 * budget is empty. Networks that signed in to the account lately are not held up by what others try from elsewhere, and
 * no code is by wrong passwords from there: whoever is guessed at from everywhere shall still have a way in.
 */
export function countAttempt(
  deps: Deps,
  tx: Tx,
  visitor: Visitor,
  email: string,
  now: number,
  by: By = 'password',
): number | undefined {
  const budgets = budgetsOf(deps, tx, visitor, email, now);
  return takeBudgets(tx, [...budgets.here, ...budgets[by]], now);
}

/** A wrong code counts for passwords as well. */
export function blameForCode(deps: Deps, tx: Tx, visitor: Visitor, email: string, now: number): void {
  takeBudgets(tx, budgetsOf(deps, tx, visitor, email, now).password, now);
}

export function forgiveAttempt(
  deps: Deps,
  tx: Tx,
  visitor: Visitor,
  email: string,
  now: number,
  by: By = 'password',
): void {
  const budgets = budgetsOf(deps, tx, visitor, email, now);
  returnBudgets(tx, [...budgets.here, ...budgets[by]]);
}

/** Forgets what failed here and from everywhere, for someone who has proved to own the address in another way. */
export function forgetAttempts(deps: Deps, tx: Tx, visitor: Visitor, email: string): void {
  deleteBudgets(tx, Object.values(keysOf(deps, visitor, email)));
}

/**
 * Whether that is the password of the account at an address; `stored` is null where it has none. 429 when there were
 * too many failures, or too many wait to be compared, and then that is no attempt.
 */
export async function provePassword(
  deps: Deps,
  visitor: Visitor,
  { email, stored, offered }: { email: string; stored: string | null; offered: string },
  now: number,
): Promise<boolean> {
  deps.passwords.demandRoom();
  return prove(deps, visitor, email, now, () => deps.passwords.verify(stored, offered));
}

/** Whether `compare` holds, as an attempt on the disk from before that is known; one that held or threw is taken back. */
export async function prove(
  deps: Deps,
  visitor: Visitor,
  email: string,
  now: number,
  compare: () => Promise<boolean>,
): Promise<boolean> {
  const { here } = keysOf(deps, visitor, email);
  await beginAttempt(deps, visitor, email, now, here);
  let isFailed = false;
  try {
    isFailed = !(await compare());
  } finally {
    try {
      if (!isFailed) await deps.write((tx) => forgiveAttempt(deps, tx, visitor, email, now));
    } finally {
      deps.undecided.end(here, !isFailed);
    }
  }
  return !isFailed;
}

/** Counts an attempt. While others from here are undecided, an empty budget is waited for: those who succeed give back. */
async function beginAttempt(deps: Deps, visitor: Visitor, email: string, now: number, here: string) {
  for (;;) {
    const waitMs = await deps.write((tx) => {
      const waitMs = countAttempt(deps, tx, visitor, email, now);
      if (waitMs === undefined) tx.afterCommit(() => deps.undecided.begin(here));
      return waitMs;
    });
    if (waitMs === undefined) return;
    const room = deps.undecided.room(here);
    if (!room) throw heldUp(waitMs);
    await room;
  }
}

export const heldUp = (waitMs: number) => tooManyRequests(waitMs, 'attempts-limited');

/** What is left of attempts from this network; and by either proof from all that are not known. */
type Attempts = Record<'here' | By, Budget[]>;

function budgetsOf(deps: Deps, tx: Tx, visitor: Visitor, email: string, now: number): Attempts {
  const limits = deps.config.rate_limits;
  if (!limits.enabled) return { here: [], password: [], code: [] };
  const keys = keysOf(deps, visitor, email);
  const user = findUserByEmail(tx, email);
  const isKnown = knowsNetwork(tx, user?.id ?? '', networkOf(visitor.address), now);
  const here = { burst: limits.failures_burst, refillMs: MINUTE / limits.failures_per_minute };
  const everywhere = {
    burst: limits.account_failures_burst,
    refillMs: MINUTE / limits.account_failures_per_minute,
  };
  return {
    here: [{ key: keys.here, bucket: here }],
    password: isKnown ? [] : [{ key: keys.password, bucket: everywhere }],
    code: isKnown ? [] : [{ key: keys.code, bucket: everywhere }],
  };
}

function keysOf({ keys }: Deps, { address }: Visitor, email: string): Record<keyof Attempts, string> {
  const account = keys.codeHash(email);
  return {
    here: `attempts:${account}:${networkOf(address)}`,
    password: `attempts:${account}`,
    code: `code-attempts:${account}`,
  };
}
