import { setTimeout as wait } from 'node:timers/promises';
import { replacePassword } from '../auth/password-reset.ts';
import { removeAccount } from '../auth/removal.ts';
import type { UserRow } from '../db/tables.ts';
import type { Write } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import { OperatorError } from '../kernel/errors.ts';
import { endSessions } from '../sessions/store.ts';
import { Email, Password } from '../users/schema.ts';
import { findUserByEmail, listEveryUser, userOf } from '../users/store.ts';
import { MisuseError } from './failures.ts';
import { type CommonOptions, withData } from './open-data.ts';
import { printResult, table } from './output.ts';
import { parse } from './parse.ts';
import { readNewPassword } from './read-secret.ts';
import type { Shell } from './shell.ts';

/** How many times as long as a commit took. */
const RESTS = 4;

export async function listUsers(shell: Shell, options: CommonOptions): Promise<void> {
  const users = await withData(shell, options, ({ read }) =>
    listEveryUser(read).map((row) => ({
      ...userOf(row),
      hasPassword: row.password_hash !== null,
      createdAt: row.created_at,
    })),
  );
  const rows = users.map((user) => {
    const { id, email, name, hasPassword, createdAt } = user;
    return [email, name, hasPassword ? 'yes' : 'no', createdAt.slice(0, 10), id];
  });
  printResult(shell, options, users, table(['EMAIL', 'NAME', 'PASSWORD', 'CREATED', 'ID'], rows));
}

/**
 * Sets a new password as a reset does: sessions end, mailed secrets die, the owner is told by mail. Where there is no
 * terminal it comes from stdin unasked: this command does nothing without one.
 */
export async function setPassword(shell: Shell, address: string, options: CommonOptions): Promise<void> {
  const email = parse(Email, address);
  await withData(shell, options, async (deps) => {
    const { id } = findOwner(deps, email);
    const password = parse(Password, await readNewPassword(shell, true));
    const passwordHash = await deps.passwords.hash(password);
    const now = deps.clock.now();
    await deps.write((tx) => replacePassword(deps, tx, id, passwordHash, now));
  });
  shell.print(`${email} has a new password; every session of the account has ended\n`);
}

/** Ends every session of an account; its access tokens die with them. */
export async function signOut(shell: Shell, address: string, options: CommonOptions): Promise<void> {
  const email = parse(Email, address);
  const sessionsEnded = await withData(shell, options, (deps) => {
    const { id } = findOwner(deps, email);
    return deps.write((tx) => endSessions(tx, id));
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
  if (!options.yes) throw new MisuseError(`This deletes ${email} for good: say so with --yes`);
  const { id } = await withData(shell, options, async (deps) => {
    const owner = findOwner(deps, email);
    await removeAccount({ ...deps, write: resting(deps.write) }, owner.id);
    return owner;
  });
  printResult(shell, options, { email, id }, `Deleted ${email}\n`);
}

/** Leaves the database to a server beside it for most of the time: while it waits for one of ours it answers nobody. */
const resting =
  (write: Write): Write =>
  async (job) => {
    const began = performance.now();
    const value = await write(job);
    await wait(RESTS * (performance.now() - began));
    return value;
  };

/** The account of that address; an OperatorError where there is none. */
export function findOwner(deps: Deps, email: string): UserRow {
  const user = findUserByEmail(deps.read, email);
  if (!user) throw new OperatorError(`There is no account with the address ${email}`);
  return user;
}
