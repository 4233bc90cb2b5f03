import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, indexText, matchTerms, titleKey } from '../../src/storage/words.ts';

/** Any UTF-16 at all, halves of characters included. */
const anyText = () =>
  fc.string({
    unit: fc.oneof(fc.nat(0xff), fc.nat(0xffff)).map((unit) => String.fromCharCode(unit)),
    maxLength: 200,
  });
const tokens = (text: string) => indexText(1, text).trim().split(' ').filter(Boolean);

describe('folding', () => {
  it.each([
    ['case', 'MILK', 'milk'],
    ['accents', 'Crème Brûlée', 'creme brulee'],
    ['accents written as marks of their own', 'e\u0301', 'e'],
    ['strokes and ligatures', 'Łódź Ærø œuvre Þór', 'lodz aero oeuvre thor'],
    ['sharp s, small and capital', 'Straße STRAẞE', 'strasse strasse'],
    ['the final sigma', 'ΟΔΟΣ', fold('οδος')],
    ['dotted and dotless i', 'İstanbul ılık', 'istanbul ilik'],
    ['Cyrillic accents', 'Ёлка Йога', 'елка иога'],
    ['Arabic vowel signs', 'مُحَمَّد', 'محمد'],
    ['Hebrew points', 'שָׁלוֹם', 'שלום'],
    ['full width', 'Ｅｒｒａｎｄ １２', 'errand 12'],
    ['half width kana, whose voicing is part of the letter', 'ｶﾞ', 'ガ'],
    ['Devanagari, whose marks are letters', 'हिन्दी', 'हिन्दी'],
  ])('drops %s', (_what, text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('changes nothing that is folded already, and never throws', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });
});

describe('what a text is found by', () => {
  it('is no pair of characters more than a thousand times', () => {
    const tokens = indexText(1, `${'東'.repeat(50_000)}京`)
      .trim()
      .split(' ');
    expect(tokens).toEqual([...Array(1_000).fill('1_東東'), '1_東京', '1_京']);
  });

  it('are its words, once each, behind the code of the workspace', () => {
    expect(indexText(36, 'Buy milk, buy MILK!')).toBe('10_buy 10_milk ');
  });

  it('is nothing for a text without words', () => {
    for (const text of [null, '', ' ', '!? … "()*"']) expect(indexText(1, text)).toBe('');
  });

  it('are overlapping pairs where words have no spaces, closed by the last character', () => {
    expect(tokens('東京都')).toEqual(['1_東京', '1_京都', '1_都']);
    expect(tokens('ไทย')).toEqual(['1_ไท', '1_ทย', '1_ย']);
    expect(tokens('buy米2kg')).toEqual(['1_米', '1_2kg', '1_buy']);
  });

  it('are emoji too, apart from the word they stand by', () => {
    expect(tokens('party🎉🎈')).toEqual(['1_🎉🎈', '1_🎈', '1_party']);
    expect(tokens('👍🏽')).toEqual(tokens('👍'));
    expect(tokens('🇩🇪')[0]).toBe('1_🇩🇪');
  });

  it('is the beginning of a word that is very long, whole characters only', () => {
    expect(tokens('a'.repeat(500))).toEqual([`1_${'a'.repeat(40)}`]);
    expect(tokens(`a${'𐐨'.repeat(30)}`)).toEqual([`1_a${'𐐨'.repeat(19)}`]);
  });
});

describe('what is asked for', () => {
  it('is so little of one run at a time that looking for it everywhere takes no long', () => {
    const run = Array.from({ length: 40 }, (_, i) => String.fromCodePoint(0x4e00 + i));
    const pairs = run.slice(0, -1).map((character, i) => `1_${character}${run[i + 1]}`);
    const phrases = [pairs.slice(0, 16), pairs.slice(16, 32), pairs.slice(32)];
    expect(matchTerms(1, run.join(''))).toEqual(phrases.map((phrase) => `"${phrase.join(' ')}"`));
  });

  it('becomes one quoted prefix for each word, of all of which none may miss', () => {
    expect(matchTerms(1, 'Buy milk buy')).toEqual(['"1_buy" *', '"1_milk" *']);
    expect(matchTerms(1, 'b bu buy milk')).toEqual(['"1_buy" *', '"1_milk" *']);
    expect(matchTerms(1, '東京都')).toEqual(['"1_東京 1_京都"']);
    expect(matchTerms(1, '東')).toEqual(['"1_東" *']);
  });

  it('is nothing without words', () => {
    for (const asked of ['', '"', '* ^ ( ) : - + _', '\u0301']) expect(matchTerms(1, asked)).toEqual([]);
  });

  it('holds nothing of a query language, whatever is asked', () => {
    fc.assert(
      fc.property(anyText(), (asked) => {
        for (const term of matchTerms(1, asked)) {
          expect(term).toMatch(/^"[^"*^(){}:+\-\s]+( [^"*^(){}:+\-\s]+)*"( \*)?$/u);
        }
      }),
    );
  });
});

describe('the key of a title', () => {
  it('ignores case and accents', () => {
    expect(['éclair', 'Zebra', 'apple'].sort((a, b) => (titleKey(a) < titleKey(b) ? -1 : 1))).toEqual([
      'apple',
      'éclair',
      'Zebra',
    ]);
  });

  it('is bounded and never ends in half a character', () => {
    expect(titleKey('x'.repeat(500))).toHaveLength(64);
    expect(titleKey(`x${'𐐨'.repeat(100)}`)).toBe(`x${'𐐨'.repeat(31)}`);
  });
});

describe('hostile texts', () => {
  it.each([
    ['marks on one letter', `e${'\u0316\u0301'.repeat(25_000)}`],
    ['ligatures of eighteen letters', 'ﷺ'.repeat(10_000)],
    ['half characters', '\ud83d'.repeat(50_000)],
    ['one run of characters without spaces', '東'.repeat(50_000)],
  ])('grow no more in the index than by their letters: %s', (_what, text) => {
    const half = text.slice(0, text.length / 2);
    expect(indexText(1, text).length).toBeLessThan(2.1 * indexText(1, half).length + 100);
    expect(titleKey(text.slice(0, 500)).length).toBeLessThanOrEqual(64);
  });
});
