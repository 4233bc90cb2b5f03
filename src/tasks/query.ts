import { type Db, statement } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import type { Member } from '../workspaces/door.ts';
import { countAll } from './counters.ts';
import { type Condition, columnsOf, conditionOf, type Filters, filtersOf } from './filters.ts';
import {
  cheapestSource,
  ENOUGH,
  exactIndex,
  type Index,
  orderOf,
  type Sort,
  sortColumn,
  sortIndex,
  weightOf,
} from './query-plan.ts';
import type { TaskPage, TaskQuery } from './query-schema.ts';
import { SHOWN, type ShownTask, taskOf } from './store.ts';
import { countTasks } from './totals.ts';

/** From here on, rows that are passed over are passed in the index, and only those of the page are read. */
const DEEP = 100;
/** Fewer are soon read and sorted. */
const SIFTED_AT_LEAST = 2_000;
/** How many times the entries that their density promises are walked through for the matches of a page. */
const PATIENCE = 3;
const PATIENCE_AT_LEAST = 200;

/** One page of the tasks that match, in order, and how many match in all. */
export function queryTasks(deps: Deps, who: Member, query: TaskQuery): TaskPage {
  const page = pageRequest(deps, query);
  const filters = filtersOf(deps.read, who, query);
  const total = countTasks(deps.read, filters);
  const stretch = { offset: offsetOf(page), limit: page.limit, total };
  return pageOf(page, total, findTasks(deps.read, filters, sortOf(query), stretch).map(taskOf));
}

export const sortOf = ({ sortBy, sortOrder }: Pick<TaskQuery, 'sortBy' | 'sortOrder'>): Sort => ({
  by: sortBy,
  descending: sortOrder === 'desc',
});

/** Which of the tasks that pass, and how many pass in all. */
interface Stretch {
  offset: number;
  limit: number;
  total: number;
}

/** A stretch of the tasks that pass, in order. In the second half the order is read from its far end. */
export function findTasks(
  db: Db,
  filters: Filters,
  sort: Sort,
  { offset, limit, total }: Stretch,
): ShownTask[] {
  const wanted = Math.min(limit, total - offset);
  if (wanted <= 0) return [];
  if (offset < DEEP || offset < total / 2)
    return readTasks(db, filters, sort, { offset, limit: wanted, total });
  const fromEnd = { offset: total - offset - wanted, limit: wanted, total };
  return readTasks(db, filters, { ...sort, backwards: true }, fromEnd).reverse();
}

/**
 * Reads from an index that holds the matches in order, if there is one. Else it walks through the order, where matches
 * are dense, collects and sorts them, where they are few, or gathers them and sifts the order by them.
 */
function readTasks(db: Db, filters: Filters, sort: Sort, stretch: Stretch): ShownTask[] {
  const exact = exactIndex(filters, sort);
  if (exact) return readInOrder(db, exact, filters, sort, stretch);
  const reach = stretch.offset + stretch.limit;
  const source = cheapestSource(db, filters, { wanted: { sort, reach, total: stretch.total } });
  if (source.cost > ENOUGH) {
    const entries = (countAll(db, filters.workspaceCode) * reach) / stretch.total;
    const walking = 2 * entries * weightOf(sortIndex(sort), columnsOf(filters));
    // As many rows as collecting reads for their order; sifting passes its entries for that.
    const rows = source.isInOrder ? 0 : stretch.total * (weightOf(source.index, [sortColumn(sort)]) - 1);
    const isManyRows = rows > 0 && stretch.total >= SIFTED_AT_LEAST;
    const sifting = isManyRows ? source.cost - rows + PATIENCE * entries : Infinity;
    if (walking < Math.min(source.cost, sifting)) {
      const walked = walk(db, filters, sort, stretch, entries * PATIENCE + PATIENCE_AT_LEAST);
      if (walked.length === stretch.limit) return walked;
    }
    if (sifting < source.cost) return sift(db, source.index, filters, sort, stretch);
  }
  return source.isInOrder
    ? readInOrder(db, source.index, filters, sort, stretch)
    : collect(db, source.index, filters, sort, stretch);
}

/** From an index that holds the matches in order. */
function readInOrder(db: Db, index: Index, filters: Filters, sort: Sort, stretch: Stretch): ShownTask[] {
  if (stretch.offset >= DEEP) return collect(db, index, filters, sort, stretch);
  const { sql, parameters } = conditionOf(filters);
  return db.all(
    statement<ShownTask>(
      `select ${SHOWN} from tasks indexed by ${index} where ${sql} order by ${orderOf(sort)} limit ? offset ?`,
      [...parameters, stretch.limit, stretch.offset],
    ),
  );
}

/** From an index that holds the matches; what does not pass is dropped, and the rest sorted if need be. */
function collect(db: Db, index: Index, filters: Filters, sort: Sort, stretch: Stretch): ShownTask[] {
  const { sql, parameters } = conditionOf(filters);
  const order = orderOf(sort);
  const hits = `select seq as hit from tasks indexed by ${index} where ${sql} order by ${order}`;
  return readHits(db, filters.workspaceCode, { sql: hits, parameters }, order, stretch);
}

/** Through the order, dropping what is not among the matches, which are gathered first: nothing is sorted, and no row read. */
function sift(db: Db, index: Index, filters: Filters, sort: Sort, stretch: Stretch): ShownTask[] {
  const { workspaceCode } = filters;
  const { sql, parameters } = conditionOf(filters);
  const order = orderOf(sort);
  const hits = `select seq as hit from tasks indexed by ${sortIndex(sort)} where workspace_code = ?
    and +seq in (select seq from tasks indexed by ${index} where ${sql}) order by ${order}`;
  const hitsParameters = [workspaceCode, ...parameters];
  return readHits(db, workspaceCode, { sql: hits, parameters: hitsParameters }, order, stretch);
}

/** Through the first entries of the order, dropping what does not pass. May find less than there is. */
function walk(db: Db, filters: Filters, sort: Sort, stretch: Stretch, entries: number): ShownTask[] {
  const { workspaceCode } = filters;
  const { sql, parameters } = conditionOf(filters);
  const order = orderOf(sort);
  const hits = `select seq as hit from (
    select seq, workspace_code, ${columnsOf(filters)} from tasks indexed by ${sortIndex(sort)}
      where workspace_code = ? order by ${order} limit ?
    ) where ${sql}`;
  const hitsParameters = [workspaceCode, Math.ceil(entries), ...parameters];
  return readHits(db, workspaceCode, { sql: hits, parameters: hitsParameters }, order, stretch);
}

/** The rows of a stretch of `hits`, a statement that answers their numbers as `hit`, in its order. */
export function readHits(
  db: Db,
  workspaceCode: number,
  hits: Condition,
  order: string,
  { offset, limit }: Pick<Stretch, 'offset' | 'limit'>,
): ShownTask[] {
  return db.all(
    statement<ShownTask>(
      `select ${SHOWN} from (${hits.sql} limit ? offset ?) cross join tasks on seq = hit
        where workspace_code = ? order by ${order}`,
      [...hits.parameters, limit, offset, workspaceCode],
    ),
  );
}
