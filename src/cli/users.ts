import { setTimeout as wait } from 'node:timers/promises';
import { recordAct } from '../audit/trail.ts';
import { removeAccount } from '../auth/account/account-deletion.ts';
import { disableAccount, enableAccount } from '../auth/account/disabling.ts';
import { replacePassword } from '../auth/password/password-reset.ts';
import type { Db } from '../db/connection.ts';
import type { Write } from '../db/writer.ts';
import { OperatorError } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { listAccounts } from '../storage/account-listing.ts';
import { revokeApiTokens } from '../storage/api-tokens.ts';
import { endSessions } from '../storage/sessions.ts';
import type { UserRow } from '../storage/tables.ts';
import { findUserByEmail } from '../storage/users.ts';
import { Email, Password } from '../users/schema.ts';
import { MisuseError } from './failures.ts';
import { type CommonOptions, withData } from './open-data.ts';
import { printResult, table } from './output.ts';
import { parse } from './parse.ts';
import { readNewPassword } from './read-secret.ts';
import type { Shell } from './shell.ts';

const COLUMNS = [
  'EMAIL',
  'NAME',
  'PASSWORD',
  'CREATED',
  'LAST SIGN-IN',
  'SESSIONS',
  'WORKSPACES',
  'TASKS',
  'DISABLED',
  'ID',
];

interface ListOptions extends CommonOptions {
  search?: string;
  disabled?: boolean;
  limit?: number;
  page?: number;
}

/** How many times as long as a commit took. */
const THROTTLE_RATIO = 4;

/** Lists accounts, the oldest first: all of them, or a page of those that contain a text. */
export async function listUsers(shell: Shell, options: ListOptions): Promise<void> {
  const request = {
    text: options.search,
    disabledOnly: options.disabled === true,
    limit: options.limit,
    page: options.page ?? 1,
  };
  const users = await withData(shell, options, ({ read, clock }) =>
    listAccounts(read, toInstant(clock.now()), request),
  );
  const rows = users.map((user) => [
    user.email,
    user.name,
    user.hasPassword ? 'yes' : 'no',
    user.createdAt.slice(0, 10),
    user.lastSignInAt?.slice(0, 10) ?? 'never',
    String(user.sessions),
    String(user.workspaces),
    String(user.tasks),
    user.isDisabled ? 'yes' : 'no',
    user.id,
  ]);
  printResult(shell, options, users, table(COLUMNS, rows));
}

/** Disables an account: ends all its sessions, and nothing signs in to it until it is enabled. */
export async function disableUser(shell: Shell, address: string, options: CommonOptions): Promise<void> {
  const email = parse(Email, address);
  const sessionsEnded = await withData(shell, options, (deps) =>
    deps.write((tx) => disableAccount(deps, tx, requireAccount(tx, email), deps.clock.now())),
  );
  const words = `Disabled ${email}; sessions ended: ${sessionsEnded}\n`;
  printResult(shell, options, { email, isDisabled: true, sessionsEnded }, words);
}

/** Lets the owner of a disabled account sign in again. */
export async function enableUser(shell: Shell, address: string, options: CommonOptions): Promise<void> {
  const email = parse(Email, address);
  await withData(shell, options, (deps) =>
    deps.write((tx) => enableAccount(deps, tx, requireAccount(tx, email), deps.clock.now())),
  );
  printResult(shell, options, { email, isDisabled: false }, `Enabled ${email}\n`);
}

/**
 * Sets a new password as a reset does: sessions end, mailed secrets are revoked, the owner is told by mail.
 */
export async function setPassword(
  shell: Shell,
  address: string,
  options: CommonOptions & { passwordStdin?: boolean },
): Promise<void> {
  const email = parse(Email, address);
  await withData(shell, options, async (deps) => {
    requireAccount(deps.read, email);
    const password = parse(Password, await readNewPassword(shell, options.passwordStdin === true));
    const passwordHash = await deps.signIn.passwords.hash(password);
    const now = deps.clock.now();
    await deps.write((tx) => {
      const { id } = requireAccount(tx, email);
      replacePassword(deps, tx, id, passwordHash, now);
      recordAct(deps, tx, { event: 'password-set', userId: id }, 'password set');
    });
  });
  shell.print(`${email} has a new password; every session of the account has ended\n`);
}

/** Ends every session of an account; its access tokens die with them. */
export async function signOut(shell: Shell, address: string, options: CommonOptions): Promise<void> {
  const email = parse(Email, address);
  const sessionsEnded = await withData(shell, options, (deps) => {
    const { id } = requireAccount(deps.read, email);
    return deps.write((tx) => {
      recordAct(deps, tx, { event: 'sessions-ended', userId: id }, 'sessions ended');
      revokeApiTokens(tx, id);
      return endSessions(tx, id);
    });
  });
  printResult(shell, options, { email, sessionsEnded }, `Sessions of ${email} ended: ${sessionsEnded}\n`);
}

/** Deletes an account as its owner can; a running server knows it at once. */
export async function deleteUser(
  shell: Shell,
  address: string,
  options: CommonOptions & { yes?: boolean },
): Promise<void> {
  const email = parse(Email, address);
  if (!options.yes) throw new MisuseError(`This deletes ${email} permanently. Add --yes to confirm`);
  const { id } = await withData(shell, options, async (deps) => {
    const owner = requireAccount(deps.read, email);
    await removeAccount({ ...deps, write: throttled(deps.write) }, owner.id);
    return owner;
  });
  printResult(shell, options, { email, id }, `Deleted ${email}\n`);
}

/** Leaves the database to a server beside it for most of the time: while it waits for one of ours it serves nobody. */
const throttled =
  (write: Write): Write =>
  async (fn) => {
    const began = performance.now();
    const value = await write(fn);
    await wait(THROTTLE_RATIO * (performance.now() - began));
    return value;
  };

/** The account of that address; an OperatorError where there is none. */
export function requireAccount(db: Db, email: string): UserRow {
  const user = findUserByEmail(db, email);
  if (!user) throw new OperatorError(`There is no account with the address ${email}`);
  return user;
}
