import type { CompiledQuery } from 'kysely';
import type { TableNames } from './tables-touched.ts';

/** A table of sums, by its name, and the statement that adds to one of its rows: with the key, then what is added. */
export interface Sums {
  tables: ReadonlySet<string>;
  add: (key: readonly Scalar[], added: readonly number[]) => CompiledQuery<unknown>;
}

type Scalar = string | number;

interface Pending {
  key: readonly Scalar[];
  added: number[];
}

/** What a transaction adds to sums, kept until somebody asks: many of its functions add to the same few rows. */
export interface PendingSums {
  add(sums: Sums, key: readonly Scalar[], added: readonly number[]): void;
  /** Writes what is to be read or written next; undefined: it may be any table. */
  writeBefore(tables: () => TableNames): void;
  writeAll(): void;
  /** For a transaction that is undone, or the part of it since everything was written. */
  forget(): void;
}

/** Keeps sums for one connection, whose statements `run` runs; `onAdd` hears of each addition. */
export function createPendingSums(
  run: (statement: CompiledQuery<unknown>) => void,
  onAdd: (tables: TableNames) => void,
): PendingSums {
  const pending = new Map<Sums, Map<string, Pending>>();
  const write = (sums: Sums) => {
    const rows = pending.get(sums);
    pending.delete(sums);
    for (const { key, added } of rows?.values() ?? []) run(sums.add(key, added));
  };
  return {
    add: (sums, key, added) => {
      onAdd(sums.tables);
      const rows = pending.get(sums) ?? new Map<string, Pending>();
      pending.set(sums, rows);
      const name = key.join(' ');
      const known = rows.get(name)?.added;
      if (!known) rows.set(name, { key, added: [...added] });
      else for (let i = 0; i < added.length; i += 1) known[i] = (known[i] ?? 0) + (added[i] ?? 0);
    },
    writeBefore: (tables) => {
      if (pending.size === 0) return;
      const touched = tables();
      for (const sums of pending.keys()) if (!touched?.isDisjointFrom(sums.tables)) write(sums);
    },
    writeAll: () => pending.keys().forEach(write),
    forget: () => pending.clear(),
  };
}
