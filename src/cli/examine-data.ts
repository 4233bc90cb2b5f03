import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { backupsIn } from '../backup/backup.ts';
import { backupNotes, overdueSince } from '../backup/notes.ts';
import { schemaFaults } from '../backup/schema-check.ts';
import { bytesOf, folderAt, freeBytes, lackingSpace, sizeText } from '../backup/space.ts';
import type { Config } from '../config.ts';
import { connectionDb } from '../db/connection.ts';
import { networkFileSystem } from '../db/file-system.ts';
import { schemaStatus } from '../db/migrate.ts';
import { logBytesOf, type Storage } from '../db/open.ts';
import { ALIVE_MS } from '../import/import.ts';
import { toInstant } from '../kernel/instants.ts';
import { keyFileOf, readKeyFile } from '../kernel/keys.ts';
import { mayAccess } from '../kernel/private-file.ts';
import { listImports } from '../storage/imports.ts';
import { type Check, COUNTERS, damageOfSearch, INTEGRITY_CHECKS } from '../storage/integrity.ts';
import { usesByOwner } from '../storage/quotas.ts';
import { sizeOfTrash } from '../storage/trash.ts';
import { findUser } from '../storage/users.ts';
import { VALUES } from '../storage/value-checks.ts';
import { type Finding, fail, failuresOr, ok, warn } from './finding.ts';

const LEAST_FREE_BYTES = 100_000_000;
const LARGEST_LOG_BYTES = 1_000_000_000;

/** Data folder, database, keys and backups must be their owner's alone, who can write them. */
export function examineModes(config: Config): Finding[] {
  const { database, backup } = config;
  const folder = dirname(database.path);
  if (process.platform === 'win32') return [];
  if (!existsSync(folder)) {
    return [fail(`There is no data folder at ${folder}`, 'Start the server, which makes it')];
  }
  const files = filesOf(config);
  const unwritable = [...new Set([folder, database.path, folderAt(backup.directory)])].filter(
    (each) => existsSync(each) && !mayAccess(each, constants.W_OK),
  );
  const open = files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  return failuresOr(`${folder} and its files are its owner's alone`, [
    ...unwritable.map((each) =>
      fail(`${each} cannot be written`, `chmod u+rwX ${each}, and see whether the disk is read-only`),
    ),
    ...open.map((file) =>
      warn(`Other users of this machine may enter or read ${file}`, `chmod go-rwx ${file}`),
    ),
  ]);
}

/** What must be nobody else's: of a folder that Errand has made its own all, database and backups wherever they are. */
function filesOf({ database: { path }, backup }: Config): string[] {
  const folder = dirname(path);
  const isOurs = existsSync(keyFileOf(path));
  const within = isOurs ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()) : [];
  const database = ['', '-wal', '-shm', '.lock'].map((end) => path + end);
  const backups = existsSync(backup.directory) ? backupsIn(backup.directory) : [];
  const files = [
    ...(isOurs ? [folder] : []),
    ...database.filter(existsSync),
    ...within.map(({ name }) => join(folder, name)),
    ...backups.map((name) => join(backup.directory, name)),
  ];
  return [...new Set(files)];
}

/** Room for what comes, and for the next backup. */
export function examineDisk({ database: { path }, backup }: Config): Finding[] {
  const folder = dirname(path);
  const free = freeBytes(folder);
  const log = logBytesOf(path);
  const network = networkFileSystem(path);
  const lacking = backup.schedule === '' ? undefined : lackingSpace(path, backup.directory);
  return failuresOr(`${sizeText(free)} free; the database is ${sizeText(bytesOf(path))}`, [
    free < LEAST_FREE_BYTES &&
      fail(
        `There are only ${sizeText(free)} free in ${folder}`,
        'Make room: writes are rejected once it is full',
      ),
    network !== undefined &&
      warn(
        `${path} is on a network file system (${network}), where it may be damaged`,
        'Stop the server, and move the folder to a disk of this machine',
      ),
    lacking !== undefined &&
      warn(
        `The next backup will be skipped: ${lacking}`,
        'Make room, or set backup.directory to another disk',
      ),
    log > LARGEST_LOG_BYTES &&
      warn(
        `The write-ahead log has grown to ${sizeText(log)}`,
        'Check for a program that keeps reading the database, or a replication tool that stands still',
      ),
  ]);
}

export function examineKeys({ database }: Config): Finding {
  const path = keyFileOf(database.path);
  if (!existsSync(path)) {
    return warn(
      `There is no key file at ${path}`,
      'The server makes one at its start; put your copy there first, so that codes and mails not yet sent live on',
    );
  }
  const { access } = readKeyFile(path);
  return ok(`${path} is whole; the signing key is of ${access.at(-1)?.createdAt.slice(0, 10)}`);
}

export async function examineSchema(storage: Storage): Promise<Finding[]> {
  const { done, pending } = schemaStatus(storage, migrations);
  const strange = await schemaFaults(storage.reading, migrations);
  return failuresOr(`Up to date, and as Errand makes it: ${done.at(-1)}`, [
    pending.length > 0 &&
      warn(
        `Older than this Errand: ${pending.join(', ')} to come`,
        '`errand migrate --rehearse` tells what it takes; the next start of the server does it',
      ),
    ...strange.map((fault) => fail(`In the schema ${fault}`, STRANGE_ADVICE)),
  ]);
}

const STRANGE_ADVICE =
  'Somebody has altered the database, perhaps to have it do something by itself: find out who, and put a backup in place from before';
const WAY_OUT = 'Stop the server and put a backup in place: errand restore FILE --yes';
const SEARCH_ADVICE =
  'No task is lost: the next scheduled backup rebuilds it. Or stop the server and run: errand migrate --remake-search';
const WORDS: Record<Check['subject'], { okMessage: string; advice: string }> = {
  integrity: { okMessage: 'Every page, index and constraint is in order', advice: WAY_OUT },
  references: { okMessage: 'Every row refers to one that is there', advice: WAY_OUT },
  search: {
    okMessage: 'Search knows every task, and no other',
    advice: SEARCH_ADVICE,
  },
  counters: {
    okMessage: 'Kept totals agree with what they count',
    advice: 'Report this; until then totals may be wrong',
  },
  values: {
    okMessage: 'Every role, state, date and JSON text is one that Errand may have written',
    advice:
      'Somebody has altered the database, or the disk is failing: find out which, and put a backup in place from before',
  },
};

/** One examination for each check of the database. */
export const databaseExaminations = [...INTEGRITY_CHECKS, COUNTERS, VALUES].map(({ subject, faults }) => ({
  subject,
  examine: (storage: Storage): Finding[] => {
    const { okMessage, advice } = WORDS[subject];
    const found = faults(storage.reading);
    const ofSearch = found.length > 0 ? damageOfSearch(storage.reading) : [];
    return failuresOr(
      okMessage,
      found.map((fault) => fail(fault, ofSearch.includes(fault) ? SEARCH_ADVICE : advice)),
    );
  },
}));

/** How the last backups went, and whether one is missing. */
export function examineBackups({ backup, database }: Config, storage: Storage, now: number): Finding[] {
  const db = connectionDb(storage.reading);
  const { done, failed, restored } = backupNotes(db);
  const overdue = overdueSince(backup.schedule, db, now);
  const made = done?.at ?? 'never';
  const sinceRestore = restored
    ? `None since the data was restored, ${restored.at}, from ${restored.file} (${sizeText(restored.bytes)})`
    : 'None yet';
  const words = done ? `The last was made ${made}: ${done.file} (${sizeText(done.bytes)})` : sinceRestore;
  return failuresOr(words, [
    failed &&
      fail(`The last one failed, ${failed.at}: ${failed.reason}`, 'Fix that, then run `errand backup`'),
    overdue !== undefined &&
      fail(
        `One is overdue since ${overdue}; the last was made ${made}`,
        'Run `errand backup`; by backup.schedule they are made only while the server runs',
      ),
    done &&
      !existsSync(done.file) &&
      warn(`The last one, ${done.file}, is no longer there`, 'If you did not move it, run `errand backup`'),
    backup.schedule === '' &&
      !database.external_replication &&
      warn(
        `None is scheduled; the last was made ${made}`,
        'Set backup.schedule, or see to it that something else backs up',
      ),
  ]);
}

/** A tenth of the way left is worth a warning. */
const NEARLY_ALL = 0.9;
const MEGABYTE = 1_000_000;

/** How near to their quotas the owners are. */
export function examineQuotas({ quotas }: Config, storage: Storage): Finding[] {
  if (schemaStatus(storage, migrations).pending.length > 0) return [];
  const db = connectionDb(storage.reading);
  const shares = [...usesByOwner(db)].map(([ownerId, { tasks, bytes }]) => ({
    ownerId,
    tasks,
    megabytes: bytes / MEGABYTE,
    share: Math.max(
      quotas.tasks === 0 ? 0 : tasks / quotas.tasks,
      quotas.megabytes === 0 ? 0 : bytes / (quotas.megabytes * MEGABYTE),
    ),
  }));
  const most = shares.toSorted((a, b) => b.share - a.share || b.tasks - a.tasks)[0];
  const of = (quota: number) => (quota === 0 ? 'no quota' : `a quota of ${quota}`);
  const words = most
    ? `The owner who uses most has ${most.tasks} tasks (${of(quotas.tasks)}) and ${most.megabytes.toFixed(1)} MB of text (${of(quotas.megabytes)})`
    : 'Nobody has any tasks yet';
  return failuresOr(
    words,
    shares
      .filter(({ share }) => share >= NEARLY_ALL)
      .map(({ ownerId, tasks, megabytes }) =>
        warn(
          `${findUser(db, ownerId)?.email ?? ownerId} has ${tasks} tasks (${of(quotas.tasks)}) and ${megabytes.toFixed(1)} MB of text (${of(quotas.megabytes)})`,
          'Beyond a quota more is rejected: raise quotas.tasks or quotas.megabytes if they may have it',
        ),
      ),
  );
}

/** How much the trash holds, and since when. */
export function examineTrash(storage: Storage): Finding[] {
  if (schemaStatus(storage, migrations).pending.length > 0) return [];
  const { entries, rows, bytes, oldest } = sizeOfTrash(connectionDb(storage.reading));
  if (oldest === null) return [ok('Empty')];
  return [
    ok(`${entries} deleted things in ${rows} rows (${sizeText(bytes)} of text), the oldest of ${oldest}`),
  ];
}

/** Imports that are under way, and those that nobody goes on with. */
export function examineImports(storage: Storage, now: number): Finding[] {
  if (schemaStatus(storage, migrations).pending.length > 0) return [];
  const imports = listImports(connectionDb(storage.reading));
  const silent = imports.filter(({ alive_at }) => alive_at < toInstant(now - ALIVE_MS));
  const words = imports.length === 0 ? 'None unfinished' : `Workspaces being imported: ${imports.length}`;
  return failuresOr(words, [
    silent[0] &&
      warn(
        `Workspaces of unfinished imports: ${silent.length}, the first since ${silent[0].alive_at}`,
        'Start the server, which removes them; then import again',
      ),
  ]);
}
