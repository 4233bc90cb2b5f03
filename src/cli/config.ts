import { stringify } from 'smol-toml';
import { maskedConfig } from '../config.ts';
import { type ConfigOption, readConfig } from './open-data.ts';
import { printJson } from './output.ts';
import type { Shell } from './shell.ts';

interface Options extends ConfigOption {
  check?: boolean;
  json?: boolean;
}

/** Prints every setting as it is in effect; with `--check` only validates them. */
export async function printConfig(shell: Shell, options: Options): Promise<void> {
  const config = readConfig(shell, options);
  if (options.check) shell.print('The configuration is valid\n');
  else if (options.json) printJson(shell, maskedConfig(config));
  else shell.print(`${stringify(maskedConfig(config))}\n`);
}
