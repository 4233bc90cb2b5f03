import { setImmediate as turn } from 'node:timers/promises';
import { type Db, statement } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import { demandRight, type Member } from '../workspaces/door.ts';
import { admitsNone, conditionOf, type Filters, fieldsOf, filtersOf } from './filters.ts';
import { cheapestSource, ROW } from './query-plan.ts';
import type { SearchQuery, TaskPage } from './query-schema.ts';
import { SHOWN, type ShownTask, taskOf } from './store.ts';
import { matchTerms } from './words.ts';

/** Numbers of tasks. */
type Hits = readonly number[];

/**
 * One page of the tasks in which every word of `q` begins a word of title or description: first those that have all of
 * them in the title, the newest first. Neither order nor total depends on another workspace's tasks. Each word is sought
 * by itself, and others are answered in between: a short one that begins many words may take 40 ms and more.
 */
export async function searchTasks(deps: Deps, who: Member, query: SearchQuery): Promise<TaskPage> {
  const { read: db } = deps;
  const page = pageRequest(deps, query);
  // The longest are found least often.
  const terms = matchTerms(who.workspaceCode, query.q).sort((a, b) => b.length - a.length);
  const filters = filtersOf(db, who, query);
  if (terms.length === 0 || admitsNone(filters)) return pageOf(page, 0, []);
  const hits = await passing(db, filters, await hitsOf(db, terms));
  const inTitle = await hitsOf(
    db,
    terms.map((term) => `{title} : (${term})`),
    hits,
  );
  demandRight(deps, db, who, 'viewer');
  const rows = readRows(
    db,
    filters,
    lastOf([...without(hits, inTitle), ...inTitle], offsetOf(page), page.limit),
  );
  return pageOf(page, hits.length, rows.map(taskOf));
}

/** The tasks that all terms are found in, of `among` if given; ascending. */
async function hitsOf(db: Db, terms: readonly string[], among?: Hits): Promise<Hits> {
  const match = 'select json_group_array(rowid) as numbers from task_search where task_search match ?';
  let hits = among;
  for (const term of terms) {
    if (hits?.length === 0) return hits;
    if (hits) await turn();
    const found = numbersBy(db, match, [term]);
    hits = hits ? inBoth(hits, found) : found;
  }
  return hits ?? [];
}

/** Those of the hits that pass the filters: looked up one by one, or in the set of all that pass if that is less. */
async function passing(db: Db, filters: Filters, hits: Hits): Promise<Hits> {
  if (hits.length === 0 || fieldsOf(filters).length === 0) return hits;
  await turn();
  const { index, cost } = cheapestSource(db, filters);
  const { sql, parameters } = conditionOf(filters);
  if (hits.length * ROW < cost) {
    const lookedUp = `select json_group_array(seq) as numbers
      from (select value as hit from json_each(?)) cross join tasks on seq = hit where ${sql}`;
    return numbersBy(db, lookedUp, [JSON.stringify(hits), ...parameters]);
  }
  const all = `select json_group_array(seq) as numbers from tasks indexed by ${index} where ${sql}`;
  const passed = new Set(numbersBy(db, all, parameters));
  return hits.filter((seq) => passed.has(seq));
}

const numbersBy = (db: Db, sql: string, parameters: readonly unknown[]): number[] =>
  JSON.parse(db.one(statement<{ numbers: string }>(sql, parameters))?.numbers ?? '[]');

function inBoth(some: Hits, others: Hits): Hits {
  let at = 0;
  return some.filter((seq) => {
    while ((others[at] ?? Infinity) < seq) at += 1;
    return others[at] === seq;
  });
}

function without(some: Hits, others: Hits): Hits {
  const excluded = new Set(others);
  return excluded.size === 0 ? some : some.filter((seq) => !excluded.has(seq));
}

/** So many from the end, past an offset, the last one first. */
const lastOf = (all: Hits, offset: number, limit: number): Hits => {
  const end = Math.max(all.length - offset, 0);
  return all.slice(Math.max(end - limit, 0), end).reverse();
};

const readRows = (db: Db, { workspaceCode }: Filters, hits: Hits): ShownTask[] =>
  db.all(
    statement<ShownTask>(
      `select ${SHOWN} from (select key as place, value as hit from json_each(?)) cross join tasks on seq = hit
        where workspace_code = ? order by place`,
      [JSON.stringify(hits), workspaceCode],
    ),
  );
