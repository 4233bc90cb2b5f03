import { statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { SCOPE_COLUMNS } from './record.ts';
import { forgetTask } from './series-steps.ts';
import { findDefaultTemplate, findTemplate } from './status-templates.ts';
import { REWRITTEN_STEP_BYTES, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type { RecurringOccurrenceRow } from './tables.ts';
import { type ReleasedTask, saveSeriesOf } from './tasks.ts';
import { toJson } from './template-fields.ts';
import { deleteEntry, type StoredEntry } from './trash.ts';
import {
  type AnyRow,
  contentOf,
  insertRow,
  labelsOf,
  type PackedRow,
  personColumns,
} from './trash-contents.ts';
import { BATCH_SIZE, listsOf, type PackedSeries, setInTransit } from './trash-lists.ts';
import { deletePacked, insertPacked, nextPacked, type StoredPacked } from './trash-rows.ts';

/** Restores the rows of spaces and lists, still hidden; false when none is left. */
export function unpackLists(tx: Tx, entry: StoredEntry, workspaceId: string): boolean {
  const spaces = nextPacked(tx, entry, 'space', BATCH_SIZE);
  const lists = spaces.length > 0 ? [] : nextPacked(tx, entry, 'list', BATCH_SIZE);
  for (const packed of spaces) insertRow(tx, 'spaces', wholeRow(tx, packed, workspaceId));
  for (const packed of lists) {
    const row = wholeRow(tx, packed, workspaceId);
    const template =
      findTemplate(tx, workspaceId, String(row.status_template_id)) ?? findDefaultTemplate(tx, workspaceId);
    insertRow(tx, 'lists', {
      ...row,
      status_template_id: template?.id,
      ...(entry.kind === 'list' && { space_id: entry.place_id }),
    });
  }
  deletePacked(tx, [...spaces, ...lists]);
  return spaces.length + lists.length > 0;
}

const wholeRow = (tx: Tx, packed: StoredPacked, workspaceId: string) => {
  const content = contentOf<PackedRow>(packed);
  const creator = personColumns(tx, content, 'creator');
  return bumped({ ...content.row, workspace_id: workspaceId, in_transit: 1, creator_code: creator.code });
};

/** What is restored is a new version of the thing. */
const bumped = (row: AnyRow): AnyRow =>
  typeof row.version === 'number' ? { ...row, version: row.version + 1 } : row;

/** Restores series, which nothing happens to yet; false when none is left. */
export function unpackSeries(
  tx: Tx,
  entry: StoredEntry,
  workspaceId: string,
  isAssignable: (userId: string) => boolean,
): boolean {
  const series = nextPacked(tx, entry, 'series', BATCH_SIZE);
  for (const packed of series) {
    const content = contentOf<PackedSeries>(packed);
    const { id: assigneeId } = personColumns(tx, content, 'assignee');
    const { id: creatorId } = personColumns(tx, content, 'creator');
    insertRow(tx, 'recurring_series', {
      ...bumped(content.row),
      workspace_id: workspaceId,
      label_ids: toJson(labelsOf(tx, content.labels)),
      assignee_id: assigneeId !== null && isAssignable(assigneeId) ? assigneeId : null,
      creator_id: creatorId,
    });
    for (const step of content.steps ?? []) insertRow(tx, 'series_steps', { ...step });
  }
  deletePacked(tx, series);
  return series.length > 0;
}

/**
 * Restores what was decided about some occurrences, once the tasks are back; false when nothing is left. Tasks in other
 * lists are instances again; an occurrence whose task is gone by now stays decided.
 */
export function unpackOccurrences(tx: Tx, entry: StoredEntry): boolean {
  const [packed] = nextPacked(tx, entry, 'occurrences', 1);
  if (!packed) return false;
  const rows = contentOf<RecurringOccurrenceRow[]>(packed);
  const ids = JSON.stringify(rows.flatMap(({ task_id: id }) => id ?? []));
  const tasks = new Map(
    tx
      .all(
        statement<ReleasedTask & { occurrence_at: string | null; bytes: number }>(
          `select seq, ${SCOPE_COLUMNS}, occurrence_at, ${TEMPLATE_BYTES} as bytes
            from tasks
            where +workspace_code = ? and id in (select value from json_each(?))`,
          [entry.workspace_code, ids],
        ),
      )
      .map((task) => [task.id, task]),
  );
  const found = rows.map((row) => {
    const task = row.task_id === null ? undefined : tasks.get(row.task_id);
    return { row, task, bytes: task?.recurring_task_id === null ? task.bytes : 0 };
  });
  const some = withinStep(found, REWRITTEN_STEP_BYTES);
  for (const { row, task } of some) {
    const isReleased = task?.recurring_task_id === null && task.occurrence_at === row.occurrence_at;
    if (task && isReleased) saveSeriesOf(tx, task, row.series_id);
    const isThere = isReleased || task?.recurring_task_id === row.series_id;
    const isGone = row.task_id !== null && !isThere;
    if (isGone) forgetTask(tx, row);
    insertRow(tx, 'recurring_occurrences', isGone ? { ...row, state: 'deleted', task_id: null } : { ...row });
  }
  const rest = rows.slice(some.length);
  if (rest.length > 0) insertPacked(tx, entry, 'occurrences', [{ ...packed, content: rest }]);
  deletePacked(tx, [packed]);
  return true;
}

/** Shows what was restored, and deletes its entry. Returns whether a series was computed with other zone data. */
export function finishUnpacking(tx: Tx, entry: StoredEntry, workspaceId: string, zoneData: string): boolean {
  const theirs = `list_id in ${listsOf(entry)}`;
  tx.run(
    statement(
      `update recurring_series set next_task_id = null
        where ${theirs} and next_task_id is not null
          and not exists (select 1 from tasks
            where tasks.id = next_task_id and recurring_task_id = recurring_series.id and completed_at is null)`,
      [entry.id],
    ),
  );
  setInTransit(tx, entry, 0);
  deleteEntry(tx, entry);
  if (entry.kind !== 'task') {
    tx.record({ workspaceId, kind: entry.kind, id: entry.id, op: 'refetch' });
  }
  const stale = statement(
    `select 1 from recurring_series where ${theirs} and tz_version <> ? and next_local is not null limit 1`,
    [entry.id, zoneData],
  );
  return tx.one(stale) !== undefined;
}
