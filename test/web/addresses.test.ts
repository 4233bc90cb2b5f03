import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leadsTo } from '../../src/web/screens/notifications/leads-to.ts';
import { addressOf, matchAddress, returnTo } from '../../src/web/shell/addresses.ts';

describe('an address of the client', () => {
  it('names ids only, so that none leads a request elsewhere', () => {
    const w = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';
    expect(matchAddress(`/w/${w}/tasks/ABC-12`)).toEqual({ name: 'task', params: { w, task: 'ABC-12' } });
    expect(matchAddress(addressOf('list', { w, listId: w }))?.params).toEqual({ w, listId: w });
    for (const part of [
      '..%2f..%2fme',
      '..',
      '.',
      '%2e%2e',
      'x%5c..',
      'x%3fq=1',
      'x%23',
      'x?y',
      '%00',
      'ü',
      '%',
    ])
      expect([part, matchAddress(`/w/${part}/today`), matchAddress(`/w/${w}/tasks/${part}`)]).toEqual([
        part,
        undefined,
        undefined,
      ]);
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        for (const path of [
          `/w/${a}/lists/${b}`,
          `/w/${encodeURIComponent(a)}/tasks/${encodeURIComponent(b)}`,
        ])
          for (const value of Object.values(matchAddress(path)?.params ?? {}))
            expect(value).toMatch(/^[\w-]+$/);
      }),
    );
  });

  it('to go back to after signing in is one of our own', () => {
    expect(returnTo('/settings/tokens')).toBe('/settings/tokens');
    for (const to of [
      null,
      '',
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ])
      expect(returnTo(to)).toBe('/today');
  });
});

describe('a notification leads', () => {
  const data = { workspaceId: 'w', taskId: 't' };
  it.each([
    ['task.due', data, ['w'], '/w/w/tasks/t'],
    ['comment.added', { ...data, commentId: 'c' }, ['w'], '/w/w/tasks/t?comment=c'],
    ['token.expiring', { tokenId: 'x' }, ['w'], '/settings/tokens'],
    ['workspace.owner_changed', { workspaceId: 'w' }, ['w'], '/w/w/settings/people'],
    ['workspace.invited', { workspaceId: 'w' }, [], '/notifications'],
    ['task.assigned', data, ['other'], '/notifications'],
  ] as const)('of %s with %j, to a member of %j, to %s', (type, of, workspaceIds, address) => {
    expect(leadsTo({ type, data: of }, workspaceIds)).toBe(address);
  });
});
