/**
 * Prints which single requests hold the event loop longest in a workspace of 100,000 tasks: every sort, group, filter
 * and search, texts, arrays, batches and imports of the greatest size and of the worst characters, changes of many
 * tasks and what takes them back. Exit code 1 when one holds it for 50 ms or more, by the processor time of its thread
 * and without the collection of garbage.
 * Usage: npx node tools/timing/requests.ts [--tasks 100000] [--times 3] [--only WORD]
 */
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { finishRemovals } from '../../src/workspaces/removals.ts';
import { addTasks } from '../../test/many-tasks.ts';
import { openWorld } from '../../test/world.ts';
import { ownMs, watchLoop } from '../fuzz/loop.ts';

const MAX_HELD_MS = 50;
const SHOWN = 15;
const HOSTILE_TASKS = 200;
const TASKS_IN_SPACE = 40;
const MAX_BODY = 1024 * 1024;
const CHUNK = 64 * 1024;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const SORTS = ['createdAt', 'updatedAt', 'dueDate', 'priority', 'title'];
const GROUPINGS = ['priority', 'statusId', 'assigneeId', 'listId', 'dueDate'];

/** Texts that may cost more to fold or index than their length tells; each is repeated to the greatest length. */
const HAN = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7_919) % 20_011)));
const HOSTILE = [
  // No two pairs of it are the same.
  HAN.join(''),
  HAN.join(' '),
  '\uff9e\u0334',
  '\uff9f\u0334\uff9e\u0f71',
  `${'\u0f74\u0f71'.repeat(15)}\u0640`,
  '\u0344\u0334',
  '\ufdfa',
  '\ufdfa a',
  '\u3316\u33af',
  '\u1100\u1161\u11a8',
  'ä б ',
  '東京都大阪府北海',
  '東',
  'a',
  'a ',
  '👍🏽\u200d',
];

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '100000' },
    times: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const count = Number(values.tasks);
const times = Number(values.times);

interface Asked {
  method: string;
  path: string;
  body?: unknown;
  name?: string;
  as?: string;
}

const world = await openWorld();
const { accessToken: token } = await world.signUp();
const call = ({ method, path, body, as = token }: Asked) => world.call(method, path, { token: as, body });
const [{ id: workspaceId }] = (await call({ method: 'GET', path: '/me/workspaces' })).body.items;
const at = `/workspaces/${workspaceId}`;
const filled = (parts: string, length: number): string =>
  parts
    .repeat(Math.ceil(length / parts.length))
    .slice(0, length)
    .toWellFormed();

const [{ id: listId, spaceId, statuses }] = (await call({ method: 'GET', path: `${at}/lists` })).body.items;
await addTasks(world, workspaceId, count);
for (let i = 0; i < HOSTILE_TASKS; i += 1) {
  const text = HOSTILE[i % HOSTILE.length] ?? '';
  await call({
    method: 'POST',
    path: `${at}/tasks`,
    body: { title: filled(text, 500).trim() || 'x', listId, description: filled(text, 50_000) },
  });
}
const template = await call({
  method: 'POST',
  path: `${at}/status-templates`,
  body: {
    title: 'Other',
    statuses: [
      { title: 'Idea', type: 'unstarted' },
      { title: 'Printed', type: 'completed' },
    ],
  },
});
const { body: page } = await call({ method: 'GET', path: `${at}/tasks?limit=100` });
const ids: string[] = page.items.map(({ id }: { id: string }) => id);
const defaultTemplate = (await call({ method: 'GET', path: `${at}/lists/${listId}` })).body.statusTemplateId;

/** Someone with what is worst to import. */
const bea = await world.signUp();
const [{ id: hers }] = (await call({ method: 'GET', path: '/me/workspaces', as: bea.accessToken })).body
  .items;
const beasList = (await call({ method: 'GET', path: `/workspaces/${hers}/lists`, as: bea.accessToken })).body
  .items[0].id;
for (const [i, text] of HOSTILE.entries()) {
  const task = {
    title: `Task ${i}`,
    listId: beasList,
    description: filled(text, 50_000),
    checklist: Array.from({ length: 100 }, () => ({ title: filled(text, 500).trim() || 'x' })),
  };
  for (let n = 0; n < 5; n += 1)
    await call({ method: 'POST', path: `/workspaces/${hers}/tasks`, body: task, as: bea.accessToken });
}

const reads = [...readings()].map((path) => ({ method: 'GET', path }));
const watch = await watchLoop();
/** The least over all repetitions: what a request always takes. */
const held = new Map<string, { ms: number; status: number }>();

for (let n = 0; n < times; n += 1) {
  for (const asked of [...reads, ...writes(n), ...(await hostileWrites(n)), ...broken()])
    await measure(asked);
}
for (let n = 0; n < times; n += 1) for (const asked of undone()) await measure(asked);
for (const text of HOSTILE) await measureSpaceOf(text);
// Last, as nothing is left then.
await measure({ method: 'DELETE', path: `${at}/lists/${listId}?permanent=true` });
watch.stop();
await world.close();

const worst = [...held].toSorted(([, one], [, other]) => other.ms - one.ms);
console.log(
  `${worst.length} kinds of request, ${count} tasks; the longest hold of the event loop, ms of its thread:`,
);
for (const [name, { ms, status }] of worst.slice(0, SHOWN))
  console.log(`${ms.toFixed(1).padStart(7)}  ${status}  ${name}`);
process.exitCode = (worst[0]?.[1].ms ?? 0) < MAX_HELD_MS ? 0 : 1;

/** With all that a request causes, also after its response. */
async function measure(asked: Asked): Promise<void> {
  const name = asked.name ?? `${asked.method} ${shortened(asked.path)}`;
  const send = sender(asked);
  await measureWork(name, async () => {
    const response = await send();
    if (asked.method !== 'GET') await world.untilIdle();
    return response;
  });
}

/** `work` returns the status of a response. */
async function measureWork(name: string, work: () => Promise<number>): Promise<void> {
  if (!name.includes(values.only)) return;
  const status = await watch.measure(name, work);
  const ms = Math.max(0, ...watch.holds().map(ownMs));
  const before = held.get(name);
  held.set(name, { ms: Math.min(ms, before?.ms ?? ms), status });
}

/** The request without what a test would look at: its body is written before, its response is thrown away. */
function sender({ method, path, body, as = token }: Asked): () => Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = body === undefined ? undefined : new TextEncoder().encode(text);
  return async () => {
    const response = await world.app.request(
      `/api${path}`,
      {
        method,
        headers: { Authorization: `Bearer ${as}`, ...(bytes && { 'Content-Type': 'application/json' }) },
        ...(bytes && { body: bytes.length > MAX_BODY ? inChunks(bytes) : bytes, duplex: 'half' }),
      } as RequestInit,
      { incoming: { socket: { remoteAddress: '127.0.0.1' } } },
    );
    await response.body?.pipeTo(new WritableStream());
    return response.status;
  };
}

/** As a socket gives it. */
function inChunks(bytes: Uint8Array): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull: async (controller) => {
      if (at >= bytes.length) return controller.close();
      await turn();
      controller.enqueue(bytes.slice(at, at + CHUNK));
      at += CHUNK;
    },
  });
}

function shortened(path: string): string {
  const text = decodeURIComponent(path.replace(at, '…'));
  return text.length > 90 ? `${text.slice(0, 80)}… (${text.length})` : text;
}

function* readings(): Generator<string> {
  for (const sort of SORTS) {
    for (const order of ['asc', 'desc']) {
      const sorted = `sortBy=${sort}&sortOrder=${order}&limit=100`;
      yield `${at}/tasks?${sorted}`;
      yield `${at}/tasks?${sorted}&page=${Math.floor(count / 100)}`;
      yield `${at}/tasks?${sorted}&completed=false&assigneeId=none&priority=low,high`;
      for (const group of GROUPINGS) {
        yield `${at}/tasks/query?${sorted}&groupBy=${group}`;
        yield `${at}/tasks/query?${sorted}&groupBy=${group}&page=${Math.floor(count / 200)}&statusType=unstarted,started`;
      }
    }
  }
  const many = Array.from({ length: 380 }, (_, i) => ids[i % ids.length]).join(',');
  yield `${at}/tasks?listId=${many}&sortBy=title`;
  yield `${at}/tasks/query?statusId=${statuses.map(({ id }: { id: string }) => id).join(',')}&spaceId=${spaceId}&groupBy=dueDate&sortBy=title`;
  yield `${at}/tasks?dueAfter=1900-01-01T00:00:00Z&dueBefore=9999-01-01T00:00:00Z&sortBy=title&limit=100`;
  const phrases = [
    ...[
      't',
      'ta',
      'task',
      'w',
      'w1 w2 w3',
      'task 1',
      '東',
      '東京',
      '東京都大阪府北海東京都大阪府北海東',
      'a b',
      'nothing',
    ],
    ...['a a a a a a a a a a a a a a a a', 'task t w a', '"task" OR (w*)', '12', 'ä'],
    ...HOSTILE.map((text) => filled(text, 200)),
  ];
  for (const phrase of phrases)
    yield `${at}/tasks/search?limit=100&${new URLSearchParams({ q: phrase.trim() })}`;
  yield `${at}/changes`;
  yield `${at}/changes?limit=1000`;
  yield `${at}/lists?limit=100`;
  yield `${at}/status-templates?limit=100`;
  yield `${at}/members?limit=100`;
  yield '/me/workspaces';
  yield '/account/export';
  yield '/openapi.json';
  yield '/docs';
}

function* writes(n: number): Generator<Asked> {
  for (const [i, text] of HOSTILE.entries()) {
    const description = filled(text, 50_000);
    const title = filled(text, 500).trim() || 'x';
    const of = JSON.stringify(text.slice(0, 4));
    yield {
      name: `POST task of ${of}`,
      method: 'POST',
      path: `${at}/tasks`,
      body: { title, listId, description },
    };
    const path = `${at}/tasks/${ids[i]}`;
    yield { name: `PATCH description to ${of}`, method: 'PATCH', path, body: { description } };
    yield { name: `PATCH title beside ${of}`, method: 'PATCH', path, body: { title: `z${n}` } };
  }
  const interval = { frequency: 'week', timeOfDay: '09:00', timezone: 'UTC' };
  const preview = { method: 'POST', path: `${at}/recurring-tasks/preview` };
  const daysOfWeek = Array.from({ length: 520_000 }, () => 0);
  yield { name: 'preview: 520,000 days', ...preview, body: { interval: { ...interval, daysOfWeek } } };
  const statuses = Array.from({ length: 340_000 }, () => ({}));
  const templates = `${at}/status-templates`;
  yield {
    name: 'POST template: 340,000 statuses',
    method: 'POST',
    path: templates,
    body: { title: 'x', statuses },
  };
  for (const count of [40_000, 80_000]) {
    const keys = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
    yield { name: `POST task: ${count} keys`, method: 'POST', path: `${at}/tasks`, body: keys };
    yield {
      name: `PATCH preferences: ${count} keys`,
      method: 'PATCH',
      path: '/me',
      body: { preferences: keys },
    };
  }
  yield {
    name: 'POST task: 1 MB title',
    method: 'POST',
    path: `${at}/tasks`,
    body: { title: 'x'.repeat(1e6), listId },
  };
  const timezone = 'x'.repeat(1_000_000);
  yield { name: 'preview: 1 MB time zone', ...preview, body: { interval: { ...interval, timezone } } };
  for (const frequency of ['day', 'week', 'month', 'year']) {
    const rule = { frequency, every: 1, timeOfDay: '02:30', timezone: 'Europe/Paris' };
    for (const startsAt of ['1900-01-01T00:00:00Z', '9990-01-01T00:00:00Z'])
      yield {
        name: `preview by ${frequency} from ${startsAt.slice(0, 4)}`,
        ...preview,
        body: { interval: rule, startsAt, count: 100, after: '9000-01-01T00:00:00Z' },
      };
    const body = { title: 'Old', listId, interval: rule, startsAt: '1900-01-01T00:00:00Z', catchUp: 'all' };
    yield { name: `series by ${frequency} from 1900`, method: 'POST', path: `${at}/recurring-tasks`, body };
  }
  for (const statusTemplateId of [template.body.id, defaultTemplate])
    yield {
      name: 'PATCH list: statuses of all its tasks',
      method: 'PATCH',
      path: `${at}/lists/${listId}`,
      body: { statusTemplateId },
    };
}

/** Whatever else has a text: comments, checklists, labels, series, batches, imports. */
async function hostileWrites(n: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const [i, text] of HOSTILE.entries()) {
    const of = JSON.stringify(text.slice(0, 4));
    const taskId = ids[i];
    const title = filled(text, 500).trim() || 'x';
    const checklist = Array.from({ length: 100 }, () => ({ title }));
    const body = filled(text, 20_000).trim() || 'x';
    const tasks = `${at}/tasks`;
    const made = await call({
      method: 'POST',
      path: `${tasks}/${taskId}/comments`,
      body: { body: filled(text, 19_999).trim() || 'y' },
    });
    asked.push(
      { name: `POST comment of ${of}`, method: 'POST', path: `${tasks}/${taskId}/comments`, body: { body } },
      {
        name: `PATCH comment to ${of}`,
        method: 'PATCH',
        path: `${tasks}/${taskId}/comments/${made.body.id}`,
        body: { body },
      },
      { name: `PATCH checklist to ${of}`, method: 'PATCH', path: `${tasks}/${taskId}`, body: { checklist } },
      {
        name: `POST task and checklist of ${of}`,
        method: 'POST',
        path: tasks,
        body: { title, listId, checklist, description: filled(text, 50_000) },
      },
      {
        name: `POST label of ${of}`,
        method: 'POST',
        path: `${at}/labels`,
        body: { title: `${n} ${title}`.slice(0, 100).toWellFormed().trim() },
      },
      {
        name: `series of ${of}`,
        method: 'POST',
        path: `${at}/recurring-tasks`,
        body: {
          title,
          listId,
          checklist,
          description: filled(text, 50_000),
          interval: { frequency: 'day', timeOfDay: '09:00', timezone: 'UTC' },
          startsAt: new Date(world.clock.now() - 366 * 86_400_000).toISOString(),
          catchUp: 'all',
        },
      },
      ...batchesOf(of, text, n),
    );
  }
  const labels = (await call({ method: 'GET', path: `${at}/labels?limit=100` })).body.items;
  const labelIds = labels.slice(0, 50).map(({ id }: { id: string }) => id);
  const updates = ids.map((id) => ({ op: 'update', id, labelIds }));
  const deletes = ids.slice(20, 100).map((id) => ({ op: 'delete', id }));
  const restores = ids.slice(20, 100).map((id) => ({ op: 'restore', id }));
  const many = `${at}/tasks/batch`;
  asked.push(
    { name: 'batch: 50 labels for 100', method: 'POST', path: many, body: { operations: updates } },
    { name: 'batch: 80 deleted', method: 'POST', path: many, body: { operations: deletes } },
    { name: 'batch: 80 restored', method: 'POST', path: many, body: { operations: restores } },
    { name: 'GET tasks by labels', method: 'GET', path: `${at}/tasks?labelId=${labelIds.join(',')}` },
    { name: 'GET tasks by all labels', method: 'GET', path: `${at}/tasks?allLabelIds=${labelIds.join(',')}` },
    { name: 'DELETE label of 100', method: 'DELETE', path: `${at}/labels/${labelIds[n]}` },
  );
  const document = JSON.stringify(
    await call({ method: 'GET', path: '/account/export', as: bea.accessToken }).then(({ body }) => body),
  );
  for (const dryRun of [true, false]) {
    asked.push({
      name: `import of ${Math.round(document.length / 1e6)} million characters, dry run: ${dryRun}`,
      method: 'POST',
      path: `/account/import?dryRun=${dryRun}`,
      body: document,
      as: bea.accessToken,
    });
  }
  asked.push({
    name: 'import of a million broken things',
    method: 'POST',
    path: '/account/import',
    body: `{"formatVersion":2,"workspaces":[${'{},'.repeat(1_000_000)}{}]}`,
    as: bea.accessToken,
  });
  return asked;
}

/** As many tasks with the longest text as a body has room for, which are changed then, and as many checklists. */
function* batchesOf(of: string, text: string, n: number): Generator<Asked> {
  const batch = { method: 'POST', path: `${at}/tasks/batch` };
  const description = filled(text, 50_000);
  const title = filled(text, 500).trim() || 'x';
  const checklist = Array.from({ length: 100 }, () => ({ title }));
  const fitting = (made: object) =>
    Array.from({ length: Math.min(100, Math.floor((MAX_BODY - 1_000) / (bytesOf(made) + 1))) }, (_, i) => ({
      ...made,
      id: crypto.randomUUID(),
      title: `${n} ${i}`,
    }));
  for (const [what, made] of [
    ['long texts', { op: 'create', listId, title: 'x'.repeat(10), description }],
    ['checklists', { op: 'create', listId, title: 'x'.repeat(10), checklist }],
  ] as const) {
    const operations = fitting(made);
    const name = `batch: ${operations.length} ${what} of ${of}`;
    yield { ...batch, name, body: { operations } };
    for (const change of [{ op: 'update', title: 'again' }, { op: 'delete' }, { op: 'restore' }]) {
      const changes = operations.map(({ id }) => ({ ...change, id }));
      yield { ...batch, name: `${name}, ${change.op}`, body: { operations: changes } };
    }
  }
}

/** A space of long texts that are renamed and go for good, and what erases their words. */
async function measureSpaceOf(text: string): Promise<void> {
  const of = JSON.stringify(text.slice(0, 4));
  const { body: space } = await call({ method: 'POST', path: `${at}/spaces`, body: { title: of } });
  const { body: list } = await call({
    method: 'POST',
    path: `${at}/lists`,
    body: { title: of, spaceId: space.id },
  });
  const checklist = Array.from({ length: 100 }, () => ({ title: filled(text, 500).trim() || 'x' }));
  const renames: object[] = [];
  for (let i = 0; i < TASKS_IN_SPACE; i += 1) {
    const body = { title: `${i}`, listId: list.id, description: filled(text, 50_000), checklist };
    const made = await call({ method: 'POST', path: `${at}/tasks`, body });
    renames.push({ op: 'update', id: made.body.id, title: filled(text, 400).trim() || 'x' });
  }
  const path = `${at}/tasks/batch`;
  await measure({ name: `batch: renames of ${of}`, method: 'POST', path, body: { operations: renames } });
  const name = `DELETE space of ${of}`;
  await measure({ name, method: 'DELETE', path: `${at}/spaces/${space.id}?permanent=true` });
  await measureWork(`erasure of ${of}`, () => finishRemovals(world.deps).then(() => 0));
}

/** Bodies of the greatest length that break a rule in each of their parts. */
function* broken(): Generator<Asked> {
  const tasks = { method: 'POST', path: `${at}/tasks` };
  const batch = { method: 'POST', path: `${at}/tasks/batch` };
  for (const element of ['0', '{}', '[]', '""', '-0.1e-9', '"\\u0061"', '{"a":0}']) {
    const many = (bytes: number) =>
      `[${Array(Math.floor(bytes / (element.length + 1)))
        .fill(element)
        .join(',')}]`;
    for (const field of ['labelIds', 'checklist', 'other'])
      yield {
        ...tasks,
        name: `POST task: ${field} of ${element}`,
        body: `{"title":"x","listId":"${listId}","${field}":${many(MAX_BODY - 200)}}`,
      };
    yield {
      ...batch,
      name: `batch: operations of ${element}`,
      body: `{"operations":${many(MAX_BODY - 200)}}`,
    };
    yield {
      ...batch,
      name: `batch: 100 with labelIds of ${element}`,
      body: `{"operations":[${Array(100)
        .fill(`{"op":"create","labelIds":${many(MAX_BODY / 100 - 100)}}`)
        .join(',')}]}`,
    };
  }
  const issues = JSON.stringify({ op: 'create', checklist: Array(100).fill({ id: 1, title: 1, isDone: 1 }) });
  yield {
    ...batch,
    name: 'batch: 30,000 issues',
    body: `{"operations":[${Array(100).fill(issues).join(',')}]}`,
  };
  yield { ...tasks, name: 'POST task: deep arrays', body: `{"a":${'['.repeat(5e5)}${']'.repeat(5e5)}}` };
  yield { ...tasks, name: 'POST task: half a body', body: `{"a":[${'{},'.repeat(340_000)}` };
}

/** What takes back a change of very many tasks. */
function* undone(): Generator<Asked> {
  yield { name: 'DELETE list of all tasks', method: 'DELETE', path: `${at}/lists/${listId}` };
  yield { name: 'GET trash', method: 'GET', path: `${at}/trash?limit=100` };
  yield {
    name: 'restore list of all tasks',
    method: 'POST',
    path: `${at}/trash/${listId}/restore`,
    body: {},
  };
  yield { name: 'DELETE space of all tasks', method: 'DELETE', path: `${at}/spaces/${spaceId}` };
  yield {
    name: 'restore space of all tasks',
    method: 'POST',
    path: `${at}/trash/${spaceId}/restore`,
    body: {},
  };
}
