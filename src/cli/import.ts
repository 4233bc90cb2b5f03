import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { importDocument } from '../import/import.ts';
import type { ImportResult } from '../import/result-schema.ts';
import { AppError, OperatorError } from '../kernel/errors.ts';
import { Email } from '../users/schema.ts';
import { type CommonOptions, withData } from './open-data.ts';
import { printable, printJson } from './output.ts';
import { parse } from './parse.ts';
import { progressBar } from './progress.ts';
import type { Shell } from './shell.ts';
import { requireAccount } from './users.ts';

interface Options extends CommonOptions {
  user: string;
  dryRun?: boolean;
}

/** Does what `POST /account/import` does with a file, also while the server runs. */
export async function importFile(shell: Shell, file: string, options: Options): Promise<void> {
  const email = parse(Email, options.user);
  const path = resolve(shell.workingDirectory, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new OperatorError(`There is no file ${path}`);
  await withData(shell, options, async (deps) => {
    const { id: userId } = requireAccount(deps.read, email);
    const isDryRun = options.dryRun === true;
    const importing = {
      userId,
      email,
      write: deps.write,
      isDryRun,
      onDone: progressBar(shell, 'Importing'),
    };
    const result = await importDocument(deps, importing, createReadStream(path)).catch((error) => {
      throw asOperatorError(error);
    });
    if (options.json) printJson(shell, result);
    else tell(shell, result, isDryRun);
  });
}

function asOperatorError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const lines = error.issues?.map(({ path, message }) => printable(`  ${path}: ${message}`)) ?? [];
  const words = lines.length > 0 ? 'Nothing was imported: the document breaks these rules' : error.message;
  return new OperatorError([words, ...lines].join('\n'));
}

function tell(shell: Shell, { workspaces, counts, warnings }: ImportResult, isDryRun: boolean): void {
  for (const { path, message } of warnings) shell.say(`errand: warning: ${path}: ${printable(message)}\n`);
  for (const { id, title } of workspaces) shell.print(`${isDryRun ? '' : `${id}  `}${printable(title)}\n`);
  const parts = Object.entries(counts).map(
    ([kind, n]) => `${n} ${wordsOf(n === 1 ? kind.replace(/s$/, '') : kind)}`,
  );
  shell.say(`errand: ${isDryRun ? 'would import' : 'imported'} ${parts.join(', ')}\n`);
}

/** `statusTemplates` as `status templates`. */
const wordsOf = (kind: string): string => kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
