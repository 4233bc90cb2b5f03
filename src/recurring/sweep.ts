import type { Db } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { metaOf, setMeta } from '../storage/meta.ts';
import * as store from '../storage/series.ts';
import { deleteSteps } from '../storage/series-steps.ts';
import { advance, isOverdue, reschedule, ZONE_DATA } from './advance.ts';
import { instantOf } from './recurrence/recurrence.ts';
import { intervalOf } from './schedule.ts';

const BATCH_SIZE = 100;
const SEEN_ZONE_DATA = 'tz_version';

/**
 * Brings every series to now, each in a transaction of its own. Safe to repeat, to interrupt and to run beside
 * another; a series that fails is paused and does not stop the rest. Once for each version of the zone data, the
 * instants of upcoming occurrences are computed again first.
 */
export async function sweep(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  if (seenZoneData(deps.read) !== ZONE_DATA) await followZoneData(deps, now);
  while (!deps.stopping.aborted) {
    const due = store.dueSeries(deps.read, toInstant(now), BATCH_SIZE);
    if (due.length === 0) return;
    await apart(deps, due, now, (tx, series) => advance(tx, series, now));
  }
}

/** The zone data that every series was last seen to be computed with. */
export const seenZoneData = (db: Db) => metaOf(db, SEEN_ZONE_DATA);

/** Has the next sweep look at the zone data that series were computed with. */
export const clearZoneData = (tx: Tx) => setMeta(tx, SEEN_ZONE_DATA, '');

/** Brings one series to now, if an occurrence of it is overdue. */
export async function catchUpSeries(deps: Deps, workspaceId: string, id: string, now: number): Promise<void> {
  for (;;) {
    const series = store.findSeries(deps.read, workspaceId, id);
    if (!series || !isOverdue(series, now)) return;
    await apart(deps, [series], now, (tx, row) => advance(tx, row, now));
  }
}

/** Pauses a series that cannot go on, in the caller's transaction, and logs why. */
export function pauseForError(
  deps: Deps,
  tx: Tx,
  series: store.StoredSeries,
  now: number,
  err: unknown,
): void {
  const state = { state: 'paused', state_reason: 'error', next_run_at: null, tz_version: ZONE_DATA } as const;
  deleteSteps(tx, series.id);
  store.updateSeriesRow(tx, series, { ...state, updated_at: toInstant(now) });
  const { id, workspace_id: workspaceId } = series;
  tx.afterCommit(() => deps.log.error({ err, seriesId: id, workspaceId }, 'a series failed and was paused'));
}

/** Runs a step of each series in a transaction of its own. A failing storage is no fault of a series. */
async function apart(
  deps: Deps,
  names: readonly store.SeriesName[],
  now: number,
  step: (tx: Tx, series: store.StoredSeries) => unknown,
): Promise<void> {
  const steps = await Promise.allSettled(
    names.map(async ({ workspace_id: workspaceId, id }) => {
      const find = (tx: Tx) => store.findSeries(tx, workspaceId, id);
      try {
        await deps.write((tx) => {
          const series = find(tx);
          if (series) step(tx, series);
        });
      } catch (err) {
        if (err instanceof AppError) throw err;
        await deps.write((tx) => {
          const series = find(tx);
          if (series && series.state !== 'ended') pauseForError(deps, tx, series, now, err);
        });
      }
    }),
  );
  const failed = steps.find((step) => step.status === 'rejected');
  if (failed) throw failed.reason;
}

async function followZoneData(deps: Deps, now: number): Promise<void> {
  while (!deps.stopping.aborted) {
    const stale = store.seriesOfOtherZoneData(deps.read, ZONE_DATA, BATCH_SIZE);
    if (stale.length === 0) {
      await deps.write((tx) => setMeta(tx, SEEN_ZONE_DATA, ZONE_DATA));
      return;
    }
    await apart(deps, stale, now, (tx, series) => followInstant(tx, series, now));
  }
}

/** The local time of the upcoming occurrence stays, its instant follows. */
function followInstant(tx: Tx, series: store.StoredSeries, now: number): void {
  const { id: series_id, rule_version, next_local: local, next_task_id: task_id } = series;
  if (local === null) return;
  const at = instantOf(local, intervalOf(series).timezone);
  const isActive = series.state === 'active';
  store.updateSeriesRow(tx, series, { tz_version: ZONE_DATA, ...(isActive && { next_run_at: at }) });
  if (at === series.next_run_at) return;
  reschedule(
    tx,
    series,
    { series_id, rule_version, occurrence_local: local, task_id },
    { local, at },
    toInstant(now),
  );
}
