import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wordsOf, wordsOfComment } from '../../src/storage/searchable.ts';
import { fold, indexText, titleKey } from '../../src/storage/words.ts';
import { type Call, openHome } from '../people.ts';
import { DAILY } from '../series-world.ts';
import type { World } from '../world.ts';

const GREATEST = { title: 500, description: 50_000, comment: 20_000, items: 100 };
/** Marks of the lowest and the highest class: with one of each on either side, whatever can be reordered is. */
const [LOWEST, HIGHEST] = ['\u0334', '\u0345'];

const isReordered = (first: string): boolean =>
  (HIGHEST + first).normalize('NFD') !== HIGHEST + first ||
  (first + LOWEST).normalize('NFD') !== first + LOWEST;

const EVERY = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

const marks = EVERY.filter((character) => /\p{M}/u.test(character));
const REORDERED = new RegExp(`[${marks.filter(isReordered).join('')}]+`, 'gu');
const longestRun = (text: string): number =>
  Math.max(0, ...[...text.normalize('NFKD').matchAll(REORDERED)].map(([run]) => run.length));

/** What is handed to Unicode's normalisation while `work` runs: it takes the square of the longest run of marks. */
function normalised(work: () => void): string[] {
  const texts: string[] = [];
  const real = String.prototype.normalize;
  const spy = vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
    texts.push(String(this));
    return real.call(this, form);
  });
  try {
    work();
  } finally {
    spy.mockRestore();
  }
  return texts;
}

/** What folding and indexing cost, by what is deterministic of it. */
const costOf = (text: string) =>
  costWhile(() => {
    titleKey(text.slice(0, GREATEST.title));
    return indexText(1, text);
  });

function costWhile(index: () => string): { longestRun: number; units: number; tokens: number } {
  let indexed = '';
  const texts = normalised(() => {
    indexed = index();
  });
  return {
    longestRun: Math.max(0, ...texts.map(longestRun)),
    units: texts.reduce((sum, { length }) => sum + length, 0),
    tokens: indexed.split(' ').length,
  };
}

function expectLinear(text: string): void {
  expectCostOf(costOf(text), text.length);
}

function expectCostOf(cost: ReturnType<typeof costOf>, length: number): void {
  expect(cost.longestRun).toBeLessThanOrEqual(150);
  expect(cost.units).toBeLessThanOrEqual(5 * length + 60_000);
  expect(cost.tokens).toBeLessThanOrEqual(3 * length + 60_000);
}

/** `parts` over and over. */
const filled = (parts: string, length = GREATEST.description): string =>
  parts
    .repeat(Math.ceil(length / parts.length))
    .slice(0, length)
    .toWellFormed();

describe('no text costs more than by its length', () => {
  it('whichever character it is made of, among marks that must be put in order', () => {
    const folded = EVERY.filter(
      (character) => fold(character) !== character || isReordered(character) || /\p{M}/u.test(character),
    );
    // Every other stands between marks as it is: nothing is ever put in order across it.
    expect(folded.length).toBeGreaterThan(10_000);
    for (const character of folded) {
      const text = filled(character + HIGHEST + LOWEST, 300);
      const runs = normalised(() => fold(text)).map(longestRun);
      expect(Math.max(...runs), JSON.stringify(character)).toBeLessThanOrEqual(150);
    }
  });

  it('whatever is removed between marks that stay', () => {
    const stays = '\u0f74\u0f71'.repeat(15);
    const removed = EVERY.filter((character) => fold(character) === '');
    expect(removed).toContain('\u0640');
    for (const character of removed) {
      const runs = normalised(() => fold(filled(stays + character, 1_000))).map(longestRun);
      expect(Math.max(...runs), JSON.stringify(character)).toBeLessThanOrEqual(150);
    }
  });

  it('whichever character it repeats', () => {
    const long = EVERY.filter((character) => fold(character).length > 3 * character.length);
    for (const character of long) expectLinear(filled(character));
  });

  it.each([
    ['voicing marks of half width, which are letters until they are decomposed', '\uff9e\u0334'],
    ['both of them', '\uff9f\u0334\uff9e\u0f71'],
    ['a letter that is removed between marks that stay', `${'\u0f74\u0f71'.repeat(15)}\u0640`],
    ['marks of two marks', '\u0344\u0334'],
    ['a phrase of eighteen letters in one character', '\ufdfa'],
    ['such phrases apart', '\ufdfa a'],
    ['squared words', '\u3316\u33af'],
    ['jamo', '\u1100\u1161\u11a8'],
    ['words of one letter', 'ä б '],
    ['mentions that never end', '[@'],
  ])('as %s', (_what, parts) => {
    expectLinear(filled(parts));
    const comment = filled(parts, GREATEST.comment);
    expectCostOf(
      costWhile(() => wordsOfComment(1, comment)),
      comment.length,
    );
    const title = filled(parts, GREATEST.title);
    const items = Array.from({ length: GREATEST.items }, () => ({ id: 'item', title, isDone: false }));
    const task = { workspace_code: 1, title, description: filled(parts), checklist: JSON.stringify(items) };
    expectCostOf(
      costWhile(() => wordsOf(task).description),
      GREATEST.description + GREATEST.items * GREATEST.title,
    );
  });

  it('whatever hostile characters it mixes', () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        ...'\uff9e\uff9f\u0334\u0345\u0344\u0640\u3099\u309a\u0f71\u0f74\u094d\u05bf\u064b\u200c\u200d',
      ),
      fc.constantFrom(...'\ufdfa\ufdfb\u3316\u33af\u0390\u1e9e\u0130\uac01\u1100\u1161\u11a8東か👍ß aΣ'),
      fc.constantFrom(...marks),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    );
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 60 }), (characters) => {
        expectLinear(filled(characters.join(''), 20_000));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a long description', () => {
  let world: World;
  let call: Call;
  let workspace: string;
  let listId: string;
  const description = filled('Zwölf Äpfel 東京都 ');

  beforeAll(async () => {
    ({ world, call, home: workspace, listId } = await openHome());
  });
  afterAll(() => world.close());

  const timesFolded = async (work: () => Promise<unknown>): Promise<number> => {
    const real = String.prototype.normalize;
    let times = 0;
    const spy = vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
      if (form === 'NFKD' && this.length > 10_000) times += 1;
      return real.call(this, form);
    });
    await work().finally(() => spy.mockRestore());
    return times;
  };
  const totalOf = async (q: string) =>
    (await call('GET', `/workspaces/${workspace}/tasks/search?${new URLSearchParams({ q })}`)).body.total;

  it('is not folded again when only the title changes, and is found as before', async () => {
    const path = `/workspaces/${workspace}/tasks`;
    const { id } = (await call('POST', path, { title: 'first', listId, description })).body;
    expect(
      await timesFolded(async () => {
        for (const title of ['Second', 'Third']) {
          expect((await call('PATCH', `${path}/${id}`, { title })).status).toBe(200);
        }
      }),
    ).toBe(0);
    expect(await Promise.all(['first', 'second', 'third zwolf', '京都'].map(totalOf))).toEqual([0, 0, 1, 1]);
    await call('PATCH', `${path}/${id}`, { title: 'Fourth', description: 'short' });
    expect(await Promise.all(['third', 'fourth short', 'zwolf'].map(totalOf))).toEqual([0, 1, 0]);
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
  });

  it('is folded once for all instances of a series', async () => {
    const path = `/workspaces/${workspace}/recurring-tasks`;
    const folded = await timesFolded(async () => {
      const made = await call('POST', path, { title: 'Water', listId, description, interval: DAILY });
      expect(made.status).toBe(201);
      for (let n = 0; n < 5; n += 1) {
        expect((await call('POST', `${path}/${made.body.id}/skip`, {})).status).toBe(200);
      }
    });
    expect(folded).toBeLessThanOrEqual(1);
    expect(await totalOf('water zwolf')).toBe(1);
  });
});
