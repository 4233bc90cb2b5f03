import { ROW_BATCH_SIZE } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { toInstant } from '../kernel/instants.ts';
import { deletionOf } from './delete-rows.ts';
import { purgeMails } from './outbox.ts';
import { purgeLimits } from './rate-limits.ts';
import { TABLE_TRAITS, type TableTraits } from './table-traits.ts';

/** Deletes what has expired by the traits of the tables, and limits and mails by theirs, some rows in each commit. */
export async function purgeExpired({ write, clock }: Pick<Deps, 'write' | 'clock'>): Promise<void> {
  const now = clock.now();
  for (const [table, { expires }] of Object.entries<TableTraits>(TABLE_TRAITS)) {
    if (!expires || expires === 'own') continue;
    const { where, keptMs = 0, key = 'id' } = expires;
    const expired = deletionOf(table, where, key)(toInstant(now - keptMs), ROW_BATCH_SIZE);
    while ((await write((tx) => tx.run(expired))) === ROW_BATCH_SIZE);
  }
  while ((await write((tx) => purgeLimits(tx, now))) > 0);
  while ((await write((tx) => purgeMails(tx, now))) > 0);
}
