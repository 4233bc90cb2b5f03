import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Act, insertAct, logCommands, recordAct } from '../../src/audit/trail.ts';
import { DAY } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { openInstead, useWorld, world } from '../ada.ts';
import { errand } from '../shell.ts';
import { START } from '../world.ts';

useWorld();

const logOf = async (...options: string[]) => {
  const { code, out } = await errand(world, ['log', '--json', ...options]);
  expect(code).toBe(0);
  return JSON.parse(out) as { event: string; [key: string]: unknown }[];
};
const eventsOf = async (...options: string[]) => (await logOf(...options)).map(({ event }) => event);
const linesOf = (event: string) => world.log.filter((line) => line.includes(`"event":"${event}"`));

const COMMANDS: [event: string, args: string[]][] = [
  ['account-created', ['create-user', '--email', 'bob@example.com', '--name', 'Bob', '--no-password']],
  ['account-disabled', ['users', 'disable', 'ada@example.com']],
  ['account-enabled', ['users', 'enable', 'ada@example.com']],
  ['sessions-ended', ['users', 'sign-out', 'ada@example.com']],
  ['account-exported', ['export', '--user', 'ada@example.com']],
  ['account-deleted', ['users', 'delete', 'ada@example.com', '--yes']],
  ['key-rotated', ['keys', 'rotate']],
  ['search-rebuilt', ['migrate', '--remake-search']],
];

it.each(COMMANDS)(
  "%s by a command is a row, and one line of the running server's log",
  async (event, args) => {
    const { id } = await world.signUp('ada@example.com');
    const before = linesOf(event).length;
    expect(await errand(world, args)).toMatchObject({ code: 0 });

    const [row] = await logOf();
    expect(row).toMatchObject({ event, source: 'command', isRejected: false });
    if (args.includes('ada@example.com')) expect(row).toMatchObject({ userId: id });

    await logCommands(world.deps);
    await logCommands(world.deps);
    expect(linesOf(event)).toHaveLength(before + 1);
  },
);

it('what a command did is logged once, though two ask for it at once', async () => {
  await world.signUp('ada@example.com');
  await errand(world, ['users', 'sign-out', 'ada@example.com']);
  await Promise.all([logCommands(world.deps), logCommands(world.deps)]);
  expect(linesOf('sessions-ended')).toHaveLength(1);
});

it('a new password set by a command is recorded, and the password is not', async () => {
  const { id } = await world.signUp('ada@example.com');
  const { Readable } = await import('node:stream');
  const stdin = Readable.from([Buffer.from('a new password')]);
  expect(await errand(world, ['users', 'set-password', 'ada@example.com'], { stdin })).toMatchObject({
    code: 0,
  });
  expect((await logOf())[0]).toMatchObject({ event: 'password-set', userId: id, details: {} });
});

it('security events of the API are rows, with those who caused them', async () => {
  const { id, email, password } = await world.signUp('ada@example.com');
  await world.call('POST', '/auth/login', { body: { email, password } });
  await world.call('POST', '/auth/login', { body: { email, password: 'wrong password' } });
  await world.untilIdle();

  const acts = await logOf();
  expect(acts.map(({ event, source }) => [event, source])).toEqual([
    ['sign-in-failed', 'api'],
    ['signed-in', 'api'],
    ['signed-in', 'api'],
    ['account-created', 'api'],
  ]);
  expect(acts[0]).toMatchObject({ isRejected: true, userId: null });
  expect(acts[1]).toMatchObject({ isRejected: false, userId: id, email, name: 'Ada' });
});

it('of one account only what was done to it or by it is shown, by address or id', async () => {
  const ada = await world.signUp('ada@example.com');
  await world.signUp('bob@example.com');
  expect(await eventsOf('--user', 'Ada@example.com')).toEqual(['signed-in', 'account-created']);
  expect(await eventsOf('--user', ada.id)).toEqual(['signed-in', 'account-created']);
  expect(await errand(world, ['log', '--user', 'nobody@example.com'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('nobody@example.com'),
  });
  expect(await eventsOf('--limit', '1')).toEqual(['signed-in']);
});

it('rows of a deleted account keep its id, and neither address nor name', async () => {
  const ada = await world.signUp('ada@example.com', 'Ada Lovelace');
  const body = { password: ada.password };
  expect((await world.call('DELETE', '/auth/me', { token: ada.accessToken, body })).status).toBe(204);
  const acts = await logOf('--user', ada.id);
  expect(acts.map(({ event }) => event)).toEqual(['account-deleted', 'signed-in', 'account-created']);
  for (const act of acts) expect(act).toMatchObject({ userId: ada.id, email: null, name: null });
  expect(JSON.stringify(acts)).not.toMatch(/ada@|Lovelace/);
});

it('an act that is rolled back leaves neither row nor line', async () => {
  const { deps } = world;
  const act: Act = { event: 'account-disabled', userId: 'ada' };
  const work = deps.write((tx) => {
    recordAct(deps, tx, act, 'account disabled');
    throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  expect(await logOf()).toEqual([]);
  expect(linesOf('account-disabled')).toEqual([]);
});

it('rows are kept for 400 days', async () => {
  await world.signUp('ada@example.com');
  world.clock.advance(399 * DAY);
  await tick(world.deps);
  expect(await eventsOf()).toEqual(['signed-in', 'account-created']);
  world.clock.advance(2 * DAY);
  await tick(world.deps);
  expect(await eventsOf()).toEqual([]);
});

it('a flood of rejections leaves the newest 100,000, and every act', async () => {
  await world.signUp('ada@example.com');
  world.opened.storage.writing.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 100010)
    insert into audit_log select format('%08d', i), '2026-03-27T10:00:00.000Z', 'api', 'forbidden', null, null, '{}', 1, 1 from n`);
  await tick(world.deps);
  const count = (where: string) => world.count(`audit_log where ${where}`);
  expect(count('is_rejected = 1')).toBe(100_000);
  expect(count(`is_rejected = 1 and id <= '00000010'`)).toBe(0);
  expect(count('is_rejected = 0')).toBe(2);
});

it('restoring an older backup keeps what was recorded since, and records the restore', async () => {
  await world.signUp('ada@example.com');
  const file = join(world.folder, 'older.db');
  expect(await errand(world, ['backup', file])).toMatchObject({ code: 0 });
  expect(await errand(world, ['users', 'disable', 'ada@example.com'])).toMatchObject({ code: 0 });
  const { folder } = world;
  await world.opened.close();
  expect(await errand(world, ['restore', file, '--yes'])).toMatchObject({ code: 0 });

  const [restored, disabled, ...rest] = await logOf();
  expect(restored).toMatchObject({ event: 'database-restored', source: 'command', details: { file } });
  expect(disabled).toMatchObject({ event: 'account-disabled', source: 'command' });
  expect(rest.map(({ event }) => event)).toEqual(['signed-in', 'account-created']);
  await openInstead({ folder });
  await logCommands(world.deps);
  expect(linesOf('database-restored')).toHaveLength(1);
  rmSync(file);
});

it('restoring keeps what was recorded while the clock was behind, and all of it in one commit', async () => {
  await world.signUp('ada@example.com');
  const file = join(world.folder, 'older.db');
  expect(await errand(world, ['backup', file])).toMatchObject({ code: 0 });
  world.clock.set(START - DAY);
  const { id } = await world.signUp('bob@example.com');
  const { deps, folder } = world;
  await deps.write((tx) => {
    for (let i = 0; i < 100; i += 1) insertAct(tx, { source: 'api', act: { event: 'thing-done' } }, START);
  });
  await world.opened.close();
  expect(await errand(world, ['restore', file, '--yes'])).toMatchObject({ code: 0 });

  // https://sqlite.org/fileformat.html#file_change_counter
  const commits = (path: string) => readFileSync(path).readUInt32BE(24);
  expect(commits(join(folder, 'errand.db')) - commits(file)).toBe(1);
  const acts = await logOf();
  expect(acts.filter(({ event }) => event === 'thing-done')).toHaveLength(100);
  expect(acts.filter(({ userId }) => userId === id).map(({ event }) => event)).toContain('account-created');
  await openInstead({ folder });
  rmSync(file);
});
