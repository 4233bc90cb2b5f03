// Joins Node, the bundle and the addons into one file.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bundle } from './bundle.mjs';

const root = join(import.meta.dirname, '../..');

/** Writes the executable for a platform to `output`; answers which sources are in its main bundle. */
export async function makeExecutable(platform, { node, addons }, output) {
  const work = join(root, 'dist/.build', platform);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const main = await bundle('src/main.ts', ['better-sqlite3', 'argon2'], addons, work);
  const thread = await bundle('src/db/checkpoint-thread.ts', ['better-sqlite3'], addons, work);
  const fresh = join(work, 'errand');
  const settings = {
    // By its mere name: it is kept in the executable, which must not differ by where it was built.
    main: basename(main.file),
    mainFormat: 'module',
    executable: node,
    output: fresh,
    disableExperimentalSEAWarning: true,
    assets: { ...addons, 'checkpoint-thread': thread.file },
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(settings, null, 2));
  execFileSync(process.execPath, ['--build-sea', 'sea.json'], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  chmodSync(fresh, 0o755);
  mkdirSync(dirname(output), { recursive: true });
  // By renaming, because an errand that runs cannot be written to.
  renameSync(fresh, output);
  return main.metafile;
}
