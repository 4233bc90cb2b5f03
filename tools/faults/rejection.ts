import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from './drill.ts';
import type { ServerProcess } from './server.ts';

/** Expects that a start is rejected: soon, with an exit code, in words for an operator that hold `saying`. */
export async function rejects(
  site: Site,
  server: ServerProcess,
  when: string,
  saying: RegExp,
): Promise<void> {
  const isRejected = await server.listening.then(
    () => false,
    () => true,
  );
  site.count(`start ${isRejected ? 'rejected' : 'accepted'}`);
  if (!isRejected) {
    site.lose(`${when} was accepted`);
    server.child.kill('SIGKILL');
  }
  await server.ended;
  const said = server.complaints.join('\n');
  if (isRejected && server.child.exitCode !== 1) site.lose(`${when} ended with ${server.child.exitCode}`);
  if (isRejected && !isForOperators(said, saying)) site.lose(`${when} said: ${said}`);
}

/** Words, no stack of calls. */
export const isForOperators = (said: string, saying: RegExp): boolean =>
  saying.test(said) && !/\n\s+at .*:\d+:\d+/.test(said);

/** What the files of a folder are and hold, to be compared; not the lock, which every command takes. */
export const filesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('.lock') && statSync(join(folder, name)).isFile())
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )
    .join('\n');
