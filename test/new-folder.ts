import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a folder that is there until the test has finished, its hooks included. */
export function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `errand-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
