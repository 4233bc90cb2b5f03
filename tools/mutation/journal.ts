import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What one process tells the next, a line each: a mutant may take its process down with it. */
export type Entry =
  | { kind: 'test'; test: string; done: boolean }
  | { kind: 'covers'; test: string; file: string; ids: number[] }
  | { kind: 'at-import'; ids: number[] }
  | { kind: 'try'; test: string; id: number }
  | { kind: 'killed'; id: number; test: string; error: string }
  | { kind: 'timed-out'; id: number; test: string }
  | { kind: 'not-drawn'; ids: number[] }
  | { kind: 'unsound'; test: string; error: string };

export const append = (path: string, entry: Entry): void =>
  appendFileSync(path, `${JSON.stringify(entry)}\n`);

export const readJournal = (path: string): Entry[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Entry)
    : [];

/** Mutants that need no further test. */
export const decidedIn = (entries: Entry[]): Set<number> =>
  new Set(
    entries.flatMap((entry) => {
      if (entry.kind === 'not-drawn') return entry.ids;
      return entry.kind === 'killed' || entry.kind === 'timed-out' ? [entry.id] : [];
    }),
  );
