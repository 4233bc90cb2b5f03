import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OutgoingMail } from '../../src/mail/worker.ts';
import { tick } from '../../src/tick.ts';
import { finishRemovals } from '../../src/workspaces/removals.ts';
import { expectIntegrity } from '../../test/integrity.ts';
import { openWorld, textOf, type World, type WorldOptions } from '../../test/world.ts';
import type { Sent } from './attempt.ts';
import type { Received } from './conformance.ts';
import { type Hold, watchLoop } from './loop.ts';

export interface MemoryUse {
  heapMb: number;
  rssMb: number;
}

/** A service to send requests to, whose clock is moved by hand. */
export interface Target {
  databasePath: string;
  send(request: Sent): Promise<Received>;
  /** The mails since the last time, once everything that was caused has happened. */
  mails(): Promise<OutgoingMail[]>;
  now(): number;
  advance(ms: number): Promise<void>;
  /** What time brings, and what it finishes. */
  tick(): Promise<void>;
  /** After a collection of all garbage. */
  memory(): Promise<MemoryUse>;
  /** When the event loop was held for a while, since the last time. */
  holds(): Promise<Hold[]>;
  /** Lets everything end, and returns what is not as it must be in the database. */
  close(): Promise<string[]>;
}

/** The service in this very process. */
export async function inProcess(options: WorldOptions): Promise<Target> {
  const world = await openWorld(options);
  await world.deps.signIn.google.prepare();
  const loop = await watchLoop();
  return {
    databasePath: world.opened.storage.path,
    send: ({ method, target, headers, body }) => {
      const request = new Request(`http://localhost${target}`, { method, headers, body: body ?? null });
      const environment = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
      return loop.measure(`${method} ${target}`, async () => {
        const response = await world.app.fetch(request, environment);
        return { status: response.status, headers: response.headers, text: await textOf(response) };
      });
    },
    mails: async () => {
      await world.untilIdle();
      return world.mails.splice(0);
    },
    now: world.clock.now,
    advance: async (ms) => world.clock.advance(ms),
    tick: () => loop.measure('tick', () => ticked(world)),
    memory: async () => memoryNow(),
    holds: async () => loop.holds(),
    close: async () => {
      loop.stop();
      await ticked(world);
      return closed(world);
    },
  };
}

export async function ticked({ deps }: World): Promise<void> {
  await tick(deps);
  await finishRemovals(deps);
  deps.mailer.wake();
}

/** Closes the world, and returns what is wrong in its database. */
export async function closed(world: World): Promise<string[]> {
  await world.untilIdle();
  try {
    expectIntegrity(world);
    return [];
  } catch (error) {
    return [String(error).slice(0, 2_000)];
  } finally {
    await world.close();
  }
}

export function memoryNow(): MemoryUse {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapMb: (heapUsed + external) / 2 ** 20, rssMb: rss / 2 ** 20 };
}
