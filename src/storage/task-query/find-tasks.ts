import { type Db, statement } from '../../db/connection.ts';
import { FOUND, type FoundTask, PAGED } from '../task-fields.ts';
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
  ROW,
  type Sort,
  sortColumn,
  sortIndex,
  sourceOf,
  weightOf,
} from './plan.ts';

/** From this offset on, the page is found in the index alone, and only its own rows are read. */
const DEEP_OFFSET = 100;
/** Fewer matches are always sorted. */
const MIN_PROBED_MATCHES = 2_000;
/** What reading one of many rows costs that lie far from each other, in index entries passed: some of it is not in the cache. */
const SCATTERED_ROW = 10;
/** How many more entries a scan for a page may pass than the density of the matches suggests. */
const SCAN_FACTOR = 3;
const SCAN_MARGIN = 200;

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
 * Reads from an index that holds the matches in order, if there is one. Else scans the sort index, where matches are
 * dense, sorts the matches, where they are few, or scans the sort index for the set of matches.
 */
function readTasks(db: Db, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const exact = exactIndex(filters, sort);
  if (exact) return readInOrder(db, exact, filters, sort, range);
  const reach = range.offset + range.limit;
  const source = cheapestSource(db, filters, { wanted: { sort, reach, total: range.total } });
  if (source.cost > GOOD_ENOUGH_COST) {
    const entries = (countAll(db, filters.workspaceKey) * reach) / range.total;
    const scanCost = 2 * entries * weightOf(sortIndex(sort), columnsOf(filters));
    // Sorting reads these rows for their order; a scan for the set of matches passes entries of the sort index.
    const readsRows = !source.isInOrder && weightOf(source.index, [sortColumn(sort)]) > 1;
    const isMany = readsRows && range.total >= MIN_PROBED_MATCHES;
    const sortCost = source.cost + (isMany ? range.total * (SCATTERED_ROW - ROW) : 0);
    const probeCost = isMany ? source.cost - range.total * (ROW - 1) + SCAN_FACTOR * entries : Infinity;
    if (scanCost < Math.min(sortCost, probeCost)) {
      const found = scanSortIndex(db, filters, sort, range, entries * SCAN_FACTOR + SCAN_MARGIN);
      if (found.length === range.limit) return found;
    }
    if (probeCost < sortCost) return probeMatches(db, source.index, filters, sort, range);
  }
  return source.isInOrder
    ? readInOrder(db, source.index, filters, sort, range)
    : sortMatches(db, source.index, filters, sort, range);
}

/** Reads from an index that holds the matches in order. */
function readInOrder(db: Db, index: Index, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  if (range.offset >= DEEP_OFFSET) return sortMatches(db, index, filters, sort, range);
  const { from, sql, parameters } = sourceOf(index, filters);
  return db.all(
    statement<FoundTask>(
      `select ${FOUND} from ${from} where ${sql} order by ${orderOf(sort)} limit ? offset ?`,
      [...parameters, range.limit, range.offset],
    ),
  );
}

/** Reads the matches from an index that holds them among others, and sorts them where it does not. */
function sortMatches(db: Db, index: Index, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const { from, sql, parameters } = sourceOf(index, filters);
  const order = orderOf(sort);
  const matches = `select seq as found_seq from ${from} where ${sql} order by ${order}`;
  return readMatches(db, filters.workspaceKey, { sql: matches, parameters }, order, range);
}

/** Collects the matches in a set, then scans the sort index for them: nothing is sorted, and no other row read. */
function probeMatches(db: Db, index: Index, filters: Filters, sort: Sort, range: Range): FoundTask[] {
  const { workspaceKey } = filters;
  const { from, sql, parameters } = sourceOf(index, filters);
  const order = orderOf(sort);
  const matches = `select seq as found_seq from tasks indexed by ${sortIndex(sort)} where workspace_code = ?
    and +seq in (select seq from ${from} where ${sql}) order by ${order}`;
  const matchParameters = [workspaceKey, ...parameters];
  return readMatches(db, workspaceKey, { sql: matches, parameters: matchParameters }, order, range);
}

/** Scans the first entries of the sort index for matches. May find fewer than there are. */
function scanSortIndex(db: Db, filters: Filters, sort: Sort, range: Range, entries: number): FoundTask[] {
  const { workspaceKey } = filters;
  const { sql, parameters } = conditionOf(filters);
  const order = orderOf(sort);
  const matches = `select seq as found_seq from (
    select ${[...new Set(['seq', 'workspace_code', ...columnsOf(filters)])]} from tasks indexed by ${sortIndex(sort)}
      where workspace_code = ? order by ${order} limit ?
    ) where ${sql}`;
  const matchParameters = [workspaceKey, Math.ceil(entries), ...parameters];
  return readMatches(db, workspaceKey, { sql: matches, parameters: matchParameters }, order, range);
}

/**
 * The rows of a range of `matches`, a statement that returns their numbers as `found_seq`, in its order. Those far behind
 * are read whole: hardly one of them was shown lately.
 */
function readMatches(
  db: Db,
  workspaceKey: number,
  matches: Condition,
  order: string,
  { offset, limit }: Pick<Range, 'offset' | 'limit'>,
): FoundTask[] {
  return db.all(
    statement<FoundTask>(
      `select ${offset < DEEP_OFFSET ? FOUND : PAGED} from (${matches.sql} limit ? offset ?) cross join tasks on seq = found_seq
        where workspace_code = ? order by ${order}`,
      [...matches.parameters, limit, offset, workspaceKey],
    ),
  );
}
