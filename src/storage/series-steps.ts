import { type Db, query } from '../db/connection.ts';
import type { SeriesStepRow } from './tables.ts';

/** Notes what makes a series advance before its time. */
export const insertStep = (db: Db, row: SeriesStepRow) =>
  db.run(query.replaceInto('series_steps').values(row));

/** The last that was not taken back. */
export const lastStep = (db: Db, seriesId: string): SeriesStepRow | undefined =>
  db.one(
    query
      .selectFrom('series_steps')
      .selectAll()
      .where('series_id', '=', seriesId)
      .orderBy('number', 'desc')
      .limit(1),
  );

export const deleteStep = (db: Db, { series_id, number }: Pick<SeriesStepRow, 'series_id' | 'number'>) =>
  db.run(query.deleteFrom('series_steps').where('series_id', '=', series_id).where('number', '=', number));

/** Nothing up to an occurrence can be taken back any more. */
export const deleteStepsUntil = (
  db: Db,
  { series_id, number }: Pick<SeriesStepRow, 'series_id' | 'number'>,
) =>
  db.run(query.deleteFrom('series_steps').where('series_id', '=', series_id).where('number', '<=', number));

/** Forgets what the task of an occurrence was like: it changed since, and went. */
export const forgetTask = (db: Db, { series_id, number }: Pick<SeriesStepRow, 'series_id' | 'number'>) =>
  db.run(
    query
      .updateTable('series_steps')
      .set({ task: null })
      .where('series_id', '=', series_id)
      .where('number', '=', number),
  );

/** Nothing of what made the series advance can be taken back any more. */
export const deleteSteps = (db: Db, seriesId: string) =>
  db.run(query.deleteFrom('series_steps').where('series_id', '=', seriesId));
