// Makes one module of a file of src/ and all it imports.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { build } from 'esbuild';
import { versions } from './platforms.mjs';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

export const sqliteVersion = new Database(':memory:').prepare('select sqlite_version()').pluck().get();

/**
 * Bundles `entry`, which uses the addons called `needed`, into `folder`, for the files `addons` of one platform.
 * Returns the bundle and which sources are in it, as esbuild tells.
 */
export async function bundle(entry, needed, addons, folder, format = 'esm') {
  const file = join(folder, `${basename(entry, '.ts')}.${format === 'esm' ? 'mjs' : 'cjs'}`);
  const rewired = new Set();
  const digests = Object.fromEntries(
    Object.entries(addons).map(([name, addon]) => [name, hash('sha256', readFileSync(addon))]),
  );
  const { warnings, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    metafile: true,
    platform: 'node',
    format,
    target: `node${versions.node}`,
    // Names and lines stay, for stack traces; and the size is Node's anyway.
    minifySyntax: true,
    legalComments: 'inline',
    // CommonJS packages ask for Node's own modules by require, which a module has not.
    ...(format === 'esm' && {
      banner: {
        js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
      },
    }),
    define: {
      ERRAND_BUILD: JSON.stringify({ version: versions.errand, sqlite: sqliteVersion }),
      ERRAND_ADDONS: JSON.stringify(digests),
      ...(format === 'cjs' && { 'import.meta.url': '""' }),
    },
    plugins: [lazyAddons(rewired)],
    logLevel: 'warning',
  });
  if (warnings.length > 0) throw new Error('The bundle has warnings.');
  const missed = needed.filter((name) => !rewired.has(name));
  if (missed.length > 0)
    throw new Error(`The loader of ${missed.join(' and ')} was not met: see lazyAddons.`);
  return { file, metafile };
}

/** Puts our loader in the place of the packages' own; the addon is asked for at first use, not at import. */
function lazyAddons(rewired) {
  const loader = JSON.stringify(join(root, 'src/kernel/native-addon.ts'));
  const replace = (build, filter, name, contents) =>
    build.onLoad({ filter }, (args) => {
      rewired.add(name);
      return { contents, resolveDir: dirname(args.path), loader: 'js' };
    });
  return {
    name: 'lazy-addons',
    setup(build) {
      replace(
        build,
        /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/,
        'better-sqlite3',
        `const { loadNativeAddon } = require(${loader});
        exports.getBinding = () => loadNativeAddon('better-sqlite3');`,
      );
      replace(
        build,
        /[\\/]@node-rs[\\/]argon2[\\/]index\.js$/,
        'argon2',
        `const { loadNativeAddon } = require(${loader});
        for (const key of ${JSON.stringify(Object.keys(require('@node-rs/argon2')))}) {
          Object.defineProperty(exports, key, { enumerable: true, get: () => loadNativeAddon('argon2')[key] });
        }`,
      );
    },
  };
}
