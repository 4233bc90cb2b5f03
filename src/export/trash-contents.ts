import type { Db } from '../db/connection.ts';
import { userIdOf } from '../storage/changes.ts';
import { listOf, spaceOf } from '../storage/lists.ts';
import { progressOf, recurringTaskOf } from '../storage/series.ts';
import type {
  ListRow,
  RecurringOccurrenceRow,
  RecurringSeriesRow,
  SpaceRow,
  TrashedRow,
} from '../storage/tables.ts';
import { type ShownTask, taskOf } from '../storage/task-fields.ts';
import { findTask } from '../storage/tasks.ts';
import { toJson } from '../storage/template-fields.ts';
import { entryOf, type StoredEntry } from '../storage/trash.ts';
import {
  labelsOf,
  type PackedComment,
  type PackedRow,
  type PackedTask,
  personColumns,
} from '../storage/trash-contents.ts';
import type { PackedSeries } from '../storage/trash-lists.ts';
import { findPacked, isSeries, packedAfter, packedOccurrencesOf } from '../storage/trash-rows.ts';
import { broughtBackOf, decidedOf, type Item, type Part, stepOf } from './parts.ts';

const ROW_BATCH_SIZE = 25;

/** An entry of the trash with all that it holds. */
export function trashItem(db: Db, workspaceId: string, entry: StoredEntry): Item {
  const taskIds = new Map<number, string>();
  const whole = <Row extends object>(content: PackedRow): Row => {
    const assignee = personColumns(db, content, 'assignee');
    const creator = personColumns(db, content, 'creator');
    return {
      ...content.row,
      workspace_id: workspaceId,
      assignee_id: assignee.id,
      creator_id: creator.id,
      label_ids: toJson(labelsOf(db, content.labels)),
    } as unknown as Row;
  };
  /** The upcoming task of a series, in the entry or elsewhere. */
  const upcomingOf = ({ next_task_id: id }: RecurringSeriesRow): ShownTask | undefined => {
    if (id === null) return undefined;
    const packed = findPacked(db, entry, id);
    return packed
      ? whole<ShownTask>(JSON.parse(packed.content) as PackedTask)
      : findTask(db, workspaceId, id);
  };
  return {
    fields: { ...entryOf(db, entry), placeId: entry.place_id },
    parts: {
      spaces: things<PackedTask>(db, entry, 'space', (content) => ({
        fields: spaceOf(whole<SpaceRow>(content)),
      })),
      lists: things<PackedTask>(db, entry, 'list', (content) => {
        const { statuses: _, ...fields } = listOf(db, whole<ListRow>(content));
        return { fields };
      }),
      recurringTasks: things<PackedSeries>(db, entry, 'series', (content) => {
        const row = whole<RecurringSeriesRow>(content);
        return {
          fields: {
            ...recurringTaskOf(row),
            progress: progressOf(row, broughtBackOf(row, upcomingOf(row))),
          },
          parts: { occurrences: occurrencesIn(db, entry, row.id), steps: stepsIn(content) },
        };
      }),
      tasks: things<PackedTask>(db, entry, 'task', (content) => {
        const row = whole<ShownTask & { seq: number }>(content);
        taskIds.set(row.seq, row.id);
        const isOfSeries = row.recurring_task_id !== null && isSeries(db, row.recurring_task_id);
        const task = taskOf(isOfSeries ? row : { ...row, recurring_task_id: null });
        return { fields: { ...task, status: content.status } };
      }),
      comments: things<PackedComment>(db, entry, 'comment', ({ row, mentions }) => ({
        fields: {
          id: row.id,
          taskId: taskIds.get(row.task_seq) ?? '',
          authorId: row.author_code === null ? null : userIdOf(db, row.author_code),
          body: row.body,
          mentionedUserIds: mentions
            .filter(({ is_current }) => is_current === 1)
            .flatMap(({ user_code }) => userIdOf(db, user_code) ?? []),
          createdAt: row.created_at,
          editedAt: row.edited_at,
          version: row.version,
        },
      })),
    },
  };
}

/** The things of one kind in an entry, in order, read when they are asked for. */
function* things<Content>(
  db: Db,
  entry: StoredEntry,
  kind: TrashedRow['kind'],
  toItem: (content: Content) => Item,
): Part {
  let after = 0;
  for (;;) {
    const rows = packedAfter(db, entry, kind, after, ROW_BATCH_SIZE);
    yield rows.map(({ content }) => toItem(JSON.parse(content) as Content));
    if (rows.length < ROW_BATCH_SIZE) return;
    after = rows.at(-1)?.code ?? after;
  }
}

function* stepsIn({ steps = [] }: PackedSeries): Part {
  yield steps.map((row) => ({ fields: stepOf(row) }));
}

function* occurrencesIn(db: Db, entry: StoredEntry, seriesId: string): Part {
  for (const { content } of packedOccurrencesOf(db, entry, seriesId)) {
    yield (JSON.parse(content) as RecurringOccurrenceRow[]).map((row) => ({ fields: decidedOf(row) }));
  }
}
