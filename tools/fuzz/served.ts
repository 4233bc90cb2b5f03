// The process that `sockets.ts` asks: the real application behind a real socket, with a clock that is moved by hand.
import type { Hono } from 'hono';
import { listen } from '../../src/http/listen.ts';
import type { Environment } from '../../src/http/request-context.ts';
import { openWorld, type WorldOptions } from '../../test/world.ts';
import { watchLoop } from './loop.ts';
import type { Ask, Told } from './sockets.ts';
import { closed, memoryNow, ticked } from './target.ts';

const world = await openWorld(JSON.parse(process.argv[2] ?? '{}') as WorldOptions);
await world.deps.signIn.google.prepare();
const loop = await watchLoop();
const measured = {
  fetch: (request: Request, environment: Environment['Bindings']) =>
    loop.measure(`${request.method} ${request.url}`, async () => world.app.fetch(request, environment)),
};
const http = await listen(measured as unknown as Hono<Environment>, {
  host: '127.0.0.1',
  port: 0,
});

const tell = <Kind extends keyof Told>(_kind: Kind, told: Told[Kind]) => process.send?.(told);

const responses: { [Kind in Ask['kind']]: (asked: Ask & { kind: Kind }) => Promise<unknown> } = {
  mails: async () => {
    await world.untilIdle();
    tell('mails', world.mails.splice(0));
  },
  advance: async ({ ms }) => {
    world.clock.advance(ms);
    tell('advance', true);
  },
  tick: async () => {
    await loop.measure('tick', () => ticked(world));
    tell('tick', true);
  },
  memory: async () => tell('memory', memoryNow()),
  holds: async () => tell('holds', loop.holds()),
  close: async () => {
    loop.stop();
    await http.drain(1_000);
    await ticked(world);
    tell('close', await closed(world));
  },
};
process.on('message', (asked: Ask) => responses[asked.kind](asked as never));
// The client is gone.
process.on('disconnect', () => process.exit());
tell('listening', { port: http.port, databasePath: world.opened.storage.path });
