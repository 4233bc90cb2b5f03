import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockData, type OpenOptions, openStorage, rejectOldSqlite } from '../../src/db/open.ts';
import { StorageError } from '../../src/db/storage-error.ts';
import { newFolder } from '../new-folder.ts';

const SOURCE = join(import.meta.dirname, '../../src/db/open.ts');
const NOBODY = 65_534;

const children: ChildProcess[] = [];
let folder: string;
let path: string;
beforeEach(() => {
  folder = newFolder('storage');
  path = join(folder, 'errand.db');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const open = (options: Partial<OpenOptions> = {}) => openStorage({ path, create: true, ...options });
const rejectionOf = (attempt: () => unknown): string => {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError);
    return error instanceof Error ? error.message : '';
  }
  throw new Error('It was not rejected');
};

/** A database of several pages, closed. */
function makeDatabase(): void {
  const storage = open();
  storage.writing.exec(
    'create table notes (id integer primary key, text text); create index by_text on notes (text)',
  );
  const insert = storage.writing.prepare('insert into notes (text) values (?)');
  storage.writing.transaction(() => {
    for (let i = 0; i < 200; i++) insert.run(`note ${i} `.repeat(10));
  })();
  storage.close();
}

/** Runs a script in another process with the module's functions at hand; it says what it wants to be known. */
function inAnotherProcess(script: string, options: { umask?: number; uid?: number } = {}): ChildProcess {
  const source = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    process.umask(${options.umask ?? 0o022});
    const dieAt = (name, when) => {
      const real = fs[name];
      fs[name] = (...given) => {
        if (when === 'before') process.kill(process.pid, 'SIGKILL');
        real(...given);
        process.kill(process.pid, 'SIGKILL');
      };
      syncBuiltinESMExports();
    };
    const load = async () => ({
      ...(await import(${JSON.stringify(SOURCE)})),
      ...(await import(${JSON.stringify(join(dirname(SOURCE), 'storage-error.ts'))})),
    });
    const path = ${JSON.stringify(path)};
    const say = (text) => fs.writeSync(1, text + '\\n');
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: dirname(SOURCE),
    ...(options.uid !== undefined && { uid: options.uid }),
  });
  children.push(child);
  return child;
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output.trim();
}

const killed = async (child: ChildProcess) => {
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
};

describe('a first open', () => {
  it.each([0o022, 0o000])('makes everything private, whatever the umask (%o)', async (umask) => {
    path = join(folder, 'new', 'data', 'errand.db');
    const child = inAnotherProcess(
      `const { createFolder, openStorage, lockData } = await load();
      createFolder(path.slice(0, path.lastIndexOf('/')));
      globalThis.release = lockData(path);
      // A connection that nothing refers to any more is closed when it is collected.
      globalThis.storage = openStorage({ path, create: true });
      storage.writing.exec('create table notes (id)');
      say('open');
      setInterval(() => {}, 1000);`,
      { umask },
    );
    if (child.stdout) await once(child.stdout, 'data');
    expect(readdirSync(dirname(path)).sort()).toEqual(
      ['', '-shm', '-wal', '.lock'].map((end) => `errand.db${end}`),
    );
    for (const name of readdirSync(dirname(path)))
      expect(modeOf(join(dirname(path), name)), name).toBe('600');
    expect([modeOf(dirname(path)), modeOf(join(folder, 'new'))]).toEqual(['700', '700']);
    child.kill('SIGKILL');
    await killed(child);
  });

  it("marks the file as Errand's own before it gets its name, and leaves nothing else behind", () => {
    open().close();
    expect(readdirSync(folder)).toEqual(['errand.db']);
    expect(readFileSync(path).toString('latin1', 68, 72)).toBe('Erra');
  });

  it.each([
    ['linkSync', 'before'],
    ['linkSync', 'after'],
    ['rmSync', 'after'],
    ['closeSync', 'after'],
  ])('that is killed at %s (%s) is no hindrance to the next', async (name, when) => {
    await killed(
      inAnotherProcess(
        `dieAt('${name}', '${when}');
        (await load()).openStorage({ path, create: true });`,
      ),
    );
    const storage = open();
    expect(storage.writing.pragma('integrity_check', { simple: true })).toBe('ok');
    storage.close();
    expect(readdirSync(folder)).toEqual(['errand.db']);
  });

  it('takes no leftover of an unfinished one for its own', () => {
    for (const end of ['', '-wal', '-shm', '-journal']) writeFileSync(`${path}.new${end}`, 'x'.repeat(5_000));
    const storage = open();
    expect(storage.reading.pragma('integrity_check', { simple: true })).toBe('ok');
    storage.close();
    expect(readdirSync(folder)).toEqual(['errand.db']);
  });

  it('is rejected where the log of a database that is gone lies, and leaves that as it was', () => {
    makeDatabase();
    rmSync(path);
    writeFileSync(`${path}-wal`, 'x'.repeat(5_000));
    expect(rejectionOf(open)).toMatch(/There is no database at .*errand\.db, but its log/);
    expect(readdirSync(folder)).toEqual(['errand.db-wal']);
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('x'.repeat(5_000));
  });

  it('is rejected where only an existing database is wanted, and makes nothing', () => {
    path = join(folder, 'missing', 'errand.db');
    expect(rejectionOf(() => open({ create: false }))).toContain(path);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('in a folder that cannot be written names it and its cure', async () => {
    chmodSync(folder, 0o500);
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    const child = inAnotherProcess(
      `const { openStorage, lockData, createFolder, StorageError } = await load();
      for (const attempt of [
        () => openStorage({ path, create: true }),
        () => lockData(path),
        () => createFolder(path + '/deeper'),
      ]) {
        try { attempt(); say('taken'); } catch (error) { say((error instanceof StorageError) + ' ' + error.message); }
      }`,
      process.getuid?.() === 0 ? { uid: NOBODY } : {},
    );
    const lines = (await outputOf(child)).split('\n');
    chmodSync(folder, 0o700);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(new RegExp(`^true .*${path}.*owner`));
  });
});

describe('an open database', () => {
  it('keeps what durability and privacy rest on, on both connections', () => {
    const { writing, reading, close } = open();
    const pragma = (name: string) =>
      [writing, reading].map((connection) => connection.pragma(name, { simple: true }));
    expect(pragma('journal_mode')).toEqual(['wal', 'wal']);
    expect(pragma('synchronous')[0]).toBe(2);
    expect(pragma('secure_delete')[0]).toBe(1);
    expect(pragma('foreign_keys')).toEqual([1, 1]);
    expect(pragma('trusted_schema')).toEqual([0, 0]);
    expect(pragma('temp_store')).toEqual([2, 2]);
    expect(pragma('journal_size_limit')[0]).toBe(64 * 1024 * 1024);
    expect(pragma('wal_autocheckpoint')[0]).toBe(2_000);
    expect(() => reading.exec('create table notes (id)')).toThrow('readonly');
    close();
  });

  it('waits longer for another writer in a command than in a server, which serves nobody meanwhile', () => {
    makeDatabase();
    for (const [create, patience] of [
      [true, 2_000],
      [false, 15_000],
    ] as const) {
      const { writing, close } = openStorage({ path, create });
      expect(writing.pragma('busy_timeout', { simple: true })).toBe(patience);
      close();
    }
  });

  it('runs on a SQLite without the WAL-reset bug', () => {
    const { reading, close } = open();
    const version = reading.prepare<[], string>('select sqlite_version()').pluck().get() ?? '';
    expect(version.localeCompare('3.51.3', undefined, { numeric: true })).toBeGreaterThanOrEqual(0);
    close();
  });

  it('does not run on a SQLite that has it', () => {
    for (const version of ['3.51.3', '3.52.0', '3.100.0', '4.0.0']) rejectOldSqlite(version);
    for (const version of ['3.7.0', '3.51.2', '3.9.9']) {
      expect(() => rejectOldSqlite(version)).toThrow(StorageError);
    }
  });

  it('leaves no deleted content in the file', () => {
    const { writing, close } = open();
    writing.exec('create table notes (text)');
    writing.prepare('insert into notes values (?)').run('a-secret-to-forget');
    writing.pragma('wal_checkpoint(truncate)');
    expect(readFileSync(path).includes('a-secret-to-forget')).toBe(true);
    writing.exec('delete from notes');
    writing.pragma('wal_checkpoint(truncate)');
    expect(readFileSync(path).includes('a-secret-to-forget')).toBe(false);
    close();
  });

  it('keeps its log for a replication tool, also when it is closed', () => {
    const { writing, close } = open({ external_replication: true });
    expect(writing.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
    writing.exec('create table notes (id)');
    const before = statSync(`${path}-wal`).size;
    close();
    expect(statSync(`${path}-wal`).size).toBe(before);
    const { reading, close: closeAgain } = open();
    expect(reading.prepare('select * from notes').all()).toEqual([]);
    closeAgain();
    expect(readdirSync(folder)).toEqual(['errand.db']);
  });

  it('is rejected by a server when it cannot be written, though its folder can, with the cure', async () => {
    makeDatabase();
    chmodSync(path, 0o400);
    if (process.getuid?.() === 0) for (const file of [folder, path]) chownSync(file, NOBODY, NOBODY);
    const child = inAnotherProcess(
      `const { openStorage, StorageError } = await load();
      try { openStorage({ path, create: true }); say('taken'); }
      catch (error) { say((error instanceof StorageError) + ' ' + error.message); }`,
      process.getuid?.() === 0 ? { uid: NOBODY } : {},
    );
    expect(await outputOf(child)).toMatch(new RegExp(`^true ${path} cannot be written: check the owner`));
  });

  it('has its modes tightened where they were wide', () => {
    makeDatabase();
    chmodSync(path, 0o644);
    open().close();
    expect(modeOf(path)).toBe('600');
  });

  it('recovers what a killed process had committed, and nothing that it had not', async () => {
    await killed(
      inAnotherProcess(
        `const { writing } = (await load()).openStorage({ path, create: true });
        writing.exec('create table notes (text)');
        writing.exec("insert into notes values ('kept')");
        writing.exec("begin; insert into notes values ('lost')");
        process.kill(process.pid, 'SIGKILL');`,
      ),
    );
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const { reading, close } = open();
    expect(reading.prepare('select text from notes').pluck().all()).toEqual(['kept']);
    close();
  });

  it('recovers from a kill in the midst of a checkpoint, when the file is still shorter than it says', () => {
    const { writing, close } = open();
    writing.exec('create table notes (text)');
    const insert = writing.prepare('insert into notes values (?)');
    writing.transaction(() => {
      for (let i = 0; i < 100; i++) insert.run('note '.repeat(500));
    })();
    for (const end of ['', '-wal']) copyFileSync(path + end, join(folder, `copy${end}`));
    close();
    // A checkpoint writes page by page: the first one, which tells the new size, before those at the end.
    const firstPage = readFileSync(path).subarray(0, 4_096);
    path = join(folder, 'copy');
    const checkpointed = readFileSync(path);
    writeFileSync(path, Buffer.concat([firstPage, checkpointed.subarray(4_096)]));
    const recovered = open({ create: false });
    expect(recovered.reading.prepare('select count(*) from notes').pluck().get()).toBe(100);
    expect(recovered.reading.pragma('integrity_check', { simple: true })).toBe('ok');
    recovered.close();
  });
});

describe('a WAL that an earlier process left', () => {
  const leave = () => {
    makeDatabase();
    const storage = open();
    storage.writing.exec("insert into notes (text) values ('in the WAL only')");
    copyFileSync(path, `${path}.copy`);
    copyFileSync(`${path}-wal`, `${path}.copy-wal`);
    storage.close();
    path = `${path}.copy`;
  };
  const inFileAlone = () => {
    copyFileSync(path, join(folder, 'alone.db'));
    const alone = new SqliteDatabase(join(folder, 'alone.db'));
    const found = alone.prepare("select count(*) from notes where text = 'in the WAL only'").pluck().get();
    alone.close();
    return found;
  };

  it('is brought into the file to its end before anything is read', () => {
    leave();
    const storage = open();
    expect([statSync(`${path}-wal`).size, inFileAlone()]).toEqual([0, 1]);
    storage.close();
  });

  const beginReading = () => {
    const other = new SqliteDatabase(path, { readonly: true });
    other.exec('begin');
    const count = other.prepare('select count(*) from notes').pluck();
    return { other, count, before: count.get() };
  };

  it('is in the file and as it was where someone reads its newest commits, and the next ones follow it', () => {
    leave();
    const { other, count, before } = beginReading();
    const bytes = readFileSync(`${path}-wal`);
    const storage = open();
    expect([readFileSync(`${path}-wal`), inFileAlone()]).toEqual([bytes, 1]);
    storage.writing.exec("insert into notes (text) values ('next')");
    expect(count.get()).toBe(before);
    other.close();
    storage.close();
    expect(inFileAlone()).toBe(1);
  });

  it('keeps a server from starting while someone reads older commits', () => {
    leave();
    const { other } = beginReading();
    const newer = new SqliteDatabase(path);
    newer.exec("insert into notes (text) values ('newer')");
    newer.close();
    expect(rejectionOf(open)).toMatch(/is locked by another process: stop it and try again \(SQLITE_BUSY\)/);
    other.close();
    open().close();
  });

  it('is left to the replication tool where there is one, and to the server by commands', () => {
    leave();
    for (const options of [{ external_replication: true }, { create: false }]) {
      const storage = open(options);
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
      const reader = new SqliteDatabase(path, { readonly: true });
      reader.prepare('select count(*) from notes').get();
      storage.close();
      reader.close();
    }
  });
});

describe("a file that is not a whole database of Errand's", () => {
  const NOT_OURS: [string, () => void, string][] = [
    ['empty', () => writeFileSync(path, ''), 'is empty'],
    ['a text', () => writeFileSync(path, 'To whom it may concern\n'.repeat(1_000)), 'not a SQLite database'],
    ['shorter than a header', () => writeFileSync(path, 'SQLite format 3\0'), 'not a SQLite database'],
    [
      'of another program',
      () => new SqliteDatabase(path).exec('pragma journal_mode = wal; create table notes (id)').close(),
      'another program',
    ],
    [
      'truncated by a page',
      () => {
        makeDatabase();
        truncateSync(path, statSync(path).size - 4_096);
      },
      'truncated',
    ],
    [
      'truncated to its header',
      () => {
        makeDatabase();
        truncateSync(path, 100);
      },
      'truncated',
    ],
    [
      'with a damaged schema',
      () => {
        makeDatabase();
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0xff, 100, 4_096));
      },
      'damaged',
    ],
  ];

  it.each(NOT_OURS)('%s: is rejected by name with the way out, and not touched', (_kind, make, why) => {
    make();
    const before = readFileSync(path);
    const message = rejectionOf(open);
    expect(message).toContain(path);
    expect(message).toContain(why);
    expect(message).toMatch(/errand restore|database\.path/);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['errand.db']);
  });

  it('put where the log of the one before still lies, is rejected, and neither is touched', () => {
    makeDatabase();
    const copy = new SqliteDatabase(path);
    copy.pragma('journal_mode = delete');
    copy.close();
    writeFileSync(`${path}-wal`, 'x'.repeat(5_000));
    const before = readFileSync(path);
    expect(rejectionOf(open)).toMatch(/errand\.db-wal is not of .*errand\.db/);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('x'.repeat(5_000));
  });

  it('is rejected by name and not touched, or does open, with any one bit of its header flipped', () => {
    makeDatabase();
    const whole = readFileSync(path);
    let rejected = 0;
    for (let bit = 0; bit < 100 * 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (whole[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      rmSync(path);
      writeFileSync(path, flipped, { mode: 0o600 });
      try {
        open().close();
      } catch (error) {
        rejected += 1;
        expect(error, `bit ${bit}`).toBeInstanceOf(StorageError);
        expect(String(error), `bit ${bit}`).toContain(path);
        expect(readFileSync(path).equals(flipped), `bit ${bit}`).toBe(true);
      }
    }
    expect(rejected).toBeGreaterThan(200);
  });

  it('is rejected when it is a folder', () => {
    mkdirSync(path);
    expect(rejectionOf(open)).toContain(`${path} is a folder`);
  });
});

describe('the lock', () => {
  const lockInAnotherProcess = (then: string) =>
    inAnotherProcess(
      `const { lockData } = await load();
      try { globalThis.release = lockData(path); say('held'); } catch (error) { say(error.message); }
      ${then}`,
    );

  it('rejects a second holder in the same process and in another, by name, until it is released', async () => {
    const release = lockData(path);
    const rejection = rejectionOf(() => lockData(path));
    expect(rejection).toContain('Another Errand process');
    expect(rejection).toContain(path);
    expect(await outputOf(lockInAnotherProcess(''))).toBe(rejection);
    release();
    expect(await outputOf(lockInAnotherProcess(''))).toBe('held');
    lockData(path)();
  });

  it('is freed by the kernel when its holder is killed, and the file left behind is no hindrance', async () => {
    const child = lockInAnotherProcess('setInterval(() => {}, 1000);');
    if (child.stdout) expect(String(await once(child.stdout, 'data'))).toBe('held\n');
    rejectionOf(() => lockData(path));
    child.kill('SIGKILL');
    await killed(child);
    expect(existsSync(`${path}.lock`)).toBe(true);
    lockData(path)();
  });

  it('is one and the same by whatever link the data is reached', () => {
    open().close();
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    symlinkSync(folder, join(folder, 'elsewhere'));
    const release = lockData(path);
    rejectionOf(() => lockData(link));
    rejectionOf(() => lockData(join(folder, 'elsewhere', 'errand.db')));
    release();
    const throughLink = lockData(link);
    rejectionOf(() => lockData(path));
    throughLink();
  });

  it('takes a lock file that is none for what it is, and tells the way out', () => {
    writeFileSync(`${path}.lock`, 'pid 4711\n'.repeat(1_000));
    const message = rejectionOf(() => lockData(path));
    expect(message).toContain(`${path}.lock`);
    expect(message).not.toContain('Another Errand process');
  });

  it('does not lock out readers and writers of the database', () => {
    const release = lockData(path);
    const storage = open();
    storage.writing.exec('create table notes (id)');
    storage.close();
    release();
  });
});
