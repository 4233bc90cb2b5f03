import { constants, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, loadConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import { OperatorError } from '../kernel/errors.ts';
import { createLog } from '../kernel/log.ts';
import { setAddonFolder } from '../kernel/native-addon.ts';
import { mayAccess } from '../kernel/private-file.ts';
import { openDeps } from '../open.ts';
import type { Shell } from './shell.ts';

/** The options that commands share: every one takes `--config`, and one that prints data `--json`. */
export interface CommonOptions {
  config?: string;
  json?: boolean;
}

/** Reads the configuration, and says what is odd about it. */
export function readConfig(shell: Shell, options: CommonOptions): Config {
  const { config, warnings } = loadConfig(options.config, shell.environment, shell.workingDirectory);
  for (const warning of warnings) shell.say(`errand: warning: ${warning}\n`);
  return config;
}

/** Makes ready to touch the data: rejects everyone but its owner, and tells the executable its folder. */
export function enterData(shell: Shell, { database }: Config): void {
  rejectOtherUser(shell, database.path);
  setAddonFolder(dirname(database.path));
}

/**
 * Runs `work` on the data of a server that may be running beside us. Mails it causes are left to that server, or to
 * the next one. An OperatorError where there is no database, or one of another version.
 */
export async function withData<T>(
  shell: Shell,
  options: CommonOptions,
  work: (deps: Deps) => T | Promise<T>,
): Promise<T> {
  const config = readConfig(shell, options);
  enterData(shell, config);
  const log = createLog({ level: 'warn', format: config.log.format });
  await using opened = await openDeps(config, log, { role: 'command' });
  return await work(opened.deps);
}

/** Files made by another user, root above all, would lock the owner's server out of its own data. */
function rejectOtherUser(shell: Shell, path: string): void {
  const folder = dirname(path);
  // The folder may be a volume, which an orchestrator makes root's and opens to a group.
  const owners = [
    ownerOf(path),
    mayAccess(folder, constants.X_OK) ? ownerOf(folder) || undefined : ownerOf(folder),
  ];
  const owner = owners.find((uid) => uid !== undefined && uid !== shell.uid);
  if (shell.uid === undefined || owner === undefined) return;
  const where = ['ERRAND_CONFIG', 'ERRAND_DATABASE_PATH'].flatMap((name) => {
    const value = shell.environment[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const words = where.length > 0 ? ['env', ...where, ...shell.words] : shell.words;
  const line = ['sudo', '-u', userName(owner), ...words].map(quoted).join(' ');
  throw new OperatorError(`${folder} is another user's. Run this as its owner:\n  ${line}`);
}

/** Undefined for what is not there, or not to be seen. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

function userName(uid: number): string {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n');
    return users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0] ?? `#${uid}`;
  } catch {
    return `#${uid}`;
  }
}

/** As a POSIX shell reads it back. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
