import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { purgeOldChanges } from '../../src/changes/purge.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import { readEvents } from '../../src/web/data/event-stream.ts';
import { newFolder } from '../new-folder.ts';
import { addMember, as, homeOf, signInAgain } from '../people.ts';
import { openWorld, type Person, type World } from '../world.ts';
import { type ChangeEvent, type Delivery, ReferenceClient, type Thing } from './reference-client.ts';

/** Thousands of others with `FOLLOWING_RUNS=5000 FOLLOWING_SEED=2 npm test -- following`. */
const RUNS = Number(process.env.FOLLOWING_RUNS ?? 15);
const SEED = Number(process.env.FOLLOWING_SEED ?? 1);
const DAY_MS = 86_400_000;

let folder: string;
let world: World;
let ada: Person;
let bob: Person;
beforeEach(async () => {
  folder = newFolder('following');
  const first = await openWorld();
  ada = await first.signUp('ada@example.com');
  bob = await first.signUp('bob@example.com');
  first.opened.storage.writing.exec(`vacuum into '${join(folder, 'errand.db')}'`);
  copyFileSync(join(first.folder, 'keys.json'), join(folder, 'keys.json'));
  await first.close();
  world = await openWorld({ folder });
});

const SERVER = [
  'task',
  'edit',
  'done',
  'move',
  'remove task',
  'list',
  'remove list',
  'space',
  'remove space',
  'statuses',
  'series',
  'skip',
  'remove series',
  'label',
  'give label',
  'remove label',
  'split',
  'pause',
  'step back',
  'keep upcoming',
  'batch',
  'comment',
  'edit comment',
  'remove comment',
  'checklist',
  'tick',
  'move list',
  'bring back',
  'bring back',
  'purge',
  'remove task for good',
  'remove list for good',
  'remove space for good',
  'rename',
  'role',
  'leave',
  'join',
  'refetch',
] as const;
const CLIENT = [
  'pull',
  'pull',
  'ask',
  'ask',
  'deliver',
  'deliver twice',
  'event',
  'event',
  'kill',
  'listen',
] as const;
const DISASTERS = ['month', 'restore', 'restart'] as const;

interface Step {
  what: (typeof SERVER)[number] | (typeof CLIENT)[number] | (typeof DISASTERS)[number];
  a: number;
  b: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...SERVER) },
      { weight: 10, arbitrary: fc.constantFrom(...CLIENT) },
      { weight: 1, arbitrary: fc.constantFrom(...DISASTERS) },
    ),
    a: fc.nat(99),
    b: fc.nat(99),
  }),
  { minLength: 5, maxLength: 40, size: 'max' },
);

/** One workspace of Ada's, and the copy of it that Bob's device keeps. */
class Following {
  readonly workspaceId: string;
  readonly client = new ReferenceClient();
  /** Asked for, and not arrived yet. */
  #pages: Delivery[] = [];
  #events: ChangeEvent[] = [];
  #leave: () => void = () => {};

  constructor(workspaceId: string) {
    this.workspaceId = workspaceId;
  }

  get #inside(): string {
    return `/workspaces/${this.workspaceId}`;
  }

  async take({ what, a, b }: Step): Promise<void> {
    if ((DISASTERS as readonly string[]).includes(what)) await this.#disaster(what);
    else if ((CLIENT as readonly string[]).includes(what)) await this.#read(what, a);
    else await this.#write(what, a, b);
  }

  // What the client does, and what the network does to it

  async #read(what: string, a: number): Promise<void> {
    switch (what) {
      case 'pull': {
        const page = await this.#ask(1 + (a % 30));
        if (page) this.client.takePage(page);
        break;
      }
      case 'ask': {
        const page = await this.#ask(1 + (a % 5));
        // Every third response is lost, the others are late.
        if (page && a % 3 > 0) this.#pages.push(page);
        break;
      }
      case 'deliver':
      case 'deliver twice': {
        const [page] = this.#pages.splice(a % (this.#pages.length || 1), 1);
        if (!page) break;
        this.client.takePage(page);
        if (what === 'deliver twice') this.client.takePage(page);
        break;
      }
      case 'event': {
        const event = this.#events.shift();
        if (!event || a % 5 === 0) break;
        this.client.takeEvent(event);
        if (a % 4 === 0) this.client.takeEvent(event);
        break;
      }
      case 'kill': {
        this.#pages = [];
        this.#events = [];
        this.#leave();
        this.client.saved = structuredClone(this.client.saved);
        break;
      }
      default:
        await this.#listen();
    }
  }

  /** A page from where the copy is; a lost workspace empties it. */
  async #ask(limit: number): Promise<Delivery | undefined> {
    const { cursor } = this.client;
    const query = `limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const { status, body } = await as(world, bob)('GET', `${this.#inside}/changes?${query}`);
    if (status === 403) this.client.forget();
    else expect(status).toBe(200);
    return status === 200 ? { from: cursor, page: body } : undefined;
  }

  async #listen(): Promise<void> {
    this.#leave();
    const leaving = new AbortController();
    this.#leave = () => leaving.abort();
    const { status, body } = await world.app.request('/api/me/events', {
      headers: { Authorization: `Bearer ${bob.accessToken}` },
    });
    expect(status).toBe(200);
    const read = async (): Promise<void> => {
      for await (const { event, data } of body ? readEvents(body, () => {}, leaving.signal) : []) {
        const change = data as ChangeEvent;
        if (event === 'change' && change.workspaceId === this.workspaceId) this.#events.push(change);
      }
    };
    void read().catch(() => {});
  }

  // What happens to the server

  async #disaster(what: string): Promise<void> {
    const start = world.clock.now();
    this.#leave();
    this.#events = [];
    if (what === 'month') {
      world.clock.advance(31 * DAY_MS);
      await purgeOldChanges(world.deps);
    } else {
      await world.close();
      if (what === 'restore') restoreBackup();
      world = await openWorld({ folder, start });
    }
    for (const person of [ada, bob]) await signInAgain(world, person);
  }

  async #write(what: string, a: number, b: number): Promise<void> {
    const call = as(world, ada);
    const root = this.#inside;
    const all = async (path: string): Promise<Thing[]> =>
      (await call('GET', `${root}/${path}?limit=100`)).body.items;
    const one = async (path: string): Promise<Thing | undefined> => {
      const items = await all(path);
      return items[a % (items.length || 1)];
    };
    switch (what) {
      case 'task': {
        const list = await one('lists');
        if (list) await call('POST', `${root}/tasks`, { title: `Task ${b}`, listId: list.id });
        break;
      }
      case 'edit': {
        const task = await one('tasks');
        if (task) await call('PATCH', `${root}/tasks/${task.id}`, { title: `Edited ${b}`, priority: 'high' });
        break;
      }
      case 'done': {
        const task = await one('tasks');
        const list = (await all('lists')).find(({ id }) => id === task?.listId);
        const statuses = (list?.statuses ?? []) as Thing[];
        const statusId = statuses[b % (statuses.length || 1)]?.id;
        if (task) await call('PATCH', `${root}/tasks/${task.id}`, { statusId });
        break;
      }
      case 'move': {
        const task = await one('tasks');
        const lists = await all('lists');
        const listId = lists[b % (lists.length || 1)]?.id;
        if (task) await call('POST', `${root}/tasks/${task.id}/move`, { listId });
        break;
      }
      case 'list': {
        const space = await one('spaces');
        if (space) await call('POST', `${root}/lists`, { spaceId: space.id, title: `List ${b}` });
        break;
      }
      case 'space':
        await call('POST', `${root}/spaces`, { title: `Space ${b}` });
        break;
      case 'series': {
        const list = await one('lists');
        const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' };
        const endCondition = { type: 'never' };
        if (list)
          await call('POST', `${root}/recurring-tasks`, {
            title: `Series ${b}`,
            listId: list.id,
            interval,
            endCondition,
          });
        break;
      }
      case 'skip': {
        const series = await one('recurring-tasks');
        if (series) await call('POST', `${root}/recurring-tasks/${series.id}/skip`);
        break;
      }
      case 'label':
        await call('POST', `${root}/labels`, { title: `Label ${b % 4}` });
        break;
      case 'give label': {
        const [task, label] = [await one('tasks'), await one('labels')];
        if (task && label) await call('POST', `${root}/tasks/${task.id}/labels/${label.id}`);
        break;
      }
      case 'rename':
        await call('PATCH', root, { title: `Workspace ${b}` });
        break;
      case 'statuses':
        await this.#changeStatuses(b);
        break;
      case 'role':
        await call('PATCH', `${root}/members/${bob.id}`, { role: ['viewer', 'member', 'admin'][b % 3] });
        break;
      case 'leave':
        await call('DELETE', `${root}/members/${bob.id}`);
        break;
      case 'join':
        await this.join();
        break;
      case 'refetch': {
        const kind = (['list', 'space', 'workspace'] as const)[b % 3] ?? 'list';
        const found = kind === 'workspace' ? { id: this.workspaceId } : await one(`${kind}s`);
        const { workspaceId } = this;
        if (found)
          await world.deps.write((tx) =>
            tx.record({ workspaceId, kind, id: String(found.id), op: 'refetch' }),
          );
        break;
      }
      case 'split':
      case 'pause':
      case 'step back':
      case 'keep upcoming': {
        const series = await one('recurring-tasks');
        if (series) await this.#actOnSeries(what, series, b);
        break;
      }
      case 'batch': {
        const [task, list] = [await one('tasks'), await one('lists')];
        const { id } = task ?? {};
        const trashed = (await all('trash')).find(({ kind }) => kind === 'task');
        const operations = [
          { op: 'create', title: `Batched ${b}`, listId: list?.id },
          ...(id ? [{ op: 'update', id, description: `Text ${b}` }] : []),
          ...(id ? [{ op: b % 2 ? 'delete' : 'move', id, listId: list?.id }] : []),
          ...(trashed ? [{ op: 'restore', id: trashed.id }] : []),
        ];
        await call('POST', `${root}/tasks/batch`, { operations });
        break;
      }
      case 'comment':
      case 'edit comment':
      case 'remove comment': {
        const task = await one('tasks');
        if (!task) break;
        const path = `${root}/tasks/${task.id}/comments`;
        const body = `Said ${b} to [@Bob](errand:user/${bob.id})`;
        const [comment] = (await call('GET', path)).body.items;
        if (what === 'comment') await call('POST', path, { body });
        else if (comment && what === 'edit comment') await call('PATCH', `${path}/${comment.id}`, { body });
        else if (comment) await call('DELETE', `${path}/${comment.id}`);
        break;
      }
      case 'checklist': {
        const [task, series] = [await one('tasks'), await one('recurring-tasks')];
        const checklist = [{ title: `Item ${b}` }, { title: 'Other item' }];
        if (task && b % 3) await call('PATCH', `${root}/tasks/${task.id}`, { checklist });
        else if (series) await call('PATCH', `${root}/recurring-tasks/${series.id}`, { checklist });
        break;
      }
      case 'tick': {
        const task = (await all('tasks')).find((any) => (any.checklist as Thing[]).length > 0);
        const item = (task?.checklist as Thing[] | undefined)?.[0];
        const path = `${root}/tasks/${task?.id}/checklist/${item?.id}`;
        if (item) await call('PATCH', path, { isDone: !item.isDone });
        break;
      }
      case 'move list': {
        const [list, spaces] = [await one('lists'), await all('spaces')];
        const spaceId = spaces[b % (spaces.length || 1)]?.id;
        if (list) await call('PATCH', `${root}/lists/${list.id}`, { spaceId });
        break;
      }
      case 'bring back': {
        const [entry, list, space] = [await one('trash'), await one('lists'), await one('spaces')];
        const place = entry?.kind === 'task' ? { listId: list?.id } : { spaceId: space?.id };
        const isOfSpace = entry?.kind === 'space' || b % 2 === 0;
        if (entry) await call('POST', `${root}/trash/${entry.id}/restore`, isOfSpace ? {} : place);
        break;
      }
      case 'purge': {
        const entry = await one('trash');
        if (entry) await call('DELETE', `${root}/trash${b % 5 ? `/${entry.id}` : ''}`);
        break;
      }
      default: {
        const [, kind = '', ...forGood] = what.split(' ');
        const path = kind === 'series' ? 'recurring-tasks' : `${kind}s`;
        const found = await one(path);
        const query = forGood.length > 0 ? '?permanent=true' : '';
        if (found) await call('DELETE', `${root}/${path}/${found.id}${query}`);
      }
    }
    // Events of the commit reach the reader.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #actOnSeries(what: string, { id, state, nextTaskId, nextRunAt }: Thing, b: number): Promise<void> {
    const call = as(world, ada);
    const path = `${this.#inside}/recurring-tasks/${id}`;
    if (what === 'split') {
      const edit = { mode: b % 2 ? 'following' : 'all', updates: { title: `Split ${b}` } };
      if (nextTaskId) await call('POST', `${path}/instances/${nextTaskId}/edit-mode`, edit);
    } else if (what === 'pause') await call('POST', `${path}/${state === 'active' ? 'pause' : 'resume'}`);
    else if (what === 'step back') await call('POST', `${path}/step-back`, { occurrenceAt: nextRunAt });
    else await call('DELETE', `${path}?keepUpcoming=true`);
  }

  async #changeStatuses(b: number): Promise<void> {
    const call = as(world, ada);
    const [template] = (await call('GET', `${this.#inside}/status-templates`)).body.items;
    const kept = template.statuses.filter(({ type }: Thing) => type !== 'started');
    const added = { title: `Started ${b}`, type: 'started', color: '#123456', position: 1500 };
    const statuses = kept.length === template.statuses.length ? [...kept, added] : kept;
    await call('PATCH', `${this.#inside}/status-templates/${template.id}`, { statuses });
  }

  /** Bob is a member, if he is not. */
  async join(): Promise<void> {
    const { items } = (await as(world, ada)('GET', `${this.#inside}/members`)).body;
    if (items.some(({ userId }: { userId: string }) => userId === bob.id)) return;
    await addMember(world, ada, this.workspaceId, bob, 'member');
  }

  /** The copy follows to the end: it is what a fresh client gets, and what the lists of the API show. */
  async check(): Promise<void> {
    await this.join();
    this.#leave();
    // Reading series would make them advance in between.
    await sweep(world.deps);
    for (const page of this.#pages) this.client.takePage(page);
    const fresh = new ReferenceClient();
    for (const client of [this.client, fresh]) await client.follow(as(world, bob), this.#inside);
    expect(this.client.contents()).toEqual(fresh.contents());
    expect(this.client.contents()).toEqual(await this.#listed());
    for (const { value } of this.client.comments()) {
      const path = `${this.#inside}/tasks/${value?.taskId}/comments/${value?.id}`;
      expect(value).toEqual((await as(world, bob)('GET', path)).body);
    }
  }

  async #listed(): Promise<Record<string, unknown>> {
    const call = as(world, bob);
    const { role: _, ...workspace } = (await call('GET', this.#inside)).body;
    const rows: [string, unknown][] = [[`workspace ${this.workspaceId}`, workspace]];
    const kinds = {
      member: 'members',
      statusTemplate: 'status-templates',
      space: 'spaces',
      list: 'lists',
      label: 'labels',
      recurringTask: 'recurring-tasks',
      task: 'tasks',
    };
    for (const [kind, path] of Object.entries(kinds)) {
      const { items, total } = (await call('GET', `${this.#inside}/${path}?limit=100`)).body;
      expect(items).toHaveLength(total);
      for (const item of items) rows.push([`${kind} ${item.id ?? item.userId}`, item]);
    }
    return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const BACKUP = 'backup.db';

function takeBackup(): void {
  rmSync(join(folder, BACKUP), { force: true });
  world.opened.storage.writing.exec(`vacuum into '${join(folder, BACKUP)}'`);
}

/** By hand, as people do: the file alone, over the one that is there. */
function restoreBackup(): void {
  for (const ending of ['-wal', '-shm']) rmSync(join(folder, `errand.db${ending}`), { force: true });
  copyFileSync(join(folder, BACKUP), join(folder, 'errand.db'));
}

const step = (what: Step['what'], a = 0): Step => ({ what, a, b: 0 });

const epoch = async () =>
  (await as(world, ada)('GET', `/workspaces/${await homeOf(world, ada)}/changes`)).body.epoch;

/** Takes the steps in a workspace of its own, and compares. */
async function follow(taken: readonly Step[]): Promise<void> {
  const { id } = (await as(world, ada)('POST', '/workspaces', { title: 'Shared' })).body;
  const following = new Following(id);
  await following.join();
  takeBackup();
  for (const step of taken) await following.take(step);
  await following.check();
}

describe('a client that keeps a copy by changes and events', () => {
  it(
    'ends with what a fresh client gets, whatever is lost, late, doubled, killed or restored',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          await follow(taken);
        }),
        {
          numRuns: RUNS,
          endOnFailure: !!process.env.FOLLOWING_FIRST,
          seed: SEED,
        },
      );
    },
    Math.max(240_000, RUNS * 2_000),
  );

  it.each([0, 1, 3, 4, 5, 29])(
    'begins again where the file goes back behind what a load showed, after %i things more',
    async (more) => {
      await follow([step('pull'), step('remove list'), step('pull', more), step('restore'), step('task')]);
    },
  );

  it('drops the comments on tasks of a list that is deleted', async () => {
    await follow([step('task'), step('pull', 29), step('comment'), step('pull', 29), step('remove list')]);
  });

  it('drops the comments of an instance that was skipped and brought back meanwhile', async () => {
    const commented = [step('series'), step('pull', 38), step('comment'), step('pull')];
    await follow([...commented, step('skip'), step('step back')]);
  });

  it('is told of a new epoch where the file goes back behind a clean stop', async () => {
    const before = await epoch();
    takeBackup();
    await as(world, ada)('POST', '/workspaces', { title: 'Not in the backup' });
    await world.close();
    restoreBackup();
    world = await openWorld({ folder });
    expect(await epoch()).not.toBe(before);
  });

  it('has an epoch from the first start on, and keeps it over a stop and a start', async () => {
    const before = await epoch();
    expect(before).toMatch(/^[0-9a-f]{8}$/);
    await world.close();
    world = await openWorld({ folder });
    expect(await epoch()).toBe(before);
  });
});
