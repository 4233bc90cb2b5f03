// The licences of what is inside the executable, which ask to be handed on with it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS, packageFolder } from './platforms.mjs';
import { packagesIn } from './sizes.mjs';

const root = join(import.meta.dirname, '../..');

/** One text: Node's own licence, the same on every platform, and those of the packages in the bundle and web client. */
export function licencesOf(metafile, webPackages) {
  const bundled = [...packagesIn(metafile).keys()].filter((folder) => folder !== '');
  const folders = [...new Set([...bundled, ...webPackages])].sort();
  const parts = folders.map((folder) => join(root, folder));
  return [packageFolder('linux-x64', PLATFORMS['linux-x64'].node), ...parts].map(licenceIn).join('\n\n');
}

function licenceIn(folder) {
  const { name, version, license, author, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const title = `${name} ${version} (${license})`;
  // A few packages come without the text: then what they say of themselves.
  const text =
    file === undefined
      ? `${author?.name ?? author ?? ''}\n${repository?.url ?? repository ?? ''}`
      : readFileSync(join(folder, file), 'utf8');
  return `${title}\n${'='.repeat(title.length)}\n\n${text.trim()}\n`;
}
