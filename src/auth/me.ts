import { type Db, query } from '../db/connection.ts';
import type { UserRow } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { forbidden, type Issue, invalid } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { demandAccount, type SignedIn, writeSignedIn } from '../sessions/door.ts';
import { findUser, updateUser, userOf } from '../users/store.ts';
import { provePassword } from './attempts.ts';
import { replacePassword } from './password-reset.ts';
import type { Me, MeInput, PasswordInput } from './schema.ts';

const NO_CURRENT_PASSWORD: Issue = {
  path: 'currentPassword',
  message: 'Password is required',
};

export function findMe(db: Db, userId: string): Me {
  const row = demandAccount(db, { userId });
  const linked = db
    .all(query.selectFrom('identities').select('provider').where('user_id', '=', userId))
    .map(({ provider }) => provider);
  return {
    ...userOf(row),
    hasPassword: row.password_hash !== null,
    googleLinked: linked.includes('google'),
    telegramLinked: linked.includes('telegram'),
    createdAt: row.created_at,
  };
}

export function updateMe(deps: Deps, who: SignedIn, input: MeInput): Promise<Me> {
  const now = toInstant(deps.clock.now());
  return writeSignedIn(deps, who, (tx) => {
    const { name } = input;
    if (name !== undefined && name !== findUser(tx, who.userId)?.name)
      updateUser(tx, who.userId, now, { name });
    return findMe(tx, who.userId);
  });
}

/**
 * Sets or changes the caller's password, and ends their other sessions. The current one is asked for where there is
 * one: 400 without it, 403 for a wrong one, which counts as a failed sign-in.
 */
export async function changePassword(
  deps: Deps,
  who: SignedIn,
  visitor: Visitor,
  input: PasswordInput,
): Promise<undefined> {
  const now = deps.clock.now();
  const user = demandAccount(deps.read, who);
  const passwordHash = await hashNew(deps, visitor, user, input, now);
  const changed = await writeSignedIn(deps, who, (tx) => {
    if (findUser(tx, who.userId)?.password_hash !== user.password_hash) return false;
    replacePassword(deps, tx, who.userId, passwordHash, now, who.sessionId);
    return true;
  });
  if (!changed) throw forbidden('The password was changed meanwhile');
  deps.log.info({ event: 'password-changed', userId: who.userId }, 'password changed');
}

/** What is lacking of a change of password. */
export const passwordIssues = (
  { read }: Deps,
  who: SignedIn,
  { currentPassword }: Partial<PasswordInput>,
): Issue[] =>
  currentPassword === undefined && demandAccount(read, who).password_hash !== null
    ? [NO_CURRENT_PASSWORD]
    : [];

async function hashNew(
  deps: Deps,
  visitor: Visitor,
  { email, password_hash: stored }: UserRow,
  { currentPassword: offered, newPassword }: PasswordInput,
  now: number,
): Promise<string> {
  if (stored === null) return deps.passwords.hash(newPassword);
  if (offered === undefined) throw invalid(NO_CURRENT_PASSWORD);
  const isProved = await provePassword(deps, visitor, { email, stored, offered }, now);
  if (!isProved) throw forbidden('The current password is wrong');
  return deps.passwords.hash(newPassword);
}
