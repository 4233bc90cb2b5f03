import { describe, expect, it } from 'vitest';
import { createSecurityLog } from '../../src/http/security-log.ts';
import { tick } from '../../src/tick.ts';
import { openLimited as open, world } from '../ada.ts';
import { as, homeOf, joined } from '../people.ts';

/** The level that is the default. */
const AT_INFO = { settings: { log: { level: 'info' } } };
const events = () =>
  world.log
    .map((line) => JSON.parse(line))
    .filter(({ event }) => ['forbidden', 'limited', 'attempts-limited', 'rejected'].includes(event));
const login = (email: string, address: string) =>
  world.call('POST', '/auth/login', { body: { email, password: 'password one' }, address });

describe('a rejection that concerns security stands in the log by default', () => {
  it('by role: who, from where, and what they asked for', async () => {
    await open({}, AT_INFO);
    const owner = await world.signUp();
    const home = await homeOf(world, owner);
    const viewer = await joined(world, owner, home, 'viewer');
    const stranger = await world.signUp();
    expect((await as(world, viewer)('DELETE', `/workspaces/${home}`)).status).toBe(403);
    expect((await as(world, stranger)('GET', `/workspaces/${home}`)).status).toBe(403);
    const path = `/api/workspaces/${home}`;
    const common = {
      event: 'forbidden',
      address: '127.0.0.1',
      path,
      level: 30,
      requestId: expect.any(String),
    };
    expect(events()).toMatchObject([
      { ...common, userId: viewer.id, method: 'DELETE' },
      { ...common, userId: stranger.id, method: 'GET' },
    ]);
  });

  it('by the limit of an address, of a user, of searches, of exports, of mails and of attempts', async () => {
    const burst = {
      auth_burst: 8,
      user_burst: 12,
      search_burst: 2,
      export_burst: 1,
      sender_mails_per_day: 1,
    };
    await open({ ...burst, failures_burst: 2 }, AT_INFO);
    const ada = await world.signUp();
    const call = as(world, ada);
    const home = `/workspaces/${await homeOf(world, ada)}`;
    for (let i = 0; i < 2; i += 1) await call('GET', '/account/export');
    for (let i = 0; i < 2; i += 1) {
      await call('POST', `${home}/invitations`, { email: `${i}@example.com`, role: 'member' });
    }
    for (let i = 0; i < 3; i += 1) await call('GET', `${home}/tasks/search?q=milk`);
    await tick(world.deps);
    for (let i = 0; i < 9; i += 1) await call('GET', '/me');
    await tick(world.deps);
    for (let i = 0; i < 3; i += 1) await login('eve@example.com', '192.0.2.1');
    for (let i = 0; i < 9; i += 1) await login(`eve${i}@example.com`, '192.0.2.2');
    const limited = { event: 'limited', level: 40 };
    expect(events()).toMatchObject([
      { ...limited, userId: ada.id, path: '/api/account/export' },
      { event: 'limited', userId: ada.id, times: 2 },
      { ...limited, userId: ada.id, path: '/api/me' },
      { event: 'limited', userId: ada.id, times: expect.any(Number) },
      { event: 'attempts-limited', level: 40, address: '192.0.2.1' },
      { ...limited, address: '192.0.2.2', path: '/api/auth/login' },
    ]);
  });
});

describe('a flood of rejections', () => {
  it('of one user is a line at once, and a minute later how many more there were', async () => {
    await open();
    const owner = await world.signUp();
    const home = await homeOf(world, owner);
    const viewer = await joined(world, owner, home, 'viewer');
    const knock = () => as(world, viewer)('PATCH', `/workspaces/${home}`, { title: 'Mine' });
    for (let i = 0; i < 50; i += 1) await knock();
    expect(events()).toHaveLength(1);
    await tick(world.deps);
    expect(events()).toHaveLength(2);
    expect(events()[1]).toMatchObject({ event: 'forbidden', userId: viewer.id, times: 49 });
    await tick(world.deps);
    expect(events()).toHaveLength(2);
    await knock();
    expect(events()).toHaveLength(3);
    await knock();
    await world.opened.close();
    expect(events()[3]).toMatchObject({ event: 'forbidden', userId: viewer.id, times: 1 });
  });

  it('of one network is one, whichever of its addresses it comes from', async () => {
    await open({ auth_burst: 1 });
    for (let i = 0; i < 20; i += 1) await login('eve@example.com', `2001:db8::${i}`);
    await tick(world.deps);
    expect(events()).toMatchObject([{ event: 'limited' }, { event: 'limited', times: 18 }]);
  });

  it('from everywhere is a bounded number of lines', async () => {
    await open();
    const lines: object[] = [];
    const note = (facts: object) => lines.push(facts);
    const log = createSecurityLog({ info: note, warn: note } as never);
    for (let i = 0; i < 100_000; i += 1) {
      const address = `2001:db8:${(i % 50_000).toString(16)}::1`;
      const facts = { event: 'limited', requestId: 'r', userId: undefined, method: 'GET', path: '/' };
      log.note('warn', { ...facts, address }, 'Too many requests');
    }
    expect(lines).toHaveLength(100);
    log.sumUp();
    expect(lines).toHaveLength(201);
    const times = (lines.slice(100) as { times: number }[]).reduce((sum, line) => sum + line.times, 0);
    expect(times + 100).toBe(100_000);
  });

  it('with paths as long as a request may have is no longer for that', async () => {
    await open({}, AT_INFO);
    const owner = await world.signUp();
    const stranger = await world.signUp();
    const home = await homeOf(world, owner);
    await as(world, stranger)('GET', `/workspaces/${home}/tasks/${'x'.repeat(10_000)}`);
    expect(events()).toHaveLength(1);
    expect(JSON.stringify(events()).length).toBeLessThan(700);
  });
});
