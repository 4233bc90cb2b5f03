import { isSea } from 'node:sea';
import type { SelfCommand } from '../backup/scheduled.ts';
import { version } from '../build-info.ts';
import { type Config, loadConfig } from '../config.ts';
import { isLoopback } from '../http/client-address.ts';
import { createLog } from '../kernel/log.ts';
import { lowerCollectorPriority } from '../kernel/process-priority.ts';
import { serve } from '../server.ts';
import { type CommonOptions, enterData } from './open-data.ts';
import type { Shell } from './shell.ts';
import { catchUnhandledErrors } from './unhandled-errors.ts';

/** A signal to all of a terminal or service reaches us twice under npm, which hands it on; so does a hangup, by the shell. */
const ECHO_MS = 300;

/**
 * Serves until SIGTERM or SIGINT, or until its terminal closes, then stops gently; another signal ends the process at
 * once.
 */
export async function serveUntilSignal(shell: Shell, options: CommonOptions): Promise<void> {
  const asked = stopSignal(shell);
  const { config, file, warnings } = loadConfig(options.config, shell.environment, shell.workingDirectory);
  enterData(shell, config);
  const log = createLog({ ...config.log, journal: shell.environment.JOURNAL_STREAM });
  log.info({ version, configurationFile: file ?? null }, 'starting');
  for (const warning of warnings) log.warn(warning);
  if (isPublicUrlForgotten(config)) {
    log.warn(
      'server.public_url is not set: mailed links lead to localhost, though others can reach this server',
    );
  }
  catchUnhandledErrors(log);
  lowerCollectorPriority();
  const stop = await serve(config, log, errandOf(shell, config, file));
  await asked;
  await stop();
}

/** This program once more, on the same data, whatever the settings have become meanwhile. */
const errandOf = (shell: Shell, { database, backup }: Config, file: string | undefined): SelfCommand => ({
  words: isSea() ? [process.execPath] : [process.execPath, ...process.argv.slice(1, 2)],
  options: file === undefined ? [] : ['--config', file],
  environment: {
    ...shell.environment,
    ERRAND_DATABASE_PATH: database.path,
    ERRAND_BACKUP_DIRECTORY: backup.directory,
  },
});

const isPublicUrlForgotten = ({ server: { host, port, public_url: publicUrl } }: Config): boolean =>
  publicUrl === `http://localhost:${port}` && !isLoopback(host);

function stopSignal({ isWatched }: Shell): Promise<void> {
  let askedAt: number | undefined;
  return new Promise((resolve) => {
    const onSignal = () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        resolve();
      } else if (performance.now() - askedAt > ECHO_MS) process.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
    // Under nohup, or as a service, the terminal it was started from may close.
    process.on('SIGHUP', isWatched ? onSignal : () => {});
  });
}
