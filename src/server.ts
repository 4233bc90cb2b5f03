import { isIPv6 } from 'node:net';
import { Cron } from 'croner';
import { createApp } from './app.ts';
import { type Errand, scheduledBackups } from './backup/scheduled.ts';
import type { Config } from './config.ts';
import { dataFacts } from './db/facts.ts';
import { lockData } from './db/open.ts';
import { listen } from './http/listen.ts';
import { SECOND } from './kernel/instants.ts';
import type { Log } from './kernel/log.ts';
import { type Opened, openDeps } from './open.ts';
import { tick } from './tick.ts';
import { finishRemovals } from './workspaces/removals.ts';

/** Takes nothing new, finishes what is in flight within `server.drain_seconds`, closes the files. */
type Stop = () => Promise<void>;

/** Opens the data, listens and keeps time; one server at a time on the same data. Scheduled backups run `errand`. */
export async function serve(config: Config, log: Log, errand: Errand): Promise<Stop> {
  const unlock = lockData(config.database.path);
  let opened: Opened | undefined;
  try {
    opened = await openDeps(config, log, { create: true });
    return await run(opened, errand, unlock);
  } catch (error) {
    await opened?.close();
    unlock();
    throw error;
  }
}

async function run(opened: Opened, errand: Errand, unlock: () => void): Promise<Stop> {
  const { deps } = opened;
  const { config, log } = deps;
  log.info(dataFacts(opened.storage.path, deps.read), 'data opened');
  await tick(deps);
  deps.mailer.wake();
  await deps.google.prepare();
  const { host, port, trusted_proxies: proxies, drain_seconds: drainSeconds } = config.server;
  const http = await listen(createApp(deps), { host, port, behindProxy: proxies.length > 0 });
  const failed = (err: unknown) => log.error({ err }, 'a timed task failed');
  let ticking: Promise<void> = Promise.resolve();
  let removing = finishRemovals(deps);
  removing.catch(failed);
  const clockwork = [
    new Cron('* * * * *', { timezone: 'UTC', protect: true, catch: failed }, () => {
      ticking = tick(deps);
      return ticking;
    }),
    // Apart from the tick, as it may take minutes.
    new Cron('* * * * *', { timezone: 'UTC', protect: true, catch: failed }, () => {
      removing = finishRemovals(deps);
      return removing;
    }),
    new Cron('*/5 * * * * *', { timezone: 'UTC', catch: failed }, () => {
      deps.keys.refresh();
      deps.mailer.wake();
    }),
  ];
  const backups = scheduledBackups(deps, errand);
  if (config.backup.schedule !== '') {
    const late = () => log.warn('a scheduled backup is skipped: the one before is still under way');
    const options = { mode: '5-part', protect: late, catch: failed } as const;
    clockwork.push(
      new Cron(config.backup.schedule, options, backups.run),
      new Cron('30 * * * *', { timezone: 'UTC', catch: failed }, backups.remind),
    );
  }
  log.info({ address: addressOf(host, http.port) + config.server.base_path }, 'listening');
  return async () => {
    log.info('stopping');
    opened.beginStop();
    for (const job of clockwork) job.stop();
    const backupStopped = backups.stop();
    await http.drain(drainSeconds * SECOND);
    await Promise.allSettled([ticking, removing]);
    await backupStopped;
    await opened.close();
    unlock();
    log.info('stopped');
  };
}

const addressOf = (host: string, port: number): string =>
  `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
