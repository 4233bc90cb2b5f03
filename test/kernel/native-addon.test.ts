import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { AddonError, type AddonPlaces, loadFrom, unpackAddon } from '../../src/kernel/native-addon.ts';
import { newFolder } from '../new-folder.ts';

const bytes = Buffer.from('an addon, as it came with the release');
const addon = { name: 'sqlite', sha256: hash('sha256', bytes), bytes: () => bytes };
const uid = process.geteuid?.();

let root: string;
let places: AddonPlaces & { dataFolder: string };

beforeEach(() => {
  root = newFolder('addon');
  const folder = (name: string) => {
    mkdirSync(join(root, name), { mode: 0o700 });
    return join(root, name);
  };
  places = {
    executable: join(folder('bin'), 'errand'),
    dataFolder: folder('data'),
    temporaryFolder: folder('tmp'),
    uid,
  };
  writeFileSync(places.executable, '');
});

const read = (file: unknown) => readFileSync(String(file));
const itWithModes = it.skipIf(uid === undefined);

describe('an addon is unpacked', () => {
  it('once, into a folder of this user alone, under the name of its content', () => {
    const file = unpackAddon(places.dataFolder, addon, uid);

    expect(read(file)).toEqual(bytes);
    expect(basename(file)).toBe(`sqlite-${addon.sha256.slice(0, 16)}.node`);
    if (uid !== undefined) expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);

    const { ino } = statSync(file);
    expect(unpackAddon(places.dataFolder, addon, uid)).toBe(file);
    expect(statSync(file).ino).toBe(ino);
  });

  it('again where its file is damaged, cut short or a link to another', () => {
    const file = unpackAddon(places.dataFolder, addon, uid);
    const elsewhere = join(root, 'elsewhere');
    writeFileSync(elsewhere, bytes);
    const spoil = [
      () => writeFileSync(file, 'tampered'),
      () => writeFileSync(file, bytes.subarray(0, 5)),
      () => writeFileSync(file, ''),
      () => symlinkSync(elsewhere, file),
    ];
    for (const damage of spoil) {
      rmSync(file);
      damage();
      expect(unpackAddon(places.dataFolder, addon, uid)).toBe(file);
      expect(lstatSync(file).isFile()).toBe(true);
      expect(read(file)).toEqual(bytes);
    }
  });

  itWithModes('again, with the folder closed, where the folder or the file was open to others', () => {
    const file = unpackAddon(places.dataFolder, addon, uid);
    for (const open of [() => chmodSync(dirname(file), 0o770), () => chmodSync(file, 0o660)]) {
      const { ino } = statSync(file);
      open();
      unpackAddon(places.dataFolder, addon, uid);
      expect(statSync(file).ino).not.toBe(ino);
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
      expect(statSync(file).mode & 0o777).toBe(0o500);
    }
  });

  it('removing what an earlier release or an interrupted start left more than a day ago, and nothing else', () => {
    const folder = dirname(unpackAddon(places.dataFolder, addon, uid));
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    const leave = (name: string, at: Date) => {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), at, at);
    };
    leave('sqlite-0123456789abcdef.node', yesterday);
    leave('sqlite-interrupted.part', yesterday);
    leave('sqlite-under-way.part', new Date());
    leave('argon2-0123456789abcdef.node', yesterday);

    const next = Buffer.from('the next release');
    const file = unpackAddon(
      places.dataFolder,
      { ...addon, sha256: hash('sha256', next), bytes: () => next },
      uid,
    );
    expect(readdirSync(folder).sort()).toEqual(
      [
        'argon2-0123456789abcdef.node',
        'sqlite-under-way.part',
        `sqlite-${addon.sha256.slice(0, 16)}.node`,
        basename(file),
      ].sort(),
    );
  });
});

describe('an addon is not unpacked', () => {
  it('when the executable does not hold what its digest says', () => {
    const damaged = { ...addon, bytes: () => Buffer.from('damaged') };
    expect(() => unpackAddon(places.dataFolder, damaged, uid)).toThrow('does not hold');
  });

  itWithModes('through a link in the place of the folder, nor into a file', () => {
    const folder = dirname(unpackAddon(places.dataFolder, addon, uid));
    rmSync(folder, { recursive: true });
    mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), folder);
    expect(() => unpackAddon(places.dataFolder, addon, uid)).toThrow('is not a folder');
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);

    rmSync(folder);
    writeFileSync(folder, '');
    expect(() => unpackAddon(places.dataFolder, addon, uid)).toThrow('is not a folder');
  });

  itWithModes('into a folder that another user made', () => {
    const other = (uid ?? 0) + 1;
    mkdirSync(join(places.temporaryFolder, `errand-native-${other}`), { mode: 0o700 });
    expect(() => unpackAddon(places.temporaryFolder, addon, other)).toThrow('belongs to another user');
  });

  itWithModes('where everyone may rename what others made', () => {
    chmodSync(places.temporaryFolder, 0o777);
    expect(() => unpackAddon(places.temporaryFolder, addon, uid)).toThrow('everyone may write');
    chmodSync(places.temporaryFolder, 0o1777);
    expect(read(unpackAddon(places.temporaryFolder, addon, uid))).toEqual(bytes);
  });
});

describe('an addon is looked for', () => {
  const ship = (content: Uint8Array) => {
    const folder = join(dirname(places.executable), 'errand.native');
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, 'sqlite.node'), content);
    return folder;
  };

  it('beside the executable first, and then nothing is written', () => {
    const folder = ship(bytes);
    expect(loadFrom(addon, places, (file) => file)).toBe(join(folder, 'sqlite.node'));
    expect(readdirSync(places.dataFolder)).toEqual([]);
    expect(readdirSync(places.temporaryFolder)).toEqual([]);
  });

  it('in the data folder where the one beside the executable is of another release', () => {
    ship(Buffer.from('another release'));
    expect(dirname(dirname(String(loadFrom(addon, places, (file) => file))))).toBe(places.dataFolder);
  });

  itWithModes('in the data folder where everyone may write beside the executable', () => {
    chmodSync(ship(bytes), 0o777);
    expect(dirname(dirname(String(loadFrom(addon, places, (file) => file))))).toBe(places.dataFolder);
  });

  it('in the temporary folder where the data folder is unknown, missing or rejects execution', () => {
    const inTemporaryFolder = (file: string) => file.startsWith(places.temporaryFolder);
    const load = (file: string) => {
      if (!inTemporaryFolder(file)) throw new Error('failed to map segment');
      return file;
    };
    for (const dataFolder of [undefined, join(root, 'missing'), places.dataFolder]) {
      expect(loadFrom(addon, { ...places, dataFolder }, load)).toSatisfy(inTemporaryFolder);
    }
    expect(existsSync(join(root, 'missing'))).toBe(false);
  });

  it('in vain only with a message that names all three places, their rejections and what to do', () => {
    const load = () => {
      throw new Error('failed to map segment from shared object');
    };
    const rejection =
      /native part sqlite.*not there.*failed to map.*failed to map.*noexec.*TMPDIR.*errand\.native/s;
    expect(() => loadFrom(addon, places, load)).toThrow(AddonError);
    expect(() => loadFrom(addon, places, load)).toThrow(rejection);
    for (const place of [join(root, 'bin', 'errand.native'), places.dataFolder, places.temporaryFolder]) {
      expect(() => loadFrom(addon, places, load)).toThrow(place);
    }
  });
});
