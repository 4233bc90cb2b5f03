// Joins Node, the bundle and the addons into one file.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { migrations } from '../../migrations/index.ts';
import { migrate } from '../../src/db/migrate.ts';
import { schemaScript } from '../../src/db/new-schema.ts';
import { buildWeb } from '../../src/web/build.mjs';
import { bundle } from './bundle.mjs';
import { HOST } from './platforms.mjs';

const root = join(import.meta.dirname, '../..');

/**
 * Writes the executable for a platform to `output`; returns which sources are in its main bundle, and the folders of
 * the packages in its web client.
 */
export async function makeExecutable(platform, { node, addons }, output) {
  const work = join(root, 'dist/.build', platform);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const main = await bundle('src/main.ts', ['better-sqlite3', 'argon2'], addons, work, 'cjs');
  const checkpoints = await bundle('src/db/checkpoint-thread.ts', ['better-sqlite3'], addons, work);
  const syncs = await bundle('src/db/sync-thread.ts', [], addons, work);
  const searches = await bundle('src/tasks/search-thread.ts', ['better-sqlite3'], addons, work);
  const imports = await bundle('src/import/import-thread.ts', [], addons, work);
  const script = join(work, 'main.js');
  writeFileSync(
    script,
    `(function (require, module, exports) {${inAscii(readFileSync(main.file, 'utf8'))}\n})`,
  );
  copyFileSync(join(import.meta.dirname, 'launcher.cjs'), join(work, 'launcher.cjs'));
  const webPackages = await buildWeb();
  const fresh = join(work, 'errand');
  const assets = {
    ...addons,
    'checkpoint-thread': checkpoints.file,
    'search-thread': searches.file,
    'sync-thread': syncs.file,
    'import-thread': imports.file,
    'new-schema': await newSchemaIn(work),
    main: script,
    ...webAssets(),
  };
  const settings = {
    // By its mere name: it is kept in the executable, which must not differ by where it was built.
    main: 'launcher.cjs',
    executable: node,
    output: fresh,
    disableExperimentalSEAWarning: true,
    // The start makes more than fits into the first megabyte: so it is not collected several times on the way.
    execArgv: ['--min-semi-space-size=8'],
    assets: { ...assets, ...(platform === HOST && { 'code-cache': codeCacheOf(assets) }) },
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
  return { metafile: main.metafile, webPackages };
}

/** Escapes what esbuild leaves beyond ASCII, in patterns, templates and comments: such a source takes half the memory. */
const inAscii = (source) =>
  source.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Every file of the web client, named as `src/pages/client-build.ts` asks for it. */
function webAssets() {
  const folder = join(root, 'dist/web');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  return Object.fromEntries(paths.map((path) => [`web/${path}`, join(folder, path)]));
}

/** What all migrations make of an empty file, as one script: a new database is there sooner. */
async function newSchemaIn(work) {
  const database = new SqliteDatabase(':memory:');
  await migrate({ path: ':memory:', writing: database, reading: database }, migrations);
  const file = join(work, 'new-schema.sql');
  writeFileSync(file, schemaScript(database));
  database.close();
  return file;
}

/** Only this platform's Node can make its code cache: elsewhere the executable compiles at each start. */
function codeCacheOf(assets) {
  const output = `${assets.main}.cache`;
  execFileSync(process.execPath, ['--random-seed=1', join(import.meta.dirname, 'code-cache.cjs'), output], {
    input: JSON.stringify(assets),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  return output;
}
