import { type Db, statement } from '../../db/connection.ts';
import { FOUND, type FoundTask } from '../task-fields.ts';
import type { Condition } from './condition.ts';
import { countAll } from './counters.ts';
import { orderDays } from './due-order.ts';
import { columnsOf, conditionOf, type Filters } from './filters.ts';
import {
  cheapestSource,
  exactIndex,
  GOOD_ENOUGH_COST,
  type Index,
  orderOf,
  type Sort,
  sortColumn,
  sortIndex,
  sourceOf,
  weightOf,
} from './plan.ts';

/** From here on, rows that are passed over are passed in the index, and only those of the page are read. */
const DEEP_OFFSET = 100;
/** Fewer are soon read and sorted. */
const SIFTED_AT_LEAST = 2_000;
/** How many times the entries that their density promises are walked through for the matches of a page. */
const PATIENCE = 3;
const PATIENCE_AT_LEAST = 200;

/** Which of the tasks that pass, and how many pass in all. */
interface Range {
  offset: number;
  limit: number;
  total: number;
}

/** A range of the tasks that pass, in order. In the second half the order is read from its far end. */
export function findTasks(db: Db, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const found = findByText(db, filters, sort, range);
  return sort.by === 'dueDate' ? orderDays(db, filters, sort, found) : found;
}

function findByText(db: Db, filters: Filters, sort: Sort, { offset, limit, total }: Range): FoundTask[] {
  const wanted = Math.min(limit, total - offset);
  if (wanted <= 0) return [];
  if (offset < DEEP_OFFSET || offset < total / 2)
    return readTasks(db, filters, sort, { offset, limit: wanted, total });
  const fromEnd = { offset: total - offset - wanted, limit: wanted, total };
  return readTasks(db, filters, { ...sort, backwards: true }, fromEnd).reverse();
}

/**
 * Reads from an index that holds the matches in order, if there is one. Else it walks through the order, where matches
 * are dense, collects and sorts them, where they are few, or gathers them and sifts the order by them.
 */
function readTasks(db: Db, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const exact = exactIndex(filters, sort);
  if (exact) return readInOrder(db, exact, filters, sort, range);
  const reach = range.offset + range.limit;
  const source = cheapestSource(db, filters, { wanted: { sort, reach, total: range.total } });
  if (source.cost > GOOD_ENOUGH_COST) {
    const entries = (countAll(db, filters.workspaceKey) * reach) / range.total;
    const walking = 2 * entries * weightOf(sortIndex(sort), columnsOf(filters));
    // As many rows as collecting reads for their order; sifting passes its entries for that.
    const rows = source.isInOrder ? 0 : range.total * (weightOf(source.index, [sortColumn(sort)]) - 1);
    const isManyRows = rows > 0 && range.total >= SIFTED_AT_LEAST;
    const sifting = isManyRows ? source.cost - rows + PATIENCE * entries : Infinity;
    if (walking < Math.min(source.cost, sifting)) {
      const walked = walk(db, filters, sort, range, entries * PATIENCE + PATIENCE_AT_LEAST);
      if (walked.length === range.limit) return walked;
    }
    if (sifting < source.cost) return sift(db, source.index, filters, sort, range);
  }
  return source.isInOrder
    ? readInOrder(db, source.index, filters, sort, range)
    : collect(db, source.index, filters, sort, range);
}

/** From an index that holds the matches in order. */
function readInOrder(db: Db, index: Index, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  if (range.offset >= DEEP_OFFSET) return collect(db, index, filters, sort, range);
  const { from, sql, parameters } = sourceOf(index, filters);
  return db.all(
    statement<FoundTask>(
      `select ${FOUND} from ${from} where ${sql} order by ${orderOf(sort)} limit ? offset ?`,
      [...parameters, range.limit, range.offset],
    ),
  );
}

/** From an index that holds the matches; what does not pass is dropped, and the rest sorted if need be. */
function collect(db: Db, index: Index, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const { from, sql, parameters } = sourceOf(index, filters);
  const order = orderOf(sort);
  const matches = `select seq as hit from ${from} where ${sql} order by ${order}`;
  return readMatches(db, filters.workspaceKey, { sql: matches, parameters }, order, range);
}

/** Through the order, dropping what is not among the matches, which are gathered first: nothing is sorted, and no row read. */
function sift(db: Db, index: Index, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const { workspaceKey } = filters;
  const { from, sql, parameters } = sourceOf(index, filters);
  const order = orderOf(sort);
  const matches = `select seq as hit from tasks indexed by ${sortIndex(sort)} where workspace_code = ?
    and +seq in (select seq from ${from} where ${sql}) order by ${order}`;
  const matchParameters = [workspaceKey, ...parameters];
  return readMatches(db, workspaceKey, { sql: matches, parameters: matchParameters }, order, range);
}

/** Through the first entries of the order, dropping what does not pass. May find less than there is. */
function walk(db: Db, filters: Filters, sort: Sort, range: Range, entries: number): FoundTask[] {
  const { workspaceKey } = filters;
  const { sql, parameters } = conditionOf(filters);
  const order = orderOf(sort);
  const matches = `select seq as hit from (
    select ${[...new Set(['seq', 'workspace_code', ...columnsOf(filters)])]} from tasks indexed by ${sortIndex(sort)}
      where workspace_code = ? order by ${order} limit ?
    ) where ${sql}`;
  const matchParameters = [workspaceKey, Math.ceil(entries), ...parameters];
  return readMatches(db, workspaceKey, { sql: matches, parameters: matchParameters }, order, range);
}

/** The rows of a range of `matches`, a statement that returns their numbers as `hit`, in its order. */
function readMatches(
  db: Db,
  workspaceKey: number,
  matches: Condition,
  order: string,
  { offset, limit }: Pick<Range, 'offset' | 'limit'>,
): FoundTask[] {
  return db.all(
    statement<FoundTask>(
      `select ${FOUND} from (${matches.sql} limit ? offset ?) cross join tasks on seq = hit
        where workspace_code = ? order by ${order}`,
      [...matches.parameters, limit, offset, workspaceKey],
    ),
  );
}
