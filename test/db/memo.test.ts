import { describe, expect, it } from 'vitest';
import { statement } from '../../src/db/connection.ts';
import type { Tx } from '../../src/db/tx.ts';
import { failing, put, statusesOf, useWriter, write } from './one-writer.ts';

useWriter();

const remember = (tx: Tx, value: number) => tx.remember('n', ['meta'], value);
const recall = (tx: Tx) => tx.recall<number>('n');
const both = (first: (tx: Tx) => unknown, between: (tx: Tx) => unknown = () => {}) => {
  const writes = [write((tx) => void first(tx)), write((tx) => void between(tx))];
  const recalled = write((tx) => recall(tx) ?? 'nothing');
  return Promise.allSettled(writes).then(() => recalled);
};

describe('what a function remembers', () => {
  it('is there for those that follow in its commit, and not in the next one', async () => {
    expect(await both((tx) => remember(tx, 1))).toBe(1);
    expect(await write(recall)).toBeUndefined();
  });

  it('is gone once a table is written that it depends on, by a statement of any kind, and stays for others', async () => {
    const parent = (tx: Tx) => tx.run(statement('insert into parents default values', []));
    expect(await both((tx) => remember(tx, 1), parent)).toBe(1);
    expect(
      await both(
        (tx) => remember(tx, 1),
        (tx) => put(tx, 'k'),
      ),
    ).toBe('nothing');
    expect(
      await both(
        (tx) => remember(tx, 1),
        (tx) => tx.run(statement('delete from meta', [])),
      ),
    ).toBe('nothing');
  });

  it('is gone with the function that fails, and with the part that is rolled back', async () => {
    const failed = both((tx) => {
      put(tx, 'k');
      remember(tx, 1);
      failing('no')();
    });
    expect(await failed).toBe('nothing');
    const undone = both((tx) => {
      const part = tx.savepoint();
      put(tx, 'k');
      remember(tx, 1);
      part.rollBack();
    });
    expect(await undone).toBe('nothing');
    expect(await statusesOf([write((tx) => put(tx, 'k'))])).toEqual(['done']);
  });
});
