// Makes dist/release, all that is published of a version: `npm run release`.

import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { makeExecutable } from './executable.mjs';
import { licencesOf } from './licences.mjs';
import { lockedParts, PLATFORMS, versions } from './platforms.mjs';

const root = join(import.meta.dirname, '../..');
const release = join(root, 'dist/release');
/** In place of every file's time: that of the build would make each archive another one. */
const TIME = new Date('2000-01-01T00:00:00.000Z');
const COPIED = ['LICENSE', 'config.example.toml'];
const NOTES = {
  linux: 'Needs glibc 2.34 or newer (Debian 12, Ubuntu 22.04, RHEL 9) and libatomic1. Start: ./errand serve',
  darwin:
    'Unsigned, and untried on a Mac. macOS starts it only after: codesign --force --sign - errand\nThen: ./errand serve',
  win: 'Unsigned, and untried on Windows. Start: errand.exe serve',
};

rmSync(release, { recursive: true, force: true });
const sums = [];
for (const platform of Object.keys(PLATFORMS)) sums.push(await archive(platform));
writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
console.log(`dist/release/SHA256SUMS\n${sums.join('')}`);

/** Packs one platform's executable with what belongs to it; returns its line of SHA256SUMS. */
async function archive(platform) {
  const name = `errand-${versions.errand}-${platform}`;
  const folder = join(release, name);
  mkdirSync(folder, { recursive: true });
  const executable = platform.startsWith('win-') ? 'errand.exe' : 'errand';
  const { metafile, webPackages } = await makeExecutable(
    platform,
    lockedParts(platform),
    join(folder, executable),
  );
  for (const file of COPIED) copyFileSync(join(root, file), join(folder, file));
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licencesOf(metafile, webPackages));
  writeFileSync(
    join(folder, 'README.txt'),
    `Errand ${versions.errand} for ${platform}\n\n${NOTES[platform.split('-')[0]]}\nAll commands: errand --help\n`,
  );
  const file = `${name}.tar.gz`;
  const files = [executable, ...COPIED, 'README.txt', 'THIRD-PARTY.txt'].map((entry) => `${name}/${entry}`);
  const isExecutable = (entry) => entry.endsWith(`/${executable}`);
  create(
    {
      sync: true,
      cwd: release,
      file: join(release, file),
      gzip: { level: 9, portable: true },
      portable: true,
      mtime: TIME,
      // Whatever the umask of the build.
      onWriteEntry: (entry) => {
        if (entry.stat) entry.stat.mode = isExecutable(entry.path) ? 0o100755 : 0o100644;
      },
    },
    files,
  );
  rmSync(folder, { recursive: true });
  return `${hash('sha256', readFileSync(join(release, file)))}  ${file}\n`;
}
