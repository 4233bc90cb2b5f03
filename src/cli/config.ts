import { stringify } from 'smol-toml';
import { maskedConfig } from '../config.ts';
import { type CommonOptions, readConfig } from './open-data.ts';
import { printResult } from './output.ts';
import type { Shell } from './shell.ts';

/** Prints every setting as it is in effect; with `--check` only validates them. */
export async function printConfig(shell: Shell, options: CommonOptions & { check?: boolean }): Promise<void> {
  const config = readConfig(shell, options);
  if (options.check) printResult(shell, options, { isValid: true }, 'The configuration is valid\n');
  else printResult(shell, options, maskedConfig(config), `${stringify(maskedConfig(config))}\n`);
}
