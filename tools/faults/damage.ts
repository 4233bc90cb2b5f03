import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { errand } from './command.ts';
import { drill, type Site } from './drill.ts';
import { recovers, startOperations } from './operations.ts';
import { filesIn, isForOperators, rejects } from './rejection.ts';
import { createMailbox, startServer, stops } from './server.ts';
import { wrongIn } from './wrong.ts';

const STOPPED = 'stopped';
const KILLED = 'killed';

type Harm = (file: string) => void;

const empty: Harm = (file) => writeFileSync(file, '');
const garbage: Harm = (file) => writeFileSync(file, 'Dear diary, today I was no database.\n'.repeat(400));
const halve: Harm = (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2));
const replaceByFolder: Harm = (file) => {
  rmSync(file);
  mkdirSync(file);
};
const anotherProgram: Harm = (file) => {
  rmSync(file);
  const database = new SqliteDatabase(file);
  database.exec('create table bookmarks (url text)');
  database.close();
};
/** Flips every bit from there on. */
const flip =
  (begin: number, length: number): Harm =>
  (file) => {
    const bytes = readFileSync(file);
    for (let i = begin; i < Math.min(begin + length, bytes.length); i += 1)
      bytes[i] = ~(bytes[i] ?? 0) & 0xff;
    writeFileSync(file, bytes);
  };

const OF_DATABASES: Record<string, Harm> = {
  empty,
  garbage,
  halved: halve,
  "another program's": anotherProgram,
  'with a damaged header': flip(0, 100),
  'with a damaged schema': flip(100, 3_000),
};

const OF_KEYS: Record<string, Harm> = {
  empty,
  garbage,
  halved: halve,
  'of other JSON': (file) => writeFileSync(file, '{"access": []}'),
  'a folder': replaceByFolder,
};

const OF_SETTINGS: Record<string, string> = {
  garbage: '\u0000\u0001 nonsense',
  'an unknown section': '[databse]\npath = "s3cret"\n',
  'an unknown setting': '[server]\nprot = "s3cret"\n',
  'a wrong type': '[server]\ndrain_seconds = "s3cret"\n',
  'a wrong value': '[log]\nlevel = "s3cret"\n',
  'half a line': '[mail]\nsmtp_password = "s3cret',
};

/** Damaged files are rejected with the way out, and left as they are; what is lost in a log is whole transactions. */
export const damage = drill({
  about: 'empty, cut, damaged and foreign databases, logs, key files, settings and backups',
  counts: { flips: 4 },
  run: async (site, { flips }) => {
    await makeSound(site);
    const intact = join(site.folder, STOPPED);
    for (const [what, harm] of Object.entries(OF_DATABASES)) await rejectsDatabase(site, intact, what, harm);
    for (const [what, harm] of Object.entries(OF_KEYS)) await rejectsKeys(site, intact, what, harm);
    for (const [what, text] of Object.entries(OF_SETTINGS)) await rejectsSettings(site, intact, what, text);
    for (const [what, harm] of Object.entries(OF_DATABASES)) await rejectsBackup(site, intact, what, harm);
    await rejectsBackup(site, intact, 'with a damaged page', flip(40_000, 2_000));
    for (let i = 0; i < flips; i += 1) await survivesDamagedLog(site, join(site.folder, KILLED));
  },
});

/** Data as a kill leaves it, with a log beside the file; data as a stop leaves it; and a backup. */
async function makeSound({ folder, ...site }: Site): Promise<void> {
  const stopped = join(folder, STOPPED);
  mkdirSync(stopped);
  const mailbox = createMailbox();
  const server = startServer(stopped, mailbox);
  const base = await server.listening;
  const operations = await startOperations({ ...site, folder: stopped }, base, mailbox);
  await recovers({ ...site, folder: stopped }, operations, 'before any damage');
  await errand(stopped, ['backup', join(stopped, 'backup')]);
  cpSync(stopped, join(folder, KILLED), { recursive: true });
  await stops(server, { ...site, folder }, 'before any damage');
}

/** A copy of intact data with one file of it harmed. */
function harmed(site: Site, intact: string, file: string, harm: Harm): string {
  const folder = join(site.folder, 'harmed');
  rmSync(folder, { recursive: true, force: true });
  cpSync(intact, folder, { recursive: true });
  harm(join(folder, file));
  return folder;
}

async function rejectsDatabase(site: Site, intact: string, what: string, harm: Harm): Promise<void> {
  const folder = harmed(site, intact, 'errand.db', harm);
  const before = filesIn(folder);
  const when = `a start on a database that is ${what}`;
  await rejects(
    site,
    startServer(folder, createMailbox()),
    when,
    /errand\.db .*Nothing was changed.*restore/s,
  );
  if (filesIn(folder) !== before) site.lose(`${when} changed a file`);
  await errand(folder, ['restore', join(folder, 'backup'), '--yes']).catch((error) =>
    site.lose(`${when}: ${error}`),
  );
  for (const wrong of wrongIn(folder)) site.lose(`${when}, restored: ${wrong}`);
}

async function rejectsKeys(site: Site, intact: string, what: string, harm: Harm): Promise<void> {
  const folder = harmed(site, intact, 'keys.json', harm);
  const before = filesIn(folder);
  const when = `a start with a key file that is ${what}`;
  await rejects(site, startServer(folder, createMailbox()), when, /keys\.json/);
  if (filesIn(folder) !== before) site.lose(`${when} changed a file`);
}

async function rejectsSettings(site: Site, intact: string, what: string, text: string): Promise<void> {
  const folder = harmed(site, intact, 'keys.json', () => {});
  writeFileSync(join(folder, 'config.toml'), text);
  const before = filesIn(folder);
  const server = startServer(folder, createMailbox());
  const when = `a start with settings that hold ${what}`;
  await rejects(site, server, when, /config\.toml|databse|prot|drain_seconds|log\.level/);
  if (server.complaints.join('').includes('s3cret')) site.lose(`${when} told the value`);
  if (filesIn(folder) !== before) site.lose(`${when} changed a file`);
}

async function rejectsBackup(site: Site, intact: string, what: string, harm: Harm): Promise<void> {
  const folder = harmed(site, intact, 'backup', harm);
  const before = filesIn(folder);
  const when = `a backup that is ${what}`;
  const said = await errand(folder, ['restore', join(folder, 'backup'), '--yes']).then(
    () => 'accepted',
    (error) => String(error.stderr),
  );
  site.count(`restore ${said === 'accepted' ? 'accepted' : 'rejected'}`);
  if (!isForOperators(said, /^errand: .*backup/s)) site.lose(`${when}: ${said}`);
  if (filesIn(folder) !== before) site.lose(`${when}: a file was changed`);
}

/** SQLite takes a log up to its first damaged page: a start then has the database of an earlier moment, whole. */
async function survivesDamagedLog(site: Site, intact: string): Promise<void> {
  const size = readFileSync(join(intact, 'errand.db-wal')).length;
  const at = Math.floor(Math.random() * size);
  const harms: [string, Harm][] = [
    ['cut', (file) => truncateSync(file, at)],
    ['flipped', flip(at, 1 + Math.floor(Math.random() * 5_000))],
  ];
  for (const [what, harm] of harms) {
    const when = `a log ${what} at ${at} of ${size}`;
    const folder = harmed(site, intact, 'errand.db-wal', harm);
    const server = startServer(folder, createMailbox());
    const isServing = await server.listening.then(
      () => true,
      () => false,
    );
    site.count(`start with a log ${what}: ${isServing ? 'serves' : 'rejected'}`);
    if (isServing) await stops(server, site, when);
    else if (server.child.exitCode !== 1) site.lose(`${when}: ended with ${server.child.exitCode}`);
    if (isServing) for (const wrong of wrongIn(folder)) site.lose(`${when}: ${wrong}`);
  }
}
