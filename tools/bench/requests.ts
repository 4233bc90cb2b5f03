import { deepStrictEqual } from 'node:assert';
import { seeded } from '../../test/seeded-random.ts';
import { type Facts, taskText, wordAt } from './data.ts';
import type { Asked } from './load.ts';
import type { Server } from './servers.ts';

const READERS = 16;
const WRITERS = 32;
const LIMIT = 50;
const COMPARED = 20;
const SEED = 7;

/** A kind of request that is measured. */
export interface Measured {
  name: string;
  describe: string;
  connections: number;
  isWrite: boolean;
  /** The least share of the floor's speed that Errand promises at 100,000 tasks. */
  ofFloor?: number;
  /** The floor does not know it. */
  isErrandOnly?: boolean;
  /** Whether growth with the number of tasks is bounded. */
  grows: boolean;
  /** The same sequence each time it is called. */
  requests(facts: Facts): () => Asked;
}

const read = { connections: READERS, isWrite: false, grows: false };

const reading =
  (pathOf: (facts: Facts, roll: () => number) => string) =>
  (facts: Facts): (() => Asked) => {
    const roll = seeded(SEED);
    return () => ({ method: 'GET', path: `${tasksOf(facts)}${pathOf(facts, roll)}` });
  };

const tasksOf = ({ workspaceId }: Facts) => `/api/workspaces/${workspaceId}/tasks`;

export const measured: readonly Measured[] = [
  {
    ...read,
    name: 'page',
    describe: `page of ${LIMIT} tasks`,
    ofFloor: 0.9,
    grows: true,
    requests: reading(() => `?limit=${LIMIT}`),
  },
  {
    ...read,
    name: 'read',
    describe: 'one task',
    ofFloor: 0.9,
    grows: true,
    requests: reading(({ taskIds }, roll) => `/${taskIds[Math.floor(roll() * taskIds.length)]}`),
  },
  {
    ...read,
    name: 'mine',
    describe: 'query with groupBy, the tasks of one person by priority',
    ofFloor: 0.9,
    requests: reading(() => `/query?assigneeId=me&groupBy=priority&limit=${LIMIT}`),
  },
  {
    ...read,
    name: 'groups',
    describe: 'query with groupBy, all tasks by priority',
    ofFloor: 0.9,
    requests: reading(() => `/query?groupBy=priority&limit=${LIMIT}`),
  },
  {
    ...read,
    name: 'search',
    describe: `rare and frequent words, two words, beginnings of words, page of ${LIMIT}`,
    ofFloor: 0.7,
    requests: reading((_facts, roll) => `/search?q=${encodeURIComponent(wordsAsked(roll))}&limit=${LIMIT}`),
  },
  {
    ...read,
    name: 'deep',
    describe: `page of ${LIMIT} tasks anywhere in the order`,
    requests: reading(
      ({ taskIds }, roll) => `?limit=${LIMIT}&page=${1 + Math.floor((roll() * taskIds.length) / LIMIT)}`,
    ),
  },
  {
    ...read,
    name: 'label',
    describe: `query of the tasks with a label, where there are labels (--labels), page of ${LIMIT}`,
    isErrandOnly: true,
    requests: reading(
      ({ labelIds }, roll) =>
        `/query?labelId=${labelIds[Math.floor(roll() * labelIds.length)]}&limit=${LIMIT}`,
    ),
  },
  {
    name: 'create',
    describe: 'durable create',
    connections: WRITERS,
    isWrite: true,
    ofFloor: 0.9,
    grows: true,
    requests: (facts) => {
      const roll = seeded(SEED);
      return () => ({ method: 'POST', path: tasksOf(facts), body: newTask(facts, roll) });
    },
  },
];

function wordsAsked(roll: () => number): string {
  const rare = wordAt(600 + Math.floor(roll() * 2_400));
  const frequent = wordAt(100 + Math.floor(roll() * 500));
  const kind = roll();
  if (kind < 0.4) return rare;
  if (kind < 0.6) return frequent;
  if (kind < 0.8) return `${frequent} ${wordAt(100 + Math.floor(roll() * 500))}`;
  return rare.slice(0, -1);
}

function newTask({ listIds, userId }: Facts, roll: () => number) {
  const { title, description } = taskText(roll);
  const dueMs = Date.now() + Math.floor(roll() * 30 * 86_400_000);
  return {
    title,
    ...(description !== null && { description }),
    listId: listIds[Math.floor(roll() * roll() * listIds.length)],
    priority: ['none', 'low', 'medium', 'high', 'urgent'][Math.floor(roll() * 5)],
    // Nobody is told of a task that they gave to themselves.
    ...(roll() < 0.5 && { assigneeId: userId }),
    ...(roll() < 0.6 && { dueDate: new Date(dueMs).toISOString() }),
  };
}

/** Throws unless both servers give the same responses to what is measured, but for what is new in each. */
export async function compareResponses(
  asked: readonly Measured[],
  facts: Facts,
  errand: Server,
  floor: Server,
): Promise<void> {
  for (const { requests, isErrandOnly } of asked) {
    if (isErrandOnly) continue;
    const next = requests(facts);
    for (let i = 0; i < COMPARED; i += 1) {
      const request = next();
      const [ours, theirs] = [await responseOf(errand, request), await responseOf(floor, request)];
      deepStrictEqual({ path: request.path, ...ours }, { path: request.path, ...theirs });
    }
  }
}

async function responseOf({ port, token }: Server, { method, path, body }: Asked) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Accept-Encoding': 'identity',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const headers = Object.fromEntries(response.headers);
  for (const name of ['date', 'x-request-id', 'etag', 'location']) headers[name] = typeof headers[name];
  // The floor has one form of everything.
  delete headers.vary;
  const parsed = (await response.json()) as Record<string, unknown>;
  if (method === 'POST')
    for (const name of ['id', 'createdAt', 'updatedAt']) parsed[name] = typeof parsed[name];
  return { status: response.status, headers, parsed };
}
