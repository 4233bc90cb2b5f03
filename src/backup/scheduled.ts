import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { lowerProcessPriority } from '../kernel/process-priority.ts';
import { remakeSearch } from '../storage/rebuild-search.ts';
import { SEARCH_INDEX_DAMAGED } from './backup.ts';
import { backupNotes, noteFailure, overdueSince } from './notes.ts';
import { lackingSpace } from './space.ts';

const MAX_COMPLAINT_CHARACTERS = 2_000;

const Made = z.object({ file: z.string(), bytes: z.number(), oddValues: z.array(z.string()) });

/** How this very program is run again, with a command and its options still to be named. */
export interface SelfCommand {
  words: readonly string[];
  options: readonly string[];
  environment: Record<string, string | undefined>;
}

interface ScheduledBackups {
  /** Makes a backup, or logs and notes why there is none; a search index found damaged is made again first. */
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
export function scheduledBackups(deps: Deps, errand: SelfCommand): ScheduledBackups {
  const { log, config } = deps;
  let child: ReturnType<typeof start> | undefined;
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

  /** Returns the exit code of the command. */
  const attempt = async (): Promise<number | null> => {
    const begun = deps.clock.now();
    child = start(errand);
    const command = child;
    const outcome = outcomeOf(command).then(
      ({ oddValues, ...made }) => {
        if (!isStopped) log.info({ ...made, milliseconds: deps.clock.now() - begun }, 'backed up');
        if (oddValues.length > 0) log.warn({ oddValues }, 'the database holds values that no Errand writes');
        return command.exitCode;
      },
      async ({ message: reason }: Error) => {
        if (isStopped) return null;
        log.error({ reason }, 'a scheduled backup failed');
        await note(reason);
        return command.exitCode;
      },
    );
    ended = outcome;
    return outcome;
  };

  return {
    remind,
    run: async () => {
      const lacking = lackingSpace(config.database.path, config.backup.directory);
      if (lacking) {
        log.warn({ reason: lacking }, 'a scheduled backup is skipped');
        return note(lacking);
      }
      if ((await attempt()) !== SEARCH_INDEX_DAMAGED) return;
      await deps.writeInSteps(remakeSearch);
      log.warn('the search index was damaged, and is rebuilt');
      await attempt();
    },
    stop: async () => {
      isStopped = true;
      child?.kill();
      await ended;
    },
  };
}

function start({ words: [program = '', ...words], options, environment }: SelfCommand) {
  const child = spawn(program, [...words, 'backup', ...options, '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Before it loads what it needs, which holds others up as well.
  if (child.pid !== undefined) lowerProcessPriority(child.pid);
  return child;
}

/** What the command told of the backup; throws what it complained of instead. */
async function outcomeOf(child: ReturnType<typeof start>): Promise<z.output<typeof Made>> {
  const ended = once(child, 'close');
  const [output, complaint, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (code === 0) return Made.parse(JSON.parse(output));
  throw new Error(complaint.slice(-MAX_COMPLAINT_CHARACTERS).trim() || `it ended with ${signal ?? code}`);
}
