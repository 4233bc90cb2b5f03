import type { TableNames } from './tables-touched.ts';

/** What functions of a transaction have found out, for those that follow, until a table that it depends on is written. */
export interface Memo {
  recall(name: string): unknown;
  remember(name: string, tables: readonly string[], value: unknown): void;
  onWrite(tables: TableNames): void;
  /** For a transaction that is undone, or a part of it. */
  forget(): void;
}

export function createMemo(): Memo {
  const known = new Map<string, { tables: readonly string[]; value: unknown }>();
  return {
    recall: (name) => known.get(name)?.value,
    remember: (name, tables, value) => known.set(name, { tables, value }),
    onWrite: (written) => {
      known.forEach(({ tables }, name) => {
        if (!written || tables.some((table) => written.has(table))) known.delete(name);
      });
    },
    forget: () => known.clear(),
  };
}
