import { stringify } from 'smol-toml';
import { ConfigError, loadConfig, maskedConfig } from '../config.ts';
import { failureOf } from './failures.ts';
import { type CommonOptions, readConfig } from './open-data.ts';
import { printJson, printResult } from './output.ts';
import type { Shell } from './shell.ts';

/** Prints every setting as it is in effect; with `--check` only validates them. */
export async function printConfig(shell: Shell, options: CommonOptions & { check?: boolean }): Promise<void> {
  if (options.check) return checkConfig(shell, options);
  const config = readConfig(shell, options);
  printResult(shell, options, maskedConfig(config), `${stringify(maskedConfig(config))}\n`);
}

function checkConfig(shell: Shell, options: CommonOptions): void {
  try {
    const { file, warnings } = loadConfig(options.config, shell.environment, shell.workingDirectory);
    for (const warning of options.json ? [] : warnings) shell.say(`errand: warning: ${warning}\n`);
    const result = { isValid: true, file: file ?? null, warnings, errors: [] };
    printResult(shell, options, result, 'The configuration is valid\n');
  } catch (error) {
    if (!options.json || !(error instanceof ConfigError)) throw error;
    printJson(shell, { isValid: false, warnings: [], errors: failureOf(error).message.split('\n') });
    throw new ConfigError('The configuration is not valid');
  }
}
