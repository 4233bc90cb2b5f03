import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { examineDisk } from '../../src/cli/examine-data.ts';
import { networkFileSystem } from '../../src/db/file-system.ts';
import { openWorld } from '../world.ts';

const EXT4 = 0xef53;
const { statfsSync } = fs;

afterEach(() => mount(undefined));

/** Has every folder lie on a file system of that type; undefined: where it does. */
function mount(type: number | undefined): void {
  if (type === undefined) vi.restoreAllMocks();
  else vi.spyOn(fs, 'statfsSync').mockImplementation((path) => ({ ...statfsSync(path), type }));
  syncBuiltinESMExports();
}

describe.runIf(process.platform === 'linux')('a database on a network file system', () => {
  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xfe534d42, 'SMB'],
    [EXT4, undefined],
  ])('is known by its number: %i', (type, name) => {
    mount(type);
    expect(networkFileSystem('.')).toBe(name);
    expect(networkFileSystem('there is no such file')).toBeUndefined();
  });

  it('is warned of at the start of the server and by doctor', async () => {
    mount(0x6969);
    const world = await openWorld();
    expect(world.log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        msg: expect.stringMatching(/^the database is on a network file system/),
        fileSystem: 'NFS',
        path: world.deps.config.database.path,
      }),
    );
    expect(examineDisk(world.deps.config)).toMatchObject([
      { status: 'warn', message: expect.stringContaining('(NFS)') },
    ]);
  });

  it('is not spoken of where there is none', async () => {
    mount(EXT4);
    const world = await openWorld();
    expect(world.log.join()).not.toContain('network');
    expect(examineDisk(world.deps.config)).toMatchObject([{ status: 'ok' }]);
  });
});
