import { backupNotes, overdueSince } from '../backup/notes.ts';
import { bytesOf } from '../backup/space.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/connection.ts';
import { logBytesOf } from '../db/open.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Instant, SECOND, toInstant, toMs } from '../kernel/instants.ts';
import { outboxDepth } from '../storage/outbox-listing.ts';
import { firstUpcoming } from '../storage/series.ts';
import { firstUnnoticed } from '../tasks/due-times.ts';
import type { MetricRegistrar } from './registrar.ts';

/** What the database tells of work that waits, by a few reads of an index each. */
export function showData(
  registrar: MetricRegistrar,
  world: { config: Config; clock: Clock; read: Db },
): void {
  const { config, clock, read } = world;
  const secondsSince = (instant: Instant | undefined): number | undefined =>
    instant === undefined ? undefined : Math.max(0, (clock.now() - toMs(instant)) / SECOND);

  const { path } = config.database;
  registrar.gauge('errand_database_bytes', 'What the database takes, its log included.', () => bytesOf(path));
  registrar.gauge('errand_write_ahead_log_bytes', 'What its write-ahead log takes.', () => logBytesOf(path));

  const outbox = registrar.cached(() => outboxDepth(read));
  registrar.gauge('errand_outbox_waiting_mails', 'Mails to be sent.', () => outbox().waiting);
  registrar.gauge('errand_outbox_failed_mails', 'Mails given up in the last days.', () => outbox().failed);
  registrar.gauge(
    'errand_outbox_oldest_waiting_seconds',
    'How long the oldest mail to be sent has waited.',
    () => secondsSince(outbox().waitingSince) ?? 0,
  );

  const occurrence = registrar.cached(() => firstUpcoming(read));
  const notice = registrar.cached(() => firstUnnoticed(read, toInstant(clock.now())));
  registrar.gauge(
    'errand_recurrence_overdue_seconds',
    'How late the most overdue occurrence of a recurring task is.',
    () => secondsSince(occurrence()) ?? 0,
  );
  registrar.gauge(
    'errand_due_notice_overdue_seconds',
    'How late the most overdue notice of a due task is.',
    () => secondsSince(notice()) ?? 0,
  );

  const backups = registrar.cached(() => ({
    ...backupNotes(read),
    overdue: overdueSince(config.backup.schedule, read, clock.now()),
  }));
  registrar.gauge(
    'errand_backup_age_seconds',
    'Since the last backup was made; absent while there is none.',
    () => secondsSince(backups().done?.at),
  );
  registrar.gauge('errand_backup_failed', '1 while the last backup failed.', () =>
    Number(!!backups().failed),
  );
  registrar.gauge('errand_backup_overdue', '1 while a scheduled backup is missing.', () =>
    Number(!!backups().overdue),
  );
}
