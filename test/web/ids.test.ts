import { describe, expect, it } from 'vitest';
import { derivedIds } from '../../src/web/data/ids.ts';

const FAMILY = '01a21213-e405-7002-82d6-a66a96c2';
const every = Array.from({ length: 65_536 }, (_, end) => FAMILY + end.toString(16).padStart(4, '0'));

describe('ids derived from an id', () => {
  it('are the same each time, and each another', () => {
    for (const id of every) {
      expect(derivedIds(id, 3)).toEqual(derivedIds(id, 3));
      expect(new Set([id, ...derivedIds(id, 3)]).size).toBe(4);
    }
  });
});
