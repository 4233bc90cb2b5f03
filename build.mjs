// Makes dist/errand, one executable with everything in it: `npm run build [-- OPTIONS]`, see HELP.

import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { HOST, installedParts, lockedParts, PLATFORMS, versions } from './deploy/release/platforms.mjs';

const HELP = `npm run build -- [options]
  --target NAME   for another platform: ${Object.keys(PLATFORMS).join(', ')}
  --addons        also write the folder errand.native, for places where nothing may be unpacked
  --sizes         print what each package weighs in the bundle`;

const root = import.meta.dirname;
const { target, addons: wantsAddons, sizes: wantsSizes } = readArguments();
requireNode();
// Only now, so that the wrong Node meets a sentence and not a failing import.
const { makeExecutable } = await import('./deploy/release/executable.mjs');
const { sqliteVersion } = await import('./deploy/release/bundle.mjs');
const { printSizes } = await import('./deploy/release/sizes.mjs');

const suffix = target === HOST ? '' : `-${target}`;
const output = join(root, 'dist', `errand${suffix}${target.startsWith('win-') ? '.exe' : ''}`);
const parts = target === HOST ? installedParts() : lockedParts(target);
const { metafile } = await makeExecutable(target, parts, output);
if (wantsAddons) copyAddons(parts.addons);
report();
if (wantsSizes) printSizes(metafile);

function readArguments() {
  const options = {
    target: { type: 'string', default: HOST },
    addons: { type: 'boolean', default: false },
    sizes: { type: 'boolean', default: false },
  };
  try {
    const { values } = parseArgs({ options });
    if (!Object.hasOwn(PLATFORMS, values.target)) throw new Error(`There is no target ${values.target}.`);
    return values;
  } catch (error) {
    console.error(`${error.message}\n${HELP}`);
    process.exit(2);
  }
}

function requireNode() {
  if (process.versions.node === versions.node) return;
  console.error(`This needs Node ${versions.node}, as npm installed it: run it by \`npm run build\`.`);
  process.exit(2);
}

function copyAddons(addons) {
  const folder = join(root, 'dist', `errand${suffix}.native`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of Object.entries(addons)) copyFileSync(file, join(folder, `${name}.node`));
  console.log(`${relative(root, folder)}/`);
}

function report() {
  const megabytes = (statSync(output).size / 1_000_000).toFixed(1);
  console.log(`${relative(root, output)}  ${megabytes} MB  sha256 ${hash('sha256', readFileSync(output))}`);
  console.log(`errand ${versions.errand} (Node.js ${versions.node}, SQLite ${sqliteVersion}) for ${target}`);
  if (target.startsWith('darwin-')) console.log('Unsigned. On the Mac: codesign --force --sign - FILE');
}
