/** What a list endpoint was asked for; `limit` is already clamped. */
export interface PageRequest {
  page: number;
  limit: number;
}

export interface Page<Item> {
  items: Item[];
  page: number;
  limit: number;
  total: number;
}

/** Rows to pass over before the page begins; stays an exact integer for any page number. */
export const offsetOf = ({ page, limit }: PageRequest): number =>
  Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);

export const pageOf = <Item>(asked: PageRequest, total: number, items: Item[]): Page<Item> => ({
  items,
  page: asked.page,
  limit: asked.limit,
  total,
});
