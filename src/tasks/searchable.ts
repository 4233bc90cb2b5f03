import { statement } from '../db/connection.ts';
import { mergeAtEnd, PAGES_FOR_A_TASK } from '../db/search-index.ts';
import type { Tx } from '../db/tx.ts';
import { indexText } from './words.ts';

/** What the search index knows of a task. */
interface Searchable {
  workspace_code: number;
  title: string;
  description: string | null;
}

/** One new task in so many has the index merged for all of them. */
const TASKS_BETWEEN_MERGES = 8;
/** A long text pays for itself at once, a page for so many UTF-16 units. */
const UNITS_FOR_A_PAGE = 500;

/** Makes a new task findable. */
export function indexTask(tx: Tx, seq: number, task: Searchable): void {
  const description = insertIntoIndex(tx, seq, task);
  const pages = seq % TASKS_BETWEEN_MERGES === 0 ? TASKS_BETWEEN_MERGES * PAGES_FOR_A_TASK : 0;
  mergeSome(tx, pages, description);
}

/** Makes a task findable by what its title and description became; see `db/residue.ts` for what they were. */
export function reindexTask(tx: Tx, task: Searchable & { seq: number }): void {
  const { title, description } = textsOf(task);
  const update = 'update task_search set title = ?, description = ? where rowid = ?';
  tx.run(statement(update, [title, description, task.seq]));
  mergeSome(tx, PAGES_FOR_A_TASK, description);
}

/** Adds a task to the index, without what keeps that in order; answers its description as it is there. */
export function insertIntoIndex(tx: Tx, seq: number, task: Searchable): string {
  const { title, description } = textsOf(task);
  const insert = 'insert into task_search (rowid, title, description) values (?, ?, ?)';
  tx.run(statement(insert, [seq, title, description]));
  return description;
}

const textsOf = ({ workspace_code: code, title, description }: Searchable) => ({
  title: indexText(code, title),
  description: indexText(code, description),
});

function mergeSome(tx: Tx, pages: number, added: string): void {
  const all = pages + Math.floor(added.length / UNITS_FOR_A_PAGE);
  if (all > 0) mergeAtEnd(tx, all);
}
