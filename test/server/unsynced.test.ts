import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statement } from '../../src/db/connection.ts';
import { ada, call, home, inside, listId, openHomeInstead, world } from '../ada.ts';
import { createHeldSync, manyTurns, watch } from '../held-sync.ts';
import { as, homeOf } from '../people.ts';
import type { Person } from '../world.ts';

let sync: ReturnType<typeof createHeldSync>;
let ended: number;
let bob: Person;
let tasks: string;
beforeEach(async () => {
  sync = createHeldSync();
  ended = 0;
  const endProcess = () => {
    ended += 1;
  };
  await openHomeInstead({ walSync: sync.walSync, endProcess });
  bob = await world.signUp('bob@example.com');
  tasks = `${inside}/tasks`;
});
afterEach(() => sync.release());

const make = (title: string) => call('POST', tasks, { title, listId });
const titles = async () => (await call('GET', tasks)).body.items.map(({ title }: { title: string }) => title);

/** What a person is told by the stream of events, as text. */
async function listen(person: Person) {
  const response = await world.app.request('/api/me/events', {
    headers: { Authorization: `Bearer ${person.accessToken}` },
  });
  const heard = { text: '' };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      heard.text += part.value;
  };
  read().catch(() => {});
  return { heard, cancel: () => reader?.cancel() };
}

describe('until a commit is synced', () => {
  it('no success of its write is told, though others may read it already', async () => {
    sync.hold();
    const made = watch(make('Synced late'));
    await manyTurns();
    expect([made.isSettled, await titles()]).toEqual([false, ['Synced late']]);
    sync.release();
    expect((await made.promise).status).toBe(201);
  });

  it('no error is told of a write that met it, be it found in a transaction or before', async () => {
    const { id } = (await make('To be deleted')).body;
    sync.hold();
    const deleted = watch(call('DELETE', `${tasks}/${id}`));
    await manyTurns();
    const again = watch(call('DELETE', `${tasks}/${id}`));
    const invalid = watch(call('POST', tasks, { title: 7 }));
    const elsewhere = watch(call('PATCH', `${tasks}/${id}`, { title: 'Gone' }));
    await manyTurns();
    expect([deleted, again, invalid, elsewhere].map(({ isSettled }) => isSettled)).toEqual(
      Array(4).fill(false),
    );
    sync.release();
    const statuses = [deleted, again, invalid, elsewhere].map(async ({ promise }) => (await promise).status);
    expect(await Promise.all(statuses)).toEqual([204, expect.any(Number), 400, 404]);
  });

  it('the next transaction waits, and shares its sync with all that wait', async () => {
    sync.hold();
    const first = watch(make('first'));
    await manyTurns();
    const { asked } = sync.counts;
    const others = ['a', 'b', 'c'].map((title) => watch(make(title)));
    await manyTurns();
    expect([sync.counts.asked, await titles()]).toEqual([asked, ['first']]);
    sync.releaseOne();
    await first.promise;
    await manyTurns();
    expect(sync.counts.asked).toBe(asked + 1);
    expect(others.map(({ isSettled }) => isSettled)).toEqual([false, false, false]);
    sync.release();
    await Promise.all(others.map(({ promise }) => promise));
  });

  it('no mail of it leaves, even when the outbox is looked at', async () => {
    sync.hold();
    const asked = watch(call('POST', '/auth/login/code', { email: 'bob@example.com' }));
    const before = world.mails.length;
    await manyTurns();
    world.deps.mailer.wake();
    await manyTurns();
    expect([asked.isSettled, world.mails.length]).toEqual([false, before]);
    sync.release();
    await asked.promise;
    await world.untilIdle();
    expect(world.mails.length).toBe(before + 1);
  });

  it('no event tells of it, nor does a stream open that would', async () => {
    const stream = await listen(ada);
    await manyTurns();
    const before = stream.heard.text;
    sync.hold();
    const made = watch(make('Told late'));
    await manyTurns();
    const opening = watch(listen(ada));
    await manyTurns();
    const polled = watch(world.deps.database.whenSynced(world.deps.streams.poll));
    const beaten = watch(world.deps.database.whenSynced(world.deps.streams.heartbeat));
    await manyTurns();
    expect(stream.heard.text).toBe(before);
    expect([opening, polled, beaten].map(({ isSettled }) => isSettled)).toEqual([false, false, false]);
    sync.release();
    await made.promise;
    await Promise.all([polled.promise, beaten.promise]);
    const second = await opening.promise;
    await manyTurns();
    expect(stream.heard.text.match(/Told late/g)).toHaveLength(1);
    expect(second.heard.text).toContain('event: hello');
    await Promise.all([stream.cancel(), second.cancel()]);
  });

  it('no turn of the streams tells what it changed for someone', async () => {
    const second = (await call('POST', '/workspaces', { title: 'Second' })).body.id;
    const stream = await listen(ada);
    await manyTurns();
    sync.hold();
    const deleted = watch(call('DELETE', `/workspaces/${second}`));
    await manyTurns();
    world.deps.streams.heartbeat();
    await manyTurns();
    expect(stream.heard.text).not.toContain('workspaces":true');
    sync.release();
    await deleted.promise;
    await manyTurns();
    expect(stream.heard.text).toContain('workspaces":true');
    await stream.cancel();
  });

  it('no page of the changes of its workspace is told; those of other workspaces are', async () => {
    sync.hold();
    const made = watch(make('In a page'));
    await manyTurns();
    const page = watch(call('GET', `${inside}/changes`));
    const bobs = await homeOf(world, bob);
    const other = await as(world, bob)('GET', `/workspaces/${bobs}/changes`);
    await manyTurns();
    expect([other.status, page.isSettled]).toEqual([200, false]);
    sync.release();
    await made.promise;
    expect(JSON.stringify((await page.promise).body)).toContain('In a page');
  });

  it('no ETag of what it changed is told; those of other things are', async () => {
    const { id } = (await make('Untouched')).body;
    const { id: changed } = (await make('Before')).body;
    sync.hold();
    const patched = watch(call('PATCH', `${tasks}/${changed}`, { title: 'After' }));
    await manyTurns();
    expect((await call('GET', `${tasks}/${id}`)).headers.get('etag')).toBeTruthy();
    const reads = ['GET', 'HEAD'].map((method) => watch(call(method, `${tasks}/${changed}`)));
    await manyTurns();
    expect(reads.map(({ isSettled }) => isSettled)).toEqual([false, false]);
    expect(await titles()).toContain('After');
    sync.release();
    const etag = (await patched.promise).headers.get('etag');
    for (const { promise } of reads) expect((await promise).headers.get('etag')).toBe(etag);
  });

  it('no ETag in a workspace is told when very much of it changed as a whole', async () => {
    const { id } = (await make('One of many')).body;
    sync.hold();
    const changed = watch(
      world.deps.write((tx) => {
        tx.run(statement("update tasks set version = version + 1, title = 'Changed'", []));
        tx.record({ workspaceId: home, kind: 'list', id: listId, op: 'refetch' });
      }),
    );
    await manyTurns();
    const read = watch(call('GET', `${tasks}/${id}`));
    await manyTurns();
    expect(read.isSettled).toBe(false);
    sync.release();
    await changed.promise;
    expect((await read.promise).body.title).toBe('Changed');
  });
});

describe('a sync that fails', () => {
  const failing = async () => {
    sync.hold();
    const waiting = [make('Unknown')];
    await manyTurns();
    waiting.push(make('Queued'), call('GET', `${inside}/changes`));
    const mails = world.mails.length;
    waiting.push(call('POST', '/auth/login/code', { email: 'bob@example.com' }));
    await manyTurns();
    world.opened.fail(Object.assign(new Error('the disk'), { code: 'EIO' }));
    return { mails, statuses: (await Promise.all(waiting)).map(({ status }) => status) };
  };

  it('gives everyone who waits 503, ends the process, and sends no mail', async () => {
    const { mails, statuses } = await failing();
    expect([statuses, ended]).toEqual([[503, 503, 503, 503], 1]);
    world.deps.mailer.wake();
    await world.untilIdle();
    expect(world.mails.length).toBe(mails);
  });

  it('lets no commit follow, and is not ready any more', async () => {
    await failing();
    const { commits } = world.opened.writer.counts;
    expect((await make('Later')).status).toBe(503);
    expect((await world.call('GET', '//readyz')).status).toBe(503);
    sync.release();
    await manyTurns();
    expect([world.opened.writer.counts.commits, await titles()]).toEqual([commits, ['Unknown']]);
  });

  it('lets no transaction in steps commit that was under way', async () => {
    const step = Promise.withResolvers<void>();
    let isGoingOn = true;
    const steps = watch(
      world.deps.writeInSteps(function* (tx) {
        tx.run({ sql: "insert into meta (key, value) values ('steps', 'x')", parameters: [] } as never);
        step.resolve();
        while (isGoingOn) yield;
      }),
    );
    await step.promise;
    world.opened.fail(new Error('the checkpoint'));
    isGoingOn = false;
    await expect(steps.promise).rejects.toMatchObject({ kind: 'ServiceUnavailableError' });
  });
});
