import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { openStorage, type Storage } from '../../src/db/open.ts';
import { newFolder } from '../new-folder.ts';

export let folder: string;
/** Of the file in it. */
export let path: string;
export let storage: Storage;

/** To be called by a file of tests: each has an empty database of its own. */
export function useFile(): void {
  beforeEach(() => {
    folder = newFolder('db');
    path = join(folder, 'errand.db');
    storage = openStorage({ path, create: true });
  });
  afterEach(() => storage.close());
}
