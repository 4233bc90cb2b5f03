import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { backupNotes, noteFailure, overdueSince } from './notes.ts';
import { lackingSpace } from './space.ts';

const COMPLAINT_CHARACTERS_AT_MOST = 2_000;

const Made = z.object({ file: z.string(), bytes: z.number() });

/** How this very program is run again, with a command and its options still to be named. */
export interface Errand {
  words: readonly string[];
  options: readonly string[];
  environment: Record<string, string | undefined>;
}

export interface ScheduledBackups {
  /** Makes a backup, or logs and notes why there is none. Never throws. */
  run(): Promise<void>;
  /** Logs that the last one failed, or that one is overdue; once at the start, then to be called now and then. */
  remind(): void;
  /** Ends the one under way. */
  stop(): Promise<void>;
}

/**
 * Backups while the server runs, each by `errand backup` in a process of its own: its check reads the whole file
 * without a pause, for seconds, which in the server's own process every request would wait for.
 */
export function scheduledBackups(deps: Deps, errand: Errand): ScheduledBackups {
  const { log, config } = deps;
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  const remind = () => {
    const { schedule } = config.backup;
    if (schedule === '') return;
    const { failed } = backupNotes(deps.read);
    if (failed) log.error(failed, 'the last scheduled backup failed');
    const overdue = overdueSince(schedule, deps.read, deps.clock.now());
    if (overdue) log.warn({ since: overdue }, 'a scheduled backup is overdue');
  };
  remind();

  const note = (reason: string) =>
    deps
      .write((tx) => noteFailure(tx, reason, deps.clock.now()))
      .catch((err) => log.error({ err }, 'the failure of a backup could not be noted'));

  return {
    remind,
    run: async () => {
      const lacking = lackingSpace(config.database.path, config.backup.directory);
      if (lacking) {
        log.warn({ reason: lacking }, 'a scheduled backup is skipped');
        return note(lacking);
      }
      const begun = deps.clock.now();
      child = start(errand);
      ended = outcomeOf(child).then(async (outcome) => {
        if (isStopped) return;
        if (outcome.reason === undefined) {
          log.info({ ...outcome.made, milliseconds: deps.clock.now() - begun }, 'backed up');
        } else {
          log.error({ reason: outcome.reason }, 'a scheduled backup failed');
          await note(outcome.reason);
        }
      });
      await ended;
    },
    stop: async () => {
      isStopped = true;
      child?.kill();
      await ended;
    },
  };
}

function start({ words, options, environment }: Errand): ChildProcess {
  const [program = '', ...parameters] = [...words, 'backup', ...options, '--json'];
  return spawn(program, parameters, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outcomeOf(
  child: ChildProcess,
): Promise<{ reason: string } | { reason?: undefined; made: z.output<typeof Made> }> {
  let output = '';
  let complaint = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-COMPLAINT_CHARACTERS_AT_MOST);
  });
  try {
    const [code, signal] = await once(child, 'close');
    if (code === 0) return { made: Made.parse(JSON.parse(output)) };
    return { reason: complaint.trim() || `it ended with ${signal ?? code}` };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
