import { describe, expect, it } from 'vitest';
import { FILTER_NAMES, sayFilter } from '../../src/web/text/say-filters.ts';

const titles: Record<string, string> = {
  'label l1': 'legal',
  'status s1': 'In review',
  'assignee u1': 'Ada',
};
const say = (name: (typeof FILTER_NAMES)[number], value: string) =>
  sayFilter(name, value, (of, id) => titles[`${of} ${id}`]);

describe('a filter of an address in words', () => {
  it('names each of its values as the dialog and the rows do', () => {
    expect([
      say('priority', 'urgent'),
      say('priority', 'none'),
      say('assignee', 'me'),
      say('assignee', 'u1'),
      say('label', 'none'),
      say('label', 'l1'),
      say('status', 'open'),
      say('status', 's1'),
      say('due', 'week'),
    ]).toEqual([
      'Urgent',
      'No priority',
      'Me',
      'Ada',
      'No label',
      'legal',
      'Open',
      'In review',
      'Next 7 days',
    ]);
  });

  it('names all of several values, and what is not known', () => {
    expect(say('priority', 'urgent,high')).toBe('Urgent, High');
    expect(say('label', 'l1,gone')).toBe('legal, one that is gone');
    for (const name of FILTER_NAMES) expect(say(name, 'constructor')).toBe('one that is gone');
  });
});
