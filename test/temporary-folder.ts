import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

/** Gives a run of tests one folder for whatever they make; in it, what belongs to another user can be reached too. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'errand-tests-'));
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
}

export const teardown = (): void => rmSync(folder, { recursive: true, force: true });
