import { describe, expect, it } from 'vitest';
import { mergeStatuses, type StatusDraft } from '../../src/web/screens/settings/merge-statuses.ts';

const status = (id: string, title = id): StatusDraft => ({ id, title, type: 'started', color: '#3b74b0' });
const [a, b, c] = [status('a'), status('b'), status('c')];
const base = [a, b, c];
const titles = (statuses: readonly StatusDraft[]) => statuses.map(({ title }) => title);
const merged = (mine: StatusDraft[], theirs: StatusDraft[]) => mergeStatuses(base, mine, theirs);

describe('statuses that two people edit', () => {
  it('are theirs where nothing was edited here', () => {
    const theirs = [c, status('a', 'A'), status('d')];
    expect(merged(base, theirs)).toEqual({ statuses: theirs, conflicts: [] });
  });

  it('keep what was edited here, and take what was edited there in other rows and other fields', () => {
    const mine = [{ ...a, title: 'Mine' }, b, c];
    const theirs = [{ ...a, color: '#ffffff' }, status('b', 'Theirs'), c];
    expect(merged(mine, theirs)).toEqual({
      statuses: [{ ...a, title: 'Mine', color: '#ffffff' }, status('b', 'Theirs'), c],
      conflicts: [],
    });
  });

  it('keep a field that both edited as it is here, and say so; the same edit is none', () => {
    const { statuses, conflicts } = merged(
      [status('a', 'Mine'), status('b', 'Same'), c],
      [status('a', 'Theirs'), status('b', 'Same'), c],
    );
    expect(titles(statuses)).toEqual(['Mine', 'Same', 'c']);
    expect(conflicts).toEqual(['“Theirs” was changed too; here it stays as you have it.']);
  });

  it('stay removed and added, wherever that was done', () => {
    const mine = [a, c, { ...status('new 1'), isNew: true }];
    const theirs = [a, status('d'), b];
    expect(titles(merged(mine, theirs).statuses)).toEqual(['a', 'd', 'new 1']);
  });

  it('bring back as a new one what was edited here and removed there, and say so', () => {
    const { statuses, conflicts } = merged([a, status('b', 'Mine'), c], [a, c]);
    expect(statuses).toEqual([a, { ...status('b', 'Mine'), isNew: true }, c]);
    expect(conflicts).toEqual(['“b” was removed; here it is a new status.']);
  });

  it('say what was removed here and edited there, and leave it removed', () => {
    const { statuses, conflicts } = merged([a, c], [a, status('b', 'Theirs'), c]);
    expect(statuses).toEqual([a, c]);
    expect(conflicts).toEqual(['“Theirs” is removed here.']);
  });

  it('are in the order that was chosen here, else in theirs', () => {
    expect(titles(merged([c, b, a], [a, status('d'), b, c]).statuses)).toEqual(['c', 'd', 'b', 'a']);
    expect(titles(merged([status('a', 'Mine'), b, c], [c, b, a]).statuses)).toEqual(['c', 'b', 'Mine']);
  });
});
