import type { CompiledQuery } from 'kysely';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { deletionOf } from './delete-rows.ts';
import type { RecurringOccurrenceRow, TaskRow } from './tables.ts';

/** Some 5 µs each, while nothing else is served. */
const BATCH_SIZE = 1_000;

type Row = RecurringOccurrenceRow;
type Key = Pick<Row, 'series_id' | 'rule_version' | 'occurrence_local'>;

/** Records what was decided about an occurrence; returns whether it is the first decision. */
export const recordOccurrence = (db: Db, row: Row): boolean =>
  db.run(
    query
      .insertInto('recurring_occurrences')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  ) > 0;

const byKey = prepared<Key, Row>((argument) =>
  query
    .selectFrom('recurring_occurrences')
    .selectAll()
    .where('series_id', '=', argument('series_id'))
    .where('rule_version', '=', argument('rule_version'))
    .where('occurrence_local', '=', argument('occurrence_local')),
);

export const findOccurrence = (db: Db, { series_id, rule_version, occurrence_local }: Key) =>
  db.one(byKey({ series_id, rule_version, occurrence_local }));

const ofSeries = (seriesId: string) =>
  query.selectFrom('recurring_occurrences').selectAll().where('series_id', '=', seriesId);

/** Under the latest of the rules that had an occurrence then. */
export const findSkippedAt = (db: Db, seriesId: string, at: Instant): Row | undefined =>
  db.one(
    ofSeries(seriesId)
      .where('occurrence_at', '=', at)
      .where('state', '=', 'skipped')
      .orderBy('rule_version', 'desc')
      .limit(1),
  );

/** What was decided about the occurrence that a task was made for, under the latest rule that had it. */
export const findOccurrenceOf = (
  db: Db,
  {
    recurring_task_id,
    occurrence_at,
    occurrence_number,
  }: Pick<TaskRow, 'recurring_task_id' | 'occurrence_at' | 'occurrence_number'>,
): Row | undefined =>
  db.one(
    ofSeries(recurring_task_id ?? '')
      .where('number', '=', occurrence_number ?? 0)
      .where('occurrence_at', '=', occurrence_at ?? '')
      .orderBy('rule_version', 'desc')
      .limit(1),
  );

/** The one with the highest number, or the lowest. */
const outermost = (db: Db, seriesId: string, order: 'asc' | 'desc'): Row | undefined =>
  db.one(ofSeries(seriesId).orderBy('number', order).limit(1));

export const firstOccurrence = (db: Db, seriesId: string) => outermost(db, seriesId, 'asc');
export const lastOccurrence = (db: Db, seriesId: string) => outermost(db, seriesId, 'desc');

type Run = Pick<Row, 'series_id' | 'rule_version' | 'number'> & { workspace_id: string };

const endOfRun = prepared<Run, Pick<Row, 'occurrence_at'>>((argument) =>
  query
    .selectFrom('recurring_occurrences as occurrence')
    .select('occurrence.occurrence_at')
    .where('occurrence.series_id', '=', argument('series_id'))
    .where('occurrence.rule_version', '=', argument('rule_version'))
    .where('occurrence.number', '>=', argument('number'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('recurring_occurrences as next')
            .leftJoin('tasks as task', (join) =>
              join
                .on('task.workspace_id', '=', argument('workspace_id'))
                .onRef('task.id', '=', 'next.task_id')
                .on('task.completed_at', 'is', null),
            )
            .select('next.number')
            .whereRef('next.series_id', '=', 'occurrence.series_id')
            .whereRef('next.rule_version', '=', 'occurrence.rule_version')
            .where((row) => row('next.number', '=', row('occurrence.number', '+', 1)))
            .where('task.id', 'is', null),
        ),
      ),
    )
    .orderBy('occurrence.number')
    .limit(1),
);

/** The instant of the last of the occurrences that follow each other, from this one on, and do not wait to be done. */
export const lastDecidedFrom = (db: Db, from: Run) => db.one(endOfRun(from))?.occurrence_at;

/** Changes what is recorded of an occurrence, its key included. */
export const updateOccurrence = (
  db: Db,
  { series_id, rule_version, occurrence_local }: Key,
  changes: Partial<Row>,
) =>
  db.run(
    query
      .updateTable('recurring_occurrences')
      .set(changes)
      .where('series_id', '=', series_id)
      .where('rule_version', '=', rule_version)
      .where('occurrence_local', '=', occurrence_local),
  );

/** Deletes what was decided about an occurrence. */
export const deleteOccurrence = (db: Db, { series_id, rule_version, occurrence_local }: Key) =>
  db.run(
    query
      .deleteFrom('recurring_occurrences')
      .where('series_id', '=', series_id)
      .where('rule_version', '=', rule_version)
      .where('occurrence_local', '=', occurrence_local),
  );

/** What is still to come was missed only by a clock that was ahead. */
export const deleteMissedAfter = (db: Db, seriesId: string, at: Instant) =>
  db.run(
    query
      .deleteFrom('recurring_occurrences')
      .where('series_id', '=', seriesId)
      .where('state', '=', 'missed')
      .where('occurrence_at', '>', at),
  );

/** What tells rows apart. */
export const OCCURRENCE_KEY = 'series_id, rule_version, occurrence_local';
const deletion = deletionOf('recurring_occurrences', 'series_id = ?', OCCURRENCE_KEY);

/** Hands the occurrences from a number on to another series, which counts them from 1; some in each step. */
export const moveOccurrences = (tx: Tx, from: string, to: string, firstNumber: number): Steps<void> =>
  inSteps(tx, (most) =>
    statement(
      `update recurring_occurrences set series_id = ?, number = number - ? where (${OCCURRENCE_KEY}) in (
        select ${OCCURRENCE_KEY} from recurring_occurrences where series_id = ? and number >= ? limit ?)`,
      [to, firstNumber - 1, from, firstNumber, most],
    ),
  );

/** Deletes what was decided for a series, some in each step. */
export const deleteAllOccurrences = (tx: Tx, seriesId: string): Steps<void> =>
  inSteps(tx, (most) => deletion(seriesId, most));

function* inSteps(tx: Tx, change: (most: number) => CompiledQuery<unknown>): Steps<void> {
  while (tx.run(change(BATCH_SIZE)) === BATCH_SIZE) yield;
}
