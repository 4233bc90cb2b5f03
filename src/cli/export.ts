import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { recordAct } from '../audit/trail.ts';
import { exportDocument } from '../export/document.ts';
import { whileMoving } from '../export/export.ts';
import { OperatorError } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { syncFolder, writePrivateFile } from '../kernel/private-file.ts';
import { Email } from '../users/schema.ts';
import { type CommonOptions, withData } from './open-data.ts';
import { parse } from './parse.ts';
import { progressBar } from './progress.ts';
import type { Shell } from './shell.ts';
import { requireAccount } from './users.ts';

interface Options extends CommonOptions {
  user: string;
  output?: string;
}

/** Writes what `GET /account/export` returns to stdout, or to a new file that only its owner can read. */
export async function exportUser(shell: Shell, options: Options): Promise<void> {
  const email = parse(Email, options.user);
  const file = options.output === undefined ? undefined : resolve(shell.workingDirectory, options.output);
  if (file !== undefined && existsSync(file)) throw new OperatorError(`${file} is there already`);
  await withData(shell, options, async (deps) => {
    const { id } = requireAccount(deps.read, email);
    await deps.write((tx) =>
      recordAct(deps, tx, { event: 'account-exported', userId: id }, 'account exported'),
    );
    await whileMoving(deps, id);
    using snapshot = deps.database.openSnapshot();
    const at = toInstant(deps.clock.now());
    const pieces = exportDocument(snapshot.read, id, at, progressBar(shell, 'Exporting'));
    if (file === undefined) {
      for (const piece of pieces) {
        shell.print(piece);
        await shell.printed();
      }
    } else {
      writePrivateFile(file, pieces);
      syncFolder(dirname(file));
      shell.say(`errand: ${email} is exported to ${file}\n`);
    }
  });
}
