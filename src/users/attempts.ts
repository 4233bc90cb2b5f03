import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from '../http/client-address.ts';
import type { RequestContext } from '../http/request-context.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { MINUTE } from '../kernel/instants.ts';
import { deleteLimits, type PersistentLimit, refundLimits, takeFromLimits } from '../storage/rate-limits.ts';
import { knowsNetwork } from '../storage/sessions.ts';
import { findUserByEmail } from '../storage/users.ts';
import { inFlightAttempts } from './in-flight-attempts.ts';

/** What is offered as a proof. */
type By = 'password' | 'code';

/** Someone who offers one to be the owner of an address. */
export interface Attempt {
  requestContext: RequestContext;
  email: string;
  now: number;
}

/**
 * Counts an attempt to prove to be the owner of an address, before it is known how it ends, so that many at once
 * cannot slip through; `refundAttempt` takes back one that succeeded. Returns the milliseconds to wait when the
 * limit is reached. Networks that signed in to the account lately are not held up by what others try from elsewhere, and
 * no code is by wrong passwords, from anywhere: an account under attack, be it from the same office, still has a way in.
 */
export const countAttempt = (deps: Deps, tx: Tx, attempt: Attempt, by: By = 'password'): number | undefined =>
  takeFromLimits(tx, limitsOf(deps, tx, attempt)[by], attempt.now);

/** A wrong code counts for passwords as well, be one of their limits reached already. */
export function chargeFailedCode(deps: Deps, tx: Tx, attempt: Attempt): void {
  for (const limit of limitsOf(deps, tx, attempt).password) takeFromLimits(tx, [limit], attempt.now);
}

export function refundAttempt(deps: Deps, tx: Tx, attempt: Attempt, by: By = 'password'): void {
  refundLimits(tx, limitsOf(deps, tx, attempt)[by]);
}

/** Clears what failed here and from everywhere, for someone who has proved to own the address in another way. */
export function clearAttempts(deps: Deps, tx: Tx, attempt: Attempt): void {
  deleteLimits(tx, Object.values(keysOf(deps, attempt)));
}

/**
 * Whether that is the password of the account at an address; `stored` is null where it has none. Where `isBarred`, no
 * password is, after the same work. 429 when there were too many failures, or too many wait to be compared, and then
 * that is no attempt.
 */
export async function provePassword(
  deps: Deps,
  attempt: Attempt,
  { stored, offered, isBarred = false }: { stored: string | null; offered: string; isBarred?: boolean },
): Promise<boolean> {
  const { passwords } = deps.signIn;
  const { address } = attempt.requestContext;
  passwords.requireCapacity(address);
  return prove(deps, attempt, async () => (await passwords.verify(stored, offered, address)) && !isBarred);
}

/** Whether `compare` holds, as an attempt on the disk from before that is known; one that held or threw is taken back. */
export async function prove(deps: Deps, attempt: Attempt, compare: () => Promise<boolean>): Promise<boolean> {
  const { here } = keysOf(deps, attempt);
  await beginAttempt(deps, attempt, here);
  let isFailed = false;
  try {
    isFailed = !(await compare());
  } finally {
    try {
      if (!isFailed) await deps.write((tx) => refundAttempt(deps, tx, attempt));
    } finally {
      inFlightAttempts(deps).end(here, !isFailed);
    }
  }
  return !isFailed;
}

/** Counts an attempt. While others from here are in flight, a reached limit is waited for: those who succeed give back. */
async function beginAttempt(deps: Deps, attempt: Attempt, here: string) {
  for (;;) {
    const waitMs = await deps.write((tx) => {
      const waitMs = countAttempt(deps, tx, attempt);
      if (waitMs === undefined) tx.afterCommit(() => inFlightAttempts(deps).begin(here));
      return waitMs;
    });
    if (waitMs === undefined) return;
    const capacity = inFlightAttempts(deps).capacity(here);
    if (!capacity) throw rateLimited(waitMs);
    await capacity;
  }
}

export const rateLimited = (waitMs: number) => tooManyRequests(waitMs, 'attempts-limited');

/** What is left of attempts by either proof: from this network, and together from all that are not known. */
function limitsOf(deps: Deps, tx: Tx, attempt: Attempt): Record<By, PersistentLimit[]> {
  const limits = deps.config.rate_limits;
  if (!limits.enabled) return { password: [], code: [] };
  const { requestContext, email, now } = attempt;
  const keys = keysOf(deps, attempt);
  const user = findUserByEmail(tx, email);
  const isKnown = knowsNetwork(tx, user?.id ?? '', networkOf(requestContext.address), now);
  const here = { burst: limits.failures_burst, refillMs: MINUTE / limits.failures_per_minute };
  const everywhere = {
    burst: limits.account_failures_burst,
    refillMs: MINUTE / limits.account_failures_per_minute,
  };
  const ofBoth = (key: string, keyOfAll: string): PersistentLimit[] => [
    { key, bucket: here },
    ...(isKnown ? [] : [{ key: keyOfAll, bucket: everywhere }]),
  ];
  return { password: ofBoth(keys.here, keys.password), code: ofBoth(keys.codeHere, keys.code) };
}

function keysOf({ keys }: Deps, { requestContext, email }: Attempt) {
  const account = keys.codeHash(email);
  const network = networkOf(requestContext.address);
  return {
    here: `attempts:${account}:${network}`,
    codeHere: `code-attempts:${account}:${network}`,
    password: `attempts:${account}`,
    code: `code-attempts:${account}`,
  };
}
