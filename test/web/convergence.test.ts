import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seeded } from '../seeded-random.ts';
import { ACTS, actOn } from './acts.ts';
import { ContractServer } from './contract-server.ts';
import { CALM, Device, type Page, Timeline, type Weather } from './simulation.ts';

/** Thousands of others with `CONVERGENCE_RUNS=20000 CONVERGENCE_SEED=2 npm test -- convergence`. */
const RUNS = Number(process.env.CONVERGENCE_RUNS ?? 100);
const SEED = Number(process.env.CONVERGENCE_SEED ?? 1);
const DAY_MS = 86_400_000;

const STORM: Weather = { lost: 0.15, doubled: 0.1, failing: 0.1, slow: 0.05 };
const WORKSPACES = ['w1', 'w2'];
const USERS = ['ada', 'bob'];

beforeEach(() => {
  const random = seeded(7);
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    const array = bytes as Uint8Array;
    for (let index = 0; index < array.length; index++) array[index] = Math.floor(random() * 256);
    return bytes;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What happens in one step: who, what, and how long nothing else does. */
interface Step {
  who: number;
  what: string;
  nth: number;
  wait: number;
}

const EVENTS = [
  'undo',
  'redo',
  'offline',
  'online',
  'kill',
  'second tab',
  'sleep',
  'snapshot',
  'restore',
  'month',
  'viewer',
  'removed',
  'member',
  'ended',
  'sign out',
  'status',
  'others',
  'mass',
  'comments',
  'retry',
  'close',
] as const;

const stepsOf = (acts: fc.Arbitrary<number>, events: readonly string[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      who: fc.nat(1),
      what: fc.oneof(
        { weight: 2, arbitrary: fc.constant('act') },
        { weight: 1, arbitrary: fc.constantFrom(...events) },
      ),
      nth: acts,
      wait: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(300), fc.nat(3_000), fc.nat(60_000)),
    }),
    { minLength: 1, maxLength: 40, size: 'max' },
  );

const STEPS = stepsOf(fc.nat(ACTS - 1), EVENTS);

/** Things are made, and nothing takes them away again that one would not be told of. */
const TAKES_AWAY = ['undo', 'redo', 'restore', 'sign out'];
const MAKING = stepsOf(
  fc.constantFrom(0, 1, 2, 3, 5, 6, 8),
  EVENTS.filter((event) => !TAKES_AWAY.includes(event)),
);

class Scenario {
  readonly timeline: Timeline;
  readonly server: ContractServer;
  readonly devices: Device[];
  /** What was made and stored on a device, by id. */
  readonly #saved = new Map<string, Device>();
  #snapshot: ContractServer['state'];

  constructor(seed: number, maxTasks?: number) {
    this.timeline = new Timeline(seed);
    this.server = new ContractServer(this.timeline);
    for (const id of WORKSPACES) this.server.seed(id, { owner: 'owner', ada: 'member', bob: 'member' });
    this.#snapshot = structuredClone(this.server.state);
    const serve = (userId: string) => (request: Parameters<ContractServer['serve']>[0]) =>
      this.server.serve(request, userId);
    this.devices = USERS.map((userId) => new Device(this.timeline, serve(userId), userId, maxTasks));
  }

  async start(weather: Weather): Promise<void> {
    for (const device of this.devices) await device.open();
    await this.devices[0]?.open();
    await this.timeline.advance(3_000);
    for (const device of this.devices) device.weather = weather;
  }

  async take({ who, what, nth, wait }: Step): Promise<void> {
    const device = this.devices[who];
    if (!device) return;
    const page = this.timeline.pick(device.live) ?? (await this.#reopen(device));
    if (what === 'act') {
      const { created, isStored } = actOn(page, nth, this.timeline);
      void isStored.then((isSaved) => {
        if (isSaved) for (const id of created) this.#saved.set(id, device);
      });
    } else await this.#happen(what, nth, device, page);
    await this.timeline.advance(wait);
  }

  async #reopen(device: Device): Promise<Page> {
    for (const page of device.pages) page.kill();
    this.server.signedOut.delete(device.userId);
    return await device.open();
  }

  async #happen(what: string, nth: number, device: Device, page: Page): Promise<void> {
    const { server, timeline } = this;
    const { userId } = device;
    const workspaceId = WORKSPACES[nth % 2] ?? '';
    const { store } = page;
    switch (what) {
      case 'undo':
        return void store.acts.undo().catch(() => {});
      case 'redo':
        return void store.acts.redo().catch(() => {});
      case 'offline':
        device.isOnline = false;
        break;
      case 'online':
        device.isOnline = true;
        break;
      case 'kill':
        page.kill();
        break;
      case 'close':
        store.leave();
        await timeline.advance(10);
        page.kill();
        break;
      case 'second tab':
        if (device.live.length < 3) await device.open();
        break;
      case 'sleep':
        page.sleep(nth * 6_000);
        break;
      case 'snapshot':
        this.#snapshot = structuredClone(server.state);
        break;
      case 'restore':
        server.restoreFrom(this.#snapshot);
        break;
      case 'month':
        device.isOnline = false;
        await timeline.advance(1_000);
        timeline.jump(33 * DAY_MS);
        server.purge();
        break;
      case 'viewer':
        server.setRole(workspaceId, userId, 'viewer');
        break;
      case 'removed':
        server.setRole(workspaceId, userId, null);
        break;
      case 'member':
        server.setRole(workspaceId, userId, 'member');
        break;
      case 'ended':
        server.signedOut.add(userId);
        server.endStreams(userId);
        break;
      case 'sign out':
        await this.#signOut(device, page);
        break;
      case 'status':
        server.toggleStatus(workspaceId);
        break;
      case 'others':
        this.#others(workspaceId, nth);
        break;
      case 'mass':
        for (let index = 0; index < 12; index++) this.#others(workspaceId, index, 'batch');
        break;
      case 'comments': {
        const task = timeline.pick([...store.view.all('task')]);
        if (task) void store.queries.loadComments(task.workspaceId, task.id).catch(() => {});
        if (task && nth % 2) void store.queries.run(task.workspaceId, `tasks/${task.id}`).catch(() => {});
        break;
      }
      case 'retry': {
        const failed = store.waiting.all.value.find(({ why }) => why);
        if (failed?.why?.theirs) void store.waiting.keepMine(failed).catch(() => {});
        else if (failed) void store.waiting.retry(failed).catch(() => {});
      }
    }
  }

  /** Everything of the user leaves the device, also what was not sent. */
  async #signOut(device: Device, page: Page): Promise<void> {
    page.wake();
    await this.timeline.advance(100);
    void page.store.signOut().catch(() => {});
    await this.timeline.advance(100);
    // Tabs that slept wake, and must not write what they still hold.
    await this.timeline.advance(100_000);
    const { rows, positions, outbox, notes } = await device.disk.read();
    expect(device.live).toEqual([]);
    expect({ rows, positions, outbox, notes }).toEqual({ rows: [], positions: [], outbox: [], notes: {} });
    for (const other of [...device.pages]) other.kill();
  }

  /** Someone without a copy changes something. */
  #others(workspaceId: string, nth: number, how = 'one'): void {
    const { server, timeline } = this;
    const contents = server.contentsOf(workspaceId);
    const of = (kind: string) => contents.filter((item) => item.kind === kind);
    const task = timeline.pick(of('task'));
    const list = timeline.pick(of('list'));
    const root = `workspaces/${workspaceId}`;
    const update = (fields: object) =>
      task &&
      server.do('owner', 'POST', `${root}/tasks/batch`, {
        operations: [{ op: 'update', id: task.id, ...fields }],
      });
    if (how === 'batch' || nth % 6 === 0) {
      const id = `others-${timeline.now}-${timeline.below(1e9)}`;
      const operations = [{ op: 'create', id, title: 'theirs', listId: list?.id }];
      server.do('owner', 'POST', `${root}/tasks/batch`, { operations });
    } else if (nth % 6 === 1) update({ title: `theirs ${timeline.below(99)}` });
    else if (nth % 6 === 2) update({ description: `theirs ${timeline.below(99)}` });
    else if (nth % 6 === 3) update({ statusId: `${workspaceId}-done` });
    else if (nth % 6 === 4 && list && of('list').length > 1)
      server.do('owner', 'DELETE', `${root}/lists/${list.id}`);
    else if (task)
      server.do('owner', 'POST', `${root}/tasks/batch`, { operations: [{ op: 'delete', id: task.id }] });
  }

  /** The storm is over: everyone is back, and there is time. */
  async catchUp(): Promise<void> {
    for (const device of this.devices) {
      device.weather = CALM;
      device.isOnline = true;
      this.server.signedOut.delete(device.userId);
      for (const page of [...device.pages]) {
        page.wake();
        if (page.store.isSignedOut.value) page.kill();
      }
      if (device.live.length === 0) await this.#reopen(device);
    }
    await this.timeline.advance(60_000);
    // A response of before may have come late: that the session had ended.
    for (const device of this.devices) if (device.live.length === 0) await this.#reopen(device);
    for (const device of this.devices) for (const page of device.live) page.store.refresh();
    await this.timeline.advance(120_000);
  }

  /** Every page shows what the server has, and nothing waits. */
  check(): void {
    for (const device of this.devices) {
      expect(device.live.length).toBeGreaterThan(0);
      for (const page of device.live) this.#checkPage(device, page);
    }
  }

  /** What was made and stored reached the server, or is set aside where it can be looked at for 90 days. */
  checkSaved(): void {
    const kept = this.timeline.now - 90 * DAY_MS;
    const lost = [...this.#saved].filter(([id, device]) => {
      if (this.server.state.used[id] !== undefined) return false;
      if ((device.toldOf.get(id) ?? kept) < kept) return false;
      const changes = device.live[0]?.store.waiting.all.value.flatMap((act) => act.changes) ?? [];
      return !changes.some(({ thing, aside }) => thing === id && aside);
    });
    expect(lost.map(([id]) => id)).toEqual([]);
  }

  #checkPage(device: Device, { store }: Page): void {
    expect(store.waiting.all.value.filter(({ why }) => !why)).toEqual([]);
    expect(store.sync.value.text).toMatch(/^(Synced|Not saved)/);
    const mine = this.server.workspacesOf(device.userId).sort();
    expect(
      store
        .workspaces()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(mine);
    const expected = new Map<string, unknown>();
    const optional = new Map<string, unknown>();
    const old = this.timeline.now - 14 * DAY_MS;
    for (const workspaceId of mine)
      for (const { kind, id, value } of this.server.contentsOf(workspaceId)) {
        const key = kind === 'member' ? `member:${workspaceId}/${id}` : `${kind}:${id}`;
        const shown = kind === 'member' ? { ...value, workspaceId } : value;
        const isAged = kind === 'task' && value.completedAt && Date.parse(String(value.updatedAt)) < old;
        const isForeign = kind === 'comment' && !store.queries.holdsComments(String(value.taskId));
        if (isAged || isForeign || (kind === 'task' && store.isCut(workspaceId))) optional.set(key, shown);
        else expected.set(key, shown);
      }
    const shown = new Map<string, unknown>();
    for (const { kind, key } of store.view.held()) shown.set(`${kind}:${key}`, store.view.row(kind, key));
    for (const [key, value] of optional) if (shown.has(key)) expected.set(key, value);
    expect(sorted(shown)).toEqual(sorted(expected));
  }
}

const sorted = (rows: ReadonlyMap<string, unknown>) =>
  Object.fromEntries(
    [...rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, row]) => [key, JSON.parse(JSON.stringify(row ?? null))]),
  );

async function run(
  seed: number,
  steps: readonly Step[],
  weather: Weather,
  maxTasks?: number,
): Promise<Scenario> {
  const scenario = new Scenario(seed, maxTasks);
  await scenario.start(weather);
  for (const one of steps) await scenario.take(one);
  await scenario.catchUp();
  scenario.check();
  return scenario;
}

const repeat = (
  runs: number,
  steps: typeof STEPS,
  check: (seed: number, steps: Step[]) => Promise<unknown>,
) =>
  fc.assert(
    fc.asyncProperty(fc.nat(), steps, async (seed, taken) => void (await check(seed, taken))),
    { numRuns: runs, seed: SEED },
  );

describe('two people who each work on a copy', { timeout: Math.max(240_000, RUNS * 400) }, () => {
  it('end with what the server has, over a network without fault', async () => {
    await repeat(Math.ceil(RUNS / 4), STEPS, (seed, steps) => run(seed, steps, CALM));
  });

  it('end with what the server has, over one that loses, doubles, delays and fails', async () => {
    await repeat(RUNS, STEPS, (seed, steps) => run(seed, steps, STORM));
  });

  it('end with what the server has, where a copy holds only the first tasks', async () => {
    await repeat(Math.ceil(RUNS / 4), STEPS, (seed, steps) => run(seed, steps, STORM, 3));
  });

  it('lose nothing that was stored, unless they are told', async () => {
    await repeat(RUNS, MAKING, async (seed, steps) => (await run(seed, steps, STORM)).checkSaved());
  });
});
