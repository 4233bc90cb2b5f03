import { Cron } from 'croner';
import { logCommands } from './audit/trail.ts';
import { type SelfCommand, scheduledBackups } from './backup/scheduled.ts';
import { HEARTBEAT_MS, POLL_MS } from './changes/streams.ts';
import { dropDeadImports, dropInterruptedImports } from './import/import.ts';
import type { Opened } from './open.ts';
import { tick } from './tick.ts';
import { finishEntries } from './trash/steps.ts';
import { reportAlteredSchema } from './upgrade.ts';
import { finishRemovals } from './workspaces/removals.ts';

/** What the server does by the clock. */
export interface Schedules {
  /** Begins nothing more. */
  stop(): void;
  /** Resolves once nothing is under way; to be awaited after `stop`. */
  ended(): Promise<void>;
}

/** How long the first requests have the server for themselves. */
const CATCH_UP_MS = 100;

/** Keeps time from now on; scheduled backups run `errand`. */
export function startSchedules({ deps, storage }: Opened, errand: SelfCommand): Schedules {
  const { config, log } = deps;
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
    looking = reportAlteredSchema(storage, log);
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
  let backupStopped: Promise<unknown> = Promise.resolve();
  return {
    stop: () => {
      clearTimeout(catchingUp);
      for (const timer of timers) timer.stop();
      for (const beat of beats) clearInterval(beat);
      backupStopped = backups.stop();
    },
    ended: async () => {
      await Promise.allSettled([ticking, removing, looking]);
      await backupStopped;
    },
  };
}
