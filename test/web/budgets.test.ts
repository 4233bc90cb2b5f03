import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Size {
  path: string;
  /** The source that an entry or a lazy part was made of. */
  entryPoint?: string;
  brotli: number;
  imports?: string[];
  lazy?: string[];
}

const KB = 1000;
/** In the file of the start. */
const STARTING = ['src/web/screens/sign-in/sign-in.tsx', 'src/web/screens/days/today.tsx'];

const sizes: Size[] = JSON.parse(
  readFileSync(new URL('../../dist/web-maps/sizes.json', import.meta.url), 'utf8'),
);
const sizeOf = (path: string) => sizes.find((size) => size.path === path);
const made = (entryPoint: string) => sizes.find((size) => size.entryPoint === entryPoint)?.path;
const total = (paths: Iterable<string>) =>
  [...paths].reduce((sum, path) => sum + (sizeOf(path)?.brotli ?? 0), 0);

/** A file and all it imports before it runs. */
function closure(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const next of sizeOf(path)?.imports ?? []) closure(next, seen);
  return seen;
}

const start = closure(made('src/web/shell/main.tsx') ?? '');
/** What the document waits for. */
const early = sizes.flatMap(({ path }) => (path.startsWith('assets/early.') ? path : []));

describe('the web client weighs, in brotli,', () => {
  it('at most 60 kB of JavaScript before its first screen', () => {
    expect(total(start)).toBeGreaterThan(0);
    expect(total([...start, ...early])).toBeLessThanOrEqual(60 * KB);
  });

  it('at most 1 kB of JavaScript before anything is painted', () => {
    expect(total(early)).toBeGreaterThan(0);
    expect(total(early)).toBeLessThanOrEqual(KB);
  });

  it('one file of JavaScript at its start, Today and signing in included', () => {
    expect([...start]).toHaveLength(1);
    for (const screen of STARTING) expect(made(screen), screen).toBeUndefined();
  });

  it('at most 12 kB of styles', () => {
    const styles = sizes.filter(({ path }) => path.endsWith('.css'));
    expect(styles).toHaveLength(1);
    expect(total(styles.map(({ path }) => path))).toBeLessThanOrEqual(12 * KB);
  });

  it('at most 20 kB for each part that is loaded later, with what only it needs', () => {
    const lazy = new Set(sizes.flatMap((size) => size.lazy ?? []));
    for (const part of lazy) {
      const own = [...closure(part)].filter((path) => !start.has(path));
      expect(total(own), part).toBeLessThanOrEqual(20 * KB);
    }
  });

  it('at most 180 kB in all', () => {
    expect(total(sizes.map(({ path }) => path))).toBeLessThanOrEqual(180 * KB);
  });
});
