import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HEARTBEAT_MS } from '../../src/changes/streams.ts';
import type { Change } from '../../src/db/journal.ts';
import { openStorage } from '../../src/db/open.ts';
import { listen as listenOn } from '../../src/http/listen.ts';
import { DAY } from '../../src/kernel/instants.ts';
import { ada, call, listId, reopen, useHome, home as workspaceId, world } from '../ada.ts';
import { as, joined, signInAgain } from '../people.ts';
import type { Person } from '../world.ts';

useHome();

interface Event {
  event: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the event holds
  data: any;
}

/** Listens as a person; `next` waits for an event; undefined once the stream has ended. */
async function listen(
  person: Person,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const response = await world.app.request(`/api/me/events${query}`, {
    headers: { Authorization: `Bearer ${person.accessToken}`, ...headers },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const events: Event[] = [];
  const take = () => {
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const lines = new Map(
        frame
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (lines.has('event'))
        events.push({
          event: lines.get('event') ?? '',
          id: lines.get('id') ?? '',
          data: JSON.parse(lines.get('data') ?? ''),
        });
    }
  };
  const next = async (): Promise<Event | undefined> => {
    while (events.length === 0) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return undefined;
      text += value;
      take();
    }
    return events.shift();
  };
  return { status: response.status, headers: response.headers, next, cancel: () => reader?.cancel() };
}

const nextOfMe = async (stream: { next(): Promise<Event | undefined> }) => {
  let event = await stream.next();
  while (event && event.event !== 'me') event = await stream.next();
  return event;
};

const record = (...recorded: Omit<Change, 'workspaceId'>[]) =>
  world.deps.write((tx) => {
    tx.actAs({ userId: ada.id, clientId: 'tab' });
    for (const change of recorded) tx.record({ ...change, workspaceId });
  });
const listChanged: Omit<Change, 'workspaceId'> = { kind: 'list', id: 'gone', op: 'delete' };

/** A connection whose client reads nothing, and how much waits for it. */
function connection(writableLength = 0) {
  const written: Uint8Array[] = [];
  const response = {
    headersSent: true,
    writableLength,
    write: (bytes: Uint8Array) => written.push(bytes) > 0,
    destroy: () => {
      written.splice(0);
      response.isDestroyed = true;
      return response as never;
    },
    isDestroyed: false,
  };
  return { written, response };
}

/** Opens a stream of Ada on such a connection. */
function openOn(
  response: ReturnType<typeof connection>['response'],
  expiresAt = Number.POSITIVE_INFINITY,
): ReadableStream<Uint8Array> {
  const who = {
    userId: ada.id,
    sessionId: world.values<string>('select id from sessions')[0] ?? '',
    cap: null,
    byCookie: false,
    expiresAt,
    clientId: null,
  };
  return world.deps.streams.open(who, { cursor: undefined, clientId: null, response });
}

describe('the stream of events', () => {
  it('begins with hello, whose cursors are those of the changes', async () => {
    const stream = await listen(ada);
    expect(stream.headers.get('content-type')).toMatch('text/event-stream');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    const { body } = await call('GET', `/workspaces/${workspaceId}/changes`);
    expect(await stream.next()).toEqual({
      event: 'hello',
      id: expect.any(String),
      data: {
        userId: ada.id,
        workspaces: { [workspaceId]: body.cursor },
        unread: 0,
        build: expect.any(String),
        epoch: body.epoch,
      },
    });
    await stream.cancel();
    expect(world.deps.streams.size).toBe(0);
  });

  it('tells what a commit changed, its cursors following each other, and its client id to the same person only', async () => {
    const bob = await joined(world, ada, workspaceId, 'viewer');
    const [own, other] = [await listen(ada), await listen(bob)];
    const hello = await own.next();
    await other.next();
    await record({ kind: 'list', id: listId, op: 'put', fields: ['title'] });
    await record(listChanged);
    const [first, second] = [await own.next(), await own.next()];
    expect(first?.data).toMatchObject({
      workspaceId,
      from: hello?.data.workspaces[workspaceId],
      items: [{ kind: 'list', op: 'put', id: listId, value: { title: 'Tasks' } }],
      actorId: ada.id,
      clientId: 'tab',
    });
    expect(second?.data).toMatchObject({
      from: first?.data.cursor,
      items: [{ kind: 'list', op: 'delete', id: 'gone' }],
    });
    expect((await other.next())?.data).toEqual({ ...first?.data, clientId: null });
    const { body } = await call('GET', `/workspaces/${workspaceId}/changes`);
    expect(second?.data.cursor).toBe(body.cursor);
    await world.deps.write((tx) => {
      tx.actAs({ userId: bob.id, clientId: 'tab' });
      tx.record({ ...listChanged, workspaceId });
    });
    expect((await own.next())?.data).toMatchObject({ actorId: bob.id, clientId: null });
    await Promise.all([own.cancel(), other.cancel()]);
  });

  it('tells apart what several people, and their clients, changed in one commit', async () => {
    const bob = await joined(world, ada, workspaceId, 'viewer');
    const stream = await listen(ada);
    await stream.next();
    const authors = [
      [ada.id, 'tab'],
      [bob.id, 'tab'],
      [bob.id, 'another'],
    ] as const;
    await Promise.all(
      authors.map(([userId, clientId]) =>
        world.deps.write((tx) => {
          tx.actAs({ userId, clientId });
          tx.record({ ...listChanged, id: `by ${userId} at ${clientId}`, workspaceId });
        }),
      ),
    );
    for (const [userId, clientId] of authors) {
      expect((await stream.next())?.data).toMatchObject({
        items: [{ id: `by ${userId} at ${clientId}` }],
        actorId: userId,
        clientId: userId === ada.id ? clientId : null,
      });
    }
    await stream.cancel();
  });

  it('tells only that something changed where it is more than an event takes', async () => {
    const stream = await listen(ada);
    await stream.next();
    await record(...Array.from({ length: 21 }, (_, i) => ({ ...listChanged, id: `list ${i}` })));
    expect((await stream.next())?.data).toMatchObject({ items: [] });
    await record({ kind: 'list', id: listId, op: 'refetch' });
    expect((await stream.next())?.data).toMatchObject({ items: [] });
    await stream.cancel();
  });

  it('resumes from the id of any event, over a restart too, without a gap', async () => {
    const stream = await listen(ada);
    const hello = await stream.next();
    await record(listChanged);
    const first = await stream.next();
    await stream.cancel();
    await record({ ...listChanged, id: 'second' });
    await reopen();
    await record({ ...listChanged, id: 'third' });
    const again = await listen(ada, { headers: { 'Last-Event-ID': first?.id ?? '' } });
    expect(await again.next()).toMatchObject({
      event: 'hello',
      id: first?.id,
      data: { workspaces: { [workspaceId]: first?.data.cursor } },
    });
    const missed = [await again.next()];
    expect(missed.flatMap((event) => event?.data.items.map(({ id }: { id: string }) => id))).toEqual([
      'second',
      'third',
    ]);
    await record({ ...listChanged, id: 'fourth' });
    expect((await again.next())?.data.from).toBe(missed.at(-1)?.data.cursor);
    await again.cancel();
    const fromStart = await listen(ada, { query: `?cursor=${hello?.id}` });
    await fromStart.next();
    expect((await fromStart.next())?.data.from).toBe(hello?.data.workspaces[workspaceId]);
    await fromStart.cancel();
  });

  it('moves its id on with the last of what was missed alone: cut off before that, it misses nothing', async () => {
    const stream = await listen(ada);
    const id = (await stream.next())?.id ?? '';
    await stream.cancel();
    await record(listChanged);
    await world.deps.write((tx) => tx.record({ ...listChanged, workspaceId, id: 'by nobody' }));
    for (let cut = 0; cut < 2; cut += 1) {
      const again = await listen(ada, { headers: { 'Last-Event-ID': id } });
      const [hello, first, last] = [await again.next(), await again.next(), await again.next()];
      await again.cancel();
      expect([hello?.id, first?.id, last?.id === id]).toEqual([id, id, false]);
      expect([first, last].map((event) => event?.data.items[0].id)).toEqual(['gone', 'by nobody']);
    }
  });

  it('keeps apart what one commit changes in two workspaces, of which another person has one', async () => {
    const bob = await joined(world, ada, workspaceId, 'member', 'Bob');
    const { id: other } = (await call('POST', '/workspaces', { title: 'Other' })).body;
    const [own, ofBob] = [await listen(ada), await listen(bob)];
    const { workspaces: before } = (await own.next())?.data ?? {};
    await ofBob.next();
    await world.deps.write((tx) => {
      tx.actAs({ userId: ada.id, clientId: 'tab' });
      tx.record({ ...listChanged, workspaceId, id: 'here' });
      tx.record({ ...listChanged, workspaceId: other, id: 'there' });
    });
    await record({ ...listChanged, id: 'last' });
    const told = async (stream: typeof own) => {
      const { workspaceId, from, cursor, items } = (await stream.next())?.data ?? {};
      const follows = from === before[workspaceId];
      before[workspaceId] = cursor;
      return [workspaceId, items.map(({ id }: { id: string }) => id), follows];
    };
    expect([await told(own), await told(own), await told(own)]).toEqual([
      [workspaceId, ['here'], true],
      [other, ['there'], true],
      [workspaceId, ['last'], true],
    ]);
    expect([(await told(ofBob)).slice(0, 2), (await told(ofBob)).slice(0, 2)]).toEqual([
      [workspaceId, ['here']],
      [workspaceId, ['last']],
    ]);
    for (const stream of [own, ofBob]) await stream.cancel();
  });

  it('tells a stream that resumes far behind, or behind long things, only that there is more', async () => {
    const stream = await listen(ada);
    const hello = await stream.next();
    await stream.cancel();
    const description = 'x'.repeat(50_000);
    for (let i = 0; i < 8; i += 1) {
      await world.call('POST', `/workspaces/${workspaceId}/tasks`, {
        token: ada.accessToken,
        headers: { 'X-Client-Id': `tab ${i % 2}` },
        body: { title: `Long ${i}`, listId, description },
      });
    }
    await call('PATCH', `/workspaces/${workspaceId}`, { title: 'Other' });
    const long = await listen(ada, { query: `?cursor=${hello?.id}` });
    await long.next();
    const told = [];
    for (let last = ''; last !== 'none'; ) {
      const event = await long.next();
      told.push(event?.data);
      last = event?.data.items.length === 0 ? 'none' : 'some';
    }
    await long.cancel();
    expect(told.length).toBeLessThan(8);
    const { body } = await call('GET', `/workspaces/${workspaceId}/changes`);
    expect(told.at(-1)).toMatchObject({ from: told.at(-2)?.cursor, cursor: body.cursor });
    for (let i = 0; i < 101; i += 1) {
      await world.deps.write((tx) => {
        tx.actAs({ userId: ada.id, clientId: `tab ${i % 2}` });
        tx.record({ ...listChanged, id: `list ${i}`, workspaceId });
      });
    }
    const many = await listen(ada, { query: `?cursor=${hello?.id}` });
    await many.next();
    let event = await many.next();
    while (event?.data.items.length > 0) event = await many.next();
    const after = await call('GET', `/workspaces/${workspaceId}/changes`);
    expect(event?.data.cursor).toBe(after.body.cursor);
    await many.cancel();
  });

  it('says reset, and never an error, to an id that is of no use', async () => {
    for (const id of ['x', '%00', 'x'.repeat(4_000), '%', 'a&cursor=b']) {
      const stream = await listen(ada, { query: `?cursor=${id}` });
      expect(stream.status).toBe(200);
      expect((await stream.next())?.event).toBe('hello');
      expect((await stream.next())?.event).toBe('reset');
      await stream.cancel();
    }
  });

  it('says reset to an id of a stream over workspaces of others', async () => {
    const strangers = await listen(await world.signUp());
    const id = (await strangers.next())?.id ?? '';
    await strangers.cancel();
    const stream = await listen(ada, { headers: { 'Last-Event-ID': id } });
    expect([await stream.next(), await stream.next()]).toMatchObject([
      { event: 'hello' },
      { event: 'reset' },
    ]);
    await stream.cancel();
  });

  it('says reset to an id whose row has its number and another tag by now, or is gone', async () => {
    const stream = await listen(ada);
    const id = (await stream.next())?.id ?? '';
    await stream.cancel();
    const resumed = async () => {
      const again = await listen(ada, { headers: { 'Last-Event-ID': id } });
      await again.next();
      await record(listChanged);
      const event = await again.next();
      await again.cancel();
      return event?.event;
    };
    const { writing } = world.opened.storage;
    const { seq } = writing.prepare('select max(seq) as seq from changes').get() as { seq: number };
    expect(await resumed()).toBe('change');
    writing.prepare('update changes set tag = (tag + 1) % 4294967296 where seq = ?').run(seq);
    expect(await resumed()).toBe('reset');
    writing.prepare('delete from changes where seq = ?').run(seq);
    expect(await resumed()).toBe('reset');
  });

  it('ends at once with the session, at the expiry of the access token by the next beat, and at a stop', async () => {
    const ended = await listen(ada);
    await ended.next();
    await call('POST', '/auth/logout', { refreshToken: ada.refreshToken });
    expect(await ended.next()).toBeUndefined();
    await signInAgain(world, ada);
    const expiring = await listen(ada);
    await expiring.next();
    world.clock.advance(HEARTBEAT_MS + 15 * 60_000);
    world.deps.streams.heartbeat();
    expect(await expiring.next()).toBeUndefined();
    await signInAgain(world, ada);
    const stopped = await listen(ada);
    await stopped.next();
    world.opened.beginStop();
    expect(await stopped.next()).toBeUndefined();
  });

  it('ends at the moment its access token expires', async () => {
    for await (const _ of openOn(connection().response, world.clock.now() + 1));
    expect(world.deps.streams.size).toBe(0);
  });

  it('sends nothing more of a workspace that was left, and says so', async () => {
    const bob = await joined(world, ada, workspaceId, 'member');
    const stream = await listen(bob);
    await stream.next();
    await call('DELETE', `/workspaces/${workspaceId}/members/${bob.id}`);
    await record(listChanged);
    expect(await stream.next()).toMatchObject({ event: 'me', data: { workspaces: true } });
    world.deps.streams.heartbeat();
    await stream.cancel();
  });

  it('tells of unread notifications, of the profile and of new workspaces', async () => {
    const bob = await joined(world, ada, workspaceId, 'member');
    const stream = await listen(bob);
    const hello = await stream.next();
    await call('POST', `/workspaces/${workspaceId}/tasks`, { title: 'Mow', listId, assigneeId: bob.id });
    expect(await nextOfMe(stream)).toMatchObject({ data: { unread: hello?.data.unread + 1 } });
    await record(listChanged);
    const changed = await stream.next();
    await as(world, bob)('POST', '/me/notifications/read-all');
    expect(await nextOfMe(stream)).toMatchObject({ id: changed?.id, data: { unread: 0 } });
    await as(world, bob)('PATCH', '/me', { name: 'Robert' });
    expect(await nextOfMe(stream)).toMatchObject({ event: 'me', data: { profile: true } });
    await as(world, bob)('POST', '/workspaces', { title: 'Own' });
    expect(await nextOfMe(stream)).toMatchObject({ event: 'me', data: { workspaces: true } });
    await stream.cancel();
  });

  it('tells of a notification that replaces another, though as many are unread', async () => {
    const bob = await joined(world, ada, workspaceId, 'member');
    const task = await call('POST', `/workspaces/${workspaceId}/tasks`, { title: 'Mow', listId });
    const comments = `/workspaces/${workspaceId}/tasks/${task.body.id}/comments`;
    await as(world, bob)('POST', comments, { body: 'Mine' });
    await call('POST', comments, { body: 'Once' });
    const stream = await listen(bob);
    const unread = (await stream.next())?.data.unread;
    await call('POST', comments, { body: 'Again' });
    expect(await nextOfMe(stream)).toMatchObject({ data: { unread } });
    await stream.cancel();
  });

  it.each([
    ['taken out of a workspace', (bob: Person) => `/members/${bob.id}`],
    ['in a workspace that is deleted', () => ''],
  ])('tells someone who is %s that nothing of it is unread', async (_how, pathOf) => {
    const bob = await joined(world, ada, workspaceId, 'member');
    const stream = await listen(bob);
    expect((await stream.next())?.data.unread).toBe(1);
    await call('DELETE', `/workspaces/${workspaceId}${pathOf(bob)}`);
    expect(await nextOfMe(stream)).toMatchObject({ data: { workspaces: true } });
    expect(await nextOfMe(stream)).toMatchObject({ data: { unread: 0 } });
    await stream.cancel();
  });

  it('is one for each session and client, and at most eight for each person', async () => {
    const first = await listen(ada, { query: '?clientId=tab' });
    await first.next();
    const second = await listen(ada, { query: '?clientId=tab' });
    expect(await first.next()).toBeUndefined();
    const beside = await listen(ada, { query: '?clientId=another' });
    const { body } = await world.call('POST', '/auth/login', { body: ada });
    const elsewhere = await listen({ ...ada, ...body }, { query: '?clientId=tab' });
    await record(listChanged);
    for (const stream of [second, beside, elsewhere])
      expect([await stream.next(), await stream.next()]).toMatchObject([
        { event: 'hello' },
        { event: 'change' },
      ]);
    await Promise.all([beside.cancel(), elsewhere.cancel()]);
    const others = await Promise.all(Array.from({ length: 7 }, () => listen(ada)));
    expect(others.map(({ status }) => status)).toEqual(Array(7).fill(200));
    const rejected = await listen(ada);
    expect([rejected.status, rejected.headers.has('retry-after')]).toEqual([429, true]);
    await second.cancel();
    expect((await listen(ada)).status).toBe(200);
    await Promise.all(others.map((stream) => stream.cancel()));
  });

  it('is one of two thousand, and another has its place once it is left', async () => {
    const { streams } = world.deps;
    const open = (i: number) =>
      streams.open(
        {
          userId: `user ${i % 250}`,
          sessionId: `session ${i}`,
          cap: null,
          byCookie: false,
          expiresAt: Number.POSITIVE_INFINITY,
          clientId: null,
        },
        { cursor: undefined, clientId: null, response: undefined },
      );
    const others = Array.from({ length: 2_000 }, (_, i) => open(i));
    const rejected = await listen(ada);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '3']);
    await others[0]?.cancel();
    const stream = await listen(ada);
    expect(stream.status).toBe(200);
    await Promise.all([stream.cancel(), ...others.slice(1).map((other) => other.cancel())]);
    expect(streams.size).toBe(0);
  });

  it('is another for each API token, whatever client they name', async () => {
    const open = async (title: string) => {
      const { body } = await call('POST', '/me/tokens', { title, role: 'viewer', workspaceIds: null });
      const stream = await listen({ ...ada, accessToken: body.token }, { query: '?clientId=script' });
      return { ...stream, hello: await stream.next() };
    };
    const streams = [await open('First'), await open('Second')];
    await record(listChanged);
    for (const stream of streams) {
      expect([stream.hello?.event, (await stream.next())?.event]).toEqual(['hello', 'change']);
      await stream.cancel();
    }
  });

  it('tells at the next heartbeat what is unread because of another process', async () => {
    const bob = await joined(world, ada, workspaceId, 'member');
    await call('POST', `/workspaces/${workspaceId}/tasks`, { title: 'Mow', listId, assigneeId: bob.id });
    const stream = await listen(bob);
    const hello = await stream.next();
    using other = openStorage({ path: world.opened.storage.path, create: false });
    other.writing.exec('delete from notifications');
    world.deps.streams.heartbeat();
    expect([hello?.data.unread > 0, (await nextOfMe(stream))?.data]).toEqual([true, { unread: 0 }]);
    await stream.cancel();
  });

  it('goes on, whichever way the clock is set, while its credential lives', async () => {
    const made = { title: 'Listener', role: 'viewer', workspaceIds: null };
    const { token } = (await call('POST', '/me/tokens', made)).body;
    const stream = await listen({ ...ada, accessToken: token });
    await stream.next();
    for (const ms of [30 * DAY, -60 * DAY]) {
      world.clock.advance(ms);
      world.deps.streams.heartbeat();
      await record({ ...listChanged, id: `after ${ms}` });
      expect((await stream.next())?.data.items[0].id).toBe(`after ${ms}`);
    }
    await stream.cancel();
  });

  it('tells many a few at a time, each all of it in order, and nothing of a workspace that one is out of by then', async () => {
    const bob = await joined(world, ada, workspaceId, 'member');
    const readers = [bob];
    for (let i = 0; i < 5; i += 1) readers.push(await joined(world, ada, workspaceId, 'viewer'));
    const streams = [];
    for (const reader of readers) for (let i = 0; i < 8; i += 1) streams.push(await listen(reader));
    const last = readers.at(-1);
    for (const stream of streams) await stream.next();
    await record({ kind: 'list', id: listId, op: 'put', fields: ['title'] }, listChanged);
    await call('DELETE', `/workspaces/${workspaceId}/members/${last?.id}`);
    for (const stream of streams.slice(0, -8)) {
      const kinds: string[] = [];
      let at: string | undefined;
      while (!kinds.includes('member')) {
        const event = await stream.next();
        if (at !== undefined) expect(event?.data.from).toBe(at);
        at = event?.data.cursor;
        for (const { kind } of event?.data.items ?? []) kinds.push(kind);
      }
      expect(kinds).toEqual(['list', 'list', 'member', 'workspace']);
    }
    for (const stream of streams.slice(-8)) {
      let event = await stream.next();
      while (event?.event === 'change') {
        expect(event.data.items[0].kind).toBe('list');
        event = await stream.next();
      }
      expect(event).toMatchObject({ event: 'me', data: { workspaces: true } });
    }
  });

  it('tells what another process wrote at the next poll, once', async () => {
    await record(listChanged);
    await reopen();
    const stream = await listen(ada);
    const hello = await stream.next();
    using other = openStorage({ path: world.opened.storage.path, create: false });
    const newest = other.reading.prepare('select * from changes order by seq desc limit 1').get() as Record<
      string,
      unknown
    >;
    other.writing
      .prepare(`insert into changes values (?, ?, 7, 'list', 'elsewhere', 'delete', null, null, null, ?)`)
      .run(newest.workspace_code, Number(newest.seq) + 1, newest.changed_at);
    world.deps.streams.poll();
    world.deps.streams.poll();
    const told = await stream.next();
    expect(told?.data).toMatchObject({
      from: hello?.data.workspaces[workspaceId],
      items: [{ id: 'elsewhere' }],
      actorId: null,
    });
    const many = other.writing.prepare(
      `insert into changes values (?, ?, 7, 'list', ?, 'delete', null, null, null, ?)`,
    );
    for (let i = 2; i < 103; i += 1) {
      many.run(newest.workspace_code, Number(newest.seq) + i, `list ${i}`, newest.changed_at);
    }
    world.deps.streams.poll();
    const { body } = await call('GET', `/workspaces/${workspaceId}/changes`);
    expect((await stream.next())?.data).toMatchObject({
      from: told?.data.cursor,
      cursor: body.cursor,
      items: [],
      actorId: null,
    });
    await stream.cancel();
  });

  it('tells what another process wrote before the server wrote to another workspace, each once', async () => {
    const { body: second } = await call('POST', '/workspaces', { title: 'Second' });
    const stream = await listen(ada);
    await stream.next();
    using other = openStorage({ path: world.opened.storage.path, create: false });
    other.writing
      .prepare(
        `insert into changes select workspace_code, (select max(seq) from changes) + 1, 7, 'list', 'elsewhere',
            'delete', null, null, null, changed_at
          from changes where workspace_code = (select code from workspaces where id = ?) limit 1`,
      )
      .run(workspaceId);
    await call('PATCH', `/workspaces/${second.id}`, { title: 'Renamed' });
    world.deps.streams.poll();
    await call('PATCH', `/workspaces/${second.id}`, { title: 'Renamed again' });
    const told = [await stream.next(), await stream.next(), await stream.next()];
    expect(told.map((event) => event?.data.workspaceId)).toEqual([workspaceId, second.id, second.id]);
    expect(told[2]?.data.from).toBe(told[1]?.data.cursor);
    await stream.cancel();
  });

  it('tells over a connection in the order of the commits, behind hello, and ends with it', async () => {
    const listening = await listenOn(world.app, { host: '127.0.0.1', port: 0 });
    const socket = connect({ port: listening.port, host: '127.0.0.1' });
    let heard = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard += text;
      socket.emit('heard');
    });
    const hears = async (text: string) => {
      while (!heard.includes(text)) await once(socket, 'heard');
    };
    socket.write(
      `GET /api/me/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.accessToken}\r\n\r\n`,
    );
    await hears('event: hello');
    expect(heard).toContain('retry: 3000\n');
    world.deps.streams.heartbeat();
    await hears(':\n\n');
    const ids = Array.from({ length: 30 }, (_, i) => `thing ${i}.`);
    await Promise.all(ids.slice(0, 20).map((id) => record({ ...listChanged, id })));
    for (const id of ids.slice(20)) await record({ ...listChanged, id });
    await hears('thing 29.');
    expect(heard.match(/event: hello|thing \d+\./g)).toEqual(['event: hello', ...ids]);
    socket.destroy();
    while (world.deps.streams.size > 0) await new Promise((resolve) => setImmediate(resolve));
    await listening.drain(0);
  });

  it('cuts off who does not read, and drops what was written to them', async () => {
    const { written, response } = connection();
    const body = openOn(response);
    const reader = body.getReader();
    for (let said = ''; !said.includes('hello'); ) said += String((await reader.read()).value);
    void reader.read();
    await record(listChanged);
    while (written.length === 0) await new Promise((resolve) => setImmediate(resolve));
    response.writableLength = 1024 * 1024 + 1;
    await record(listChanged);
    while (world.deps.streams.size > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual([]);
  });

  it('cuts off the furthest behind, and no more, where all together are too far', async () => {
    const behind = [20, 100, 60].map((mebibytes) => ({ ...connection(), bytes: mebibytes * 1024 * 1024 }));
    const connections = behind.map(({ response }) => response);
    for (const response of connections) openOn(response);
    for (const { response, bytes } of behind) response.writableLength = bytes;
    world.deps.streams.poll();
    expect(connections.map(({ isDestroyed }) => isDestroyed)).toEqual([false, true, false]);
    expect(world.deps.streams.size).toBe(2);
  });
});
