import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const BATCH_SIZE = 100;
const TRICKLE_MS = 1_000;
const GIVEN_UP_MS = 60_000;

export interface Told {
  open: number;
  /** By kind, how many milliseconds after it was opened the last one was closed. */
  latest: Record<string, number>;
}

const HEAD = 'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\n';
/** What each kind of connection says at first, and then a little of again and again. */
const KINDS: Record<string, { first: string; more: string }> = {
  silent: { first: '', more: '' },
  'slow headers': { first: HEAD, more: 'X' },
  'slow body': { first: `${HEAD}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`, more: ' ' },
};

/**
 * A process of its own, so that the healthy client is not held up by it: opens so many connections to a port, tells how
 * many are open, and asked to, once all are closed, how long that took.
 */
const [port, wanted] = process.argv.slice(2).map(Number);
const latest: Record<string, number> = {};
const open = new Map<Socket, string>();

/** An address of this machine may have 200 connections; on Linux all of 127.0.0.0/8 are its own. */
let made = 0;
const nextAddress = () => {
  made += 1;
  return `127.0.1.${1 + (Math.floor(made / 100) % 250)}`;
};

function enter(kind: string): Promise<unknown> {
  const socket = connect({ port: port ?? 0, host: '127.0.0.1', localAddress: nextAddress() }).on(
    'error',
    () => {},
  );
  socket.resume();
  const begun = performance.now();
  const closed = once(socket, 'close');
  socket.once('connect', () => {
    open.set(socket, kind);
    socket.write(KINDS[kind]?.first ?? '');
  });
  socket.once('close', () => {
    open.delete(socket);
    latest[kind] = Math.max(latest[kind] ?? 0, performance.now() - begun);
  });
  return Promise.race([once(socket, 'connect').catch(() => {}), closed]);
}

const kinds = Object.keys(KINDS);
for (let opened = 0; opened < (wanted ?? 0); opened += BATCH_SIZE) {
  const many = Math.min(BATCH_SIZE, (wanted ?? 0) - opened);
  await Promise.all(
    Array.from({ length: many }, (_, i) => enter(kinds[(opened + i) % kinds.length] ?? 'silent')),
  );
}
const trickle = setInterval(() => {
  for (const [socket, kind] of open) if (socket.writable) socket.write(KINDS[kind]?.more ?? '');
}, TRICKLE_MS);
const tell = () => process.send?.({ open: open.size, latest } satisfies Told);
process.once('message', async () => {
  const end = performance.now() + GIVEN_UP_MS;
  while (open.size > 0 && performance.now() < end) await wait(100);
  clearInterval(trickle);
  process.send?.({ open: open.size, latest } satisfies Told, () => process.exit());
});
tell();
