/** Holds many streams of events open, and writes what they tell at a steady rate. */
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { bytesOf } from '../bench/load.ts';
import { underOrders } from './apart.ts';
import { atPace } from './pace.ts';
import { SILENT_MS, STREAMS_OF_USER, type Streamed, type Streams } from './streams-options.ts';

const OPENED_BATCH_SIZE = 10;
/** An address may have 200 connections; on Linux all of 127.0.0.0/8 are this machine's. */
const addressFor = (place: number) => `127.0.2.${1 + Math.floor(place / 100)}`;
const NOTED_AT = /"title":"at (\d+\.?\d*)"/;

await underOrders(streamUntil);

async function streamUntil(options: Streams, stop: AbortSignal): Promise<Streamed> {
  const { port, readers, writesPerSecond, isShared } = options;
  const told: Streamed = { open: 0, writes: 0, failed: 0, events: 0, delays: [] };
  const hear = (text: string) => {
    if (text.startsWith('HTTP/1.1 ')) told.open += text.startsWith('HTTP/1.1 200') ? 1 : 0;
    if (!text.includes('event: change')) return;
    told.events += 1;
    const [, at] = NOTED_AT.exec(text) ?? [];
    if (at !== undefined) told.delays.push(performance.now() - Number(at));
  };
  const began = performance.now();
  const sockets: Socket[] = [];
  for (let place = 0; place < readers.length * STREAMS_OF_USER; place += 1) {
    const { token = '' } = readers[Math.floor(place / STREAMS_OF_USER)] ?? {};
    const socket = connect({ host: '127.0.0.1', port, localAddress: addressFor(place) });
    socket.on('error', () => {});
    socket.on('data', (data) => hear(data.toString('latin1')));
    socket.write(bytesOf({ method: 'GET', path: '/api/me/events' }, token));
    sockets.push(socket);
    if (place % OPENED_BATCH_SIZE === 0) await wait(1);
  }
  await wait(SILENT_MS - (performance.now() - began));
  let turn = 0;
  const write = () => {
    const writer = readers[turn++ % readers.length];
    const place = isShared ? readers[0] : writer;
    if (!writer || !place) return;
    told.writes += 1;
    fetch(`http://127.0.0.1:${port}/api/workspaces/${place.workspaceId}/tasks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${writer.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: `at ${performance.now()}`, listId: place.listId }),
    }).then(
      ({ status }) => {
        if (status !== 201) told.failed += 1;
      },
      () => {
        told.failed += 1;
      },
    );
  };
  await atPace(writesPerSecond, stop, write);
  for (const socket of sockets) socket.destroy();
  return told;
}
