import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { medianOf } from '../median.ts';
import { copyData, type Data, EMAIL, PASSWORD } from './data.ts';
import { bytesOf, load } from './load.ts';
import { startErrand } from './servers.ts';

const EXECUTABLE = new URL('../../dist/errand', import.meta.url).pathname;
const IDLE_MS = 2_000;

/** Sign-ins a second, beside comparisons of a password alone. */
export async function measureSignIns(
  data: Data,
  root: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  const folder = join(root, 'signin');
  copyData(data, folder, 'errand');
  const server = await startErrand(folder, { isSeeded: true });
  const atOnce = Math.max(2, availableParallelism());
  // More than are compared at once, so that one always waits.
  const connections = 4 * atOnce;
  const request = bytesOf(
    { method: 'POST', path: '/api/auth/login', body: { email: EMAIL, password: PASSWORD } },
    server.token,
  );
  const shares: number[] = [];
  const speeds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await comparisons(seconds, atOnce);
    const options = { port: server.port, connections, seconds, status: 200, next: () => request } as const;
    const { served, seconds: took } = await load({ ...options, atMost: Number.POSITIVE_INFINITY });
    speeds.push(served / took);
    shares.push(served / took / alone);
  }
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `\nsignin: ${medianOf(speeds).toFixed(0)} a second at ${connections} connections, ${medianOf(shares).toFixed(2)} of argon2 alone`,
  );
}

/** Passwords compared a second, so many at once. */
export async function comparisons(seconds: number, atOnce: number): Promise<number> {
  const passwords = argon2Passwords();
  const stored = await passwords.hash(PASSWORD);
  const began = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - began < seconds * 1_000) {
      await passwords.verify(stored, PASSWORD);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (done / (performance.now() - began)) * 1_000;
}

/** How soon a server on an empty folder responds, and the memory it holds when idle. */
export async function measureStart(root: string, rounds: number): Promise<void> {
  const folder = join(root, 'start');
  for (const executable of [undefined, ...(existsSync(EXECUTABLE) ? [EXECUTABLE] : [])]) {
    const ready: number[] = [];
    const held: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const server = await startErrand(folder, { isSeeded: false, executable });
      ready.push(server.readyAfter);
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      held.push(server.megabytes() ?? Number.NaN);
      await server.stop();
    }
    const [responds, holds] = [medianOf(ready).toFixed(0), medianOf(held).toFixed(0)];
    console.log(
      `\nstart of ${executable ?? 'the sources'}: responds ${responds} ms after exec on an empty folder (promised: 300), holds ${holds} MB when idle (promised: 150)`,
    );
  }
}
