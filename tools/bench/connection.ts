import { connect } from 'node:net';

const HEAD_ENDS = Buffer.from('\r\n\r\n');
/** So much of a body is kept, to be shown when it was not expected. */
const SHOWN = 1_000;
/** All connections read into it: else each response would leave 64 kB to a garbage collector that holds up the server. */
const HEARD = Buffer.alloc(65_536);

/** A keep-alive connection that asks for one thing at a time, at less cost than the server has with it. */
export interface Connection {
  /** `served` is told the status, and what of the response came first, once all of it has come. */
  ask(request: Buffer, served: (status: number, start: Buffer) => void): void;
  readonly isOpen: boolean;
  close(): void;
}

/** `failed` is told of a connection that is not made, or ends before its response. */
export function openConnection(
  port: number,
  { opened, failed }: { opened: (connection: Connection) => void; failed: (reason: Error) => void },
): void {
  let isAwaited = true;
  let served: (status: number, start: Buffer) => void = () => {};
  let start: Buffer = Buffer.alloc(0);
  let missing: number | undefined;
  const hear = (chunk: Buffer) => {
    if (missing === undefined) {
      const all = start.length > 0 ? Buffer.concat([start, chunk]) : chunk;
      const ends = all.indexOf(HEAD_ENDS);
      start = Buffer.from(all.subarray(0, ends === -1 ? all.length : ends + SHOWN));
      if (ends === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(start.toString('latin1', 0, ends))?.[1];
      if (length === undefined) {
        socket.destroy(new Error(`A response does not tell its length:\n${start.toString('utf8')}`));
        return;
      }
      missing = Number(length) - (all.length - ends - HEAD_ENDS.length);
    } else missing -= chunk.length;
    if (missing > 0) return;
    const first = start;
    start = Buffer.alloc(0);
    missing = undefined;
    isAwaited = false;
    served(Number(first.toString('latin1', 9, 12)), first);
  };
  const onread = {
    buffer: HEARD,
    callback: (bytes: number) => {
      hear(HEARD.subarray(0, bytes));
      return true;
    },
  };
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
  const end = (reason: Error) => {
    if (isAwaited) failed(reason);
    isAwaited = false;
  };
  socket.on('error', end);
  socket.on('close', () => end(new Error('The server closed a connection')));
  socket.on('connect', () =>
    opened({
      ask: (request, toTell) => {
        isAwaited = true;
        served = toTell;
        socket.write(request);
      },
      get isOpen() {
        return socket.writable && socket.readable;
      },
      close: () => socket.destroy(),
    }),
  );
}
