import { afterEach, describe, expect, it } from 'vitest';
import { tick } from '../../src/tick.ts';
import { allowancesOf } from '../../src/workspaces/quotas.ts';
import { ada, call, home, list, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, joined, pathsOf, signInAgain } from '../people.ts';
import type { Person } from '../world.ts';
import { type Document, withoutIds } from './round-trip.ts';

const DAY = 86_400_000;

useHome();
afterEach(() => expectIntegrity(world));

const exportOf = async (person: Person): Promise<Document> =>
  (await as(world, person)('GET', '/account/export')).body;
const importAs = (person: Person, document: unknown, query = '') =>
  as(world, person)('POST', `/account/import${query}`, document);

/** Ada's workspace with Bob in it, and something of each kind that an export has. */
async function furnished() {
  const bob = await joined(world, ada, home, 'member', 'Bob');
  const done = list.statuses.find(({ type }) => type === 'completed')?.id;
  const post = async (path: string, body: object = {}) => {
    const { status, body: made } = await call('POST', `/workspaces/${home}${path}`, body);
    expect([status, made.issues]).toEqual([status < 300 ? status : 201, undefined]);
    return made;
  };
  const patch = (path: string, body: object) => call('PATCH', `/workspaces/${home}${path}`, body);
  await call('PATCH', `/workspaces/${home}`, { key: 'HOME' });
  const garden = await post('/spaces', {
    title: 'Garden',
    description: 'Quotes " and \\ and \u2028 and 東京',
  });
  const template = await post('/status-templates', {
    title: 'Editorial',
    statuses: [
      { title: 'Idea', type: 'unstarted' },
      { title: 'Draft', type: 'started', color: '#123456' },
      { title: 'Out', type: 'completed' },
      { title: 'No', type: 'canceled' },
    ],
  });
  const beds = await post('/lists', { title: 'Beds', spaceId: garden.id, statusTemplateId: template.id });
  const labels = [await post('/labels', { title: 'Outside' }), await post('/labels', { title: 'Über' })];
  const mow = await post('/tasks', {
    title: 'Mow',
    listId: list.id,
    assigneeId: bob.id,
    labelIds: labels.map(({ id }) => id),
    checklist: [{ title: 'Front', isDone: true }, { title: 'Back' }],
    dueDate: '2026-03-28T10:00:00.000Z',
  });
  const said = await post(`/tasks/${mow.id}/comments`, { body: 'Short' });
  const body = `Not too short [@Ada](errand:user/${ada.id})`;
  await patch(`/tasks/${mow.id}/comments/${said.id}`, { body });
  await as(world, bob)('POST', `/workspaces/${home}/tasks/${mow.id}/comments`, {
    body: `Sure [@Bob](errand:user/${bob.id})`,
  });
  const gone = await post('/tasks', {
    title: 'Gone',
    listId: list.id,
    assigneeId: ada.id,
    labelIds: [labels[1].id],
    checklist: [{ title: 'Almost', isDone: true }],
  });
  await post(`/tasks/${gone.id}/comments`, { body: `Farewell [@Ada](errand:user/${ada.id})` });
  await call('DELETE', `/workspaces/${home}/tasks/${gone.id}`);
  await post('/tasks', { title: 'A day', listId: beds.id, dueDay: '2026-12-24', assigneeId: ada.id });
  const weeded = await post('/tasks', { title: 'Weed', listId: list.id, priority: 'urgent' });
  await patch(`/tasks/${weeded.id}`, { statusId: done });
  const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' };
  const series = async (body: object) =>
    post('/recurring-tasks', { title: 'Water', listId: list.id, interval, ...body });
  const water = await series({
    assigneeId: ada.id,
    catchUp: 'all',
    labelIds: [labels[0].id],
    checklist: [{ title: 'Can' }, { title: 'Hose' }],
  });
  const paused = await series({ title: 'Paused', listId: beds.id });
  await post(`/recurring-tasks/${paused.id}/skip`);
  await post(`/recurring-tasks/${paused.id}/pause`);
  const changed = await series({ title: 'Changed', endCondition: { type: 'count', count: 30 } });
  const ended = await series({ title: 'Ended', endCondition: { type: 'count', count: 1 } });
  await patch(`/tasks/${ended.nextTaskId}`, { statusId: done });
  await series({
    title: 'Month end',
    interval: { ...interval, frequency: 'month', dayOfMonth: -1 },
    endCondition: { type: 'date', endDate: '2028-01-31' },
  });
  return { bob, done, patch, post, series: { water, paused, changed }, weeded };
}

type Furnished = Awaited<ReturnType<typeof furnished>>;

/** Days go by in which series go on, with one whose rule changes. */
async function lived({ series, done }: Furnished) {
  for (let day = 0; day < 3; day += 1) {
    world.clock.advance(DAY);
    await tick(world.deps);
    await signInAgain(world, ada);
  }
  const call = as(world, ada);
  const read = async (id: string) => (await call('GET', `/workspaces/${home}/recurring-tasks/${id}`)).body;
  await call('POST', `/workspaces/${home}/recurring-tasks/${series.changed.id}/skip`, {});
  await call('PATCH', `/workspaces/${home}/recurring-tasks/${series.changed.id}`, {
    interval: {
      frequency: 'week',
      timeOfDay: '18:30',
      timezone: 'America/New_York',
      daysOfWeek: ['monday', 'friday'],
    },
  });
  const { nextTaskId } = await read(series.water.id);
  await call('PATCH', `/workspaces/${home}/tasks/${nextTaskId}`, { title: 'Water well', statusId: done });
}

const nextOccurrences = async (person: Person, workspaceId: string) => {
  const call = as(world, person);
  const inside = `/workspaces/${workspaceId}/recurring-tasks`;
  const { items } = (await call('GET', inside)).body;
  return Promise.all(
    items.map(async ({ id, title }: { id: string; title: string }) => {
      const { occurrences } = (await call('GET', `${inside}/${id}/occurrences?limit=20`)).body;
      return [title, occurrences?.map(({ taskId: _, ...rest }: { taskId: string }) => rest)];
    }),
  );
};

describe('an export that is imported', () => {
  it('gives the same export but for ids, and the same occurrences', async () => {
    const one = await furnished();
    await lived(one);
    const first = await exportOf(ada);
    const { status, body } = await importAs(ada, first);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(body.workspaces).toEqual([{ id: expect.any(String), title: "Ada's workspace" }]);
    const imported = body.workspaces[0].id;
    expect(imported).not.toBe(home);
    expect(body.counts).toEqual({
      workspaces: 1,
      spaces: 2,
      lists: 3,
      labels: 2,
      statusTemplates: 2,
      tasks: first.workspaces[0].tasks.length,
      comments: 2,
      recurringTasks: 5,
      trash: first.workspaces[0].trash.length,
    });
    expect(first.workspaces[0].trash.length).toBeGreaterThan(0);
    expect(body.warnings).toEqual([
      {
        path: expect.stringMatching(/^workspaces\.0\.members\.\d$/),
        message: `Bob (${one.bob.email}) is not imported: what is theirs has nobody`,
      },
    ]);
    const second = await exportOf(ada);
    expect(second.workspaces).toHaveLength(2);
    const [before, after] = [first.workspaces[0], second.workspaces[1]];
    expect(withoutIds({ workspaces: [after] })).toEqual(
      withoutIds({ workspaces: [withoutBob(before, one.bob.id)] }),
    );
    expect(await nextOccurrences(ada, imported)).toEqual(await nextOccurrences(ada, home));
    // Once without Bob, nothing more is lost.
    const again = await importAs(ada, { ...second, workspaces: [after] });
    expect(again.body.warnings).toEqual([]);
    const third = (await exportOf(ada)).workspaces[2];
    expect(withoutIds({ workspaces: [third] })).toEqual(withoutIds({ workspaces: [after] }));
  });

  it('goes on as the original does when days go by', async () => {
    await lived(await furnished());
    const { body } = await importAs(ada, await exportOf(ada));
    for (let day = 0; day < 4; day += 1) {
      world.clock.advance(DAY);
      await tick(world.deps);
    }
    await signInAgain(world, ada);
    const { workspaces } = await exportOf(ada);
    const shown = ({ tasks, recurringTasks }: Document['workspaces'][number]) => ({
      tasks: tasks
        .map(({ number: _, ...task }: Record<string, unknown>) => [
          task.title,
          task.dueDate,
          task.completedAt,
        ])
        .toSorted(),
      series: recurringTasks.map((each: Record<string, unknown>) => [each.title, each.state, each.nextRunAt]),
    });
    expect(shown(workspaces[1])).toEqual(shown(workspaces[0]));
    expect(await nextOccurrences(ada, body.workspaces[0].id)).toEqual(await nextOccurrences(ada, home));
  });

  it('of version 1 goes on as well, from its tasks', async () => {
    await lived(await furnished());
    const { body, status } = await importAs(ada, asVersion1(await exportOf(ada)));
    expect([status, body.message]).toEqual([200, undefined]);
    expect(await nextOccurrences(ada, body.workspaces[0].id)).toEqual(await nextOccurrences(ada, home));
    const [, imported] = (await exportOf(ada)).workspaces;
    expect(imported.key).toBe('AW');
    expect(imported.tasks.map(({ number }: { number: number }) => number)).toEqual(
      imported.tasks.map((_: unknown, i: number) => i + 1),
    );
  });

  it('never gives a number again that a task had, though it is gone', async () => {
    const { post } = await furnished();
    const gone = await post('/tasks', { title: 'Gone for good', listId: list.id });
    await call('DELETE', `/workspaces/${home}/tasks/${gone.id}?permanent=true`);
    const { body } = await importAs(ada, await exportOf(ada));
    const id = body.workspaces[0].id;
    const [{ id: listId }] = (await call('GET', `/workspaces/${id}/lists`)).body.items;
    const task = (await call('POST', `/workspaces/${id}/tasks`, { title: 'New', listId })).body;
    expect(task.number).toBe(gone.number + 1);
  });

  it('has its trash, from which things come back at their places', async () => {
    await furnished();
    const before = await call('GET', `/workspaces/${home}/tasks`);
    const { body } = await importAs(ada, await exportOf(ada));
    const inside = `/workspaces/${body.workspaces[0].id}`;
    const [entry, ...others] = (await call('GET', `${inside}/trash`)).body.items;
    expect([entry, others]).toMatchObject([
      { title: 'Gone', kind: 'task', deletedAt: '2026-03-27T10:00:00.000Z', deletedBy: ada.id, itemCount: 1 },
      [],
    ]);
    const restored = (await call('POST', `${inside}/trash/${entry.id}/restore`, {})).body;
    expect(restored).toMatchObject({ title: 'Gone', number: 2, assigneeId: ada.id, commentCount: 1 });
    expect(restored.checklist).toMatchObject([{ title: 'Almost', isDone: true }]);
    expect(restored.labelIds).toHaveLength(1);
    const comments = (await call('GET', `${inside}/tasks/${restored.id}/comments`)).body.items;
    expect(comments).toMatchObject([
      { body: expect.stringContaining('Farewell'), mentionedUserIds: [ada.id] },
    ]);
    const titles = (await call('GET', `${inside}/tasks`)).body.items.map(({ title }: Document) => title);
    const titlesBefore = before.body.items.map(({ title }: Document) => title);
    expect(titles.filter((title: string) => title !== 'Gone')).toEqual(titlesBefore);
  });

  it('is found by search, comments and items too', async () => {
    await furnished();
    const { body } = await importAs(ada, await exportOf(ada));
    for (const q of ['mow', 'front', 'short', 'HOME-1']) {
      const found = await call('GET', `/workspaces/${body.workspaces[0].id}/tasks/search?q=${q}`);
      expect(found.body.items.map(({ title }: { title: string }) => title)).toContain('Mow');
    }
  });

  it('by someone else has nobody of the original, and mentions nobody', async () => {
    const { bob } = await furnished();
    const eve = await world.signUp('eve@example.com', 'Eve');
    const { body } = await importAs(eve, await exportOf(ada));
    expect(body.warnings.map(({ message }: { message: string }) => message).toSorted()).toEqual([
      'Ada (ada@example.com) is not imported: what is theirs has nobody',
      `Bob (${bob.email}) is not imported: what is theirs has nobody`,
    ]);
    const text = JSON.stringify((await exportOf(eve)).workspaces[1]);
    for (const { id, email } of [ada, bob]) {
      expect(text).not.toContain(id);
      expect(text).not.toContain(email);
    }
    expect(text).toContain('[@Ada](errand:user/00000000-0000-0000-0000-000000000000)');
  });

  it('mails and notifies nobody, whatever is due', async () => {
    await furnished();
    world.clock.advance(2 * DAY);
    await tick(world.deps);
    await signInAgain(world, ada);
    const document = await exportOf(ada);
    await world.untilIdle();
    const before = [world.count('notifications'), world.mails.length];
    expect((await importAs(ada, document)).status).toBe(200);
    await tick(world.deps);
    await world.untilIdle();
    expect([world.count('notifications'), world.mails.length]).toEqual(before);
  });
});

/** As Bob, whom nobody knows here, leaves it. */
function withoutBob(workspace: Document['workspaces'][number], bobId: string) {
  const text = JSON.stringify({
    ...workspace,
    memberCount: 1,
    members: workspace.members.filter(({ userId }: { userId: string }) => userId !== bobId),
    tasks: workspace.tasks.map((task: Document['workspaces'][number]) => ({
      ...task,
      comments: task.comments.map((comment: { mentionedUserIds: string[] }) => ({
        ...comment,
        mentionedUserIds: comment.mentionedUserIds.filter((id) => id !== bobId),
      })),
    })),
  });
  const nobody = '00000000-0000-0000-0000-000000000000';
  return JSON.parse(text.replaceAll(`"${bobId}"`, 'null').replaceAll(bobId, nobody));
}

/** As the first exports were: without keys, numbers, labels, comments, and how series go on. */
function asVersion1({ workspaces, ...document }: Document): Document {
  return {
    ...document,
    formatVersion: 1,
    workspaces: workspaces.map(
      ({ key: _, lastTaskNumber: _last, labels: _labels, trash: _trash, ...workspace }) => ({
        ...workspace,
        tasks: workspace.tasks.map(
          ({
            number: _number,
            labelIds: _ids,
            checklist: _c,
            comments: _cs,
            commentCount: _n,
            ...task
          }: Document) => task,
        ),
        recurringTasks: workspace.recurringTasks.map(
          ({
            progress: _progress,
            occurrences: _occurrences,
            steps: _steps,
            labelIds: _ids,
            checklist: _c,
            ...series
          }: Document) => series,
        ),
      }),
    ),
  };
}

describe('a document that breaks rules', () => {
  it('is rejected with every path, and nothing is done', async () => {
    await furnished();
    const document = await exportOf(ada);
    const [workspace] = document.workspaces;
    workspace.title = '';
    workspace.tasks[0].title = 'x'.repeat(501);
    workspace.tasks[0].listId = 'elsewhere';
    workspace.tasks[1].statusId = 'nowhere';
    workspace.tasks[0].comments[0].body = ' ';
    workspace.lists[0].spaceId = 7;
    workspace.recurringTasks[0].interval.timezone = 'Mars/Olympus';
    delete workspace.statusTemplates[0].title;
    const tables = ['workspaces', 'tasks', 'imports', 'removals', 'audit_log', 'changes'];
    const before = tables.map((table) => world.count(table));
    const { status, body } = await importAs(ada, { ...document, formatVersion: 3 });
    expect([status, body.error]).toEqual([400, 'ValidationError']);
    expect(pathsOf(body).toSorted()).toEqual([
      'formatVersion',
      'workspaces.0.lists.0.spaceId',
      'workspaces.0.recurringTasks.0.interval.timezone',
      'workspaces.0.statusTemplates.0.title',
      'workspaces.0.tasks.0.comments.0.body',
      'workspaces.0.tasks.0.title',
      'workspaces.0.tasks.1.statusId',
      'workspaces.0.title',
    ]);
    expect(tables.map((table) => world.count(table))).toEqual(before);
  });

  it('is rejected where its parts do not fit together', async () => {
    await furnished();
    const document = await exportOf(ada);
    const [workspace] = document.workspaces;
    workspace.tasks[1].number = workspace.tasks[0].number;
    workspace.tasks[0].labelIds[0] = 'none';
    workspace.labels[1].title = 'OUTSIDE';
    workspace.recurringTasks[0].nextRunAt = null;
    workspace.statusTemplates[0].isDefault = false;
    workspace.spaces[1].id = workspace.spaces[0].id;
    const { body } = await importAs(ada, document);
    expect(pathsOf(body)).toEqual(
      expect.arrayContaining([
        'workspaces.0.tasks.1.number',
        'workspaces.0.tasks.0.labelIds.0',
        'workspaces.0.labels.1.title',
        'workspaces.0.recurringTasks.0.nextRunAt',
        'workspaces.0.statusTemplates',
        'workspaces.0.spaces.1.id',
      ]),
    );
  });

  it('is no document at all', async () => {
    for (const text of ['{', '[]', '7']) {
      expect((await importAs(ada, text)).body.error).toBe('BadRequestError');
    }
    const nul = '{"formatVersion":2,"workspaces":[{"title":"a\\u0000b","statusTemplates":[]}]}';
    const { body } = await importAs(ada, nul);
    expect(body.issues).toContainEqual({ path: 'workspaces.0.title', message: 'Must be plain text' });
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await importAs(ada, bytes)).body.message).toBe('The document is not valid UTF-8');
    const call = { token: ada.accessToken, body: '{}', headers: { 'Content-Type': 'text/plain' } };
    expect((await world.call('POST', '/account/import', call)).status).toBe(415);
  });

  it('tells of a thousand broken rules, and how many more', async () => {
    const labels = Array.from({ length: 3_000 }, (_, i) => ({ id: `${i}` }));
    const { body } = await importAs(ada, {
      formatVersion: 2,
      workspaces: [{ title: 'W', labels, statusTemplates: [] }],
    });
    expect(body.issues).toHaveLength(1_001);
    expect(body.issues.at(-1).message).toMatch(/^And \d+ more like these$/);
  });
});

describe('an import', () => {
  it('that is only tried tells the same, and does nothing', async () => {
    await furnished();
    const document = await exportOf(ada);
    const tables = ['workspaces', 'tasks', 'imports', 'removals', 'audit_log', 'changes'];
    const before = tables.map((table) => world.count(table));
    const tried = await importAs(ada, document, '?dryRun=true');
    expect(tried.body.workspaces).toEqual([{ id: null, title: "Ada's workspace" }]);
    expect(tables.map((table) => world.count(table))).toEqual(before);
    const { body } = await importAs(ada, document, '?dryRun=false');
    expect([tried.body.counts, tried.body.warnings]).toEqual([body.counts, body.warnings]);
  });

  it.each([
    ['tasks', { tasks: 12 }],
    ['megabytes', { megabytes: 1 }],
    ['lists', { lists: 1 }],
    ['spaces', { spaces: 1 }],
    ['status_templates', { status_templates: 1 }],
    ['series', { series: 4 }],
  ])('beyond the quota of %s is 403, when it is only tried too', async (name, quotas) => {
    const { post } = await furnished();
    for (let i = 0; i < 12; i += 1) {
      await post('/tasks', { title: 'Long', listId: list.id, description: '.'.repeat(49_000) });
    }
    const document = await exportOf(ada);
    Object.assign(world.deps, {
      config: { ...world.deps.config, quotas: { ...world.deps.config.quotas, ...quotas } },
    });
    allowancesOf(world.deps).clear();
    for (const query of ['?dryRun=true', '']) {
      const { status, body } = await importAs(ada, document, query);
      expect([status, body.message]).toEqual([403, expect.stringContaining(`(quotas.${name})`)]);
    }
    expect(world.count('workspaces')).toBe(2);
  });

  it('is recorded in the audit trail', async () => {
    await furnished();
    const { body } = await importAs(ada, await exportOf(ada));
    const details = world.opened.storage.reading
      .prepare<[], string>(
        `select details from audit_log where event = 'account-imported' and user_id = '${ada.id}'`,
      )
      .pluck();
    expect(JSON.parse(details.get() ?? '')).toEqual({ workspaceIds: [body.workspaces[0].id] });
  });
});
