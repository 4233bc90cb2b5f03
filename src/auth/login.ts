import type { UserRow } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { signInFailed } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import type { SignedInAnswer } from '../sessions/schema.ts';
import { signedInAnswer, startSession } from '../sessions/tokens.ts';
import { findUser, findUserByEmail, updateUser } from '../users/store.ts';
import { provePassword } from './attempts.ts';
import type { LoginInput } from './schema.ts';

/**
 * Signs in by password. Unknown address, account without password and wrong password are one 401, in answer and in
 * time; too many failures are 429, for unknown addresses too.
 */
export async function logIn(deps: Deps, visitor: Visitor, input: LoginInput): Promise<SignedInAnswer> {
  const now = deps.clock.now();
  const { email, password: offered } = input;
  const user = findUserByEmail(deps.read, email);
  const stored = user?.password_hash ?? null;
  const matches = await provePassword(deps, visitor, { email, stored, offered }, now);
  if (!user || !matches) throw refused();
  const renewed = await renewedHash(deps, user, offered);
  const session = await deps.write((tx) => {
    // The password may have been changed, or the account deleted, while it was compared.
    if (findUser(tx, user.id)?.password_hash !== user.password_hash) return undefined;
    if (renewed) updateUser(tx, user.id, toInstant(now), { password_hash: renewed });
    return startSession(deps, tx, visitor, user.id, now);
  });
  if (!session) throw refused();
  return signedInAnswer(deps, user, session, now);
}

const renewedHash = async ({ passwords }: Deps, { password_hash: stored }: UserRow, password: string) =>
  stored !== null && passwords.isOutdated(stored) ? passwords.hash(password) : undefined;

const refused = () => signInFailed('Wrong e-mail or password');
