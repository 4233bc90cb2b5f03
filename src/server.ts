import { isIPv6 } from 'node:net';
import { Hono } from 'hono';
import type { App } from './app.ts';
import type { SelfCommand } from './backup/scheduled.ts';
import type { Config } from './config.ts';
import { lockData } from './db/open.ts';
import { mountHealth } from './http/health.ts';
import { listen } from './http/listen.ts';
import { SECOND } from './kernel/instants.ts';
import type { Log } from './kernel/log.ts';
import { once } from './kernel/once.ts';
import { type Opened, openDeps } from './open.ts';
import { dataFacts } from './storage/facts.ts';

/** Takes nothing new, finishes what is in flight within `server.drain_seconds`, closes the files. */
type Stop = () => Promise<void>;

/** How long after it listens the server loads all that no request has asked for yet. */
const LOAD_MS = 50;

/** Opens the data, listens and keeps time; one server at a time on the same data. Scheduled backups run `errand`. */
export async function serve(config: Config, log: Log, errand: SelfCommand): Promise<Stop> {
  const unlock = lockData(config.database.path);
  let opened: Opened | undefined;
  try {
    opened = await openDeps(config, log, { role: 'server' });
    return await run(opened, errand, unlock);
  } catch (error) {
    await opened?.close();
    unlock();
    throw error;
  }
}

async function run(opened: Opened, errand: SelfCommand, unlock: () => void): Promise<Stop> {
  const { deps } = opened;
  const { config, log } = deps;
  log.info(dataFacts(opened.storage.path, deps.read), 'data opened');
  const { host, port, trusted_proxies: proxies, cors_origins: origins } = config.server;
  const { base_path: basePath, drain_seconds: drainSeconds } = config.server;
  let app: App | undefined;
  const load = once(async () => {
    const [{ createApp }, { startSchedules }] = await Promise.all([
      import('./app.ts'),
      import('./schedules.ts'),
    ]);
    const schedules = startSchedules(opened, errand);
    app = createApp(deps);
    return { app, schedules };
  });
  const first: App = new Hono();
  mountHealth(first, deps);
  first.notFound(async ({ req, env }) => (await load()).app.fetch(req.raw, env));
  const http = await listen(
    { fetch: (...args) => (app ?? first).fetch(...args) },
    { host, port, proxies, origins },
  );
  const loading = setTimeout(load, LOAD_MS);
  const address = addressOf(host, http.port);
  log.info({ address: `${address}/`, api: address + basePath }, 'listening');
  return async () => {
    log.info('stopping');
    opened.beginStop();
    clearTimeout(loading);
    const { schedules } = await load();
    schedules.stop();
    await http.drain(drainSeconds * SECOND);
    await schedules.ended();
    await opened.close();
    unlock();
    log.info('stopped');
  };
}

const addressOf = (host: string, port: number): string =>
  `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
