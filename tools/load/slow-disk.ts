/**
 * Measures the server on a disk whose every sync takes longer:
 *   npm run load:disk [-- --delay 10 --seconds 3 --rounds 3 --only commit,beside,auto --folder …]
 * Reads alone and beside writers, and creates alone, with each value of `database.sync` in turns; each connection sends
 * its next request when it has the response to the last one. `--delay` is in milliseconds; 0 measures the disk as it is.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bytesOf, type Load, load } from '../bench/load.ts';
import { signUp } from '../faults/person.ts';
import { call, createMailbox, startServer } from '../faults/server.ts';
import { medianOf } from '../median.ts';
import { slowSync } from './slow-sync.ts';

const READERS = 2;
const WRITERS = [1, 32, 128];

const { values } = parseArgs({
  options: {
    delay: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'commit,beside,auto' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const seconds = Number(values.seconds);
const settings = values.only.split(',');

/** What one life of a server reached: by name, a number a second or milliseconds. */
type Figures = Map<string, number>;

async function measure(sync: string): Promise<Figures> {
  const folder = mkdtempSync(join(values.folder, 'errand-slow-disk-'));
  const mailbox = createMailbox();
  const slow = slowSync(folder, Number(values.delay));
  tell(`each sync takes ${values.delay} ms longer, ${slow.how}`);
  const server = startServer(folder, mailbox, slow.through, { ...slow.settings, ERRAND_DATABASE_SYNC: sync });
  try {
    const base = await server.listening;
    const { access: token, workspaceId, listId } = await signUp(base, mailbox);
    const { port, pathname } = new URL(`${base}/workspaces/${workspaceId}/tasks`);
    const made = await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, {
      token,
      body: { title: 'Read me', listId },
    });
    const read = bytesOf({ method: 'GET', path: `${pathname}/${made?.body.id}` }, token);
    const create = bytesOf(
      { method: 'POST', path: pathname, body: { title: 'A task of some words', listId } },
      token,
    );
    const sending = (connections: number, status: 200 | 201, bytes: Buffer): Promise<Load> =>
      load({
        port: Number(port),
        connections,
        seconds,
        atMost: Number.POSITIVE_INFINITY,
        status,
        next: () => bytes,
      });
    const reads = () => sending(READERS, 200, read);
    const creates = (writers: number) => sending(writers, 201, create);
    const perSecond = ({ served, seconds: took }: Load) => served / took;
    const figures: Figures = new Map();

    await Promise.all([reads(), creates(32)]);
    const alone = perSecond(await reads());
    figures.set('reads alone, a second', alone);
    for (const writers of WRITERS) {
      const [told, written] = await Promise.all([reads(), creates(writers)]);
      figures.set(`beside ${writers}: reads, of alone`, perSecond(told) / alone);
      figures.set(`beside ${writers}: reads, p99 ms`, told.p99);
      figures.set(`beside ${writers}: creates a second`, perSecond(written));
      figures.set(`beside ${writers}: creates, p99 ms`, written.p99);
    }
    for (const writers of WRITERS) {
      const before = slow.count();
      const written = await creates(writers);
      figures.set(`alone ${writers}: creates a second`, perSecond(written));
      figures.set(`alone ${writers}: creates, p99 ms`, written.p99);
      const after = slow.count();
      if (before !== undefined && after !== undefined) {
        figures.set(`alone ${writers}: syncs a second`, (after - before) / written.seconds);
      }
    }
    return figures;
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Says it once. */
const tell = (text: string) => {
  if (said !== text) console.log(text);
  said = text;
};
let said = '';

const rounds = new Map<string, Figures[]>(settings.map((sync) => [sync, []]));
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [sync, measured] of rounds) measured.push(await measure(sync));
}
const names = [...(rounds.values().next().value?.[0]?.keys() ?? [])];
const cell = (text: string) => text.padStart(10);
console.log(`the middle of ${values.rounds} rounds`.padEnd(32) + settings.map(cell).join(''));
for (const name of names) {
  const figures = [...rounds.values()].map((measured) =>
    medianOf(measured.map((each) => each.get(name) ?? 0)),
  );
  console.log(name.padEnd(32) + figures.map((n) => cell(n.toFixed(n < 100 ? 2 : 0))).join(''));
}
