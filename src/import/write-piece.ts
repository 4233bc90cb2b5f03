import type { Tx } from '../db/tx.ts';
import { insertComment, saveMentions } from '../storage/comments.ts';
import { noteLastNumber, reserveCommentKey, reserveSeq, unrecorded } from '../storage/imports.ts';
import { insertTaskRow } from '../storage/insert-task.ts';
import { insertLabel } from '../storage/labels.ts';
import { insertList, insertSpace } from '../storage/lists.ts';
import { recordOccurrence } from '../storage/occurrences.ts';
import { PAGES_FOR_A_TASK } from '../storage/search-index.ts';
import { insertWords, mergeSome } from '../storage/searchable.ts';
import { insertSeries } from '../storage/series.ts';
import { insertStep } from '../storage/series-steps.ts';
import { insertStatus, insertTemplate } from '../storage/status-templates.ts';
import { insertEntry, type StoredEntry } from '../storage/trash.ts';
import { packRow } from '../storage/trash-contents.ts';
import { insertBeside, insertPacked } from '../storage/trash-rows.ts';
import type { Entry, PackedEntry } from './rows.ts';

/** Where storing stands between two pieces. */
interface Standing {
  /** Of the task that was stored last, to which the comments after it belong. */
  taskSeq: number;
  /** The entry of the trash that was stored last. */
  entry: StoredEntry | undefined;
}

/** The numbers kept for tasks in the trash, by their ids. */
type ReservedSeqs = ReadonlyMap<string, number>;

export const AT_THE_START: Standing = { taskSeq: 0, entry: undefined };

/** Stores a piece of an import; returns where that leaves it, and the numbers it reserved. */
export function writePiece(
  transaction: Tx,
  piece: readonly Entry[],
  ownerKey: number,
  before: Standing,
  known: ReservedSeqs,
): { standing: Standing; reserved: ReservedSeqs } {
  const tx = unrecorded(transaction);
  let { taskSeq: seq, entry: trashed } = before;
  const reserved = new Map<string, number>();
  const seqOf = (taskId: string): number => {
    const present = reserved.get(taskId) ?? known.get(taskId);
    if (present !== undefined) return present;
    const next = reserveSeq(tx);
    reserved.set(taskId, next);
    return next;
  };
  let pages = 0;
  let units = 0;
  for (const entry of piece) {
    switch (entry.kind) {
      case 'space':
        insertSpace(tx, entry.row);
        break;
      case 'statusTemplate':
        insertTemplate(tx, entry.row);
        for (const { workspace_id, template_id, ...status } of entry.statuses) {
          insertStatus(tx, workspace_id, template_id, status);
        }
        break;
      case 'list':
        insertList(tx, entry.row);
        break;
      case 'label':
        insertLabel(tx, entry.row);
        break;
      case 'series':
        insertSeries(tx, entry.row);
        break;
      case 'occurrences':
        for (const row of entry.rows) recordOccurrence(tx, row);
        break;
      case 'steps':
        for (const row of entry.rows) insertStep(tx, row);
        break;
      case 'task':
        ({ seq } = insertTaskRow(tx, entry.row, entry.columns));
        units += insertWords(tx, seq, entry.words);
        pages += PAGES_FOR_A_TASK;
        break;
      case 'comment': {
        const key = insertComment(tx, entry.workspaceId, { ...entry.row, task_seq: seq });
        units += insertWords(tx, -key, { title: '', description: entry.words });
        pages += PAGES_FOR_A_TASK;
        if (entry.mentions.length > 0) saveMentions(tx, key, entry.mentions);
        break;
      }
      case 'reserveSeq':
        seqOf(entry.taskId);
        break;
      case 'trash':
        trashed = insertEntry(tx, { ...entry.row, deleted_by: entry.isDeletedByOwner ? ownerKey : null });
        break;
      case 'packed':
        if (trashed) writePacked(tx, trashed, entry, ownerKey, seqOf);
        break;
      case 'lastNumber':
        noteLastNumber(tx, entry.workspaceKey, entry.last);
        break;
    }
  }
  mergeSome(tx, pages, units);
  return { standing: { taskSeq: seq, entry: trashed }, reserved };
}

/** Stores a thing of an entry of the trash in the form in which deleting it would have. */
function writePacked(
  tx: Tx,
  trashed: StoredEntry,
  {
    as,
    id,
    seriesId,
    workspaceId,
    bytes,
    row,
    status,
    taskId = '',
    items = [],
    steps,
    mentionsOwner,
  }: PackedEntry,
  ownerKey: number,
  seqOf: (taskId: string) => number,
): void {
  insertPacked(tx, trashed, as, [{ id, series_id: seriesId, bytes, content: contentFor() }]);
  const beside = items.map((value) => ({ id: id ?? '', value }));
  insertBeside(tx, 'trash_items', beside);
  if (mentionsOwner) insertBeside(tx, 'trash_mentions', [{ id: id ?? '', value: ownerKey }]);

  function contentFor(): unknown {
    switch (as) {
      case 'occurrences':
        return row;
      case 'comment':
        return {
          row: { ...row, task_seq: seqOf(taskId), code: reserveCommentKey(tx) },
          mentions: mentionsOwner ? [{ user_code: ownerKey, is_current: 1 }] : [],
        };
      case 'task':
        return { ...packRow(tx, workspaceId, { ...row, seq: seqOf(taskId) }), status };
      default:
        return { ...packRow(tx, workspaceId, row), ...(steps && { steps }) };
    }
  }
}

/** What quotas count of a piece. */
export function useOfPiece(piece: readonly Entry[]): { tasks: number; bytes: number } {
  const use = { tasks: 0, bytes: 0 };
  for (const entry of piece) {
    if (entry.kind === 'task' || (entry.kind === 'packed' && entry.as === 'task')) use.tasks += 1;
    if (entry.kind === 'packed') use.bytes += entry.bytes;
    if (entry.kind === 'task' || entry.kind === 'series') use.bytes += entry.bytes;
  }
  return use;
}
