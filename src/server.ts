import { isIPv6 } from 'node:net';
import { Cron } from 'croner';
import { createApp } from './app.ts';
import { logCommands } from './audit/trail.ts';
import { type SelfCommand, scheduledBackups } from './backup/scheduled.ts';
import { HEARTBEAT_MS, POLL_MS } from './changes/streams.ts';
import type { Config } from './config.ts';
import { lockData } from './db/open.ts';
import { listen } from './http/listen.ts';
import { dropDeadImports, dropInterruptedImports } from './import/import.ts';
import { SECOND } from './kernel/instants.ts';
import type { Log } from './kernel/log.ts';
import { type Opened, openDeps } from './open.ts';
import { dataFacts } from './storage/facts.ts';
import { tick } from './tick.ts';
import { finishEntries } from './trash/steps.ts';
import { reportAlteredSchema } from './upgrade.ts';
import { finishRemovals } from './workspaces/removals.ts';

/** Takes nothing new, finishes what is in flight within `server.drain_seconds`, closes the files. */
type Stop = () => Promise<void>;

/** How long the first requests have the server for themselves. */
const CATCH_UP_MS = 100;

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
  const http = await listen(createApp(deps), { host, port, proxies, origins });
  const failed = (err: unknown) => log.error({ err }, 'a scheduled task failed');
  let ticking = Promise.resolve();
  // At once, as imports may begin from now on.
  let removing = dropInterruptedImports(deps).catch(failed);
  let looking = Promise.resolve();
  const finishDeletions = () => finishEntries(deps).finally(() => finishRemovals(deps));
  // After the first requests: what they have to catch up on, or why they fail, must not keep the server from those.
  const catchingUp = setTimeout(() => {
    ticking = tick(deps);
    removing = removing.then(finishDeletions);
    looking = reportAlteredSchema(opened.storage, log);
    for (const started of [ticking, removing, looking, deps.signIn.google.prepare(), logCommands(deps)])
      started.catch(failed);
    deps.mailer.wake();
  }, CATCH_UP_MS);
  const timers = [
    new Cron('* * * * *', { utcOffset: 0, protect: true, catch: failed }, () => {
      ticking = tick(deps);
      return ticking;
    }),
    // Apart from the tick, as it may take minutes.
    new Cron('* * * * *', { utcOffset: 0, protect: true, catch: failed }, () => {
      removing = dropDeadImports(deps).then(finishDeletions);
      return removing;
    }),
    new Cron('*/5 * * * * *', { utcOffset: 0, protect: true, catch: failed }, () => {
      deps.keys.refresh();
      deps.mailer.wake();
      return logCommands(deps);
    }),
  ];
  // By the monotonic clock: proxies close what is silent, whatever time it is.
  const beats = [
    setInterval(() => deps.database.whenSynced(deps.streams.poll).catch(failed), POLL_MS),
    setInterval(() => deps.database.whenSynced(deps.streams.heartbeat).catch(failed), HEARTBEAT_MS),
  ];
  const backups = scheduledBackups(deps, errand);
  if (config.backup.schedule !== '') {
    const late = () => log.warn('a scheduled backup is skipped: the one before is still under way');
    const options = { mode: '5-part', protect: late, catch: failed } as const;
    timers.push(
      new Cron(config.backup.schedule, options, backups.run),
      new Cron('30 * * * *', { utcOffset: 0, catch: failed }, backups.remind),
    );
  }
  const address = addressOf(host, http.port);
  log.info({ address: `${address}/`, api: address + basePath }, 'listening');
  return async () => {
    log.info('stopping');
    opened.beginStop();
    clearTimeout(catchingUp);
    for (const timer of timers) timer.stop();
    for (const beat of beats) clearInterval(beat);
    const backupStopped = backups.stop();
    await http.drain(drainSeconds * SECOND);
    await Promise.allSettled([ticking, removing, looking]);
    await backupStopped;
    await opened.close();
    unlock();
    log.info('stopped');
  };
}

const addressOf = (host: string, port: number): string =>
  `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
