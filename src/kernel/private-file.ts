import { accessSync, closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Makes a file that only its owner can read, of a text or its pieces, and returns once it is on the disk. Throws when
 * there is one.
 */
export function writePrivateFile(path: string, text: string | Iterable<string>): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    for (const piece of typeof text === 'string' ? [text] : text) writeFileSync(file, piece);
    fsyncSync(file);
  } catch (error) {
    rmSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Makes an empty file that only its owner can read; throws when there is one. */
export const makeEmptyFile = (path: string): void => closeSync(openSync(path, 'wx', 0o600));

/** Returns once what was written to a file is on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Makes a name given or taken in a folder outlast a power loss: syncing the file alone does not. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  fsyncSync(opened);
  closeSync(opened);
}

/** Whether this process may do that with a file or folder: `constants.W_OK` and its like. */
export function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
