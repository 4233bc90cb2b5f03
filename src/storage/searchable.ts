import { type Db, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { searchedText } from './mentions.ts';
import { mergeBeforeCommit, PAGES_FOR_A_TASK } from './search-index.ts';
import { itemTitles } from './template-fields.ts';
import { indexText } from './words.ts';

/** What the search index knows of a task. */
interface Searchable {
  workspace_code: number;
  title: string;
  description: string | null;
  checklist?: string | null;
}

/** One new task in so many has the index merged for all of them. */
const TASKS_BETWEEN_MERGES = 8;
/** A long text pays for itself at once, a page for so many UTF-16 units. */
const UNITS_FOR_A_PAGE = 500;
/** Folding a text of so many takes a millisecond or so. */
const LONG_UNITS = 2_000;

/** Makes a new task findable. */
export function indexTask(tx: Tx, seq: number, task: Searchable): void {
  const unitsAdded = insertIntoIndex(tx, seq, task);
  const pages = seq % TASKS_BETWEEN_MERGES === 0 ? TASKS_BETWEEN_MERGES * PAGES_FOR_A_TASK : 0;
  mergeSome(tx, pages, unitsAdded);
}

/** Makes a task findable by what its title and description became; `erasure.ts` erases what they were. */
export function reindexTask(tx: Tx, task: Searchable & { seq: number }, isOnlyTitle = false): void {
  const { seq, workspace_code: code } = task;
  giveUpWords(tx, seq);
  // The index writes both columns again from what it keeps of them.
  if (isOnlyTitle)
    tx.run(statement('update task_search set title = ? where rowid = ?', [indexText(code, task.title), seq]));
  else {
    const { title, description } = wordsOf(task);
    const update = 'update task_search set title = ?, description = ? where rowid = ?';
    tx.run(statement(update, [title, description, seq]));
  }
  mergeSome(tx, 0, unitsOf(tx, seq));
}

/** Makes a comment findable: its row has its key negated, so that it is no task's. */
export function indexComment(tx: Tx, commentKey: number, workspaceKey: number, body: string): void {
  mergeSome(tx, PAGES_FOR_A_TASK, insertCommentIntoIndex(tx, commentKey, workspaceKey, body));
}

/** Makes a comment findable by what it became. */
export function reindexComment(tx: Tx, commentKey: number, workspaceKey: number, body: string): void {
  giveUpWords(tx, -commentKey);
  const words = wordsOfComment(workspaceKey, body);
  tx.run(statement('update task_search set description = ? where rowid = ?', [words, -commentKey]));
  mergeSome(tx, 0, words.length);
}

/** Has the index merged for words that leave it: to take them out again a merge writes nothing, so it takes all at once. */
export const giveUpWords = (tx: Tx, rowid: number): void =>
  mergeSome(tx, PAGES_FOR_A_TASK, unitsOf(tx, rowid));

function unitsOf(db: Db, rowid: number): number {
  const select = 'select length(title) + length(description) as units from task_search where rowid = ?';
  return db.one(statement<{ units: number }>(select, [rowid]))?.units ?? 0;
}

/** As `insertIntoIndex`, for a comment. */
export const insertCommentIntoIndex = (
  tx: Tx,
  commentKey: number,
  workspaceKey: number,
  body: string,
): number => insertWords(tx, -commentKey, { title: '', description: wordsOfComment(workspaceKey, body) });

/** The words that a comment is found by. */
export const wordsOfComment = (workspaceKey: number, body: string): string =>
  indexText(workspaceKey, searchedText(body));

/** Adds a task to the index, without what keeps that in order; returns how long its description is there. */
export const insertIntoIndex = (tx: Tx, seq: number, task: Searchable): number =>
  insertWords(tx, seq, wordsOf(task));

/** Adds the words of a task to the index, or those of a comment under its key negated. */
export function insertWords(
  tx: Tx,
  rowid: number,
  { title, description }: { title: string; description: string },
): number {
  const insert = 'insert into task_search (rowid, title, description) values (?, ?, ?)';
  tx.run(statement(insert, [rowid, title, description]));
  return description.length;
}

/** The words that a task is found by: those of its title, and the others, to which the titles of its items belong. */
export function wordsOf({ workspace_code: code, title, description, checklist = null }: Searchable) {
  const items = itemTitles({ checklist });
  const more = items.length === 0 ? description : [description ?? '', ...items].join('\n');
  return { title: indexText(code, title), description: indexDescription(code, more) };
}

/** The last long one: instances of a series follow each other with the same. */
let lastLong = { code: 0, description: '', indexed: '' };

function indexDescription(code: number, description: string | null): string {
  if (description === null || description.length < LONG_UNITS) return indexText(code, description);
  if (lastLong.code !== code || lastLong.description !== description) {
    lastLong = { code, description, indexed: indexText(code, description) };
  }
  return lastLong.indexed;
}

/** Has the index merged for tasks that were written to it, some pages for each and more for long texts. */
export function mergeSome(tx: Tx, pages: number, unitsAdded: number): void {
  const all = pages + Math.floor(unitsAdded / UNITS_FOR_A_PAGE);
  if (all > 0) mergeBeforeCommit(tx, all);
}
