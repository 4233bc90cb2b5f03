import { type Db, statement } from '../db/connection.ts';
import { mergeAtEnd, PAGES_FOR_A_TASK } from '../db/search-index.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import type { Member } from '../workspaces/door.ts';
import { admitsNone, type Condition, conditionOf, type Filters, fieldsOf, filtersOf } from './filters.ts';
import { readHits } from './query.ts';
import { cheapestSource, ROW } from './query-plan.ts';
import type { SearchQuery, TaskPage } from './query-schema.ts';
import { type ShownTask, taskOf } from './store.ts';
import { indexText, matchText } from './words.ts';

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
  const { description } = insertIntoIndex(tx, seq, task);
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

/** Adds a task to the index, without what keeps that in order; answers the texts it has there. */
export function insertIntoIndex(
  tx: Tx,
  seq: number,
  task: Searchable,
): { title: string; description: string } {
  const { title, description } = textsOf(task);
  const insert = 'insert into task_search (rowid, title, description) values (?, ?, ?)';
  tx.run(statement(insert, [seq, title, description]));
  return { title, description };
}

const textsOf = ({ workspace_code: code, title, description }: Searchable) => ({
  title: indexText(code, title),
  description: indexText(code, description),
});

function mergeSome(tx: Tx, pages: number, added: string): void {
  const all = pages + Math.floor(added.length / UNITS_FOR_A_PAGE);
  if (all > 0) mergeAtEnd(tx, all);
}

/**
 * One page of the tasks in which every word of `q` begins a word of title or description: first those that have all of
 * them in the title, the newest first. Neither order nor total depends on another workspace's tasks.
 */
export function searchTasks(deps: Deps, who: Member, query: SearchQuery): TaskPage {
  const page = pageRequest(deps, query);
  const words = matchText(who.workspaceCode, query.q);
  const filters = filtersOf(deps.read, who, query);
  if (words === null || admitsNone(filters)) return pageOf(page, 0, []);
  const found = findHits(deps.read, filters, words, { offset: offsetOf(page), limit: page.limit });
  return pageOf(page, found.total, found.rows.map(taskOf));
}

function findHits(
  db: Db,
  filters: Filters,
  words: string,
  { offset, limit }: { offset: number; limit: number },
): { rows: ShownTask[]; total: number } {
  const scope = scopeOf(db, filters, words);
  const total = countHits(db, words, scope);
  if (offset >= total) return { rows: [], total };
  const inTitle = `{title} : (${words})`;
  const rows = readMatches(db, filters, inTitle, scope, { offset, limit });
  if (rows.length < limit) {
    const titles = rows.length > 0 ? offset + rows.length : countHits(db, inTitle, scope);
    const rest = { offset: Math.max(offset - titles, 0), limit: limit - rows.length };
    rows.push(...readMatches(db, filters, `(${words}) NOT (${inTitle})`, scope, rest));
  }
  return { rows, total };
}

/** What a hit must fulfil beside its words: looked up hit by hit, or in the set of all tasks that pass if that is less. */
function scopeOf(db: Db, filters: Filters, words: string): Condition {
  if (fieldsOf(filters).length === 0) return { sql: '', parameters: [] };
  const { index, cost } = cheapestSource(db, filters);
  const { sql, parameters } = conditionOf(filters);
  const hits = countHits(db, words, { sql: '', parameters: [] });
  return {
    sql:
      hits * ROW < cost
        ? ` and (select 1 from tasks where seq = task_search.rowid and ${sql})`
        : ` and +rowid in (select seq from tasks indexed by ${index} where ${sql})`,
    parameters,
  };
}

const countHits = (db: Db, words: string, scope: Condition): number =>
  db.one(
    statement<{ n: number }>(`select count(*) as n from task_search where task_search match ?${scope.sql}`, [
      words,
      ...scope.parameters,
    ]),
  )?.n ?? 0;

const readMatches = (
  db: Db,
  { workspaceCode }: Filters,
  words: string,
  scope: Condition,
  stretch: { offset: number; limit: number },
): ShownTask[] =>
  readHits(
    db,
    workspaceCode,
    {
      sql: `select rowid as hit from task_search where task_search match ?${scope.sql} order by rowid desc`,
      parameters: [words, ...scope.parameters],
    },
    'hit desc',
    stretch,
  );
