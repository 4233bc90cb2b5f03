import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { logBytesOf } from '../db/open.ts';

/** Bytes of a database with its log. */
export const bytesOf = (path: string): number =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + logBytesOf(path);

/** The folder, or where there is none yet the nearest around it that there is. */
export const folderAt = (path: string): string => (existsSync(path) ? path : folderAt(dirname(path)));

/** Bytes free where `folder` is, or will be made. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folderAt(folder));
  return bavail * bsize;
}

/** Why a copy of the database should not be made in `folder`: less than twice its size is free. */
export function lackingSpace(databasePath: string, folder: string): string | undefined {
  const wanted = 2 * bytesOf(databasePath);
  const free = freeBytes(folder);
  if (free >= wanted) return undefined;
  return `there are ${sizeText(free)} free in ${folder}, and twice the database, ${sizeText(wanted)}, is wanted`;
}

/** `12.3 MB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${step === 0 ? bytes : (bytes / 1000 ** step).toFixed(1)} ${units[step]}`;
}
