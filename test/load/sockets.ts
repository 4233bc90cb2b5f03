/** Holds many connections open that never finish a request: half of them silent, half a byte at a time. */
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { underOrders } from './apart.ts';

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
/** Few at a time, as each keeps its own beat: so many strangers do not write in one and the same millisecond. */
const OPENED_AT_ONCE = 5;
const OPENED_EVERY_MS = 1;

await underOrders(holdUntil);

async function holdUntil({ port, count }: Sockets, stop: AbortSignal): Promise<Held> {
  setMaxListeners(0, stop);
  let open = 0;
  let closed = 0;
  const hold = (isSlow: boolean) => {
    if (stop.aborted) return;
    const socket = connect({ host: '127.0.0.1', port });
    let sent = 0;
    const say = () => socket.write(SLOW_HEAD.subarray(sent, ++sent));
    const talking = isSlow ? setInterval(say, BYTE_EVERY_MS) : undefined;
    socket.on('connect', () => {
      open += 1;
      socket.on('close', () => {
        open -= 1;
        if (!stop.aborted) closed += 1;
      });
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(talking);
      hold(isSlow);
    });
    socket.resume();
    stop.addEventListener('abort', () => socket.destroy());
  };
  for (let i = 0; i < count; i += 1) {
    hold(i % 2 === 0);
    if (i % OPENED_AT_ONCE === 0) await wait(OPENED_EVERY_MS);
  }
  const seen: number[] = [];
  while (!stop.aborted) {
    seen.push(open);
    await wait(100);
  }
  return { open: Math.round(seen.reduce((sum, n) => sum + n, 0) / seen.length), closed };
}
