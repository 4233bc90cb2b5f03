import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';

/** Below it a compressed form saves nothing. */
const MIN_BYTES = 1_024;
/** Half the work of the default level, for a few percent more bytes. */
const LEVEL = 4;

const gzip = promisify(gzipCallback);

/** Responses that hold secrets beside what a client chose, or that never end, go out as they are. */
const NEVER_COMPRESSED = /^\/(auth|me\/tokens|me\/events)(\/|$)/;

/** Whether responses at a path below the base path have a compressed form. */
export const isCompressible = (path: string): boolean => !NEVER_COMPRESSED.test(path);

/** Whether an `Accept-Encoding` takes a coding: by either of its names, or by `*`, with a weight above 0 (RFC 9110, section 12.5.3). */
export function takesCoding(header: string | undefined, coding: string): boolean {
  const weights = new Map(parseAccept(header ?? '').map(({ type, q }) => [type.toLowerCase(), q]));
  return (weights.get(coding) ?? weights.get(`x-${coding}`) ?? weights.get('*') ?? 0) > 0;
}

export const acceptsGzip = (header: string | undefined): boolean => takesCoding(header, 'gzip');

/** Whether a body is long enough for a gzip form. */
export const hasShortForm = (body: string | Uint8Array): boolean =>
  body.length > MIN_BYTES || Buffer.byteLength(body) > MIN_BYTES;

/** The gzip form of a body, made off the event loop; undefined where the body is too short for one. */
export async function gzipped(body: string | Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return hasShortForm(body) ? gzip(body, { level: LEVEL }) : undefined;
}

/** A response that is streamed, compressed on its way. */
export function gzippedStream(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.delete('Content-Length');
  headers.set('Content-Encoding', 'gzip');
  return new Response(response.body?.pipeThrough(new CompressionStream('gzip')), {
    status: response.status,
    headers,
  });
}
