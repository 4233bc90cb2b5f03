/** Exports an account, one time after the other, and throws the document away. */
import { connect } from 'node:net';
import { bytesOf } from '../bench/load.ts';
import { underOrders } from './apart.ts';

export interface Exports {
  port: number;
  token: string;
}

export interface Exported {
  bytes: number;
}

const SUCCESS = 'HTTP/1.1 200 ';
const LAST_CHUNK = '0\r\n\r\n';
/** To read into another one each time would cost as much as the server has with writing it. */
const HEARD = Buffer.alloc(65_536);

await underOrders(exportUntil);

async function exportUntil({ port, token }: Exports, stop: AbortSignal): Promise<Exported> {
  const told: Exported = { bytes: 0 };
  const request = bytesOf({ method: 'GET', path: '/api/account/export' }, token);
  while (!stop.aborted) told.bytes += await read(port, request, stop);
  return told;
}

/** Resolves with how much was read, all of it or what came until the stop; rejects on anything but a whole document. */
function read(port: number, request: Buffer, stop: AbortSignal): Promise<number> {
  let bytes = 0;
  let first = '';
  let last = '';
  const callback = (more: number) => {
    if (bytes === 0) first = HEARD.toString('latin1', 0, SUCCESS.length);
    last = (last + HEARD.toString('latin1', Math.max(0, more - LAST_CHUNK.length), more)).slice(
      -LAST_CHUNK.length,
    );
    bytes += more;
    if (last === LAST_CHUNK) socket.end();
    return true;
  };
  const socket = connect({ host: '127.0.0.1', port, signal: stop, onread: { buffer: HEARD, callback } });
  socket.write(request);
  return new Promise((resolve, reject) => {
    socket.on('error', (error) => !stop.aborted && reject(error));
    socket.on('close', () => {
      if (stop.aborted || (first === SUCCESS && last === LAST_CHUNK)) resolve(bytes);
      else reject(new Error(`An export began with ${first} and ended with ${last}`));
    });
  });
}
