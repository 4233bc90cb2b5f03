import { isDeepStrictEqual } from 'node:util';
import { recordAct } from '../../audit/trail.ts';
import type { Db } from '../../db/connection.ts';
import { atOnce, type Steps, type Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { forbidden, type Issue, invalid } from '../../kernel/errors.ts';
import { toInstant } from '../../kernel/instants.ts';
import { defined } from '../../kernel/patch.ts';
import type { SignedIn } from '../../sessions/actor.ts';
import { requireAccount, writeInStepsSignedIn, writeSignedIn } from '../../sessions/authentication.ts';
import { identitiesOf } from '../../storage/identities.ts';
import type { UserRow } from '../../storage/tables.ts';
import { findPreferences, findUser, savePreferences, updateUser, userOf } from '../../storage/users.ts';
import { tellDueDaysOf } from '../../tasks/due.ts';
import { provePassword } from '../../users/attempts.ts';
import { replacePassword } from '../password/password-reset.ts';
import type { Me, MeInput, PasswordInput } from '../schema.ts';

const NO_CURRENT_PASSWORD: Issue = {
  path: 'currentPassword',
  message: 'Password is required',
};

export function findMe(db: Db, userId: string): Me {
  const row = requireAccount(db, { userId });
  const linked = identitiesOf(db, userId).map(({ provider }) => provider);
  return {
    ...userOf(row),
    hasPassword: row.password_hash !== null,
    googleLinked: linked.includes('google'),
    telegramLinked: linked.includes('telegram'),
    timezone: row.timezone,
    weekStart: row.week_start,
    preferences: findPreferences(db, userId),
    createdAt: row.created_at,
  };
}

/** Changes the given settings of the caller's account; the others stay. */
export function updateMe(deps: Deps, who: SignedIn, input: MeInput): Promise<Me> {
  const now = toInstant(deps.clock.now());
  const update = function* (tx: Tx): Steps<Me> {
    const before = findMe(tx, who.userId);
    const changed: MeInput = Object.fromEntries(
      Object.entries(input).filter(([field, value]) => !isDeepStrictEqual(value, before[field as keyof Me])),
    );
    const { preferences, weekStart, ...others } = changed;
    const account = defined({ ...others, week_start: weekStart });
    if (Object.keys(account).length > 0) updateUser(tx, who.userId, now, account);
    if (account.timezone !== undefined) {
      yield* tellDueDaysOf(tx, who.userId, { from: before.timezone, to: account.timezone }, now);
    }
    if (preferences !== undefined) savePreferences(tx, who.userId, preferences);
    if (Object.keys(changed).length > 0) tx.tell({ userId: who.userId, about: 'profile' });
    return findMe(tx, who.userId);
  };
  return input.timezone === undefined
    ? writeSignedIn<Me>(deps, who, (tx) => atOnce(update(tx)))
    : writeInStepsSignedIn(deps, who, update);
}

/**
 * Sets or changes the caller's password, and ends their other sessions. The current one is asked for where there is
 * one: 400 without it, 403 for a wrong one, which counts as a failed sign-in.
 */
export async function changePassword(
  deps: Deps,
  who: SignedIn,
  requestContext: RequestContext,
  input: PasswordInput,
): Promise<undefined> {
  const now = deps.clock.now();
  const user = requireAccount(deps.read, who);
  const passwordHash = await hashNew(deps, requestContext, user, input, now);
  const changed = await writeSignedIn(deps, who, (tx) => {
    if (findUser(tx, who.userId)?.password_hash !== user.password_hash) return false;
    replacePassword(deps, tx, who.userId, passwordHash, now, who.sessionId);
    recordAct(deps, tx, { event: 'password-changed', userId: who.userId }, 'password changed');
    return true;
  });
  if (!changed) throw forbidden('The password was changed meanwhile');
}

/** What is lacking of a change of password. */
export const passwordIssues = (
  { read }: Deps,
  who: SignedIn,
  { currentPassword }: Partial<PasswordInput>,
): Issue[] =>
  currentPassword === undefined && requireAccount(read, who).password_hash !== null
    ? [NO_CURRENT_PASSWORD]
    : [];

async function hashNew(
  deps: Deps,
  requestContext: RequestContext,
  { email, password_hash: stored }: UserRow,
  { currentPassword: offered, newPassword }: PasswordInput,
  now: number,
): Promise<string> {
  if (stored === null) return deps.signIn.passwords.hash(newPassword, requestContext.address);
  if (offered === undefined) throw invalid(NO_CURRENT_PASSWORD);
  const isProved = await provePassword(deps, { requestContext, email, now }, { stored, offered });
  if (!isProved) throw forbidden('The current password is wrong');
  return deps.signIn.passwords.hash(newPassword, requestContext.address);
}
