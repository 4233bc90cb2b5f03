import { backupNotes, overdueSince } from '../backup/notes.ts';
import { bytesOf } from '../backup/space.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/connection.ts';
import { logBytesOf } from '../db/open.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Instant, SECOND, toInstant, toMs } from '../kernel/instants.ts';
import { outboxDepth } from '../mail/listing.ts';
import { firstUpcoming } from '../recurring/store.ts';
import { firstUnnoticed } from '../tasks/due.ts';
import type { Board } from './metrics.ts';

/** What the database tells of work that waits, by a few reads of an index each. */
export function showData(board: Board, world: { config: Config; clock: Clock; read: Db }): void {
  const { config, clock, read } = world;
  const secondsSince = (instant: Instant | undefined): number | undefined =>
    instant === undefined ? undefined : Math.max(0, (clock.now() - toMs(instant)) / SECOND);

  const { path } = config.database;
  board.gauge('errand_database_bytes', 'What the database takes, its log included.', () => bytesOf(path));
  board.gauge('errand_write_ahead_log_bytes', 'What its write-ahead log takes.', () => logBytesOf(path));

  const outbox = board.kept(() => outboxDepth(read));
  board.gauge('errand_outbox_waiting_mails', 'Mails to be sent.', () => outbox().waiting);
  board.gauge('errand_outbox_failed_mails', 'Mails given up in the last days.', () => outbox().failed);
  board.gauge(
    'errand_outbox_oldest_waiting_seconds',
    'How long the oldest mail to be sent has waited.',
    () => secondsSince(outbox().waitingSince) ?? 0,
  );

  const occurrence = board.kept(() => firstUpcoming(read));
  const notice = board.kept(() => firstUnnoticed(read, toInstant(clock.now())));
  board.gauge(
    'errand_recurrence_overdue_seconds',
    'How late the most overdue occurrence of a recurring task is.',
    () => secondsSince(occurrence()) ?? 0,
  );
  board.gauge(
    'errand_due_notice_overdue_seconds',
    'How late the most overdue notice of a due task is.',
    () => secondsSince(notice()) ?? 0,
  );

  const backups = board.kept(() => ({
    ...backupNotes(read),
    overdue: overdueSince(config.backup.schedule, read, clock.now()),
  }));
  board.gauge(
    'errand_backup_age_seconds',
    'Since the last backup was made; absent while there is none.',
    () => secondsSince(backups().done?.at),
  );
  board.gauge('errand_backup_failed', '1 while the last backup failed.', () => Number(!!backups().failed));
  board.gauge('errand_backup_overdue', '1 while a scheduled backup is missing.', () =>
    Number(!!backups().overdue),
  );
}
