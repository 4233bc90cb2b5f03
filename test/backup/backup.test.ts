import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { backUpToDirectory, writeBackup } from '../../src/backup/backup.ts';
import { backupNotes, noteBackup, noteFailure, overdueSince } from '../../src/backup/notes.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { type SelfCommand, scheduledBackups } from '../../src/backup/scheduled.ts';
import { lackingSpace } from '../../src/backup/space.ts';
import { createConfig } from '../../src/config.ts';
import { connectionDb } from '../../src/db/connection.ts';
import { openStorage } from '../../src/db/open.ts';
import { StorageError } from '../../src/db/storage-error.ts';
import { DAY, HOUR, toInstant } from '../../src/kernel/instants.ts';
import { COUNTERS, rowCounts } from '../../src/storage/integrity.ts';
import { at, call, home, listId, openInstead, useHome, world } from '../ada.ts';
import { contentOf } from '../content.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { newFolder } from '../new-folder.ts';
import { errand } from '../shell.ts';
import { START } from '../world.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const HEARD = { settings: { log: { level: 'info' } } };
const unwatched = () => () => {};

let folder: string;
let database: string;
useHome(HEARD);
beforeEach(() => {
  folder = newFolder('backup');
  database = join(world.folder, 'errand.db');
  world.log.length = 0;
});

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** Restores a backup into a folder of its own and returns the database's path. */
async function restored(file: string): Promise<string> {
  const path = join(mkdtempSync(join(folder, 'restored-')), 'errand.db');
  const options = { file, databasePath: path, migrations, at: toInstant(START), keepSessions: true };
  await restoreBackup({ ...options, progress: unwatched });
  return path;
}

const create = (title: string) => call('POST', at('/tasks'), { listId, title });

describe('a backup', () => {
  it('is one private file with all that the database holds, and keeps no journal beside it when read', async () => {
    await create('Buy milk');
    const file = join(folder, 'backup.db');
    const backup = await writeBackup(database, file, unwatched);
    expect(backup).toMatchObject({
      file,
      bytes: statSync(file).size,
      rows: { users: 1, tasks: 1, task_search: 1 },
    });
    expect(modeOf(file)).toBe('600');
    expect(contentOf(file)).toEqual(contentOf(database));
    expect(readdirSync(folder)).toEqual(['backup.db']);
    expect(
      readFileSync(file).includes(JSON.parse(readFileSync(join(world.folder, 'keys.json'), 'utf8')).outbox),
    ).toBe(false);
  });

  it('made under full load is the database of one moment: restored, it has what was acknowledged before, to the row', async () => {
    // Enough for the copy to take several turns of the event loop.
    await addTasks(world, home, 3_000);
    const acknowledged: string[] = [];
    let isOver = false;
    let created = 0;
    const client = async () => {
      while (!isOver) {
        created += 1;
        acknowledged.push((await create(`Task ${created}`)).body.id);
      }
    };
    const clients = Array.from({ length: 4 }, client);
    onTestFinished(() => {
      isOver = true;
    });
    for (let i = 0; i < 6; i++) {
      const before = [...acknowledged];
      const { file, rows } = await writeBackup(database, join(folder, `${i}.db`), unwatched);
      const { reading, close } = openStorage({ path: await restored(file), create: false });
      // Restoring is recorded, and renews what tells one history of the data from another.
      const { audit_log, meta } = rowCounts(reading);
      expect(rowCounts(reading)).toEqual({ ...rows, audit_log, meta });
      expect(COUNTERS.faults(reading)).toEqual([]);
      const tasks = new Set(reading.prepare('select id from tasks').pluck().all());
      expect(before.filter((id) => !tasks.has(id))).toEqual([]);
      close();
    }
    isOver = true;
    await Promise.all(clients);
    expect(created).toBeGreaterThan(50);
  });

  it('never overwrites a file, also not one that comes to be meanwhile, and leaves none of its own then', async () => {
    const file = join(folder, 'backup.db');
    writeFileSync(file, 'mine');
    writeFileSync(join(folder, 'old.db-wal'), 'mine');
    for (const taken of [file, join(folder, 'old.db')]) {
      await expect(writeBackup(database, taken, unwatched)).rejects.toThrow(/never overwritten/);
    }
    const late = join(folder, 'late.db');
    const appearing = (label: string) => () => {
      if (label === 'Checking') writeFileSync(late, 'mine');
    };
    await expect(writeBackup(database, late, appearing)).rejects.toThrow(StorageError);
    for (const path of [file, late]) expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(readdirSync(folder).sort()).toEqual(['backup.db', 'late.db', 'old.db-wal']);
  });

  it("does not touch another's unfinished one", async () => {
    writeFileSync(join(folder, 'backup.db.new'), 'theirs');
    await expect(writeBackup(database, join(folder, 'backup.db'), unwatched)).rejects.toThrow(
      /is being made/,
    );
    expect(readFileSync(join(folder, 'backup.db.new'), 'utf8')).toBe('theirs');
  });

  it.each([
    [
      'a row that refers to none',
      `insert into members values ('no', 'one', 'viewer', 0, '')`,
      'refer to no row',
    ],
    ['a task that search does not know', `delete from task_search`, 'search does not know'],
    ['a lost page of the search index', `delete from task_search_data where id > 10`, 'task_search'],
  ])('with %s is not called done, and leaves nothing', async (_fault, sql, why) => {
    await create('Buy milk');
    const { writing } = world.opened.storage;
    writing.pragma('foreign_keys = off');
    writing.unsafeMode(true).exec(sql);
    const attempt = writeBackup(database, join(folder, 'backup.db'), unwatched);
    await expect(attempt).rejects.toThrow(/did not pass its check/);
    await expect(attempt).rejects.toThrow(why);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the backup directory', () => {
  const backUp = (days: number, keep = 3) =>
    backUpToDirectory(database, { directory: folder, keep }, START + days * DAY, unwatched);
  const backups = () => readdirSync(folder).filter((name) => name !== 'errand.lock');

  it('keeps the newest ones, and whatever is not a backup of ours', async () => {
    for (const name of ['errand-2025-12-31.db', 'errand-notes.db']) writeFileSync(join(folder, name), 'mine');
    for (let days = 0; days < 5; days++) await backUp(days);
    expect(backups()).toEqual([
      'errand-2025-12-31.db',
      'errand-2026-03-29T10-00-00-000Z.db',
      'errand-2026-03-30T10-00-00-000Z.db',
      'errand-2026-03-31T10-00-00-000Z.db',
      'errand-notes.db',
    ]);
  });

  it('keeps the one just made, also when the clock went back', async () => {
    for (const days of [5, 6, 1]) await backUp(days, 1);
    expect(backups()).toEqual(['errand-2026-03-28T10-00-00-000Z.db']);
  });

  it('loses none of them when a backup fails', async () => {
    await backUp(0, 1);
    world.opened.storage.writing.pragma('foreign_keys = off');
    world.opened.storage.writing.exec(`insert into members values ('no', 'one', 'viewer', 0, '')`);
    await expect(backUp(1, 1)).rejects.toThrow(StorageError);
    expect(backups()).toEqual(['errand-2026-03-27T10-00-00-000Z.db']);
  });

  it('takes one backup at a time, and clears away what a killed one left', async () => {
    for (const end of ['.new', '.new-journal'])
      writeFileSync(join(folder, `errand-2026-03-01T10-00-00-000Z.db${end}`), '');
    const first = backUp(0);
    await expect(backUp(1)).rejects.toThrow(/is under way/);
    await first;
    expect(backups()).toEqual(['errand-2026-03-27T10-00-00-000Z.db']);
  });

  it('is not filled up: less than twice the database must be free', async () => {
    const huge = join(folder, 'huge.db');
    writeFileSync(huge, '');
    truncateSync(huge, 2 ** 43);
    expect(lackingSpace(database, join(folder, 'not', 'yet', 'there'))).toBeUndefined();
    expect(lackingSpace(huge, folder)).toContain('twice the database, 17.6 TB, is wanted');
    const directory = join(folder, 'backups');
    await expect(backUpToDirectory(huge, { directory, keep: 1 }, START, unwatched)).rejects.toThrow(
      /17\.6 TB/,
    );
    expect(readdirSync(directory)).toEqual(['errand.lock']);
  });
});

describe('errand backup', () => {
  it('writes where it is told, else into the directory of the settings, and notes it in the database', async () => {
    await world.opened.close();
    mkdirSync(join(world.folder, 'sub'));
    const named = await errand(world, ['backup', 'sub/mine.db', '--json']);
    expect(named.err).toBe('');
    expect(JSON.parse(named.out)).toMatchObject({
      file: join(world.folder, 'sub/mine.db'),
      rows: { users: 1 },
    });
    const { code, out } = await errand(world, ['backup']);
    expect(code).toBe(0);
    expect(out).toContain('keys.json');
    const directory = join(world.folder, 'backups');
    expect(modeOf(directory)).toBe('700');
    const [file = ''] = readdirSync(directory);
    const { reading, close } = openStorage({ path: database, create: false });
    expect(backupNotes(connectionDb(reading))).toMatchObject({
      done: { file: join(directory, file) },
      failed: undefined,
    });
    close();
    expect(await errand(world, ['backup', 'sub/mine.db'])).toMatchObject({ code: 1, out: '' });
  });

  it('makes no folder for the file that it is told', async () => {
    await world.opened.close();
    const { code, err } = await errand(world, ['backup', 'misspelt/mine.db']);
    expect([code, err]).toEqual([1, expect.stringContaining(`no folder ${join(world.folder, 'misspelt')}`)]);
    expect(readdirSync(world.folder)).not.toContain('misspelt');
  });

  it('warns of values that no Errand writes, and is kept', async () => {
    world.opened.storage.writing.exec(`update users set created_at = 'today'`);
    const { code, err } = await errand(world, ['backup', 'odd.db']);
    expect(code).toBe(0);
    expect(err).toContain('warning: 1 impossible values of users.created_at');
    expect(readdirSync(world.folder)).toContain('odd.db');
  });

  it('draws its progress where someone watches', async () => {
    await world.opened.close();
    const { err } = await errand(world, ['backup', 'x.db'], { isWatched: true });
    expect(err).toMatch(/\rCopying █+ (\d+)\/\1\n(?:.|\r)*\rChecking █+ 3\/3\n$/);
  });
});

describe('scheduled backups', () => {
  const lines = (): Record<string, unknown>[] => world.log.map((line) => JSON.parse(line));
  const itself = (): SelfCommand => ({
    words: [process.execPath, MAIN],
    options: [],
    environment: { ERRAND_DATABASE_PATH: database, ERRAND_BACKUP_DIRECTORY: folder },
  });
  const script = (source: string): SelfCommand => ({
    words: [process.execPath, '-e', source],
    options: [],
    environment: {},
  });
  const notes = () => backupNotes(world.deps.read);

  it('are made by a process of their own beside the running server, logged and noted', async () => {
    await scheduledBackups(world.deps, itself()).run();
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.db'));
    expect(lines()).toMatchObject([{ msg: 'backed up', file: join(folder, name) }]);
    expect(notes().done?.file).toBe(join(folder, name));
    expect((await world.signUp()).id).toBeTruthy();
  });

  it('let the server have the processor first, from their start on', async () => {
    await scheduledBackups(world.deps, script('throw new Error(os.getPriority())')).run();
    expect(notes().failed?.reason).toContain(`Error: ${constants.priority.PRIORITY_LOW}\n`);
  });

  it('that fail are logged and noted with the reason, until one succeeds', async () => {
    await scheduledBackups(world.deps, script('console.error("errand: why"); process.exit(1)')).run();
    expect(lines()).toMatchObject([{ level: 50, msg: 'a scheduled backup failed', reason: 'errand: why' }]);
    expect(notes().failed).toEqual({ at: toInstant(START), reason: 'errand: why' });
    await scheduledBackups(world.deps, { ...itself(), words: [join(folder, 'missing')] }).run();
    expect(notes().failed?.reason).toContain('ENOENT');
    await scheduledBackups(world.deps, itself()).run();
    expect(notes().failed).toBeUndefined();
  });

  it('that failed or are overdue stay in the log until one succeeds, not only the first time', async () => {
    const backups = scheduledBackups(world.deps, itself());
    const told = () => lines().map(({ level, msg }) => [level, msg]);
    const reminded = () => {
      world.log.length = 0;
      backups.remind();
      return told();
    };
    expect(reminded()).toEqual([]);
    await world.deps.write((tx) => noteFailure(tx, 'no room', world.clock.now()));
    const failed = [50, 'the last scheduled backup failed'];
    expect(reminded()).toEqual([failed]);
    expect(lines()).toMatchObject([{ at: toInstant(START), reason: 'no room' }]);
    world.clock.advance(2 * DAY);
    expect(reminded()).toEqual([failed, [40, 'a scheduled backup is overdue']]);
    expect(reminded()).toHaveLength(2);
    await backups.run();
    world.clock.set(Date.now());
    expect(reminded()).toEqual([]);
  });

  it('that find the search index damaged have it rebuilt, and are made after all', async () => {
    await addTasks(world, home, 100);
    world.opened.storage.writing.unsafeMode(true).exec('delete from task_search_data where id > 10');
    world.log.length = 0;
    await scheduledBackups(world.deps, itself()).run();
    expect(lines()).toMatchObject([
      { level: 50, msg: 'a scheduled backup failed', reason: expect.stringContaining('task_search') },
      { level: 40, msg: 'the search index was damaged, and is rebuilt' },
      { level: 30, msg: 'backed up' },
    ]);
    expect(notes().failed).toBeUndefined();
    expectIntegrity(world);
  });

  it('are skipped with a warning, and noted, where there is no room', async () => {
    const huge = join(folder, 'huge.db');
    writeFileSync(huge, '');
    truncateSync(huge, 2 ** 43);
    const config = createConfig({ database: { path: huge } });
    await scheduledBackups({ ...world.deps, config }, itself()).run();
    expect(lines()).toMatchObject([{ level: 40, msg: 'a scheduled backup is skipped' }]);
    expect(notes().failed?.reason).toContain('17.6 TB');
  });

  it('end with the server, and that is no failure', async () => {
    const backups = scheduledBackups(world.deps, script('setInterval(() => {}, 1000)'));
    const run = backups.run();
    await backups.stop();
    await run;
    expect([lines(), notes()]).toEqual([[], { done: undefined, failed: undefined }]);
  });

  it('are overdue an hour after the schedule asked for one, which a starting server logs', async () => {
    await openInstead(HEARD);
    const [midnight, schedule] = [Date.parse('2026-03-29T00:00:00Z'), '0 0 * * *'];
    // In whatever zone the test runs, there is a midnight within a day.
    const overdue = (now: number, pattern = schedule) => overdueSince(pattern, world.deps.read, now);
    expect(overdue(midnight + 9 * DAY)).toBeUndefined();
    await world.deps.write((tx) => noteBackup(tx, { file: 'x', bytes: 1 }, midnight));
    expect(overdue(midnight + HOUR / 2)).toBeUndefined();
    expect(overdue(midnight + 2 * DAY)).toMatch(/^2026-03-(29|30)T/);
    expect(overdue(midnight + 2 * DAY, '')).toBeUndefined();
    const config = createConfig({ backup: { schedule } });
    const clock = { now: () => midnight + 9 * DAY };
    scheduledBackups({ ...world.deps, config, clock }, itself());
    expect(lines()).toMatchObject([{ level: 40, msg: 'a scheduled backup is overdue' }]);
    expect(existsSync(join(folder, 'errand.lock'))).toBe(false);
  });
});
