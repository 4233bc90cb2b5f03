import type { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/db/connection.ts';
import type { Deps } from '../../src/deps.ts';
import { newId } from '../../src/kernel/ids.ts';
import { DAY, toInstant } from '../../src/kernel/instants.ts';
import { createMatchFinder } from '../../src/storage/task-query/search-matches.ts';
import { queryTasksInGroups } from '../../src/tasks/groups.ts';
import { queryTasks } from '../../src/tasks/query.ts';
import { GROUPINGS, GroupedTaskQuery, SearchQuery } from '../../src/tasks/query-schema.ts';
import { searchTasks } from '../../src/tasks/search.ts';
import { type Member, member } from '../../src/workspaces/authorization.ts';
import { type Seeded, seedTasks } from '../seeded-tasks.ts';
import { START } from '../world.ts';

const TASKS = 2_500;
/** Every so many questions of the whole matrix are asked: a prime, so that all that can meet does meet. */
const STEP = 1_663;

let seeded: Seeded;
let ada: Member;
let deps: Deps;
/** Every statement that was run, with the values it was run with first. */
const statements = new Map<string, readonly unknown[]>();

beforeAll(async () => {
  seeded = await seedTasks(TASKS);
  const { world } = seeded;
  world.opened.storage.writing.exec(
    `update tasks set due_date = substr(due_date, 1, 10) where seq % 5 = 0 and due_date is not null`,
  );
  const authorization = `Bearer ${seeded.ada.accessToken}`;
  ada = await member('viewer').authorize(world.deps, {} as never, {
    authorization,
    workspaceId: seeded.workspaceId,
    isRead: true,
    isPrivate: false,
  });
  const noted = <Row>(statement: Query<Row>): CompiledQuery<Row> => {
    const compiled = 'compile' in statement ? statement.compile() : statement;
    if (!statements.has(compiled.sql)) statements.set(compiled.sql, compiled.parameters);
    return compiled;
  };
  const { read } = world.deps;
  const { reading } = world.opened.storage;
  // What the threads of searches run, run here.
  const findMatches = createMatchFinder({
    prepare: (sql: string) => {
      const prepared = reading.prepare(sql);
      const get = (...parameters: unknown[]) => {
        if (!statements.has(sql)) statements.set(sql, parameters);
        return prepared.get(...parameters);
      };
      const pluck = () => {
        prepared.pluck();
        return { get };
      };
      return { get, pluck };
    },
  } as never);
  deps = {
    ...world.deps,
    searches: { ...world.deps.searches, find: (_userId, search) => findMatches(search) },
    read: {
      all: (statement) => read.all(noted(statement)),
      one: (statement) => read.one(noted(statement)),
      cached: (statement) => read.cached(noted(statement)),
      run: (statement) => read.run(noted(statement)),
      insert: (statement) => read.insert(noted(statement)),
      atOneMoment: (act) => read.atOneMoment(act),
    },
  };
});
afterAll(() => seeded.world.close());

/** Labels of one task in three, of one in five hundred, and of none. */
async function seedLabels(): Promise<string[]> {
  const { world, workspaceId } = seeded;
  const token = seeded.ada.accessToken;
  const ids: string[] = [];
  for (const title of ['Common', 'Rare', 'Unused']) {
    const made = await world.call('POST', `/workspaces/${workspaceId}/labels`, { token, body: { title } });
    ids.push(made.body.id);
  }
  world.opened.storage.writing.exec(`
    insert into task_labels (label_code, task_seq) select labels.code, tasks.seq from labels, tasks
      where (labels.title = 'Common' and seq % 3 = 0) or (labels.title = 'Rare' and seq % 500 = 0)`);
  return ids;
}

const planOf = (sql: string, parameters: readonly unknown[]): string[] =>
  seeded.world
    .rows<{ detail: string }>(`explain query plan ${sql}`, ...parameters)
    .map(({ detail }) => detail);

/** Every filter absent, with one value, with many and with none; every order, group and depth. */
function* matrix(): Generator<Record<string, string>> {
  const { people, lists, statuses, series } = seeded;
  const day = (n: number) => toInstant(START + n * DAY);
  const some = (things: { id: string }[], n: number) =>
    things
      .slice(0, n)
      .map(({ id }) => id)
      .join();
  const choices: Record<string, string>[][] = [
    [{}, ...['me', 'none', 'me,none', some(people, 2)].map((assigneeId) => ({ assigneeId }))],
    [{}, { creatorId: some(people, 1) }, { creatorId: some(people, 2) }],
    [{}, { listId: some(lists, 1) }, { listId: some(lists, 3) }, { spaceId: lists[0]?.spaceId ?? '' }],
    [{}, { statusId: some(statuses, 1) }, { statusType: 'started,completed' }, { completed: 'false' }],
    [{}, { priority: 'urgent' }, { priority: 'none,high' }],
    [{}, { dueAfter: day(3) }, { dueBefore: day(2) }, { dueAfter: day(4), dueBefore: day(5) }],
    [{}, {}, { recurringTaskId: series[0] ?? '' }, { recurringTaskId: series.join() }],
    ['createdAt', 'updatedAt', 'dueDate', 'position', 'priority', 'title'].map((sortBy) => ({ sortBy })),
    [{ sortOrder: 'asc' }, { sortOrder: 'desc' }],
    [{}, ...GROUPINGS.map((groupBy) => ({ groupBy }))],
    ['1', '2', '9', '40'].map((page) => ({ page })),
  ];
  const size = choices.reduce((product, { length }) => product * length, 1);
  for (let number = 0; number < size; number += STEP) {
    let rest = number;
    yield Object.assign(
      {},
      ...choices.map((values) => {
        const value = values[rest % values.length];
        rest = Math.floor(rest / values.length);
        return value;
      }),
    );
  }
}

const ASKER = { isHead: false, reserve: () => {} };

describe('every question about tasks', () => {
  it('is served by indexes: no statement reads the tasks through', async () => {
    let asked = 0;
    for (const question of matrix()) {
      asked += 1;
      await queryTasksInGroups(deps, ada, GroupedTaskQuery.parse({ ...question, limit: '20' }), ASKER);
    }
    for (const [filter] of [
      [{}],
      [{ listId: seeded.lists[0]?.id }],
      [{ assigneeId: 'me,none' }],
      [{ statusId: newId(START) }],
    ]) {
      for (const q of ['milk', 'zz', 'b m'])
        await searchTasks(deps, ada, SearchQuery.parse({ q, ...filter }), ASKER);
    }
    const [common = '', rare = '', unused = ''] = await seedLabels();
    const questions = [common, rare, unused, `${common},${rare}`].flatMap((value) => [
      { labelId: value },
      { allLabelIds: value },
    ]);
    for (const labels of [...questions, { labelId: common, allLabelIds: rare }]) {
      for (const more of [
        {},
        { listId: seeded.lists[0]?.id ?? '' },
        { assigneeId: 'none' },
        { priority: 'high' },
      ]) {
        for (const sortBy of ['createdAt', 'dueDate', 'title']) {
          for (const groupBy of [{}, ...GROUPINGS.map((grouping) => ({ groupBy: grouping }))]) {
            for (const page of ['1', '9']) {
              const question = { ...labels, ...more, sortBy, ...groupBy, page, limit: '20' };
              await queryTasksInGroups(deps, ada, GroupedTaskQuery.parse(question), ASKER);
            }
          }
        }
      }
      await searchTasks(deps, ada, SearchQuery.parse({ q: 'milk', ...labels }), ASKER);
    }
    expect(asked).toBeGreaterThan(1_500);
    expect(statements.size).toBeGreaterThan(500);
    const scanning = [...statements].filter(([sql, parameters]) =>
      planOf(sql, parameters).some((step) => /^SCAN (tasks|task_counts|task_labels)\b|AUTOMATIC/.test(step)),
    );
    expect(scanning).toEqual([]);
  });

  it('names the index it reads, so that no statistics can change its mind', () => {
    const unnamed = [...statements.keys()].filter((sql) =>
      /from tasks (?!indexed by|where seq = |not indexed where workspace_code = \? and seq in )/.test(sql),
    );
    expect(unnamed).toEqual([]);
  });

  it('sorts no more than a page in the common orders', async () => {
    statements.clear();
    for (const sortBy of ['createdAt', 'updatedAt', 'dueDate', 'position', 'priority', 'title']) {
      for (const sortOrder of ['asc', 'desc']) {
        for (const page of ['1', '20', '100']) {
          await queryTasks(
            deps,
            ada,
            GroupedTaskQuery.parse({ sortBy, sortOrder, page, limit: '20' }),
            ASKER,
          );
        }
      }
    }
    for (const filter of [
      'assigneeId=me',
      'assigneeId=none',
      'creatorId=me',
      'priority=high',
      'sortBy=dueDate',
    ]) {
      const [name = '', value = ''] = filter.split('=');
      const given = { [name]: value === 'me' && name === 'creatorId' ? seeded.ada.id : value };
      await queryTasks(deps, ada, GroupedTaskQuery.parse(given), ASKER);
    }
    await queryTasks(
      deps,
      ada,
      GroupedTaskQuery.parse({ listId: seeded.lists[0]?.id, sortBy: 'position' }),
      ASKER,
    );
    const pages = [...statements].filter(([sql]) => sql.includes('indexed by') && !sql.includes('due_at'));
    expect(pages.length).toBeGreaterThan(20);
    for (const [sql, parameters] of pages) {
      // What a deep page found in its index is put in order once more: these rows only.
      const [, inner] = /^select .*? from \((.*)\) cross join /s.exec(sql) ?? [];
      const whole = inner === undefined ? planOf(sql, parameters) : planOf(inner, parameters.slice(0, -1));
      expect([sql, whole.filter((step) => step.includes('TEMP B-TREE'))]).toEqual([sql, []]);
    }
    const windows = [...statements].filter(([sql]) => sql.includes('due_at'));
    expect(windows.length).toBeGreaterThan(1);
    for (const [sql, parameters] of windows) {
      expect(planOf(sql, parameters)).toContain(
        'SEARCH tasks USING COVERING INDEX tasks_due (workspace_code=? AND due_date>? AND due_date<?)',
      );
    }
  });
});
