import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { type Opened, openDeps } from '../../src/open.ts';
import { setMeta } from '../../src/storage/meta.ts';
import { useWorld, world } from '../ada.ts';
import type { World } from '../world.ts';

let command: Opened;
useWorld();
beforeEach(async () => {
  command = await openDeps(world.deps.config, silentLog, { role: 'command' });
});
afterEach(() => command.close());

it('a server gets its turn between any two commits of a command beside it', async () => {
  const order: string[] = [];
  const write = ({ deps }: { deps: World['deps'] }, name: string) =>
    deps.write((tx) => setMeta(tx, name, 'x')).then(() => order.push(name));
  await write(command, 'first');
  await Promise.all([write(command, 'second'), write(world, 'server')]);
  expect(order).toEqual(['first', 'server', 'second']);
});

it('syncs of a command stay in its commits', async () => {
  await command.deps.write((tx) => setMeta(tx, 'first', 'x'));
  expect(command.storage.writing.pragma('synchronous', { simple: true })).toBe(2);
});
