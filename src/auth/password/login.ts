import type { Deps } from '../../deps.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { signInFailed } from '../../kernel/errors.ts';
import { toInstant } from '../../kernel/instants.ts';
import type { UserRow } from '../../storage/tables.ts';
import { findUser, findUserByEmail, updateUser } from '../../storage/users.ts';
import { provePassword } from '../../users/attempts.ts';
import { completeSignIn, type SignIn } from '../complete-sign-in.ts';
import type { LoginInput } from '../schema.ts';

/**
 * Signs in by password. Unknown address, disabled account, account without password and wrong password are one 401,
 * in response and in time; too many failures are 429, for unknown addresses too.
 */
export async function logIn(deps: Deps, requestContext: RequestContext, input: LoginInput): Promise<SignIn> {
  const now = deps.clock.now();
  const { email, password: offered } = input;
  const user = findUserByEmail(deps.read, email);
  const stored = user?.password_hash ?? null;
  const isBarred = user !== undefined && user.disabled_at !== null;
  const attempt = { requestContext, email, now };
  const matches = await provePassword(deps, attempt, { stored, offered, isBarred });
  if (!user || !matches) throw rejection();
  const renewed = await renewedHash(deps, requestContext, user, offered);
  const signIn = await deps.write((tx) => {
    // The password may have been changed, or the account disabled or deleted, while it was compared.
    const latest = findUser(tx, user.id);
    if (!latest || latest.disabled_at !== null) return undefined;
    if (latest.password_hash !== user.password_hash) return 'changed';
    if (renewed) updateUser(tx, user.id, toInstant(now), { password_hash: renewed });
    return completeSignIn(
      deps,
      tx,
      requestContext,
      { user: latest, by: 'password', mode: input.session },
      now,
    );
  });
  // Perhaps another sign-in only stored a stronger hash of the same password.
  if (signIn === 'changed') return logIn(deps, requestContext, input);
  if (!signIn) throw rejection();
  return signIn;
}

const renewedHash = async (
  { signIn: { passwords } }: Deps,
  { address }: RequestContext,
  { password_hash: stored }: UserRow,
  password: string,
) => (stored !== null && passwords.isOutdated(stored) ? passwords.hash(password, address) : undefined);

const rejection = () => signInFailed('Wrong e-mail or password');
