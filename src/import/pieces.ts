import type { Instant } from '../kernel/instants.ts';
import { POSITION_STEP } from '../kernel/positions.ts';
import { labelTitleKey } from '../storage/labels.ts';
import { wordsOfComment } from '../storage/searchable.ts';
import { STATUS_COLORS } from '../storage/starter.ts';
import { LABEL_COLOR } from '../tasks/label-schema.ts';
import type { ReadWorkspace } from './document.ts';
import {
  commentRow,
  common,
  type Entry,
  keyOf,
  listRow,
  type Storing,
  spaceRow,
  stampsOf,
  taskEntry,
} from './rows.ts';
import { batchesOf, seriesRows } from './series-rows.ts';
import { trashEntries } from './trash-pieces.ts';

/** A piece takes some milliseconds to write: so many rows, or UTF-16 units of words. */
const ROWS_IN_PIECE = 64;
const UNITS_IN_PIECE = 40_000;
/** As long as to write so many units takes a row that an entry has beside its own: of an item, a label, a status. */
const UNITS_OF_ROW = 60;

/** All that the workspaces hold, as rows, some at a time. */
export function* piecesOf(workspaces: readonly ReadWorkspace[], storing: Storing): Generator<Entry[]> {
  let piece: Entry[] = [];
  let units = 0;
  for (const workspace of workspaces) {
    for (const entry of entriesOf(workspace, storing)) {
      piece.push(entry);
      units += unitsOf(entry) + UNITS_OF_ROW * rowsBeside(entry);
      if (piece.length < ROWS_IN_PIECE && units < UNITS_IN_PIECE) continue;
      yield piece;
      piece = [];
      units = 0;
    }
  }
  if (piece.length > 0) yield piece;
}

function unitsOf(entry: Entry): number {
  switch (entry.kind) {
    case 'task':
      return entry.words.title.length + entry.words.description.length;
    case 'comment':
      return entry.words.length;
    case 'series':
      return entry.row.description?.length ?? 0;
    case 'packed':
      return JSON.stringify([entry.row, entry.steps]).length / 4;
    case 'occurrences':
      return UNITS_IN_PIECE / 4;
    default:
      return 0;
  }
}

function rowsBeside(entry: Entry): number {
  switch (entry.kind) {
    case 'task':
      return entry.rowsBeside;
    case 'packed':
      return entry.items?.length ?? 0;
    case 'comment':
      return entry.mentions.length;
    case 'statusTemplate':
      return entry.statuses.length;
    case 'steps':
      return entry.rows.length;
    default:
      return 0;
  }
}

function* entriesOf(workspace: ReadWorkspace, storing: Storing): Generator<Entry> {
  const { ids, id: workspace_id } = workspace;
  for (const [i, space] of workspace.spaces.entries()) {
    yield { kind: 'space', row: spaceRow(workspace, storing, space, i) };
  }
  for (const template of workspace.statusTemplates) {
    const id = ids.statusTemplates.get(template.id) ?? '';
    const row = {
      id,
      workspace_id,
      title: template.title,
      is_default: template.isDefault ? (1 as const) : (0 as const),
      ...stampsOf(template, storing.at),
    };
    const statuses = template.statuses.map(({ id: statusId, title, type, color, position }, i) => ({
      id: ids.statuses.get(statusId) ?? '',
      workspace_id,
      template_id: id,
      title,
      type,
      color: color ?? STATUS_COLORS[type],
      position: position ?? (i + 1) * POSITION_STEP,
    }));
    yield { kind: 'statusTemplate', row, statuses };
  }
  for (const [i, list] of workspace.lists.entries()) {
    yield { kind: 'list', row: listRow(workspace, storing, list, i) };
  }
  for (const [i, label] of workspace.labels.entries()) {
    const { title, color = LABEL_COLOR } = label;
    const row = { ...common(workspace, storing, label, i, ids.labels.get(label.id)), title, color };
    yield {
      kind: 'label',
      row: { ...row, title_key: labelTitleKey(title) },
    };
  }
  yield* seriesEntries(workspace, storing);
  let last = workspace.lastNumber;
  const nextNumber = () => ++last;
  yield* taskEntries(workspace, storing, nextNumber);
  yield* trashEntries(workspace, storing, nextNumber);
  if (last > 0) yield { kind: 'lastNumber', workspaceKey: keyOf(workspace, storing), last };
}

function* seriesEntries(workspace: ReadWorkspace, storing: Storing): Generator<Entry> {
  const instancesOf = Map.groupBy(workspace.tasks, ({ recurrence }) => recurrence?.recurringTaskId ?? null);
  for (const series of workspace.series) {
    const instances = instancesOf.get(series.id) ?? [];
    const { row, bytes, occurrences, steps } = seriesRows(workspace, storing, series, instances);
    yield { kind: 'series', row, bytes };
    for (const rows of occurrences) yield { kind: 'occurrences', rows };
    for (const rows of batchesOf(steps)) yield { kind: 'steps', rows };
  }
}

/** The tasks in the trash, the oldest first: they keep their place among the others. */
const trashedByAge = ({ trash, ids }: ReadWorkspace): { id: string; createdAt: Instant }[] =>
  trash
    .flatMap(({ tasks }) => tasks)
    .flatMap(({ id, createdAt }) => (createdAt ? [{ id: ids.tasks.get(id) ?? '', createdAt }] : []))
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));

function* taskEntries(
  workspace: ReadWorkspace,
  storing: Storing,
  nextNumber: () => number,
): Generator<Entry> {
  const trashed = trashedByAge(workspace);
  let reserved = 0;
  for (const [i, task] of workspace.tasks.entries()) {
    const number = task.number ?? nextNumber();
    for (
      let next = trashed[reserved];
      next && next.createdAt < (task.createdAt ?? storing.at);
      next = trashed[reserved]
    ) {
      yield { kind: 'reserveSeq', taskId: next.id };
      reserved += 1;
    }
    yield taskEntry(workspace, storing, task, number, i);
    for (const comment of task.comments) {
      const { row, mentions } = commentRow(workspace, storing, comment);
      const words = wordsOfComment(row.workspace_code, row.body);
      yield { kind: 'comment', workspaceId: workspace.id, row, words, mentions };
    }
  }
}
