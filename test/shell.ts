import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../src/cli/program.ts';
import type { Shell } from '../src/cli/shell.ts';
import type { World } from './world.ts';

/** Runs a command in process, on the data of a world. `say` hears what goes to stderr, too. */
export async function errand(world: Pick<World, 'folder'>, args: string[], shell: Partial<Shell> = {}) {
  const outcome = { code: -1, out: '', err: '' };
  outcome.code = await run(args, {
    environment: { ERRAND_DATABASE_PATH: join(world.folder, 'errand.db') },
    workingDirectory: world.folder,
    words: ['errand', ...args],
    uid: process.geteuid?.(),
    stdin: Readable.from([]),
    isWatched: false,
    print: (text) => {
      outcome.out += text;
    },
    printed: async () => {},
    lowerPriority: () => {},
    ...shell,
    say: (text) => {
      outcome.err += text;
      shell.say?.(text);
    },
  });
  return outcome;
}
