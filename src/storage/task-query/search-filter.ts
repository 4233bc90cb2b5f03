import { type Db, statement } from '../../db/connection.ts';
import { FOUND, type FoundTask } from '../task-fields.ts';
import { conditionOf, type Filters, fieldsOf } from './filters.ts';
import { cheapestSource, ROW, sourceOf } from './plan.ts';
import type { SearchFilter } from './search-matches.ts';

/** The task of a number, if it passes the filters. */
export function seqOfNumber(db: Db, filters: Filters, number: number | undefined): number | undefined {
  if (number === undefined) return undefined;
  const { sql, parameters } = conditionOf(filters);
  const found = `select seq from tasks indexed by tasks_number where ${sql} and number = ?`;
  return db.one(statement<{ seq: number }>(found, [...parameters, number]))?.seq;
}

/** How a search filters its matches: they are looked up one by one, or in the set of all that pass if that is less. */
export function searchFilterOf(db: Db, filters: Filters): SearchFilter | undefined {
  if (fieldsOf(filters).length === 0) return undefined;
  const { index, cost } = cheapestSource(db, filters);
  const { sql, parameters } = conditionOf(filters);
  const all = sourceOf(index, filters);
  return {
    amongMatches: {
      sql: `select json_group_array(seq) from (select value as found_seq from json_each(?)) cross join tasks on seq = found_seq
        where ${sql}`,
      parameters,
      costPerMatch: ROW,
    },
    all: {
      sql: `select json_group_array(seq) from ${all.from} where ${all.sql}`,
      parameters: all.parameters,
      cost,
    },
  };
}

/** The tasks of these numbers, in their order. */
export const tasksInOrder = (db: Db, { workspaceKey }: Filters, matches: readonly number[]): FoundTask[] =>
  db.all(
    statement<FoundTask>(
      `select ${FOUND} from (select key as place, value as found_seq from json_each(?)) cross join tasks on seq = found_seq
        where workspace_code = ? order by place`,
      [JSON.stringify(matches), workspaceKey],
    ),
  );
