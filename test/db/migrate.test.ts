import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrations as released } from '../../migrations/index.ts';
import { statements } from '../../migrations/statements.ts';
import { createConfig } from '../../src/config.ts';
import { type Migrations, migrate, preMigrationCopy, schemaStatus } from '../../src/db/migrate.ts';
import { openStorage, type Storage } from '../../src/db/open.ts';
import { StorageError } from '../../src/db/storage-error.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import { folder, path, storage, useFile } from './one-file.ts';

useFile();

const FIRST = `
create table parents (
  id integer primary key,
  name text not null
) strict;
create table children (
  parent integer not null references parents (id) on delete cascade
) strict;

create trigger parents_named after insert on parents begin
  update parents set name = upper(name) where id = new.id;
  update parents set name = name || ';' where id = new.id;
end;
insert into parents values (1, 'ada'), (2, 'bob');
insert into children values (1), (2);
`;
const SECOND = `
alter table parents add column age integer;
create index parents_by_age on parents (age);
update parents set age = 7;
`;
const REBUILD = `
create table parents_new (
  id integer primary key,
  name text not null,
  age integer not null
) strict;
insert into parents_new select id, name, age from parents;
drop table parents;
alter table parents_new rename to parents;
`;
const first: Migrations = { '0001_first': statements(FIRST) };
const both: Migrations = { ...first, '0002_second': statements(SECOND) };

const query = <Row>(sql: string) => storage.writing.prepare<[], Row>(sql).all();
const contents = () => ({
  schema: query('select type, name, sql from sqlite_schema order by name'),
  parents: query('select * from parents'),
  children: query('select * from children'),
  migrations: query('select name from kysely_migration order by name'),
});
const failureOf = async (attempt: Promise<unknown>): Promise<StorageError> => {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StorageError)) throw new Error(`No StorageError, but ${error}`);
  return error;
};
const start = (settings: Record<string, unknown> = {}) =>
  openDeps(createConfig({ database: { path, ...settings } }), silentLog, { role: 'server' });
const snapshots = () => readdirSync(folder).filter((name) => name.includes('before-migration'));

describe('migrating', () => {
  it('runs what is pending, in order, and nothing the next time', async () => {
    expect(schemaStatus(storage, both)).toEqual({ done: [], pending: ['0001_first', '0002_second'] });
    expect(await migrate(storage, first)).toEqual(['0001_first']);
    expect(schemaStatus(storage, both)).toEqual({ done: ['0001_first'], pending: ['0002_second'] });
    expect(await migrate(storage, both)).toEqual(['0002_second']);
    const before = contents();
    expect(before.parents).toEqual([
      { id: 1, name: 'ADA;', age: 7 },
      { id: 2, name: 'BOB;', age: 7 },
    ]);
    expect(await migrate(storage, both)).toEqual([]);
    expect(contents()).toEqual(before);
  });

  it('of an empty file is all or nothing', async () => {
    const failing = { ...both, '0003_third': statements('create table parents (id);') };
    expect((await failureOf(migrate(storage, failing))).message).toContain('0003_third');
    expect(schemaStatus(storage, both)).toEqual({ done: [], pending: ['0001_first', '0002_second'] });
    expect(await migrate(storage, both)).toEqual(['0001_first', '0002_second']);
  });

  it('commits each by itself: those before a failing one stay', async () => {
    await migrate(storage, first);
    const third = {
      ...both,
      '0003_third': statements('create table more (id);\ncreate table parents (id);'),
    };
    const failure = await failureOf(migrate(storage, third));
    expect(failure.message).toContain('0003_third');
    expect(failure.message).toContain(path);
    expect(String(failure.cause)).toContain('already exists');
    expect(schemaStatus(storage, third)).toEqual({
      done: ['0001_first', '0002_second'],
      pending: ['0003_third'],
    });
    expect(query(`select name from sqlite_schema where name = 'more'`)).toEqual([]);
    expect(await migrate(storage, { ...both, '0003_third': statements('create table more (id);') })).toEqual([
      '0003_third',
    ]);
  });

  it('that fails at any of its statements leaves the file as it was before, and resumes when run again', async () => {
    await migrate(storage, first);
    const before = contents();
    const { prepare } = storage.writing;
    let failures = 0;
    for (let nth = 1; failures === nth - 1; nth++) {
      let count = 0;
      storage.writing.prepare = ((sql: string) => {
        count += 1;
        if (count === nth) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
        return prepare.call(storage.writing, sql);
      }) as typeof prepare;
      try {
        await migrate(storage, both);
      } catch (error) {
        failures += 1;
        expect(error, `statement ${nth}`).toBeInstanceOf(StorageError);
        storage.writing.prepare = prepare;
        if (schemaStatus(storage, both).pending.length > 0) {
          expect(contents(), `statement ${nth}`).toEqual(before);
        }
        expect(storage.writing.inTransaction).toBe(false);
      } finally {
        storage.writing.prepare = prepare;
      }
    }
    expect(failures).toBeGreaterThan(5);
    expect(schemaStatus(storage, both).pending).toEqual([]);
    expect(storage.writing.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('on a full disk says so, leaves the file as it was before, and works once there is space', async () => {
    await migrate(storage, first);
    const before = contents();
    storage.writing.pragma(`max_page_count = ${storage.writing.pragma('page_count', { simple: true })}`);
    const large: Migrations = {
      ...first,
      '0002_large': statements(`create table more (text);\ninsert into more values (zeroblob(200000));`),
    };
    const failure = await failureOf(migrate(storage, large));
    expect(failure.message).toContain('0002_large');
    expect(String(failure.cause)).toContain('full');
    expect(contents()).toEqual(before);
    storage.writing.pragma('max_page_count = 100000');
    expect(await migrate(storage, large)).toEqual(['0002_large']);
  });

  it('may rebuild a table without losing what refers to it', async () => {
    await migrate(storage, { ...both, '0003_rebuild': statements(REBUILD) });
    expect(contents().children).toEqual([{ parent: 1 }, { parent: 2 }]);
    expect(storage.writing.pragma('foreign_keys', { simple: true })).toBe(1);
  });

  it('that leaves a row referring to none is a failing one', async () => {
    await migrate(storage, first);
    const before = contents();
    const orphaning = { ...first, '0002_orphaning': statements('delete from parents where id = 1;') };
    expect(String((await failureOf(migrate(storage, orphaning))).cause)).toContain('children');
    expect(contents()).toEqual(before);
    expect(storage.writing.pragma('foreign_keys', { simple: true })).toBe(1);
  });

  it('rejects a newer schema, or one of another line, by name, and changes nothing', async () => {
    await migrate(storage, both);
    storage.writing.pragma('wal_checkpoint(truncate)');
    const before = readFileSync(path);
    const anotherLine = {
      '0001_first': statements(''),
      '0001_other': statements(''),
      '0002_second': statements(''),
    };
    for (const known of [first, anotherLine]) {
      const failure = await failureOf(migrate(storage, known));
      expect(failure.message).toContain(path);
      expect(failure.message).toContain('0002_second');
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('a start', () => {
  const migrateOneLess = async () => {
    const [last = ''] = Object.keys(released).sort().slice(-1);
    const { [last]: _, ...older } = released;
    await migrate(storage, older);
    storage.close();
    return older;
  };

  it('on a new file makes no copy', async () => {
    await (await start()).close();
    await (await start()).close();
    expect(snapshots()).toEqual([]);
  });

  it('on an older file keeps a private, whole copy of it first, once', async () => {
    const older = await migrateOneLess();
    await (await start()).close();
    await (await start()).close();
    const [name = '', ...others] = snapshots();
    expect(others).toEqual([]);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const copy = openStorage({ path: join(folder, name), create: false });
    expect(copy.writing.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(schemaStatus(copy, released).done).toEqual(Object.keys(older).sort());
    copy.close();
  });

  it('makes none where snapshot_before_migrate is false', async () => {
    await migrateOneLess();
    await (await start({ snapshot_before_migrate: false })).close();
    expect(snapshots()).toEqual([]);
  });

  it('on an older file that its migrations did not make is rejected, says what differs, and leaves it as it was', async () => {
    const { '0030_series_versions': _, ...older } = released;
    await migrate(storage, older);
    storage.writing.exec('drop index members_one_owner; create table more (id);');
    storage.close();
    const before = readFileSync(path);
    const { message } = await failureOf(start());
    expect(message).toContain('the table more is not');
    expect(message).toContain('the index members_one_owner is missing');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['errand.db']);
  });

  it('on a newer file is rejected and leaves every byte and file as it was', async () => {
    await migrate(storage, { ...released, '9999_future': statements('create table future (id);') });
    storage.close();
    const before = readFileSync(path);
    expect((await failureOf(start())).message).toContain('9999_future');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['errand.db']);
  });
});

describe('a pre-migration copy', () => {
  beforeEach(() => migrate(storage, both));

  it('equals the file, with what is still in its log only', () => {
    storage.writing.exec(`insert into parents values (3, 'eve', 1)`);
    const copy = openStorage({ path: preMigrationCopy(storage, '2026-11-20T09:30:00.000Z'), create: false });
    expect(copy.path).toBe(join(folder, 'errand.db.before-migration-2026-11-20T09-30-00-000Z'));
    const rows = (of: Storage) => of.reading.prepare('select * from parents').all();
    expect(rows(copy)).toEqual(rows(storage));
    expect(rows(copy)).toHaveLength(3);
    copy.close();
  });

  it('is one of the newest two, and what a killed one left is cleared away', () => {
    writeFileSync(join(folder, 'errand.db.before-migration-2020.new'), 'half');
    for (const stamp of ['2026-01', '2026-03', '2026-02', '2026-04']) preMigrationCopy(storage, stamp);
    expect(snapshots()).toEqual(['errand.db.before-migration-2026-03', 'errand.db.before-migration-2026-04']);
  });

  it('is kept, also when the clock went back', () => {
    for (const stamp of ['2026-03', '2026-04', '2026-01']) preMigrationCopy(storage, stamp);
    expect(snapshots()).toEqual(['errand.db.before-migration-2026-01', 'errand.db.before-migration-2026-04']);
  });

  it('that cannot be made is a StorageError that names it, and leaves nothing', () => {
    const { prepare } = storage.reading;
    storage.reading.prepare = (() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    }) as unknown as typeof prepare;
    expect(() => preMigrationCopy(storage, 'now')).toThrow(
      /before-migration-now cannot be written: there is no space/,
    );
    storage.reading.prepare = prepare;
    expect(snapshots()).toEqual([]);
  });
});
