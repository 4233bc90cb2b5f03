import { setImmediate as nextTurn } from 'node:timers/promises';
import type SqliteDatabase from 'better-sqlite3';
import type { Condition } from './condition.ts';

/** What is sought, in the terms of the index and the rows: all that a thread needs to know. */
export interface Search {
  workspaceKey: number;
  /** As `matchTerms` makes them. */
  terms: readonly string[];
  /** None where every task passes. */
  filter: SearchFilter | undefined;
  /** A task that comes first, whether or not the terms are found in it. */
  first?: number | undefined;
  offset: number;
  limit: number;
}

/** Two ways to the same: each takes what it says. */
export interface SearchFilter {
  /** The numbers of those that pass of a JSON array of numbers, its first parameter. */
  amongMatches: Condition & { costPerMatch: number };
  /** The numbers of all that pass. */
  all: Condition & { cost: number };
}

export interface Found {
  total: number;
  /** Numbers of tasks, in the order of the page. */
  page: number[];
}

/** Numbers of tasks, ascending. */
type Matches = readonly number[];

/** Rowids that a phrase is sought in by the first statement; how many by a later one follows from how long that took. */
const ROWIDS_AT_FIRST = 1_000;
/** To find where a range begins takes as long as to look at so many, however busy the machine is. */
const MIN_ROWIDS = 50;
const SHORT_MS = 5;
const LONG_MS = 20;
const GROWTH = 4;

/**
 * Returns what finds a page of the tasks that all terms are found in: those that have all of them in the title first,
 * then the newest. It takes a turn between its statements, so that several searches go on side by side; a phrase, which
 * may be sought at very many places, has a statement for each range of tasks.
 */
export function createMatchFinder(
  connection: SqliteDatabase.Database,
  {
    turn = nextTurn,
    rowidsAtFirst = ROWIDS_AT_FIRST,
  }: { turn?: () => Promise<unknown>; rowidsAtFirst?: number } = {},
): (search: Search) => Promise<Found> {
  const asArray = 'select json_group_array(rowid) from task_search where task_search match ?';
  const matching = connection.prepare<[string], string>(asArray).pluck();
  // As integers, which the driver does not hand over: FTS5 begins and ends by no other limits.
  const matchingBetween = connection
    .prepare<[string, number, number], string>(
      `${asArray} and rowid >= cast(? as integer) and rowid < cast(? as integer)`,
    )
    .pluck();
  const extent = connection.prepare<[number, number], { first: number | null; last: number | null }>(
    `select (select seq from tasks indexed by tasks_created where workspace_code = ? order by seq limit 1) as first,
      (select seq from tasks indexed by tasks_created where workspace_code = ? order by seq desc limit 1) as last`,
  );

  const taskOfComments = connection
    .prepare<[string], string>(
      `select json_group_array(distinct task_seq) from json_each(?) join comments on code = - value`,
    )
    .pluck();
  const extentOfComments = connection.prepare<
    [number, number],
    { first: number | null; last: number | null }
  >(
    `select
      - (select code from comments indexed by comments_by_workspace where workspace_code = ? order by code desc limit 1) as first,
      - (select code from comments indexed by comments_by_workspace where workspace_code = ? order by code limit 1) as last`,
  );

  /** Of comments, which come first with their keys negated, the tasks that they are on. */
  function tasksOf(rowids: Matches): Matches {
    const tasks = rowids.findIndex((rowid) => rowid > 0);
    if (tasks === 0 || rowids.length === 0) return rowids;
    const comments = tasks === -1 ? rowids : rowids.slice(0, tasks);
    const commented = numbersIn(taskOfComments.get(JSON.stringify(comments)));
    const all = new Set([...(tasks === -1 ? [] : rowids.slice(tasks)), ...commented]);
    return [...all].sort((a, b) => a - b);
  }

  /** The tasks that all terms are found in, of `among` if given. */
  async function matchesOf(
    workspaceKey: number,
    terms: readonly string[],
    among?: Matches,
  ): Promise<Matches> {
    let matches = among;
    for (const term of terms) {
      if (matches?.length === 0) return matches;
      if (matches) await turn();
      const found = isPhrase(term)
        ? await rangesOf(workspaceKey, term, matches)
        : tasksOf(numbersIn(matching.get(term)));
      matches = matches ? inBoth(matches, found) : found;
    }
    return matches ?? [];
  }

  async function rangesOf(
    workspaceKey: number,
    phrase: string,
    among: Matches | undefined,
  ): Promise<Matches> {
    const ofTasks = among
      ? { first: among[0] ?? null, last: among.at(-1) ?? null }
      : extent.get(workspaceKey, workspaceKey);
    const ofComments = extentOfComments.get(workspaceKey, workspaceKey);
    return tasksOf([...(await rangeOf(phrase, ofComments)), ...(await rangeOf(phrase, ofTasks))]);
  }

  async function rangeOf(
    phrase: string,
    { first, last }: { first: number | null; last: number | null } = { first: null, last: null },
  ): Promise<number[]> {
    const found: number[] = [];
    if (first === null || last === null) return found;
    let rowids = rowidsAtFirst;
    for (let from = first; from <= last; ) {
      if (from > first) await turn();
      const began = performance.now();
      const end = Math.min(from + rowids, last + 1);
      for (const rowid of numbersIn(matchingBetween.get(phrase, from, end))) found.push(rowid);
      const took = performance.now() - began;
      from += rowids;
      if (took < SHORT_MS) rowids *= GROWTH;
      else if (took > LONG_MS) rowids = Math.max(Math.floor(rowids / GROWTH), MIN_ROWIDS);
    }
    return found;
  }

  async function passing(filter: SearchFilter | undefined, matches: Matches): Promise<Matches> {
    if (matches.length === 0 || !filter) return matches;
    await turn();
    const { amongMatches, all } = filter;
    if (matches.length * amongMatches.costPerMatch < all.cost)
      return numbersBy(amongMatches.sql, [JSON.stringify(matches), ...amongMatches.parameters]);
    const passed = new Set(numbersBy(all.sql, all.parameters));
    return matches.filter((seq) => passed.has(seq));
  }

  const numbersBy = (sql: string, parameters: readonly unknown[]): number[] =>
    numbersIn(
      connection
        .prepare<unknown[], string>(sql)
        .pluck()
        .get(...parameters),
    );

  return async ({ workspaceKey, terms, filter, first, offset, limit }) => {
    const matches = await passing(filter, await matchesOf(workspaceKey, terms));
    const inTitle = await matchesOf(
      workspaceKey,
      terms.map((term) => `{title} : (${term})`),
      matches,
    );
    const ordered = [...without(matches, inTitle), ...inTitle];
    const all = first === undefined ? ordered : [...without(ordered, [first]), first];
    return { total: all.length, page: lastOf(all, offset, limit) };
  };
}

/** A prefix is one statement anyway: its words are gathered as that begins. */
const isPhrase = (term: string): boolean => !term.includes('*');

const numbersIn = (json: string | undefined): number[] => JSON.parse(json ?? '[]');

function inBoth(some: Matches, others: Matches): Matches {
  let at = 0;
  return some.filter((seq) => {
    while ((others[at] ?? Infinity) < seq) at += 1;
    return others[at] === seq;
  });
}

function without(some: Matches, others: Matches): Matches {
  const excluded = new Set(others);
  return excluded.size === 0 ? some : some.filter((seq) => !excluded.has(seq));
}

/** So many from the end, past an offset, the last one first. */
function lastOf(all: Matches, offset: number, limit: number): number[] {
  const end = Math.max(all.length - offset, 0);
  return all.slice(Math.max(end - limit, 0), end).reverse();
}
