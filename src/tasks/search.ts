import { type Db, statement } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import { PAGED, type PagedTask } from '../storage/tasks.ts';
import { matchTerms, numberIn } from '../storage/words.ts';
import { keyOfWorkspace } from '../storage/workspaces.ts';
import { type Member, requireRole } from '../workspaces/authorization.ts';
import { admitsNone, conditionOf, type Filters, fieldsOf, filtersOf } from './filters.ts';
import { type Asker, readInSteps, TASKS } from './long-pages.ts';
import { cheapestSource, ROW, sourceOf } from './query-plan.ts';
import type { SearchQuery, TaskPage } from './query-schema.ts';
import type { SearchFilter } from './search-hits.ts';

/**
 * One page of the tasks in which every word of `q` begins a word of title or description: first those that have all of
 * them in the title, the newest first; before them the task whose number `q` is. Neither order nor total depends on another workspace's tasks. They are found on
 * another thread: a short word that begins many may take 40 ms and more.
 */
export async function searchTasks(
  deps: Deps,
  who: Member,
  query: SearchQuery,
  asker: Asker,
): Promise<TaskPage> {
  const { read: db } = deps;
  const page = pageRequest(deps, query);
  // The longest are found least often.
  const terms = matchTerms(who.workspaceKey, query.q).sort((a, b) => b.length - a.length);
  const filters = filtersOf(db, who, query);
  if (terms.length === 0 || admitsNone(filters)) return pageOf(page, 0, []);
  const { total, page: found } = await deps.searches.find(who.userId, {
    workspaceKey: who.workspaceKey,
    terms,
    filter: searchFilterOf(db, filters),
    first: seqOfNumber(db, filters, numberAsked(db, who, query.q)),
    offset: offsetOf(page),
    limit: page.limit,
  });
  requireRole(deps, db, who, 'viewer');
  const read = (at: Db) => ({ rows: readRows(at, filters, found) });
  const { items } = await readInSteps(deps, who, asker, TASKS, read);
  return pageOf(page, total, items);
}

/** The number that `12` asks for, and `HOME-12` where that is the workspace's key, in any case. */
function numberAsked(db: Db, who: Member, asked: string): number | undefined {
  const dash = asked.lastIndexOf('-');
  const isOurs = dash === -1 || asked.slice(0, dash).toUpperCase() === keyOfWorkspace(db, who.workspaceId);
  return isOurs ? numberIn(asked.slice(dash + 1)) : undefined;
}

function seqOfNumber(db: Db, filters: Filters, number: number | undefined): number | undefined {
  if (number === undefined) return undefined;
  const { sql, parameters } = conditionOf(filters);
  const found = `select seq from tasks indexed by tasks_number where ${sql} and number = ?`;
  return db.one(statement<{ seq: number }>(found, [...parameters, number]))?.seq;
}

/** Matches are looked up one by one, or in the set of all that pass if that is less. */
function searchFilterOf(db: Db, filters: Filters): SearchFilter | undefined {
  if (fieldsOf(filters).length === 0) return undefined;
  const { index, cost } = cheapestSource(db, filters);
  const { sql, parameters } = conditionOf(filters);
  const all = sourceOf(index, filters);
  return {
    amongHits: {
      sql: `select json_group_array(seq) from (select value as hit from json_each(?)) cross join tasks on seq = hit
        where ${sql}`,
      parameters,
      costOfHit: ROW,
    },
    all: {
      sql: `select json_group_array(seq) from ${all.from} where ${all.sql}`,
      parameters: all.parameters,
      cost,
    },
  };
}

const readRows = (db: Db, { workspaceKey }: Filters, matches: readonly number[]): PagedTask[] =>
  db.all(
    statement<PagedTask>(
      `select ${PAGED} from (select key as place, value as hit from json_each(?)) cross join tasks on seq = hit
        where workspace_code = ? order by place`,
      [JSON.stringify(matches), workspaceKey],
    ),
  );
