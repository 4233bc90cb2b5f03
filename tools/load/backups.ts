/** Backs up the data of a running server, one time after the other, as its schedule does. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lowerProcessPriority } from '../../src/kernel/process-priority.ts';
import { underOrders } from './apart.ts';

export interface Backups {
  folder: string;
  /** The sources, where there is none. */
  executable: string | undefined;
}

export interface BackedUp {
  backups: number;
}

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const run = promisify(execFile);

await underOrders(backUpUntil);

async function backUpUntil({ folder, executable }: Backups, stop: AbortSignal): Promise<BackedUp> {
  const env = { PATH: process.env.PATH, ERRAND_DATABASE_PATH: join(folder, 'errand.db') };
  const [command, ...first] = executable ? [executable] : [process.execPath, MAIN];
  let backups = 0;
  while (!stop.aborted) {
    // Another name each time, as one that is cut short leaves its unfinished file.
    const file = join(folder, `backup-${process.pid}-${backups}.db`);
    const running = run(command, [...first, 'backup', file], { cwd: folder, env, signal: stop });
    if (running.child.pid !== undefined) lowerProcessPriority(running.child.pid);
    await running.then(
      () => {
        backups += 1;
      },
      (error) => {
        if (!stop.aborted) throw error;
      },
    );
    rmSync(file, { force: true });
  }
  return { backups };
}
