import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { badRequest } from '../kernel/errors.ts';
import { commonHeaders, errorBody } from './response.ts';

export const NOT_HTTP = 'The request is not valid HTTP';

const NOT_ASCII =
  'The request target has characters beyond ASCII: percent-encode them as UTF-8 (ä is %C3%A4)';

/** What Node lets pass and HTTP forbids (RFC 9112, sections 3.2 and 6.1). */
export function rejectedBefore({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): { status: number; message: string } | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return { status: 400, message: 'Host may be given once only' };
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return { status: 501, message: 'Transfer-Encoding may only be chunked' };
  }
  // A proxy in front that ignores it there would see another request begin within the body.
  if (coding !== undefined && httpVersion === '1.0') return { status: 400, message: NOT_HTTP };
  return undefined;
}

/** The part of a malformed request that Node read last: most often all of its head. */
const packetOf = (error: Error): string =>
  'rawPacket' in error && error.rawPacket instanceof Uint8Array
    ? Buffer.from(error.rawPacket).toString('latin1')
    : '';

export const originIn = (error: Error): string | undefined =>
  /\r\nOrigin:[ \t]*([!-~]+)[ \t]*\r\n/i.exec(packetOf(error))?.[1];

const hasForeignTarget = (error: Error): boolean => /^[A-Z]+ [^\r\n ]*[\x80-\xff]/.test(packetOf(error));

/** What Node responds to before the application runs, in the same words as everything else; true when it was said. */
export function rejectBroken(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  cors: Record<string, string>,
): boolean {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return false;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long to arrive']
        : ['400 Bad Request', hasForeignTarget(error) ? NOT_ASCII : NOT_HTTP];
  const { headers, body } = bareError(message, cors);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  return true;
}

/** An error after which the connection closes. */
export function bareError(message: string, cors: Record<string, string>) {
  const body = JSON.stringify(errorBody(badRequest(message)));
  const headers = {
    ...commonHeaders(randomUUID()),
    ...cors,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return { headers, body };
}
