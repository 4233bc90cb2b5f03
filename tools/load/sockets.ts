/** Holds many connections open that never finish a request: half of them silent, half a byte at a time. */
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { underOrders } from './apart.ts';
import { atPace } from './pace.ts';

export interface Sockets {
  port: number;
  count: number;
}

export interface Held {
  /** How many were open on average. */
  open: number;
  /** How often the server closed one, which was opened again at once. */
  closed: number;
}

const SLOW_HEAD = Buffer.from(`GET /api/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${'a'.repeat(1_000)}`);
const BYTE_EVERY_MS = 1_000;
const OPENED_BATCH_SIZE = 5;
const OPENED_EVERY_MS = 1;

/** An address may have 200 connections; on Linux all of 127.0.0.0/8 are this machine's. */
const addressFor = (place: number) => `127.0.1.${1 + (Math.floor(place / 100) % 250)}`;

await underOrders(holdUntil);

async function holdUntil({ port, count }: Sockets, stop: AbortSignal): Promise<Held> {
  const held: Held = { open: 0, closed: 0 };
  const sockets: SlowSocket[] = [];
  const hold = (place: number) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: addressFor(place) });
    const slow = { socket, sent: 0 };
    sockets[place] = slow;
    socket.on('error', () => {});
    socket.on('close', () => {
      if (stop.aborted) return;
      held.closed += 1;
      hold(place);
    });
    socket.resume();
  };
  for (let place = 0; place < count; place += 1) {
    hold(place);
    if (place % OPENED_BATCH_SIZE === 0) await wait(OPENED_EVERY_MS);
  }
  let place = 0;
  const talk = () => {
    const slow = sockets[place];
    place = (place + 2) % count;
    if (slow?.socket.writable) slow.socket.write(SLOW_HEAD.subarray(slow.sent, ++slow.sent));
  };
  const seen: number[] = [];
  const looking = setInterval(() => {
    seen.push(sockets.filter(({ socket }) => socket.readyState === 'open').length);
  }, 100);
  await atPace(count / 2 / (BYTE_EVERY_MS / 1_000), stop, talk);
  clearInterval(looking);
  for (const { socket } of sockets) socket.destroy();
  held.open = Math.round(seen.reduce((sum, n) => sum + n, 0) / seen.length);
  return held;
}

interface SlowSocket {
  socket: Socket;
  sent: number;
}
