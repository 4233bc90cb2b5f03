import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { DAILY, DAY, w as series, useSeriesWorld } from '../series-world.ts';
import { type Document, withoutIds } from './round-trip.ts';

/** Hundreds of others with `ROUND_TRIP_RUNS=500 ROUND_TRIP_SEED=2 npm test -- round-trip`. */
const RUNS = Number(process.env.ROUND_TRIP_RUNS ?? 12);
const SEED = Number(process.env.ROUND_TRIP_SEED ?? 1);

useSeriesWorld();
afterEach(() => expectIntegrity(series.world));

const ACTS = [
  'task',
  'task',
  'change task',
  'complete',
  'complete',
  'move',
  'comment',
  'tick',
  'label',
  'remove label',
  'list',
  'space',
  'template',
  'series',
  'series',
  'adopt',
  'adopt',
  'skip',
  'pause',
  'change rule',
  'change series',
  'split',
  'edit instance',
  'step back',
  'remove series',
  'leave upcoming',
  'remove task',
  'remove task',
  'remove list',
  'remove space',
  'bring back',
  'bring elsewhere',
  'bring elsewhere',
  'purge',
  'day',
] as const;

interface Act {
  what: (typeof ACTS)[number];
  a: number;
  b: number;
}
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({ what: fc.constantFrom(...ACTS), a: fc.nat(99), b: fc.nat(99) }),
  { minLength: 10, maxLength: 50, size: 'max' },
);

const RULES = [
  DAILY,
  { ...DAILY, every: 3, timezone: 'Asia/Kathmandu' },
  { ...DAILY, frequency: 'week', daysOfWeek: ['monday', 'friday'] },
  { ...DAILY, frequency: 'week', every: 2, daysOfWeek: ['sunday', 'monday'], firstDayOfWeek: 'sunday' },
  { ...DAILY, frequency: 'month', dayOfMonth: -1 },
  { ...DAILY, frequency: 'month', every: 2, dayOfMonth: 31, timeOfDay: null },
  { ...DAILY, frequency: 'month', weekIndex: 'last', daysOfWeek: ['monday', 'friday'], timeOfDay: '02:30' },
  { ...DAILY, frequency: 'year', month: 2, dayOfMonth: 29, timezone: 'America/New_York' },
  { ...DAILY, frequency: 'year', every: 2, month: 3, weekIndex: 'last', daysOfWeek: ['sunday'] },
  { ...DAILY, every: 2, timeOfDay: null },
];
const ENDS = [{ type: 'never' }, { type: 'count', count: 4 }, { type: 'date', endDate: '2026-05-01' }];

// biome-ignore lint/suspicious/noExplicitAny: what the API returns, looked at in many ways
type Thing = any;

/** Does something with what a workspace holds; what is rejected changes nothing. */
async function act(inside: string, { what, a, b }: Act): Promise<void> {
  const { call } = series;
  const all = async (path: string): Promise<Thing[]> =>
    (await call('GET', `${inside}/${path}?limit=100`)).body.items;
  const one = async (path: string): Promise<Thing> => {
    const items = await all(path);
    return items[a % (items.length || 1)] ?? {};
  };
  const post = (path: string, body: object = {}) => call('POST', `${inside}/${path}`, body);
  const list = await one('lists');
  const labelIds = (await all('labels')).filter((_, i) => (i + b) % 2).map(({ id }) => id);
  const checklist = b % 2 ? [{ title: `Item ${b}` }, { title: 'Other item' }] : [];
  const [task, job] = [await one('tasks'), await one('recurring-tasks')];
  const carried = { title: `${what} ${b}`, listId: list.id, labelIds, checklist };
  switch (what) {
    case 'task':
      return void (await post('tasks', {
        ...carried,
        ...(b % 3 ? { dueDay: '2026-04-02' } : { description: 'Text' }),
      }));
    case 'change task':
      return void (await call('PATCH', `${inside}/tasks/${task.id}`, {
        priority: 'high',
        labelIds,
        checklist,
      }));
    case 'complete': {
      const { statuses = [] } = (await all('lists')).find(({ id }) => id === task.listId) ?? {};
      const done = statuses.find(({ type }: Thing) => type === 'completed');
      return void (await call('PATCH', `${inside}/tasks/${task.id}`, { statusId: done?.id }));
    }
    case 'move':
      return void (await post(`tasks/${task.id}/move`, { listId: list.id }));
    case 'comment':
      return void (await post(`tasks/${task.id}/comments`, {
        body: `Said [@Me](errand:user/${series.owner.id})`,
      }));
    case 'tick': {
      const ticked = task.checklist?.map(({ id }: Thing) => ({ id, isDone: true }));
      return void (await call('PATCH', `${inside}/tasks/${task.id}`, { checklist: ticked }));
    }
    case 'label':
      return void (await post('labels', { title: `Label ${b % 5}` }));
    case 'remove label':
      return void (await call('DELETE', `${inside}/labels/${(await one('labels')).id}`));
    case 'list': {
      const [space, template] = [await one('spaces'), await one('status-templates')];
      return void (await post('lists', {
        title: `List ${b}`,
        spaceId: space.id,
        statusTemplateId: template.id,
      }));
    }
    case 'space':
      return void (await post('spaces', { title: `Space ${b}`, description: 'Text' }));
    case 'template':
      return void (await post('status-templates', { title: `Template ${b}` }));
    case 'series':
      return void (await post('recurring-tasks', {
        ...carried,
        interval: RULES[b % RULES.length],
        endCondition: ENDS[a % ENDS.length],
        catchUp: ['latest', 'all', 'none'][b % 3],
      }));
    case 'adopt':
      return void (await post('recurring-tasks', {
        ...(b % 2 ? {} : { title: `Adopted ${b}`, labelIds, checklist }),
        taskId: task.id,
        interval: RULES[b % RULES.length],
        endCondition: ENDS[a % ENDS.length],
      }));
    case 'skip':
      return void (await post(`recurring-tasks/${job.id}/skip`));
    case 'pause':
      return void (await post(`recurring-tasks/${job.id}/${job.state === 'active' ? 'pause' : 'resume'}`));
    case 'change rule':
      return void (await call('PATCH', `${inside}/recurring-tasks/${job.id}`, {
        interval: RULES[b % RULES.length],
      }));
    case 'change series':
      return void (await call('PATCH', `${inside}/recurring-tasks/${job.id}`, {
        ...carried,
        listId: undefined,
      }));
    case 'split':
    case 'edit instance': {
      const mode = what === 'split' ? 'following' : 'this';
      const instances = (await all('tasks')).filter(
        ({ recurrence }) => recurrence?.recurringTaskId === job.id,
      );
      const { id } = instances[b % (instances.length || 1)] ?? {};
      const updates = { title: `Edited ${b}` };
      return void (await post(`recurring-tasks/${job.id}/instances/${id}/edit-mode`, { mode, updates }));
    }
    case 'step back':
      return void (await post(`recurring-tasks/${job.id}/step-back`, { occurrenceAt: job.nextRunAt }));
    case 'remove series':
      return void (await call('DELETE', `${inside}/recurring-tasks/${job.id}`));
    case 'leave upcoming':
      return void (await call('DELETE', `${inside}/recurring-tasks/${job.id}?keepUpcoming=true`));
    case 'remove task':
      return void (await call('DELETE', `${inside}/tasks/${task.id}`));
    case 'remove list':
      return void (await call('DELETE', `${inside}/lists/${list.id}`));
    case 'remove space':
      return void (await call('DELETE', `${inside}/spaces/${(await one('spaces')).id}`));
    case 'bring back':
      return void (await post(`trash/${(await one('trash')).id}/restore`));
    case 'bring elsewhere':
      return void (await post(`trash/${(await one('trash')).id}/restore`, {
        listId: list.id,
        spaceId: (await one('spaces')).id,
      }));
    case 'purge':
      return void (await call('DELETE', `${inside}/trash/${(await one('trash')).id}`));
    case 'day':
      return void (await series.at(new Date(series.world.clock.now() + DAY).toISOString()));
  }
}

const exported = async (id: string): Promise<Document> => {
  const { workspaces } = await series.ok('GET', '/account/export');
  return { formatVersion: 2, workspaces: workspaces.filter((one: Thing) => one.id === id) };
};

/** Without ids and orders, which ids decide where two things have one place. */
const unordered = ({ workspaces }: Document): unknown => {
  const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const visit = (value: Thing): Thing => {
    if (typeof value === 'string') return value.replaceAll(ID, '-');
    if (Array.isArray(value))
      return value
        .map(visit)
        .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).filter(([name]) => !['version', 'joinedAt'].includes(name));
    return Object.fromEntries(fields.map(([name, inner]) => [name, visit(inner)]));
  };
  return visit(workspaces);
};

const coming = async (id: string) => {
  const inside = `/workspaces/${id}/recurring-tasks`;
  const { items } = await series.ok('GET', `${inside}?limit=100`);
  return Promise.all(
    items.map(async (job: Thing) => {
      const { occurrences } = await series.ok('GET', `${inside}/${job.id}/occurrences?limit=20`);
      return [job.title, occurrences.map(({ taskId: _, ...rest }: Thing) => rest)];
    }),
  );
};

describe('a workspace that is exported and imported', () => {
  it(
    'gives the same export but for ids, the same occurrences, things out of its trash, and steps back',
    async () => {
      await fc.assert(
        fc.asyncProperty(acts, async (taken) => {
          const { id } = await series.ok('POST', '/workspaces', { title: 'Original' });
          for (const one of taken) await act(`/workspaces/${id}`, one);
          // Reading a series brings it to the present.
          await coming(id);
          const document = await exported(id);
          const { workspaces } = await series.ok('POST', '/account/import', document);
          const copy = workspaces[0].id;
          expect(withoutIds(await exported(copy))).toEqual(withoutIds(document));
          expect(await coming(copy)).toEqual(await coming(id));
          for (const which of [id, copy]) await bringAllBack(which);
          expect(unordered(await exported(copy))).toEqual(unordered(await exported(id)));
          expect((await coming(copy)).toSorted()).toEqual((await coming(id)).toSorted());
          for (const which of [id, copy]) await stepBack(which);
          expect(unordered(await exported(copy))).toEqual(unordered(await exported(id)));
          for (const which of [id, copy]) await series.ok('DELETE', `/workspaces/${which}`);
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: !!process.env.ROUND_TRIP_FIRST },
      );
    },
    Math.max(240_000, RUNS * 3_000),
  );
});

/** What has no place any more into the first one there is. */
async function bringAllBack(id: string): Promise<void> {
  const inside = `/workspaces/${id}`;
  const { items } = await series.ok('GET', `${inside}/trash?limit=100`);
  const [[list], [space]] = [
    (await series.ok('GET', `${inside}/lists?limit=100`)).items,
    (await series.ok('GET', `${inside}/spaces?limit=100`)).items,
  ];
  for (const entry of items) {
    const restore = (body: object) => series.call('POST', `${inside}/trash/${entry.id}/restore`, body);
    if ((await restore({})).status !== 200) await restore({ listId: list?.id, spaceId: space?.id });
  }
}

/** Each series, as far as it goes. */
async function stepBack(id: string): Promise<void> {
  const inside = `/workspaces/${id}/recurring-tasks`;
  const { items } = await series.ok('GET', `${inside}?limit=100`);
  for (const { id: jobId, nextRunAt } of items) {
    for (let at = nextRunAt; at; ) {
      const { status, body } = await series.call('POST', `${inside}/${jobId}/step-back`, {
        occurrenceAt: at,
      });
      at = status === 200 ? body.nextRunAt : undefined;
    }
  }
}
