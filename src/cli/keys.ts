import { existsSync } from 'node:fs';
import { systemClock } from '../kernel/clock.ts';
import { OperatorError } from '../kernel/errors.ts';
import { MINUTE } from '../kernel/instants.ts';
import { keyFileOf, rotateAccessKey } from '../kernel/keys.ts';
import { type CommonOptions, enterData, readConfig } from './open-data.ts';
import { printResult } from './output.ts';
import { recordCommand } from './record-command.ts';
import type { Shell } from './shell.ts';

/** Adds a new key for access tokens; a running server takes it up within seconds. */
export async function rotateKeys(shell: Shell, options: CommonOptions): Promise<void> {
  const config = readConfig(shell, options);
  enterData(shell, config);
  const path = keyFileOf(config.database.path);
  if (!existsSync(path)) throw new OperatorError(`There is no key file at ${path}`);
  const kid = rotateAccessKey(path, systemClock.now(), config.auth.access_token_minutes * MINUTE);
  recordCommand(shell, config, { event: 'key-rotated', kid });
  printResult(shell, options, { kid }, `Access tokens are signed with the new key ${kid}\n`);
}
