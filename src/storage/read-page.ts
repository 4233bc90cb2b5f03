import type { SelectQueryBuilder } from 'kysely';
import type { Db } from '../db/connection.ts';
import { offsetOf, type Page, type PageRequest, pageOf } from '../kernel/page.ts';

/** The page asked for of what `found` selects, in its order, and how much that is in all. */
export function readPage<DB, Table extends keyof DB, Row, Item>(
  db: Db,
  asked: PageRequest,
  found: SelectQueryBuilder<DB, Table, Row>,
  itemOf: (row: Row) => Item,
): Page<Item> {
  const counted = found.clearSelect().clearOrderBy();
  const total = counted.select(({ fn }) => fn.countAll().as('total')).$castTo<{ total: number }>();
  const rows = db.all(found.limit(asked.limit).offset(offsetOf(asked)));
  return pageOf(asked, db.one(total)?.total ?? 0, rows.map(itemOf));
}
