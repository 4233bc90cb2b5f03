import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainWords, shownAddress } from '../../src/mail/plain-words.ts';

describe('names and titles in mails to strangers', () => {
  it.each([
    ['Ada Lovelace', 'Ada Lovelace'],
    ["Ada's workspace", "Ada's workspace"],
    ['Küche & Bad (2. Stock)', 'Küche & Bad (2. Stock)'],
    ['買い物。牛乳', '買い物。牛乳'],
    ['To do: groceries, v2.0, and/or 3:4', 'To do: groceries, v2.0, and/or 3:4'],
    ['Sommerfest 🏳️‍🌈', 'Sommerfest 🏳🌈'],
  ])('%j stays readable', (given, shown) => {
    expect(plainWords(given)).toBe(shown);
  });

  it.each([
    'https://evil.example/restore',
    'HTTP:evil',
    'mailto:eve',
    '//evil',
    '\\\\evil\\share',
    'www.evil.example',
    'evil.example',
    'evil.example/restore?a=b',
    '(evil.com)',
    'evil．com',
    'evil。com',
    'ev\u200bil.com',
    'evil.\u2060com',
    'eve@evil',
    '@evil_bot',
    '192.0.2.1',
    '192.0.2.1:8080/x',
    'пример.рф',
    'xn--e1afmkfd.xn--p1ai',
  ])('%j reads as an address and is left out', (address) => {
    expect(plainWords(`URGENT sign in at ${address} now`)).toBe('URGENT sign in at … now');
    expect(plainWords(address)).toBe('');
  });

  it('carry no control, line break, mark of direction or invisible character', () => {
    expect(plainWords('a\u001b[31m\r\nBcc: x\u202e\u2066\u200b\u2028y\ufeff\u0007')).toBe('a [31m Bcc: x y');
  });

  it('are at most 60 characters on one line, whatever they were', () => {
    const units = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(units, (text) => {
        const shown = plainWords(text);
        expect(shown.length).toBeLessThanOrEqual(60);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}@]|:\/\/|www\./u);
        expect(plainWords(shown)).toBe(shown);
      }),
    );
    expect(plainWords('x'.repeat(500))).toBe(`${'x'.repeat(59)}…`);
  });
});

describe('addresses in mails to strangers', () => {
  it.each([
    'ada@example.com',
    'ada.lovelace+errand@mail.example.co.uk',
    'a_b-c@x.example',
    'o123@sub.domain.example.com',
  ])('%s is shown whole', (address) => {
    expect(shownAddress(address)).toBe(address);
  });

  it.each([
    [
      'your-account-is-suspended_visit.www.evil-example.com/restore@attacker.example',
      'your…@attacker.example',
    ],
    ['your.account.is.suspended@attacker.example', 'your…@attacker.example'],
    ['evil.example/restore@attacker.example', 'evil…@attacker.example'],
    [`${'x'.repeat(64)}@attacker.example`, `${'x'.repeat(16)}…@attacker.example`],
    ['eve@your-account-is-suspended.visit.attacker.example', 'eve@…attacker.example'],
    [`eve@${'x'.repeat(63)}.example`, `eve@…${`${'x'.repeat(63)}.example`.slice(-60)}`],
  ])('%s is shown as %s', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });
});
