import { beforeEach, describe, expect, it } from 'vitest';
import { Flights } from '../../src/web/data/flights.ts';
import * as intents from '../../src/web/data/intents.ts';
import type { Task } from '../../src/web/data/rows.ts';
import { ServerQueries } from '../../src/web/data/server-queries.ts';
import type { Tab } from '../../src/web/data/tab.ts';
import { placeAt } from '../../src/web/text/positions.ts';
import { ContractServer } from './contract-server.ts';
import { Device, failure, type Page, type Reply, type SentRequest, Timeline } from './simulation.ts';

let timeline: Timeline;
let server: ContractServer;
let device: Device;
let sent: SentRequest[];
/** What comes in place of the server's response to a write. */
let fault: Reply | undefined;
/** Whether the server does what it is asked, and its responses are lost. */
let isDeaf: boolean;

beforeEach(() => {
  timeline = new Timeline(1);
  server = new ContractServer(timeline);
  server.seed('w1', { ada: 'owner', bob: 'member' });
  sent = [];
  fault = undefined;
  isDeaf = false;
  device = new Device(
    timeline,
    (request) => {
      if (request.method !== 'GET') sent.push(request);
      if (request.method !== 'GET' && fault) return fault;
      const reply = server.serve(request, 'ada');
      return request.method !== 'GET' && isDeaf ? failure(503, 'Failure') : reply;
    },
    'ada',
  );
});

async function open(): Promise<Page> {
  const page = await device.open();
  await timeline.advance(3_000);
  return page;
}

/** What someone else does meanwhile. */
const byBob = (operation: object) =>
  server.do('bob', 'POST', 'workspaces/w1/tasks/batch', { operations: [operation] });

/** Makes a task on the server, and waits until every page has it. */
async function make(page: Page, title = 'Paint the fence', fields: object = {}): Promise<Task> {
  const id = page.store.makeId();
  byBob({ op: 'create', id, title, listId: 'w1-list1', ...fields });
  await timeline.advance(2_000);
  return shown(page, id);
}

function shown({ store }: Page, id: string): Task {
  const task = store.view.row('task', id);
  if (!task) throw new Error(`No task ${id}`);
  return task;
}

/** Does it without waiting for the device. */
const act = ({ store }: Page, name: string, ...made: Parameters<Page['store']['acts']['do']>[1]): void =>
  void store.acts.do(name, made);
/** Makes a task on the device, and returns its id. */
function create(page: Page, title: string, fields: object = {}): string {
  const id = page.store.makeId();
  act(page, 'made', intents.create('task', 'w1', id, { title, listId: 'w1-list1', ...fields }));
  return id;
}
const rename = (page: Page, task: Task, title: string): void =>
  act(page, title, intents.updateTask(task, { title }));
const goOnline = (page: Page, isOnline: boolean): void => {
  device.isOnline = isOnline;
  page.store.refresh(true);
};
/** A series on the server, and its first task. */
async function makeSeries(page: Page): Promise<{ id: string; first: string }> {
  const id = page.store.makeId();
  act(page, 'made', intents.create('recurringTask', 'w1', id, { title: 'Water', listId: 'w1-list1' }));
  await timeline.advance(3_000);
  return { id, first: String(onServer(id)?.nextTaskId) };
}
function skipNext(page: Page, seriesId: string): void {
  const series = page.store.view.row('recurringTask', seriesId);
  const skip = series && intents.skip(page.store.view, series);
  if (!skip) throw new Error('Nothing to skip');
  act(page, 'skipped', skip);
}
const asideOf = ({ store }: Page) => store.waiting.all.value.filter(({ why }) => why);
const onServer = (id: string) => server.contentsOf('w1').find((item) => item.id === id)?.value;

describe('a deletion for good', () => {
  const removeForGood = (page: Page, tasks: Task[]): void =>
    void page.store.acts.do('removed', tasks.map(intents.removeForGood));

  it('waits 10 s, in which it is taken back whole and nothing was sent', async () => {
    const page = await open();
    const tasks = [await make(page), await make(page, 'Water the beds')];
    removeForGood(page, tasks);
    await timeline.advance(9_000);
    expect(tasks.map(({ id }) => page.store.view.row('task', id))).toEqual([undefined, undefined]);
    const undone = page.store.acts.undo();
    await timeline.advance(20_000);
    expect(await undone).toEqual({ name: 'removed', isDone: true, things: tasks.map(({ id }) => id) });
    expect(sent).toEqual([]);
    expect(tasks.map(({ id }) => shown(page, id))).toEqual(tasks);
  });

  it('of many is one request', async () => {
    const page = await open();
    const tasks = [await make(page), await make(page, 'Water the beds')];
    sent.splice(0);
    removeForGood(page, tasks);
    await timeline.advance(15_000);
    expect(sent).toHaveLength(1);
  });

  it('leaves nothing in the trash, and then says that nothing is left to take back', async () => {
    const page = await open();
    const tasks = [await make(page), await make(page, 'Water the beds')];
    removeForGood(page, tasks);
    await timeline.advance(15_000);
    expect(tasks.map(({ id }) => onServer(id))).toEqual([undefined, undefined]);
    expect(server.state.trash).toEqual({});
    expect(await page.store.acts.undo()).toEqual({
      name: 'removed',
      isDone: false,
      things: tasks.map(({ id }) => id),
    });
    await timeline.advance(15_000);
    expect(asideOf(page)).toEqual([]);
  });
});

describe('the first load', () => {
  it('knows of every workspace before one of them is there', async () => {
    server.seed('w2', { ada: 'member' });
    let isBusy = true;
    const other = new Device(
      timeline,
      (request) => {
        const isLate = isBusy && request.path.includes('w2/changes');
        return isLate ? failure(503, 'Failure') : server.serve(request, 'ada');
      },
      'ada',
    );
    const { store } = await other.open();
    const loading = () => store.workspaces().map(({ id, isLoading }) => `${id} ${isLoading}`);
    await timeline.advance(1_000);
    expect(loading()).toEqual(['w1 false', 'w2 true']);
    isBusy = false;
    await timeline.advance(10_000);
    expect(loading()).toEqual(['w1 false', 'w2 false']);
  });
});

describe('what is done without a network', () => {
  it('is said to wait once the device has it, and then outlives the page', async () => {
    const page = await open();
    const task = await make(page);
    goOnline(page, false);
    await timeline.advance(100);
    rename(page, task, 'one');
    expect(shown(page, task.id).title).toBe('one');
    expect([page.store.sync.value.text, page.store.wouldLose]).toEqual(['Offline', true]);
    await timeline.advance(20);
    expect([page.store.sync.value.text, page.store.wouldLose]).toEqual(['Offline, 1 waiting', false]);
    page.kill();
    expect(shown(await device.open(), task.id).title).toBe('one');
  });
});

describe('signing out', () => {
  it('leaves nothing of what a sleeping tab did before', async () => {
    const sleeper = await open();
    const other = await open();
    sleeper.sleep(10_000);
    create(sleeper, 'x');
    void other.store.signOut();
    await timeline.advance(60_000);
    expect((await device.disk.read()).outbox).toEqual([]);
  });
});

describe('a leading tab that is frozen', () => {
  it('is followed by another one within 30 s, and sends nothing when it wakes', async () => {
    const frozen = await open();
    const other = await open();
    const task = await make(other);
    const id = create(frozen, 'Begun');
    while (sent.length === 0) await timeline.advance(1);
    frozen.sleep(120_000);
    rename(other, task, 'New');
    await timeline.advance(30_000);
    expect([onServer(task.id)?.title, onServer(id)?.title]).toEqual(['New', 'Begun']);
    expect((await device.disk.read()).outbox).toEqual([]);
    const until = sent.length;
    await timeline.advance(180_000);
    expect(sent).toHaveLength(until);
    expect([shown(frozen, task.id).title, shown(frozen, id).title]).toEqual(['New', 'Begun']);
  });
});

describe('a session that ended', () => {
  it('keeps what a sleeping tab did before', async () => {
    const sleeper = await open();
    const other = await open();
    sleeper.sleep(10_000);
    create(sleeper, 'x');
    server.signedOut.add('ada');
    server.endStreams('ada');
    await timeline.advance(60_000);
    expect(other.store.isSignedOut.value).toBe(true);
    const { rows, outbox } = await device.disk.read();
    expect([rows.length, outbox.length]).toEqual([0, 1]);
  });
});

describe('a copy', () => {
  it('is cut only where something was left out', async () => {
    const first = await open();
    for (const title of ['One', 'Two']) await make(first, title);
    const held = [...first.store.view.all('task')].length;
    for (const [limit, isCut] of [
      [held, false],
      [held - 1, true],
    ] as const) {
      device = new Device(timeline, (request) => server.serve(request, 'ada'), 'ada', limit);
      const { store } = await open();
      expect([...store.view.all('task')].length).toBe(limit);
      expect(store.isCut('w1')).toBe(isCut);
    }
  });
});

describe('what is asked of the server beside that', () => {
  it('is asked for again where the copy started over meanwhile', async () => {
    const flights = new Flights();
    const written: unknown[] = [];
    let requests = 0;
    const tab = {
      flights,
      view: { get: () => undefined },
      api: {
        request: async () => {
          requests += 1;
          if (requests === 1) flights.noteReset(['w1']);
          return { kind: 'ok', body: { items: [{ id: 'far', version: 1 }], total: 1 } };
        },
      },
      commit: async (decide: () => unknown) => {
        const writes = decide();
        if (writes) written.push(writes);
      },
    };
    const page = await new ServerQueries(tab as unknown as Tab).run('w1', 'tasks/query?page=2');
    expect([requests, page?.total]).toEqual([2, 1]);
    expect(written).toMatchObject([{ rows: { put: [{ kind: 'task', key: 'far' }] } }]);
  });
});

describe('the event stream', () => {
  it('is opened again where it falls silent after its greeting', async () => {
    let streams = 0;
    const serve = (request: SentRequest): Reply => {
      const reply = server.serve(request, 'ada');
      const { listen } = reply;
      if (!listen || ++streams > 1) return reply;
      let isGreeted = false;
      const hear = (onText: (text: string) => void) => (text: string) => {
        if (!isGreeted) onText(text);
        isGreeted = true;
      };
      return { ...reply, listen: (onText) => listen(hear(onText), () => {}) };
    };
    device = new Device(timeline, serve, 'ada');
    const page = await open();
    const id = page.store.makeId();
    byBob({ op: 'create', id, title: 'Paint the fence', listId: 'w1-list1' });
    await timeline.advance(60_000);
    expect(shown(page, id).title).toBe('Paint the fence');
  });
});

describe('a change', () => {
  it('of a status that is gone meanwhile takes the first of its type', async () => {
    const page = await open();
    const task = await make(page);
    goOnline(page, false);
    act(page, 'started', intents.updateTask(task, { statusId: 'w1-doing', title: 'Started' }));
    server.toggleStatus('w1');
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page)).toEqual([]);
    expect(onServer(task.id)).toMatchObject({ title: 'Started', statusId: 'w1-todo' });
  });

  it('that makes a task in a status that is gone meanwhile takes the first of its type', async () => {
    const page = await open();
    goOnline(page, false);
    const id = create(page, 'x', { statusId: 'w1-doing' });
    server.toggleStatus('w1');
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page)).toEqual([]);
    expect(onServer(id)).toMatchObject({ title: 'x', statusId: 'w1-todo' });
  });

  it('waits as long as the server asks for, also while more is done', async () => {
    const page = await open();
    const task = await make(page);
    fault = failure(429, 'Failure', { 'retry-after': '60' });
    rename(page, task, 'one');
    await timeline.advance(1_000);
    for (const title of ['two', 'three']) {
      rename(page, task, title);
      page.store.refresh();
      await timeline.advance(5_000);
    }
    expect(sent).toHaveLength(1);
    expect(page.store.sync.value).toMatchObject({ text: 'Sending 2', heldUntil: expect.any(Number) });
    fault = undefined;
    await timeline.advance(60_000);
    expect(onServer(task.id)?.title).toBe('three');
    rename(page, task, 'four');
    expect(page.store.sync.value).toMatchObject({ text: 'Sending 1', heldUntil: null });
  });

  it('that the server fails at is tried after 1, 5 and 15 s, also while more is done, and then set aside', async () => {
    const page = await open();
    const [task, other] = [await make(page), await make(page, 'Mulch the beds')];
    fault = failure(500, 'Failure');
    rename(page, task, 'one');
    await timeline.advance(100);
    expect(sent).toHaveLength(1);
    rename(page, other, 'two');
    await timeline.advance(700);
    expect(sent).toHaveLength(1);
    await timeline.advance(300);
    expect(sent).toHaveLength(2);
    page.store.refresh();
    await timeline.advance(4_500);
    expect(sent).toHaveLength(2);
    await timeline.advance(600);
    expect(sent).toHaveLength(3);
    await timeline.advance(14_500);
    expect(asideOf(page)).toEqual([]);
    fault = undefined;
    const before = sent.length;
    await timeline.advance(5_000);
    expect(sent.length).toBeGreaterThan(before);
  });

  it('that takes a series back is done once, though the response to it was lost', async () => {
    const page = await open();
    const { id, first } = await makeSeries(page);
    act(page, 'done', intents.updateTask(shown(page, first), { statusId: 'w1-done' }));
    await timeline.advance(3_000);
    expect(onServer(id)?.nextTaskId).not.toBe(first);
    isDeaf = true;
    void page.store.acts.undo();
    await timeline.advance(1_000);
    expect(onServer(id)?.nextTaskId).toBe(first);
    isDeaf = false;
    await timeline.advance(10_000);
    expect(page.store.sync.value.text).toBe('Synced');
    expect(shown(page, first).completedAt).toBeNull();
  });

  it('that takes a series on is taken back once the server has said what came of it', async () => {
    const page = await open();
    const { id, first } = await makeSeries(page);
    const skipIt = () => skipNext(page, id);
    for (const ms of [1, 5, 10, 20, 50, 100]) {
      skipIt();
      await timeline.advance(ms);
      const undone = page.store.acts.undo();
      await timeline.advance(5_000);
      expect([ms, (await undone)?.isDone, page.store.sync.value.text]).toEqual([ms, true, 'Synced']);
      expect(onServer(id)?.nextTaskId).toBe(first);
    }
    goOnline(page, false);
    skipIt();
    await timeline.advance(100);
    const early = page.store.acts.undo();
    await timeline.advance(5_000);
    expect(await early).toMatchObject({ name: 'skipped', isDone: false, isEarly: true });
    goOnline(page, true);
    await timeline.advance(20_000);
    void page.store.acts.undo();
    await timeline.advance(5_000);
    expect([onServer(id)?.nextTaskId, page.store.sync.value.text]).toEqual([first, 'Synced']);
  });

  it('that completes or deletes an instance of a series is taken back, however soon that is asked for', async () => {
    const page = await open();
    const { id, first } = await makeSeries(page);
    const complete = (task: Task) => intents.updateTask(task, { statusId: 'w1-done' });
    const remove = (task: Task) => intents.remove('task', task);
    for (const doIt of [complete, remove])
      for (const ms of [1, 5, 10, 20, 30, 40, 50, 60, 80, 100]) {
        goOnline(page, false);
        rename(page, shown(page, first), `Water ${ms}`);
        act(page, 'done', doIt(shown(page, first)));
        await timeline.advance(100);
        goOnline(page, true);
        await timeline.advance(ms);
        const undone = page.store.acts.undo();
        await timeline.advance(5_000);
        const outcome = [doIt.name, ms, (await undone)?.isDone, page.store.sync.value.text];
        expect(outcome).toEqual([doIt.name, ms, true, 'Synced']);
        expect([doIt.name, ms, onServer(id)?.nextTaskId, shown(page, first).completedAt]).toEqual([
          doIt.name,
          ms,
          first,
          null,
        ]);
      }
  });

  it('that cannot be taken back any more is said to be so, and leaves nothing waiting', async () => {
    const page = await open();
    const { id } = await makeSeries(page);
    skipNext(page, id);
    await timeline.advance(3_000);
    const series = page.store.view.row('recurringTask', id);
    if (series) act(page, 'paused', intents.pause(series));
    await timeline.advance(3_000);
    void page.store.acts.undo();
    await timeline.advance(3_000);
    void page.store.acts.undo();
    await timeline.advance(3_000);
    expect(page.store.waiting.all.value).toEqual([]);
    expect(page.store.sync.value.text).toBe('Synced');
    const { name, changes } = page.store.waiting.notice.value ?? {};
    expect([name, changes?.map(({ undoes }) => undoes)]).toEqual(['Taken back: skipped', [true]]);
  });

  it('that was not saved is not taken back: what another did in its place stays', async () => {
    const page = await open();
    const { id, first } = await makeSeries(page);
    goOnline(page, false);
    skipNext(page, id);
    await timeline.advance(100);
    byBob({ op: 'update', id: first, statusId: 'w1-done' });
    const next = onServer(id)?.nextTaskId;
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page).map(({ name }) => name)).toEqual(['skipped']);
    const undone = page.store.acts.undo();
    await timeline.advance(5_000);
    expect((await undone)?.isDone).toBe(false);
    expect([onServer(id)?.nextTaskId, onServer(first)?.statusId]).toEqual([next, 'w1-done']);
  });

  it('that takes one back is said to wait as that, until something else is done to the same', async () => {
    const page = await open();
    const task = await make(page);
    isDeaf = true;
    rename(page, task, 'Paint it');
    await timeline.advance(100);
    void page.store.acts.undo();
    await timeline.advance(100);
    const names = () => page.store.waiting.all.value.map(({ name }) => name);
    expect(names()).toEqual(['Paint it', 'Taken back: Paint it']);
    rename(page, task, 'Paint all of it');
    await timeline.advance(100);
    expect(names()).toEqual(['Paint it', 'Paint all of it']);
  });

  it('that merged with others of its thing waits under the names of all that is still in it', async () => {
    const page = await open();
    const [task, other, first] = [await make(page), await make(page), await make(page)];
    const low = [task, other].map((row) => intents.updateTask(row, { priority: 'low' }));
    const names = async () => {
      await timeline.advance(100);
      return page.store.waiting.all.value.map(({ name }) => name);
    };
    fault = failure(503, 'Failure', { 'retry-after': '60' });
    rename(page, first, 'one');
    await timeline.advance(100);
    rename(page, task, 'Paint it');
    act(page, 'high', intents.updateTask(task, { priority: 'high' }));
    expect(await names()).toEqual(['one', 'Paint it; high']);
    act(page, 'both low', ...low);
    expect(await names()).toEqual(['one', 'Paint it; both low']);
    void page.store.acts.undo();
    void page.store.acts.undo();
    expect(await names()).toEqual(['one', 'Paint it']);
    act(page, 'two labels', intents.updateTask(task, { addLabelIds: ['l1', 'l2'] }));
    act(page, 'one label', intents.updateTask(task, { removeLabelIds: ['l1'] }));
    expect(await names()).toEqual(['one', 'Paint it; two labels']);
    act(page, 'no label', intents.updateTask(task, { removeLabelIds: ['l2'] }));
    expect(await names()).toEqual(['one', 'Paint it']);
  });

  it('that is rejected is told on every page, in whichever it was made', async () => {
    const leading = await open();
    const task = await make(leading);
    const page = await open();
    rename(page, task, '');
    await timeline.advance(3_000);
    for (const { store } of [leading, page]) {
      expect(store.waiting.notice.value?.why?.status).toBe(400);
      expect(store.waiting.all.value).toHaveLength(1);
    }
  });

  it('that is not decided yet is not overtaken by an earlier one that is taken back', async () => {
    const page = await open();
    const [task, { id }] = [await make(page), await makeSeries(page)];
    goOnline(page, false);
    rename(page, task, 'Paint it');
    skipNext(page, id);
    await timeline.advance(100);
    const undone = [page.store.acts.undo(), page.store.acts.undo()];
    await timeline.advance(8_000);
    for (const each of undone) expect(await each).toMatchObject({ name: 'skipped', isEarly: true });
    expect(shown(page, task.id).title).toBe('Paint it');
  });

  it('goes on where one before it was set aside', async () => {
    const page = await open();
    const [task, other] = [await make(page), await make(page, 'Mulch the beds')];
    rename(page, task, '');
    rename(page, other, 'Mulched');
    await timeline.advance(5_000);
    expect(asideOf(page).map(({ name, why }) => [name, why?.status])).toEqual([['', 400]]);
    expect(onServer(other.id)?.title).toBe('Mulched');
    expect(shown(page, task.id).title).toBe('Paint the fence');
  });

  it('that depends on one that failed goes with it, as one entry', async () => {
    const page = await open();
    const [list, task] = [page.store.makeId(), page.store.makeId()];
    act(page, 'Made a list', intents.create('list', 'w1', list, { title: '', spaceId: 'w1-space' }));
    act(page, 'Made a task', intents.create('task', 'w1', task, { title: 'in it', listId: list }));
    await timeline.advance(5_000);
    expect(asideOf(page).map(({ name, changes }) => [name, changes.length])).toEqual([['Made a list', 2]]);
    expect(page.store.sync.value.text).toBe('Not saved: 1');
    expect(page.store.waiting.notice.value?.name).toBe('Made a list');
  });

  it('of a label whose title is taken meanwhile is of that label', async () => {
    const page = await open();
    goOnline(page, false);
    const [mine, task] = [page.store.makeId(), page.store.makeId()];
    act(page, 'Made a label', intents.create('label', 'w1', mine, { title: 'money' }));
    act(
      page,
      'Made',
      intents.create('task', 'w1', task, { title: 'x', listId: 'w1-list1', labelIds: [mine] }),
    );
    server.do('bob', 'POST', 'workspaces/w1/labels', { id: 'theirs', title: 'money', color: '#000000' });
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page)).toEqual([]);
    expect(onServer(task)?.labelIds).toEqual(['theirs']);
    expect(shown(page, task).labelIds).toEqual(['theirs']);
  });

  it('that makes a label and gives it to a task is done again under another id', async () => {
    const page = await open();
    const [task, mine] = [await make(page), page.store.makeId()];
    act(page, 'Labelled', intents.create('label', 'w1', mine, { title: 'money' }), {
      ...intents.updateTask(task, {}),
      fields: { addLabelIds: [mine] },
    });
    await timeline.advance(5_000);
    void page.store.acts.undo();
    await timeline.advance(5_000);
    expect([onServer(mine), onServer(task.id)?.labelIds]).toEqual([undefined, []]);
    void page.store.acts.redo();
    await timeline.advance(5_000);
    const [label] = [...page.store.view.all('label')].filter(({ title }) => title === 'money');
    expect(onServer(task.id)?.labelIds).toEqual([label?.id]);
    void page.store.acts.undo();
    await timeline.advance(5_000);
    expect([onServer(task.id)?.labelIds, asideOf(page)]).toEqual([[], []]);
  });

  it('of one thing merges with those that were not sent, and stands once in a batch', async () => {
    const page = await open();
    const [task, other] = [await make(page), await make(page, 'Mulch the beds')];
    goOnline(page, false);
    rename(page, task, 'one');
    rename(page, other, 'two');
    act(page, 'high', intents.updateTask(task, { priority: 'high' }));
    await timeline.advance(100);
    sent.length = 0;
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(sent.map(({ body }) => body)).toEqual([
      {
        operations: [
          { op: 'update', id: task.id, title: 'one', priority: 'high' },
          { op: 'update', id: other.id, title: 'two' },
        ],
      },
    ]);
  });
});

describe('the order of tasks that were not sent yet', () => {
  it.each([0, 1, 2])('is the same once they were, where one is put at place %i', async (place) => {
    const page = await open();
    const first = await make(page);
    goOnline(page, false);
    const ids = [first.id];
    for (const title of ['Dig', 'Sow']) {
      ids.push(create(page, title));
      await timeline.advance(100);
    }
    const moved = ids.pop() ?? '';
    const rows = ids.map((id) => shown(page, id));
    for (const { id, position } of placeAt(rows, place, [moved]))
      act(page, 'placed', intents.updateTask(shown(page, id), { position }));
    goOnline(page, true);
    await timeline.advance(20_000);
    const positions = ids.toSpliced(place, 0, moved).map((id) => Number(onServer(id)?.position));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(new Set(positions).size).toBe(3);
    expect(Math.max(...positions)).toBeLessThan(10_000);
  });
});

describe('a deletion without the network', () => {
  /** What is done first is tried at once. */
  async function goOffline(page: Page): Promise<void> {
    const other = await make(page, 'Mulch the beds');
    goOnline(page, false);
    rename(page, other, 'Mulch');
    await timeline.advance(100);
  }

  async function deleteAndUndo(
    page: Page,
    intent: Parameters<Page['store']['acts']['do']>[1][number],
  ): Promise<void> {
    act(page, 'deleted', intent);
    await timeline.advance(100);
    expect(page.store.view.row('task', intent.thing)).toBeUndefined();
    void page.store.acts.undo();
    await timeline.advance(100);
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page)).toEqual([]);
  }

  it.each([
    ['for good', intents.removeForGood],
    ['that goes to the trash', (task: Task) => intents.remove('task', task)],
  ])('%s is taken back with what was done to its task before', async (_, deletion) => {
    const page = await open();
    const task = await make(page);
    const itemId = page.store.makeId();
    await goOffline(page);
    rename(page, task, 'Paint it red');
    act(page, 'added', intents.changeItem(task, 'addItem', itemId, { title: 'Buy paint' }));
    await timeline.advance(100);
    await deleteAndUndo(page, deletion(task));
    expect(onServer(task.id)).toMatchObject({
      title: 'Paint it red',
      checklist: [{ id: itemId, title: 'Buy paint' }],
    });
  });

  it('of what was never sent is taken back with all that came with it', async () => {
    const page = await open();
    const [listId, taskId, itemId, commentId] = [1, 2, 3, 4].map(() => page.store.makeId()) as [
      string,
      string,
      string,
      string,
    ];
    await goOffline(page);
    act(
      page,
      'list',
      intents.create('list', 'w1', listId, {
        title: 'Garden',
        spaceId: 'w1-space',
        statusTemplateId: 'w1-template',
      }),
    );
    act(page, 'task', intents.create('task', 'w1', taskId, { title: 'Dig', listId }));
    await timeline.advance(100);
    const task = shown(page, taskId);
    act(page, 'item', intents.changeItem(task, 'addItem', itemId, { title: 'Buy a spade' }));
    act(page, 'comment', intents.addComment(task, commentId, 'Which bed?'));
    await timeline.advance(100);
    const list = page.store.view.row('list', listId);
    if (!list) throw new Error('No list');
    await deleteAndUndo(page, intents.remove('list', list));
    expect(onServer(listId)).toMatchObject({ title: 'Garden' });
    expect(onServer(taskId)).toMatchObject({
      title: 'Dig',
      listId,
      checklist: [{ id: itemId }],
      commentCount: 1,
    });
  });

  it('of what was made in one act is taken back and done again whole', async () => {
    const page = await open();
    const [labelId, taskId] = [page.store.makeId(), page.store.makeId()];
    await goOffline(page);
    act(
      page,
      'made',
      intents.create('label', 'w1', labelId, { title: 'home', color: '#000000' }),
      intents.create('task', 'w1', taskId, { title: 'Dust', listId: 'w1-list1', labelIds: [labelId] }),
    );
    await timeline.advance(100);
    void page.store.acts.undo();
    await timeline.advance(100);
    void page.store.acts.redo();
    await timeline.advance(100);
    sent.length = 0;
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(onServer(taskId)).toMatchObject({ title: 'Dust', labelIds: [labelId] });
    expect(sent).toHaveLength(3);
  });
});

describe('a device whose storage is full', () => {
  async function fill(page: Page, task: Task): Promise<void> {
    goOnline(page, false);
    rename(page, task, 'one');
    await timeline.advance(100);
    device.isFull = true;
    rename(page, task, 'two');
    await timeline.advance(10_000);
    expect(page.store.sync.value.text).toContain('kept only while this page is open');
  }

  it('sends nothing again on the next visit', async () => {
    const page = await open();
    const task = await make(page);
    await fill(page, task);
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(onServer(task.id)?.title).toBe('two');
    page.kill();
    device.isFull = false;
    byBob({ op: 'update', id: task.id, title: 'theirs' });
    await open();
    await timeline.advance(20_000);
    expect(onServer(task.id)?.title).toBe('theirs');
  });

  it('keeps nothing of who signs out', async () => {
    const page = await open();
    await fill(page, await make(page));
    void page.store.signOut();
    await timeline.advance(1_000);
    expect(await device.disk.read()).toMatchObject({ rows: [], outbox: [], notes: {} });
  });

  it('keeps no rows of a session that is over', async () => {
    const page = await open();
    await fill(page, await make(page));
    server.signedOut.add('ada');
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(page.store.isSignedOut.value).toBe(true);
    expect(await device.disk.read()).toMatchObject({ rows: [], notes: {} });
  });
});

describe('a move that is taken back', () => {
  it('keeps the status that another gave meanwhile', async () => {
    const page = await open();
    const task = await make(page);
    act(page, 'moved', intents.moveTask(page.store.view, task, 'w1-list2'));
    await timeline.advance(2_000);
    byBob({ op: 'update', id: task.id, statusId: 'w1-done' });
    await timeline.advance(3_000);
    void page.store.acts.undo();
    await timeline.advance(3_000);
    expect(onServer(task.id)).toMatchObject({ listId: 'w1-list1', statusId: 'w1-done' });
  });
});

describe('a text', () => {
  const edit = (page: Page, task: Task, text: string, from: string | null): void =>
    act(page, 'Edited', intents.editText(task, text, from));
  const theirs = (id: string, fields: object) => byBob({ op: 'update', id, ...fields });

  it('that another changed meanwhile stands beside mine, and mine is kept where I say so', async () => {
    const page = await open();
    const task = await make(page, 'x', { description: 'first' });
    goOnline(page, false);
    edit(page, task, 'mine', 'first');
    theirs(task.id, { description: 'theirs' });
    goOnline(page, true);
    await timeline.advance(20_000);
    const [conflict] = asideOf(page);
    expect(conflict?.why).toMatchObject({ status: 412, theirs: { text: 'theirs' } });
    expect(onServer(task.id)?.description).toBe('theirs');
    if (conflict) void page.store.waiting.keepMine(conflict);
    await timeline.advance(5_000);
    expect(asideOf(page)).toEqual([]);
    expect(onServer(task.id)?.description).toBe('mine');
  });

  it('is sent again where another changed something else, and is done where they wrote the same', async () => {
    const page = await open();
    const [task, same] = [await make(page, 'x', { description: 'first' }), await make(page, 'y')];
    goOnline(page, false);
    edit(page, task, 'mine', 'first');
    edit(page, same, 'agreed', null);
    theirs(task.id, { title: 'retitled' });
    theirs(same.id, { description: 'agreed' });
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page)).toEqual([]);
    expect(onServer(task.id)).toMatchObject({ title: 'retitled', description: 'mine' });
    expect(onServer(same.id)?.description).toBe('agreed');
    expect(page.store.sync.value.text).toBe('Synced');
  });
});

describe('a workspace that is lost', () => {
  it('sets all its changes aside, each named by itself, tells it once, and keeps them for 90 days', async () => {
    const page = await open();
    const [task, other] = [await make(page), await make(page, 'Mulch the beds')];
    goOnline(page, false);
    rename(page, task, 'one');
    rename(page, other, 'two');
    const items = [task, other].map((row) => intents.changeItem(row, 'addItem', page.store.makeId()));
    act(page, 'both', ...items);
    server.setRole('w1', 'ada', null);
    goOnline(page, true);
    await timeline.advance(20_000);
    expect(asideOf(page).map(({ name, changes, why }) => [name, changes.length, why?.status])).toEqual([
      ['one', 1, 403],
      ['two', 1, 403],
      ['both', 2, 403],
    ]);
    expect(page.store.sync.value.text).toBe('Not saved: 3');
    expect(page.store.waiting.notice.value?.name).toBe('3 changes');
    expect([...page.store.view.all('task')]).toEqual([]);
    const days = async (count: number) => {
      timeline.jump(count * 86_400_000);
      page.store.refresh();
      await timeline.advance(20_000);
    };
    await days(89);
    expect(asideOf(page)).toHaveLength(3);
    await days(2);
    expect(asideOf(page)).toEqual([]);
  });
});
