// Tries what `npm run release` made as someone meets it who downloads it: the checksums, what is in each archive, and
// the executable for this machine. node test/release.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar';

const HERE = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
/** The first bytes of an executable that name its kind, and those that name its processor, with where they are. */
const MACHINES = {
  'linux-x64': { magic: '7f454c46', at: 18, machine: '3e00' },
  'linux-arm64': { magic: '7f454c46', at: 18, machine: 'b700' },
  'darwin-x64': { magic: 'cffaedfe', at: 4, machine: '07000001' },
  'darwin-arm64': { magic: 'cffaedfe', at: 4, machine: '0c000001' },
  'win-x64': { magic: '4d5a', at: (header) => header.readUInt32LE(0x3c) + 4, machine: '6486' },
};
const HEADER_BYTES = 4_096;

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
const release = join(import.meta.dirname, '../dist/release');
const box = mkdtempSync(join(tmpdir(), 'errand-release-'));

try {
  const listed = checksums();
  assert.deepEqual(Object.keys(listed).sort(), Object.keys(MACHINES).map(archiveOf).sort());
  assert.deepEqual(readdirSync(release).sort(), [...Object.keys(listed), 'SHA256SUMS'].sort());
  for (const [file, sum] of Object.entries(listed)) {
    assert.equal(
      hash('sha256', readFileSync(join(release, file))),
      sum,
      `${file} is another than SHA256SUMS says`,
    );
  }
  for (const platform of Object.keys(MACHINES)) unpack(platform);
  console.log(`${Object.keys(listed).length} archives are what SHA256SUMS and their names say.`);
  if (Object.hasOwn(MACHINES, HERE)) {
    const smoke = [join(import.meta.dirname, 'smoke.mjs'), join(box, `errand-${version}-${HERE}`, 'errand')];
    execFileSync(process.execPath, smoke, { stdio: 'inherit' });
  }
} finally {
  rmSync(box, { recursive: true, force: true });
}

function archiveOf(platform) {
  return `errand-${version}-${platform}.tar.gz`;
}

/** In the form of sha256sum, which checks it too. */
function checksums() {
  const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [, sum, file] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? assert.fail(`Not a checksum: ${line}`);
      return [file, sum];
    }),
  );
}

function unpack(platform) {
  extract({ sync: true, cwd: box, file: join(release, archiveOf(platform)), preservePaths: false });
  const folder = join(box, `errand-${version}-${platform}`);
  const executable = platform.startsWith('win-') ? 'errand.exe' : 'errand';
  assert.deepEqual(
    readdirSync(folder).sort(),
    ['LICENSE', 'README.txt', 'THIRD-PARTY.txt', 'config.example.toml', executable].sort(),
  );
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(join(folder, executable));
  readSync(file, header);
  closeSync(file);
  const { magic, at, machine } = MACHINES[platform];
  const start = typeof at === 'function' ? at(header) : at;
  assert.ok(header.toString('hex').startsWith(magic), `${platform}: not an executable`);
  assert.equal(
    header.toString('hex', start, start + machine.length / 2),
    machine,
    `${platform}: its processor`,
  );
  if (platform !== HERE) rmSync(folder, { recursive: true });
}
