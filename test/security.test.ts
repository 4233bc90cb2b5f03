import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = new URL('.', import.meta.url).pathname;

/** Every text in the sources of tests: names of tests and groups stand among them, those in tables too. */
const texts = [
  ...new Set(
    readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && file !== 'security.test.ts')
      .flatMap((file) => [
        ...readFileSync(join(FOLDER, file), 'utf8').matchAll(
          /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g,
        ),
      ])
      .map((match) => (match[1] ?? match[2] ?? match[3] ?? '').replaceAll("\\'", "'")),
  ),
];
const exact = new Set(texts);
const FILLED_IN = /\$\{[^}]*\}|%[sdj]|\$\w+(?:\.\w+)*/g;
const patterns = texts
  .filter((text) => text.search(FILLED_IN) >= 0 && text.replaceAll(FILLED_IN, '').length >= 20)
  .map((text) => new RegExp(`^${text.split(FILLED_IN).map(RegExp.escape).join('.*')}`));

/** The name of a test, or its beginning; the name of its group may stand before it. */
const isName = (part: string): boolean =>
  texts.some((text) => text.includes(part)) ||
  patterns.some((pattern) => pattern.test(part)) ||
  [...part.matchAll(/:? /g)].some(
    ({ index, 0: gap }) => exact.has(part.slice(0, index)) && isName(part.slice(index + gap.length)),
  );

/** "…" stands for words left out. */
const isTitle = (quoted: string): boolean =>
  quoted
    .split(/\s*…\s*/)
    .filter(Boolean)
    .every(isName);

describe('security.md', () => {
  const text = readFileSync(join(FOLDER, 'security.md'), 'utf8');

  it('names tests that there are', () => {
    const quoted = [...text.matchAll(/"([^"\n]+)"/g)].map(([, name = '']) => name);
    expect(quoted.length).toBeGreaterThan(300);
    expect(quoted.filter((name) => !isTitle(name))).toEqual([]);
  });

  it('has one verdict for each row', () => {
    const ids = text
      .split('\n')
      .filter((line) => line.includes(' | '))
      .map((line) => line.split(' | ', 1)[0]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});
