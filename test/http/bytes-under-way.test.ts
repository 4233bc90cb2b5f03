import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBytesUnderWay } from '../../src/http/bytes-under-way.ts';
import { listen } from '../../src/http/listen.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { as, homeOf, openHome } from '../people.ts';
import { openWorld, type World } from '../world.ts';

const MIB = 1_024 * 1_024;

/** A response that is closed by the test. */
function outgoing() {
  const listeners: (() => void)[] = [];
  return {
    destroyed: false,
    once: (_event: 'close', listener: () => void) => listeners.push(listener),
    close: () => {
      for (const listener of listeners.splice(0)) listener();
    },
  };
}

const statusOf = (attempt: () => unknown): string => {
  try {
    attempt();
    return 'taken';
  } catch (error) {
    return error instanceof AppError ? error.kind : String(error);
  }
};

describe('bytes under way', () => {
  it('are bounded for one owner, and are free again once a response is taken', () => {
    const under = createBytesUnderWay(3 * MIB, 100 * MIB);
    const first = outgoing();
    under.hold('ada', 'x'.repeat(2 * MIB), first);
    expect(statusOf(() => under.hold('ada', 'x'.repeat(2 * MIB), outgoing()))).toBe('TooManyRequestsError');
    expect(statusOf(() => under.hold('bob', 'x'.repeat(2 * MIB), outgoing()))).toBe('taken');
    first.close();
    expect(statusOf(() => under.hold('ada', 'x'.repeat(2 * MIB), outgoing()))).toBe('taken');
  });

  it('are bounded in all', () => {
    const under = createBytesUnderWay(2 * MIB, 3 * MIB);
    under.hold('ada', 'x'.repeat(2 * MIB), outgoing());
    expect(statusOf(() => under.hold('bob', 'x'.repeat(2 * MIB), outgoing()))).toBe(
      'ServiceUnavailableError',
    );
  });

  it('let a single response pass, however long, and short ones always', () => {
    const under = createBytesUnderWay(MIB, 2 * MIB);
    expect(statusOf(() => under.hold('ada', 'x'.repeat(5 * MIB), outgoing()))).toBe('taken');
    expect(statusOf(() => under.hold('ada', 'x'.repeat(1_000), outgoing()))).toBe('taken');
    expect(statusOf(() => under.requireRoom('ada'))).toBe('TooManyRequestsError');
  });

  it('are counted as UTF-8, and as compressed once that is done', () => {
    const under = createBytesUnderWay();
    const response = outgoing();
    const held = under.hold('ada', 'あ'.repeat(10_000), response);
    expect(under.total).toBe(30_000);
    held?.resize(100);
    expect(under.total).toBe(100);
    response.close();
    held?.resize(500);
    expect(under.total).toBe(0);
  });
});

describe('pages that nobody reads', () => {
  let world: World;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('are rejected for their reader alone once they are too long in all, and keep their page and limit', async () => {
    const [ada, bob] = [await world.signUp(), await world.signUp()];
    const home = await homeOf(world, ada);
    const call = as(world, ada);
    const list = (await call('GET', `/workspaces/${home}/lists`)).body.items[0];
    for (let i = 0; i < 70; i += 1) {
      const body = { title: `Task ${i}`, listId: list.id, description: 'あ'.repeat(50_000) };
      expect((await call('POST', `/workspaces/${home}/tasks`, body)).status).toBe(201);
    }
    const http = await listen(world.app, { host: '127.0.0.1', port: 0 });
    const path = `/api/workspaces/${home}/tasks?limit=100`;
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.accessToken}\r\n\r\n`;
    for (let i = 0; i < 8; i += 1) {
      const socket = connect(http.port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
      socket.pause();
      socket.write(head);
    }
    const get = (person: { accessToken: string }, target: string) =>
      fetch(`http://127.0.0.1:${http.port}${target}`, {
        headers: { Authorization: `Bearer ${person.accessToken}`, 'Accept-Encoding': 'identity' },
      });
    await expect.poll(async () => (await get(ada, path)).status).toBe(429);
    expect(world.deps.http.bytesUnderWay.total).toBeLessThan(48 * MIB);
    expect((await get(bob, '/api/me')).status).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => world.deps.http.bytesUnderWay.total).toBe(0);
    const page = (await (await get(ada, path)).json()) as { items: unknown[]; page: number; limit: number };
    expect([page.items.length, page.page, page.limit]).toEqual([70, 1, 100]);
    await http.drain(1_000);
  });
});

describe('a write beside much that nobody has read', () => {
  const long = 'x'.repeat(30_000);
  const writing = async () => {
    const { world, ada, call, inside, listId } = await openHome();
    const http = await listen(world.app, { host: '127.0.0.1', port: 0 });
    const post = async (path: string, body: object) => {
      const response = await fetch(`http://127.0.0.1:${http.port}/api${inside}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${ada.accessToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    const titles = async () => {
      const { items } = (await call('GET', `${inside}/tasks`)).body;
      return items.map(({ title }: { title: string }) => title);
    };
    /** Has so many bytes be unread while `act` goes on. */
    const beside = async <T>(bytes: number, act: () => Promise<T>) => {
      const unread = outgoing();
      world.deps.http.bytesUnderWay.hold(ada.id, bytes, unread);
      const outcome = await act();
      unread.close();
      return outcome;
    };
    const close = async () => {
      await http.drain(1_000);
      await world.close();
    };
    return { post, beside, titles, close, task: { title: 'Long', listId, description: long } };
  };

  it.each([40, 300])('is told that it is done: %s MiB', async (unread) => {
    const { post, beside, titles, close, task } = await writing();
    expect(await beside(unread * MIB, () => post('/tasks', task))).toMatchObject({ status: 201 });
    expect(await titles()).toEqual(['Long']);
    await close();
  });

  it('is rejected before it is done where its response would be very long', async () => {
    const { post, beside, titles, close, task } = await writing();
    const made = Array.from({ length: 30 }, () => ({ op: 'create', id: crypto.randomUUID(), ...task }));
    const create = () => post('/tasks/batch', { operations: made });
    expect((await beside(31.5 * MIB, create)).status).toBe(429);
    expect(await titles()).toEqual([]);
    expect((await create()).status).toBe(200);
    const titled = made.map(({ id }) => ({ op: 'update', id, title: 'New' }));
    const update = () => post('/tasks/batch', { operations: titled });
    expect((await beside(31.5 * MIB, update)).status).toBe(429);
    expect(await titles()).toEqual(Array(30).fill('Long'));
    expect((await update()).status).toBe(200);
    await close();
  });
});

it.each(['GET', 'HEAD'])(
  'a page of long texts counts as many requests as its length is worth: %s',
  async (method) => {
    const limits = { enabled: true, user_burst: 35, user_per_minute: 60 };
    const { world, call, home, list } = await openHome({ settings: { rate_limits: limits } });
    for (let i = 0; i < 20; i += 1) {
      const body = { title: `Task ${i}`, listId: list.id, description: 'あ'.repeat(50_000) };
      expect((await call('POST', `/workspaces/${home}/tasks`, body)).status).toBe(201);
    }
    world.clock.advance(60_000);
    const page = async () => (await call(method, `/workspaces/${home}/tasks?limit=20`)).status;
    const statuses = [];
    for (let i = 0; i < 8; i += 1) statuses.push(await page());
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    world.clock.advance(4_000);
    expect([await page(), (await call('GET', '/me')).status]).toEqual([429, 429]);
    world.clock.advance(2_000);
    expect([await page(), await page()]).toEqual([200, 429]);
  },
);
