import { z } from 'zod';
import { createAccount } from '../auth/account/account.ts';
import { Title } from '../http/fields.ts';
import { OperatorError } from '../kernel/errors.ts';
import { findUserByEmail, userOf } from '../storage/users.ts';
import { Email, Name, Password } from '../users/schema.ts';
import { MisuseError } from './failures.ts';
import { type CommonOptions, withData } from './open-data.ts';
import { printResult } from './output.ts';
import { parse } from './parse.ts';
import { readNewPassword } from './read-secret.ts';
import type { Shell } from './shell.ts';

interface Options extends CommonOptions {
  email?: string;
  name?: string;
  /** False by `--no-password`. */
  password: boolean;
  passwordStdin?: boolean;
  workspaceTitle?: string;
}

const Person = z.object({ email: Email, name: Name, workspaceTitle: Title.optional() });

/** Opens an account as a confirmed sign-up does, for an address taken as proved; a taken one is rejected. */
export async function createUser(shell: Shell, options: Options): Promise<void> {
  const missing = [
    ...(options.email === undefined ? ["required option '--email <address>' not specified"] : []),
    ...(options.name === undefined ? ["required option '--name <name>' not specified"] : []),
  ];
  if (missing.length > 0) throw new MisuseError([...missing, 'Add --help for the options.'].join('\n'));
  const { email, name, workspaceTitle } = parse(Person, options);
  const user = await withData(shell, options, async (deps) => {
    const taken = new OperatorError(`There is an account with the address ${email} already`);
    if (findUserByEmail(deps.read, email)) throw taken;
    const password = options.password
      ? parse(Password, await readNewPassword(shell, options.passwordStdin === true))
      : undefined;
    const passwordHash = password === undefined ? null : await deps.signIn.passwords.hash(password);
    const now = deps.clock.now();
    return deps.write((tx) => {
      if (findUserByEmail(tx, email)) throw taken;
      const person = { email, name, passwordHash, ...(workspaceTitle && { workspaceTitle }) };
      return createAccount(deps, tx, person, now);
    });
  });
  printResult(shell, options, userOf(user), `Created ${user.email} (${user.id})\n`);
}
