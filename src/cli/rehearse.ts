import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { writeBackup } from '../backup/backup.ts';
import { bytesOf, lackingSpace, sizeText } from '../backup/space.ts';
import type { Config } from '../config.ts';
import { migrate, schemaStatus } from '../db/migrate.ts';
import { openStorage } from '../db/open.ts';
import { explained, StorageError } from '../db/storage-error.ts';
import { rowCounts } from '../storage/integrity.ts';
import type { CommonOptions } from './open-data.ts';
import { printJson, table } from './output.ts';
import { progressBar } from './progress.ts';
import type { Shell } from './shell.ts';

interface Rehearsal {
  database: string;
  migrations: { name: string; milliseconds: number }[];
  /** Of the file before and after, and the most it was in between, log included. */
  bytes: { before: number; after: number; most: number };
  rows: { before: Record<string, number>; after: Record<string, number> };
}

/** Migrates a copy of the database, tells what that took, and throws the copy away; also beside a running server. */
export async function rehearseMigration(shell: Shell, config: Config, options: CommonOptions): Promise<void> {
  const { path } = config.database;
  using original = openStorage({ ...config.database, create: false });
  schemaStatus(original, migrations);
  const lacking = lackingSpace(path, dirname(path));
  if (lacking) throw new StorageError(`There is no room for a rehearsal: ${lacking}`);
  const folder = `${path}.rehearsal`;
  if (existsSync(folder)) {
    throw new StorageError(
      `${folder} is used by another rehearsal, or was left by one cut short: remove it then`,
    );
  }
  explained(folder, () => mkdirSync(folder, { mode: 0o700 }));
  try {
    const copy = join(folder, 'errand.db');
    await writeBackup(path, copy, (label) => progressBar(shell, label));
    const rehearsal = await rehearse(shell, path, copy);
    if (options.json) printJson(shell, rehearsal);
    else print(shell, rehearsal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rehearse(shell: Shell, database: string, copy: string): Promise<Rehearsal> {
  using storage = openStorage({ path: copy, create: false });
  const before = bytesOf(copy);
  const rowsBefore = rowCounts(storage.reading);
  const { pending } = schemaStatus(storage, migrations);
  const progress = progressBar(shell, 'Migrating');
  const steps: Rehearsal['migrations'] = [];
  let most = before;
  let begun = performance.now();
  await migrate(storage, migrations, (done, total) => {
    const now = performance.now();
    steps.push({ name: pending[done - 1] ?? '', milliseconds: Math.round(now - begun) });
    begun = now;
    most = Math.max(most, bytesOf(copy));
    progress(done, total);
  });
  const rowsAfter = rowCounts(storage.reading);
  storage.writing.pragma('wal_checkpoint(truncate)');
  return {
    database,
    migrations: steps,
    bytes: { before, after: bytesOf(copy), most },
    rows: { before: rowsBefore, after: rowsAfter },
  };
}

function print(shell: Shell, { database, migrations: steps, bytes, rows }: Rehearsal): void {
  if (steps.length === 0) {
    shell.print(`${database} has the newest schema: there is nothing to rehearse\n`);
    return;
  }
  for (const { name, milliseconds } of steps) shell.print(`${name}  ${(milliseconds / 1000).toFixed(1)} s\n`);
  shell.print(
    `\nThe file went from ${sizeText(bytes.before)} to ${sizeText(bytes.after)}, with at most ${sizeText(bytes.most)} on the way.\n\n`,
  );
  const tables = [...new Set([...Object.keys(rows.before), ...Object.keys(rows.after)])].sort();
  const cell = (n: number | undefined) => (n === undefined ? '-' : String(n));
  const lines = tables.map((name) => [name, cell(rows.before[name]), cell(rows.after[name])]);
  shell.print(table(['TABLE', 'ROWS BEFORE', 'ROWS AFTER'], lines));
  shell.print(`\nThis was a copy; ${database} is as it was.\n`);
}
