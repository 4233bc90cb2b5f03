// What each package weighs in the bundle.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The packages in a bundle by esbuild's account of it, with the bytes of each; what is ours stands under ''. */
export function packagesIn(metafile) {
  const [{ inputs }] = Object.values(metafile.outputs);
  const bytes = new Map();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0] ?? '';
    bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
  }
  return bytes;
}

/** A table of them, the heaviest first. Those that src/ names itself are marked. */
export function printSizes(metafile) {
  const direct = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);
  const rows = Array.from(packagesIn(metafile), ([folder, bytes]) => {
    const name = folder.replace(/.*node_modules\//, '').replace(/\/$/, '');
    const { license, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return {
      package: name === '' ? 'src/ and migrations/' : name,
      version,
      licence: license,
      direct: direct.includes(name) ? 'yes' : '',
      KiB: Number((bytes / 1024).toFixed(1)),
    };
  });
  rows.sort((a, b) => b.KiB - a.KiB);
  console.table(rows);
}
