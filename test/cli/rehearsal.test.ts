import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openStorage } from '../../src/db/open.ts';
import { rowCounts } from '../../src/storage/integrity.ts';
import { newFolder } from '../new-folder.ts';
import { errand } from '../shell.ts';
import type { World } from '../world.ts';

let folder: string;
let database: string;
beforeEach(() => {
  folder = newFolder('rehearsal');
  database = join(folder, 'errand.db');
});

/** A database with someone in it, and the first so many migrations. */
async function makeDatabase(count?: number) {
  const storage = openStorage({ path: database, create: true });
  await migrate(storage, Object.fromEntries(Object.entries(migrations).slice(0, count)));
  storage.writing.exec(`insert into users (id, email, name, is_email_verified, created_at, updated_at)
      values ('1', 'old@example.com', 'Old', 1, '', '')`);
  return storage;
}

const rehearse = (...args: string[]) => errand({ folder } as World, ['migrate', '--rehearse', ...args]);
const files = () =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);

describe('errand migrate --rehearse', () => {
  it('tells time, space and rows of migrating a copy, and leaves the data as it was', async () => {
    const storage = await makeDatabase(2);
    const rows = rowCounts(storage.reading);
    storage.close();
    const before = files();
    const { code, out, err } = await rehearse('--json');
    expect([code, err]).toEqual([0, '']);
    expect(files()).toEqual(before);
    const told = JSON.parse(out);
    expect(told.migrations).toEqual(
      Object.keys(migrations)
        .slice(2)
        .map((name) => ({ name, milliseconds: expect.any(Number) })),
    );
    expect(told.rows.before).toEqual(rows);
    expect(told.rows.after).toMatchObject({ users: 1, tasks: 0 });
    expect(told.bytes.after).toBeGreaterThan(told.bytes.before);
    expect(told.bytes.most).toBeGreaterThanOrEqual(told.bytes.after);
  });

  it('says it in words, and draws its progress where someone watches', async () => {
    (await makeDatabase(2)).close();
    const shell = { isWatched: true };
    const { out, err } = await errand({ folder } as World, ['migrate', '--rehearse'], shell);
    expect(out).toMatch(/^0003_notifications {2}\d+\.\d s\n/);
    expect(out).toMatch(/\nusers +1 +1\n/);
    expect(out).toMatch(/This was a copy; .*errand\.db is as it was\.\n$/);
    expect(err).toMatch(/\rMigrating █+ (\d+)\/\1\n$/);
  });

  it('says so where there is nothing to rehearse', async () => {
    (await makeDatabase()).close();
    expect((await rehearse()).out).toMatch(/has the newest schema/);
  });

  it('rejects a newer schema, and to run beside another rehearsal, whose copy it leaves alone', async () => {
    const storage = await makeDatabase();
    mkdirSync(`${database}.rehearsal`);
    expect(await rehearse()).toMatchObject({ code: 1, err: expect.stringContaining('another rehearsal') });
    rmSync(`${database}.rehearsal`, { recursive: true });
    storage.writing.exec(`insert into kysely_migration values ('9999_later', '')`);
    storage.close();
    expect(await rehearse()).toMatchObject({ code: 1, err: expect.stringContaining('newer Errand') });
  });
});
