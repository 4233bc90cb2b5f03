/**
 * Measures the server on a disk whose every sync takes longer:
 *   npm run load:disk [-- --delay 10 --seconds 4 --setting ERRAND_…=…]
 * Reads alone and beside writers, and creates alone; each connection sends its next request after the last
 * response. `--delay` is in milliseconds, by strace; 0 measures the disk as it is. Needs Linux, and strace for a delay.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inWords, share } from '../faults/latency.ts';
import { signUp } from '../faults/person.ts';
import { call, createMailbox, startServer } from '../faults/server.ts';

const READERS = 2;
const WARM_UP_MS = 1_000;

const { values } = parseArgs({
  options: {
    delay: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '4' },
    setting: { type: 'string', multiple: true, default: [] },
  },
});
const delayMs = Number(values.delay);
const milliseconds = Number(values.seconds) * 1_000;

/** The words before a command each of whose syncs is to take longer. */
const slowed = (): string[] =>
  delayMs === 0
    ? []
    : ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null'].concat(
        '-e',
        `inject=fsync,fdatasync:delay_exit=${delayMs * 1_000}`,
      );

/** Sends requests over that many connections until `end`; returns how long each took, ascending. */
async function load(
  connections: number,
  end: number,
  ask: (agent: Agent) => Promise<void>,
): Promise<number[]> {
  const took: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const work = async () => {
    while (performance.now() < end) {
      const asked = performance.now();
      await ask(agent);
      took.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  return took.sort((a, b) => a - b);
}

const folder = mkdtempSync(join(tmpdir(), 'errand-slow-disk-'));
const mailbox = createMailbox();
const settings = Object.fromEntries(values.setting.map((setting) => setting.split(/=(.*)/s).slice(0, 2)));
const server = startServer(folder, mailbox, slowed(), settings);
try {
  const base = await server.listening;
  const { access: token, workspaceId, listId } = await signUp(base, mailbox);
  const tasks = `/workspaces/${workspaceId}/tasks`;
  const made = await call(base, 'POST', tasks, { token, body: { title: 'Read me', listId } });

  const ask = (method: string, path: string, status: number, body?: string) => (agent: Agent) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        }),
      };
      const sent = request(base + path, { method, agent, headers }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === status) resolve();
          else reject(new Error(`${method} ${path}: ${response.statusCode}`));
        });
      });
      sent.once('error', reject).end(body);
    });
  const read = ask('GET', `${tasks}/${made?.body.id}`, 200);
  const create = ask('POST', tasks, 201, JSON.stringify({ title: 'A task of some words', listId }));

  const perSecond = (took: readonly number[]) => took.length / (milliseconds / 1_000);
  const during = async (readers: number, writers: number) => {
    const end = performance.now() + milliseconds;
    const [reads, creates] = await Promise.all([load(readers, end, read), load(writers, end, create)]);
    return { reads, creates };
  };
  await load(READERS, performance.now() + WARM_UP_MS, read);
  await load(32, performance.now() + WARM_UP_MS, create);

  console.log(`each sync takes ${delayMs} ms longer`);
  const alone = perSecond((await during(READERS, 0)).reads);
  console.log(`reads alone, ${READERS} connections: ${alone.toFixed(0)}/s`);
  for (const writers of [1, 32, 128]) {
    const { reads, creates } = await during(READERS, writers);
    const part = (perSecond(reads) / alone).toFixed(2);
    console.log(
      `beside ${writers} writers: reads ${perSecond(reads).toFixed(0)}/s (${part} of alone), ${inWords(reads)}`,
    );
    console.log(`  creates ${perSecond(creates).toFixed(0)}/s, ${inWords(creates)}`);
  }
  for (const writers of [1, 32, 128]) {
    const { creates } = await during(0, writers);
    console.log(
      `creates alone, ${writers} connections: ${perSecond(creates).toFixed(0)}/s, p99 ${share(creates, 0.99).toFixed(1)} ms`,
    );
  }
} finally {
  server.child.kill('SIGTERM');
  await server.ended;
  rmSync(folder, { recursive: true, force: true });
}
