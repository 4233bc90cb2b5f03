import { type Db, ROW_BATCH_SIZE } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Rejection } from '../http/security-log.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, toInstant } from '../kernel/instants.ts';
import {
  auditRowsAfter,
  copyAuditRow,
  deleteExcessRejections,
  deleteExpiredAuditRows,
  insertAuditRow,
  markAuditRowsLogged,
  newestAuditRows,
  unloggedAuditRows,
} from '../storage/audit-log.ts';
import type { AuditRow } from '../storage/tables.ts';

const KEPT_MS = 400 * DAY;
/** Anyone can cause rejections: of these the newest are kept, about 20 MB. */
const MAX_REJECTIONS = 100_000;
const LOGGED_BATCH_SIZE = 100;

/** What was done, and to whom. Ids, never a name or an address: the trail outlasts the account. */
export interface Act {
  event: string;
  /** The account it was done to. */
  userId?: string;
  /** The account that did it, where that is another one. */
  by?: string;
  [detail: string]: string | number | boolean | readonly string[] | undefined;
}

/**
 * Records an act in the audit trail, in the transaction that does it, and logs it once that is committed. What a
 * command does is logged by the running server, or by the next one that starts.
 */
export function recordAct(
  deps: Deps,
  tx: Tx,
  act: Act,
  message: string,
  level: 'info' | 'warn' = 'info',
): void {
  insertAct(tx, { source: deps.actsAs, act }, deps.clock.now());
  tx.afterCommit(() => deps.log[level](act, message));
}

/** Adds a row to the trail, without a line of the log. */
export function insertAct(
  db: Db,
  { source, act, isRejected = false }: { source: AuditRow['source']; act: Act; isRejected?: boolean },
  now: number,
): void {
  const { event, userId, by, ...details } = act;
  insertAuditRow(db, {
    id: newId(now),
    at: toInstant(now),
    source,
    event,
    user_id: userId ?? null,
    actor_id: by ?? null,
    details: JSON.stringify(details),
    is_rejected: isRejected ? 1 : 0,
    is_logged: source === 'api' ? 1 : 0,
  });
}

/** Adds a rejected request that concerns security to the trail, with its request id: the log has the rest. */
export function recordRejection(db: Db, { event, userId, requestId }: Rejection, now: number): void {
  const act: Act = { event, requestId, ...(userId !== undefined && { userId }) };
  insertAct(db, { source: 'api', act, isRejected: true }, now);
}

/** Copies the acts that a database lacks to it from another: while a clock was behind they came before older ones. */
export function copyTrail(from: Db, to: Db): void {
  let last = '';
  for (;;) {
    const acts = auditRowsAfter(from, last, ROW_BATCH_SIZE);
    for (const act of acts) {
      copyAuditRow(to, act);
      last = act.id;
    }
    if (acts.length < ROW_BATCH_SIZE) return;
  }
}

/** Logs what commands have done since this was last called, by this server or the one before it; each act once. */
export async function logCommands(deps: Deps): Promise<void> {
  while (unloggedAuditRows(deps.read, 1).length > 0) {
    const acts = await deps.write((tx) => {
      const unlogged = unloggedAuditRows(tx, LOGGED_BATCH_SIZE);
      markAuditRowsLogged(
        tx,
        unlogged.map(({ id }) => id),
      );
      return unlogged;
    });
    for (const act of acts) deps.log.info(factsOf(act), 'done at the command line');
  }
}

const factsOf = (row: AuditRow) => ({
  event: row.event,
  at: row.at,
  ...(row.user_id !== null && { userId: row.user_id }),
  ...(JSON.parse(row.details) as Record<string, unknown>),
});

/** An act as `errand log` shows it; address and name are those of today, null once the account is gone. */
interface RecordedAct {
  id: string;
  at: string;
  source: AuditRow['source'];
  event: string;
  userId: string | null;
  email: string | null;
  name: string | null;
  by: string | null;
  /** Whether it was a request that was rejected: nothing was done. */
  isRejected: boolean;
  details: Record<string, unknown>;
}

/** The newest acts first, at most `limit` of them; only those to or by one account where `userId` is given. */
export function listActs(db: Db, options: { userId?: string | undefined; limit: number }): RecordedAct[] {
  return newestAuditRows(db, options).map((row) => ({
    id: row.id,
    at: row.at,
    source: row.source,
    event: row.event,
    userId: row.user_id,
    email: row.is_erased ? null : row.email,
    name: row.is_erased ? null : row.name,
    by: row.actor_id,
    isRejected: row.is_rejected === 1,
    details: JSON.parse(row.details) as Record<string, unknown>,
  }));
}

/** Deletes what is older than 400 days, and of rejected requests all but the newest. */
export async function purgeAudit({ write, clock }: Deps): Promise<void> {
  const until = toInstant(clock.now() - KEPT_MS);
  while ((await write((tx) => deleteExpiredAuditRows(tx, until, ROW_BATCH_SIZE))) === ROW_BATCH_SIZE);
  while (
    (await write((tx) => deleteExcessRejections(tx, MAX_REJECTIONS, ROW_BATCH_SIZE))) === ROW_BATCH_SIZE
  );
}
