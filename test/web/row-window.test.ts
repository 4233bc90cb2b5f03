import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRange, type RowRange } from '../../src/web/tasks/row-window.ts';

const range = (max: number): fc.Arbitrary<RowRange> =>
  fc.tuple(fc.nat(max), fc.nat(60)).map(([from, length]) => ({ from, to: from + length }));
const lengthOf = ({ from, to }: RowRange): number => Math.max(0, to - from);
const common = (a: RowRange, b: RowRange): RowRange => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});
const WITH_SIGHT = fc
  .tuple(range(400), range(400), fc.nat(8), fc.nat(8))
  .map(([present, inSight, before, after]) => ({
    present,
    inSight,
    wanted: { from: Math.max(0, inSight.from - before), to: inSight.to + after },
  }));

describe('the rows of a long list that are drawn', () => {
  it('are few more at once, stay where they are wanted, and end as wanted', () => {
    fc.assert(
      fc.property(WITH_SIGHT, fc.integer({ min: 1, max: 12 }), ({ present, wanted, inSight }, most) => {
        let drawn = present;
        for (let frame = 0; frame < 80; frame++) {
          const next = nextRange(drawn, wanted, inSight, most);
          const kept = lengthOf(common(drawn, next));
          const isWithin = next.from >= wanted.from && next.to <= wanted.to;
          if (!isWithin || lengthOf(next) - kept > most || kept < lengthOf(common(drawn, wanted)))
            return false;
          drawn = next;
        }
        return lengthOf(wanted) === lengthOf(drawn);
      }),
    );
  });

  it('are those in sight first', () => {
    const inSight = { from: 100, to: 120 };
    const wanted = { from: 92, to: 128 };
    expect(nextRange({ from: 0, to: 36 }, wanted, inSight, 8)).toEqual({ from: 100, to: 108 });
    expect(nextRange({ from: 300, to: 336 }, wanted, inSight, 8)).toEqual({ from: 112, to: 120 });
    expect(nextRange({ from: 88, to: 116 }, wanted, inSight, 8)).toEqual({ from: 92, to: 124 });
  });
});
