import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN } from './server.ts';

const run = promisify(execFile);

/**
 * Runs a command of Errand on the data in a folder, through another program where one is given; returns what it
 * printed. Rejects, with what it said, when it failed.
 */
export async function errand(folder: string, args: string[], through: string[] = []): Promise<string> {
  const [program = '', ...words] = [...through, process.execPath, MAIN, ...args];
  const env = { PATH: process.env.PATH, ERRAND_DATABASE_PATH: join(folder, 'errand.db') };
  return (await run(program, words, { cwd: folder, env })).stdout;
}
