import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { dropDeadImports, dropInterruptedImports } from '../../src/import/import.ts';
import { startReading } from '../../src/import/reading.ts';
import { unavailable } from '../../src/kernel/errors.ts';
import { tick } from '../../src/tick.ts';
import { allowancesOf } from '../../src/workspaces/quotas.ts';
import { finishRemovals } from '../../src/workspaces/removals.ts';
import { ada, at, call, listId, openHomeInstead, reopen, useWorld, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as } from '../people.ts';
import { errand } from '../shell.ts';
import type { Person } from '../world.ts';
import { STATUS_TEMPLATES } from './round-trip.ts';

useWorld();
afterEach(() => expectIntegrity(world));

const MINUTE = 60_000;

/** A document with so many tasks, some of them of a series. */
function documentOf(tasks: number) {
  return {
    formatVersion: 2,
    workspaces: [
      {
        title: 'Secretlair',
        statusTemplates: STATUS_TEMPLATES,
        spaces: [{ id: 's', title: 'Space' }],
        lists: [{ id: 'l', title: 'List', spaceId: 's', statusTemplateId: 't' }],
        tasks: Array.from({ length: tasks }, (_, i) => ({
          id: `${i}`,
          title: `Hidden thing ${i}`,
          listId: 'l',
          comments: i % 10 === 0 ? [{ body: 'Whispered word' }] : [],
        })),
      },
    ],
  };
}

/** Has the write after so many of an import do something else first. */
function before(write: number, happens: () => unknown): void {
  const { write: real } = world.deps;
  let writes = 0;
  world.deps.write = (async (job: never, from: never) => {
    writes += 1;
    if (writes === write) await happens();
    return real(job, from);
  }) as typeof real;
}

const importAs = (person: Person, document: unknown) =>
  as(world, person)('POST', '/account/import', document);

function expectNothingLeft(): void {
  for (const table of ['imports', 'removals', 'tasks', 'comments', 'task_search'])
    expect(world.count(table)).toBe(0);
  expect(world.count('workspaces')).toBe(1);
}

describe('an import that is interrupted leaves nothing', () => {
  it('when the session of the importer ends', async () => {
    const ada = await world.signUp();
    before(5, () =>
      world.call('POST', '/auth/logout', {
        token: ada.accessToken,
        body: { refreshToken: ada.refreshToken },
      }),
    );
    expect((await importAs(ada, documentOf(500))).status).toBe(401);
    expectNothingLeft();
  });

  it('when the account is deleted meanwhile', async () => {
    const ada = await world.signUp();
    const bob = await world.signUp();
    before(5, () => as(world, ada)('DELETE', '/auth/me', { password: ada.password }));
    expect((await importAs(ada, documentOf(500))).status).toBe(401);
    expectNothingLeft();
    expect((await as(world, bob)('GET', '/me')).status).toBe(200);
  });

  it.each([
    ['stops', 0],
    ['is killed', 1],
  ])('when the server %s, once it starts again', async (how, imports) => {
    const ada = await world.signUp();
    before(5, () => {
      world.opened.beginStop();
      if (how === 'is killed') world.deps.write = () => Promise.reject(unavailable(how));
    });
    expect((await importAs(ada, documentOf(500))).status).toBe(503);
    expect([world.count('tasks') > 0, world.count('imports')]).toEqual([true, imports]);
    await reopen();
    await dropInterruptedImports(world.deps);
    await finishRemovals(world.deps);
    expectNothingLeft();
  });

  it.each([
    ['tasks', 600],
    ['megabytes', 0.01],
  ])('when the quota of %s is exceeded by then', async (quota, most) => {
    await openHomeInstead();
    const { config } = world.deps;
    Object.assign(world.deps, { config: { ...config, quotas: { ...config.quotas, [quota]: most } } });
    allowancesOf(world.deps).clear();
    before(4, async () => {
      for (let i = 0; i < 200; i += 1) {
        await call('POST', at('/tasks'), { title: 'Quick enough', listId });
      }
    });
    const { status, body } = await importAs(ada, documentOf(500));
    expect([status, body.message]).toEqual([403, expect.stringContaining(`(quotas.${quota})`)]);
    expect([
      world.count('imports'),
      world.count('removals'),
      world.count('workspaces'),
      world.count('tasks'),
    ]).toEqual([0, 0, 1, 200]);
  });

  it('when its command is gone, two minutes later', async () => {
    const ada = await world.signUp('ada@example.com');
    const file = join(world.folder, 'document.json');
    writeFileSync(file, JSON.stringify(documentOf(20_000)));
    const child = spawn(process.execPath, ['src/main.ts', 'import', file, '--user', ada.email], {
      env: { ...process.env, ERRAND_DATABASE_PATH: join(world.folder, 'errand.db') },
      stdio: 'ignore',
    });
    await expect.poll(() => world.count('tasks'), { timeout: 200_000 }).toBeGreaterThan(100);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const call = as(world, ada);
    expect((await call('GET', '/me/workspaces')).body.total).toBe(1);
    await dropInterruptedImports(world.deps);
    expect(world.count('imports')).toBe(1);
    world.clock.set(Date.now() + 3 * MINUTE);
    await dropDeadImports(world.deps);
    await finishRemovals(world.deps);
    expectNothingLeft();
  });
});

describe('while an import is under way', () => {
  it('nobody sees its workspaces, and then they are told of', async () => {
    const ada = await world.signUp();
    const call = as(world, ada);
    const seen: unknown[] = [];
    const told: unknown[] = [];
    world.deps.database.onChanges((rows, personal) => told.push(...rows, ...personal));
    before(6, async () => {
      seen.push((await call('GET', '/me/workspaces')).body.total, told.length, world.count('workspaces'));
    });
    const { status, body } = await importAs(ada, documentOf(500));
    expect([status, seen]).toEqual([200, [1, 0, 2]]);
    expect(told).toContainEqual({ userId: ada.id, about: 'workspaces' });
    expect(told).toContainEqual(expect.objectContaining({ kind: 'workspace', op: 'refetch' }));
    expect((await call('GET', '/me/workspaces')).body.total).toBe(2);
    const changes = await call('GET', `/workspaces/${body.workspaces[0].id}/changes?limit=1000`);
    expect(changes.body.items.filter(({ kind }: { kind: string }) => kind === 'task').length).toBe(500);
  });

  it('it is not taken for dead however long it takes, and the series of others go on', async () => {
    await openHomeInstead();
    const eve = await world.signUp();
    const interval = { frequency: 'day', every: 1, timeOfDay: '10:02', timezone: 'UTC' };
    await call('POST', at('/recurring-tasks'), { title: 'Water', listId, interval });
    // Straight from the file: a response would bring the series to the present.
    const nextRun = () => world.values('select next_run_at from recurring_series')[0];
    before(4, () => world.clock.advance(1.5 * MINUTE));
    before(6, async () => {
      world.clock.advance(1.5 * MINUTE);
      await dropDeadImports(world.deps);
      expect(nextRun()).toBe('2026-03-27T10:02:00.000Z');
      await tick(world.deps);
      expect([nextRun(), world.count('imports')]).toEqual(['2026-03-28T10:02:00.000Z', 1]);
    });
    const { status, body } = await importAs(eve, documentOf(500));
    expect([status, body.message]).toEqual([200, undefined]);
  });

  it('what is past its time in its trash is purged once it is whole', async () => {
    const ada = await world.signUp();
    await tick(world.deps);
    const document = documentOf(1);
    const status = { id: 'u', title: 'To Do', type: 'unstarted' };
    const past = { deletedAt: '2026-01-01T00:00:00.000Z', purgeAt: '2026-02-01T00:00:00.000Z' };
    const trashed = {
      ...{ ...past, id: 'gone', kind: 'list', title: 'Gone' },
      lists: [{ id: 'gone', title: 'Gone', spaceId: 's', statusTemplateId: 't' }],
      tasks: Array.from({ length: 300 }, (_, i) => ({ id: `g${i}`, title: 'Gone', listId: 'gone', status })),
    };
    Object.assign(document.workspaces[0] ?? {}, { trash: [trashed] });
    let isBetween = false;
    before(6, async () => {
      isBetween = world.count('trash') === 1 && world.count('trash_rows') < 300;
      await tick(world.deps);
    });
    const { status: code, body } = await importAs(ada, document);
    expect([isBetween, code, body.message]).toEqual([true, 200, undefined]);
    await tick(world.deps);
    expect([world.count('trash'), world.count('trash_rows')]).toEqual([0, 0]);
  });

  it.each([200, 401])('that of another person ends with %i, and this one is whole', async (status) => {
    const [ada, eve] = [await world.signUp(), await world.signUp()];
    const others: number[] = [];
    before(6, async () => {
      const body = { refreshToken: eve.refreshToken };
      if (status === 401) before(5, () => as(world, eve)('POST', '/auth/logout', body));
      others.push((await importAs(eve, documentOf(200))).status);
    });
    expect((await importAs(ada, documentOf(500))).status).toBe(200);
    const tables = ['imports', 'removals', 'workspaces', 'tasks'];
    expect([others, ...tables.map((table) => world.count(table))]).toEqual(
      status === 200 ? [[200], 0, 0, 4, 700] : [[401], 0, 0, 3, 500],
    );
  });

  it('another one of the same person is 429', async () => {
    const ada = await world.signUp();
    const others: number[] = [];
    before(4, async () => others.push((await importAs(ada, documentOf(1))).status));
    expect((await importAs(ada, documentOf(300))).status).toBe(200);
    expect(others).toEqual([429]);
  });
});

it('a document is read no further once the server stops', async () => {
  const reading = startReading(world.deps.stopping);
  reading.add(Buffer.alloc(100_000, ' '));
  const plan = reading.plan({ email: 'ada@example.com', now: world.clock.now() });
  world.opened.beginStop();
  await expect(plan).rejects.toMatchObject({ kind: 'ServiceUnavailableError' });
  await reading.end();
});

describe('errand import', () => {
  it('does the same with a file, and is recorded', async () => {
    const ada = await world.signUp('ada@example.com');
    const file = join(world.folder, 'document.json');
    writeFileSync(file, JSON.stringify(documentOf(30)));
    const command = ['import', file, '--user', ada.email];
    const tried = await errand(world, [...command, '--dry-run', '--json']);
    expect([tried.code, tried.err]).toEqual([0, '']);
    expect(JSON.parse(tried.out)).toMatchObject({
      workspaces: [{ id: null, title: 'Secretlair' }],
      counts: { tasks: 30 },
    });
    expect(world.count('workspaces')).toBe(1);
    const { code, out, err } = await errand(world, command);
    expect([code, err]).toEqual([
      0,
      'errand: imported 1 workspace, 1 space, 1 list, 0 labels, 1 status template, 30 tasks, 3 comments, 0 recurring tasks, 0 trash\n',
    ]);
    expect(out).toMatch(/^[0-9a-f-]{36} {2}Secretlair\n$/);
    const log = await errand(world, ['log', '--json']);
    expect(JSON.parse(log.out)).toContainEqual(
      expect.objectContaining({ event: 'account-imported', source: 'command', userId: ada.id }),
    );
  });

  it('draws its progress where someone watches, the tasks in the trash included', async () => {
    const ada = await world.signUp('ada@example.com');
    const file = join(world.folder, 'document.json');
    const document = documentOf(1);
    const status = { id: 'u', title: 'To Do', type: 'unstarted' };
    const times = { deletedAt: '2026-03-01T00:00:00.000Z', purgeAt: '2026-03-31T00:00:00.000Z' };
    const tasks = Array.from({ length: 150 }, (_, i) => ({ id: `g${i}`, title: 'G', listId: 'g', status }));
    const lists = [{ id: 'g', title: 'G', spaceId: 's', statusTemplateId: 't' }];
    const trash = [{ ...times, id: 'g', kind: 'list', title: 'G', lists, tasks }];
    Object.assign(document.workspaces[0] ?? {}, { trash });
    writeFileSync(file, JSON.stringify(document));
    const { code, err } = await errand(world, ['import', file, '--user', ada.email], { isWatched: true });
    expect(code).toBe(0);
    expect(err).toMatch(/^\rImporting █+░+ \d+\/151\r[^\n]*█ 151\/151\nerrand: imported 1 workspace/);
  });

  it('lets no escape sequence of the document reach the terminal', async () => {
    const ada = await world.signUp('ada@example.com');
    const file = join(world.folder, 'document.json');
    const document = documentOf(1);
    const [workspace] = document.workspaces;
    const run = async (changed: object) => {
      writeFileSync(file, JSON.stringify({ ...document, ...changed }));
      const { code, out, err } = await errand(world, ['import', file, '--user', ada.email]);
      return { code, lines: err.split('\n').length - 1, said: out + err };
    };
    const members = [{ userId: 'u', name: '\u001b[2JBob\nerrand: done', email: '\u009b2J' }];
    const imported = await run({ workspaces: [{ ...workspace, title: '\u202eTitle', members }] });
    const rejected = await run({ '\u001b]0;': '\0' });
    expect([imported.code, imported.lines, rejected.code, rejected.lines]).toEqual([0, 2, 1, 2]);
    expect(imported.said + rejected.said).not.toMatch(/[^\P{C}\n]/u);
  });

  it('names every rule that is broken, and imports nothing', async () => {
    const ada = await world.signUp('ada@example.com');
    const file = join(world.folder, 'document.json');
    writeFileSync(
      file,
      JSON.stringify({ formatVersion: 3, workspaces: [{ title: '', statusTemplates: [] }] }),
    );
    const { code, out, err } = await errand(world, ['import', file, '--user', ada.email]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('  workspaces.0.title: Title must be 1 to 500 characters\n');
    expect(err).toContain('  formatVersion: Format version must be 1 or 2\n');
    expect(world.count('workspaces')).toBe(1);
    expect((await errand(world, ['import', 'none.json', '--user', ada.email])).code).toBe(1);
    expect((await errand(world, ['import', file, '--user', 'no@example.com'])).code).toBe(1);
  });
});
