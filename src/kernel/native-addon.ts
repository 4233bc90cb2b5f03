import { hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { errnoOf, OperatorError } from './errors.ts';
import { DAY } from './instants.ts';

/** The SHA-256 of each addon in this executable, put in by deploy/release/bundle.mjs. Run from sources there is none. */
declare const ERRAND_ADDONS: Readonly<Record<string, string>>;

interface Addon {
  name: string;
  sha256: string;
  bytes: () => Uint8Array;
}

export interface AddonPlaces {
  executable: string;
  dataFolder: string | undefined;
  temporaryFolder: string;
  /** Whom this process runs as; undefined on Windows, where folders are private by where they are. */
  uid: number | undefined;
}

/** No place would do for an addon. Not the database's fault, nor the request's: the message is for the operator. */
export class AddonError extends OperatorError {}

// Module state, because packages ask for their addon deep inside, where no argument of ours can reach.
let dataFolder: string | undefined;
const loaded = new Map<string, unknown>();

/**
 * Tells the executable the data folder, where it keeps its addons. To be called as soon as the configuration
 * is read, before the first database or password: an addon asked for earlier goes to the temporary folder.
 * The folder itself may still be missing then. Run from sources this has no effect.
 */
export function setAddonFolder(folder: string): void {
  dataFolder = folder;
}

/**
 * In the executable, what better-sqlite3 and argon2 call instead of their own loaders, at first use: the
 * bundle rewires them (deploy/release/bundle.mjs). An AddonError when no place will do.
 */
export function loadNativeAddon(name: string): unknown {
  if (!loaded.has(name)) {
    const addon = {
      name,
      sha256: ERRAND_ADDONS[name] ?? '',
      bytes: () => new Uint8Array(getRawAsset(name)),
    };
    const places = {
      executable: process.execPath,
      dataFolder,
      temporaryFolder: tmpdir(),
      uid: process.geteuid?.(),
    };
    loaded.set(name, loadFrom(addon, places, openAddon));
  }
  return loaded.get(name);
}

/**
 * What `open` makes of the first file that can be had and that it accepts: beside the executable, in the
 * data folder, in the temporary folder. Else an AddonError with a line for each place and what to do.
 */
export function loadFrom(addon: Addon, places: AddonPlaces, open: (file: string) => unknown): unknown {
  const beside = join(dirname(places.executable), 'errand.native');
  const attempts = [{ place: beside, find: () => findShipped(beside, addon, places) }];
  for (const parent of [places.dataFolder, places.temporaryFolder]) {
    if (parent !== undefined) {
      attempts.push({ place: parent, find: () => unpackAddon(parent, addon, places.uid) });
    }
  }
  const failures: string[] = [];
  for (const { place, find } of attempts) {
    try {
      return open(find());
    } catch (error) {
      failures.push(`  ${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new AddonError(
    [
      `Errand cannot load its native part ${addon.name}. Tried, in this order:`,
      ...failures,
      'One of them must work: mount the data folder or the temporary folder without noexec, or point TMPDIR at a',
      'folder of your own that is, or put the folder errand.native of this very release beside the executable.',
    ].join('\n'),
  );
}

/**
 * The addon's file in a folder of ours under `parent`, written unless it is there and intact. The folder is
 * this user's alone (0700). One that another user made, or a link, is rejected; a file whose folder was open
 * to others, or that does not hold the addon, is replaced.
 */
export function unpackAddon(parent: string, addon: Addon, uid: number | undefined): string {
  const folder = join(parent, `errand-native-${uid ?? 'user'}`);
  const file = join(folder, `${addon.name}-${addon.sha256.slice(0, 16)}.node`);
  const isOurs = (stat: Stats) => uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
  const wasPrivate = makePrivate(parent, folder, uid);
  if (!wasPrivate || !isIntact(file, addon, isOurs)) {
    writeAddon(folder, file, addon);
    if (!isIntact(file, addon, isOurs)) throw new Error(`${file} does not hold what was written to it`);
  }
  return file;
}

/** As an image ships it: trusted where only those can write who could change the executable as well. */
function findShipped(folder: string, addon: Addon, { executable, uid }: AddonPlaces): string {
  const trusted = [0, uid, statSync(executable).uid];
  const isTrusted = (stat: Stats) =>
    uid === undefined || (trusted.includes(stat.uid) && (stat.mode & 0o002) === 0);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) throw new Error('not there');
  if (!stat.isDirectory()) throw new Error('not a folder');
  if (!isTrusted(stat)) throw new Error('others may write to it');
  const file = join(folder, `${addon.name}.node`);
  if (!isIntact(file, addon, isTrusted)) throw new Error(`no ${addon.name}.node of this release in it`);
  return file;
}

/** Returns whether the folder was private before. It is afterwards, or this throws. */
function makePrivate(parent: string, folder: string, uid: number | undefined): boolean {
  const { mode } = statSync(parent);
  // Without the sticky bit anyone could swap our folder for theirs between the check and the load.
  if (uid !== undefined && (mode & 0o1002) === 0o002) throw new Error('everyone may write to it');
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (uid === undefined) return true;
  if (stat.uid !== uid) throw new Error(`${folder} belongs to another user`);
  if ((stat.mode & 0o077) === 0) return true;
  // Some orchestrators open a volume to a group at every mount: close it again rather than refuse to start.
  chmodSync(folder, 0o700);
  if ((lstatSync(folder).mode & 0o077) !== 0) throw new Error(`${folder} cannot be made private`);
  return false;
}

function isIntact(file: string, addon: Addon, isTrusted: (stat: Stats) => boolean): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return false;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && isTrusted(stat) && hash('sha256', readFileSync(descriptor)) === addon.sha256;
  } finally {
    closeSync(descriptor);
  }
}

/** Under another name first, so that starts that race, or die halfway, never show each other half a file. */
function writeAddon(folder: string, file: string, addon: Addon): void {
  removeStale(folder, file, addon);
  const part = join(folder, `${addon.name}-${randomUUID()}.part`);
  try {
    writeFileSync(part, addon.bytes(), { flag: 'wx', mode: 0o500 });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** What earlier releases and interrupted starts left; a day old, so that no start under way loses its file. */
function removeStale(folder: string, file: string, addon: Addon): void {
  const now = Date.now();
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    if (other === file || !name.startsWith(`${addon.name}-`)) continue;
    const stat = lstatSync(other, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs > DAY) rmSync(other, { force: true, recursive: true });
  }
}

function openAddon(file: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}
