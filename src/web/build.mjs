// Builds the browser client into dist/web, done before each start and test; under a second.
// dist/web is what the server serves and the executable embeds; dist/web-maps holds source maps and sizes.

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { icon } from '../pages/icon.ts';
import { documentTemplate, webManifest } from './document.ts';
import { mergeStart } from './merge-start.mjs';
import { pngIcon } from './png-icon.ts';
import { LUCIDE } from './ui/icons.ts';

const root = join(import.meta.dirname, '../..');
const out = join(root, 'dist/web');
const maps = join(root, 'dist/web-maps');
const HASH_CHARACTERS = 16;
const MAIN = 'src/web/shell/main.tsx';
/** The oldest browsers that have `light-dark()`, popovers and `Intl.Segmenter`; README names them. */
const TARGET = ['chrome123', 'firefox125', 'safari17.5'];

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  target: TARGET,
  sourcemap: 'external',
  legalComments: 'none',
  logLevel: 'warning',
};

/** Builds all of it; returns the folders of the packages inside, for their licences. */
export async function buildWeb() {
  const files = new Map();
  const iconFile = add(files, 'icon.svg', icon);
  const touchIconFile = add(files, 'touch-icon.png', pngIcon(180, { isMasked: true }));
  const manifestFile = add(
    files,
    'manifest.webmanifest',
    webManifest({
      svg: basename(iconFile),
      192: basename(add(files, 'icon-192.png', pngIcon(192))),
      512: basename(add(files, 'icon-512.png', pngIcon(512))),
      masked: basename(add(files, 'icon-masked.png', pngIcon(512, { isMasked: true }))),
    }),
  );
  const client = await build({
    ...shared,
    entryPoints: { main: MAIN },
    outdir: join(out, 'assets'),
    entryNames: '[name].[hash]',
    chunkNames: '[name].[hash]',
    format: 'esm',
    splitting: true,
    minify: false,
    sourcemap: 'inline',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const style = await build({ ...shared, entryPoints: { style: 'src/web/styles/index.css' }, outdir: out });
  const early = await build({
    ...shared,
    entryPoints: { early: 'src/web/shell/early.ts' },
    outdir: out,
    format: 'iife',
  });
  const outputs = await mergeStart(split(client), shared);
  mkdirSync(maps, { recursive: true });
  for (const { name, contents, map } of outputs) {
    files.set(`assets/${name}`, Buffer.from(contents));
    writeFileSync(join(maps, `${name}.map`), map);
  }
  const links = {
    icon: iconFile,
    touchIcon: touchIconFile,
    manifest: manifestFile,
    early: add(files, 'early.js', contentOf(early)),
    style: add(files, 'style.css', contentOf(style)),
    script: `assets/${outputs[0].name}`,
    shapes: sprite(),
  };
  const document = documentTemplate(links);
  const id = hash('sha256', `${[...files.keys()].sort().join('\n')}\n${document}`).slice(0, HASH_CHARACTERS);
  const worker = await build({
    ...shared,
    entryPoints: { sw: 'src/web/worker/sw.ts' },
    outdir: out,
    format: 'iife',
    define: { BUILD: JSON.stringify(id), FILES: JSON.stringify([...files.keys()].sort()) },
  });
  files.set('sw.js', Buffer.from(contentOf(worker)));
  await write(files, { id, document });
  writeFileSync(join(maps, 'sizes.json'), JSON.stringify(await sizes(files, outputs), null, 2));
  return packagesOf(client.metafile);
}

/** Adds a file whose name tells its content. */
function add(files, name, content) {
  const bytes = Buffer.from(content);
  const extension = extname(name);
  const digest = hash('sha256', bytes).slice(0, HASH_CHARACTERS);
  const path = `assets/${basename(name, extension)}.${digest}${extension}`;
  files.set(path, bytes);
  return path;
}

/** The files of a build with splitting, as `merge-start.mjs` wants them. */
function split({ outputFiles, metafile }) {
  return outputFiles.map(({ path, text }) => {
    const { imports, exports, entryPoint } = metafile.outputs[relative(root, path).replaceAll('\\', '/')];
    const isMain = entryPoint === MAIN;
    const statics = imports.filter(({ kind }) => kind === 'import-statement');
    return {
      name: basename(path),
      text,
      isMain,
      entryPoint,
      exports,
      imports: statics.map((one) => basename(one.path)),
    };
  });
}

const contentOf = ({ outputFiles }) => outputFiles.find(({ path }) => !path.endsWith('.map')).contents;

/** The shapes of lucide that are used, and our own. */
function sprite() {
  const shapes = Object.entries(LUCIDE).map(([name, file]) => {
    const source = readFileSync(join(root, 'node_modules/lucide-static/icons', `${file}.svg`), 'utf8');
    const inner = source.replace(/^.*?<svg[^>]*>/s, '').replace(/<\/svg>\s*$/, '');
    return `<symbol id="i-${name}" viewBox="0 0 24 24">${inner.replaceAll(/\s*\n\s*/g, '').replaceAll(' />', '/>')}</symbol>`;
  });
  const own = readFileSync(join(import.meta.dirname, 'ui/own-shapes.svg'), 'utf8').replaceAll('\n', '');
  const notice = '<!-- Shapes by Lucide Icons and Contributors (ISC), some by Cole Bemis (MIT) -->';
  return notice + shapes.join('') + own;
}

/** Writes the files with their compressed forms; `build.json`, last, names them all. */
async function write(files, { id, document }) {
  mkdirSync(join(out, 'assets'), { recursive: true });
  const described = {};
  await Promise.all(
    Array.from(files, async ([path, bytes]) => {
      const encodings = await writeForms(path, bytes);
      described[path] = { type: TYPES[extname(path)], sha256: hash('sha256', bytes), encodings };
    }),
  );
  const entries = Object.entries(described).sort(([a], [b]) => (a < b ? -1 : 1));
  put(join(out, 'build.json'), JSON.stringify({ id, document, files: Object.fromEntries(entries) }));
  const kept = new Set(entries.flatMap(([path, { encodings }]) => formsOf(path, encodings)));
  for (const name of readdirSync(join(out, 'assets'))) {
    if (!kept.has(`assets/${name}`)) rmSync(join(out, 'assets', name), { force: true });
  }
}

const formsOf = (path, encodings) => [path, ...encodings.map((encoding) => `${path}.${encoding}`)];

/** The plain file, and br and gzip of it; what a hashed name holds already is left. */
async function writeForms(path, bytes) {
  const file = join(out, path);
  const isKnown = path.startsWith('assets/') && existsSync(file) && readFileSync(file).equals(bytes);
  if (!isKnown) put(file, bytes);
  const encodings = [];
  for (const [encoding, compress] of Object.entries({ br: brotli, gzip: gzipped })) {
    const form = `${file}.${encoding}`;
    const compressed = isKnown && existsSync(form) ? readFileSync(form) : await compress(bytes);
    put(form, compressed);
    encodings.push(encoding);
  }
  return encodings;
}

const brotli = (bytes) =>
  promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
const gzipped = (bytes) => promisify(gzip)(bytes, { level: 9 });

/** By renaming, so that a server that runs never reads half a file. */
function put(file, content) {
  const part = `${file}.${process.pid}.part`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(part, content);
  renameSync(part, file);
}

/** What each file weighs in brotli, and which load which: the budget test reads it. */
async function sizes(files, outputs) {
  const placed = (names) => names?.map((name) => `assets/${name}`);
  return Promise.all(
    Array.from(files, async ([path, bytes]) => {
      const { entryPoint, imports, lazy } = outputs.find(({ name }) => `assets/${name}` === path) ?? {};
      const weight = (await brotliSize(path, bytes)).length;
      return { path, entryPoint, brotli: weight, imports: placed(imports), lazy: placed(lazy) };
    }),
  );
}

async function brotliSize(path, bytes) {
  const form = join(out, `${path}.br`);
  return existsSync(form) ? readFileSync(form) : bytes;
}

function packagesOf({ inputs }) {
  const names = Object.keys(inputs).map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0]);
  return [...new Set([...names.filter((name) => name !== undefined), 'node_modules/lucide-static/'])].sort();
}

if (import.meta.main) {
  const started = performance.now();
  await buildWeb();
  console.error(`dist/web built in ${Math.round(performance.now() - started)} ms`);
}
