import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type Person, type World } from '../world.ts';

// Random programs of writes and reads, against the service and against a model of a few lines: after every write, a
// question, and both must agree on it.

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'épsilon', 'alphabet'];
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'];

interface Modelled {
  id: string;
  made: number;
  title: string;
  description: string | null;
  priority: string;
  listId: string;
  statusId: string;
  assigneeId: string | null;
  dueDate: string | null;
}

interface Status {
  id: string;
  title: string;
  type: string;
}

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const fields = {
  title: text,
  description: fc.option(text, { nil: null }),
  priority: fc.constantFrom(...PRIORITIES),
  status: fc.nat(2),
  isMine: fc.boolean(),
  dueDate: fc.option(
    fc.integer({ min: 0, max: 9 }).map((day) => `2026-04-0${(day % 9) + 1}T12:00:00.000Z`),
    { nil: null },
  ),
};
const write = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      list: fc.nat(1),
      fields: fc.record(fields),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      task: fc.nat(),
      fields: fc.record(fields, { requiredKeys: [] }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move' as const), task: fc.nat(), list: fc.nat(1) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), task: fc.nat() }) },
);
const question = fc.record({
  search: fc.option(fc.constantFrom('alp', 'BETA', 'gamma delta', 'epsilon', 'alphabet a', 'zeta'), {
    nil: undefined,
  }),
  priority: fc.option(fc.constantFrom(...PRIORITIES), { nil: undefined }),
  list: fc.option(fc.nat(1), { nil: undefined }),
  assignee: fc.option(fc.constantFrom('me', 'none'), { nil: undefined }),
  completed: fc.option(fc.boolean(), { nil: undefined }),
  dueBefore: fc.option(fc.constant('2026-04-05T12:00:00.000Z'), { nil: undefined }),
  sortBy: fc.constantFrom('createdAt', 'priority', 'dueDate'),
  descending: fc.boolean(),
  isGrouped: fc.boolean(),
  page: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 1, max: 5 }),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

let world: World;
let ada: Person;
beforeAll(async () => {
  world = await openWorld();
  ada = await world.signUp();
});
afterAll(() => world.close());

it('200 random programs of writes and reads agree with a simple model', async () => {
  const program = fc.array(fc.record({ write, question }), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(program, async (steps) => {
      const own = await openWorkspace();
      for (const { write, question } of steps) {
        await own.write(write);
        await own.ask(question);
      }
    }),
    { numRuns: 200 },
  );
});

async function openWorkspace() {
  const call = async (method: string, path: string, body?: object) => {
    const response = await world.call(method, path, { token: ada.accessToken, ...(body && { body }) });
    expect(response.status).toBeLessThan(300);
    return response.body;
  };
  const { id } = await call('POST', '/workspaces', { title: 'Program' });
  const base = `/workspaces/${id}`;
  const first = (await call('GET', `${base}/lists`)).items[0];
  const second = await call('POST', `${base}/lists`, { title: 'Second', spaceId: first.spaceId });
  const lists: string[] = [first.id, second.id];
  const statuses: Status[] = first.statuses;
  let tasks: Modelled[] = [];
  let made = 0;

  const bodyOf = ({ status, isMine, ...rest }: Partial<{ status: number; isMine: boolean }> & object) => ({
    ...rest,
    ...(status !== undefined && { statusId: statuses[status]?.id }),
    ...(isMine !== undefined && { assigneeId: isMine ? ada.id : null }),
  });

  const applied = async (step: Write) => {
    if (step.kind === 'create') {
      const listId = lists[step.list] ?? first.id;
      const body = { ...bodyOf(step.fields), listId };
      const task = await call('POST', `${base}/tasks`, body);
      made += 1;
      tasks.push({ ...(body as unknown as Modelled), id: task.id, made });
      return;
    }
    const task = tasks[step.task % Math.max(tasks.length, 1)];
    if (!task) return;
    if (step.kind === 'change') {
      const body = bodyOf(step.fields);
      await call('PATCH', `${base}/tasks/${task.id}`, body);
      Object.assign(task, body);
    } else if (step.kind === 'move') {
      const listId = lists[step.list] ?? first.id;
      await call('POST', `${base}/tasks/${task.id}/move`, { listId });
      task.listId = listId;
    } else {
      await call('DELETE', `${base}/tasks/${task.id}`);
      tasks = tasks.filter((other) => other !== task);
    }
  };

  const asked = async (question: Question) => {
    const { search, priority, list, assignee, completed, dueBefore, page, limit } = question;
    const done = statuses.find(({ type }) => type === 'completed')?.id;
    const listId = list === undefined ? undefined : lists[list];
    const inScope = tasks.filter(
      (task) =>
        (listId === undefined || task.listId === listId) &&
        (assignee === undefined || (task.assigneeId === ada.id) === (assignee === 'me')),
    );
    const window = (all: Modelled[]) => all.slice((page - 1) * limit, page * limit).map(({ id }) => id);
    const shared = { listId, assigneeId: assignee, page, limit };
    if (search !== undefined) {
      const words = fold(search).split(' ');
      const has = (parts: (string | null)[]) =>
        words.every((word) =>
          parts.some((part) => part !== null && wordsOf(part).some((own) => own.startsWith(word))),
        );
      const hits = inScope.filter(({ title, description }) => has([title, description]));
      const ranked = hits.toSorted(
        (a, b) => Number(has([b.title])) - Number(has([a.title])) || b.made - a.made,
      );
      const response = await call('GET', `${base}/tasks/search?${parameters({ q: search, ...shared })}`);
      expect([response.total, idsOf(response)]).toEqual([ranked.length, window(ranked)]);
      return;
    }
    const matching = inScope.filter(
      (task) =>
        (priority === undefined || task.priority === priority) &&
        (completed === undefined || (task.statusId === done) === completed) &&
        (dueBefore === undefined || (task.dueDate !== null && task.dueDate < dueBefore)),
    );
    const sorted = matching.toSorted(byOrder(question));
    const sort = {
      priority,
      completed,
      dueBefore,
      sortBy: question.sortBy,
      sortOrder: question.descending ? 'desc' : 'asc',
    };
    if (!question.isGrouped) {
      const response = await call('GET', `${base}/tasks?${parameters({ ...shared, ...sort })}`);
      expect([response.total, idsOf(response)]).toEqual([sorted.length, window(sorted)]);
      return;
    }
    const groups = statuses.map(({ id }) => sorted.filter(({ statusId }) => statusId === id));
    const shown = window(groups.flat());
    const response = await call(
      'GET',
      `${base}/tasks/query?${parameters({ ...shared, ...sort, groupBy: 'statusId' })}`,
    );
    expect([response.total, idsOf(response)]).toEqual([sorted.length, shown]);
    expect(response.groups).toEqual(
      statuses.flatMap(({ id: key, title: label }, i) => {
        const taskIds = shown.filter((id) => groups[i]?.some((task) => task.id === id));
        const isShown = taskIds.length > 0 || listId !== undefined;
        return isShown ? [{ key, label, total: groups[i]?.length, taskIds }] : [];
      }),
    );
  };

  return { write: applied, ask: asked };
}

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

const parameters = (given: Record<string, string | number | boolean | undefined>) =>
  new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();

const fold = (words: string) => words.toLowerCase().replace('é', 'e');
const wordsOf = (words: string) => fold(words).split(' ');

/** As the contract sorts: ties by id, in the same direction, and what has no due date last either way. */
const byOrder =
  ({ sortBy, descending }: Pick<Question, 'sortBy' | 'descending'>) =>
  (a: Modelled, b: Modelled): number => {
    const sign = descending ? -1 : 1;
    if (sortBy === 'dueDate' && (a.dueDate === null) !== (b.dueDate === null))
      return a.dueDate === null ? 1 : -1;
    const keys = (task: Modelled) =>
      sortBy === 'priority'
        ? PRIORITIES.indexOf(task.priority)
        : sortBy === 'dueDate'
          ? Date.parse(task.dueDate ?? '1970-01-01')
          : 0;
    return sign * (keys(a) - keys(b) || a.made - b.made);
  };
