import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { COUNTERS, type Look, WHOLENESS } from '../backup/check.ts';
import { backupNotes, overdueSince } from '../backup/notes.ts';
import { bytesOf, freeBytes, lackingSpace, sizeText } from '../backup/space.ts';
import type { Config } from '../config.ts';
import { connectionDb } from '../db/connection.ts';
import { schemaStatus } from '../db/migrate.ts';
import type { Storage } from '../db/open.ts';
import { readKeyFile } from '../kernel/keys.ts';
import type { Finding } from './doctor.ts';

const LEAST_FREE_BYTES = 100_000_000;
const LARGEST_LOG_BYTES = 1_000_000_000;

/** Data folder, database, keys and backups must be their owner's alone. */
export function examineModes({ database, backup }: Config): Finding[] {
  const folder = dirname(database.path);
  if (process.platform === 'win32') return [];
  if (!existsSync(folder)) {
    return [
      {
        status: 'fail',
        message: `There is no data folder at ${folder}`,
        advice: 'Start the server, which makes it',
      },
    ];
  }
  const files = [folder, backup.directory].filter(existsSync).flatMap((each) => [
    each,
    ...readdirSync(each, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(each, name)),
  ]);
  const open = files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  if (open.length === 0) return [{ status: 'ok', message: `${folder} and its files are its owner's alone` }];
  return open.map((file) => ({
    status: 'warn',
    message: `Other users of this machine may enter or read ${file}`,
    advice: `chmod go-rwx ${file}`,
  }));
}

/** Room for what comes, and for the next backup. */
export function examineDisk({ database: { path }, backup }: Config): Finding[] {
  const folder = dirname(path);
  const free = freeBytes(folder);
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const lacking = backup.schedule === '' ? undefined : lackingSpace(path, backup.directory);
  const findings: Finding[] = [];
  if (free < LEAST_FREE_BYTES) {
    findings.push({
      status: 'fail',
      message: `There are only ${sizeText(free)} free in ${folder}`,
      advice: 'Make room: writes are refused once it is full',
    });
  }
  if (lacking) {
    findings.push({
      status: 'warn',
      message: `The next backup will be skipped: ${lacking}`,
      advice: 'Make room, or set backup.directory to another disk',
    });
  }
  if (log > LARGEST_LOG_BYTES) {
    findings.push({
      status: 'warn',
      message: `The write-ahead log has grown to ${sizeText(log)}`,
      advice: 'Look for a program that keeps reading the database, or a replication tool that stands still',
    });
  }
  if (findings.length > 0) return findings;
  return [{ status: 'ok', message: `${sizeText(free)} free; the database has ${sizeText(bytesOf(path))}` }];
}

export function examineKeys({ database }: Config): Finding[] {
  const path = join(dirname(database.path), 'keys.json');
  if (!existsSync(path)) {
    return [
      {
        status: 'warn',
        message: `There is no key file at ${path}`,
        advice:
          'The server makes one at its start; put your copy there first, so that codes and mails not yet sent live on',
      },
    ];
  }
  const { access } = readKeyFile(path);
  return [
    {
      status: 'ok',
      message: `${path} is whole; the signing key is of ${access.at(-1)?.createdAt.slice(0, 10)}`,
    },
  ];
}

export function examineSchema(storage: Storage): Finding[] {
  const { done, pending } = schemaStatus(storage, migrations);
  if (pending.length === 0) return [{ status: 'ok', message: `Up to date: ${done.at(-1)}` }];
  return [
    {
      status: 'warn',
      message: `Older than this Errand: ${pending.join(', ')} to come`,
      advice: '`errand migrate --rehearse` tells what it takes; the next start of the server does it',
    },
  ];
}

const WAY_OUT = 'Stop the server and put a backup in place: errand restore FILE --yes';
const LOOKS: [Look['subject'], string, string][] = [
  ['integrity', 'Every page, index and constraint is in order', WAY_OUT],
  ['references', 'Every row refers to one that is there', WAY_OUT],
  ['search', 'Search knows every task, and no other', 'Report this; until then search may miss tasks'],
  ['counters', 'Kept totals agree with what they count', 'Report this; until then totals may be wrong'],
];

/** One examination for each look at the database. */
export const databaseExaminations: [string, (storage: Storage) => Finding[]][] = LOOKS.map(
  ([subject, praise, advice]) => [
    subject,
    (storage) => {
      const faults =
        [...WHOLENESS, COUNTERS].find((look) => look.subject === subject)?.faults(storage.reading) ?? [];
      if (faults.length === 0) return [{ status: 'ok', message: praise }];
      return faults.map((message) => ({ status: 'fail', message, advice }));
    },
  ],
);

/** How the last backups went, and whether one is missing. */
export function examineBackups({ backup, database }: Config, storage: Storage, now: number): Finding[] {
  const db = connectionDb(storage.reading);
  const { done, failed } = backupNotes(db);
  const overdue = overdueSince(backup.schedule, db, now);
  const findings: Finding[] = [];
  if (failed) {
    findings.push({
      status: 'fail',
      message: `The last one failed, ${failed.at}: ${failed.reason}`,
      advice: 'Mend that, then run `errand backup`',
    });
  }
  if (overdue) {
    findings.push({
      status: 'fail',
      message: `One is overdue since ${overdue}; the last was made ${done?.at ?? 'never'}`,
      advice: 'Run `errand backup`; by backup.schedule they are made only while the server runs',
    });
  }
  if (done && !existsSync(done.file)) {
    findings.push({
      status: 'warn',
      message: `The last one, ${done.file}, is no longer there`,
      advice: 'If you did not move it, run `errand backup`',
    });
  }
  if (backup.schedule === '' && !database.external_replication) {
    findings.push({
      status: 'warn',
      message: `None is scheduled; the last was made ${done?.at ?? 'never'}`,
      advice: 'Set backup.schedule, or see to it that something else backs up',
    });
  }
  if (findings.length > 0) return findings;
  const last = done ? `The last was made ${done.at}: ${done.file} (${sizeText(done.bytes)})` : 'None yet';
  return [{ status: 'ok', message: last }];
}
