import { describe, expect, it } from 'vitest';
import { type Change, MAX_CHANGES, summarize } from '../../src/db/journal.ts';
import { createTxHandle } from '../../src/db/tx.ts';
import type { ChangeRow } from '../../src/storage/tables.ts';
import { ada, reopen, useHome, home as workspaceId, world } from '../ada.ts';

useHome();

const rows = () => world.rows<ChangeRow>(`select * from changes where kind = 'label' order by seq`);
const put = (id: string, fields?: string[]): Change => ({
  workspaceId,
  kind: 'label',
  id,
  op: 'put',
  ...(fields && { fields }),
});

describe('the journal', () => {
  it('writes what a transaction recorded in the same commit, with its author, and publishes it afterwards', async () => {
    const heard: ChangeRow[] = [];
    const stop = world.deps.database.onChanges((published) => heard.push(...published));
    await world.deps.write((tx) => {
      tx.actAs({ userId: ada.id, clientId: 'tab' });
      tx.record(put('a'));
      tx.record(put('b', ['title']));
      expect(heard).toEqual([]);
    });
    stop();
    expect(rows().map(({ thing_id, fields, client_id }) => [thing_id, fields, client_id])).toEqual([
      ['a', null, 'tab'],
      ['b', 'title', 'tab'],
    ]);
    const [code] = world.values('select code from users');
    expect(rows().map(({ actor_code }) => actor_code)).toEqual([code, code]);
    expect(heard).toEqual(rows());
  });

  it('names nobody for what time or a command did, beside what a person did in the same commit', async () => {
    await Promise.all([
      world.deps.write((tx) => {
        tx.actAs({ userId: ada.id, clientId: 'tab' });
        tx.record(put('a'));
      }),
      world.deps.write((tx) => tx.record(put('b'))),
    ]);
    expect(rows().map(({ thing_id, actor_code, client_id }) => [thing_id, actor_code, client_id])).toEqual([
      ['a', expect.any(Number), 'tab'],
      ['b', null, null],
    ]);
  });

  it('neither writes nor publishes what a failed transaction recorded, beside others in its commit', async () => {
    const heard: ChangeRow[] = [];
    world.deps.database.onChanges((published) => heard.push(...published));
    const writes = [
      world.deps.write((tx) => tx.record(put('before'))),
      world.deps.write((tx): void => {
        tx.record(put('failed'));
        throw new Error('no');
      }),
      world.deps.write((tx) => tx.record(put('after'))),
    ];
    await Promise.allSettled(writes);
    expect(rows().map(({ thing_id }) => thing_id)).toEqual(['before', 'after']);
    expect(heard.map(({ thing_id }) => thing_id)).toEqual(['before', 'after']);
  });

  it('numbers rows in the order of commits, over a restart and after the newest workspace is gone', async () => {
    const { accessToken: token } = await world.signUp('bob@example.com');
    const { body: other } = await world.call('POST', '/workspaces', { token, body: { title: 'Other' } });
    const record = (id: string, workspace = workspaceId) =>
      world.deps.write((tx) => tx.record({ ...put(id), workspaceId: workspace }));
    await record('a');
    await record('b', other.id);
    const [, highest] = rows().map(({ seq }) => seq);
    await world.call('DELETE', `/workspaces/${other.id}`, { token });
    await reopen();
    await record('c');
    expect(rows().at(-1)?.seq).toBeGreaterThan(highest ?? Number.NaN);
  });

  it('leaves out what was recorded of a workspace that is gone', async () => {
    await world.deps.write((tx) => tx.record({ ...put('a'), workspaceId: 'gone' }));
    expect(rows()).toEqual([]);
  });
});

describe('what one transaction changed', () => {
  it('is told once for each thing, with the sum of its fields', () => {
    expect(summarize([put('a', ['title']), put('b'), put('a', ['color', 'title'])])).toEqual([
      put('a', ['title', 'color']),
      put('b'),
    ]);
    expect(summarize([put('a'), { ...put('a'), op: 'delete' }])).toEqual([{ ...put('a'), op: 'delete' }]);
    expect(summarize([{ ...put('a'), op: 'delete' }, put('a', ['title'])])).toEqual([put('a')]);
    const refetch: Change = { workspaceId, kind: 'list', id: 'l', op: 'refetch' };
    expect(summarize([refetch, { ...refetch, op: 'put' }])).toEqual([refetch]);
    expect(summarize([refetch, { ...refetch, op: 'delete' }])).toEqual([{ ...refetch, op: 'delete' }]);
  });

  it('is told to each workspace that it concerns, as a name is of a person in two', () => {
    const here: Change = { workspaceId, kind: 'member', id: ada.id, op: 'put', fields: ['name'] };
    const there = { ...here, workspaceId: 'other' };
    expect(summarize([here, there])).toEqual([here, there]);
  });

  const tasks = (n: number, within: Change['within']): Change[] =>
    Array.from({ length: n }, (_, i) => ({
      workspaceId,
      kind: 'task',
      id: `task ${i}`,
      op: 'put',
      ...(within && { within }),
    }));

  it('is told thing by thing up to the limit, beyond as the smallest scope that holds all of it', () => {
    const within = { list: 'list', space: 'space' };
    expect(summarize(tasks(MAX_CHANGES, within))).toHaveLength(MAX_CHANGES);
    const label: Change = put('a');
    const refetch = { workspaceId, op: 'refetch' };
    expect(summarize([...tasks(MAX_CHANGES + 1, within), label])).toEqual([
      label,
      { ...refetch, kind: 'list', id: 'list' },
    ]);
    const moved = { ...tasks(1, { list: 'other', space: 'space' })[0], id: 'moved' } as Change;
    expect(summarize([...tasks(MAX_CHANGES + 1, within), moved])).toEqual([
      { ...refetch, kind: 'space', id: 'space' },
    ]);
    expect(summarize(tasks(MAX_CHANGES + 1, undefined))).toEqual([
      { ...refetch, kind: 'workspace', id: workspaceId },
    ]);
  });

  it('is told as that scope too where very many steps changed it, none of which keeps all that went before', () => {
    const { tx, entry, compact } = createTxHandle(
      world.deps.read,
      {} as never,
      () => {},
      () => ({ release() {}, rollBack() {} }),
    );
    tx.record(put('a'));
    for (const task of tasks(5 * MAX_CHANGES, { list: 'list' })) {
      tx.record(task);
      compact();
      expect(entry().changes.length).toBeLessThanOrEqual(2 * MAX_CHANGES);
    }
    expect(summarize(entry().changes)).toEqual([
      put('a'),
      { workspaceId, op: 'refetch', kind: 'list', id: 'list' },
    ]);
  });
});
