import type { Intent } from '../../data/change.ts';
import { update } from '../../data/intents.ts';
import type { Label, List, Row, Space } from '../../data/rows.ts';
import { placeAt } from '../../text/positions.ts';

/** Puts a row before what is at `index` among the others, and whatever must make room for it elsewhere. */
export function reorder<Ordered extends Label | List | Space>(
  kind: 'label' | 'list' | 'space',
  row: Ordered,
  among: readonly Ordered[],
  index: number,
  more: Row = {},
): Intent[] {
  const rest = among.filter(({ id }) => id !== row.id);
  return placeAt(rest, index, [row.id]).flatMap(({ id, position }) => {
    if (id === row.id) return [update(kind, row, { ...more, position })];
    const other = rest.find((one) => one.id === id);
    return other ? [update(kind, other, { position })] : [];
  });
}
