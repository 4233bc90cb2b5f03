import { describe, expect, it } from 'vitest';
import {
  mentionAt,
  mentionChoices,
  mentionedIn,
  plainMentions,
  withMentions,
} from '../../src/web/text/mentions.ts';

const ada = { userId: '11111111-1111-7111-8111-111111111111', name: 'Ada' };
const brandt = { userId: '22222222-2222-7222-8222-222222222222', name: 'Ada Brandt' };
const people = [ada, brandt];

describe('a mention in a comment', () => {
  it('is a member behind an @, the longest name first', () => {
    expect(withMentions('Hi @Ada Brandt, and @ada!', people)).toBe(
      `Hi [@Ada Brandt](errand:user/${brandt.userId}), and [@Ada](errand:user/${ada.userId})!`,
    );
  });

  it('is no part of a word or an address', () => {
    for (const text of ['mail ada@Ada.example', '@Adam', 'no one @ all', '@', 'a@@Ada b'])
      expect(plainMentions(withMentions(text, people))).toBe(text);
    expect(withMentions('x@Ada', people)).toBe('x@Ada');
  });

  it('reads as it was written, and names the same person after an edit', () => {
    const other = { ...ada, userId: '33333333-3333-7333-8333-333333333333' };
    const body = `[@Ada](errand:user/${other.userId}) look`;
    expect(plainMentions(body)).toBe('@Ada look');
    expect(withMentions('@Ada look again', [...mentionedIn(body, [ada, other]), ada, other])).toContain(
      other.userId,
    );
  });

  it('is offered by the beginning of any word of a name', () => {
    expect(mentionAt('Hi @br', 6)).toEqual({ query: 'br', start: 3 });
    expect(mentionChoices('br', people)).toEqual([brandt]);
    expect(mentionChoices('ada b', people)).toEqual([brandt]);
    expect(mentionAt('mail x@br', 9)).toBeNull();
  });
});
