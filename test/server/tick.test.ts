import { describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/connection.ts';
import type { Deps } from '../../src/deps.ts';
import { DAY, HOUR } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { useWorld, world } from '../ada.ts';

useWorld();

/** Dependencies whose reads of that table fail, as a damaged page would make them. */
function withFailingReads(table: string): Deps {
  const { read } = world.deps;
  const guarded =
    (name: 'all' | 'one') =>
    (asked: Parameters<Db['all']>[0]): never => {
      const { sql } = 'compile' in asked ? asked.compile() : asked;
      if (sql.includes(table)) throw new Error(`${table} cannot be read`);
      return read[name](asked) as never;
    };
  return { ...world.deps, read: { ...read, all: guarded('all'), one: guarded('one') } };
}

describe('the tick', () => {
  it('runs every other task when one fails, and throws what failed', async () => {
    await world.signUp('ada@example.com');
    const count = () => world.count('sessions');
    expect(count()).toBe(1);
    world.clock.advance(31 * DAY + HOUR);
    await expect(tick(withFailingReads('recurring_series'))).rejects.toThrow(
      'recurring_series cannot be read',
    );
    expect(count()).toBe(0);
  });
});
