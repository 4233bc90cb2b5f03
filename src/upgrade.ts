import { migrations } from '../migrations/index.ts';
import { schemaFaults } from './backup/schema-check.ts';
import type { Config } from './config.ts';
import { migrate, preMigrationCopy, schemaStatus } from './db/migrate.ts';
import { newSchema } from './db/new-schema.ts';
import type { Storage } from './db/open.ts';
import { StorageError } from './db/storage-error.ts';
import type { Clock } from './kernel/clock.ts';
import { toInstant } from './kernel/instants.ts';
import type { Log } from './kernel/log.ts';
import type { OnDone } from './kernel/progress.ts';

const MAX_FAULTS_SHOWN = 5;

/**
 * Runs every pending migration, after a copy of a file that holds data already; returns their names. `onDone`
 * hears how many are done.
 */
export async function bringUpToDate(
  config: Config,
  log: Log,
  storage: Storage,
  clock: Clock,
  onDone?: OnDone,
): Promise<string[]> {
  const { done, pending } = schemaStatus(storage, migrations);
  if (pending.length === 0) return [];
  await rejectAlteredSchema(storage);
  if (done.length > 0 && config.database.snapshot_before_migrate) {
    log.info(
      { snapshot: preMigrationCopy(storage, toInstant(clock.now())) },
      'database copied before it is migrated',
    );
  }
  await migrate(storage, migrations, onDone, newSchema());
  log.info({ migrations: pending }, 'database migrated');
  return pending;
}

/** A StorageError where migrations are pending. */
export function rejectOldSchema(storage: Storage): void {
  if (schemaStatus(storage, migrations).pending.length === 0) return;
  throw new StorageError(
    `${storage.path} has an older schema: run \`errand migrate\` or start the server first`,
  );
}

/** Migrations expect what those before them made: of anything else they would make a database that nothing fits. */
async function rejectAlteredSchema(storage: Storage): Promise<void> {
  const faults = await faultsShown(storage);
  if (faults === undefined) return;
  throw new StorageError(
    `${storage.path} cannot be migrated, because its schema is not what Errand makes: ${faults}. Nothing was changed: undo the alterations, or run the version of Errand that made it.`,
  );
}

/** Logs what is not as Errand makes it: a trigger put there by hand works unseen, and no backup passes its check. */
export async function reportAlteredSchema(storage: Storage, log: Log): Promise<void> {
  const faults = await faultsShown(storage);
  if (faults === undefined) return;
  log.error(
    { event: 'schema-altered', faults },
    'somebody has altered the database, perhaps to have it do something by itself: see `errand doctor`',
  );
}

async function faultsShown(storage: Storage): Promise<string | undefined> {
  const faults = await schemaFaults(storage.reading, migrations);
  const more = faults.length - MAX_FAULTS_SHOWN;
  const shown = faults.slice(0, MAX_FAULTS_SHOWN).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return shown || undefined;
}
