import { bytesOfText } from '../kernel/text-bytes.ts';
import type { TrashedRow } from '../storage/tables.ts';
import { checklistOf } from '../storage/template-fields.ts';
import { titleKey } from '../storage/words.ts';
import type { ReadWorkspace } from './document.ts';
import type { Trashed } from './read-things.ts';
import {
  commentRow,
  type Entry,
  idFor,
  keyOf,
  listRow,
  type PackedEntry,
  type Storing,
  spaceRow,
  taskEntry,
} from './rows.ts';
import { seriesRows } from './series-rows.ts';

/** The trash of a workspace, each thing in the form in which the trash keeps it. */
export function* trashEntries(
  workspace: ReadWorkspace,
  storing: Storing,
  nextNumber: () => number,
): Generator<Entry> {
  const { ids } = workspace;
  for (const entry of workspace.trash) {
    const { kind, title, deletedAt, deletedBy, purgeAt, tasks } = entry;
    const placeId =
      entry.placeId == null ? null : idFor(kind === 'task' ? ids.lists : ids.spaces, entry.placeId, storing);
    yield {
      kind: 'trash',
      row: {
        id: (kind === 'task' ? ids.tasks : kind === 'list' ? ids.lists : ids.spaces).get(entry.id) ?? '',
        workspace_code: keyOf(workspace, storing),
        kind,
        title,
        place_id: placeId,
        deleted_at: deletedAt,
        purge_at: purgeAt,
        item_count: tasks.length,
        state: 'kept',
      },
      isDeletedByOwner: deletedBy != null && workspace.importerIds.has(deletedBy),
    };
    const packed = (as: TrashedRow['kind'], row: object, more: Partial<PackedEntry> = {}): PackedEntry => ({
      kind: 'packed',
      as,
      id: 'id' in row ? String(row.id) : null,
      seriesId: null,
      workspaceId: workspace.id,
      bytes: 0,
      row,
      ...more,
    });
    for (const [i, space] of entry.spaces.entries()) {
      yield packed('space', spaceRow(workspace, storing, space, i));
    }
    for (const [i, list] of entry.lists.entries()) {
      yield packed('list', listRow(workspace, storing, list, i));
    }
    yield* packedSeries(workspace, storing, entry, packed);
    for (const [i, task] of tasks.entries()) {
      const number = task.number ?? nextNumber();
      const { row, columns } = taskEntry(workspace, storing, task, number, i);
      const items = checklistOf({ checklist: row.checklist ?? null });
      const completed_at = task.status.type === 'completed' ? (task.completedAt ?? row.updated_at) : null;
      yield packed(
        'task',
        {
          ...row,
          ...columns,
          list_id: idFor(ids.lists, task.listId, storing),
          space_id: idFor(ids.spaces, task.spaceId ?? workspace.spaceOf.get(task.listId) ?? '', storing),
          status_id: idFor(ids.statuses, task.status.id, storing),
          completed_at,
          title_key: titleKey(row.title),
          version: 1,
        },
        {
          bytes: bytesOfText(row.title, row.description, ...items.map((item) => item.title)),
          seriesId: row.recurring_task_id,
          status: { ...task.status, id: idFor(ids.statuses, task.status.id, storing) },
          taskId: row.id,
          items: items.map(({ id }) => id),
        },
      );
    }
    for (const comment of entry.comments) {
      const { row, mentions } = commentRow(workspace, storing, comment);
      const taskId = ids.tasks.get(comment.taskId) ?? '';
      yield packed('comment', row, {
        bytes: bytesOfText(row.body),
        taskId,
        mentionsOwner: mentions.length > 0,
      });
    }
  }
}

function* packedSeries(
  workspace: ReadWorkspace,
  storing: Storing,
  { series, tasks }: Trashed,
  packed: (as: TrashedRow['kind'], row: object, more?: Partial<PackedEntry>) => PackedEntry,
): Generator<Entry> {
  const instancesOf = Map.groupBy(tasks, ({ recurrence }) => recurrence?.recurringTaskId);
  for (const each of series) {
    const instances = instancesOf.get(each.id) ?? [];
    const { row, bytes, occurrences, steps } = seriesRows(workspace, storing, each, instances);
    for (const rows of occurrences) yield packed('occurrences', rows, { seriesId: row.id });
    const items = checklistOf(row).map(({ id }) => id);
    yield packed('series', row, { bytes, seriesId: row.id, items, steps });
  }
}
