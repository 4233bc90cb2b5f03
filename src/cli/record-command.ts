import { type Act, insertAct } from '../audit/trail.ts';
import type { Config } from '../config.ts';
import { connectionDb } from '../db/connection.ts';
import { openStorage } from '../db/open.ts';
import { systemClock } from '../kernel/clock.ts';
import { failureOf } from './failures.ts';
import type { Shell } from './shell.ts';

/** Records in the audit trail what a command has done outside the database. Warns where that fails: it is done. */
export function recordCommand(shell: Shell, { database }: Config, act: Act): void {
  try {
    using storage = openStorage({ ...database, create: false });
    insertAct(connectionDb(storage.writing), { source: 'command', act }, systemClock.now());
  } catch (error) {
    shell.say(
      `errand: warning: this could not be recorded in the audit trail: ${failureOf(error).message}\n`,
    );
  }
}
