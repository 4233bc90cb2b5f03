import type { Context } from 'hono';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';

/**
 * A response of the bytes of a file, or of the one range of them that a GET asks for; 416 for a range behind its end.
 * Several ranges, and a range on a condition, may get the whole. https://www.rfc-editor.org/rfc/rfc9110#section-14
 */
export function fileResponse(
  context: Context<Environment>,
  bytes: Uint8Array<ArrayBuffer>,
  given: Record<string, string>,
): Response {
  const headers = { ...given, 'Accept-Ranges': 'bytes' };
  const mayBePart = context.req.method === 'GET' && context.req.header('if-range') === undefined;
  const range = mayBePart ? rangeIn(context.req.header('range') ?? '', bytes.length) : undefined;
  if (!range) return new Response(bytes, { headers });
  if (range.from >= range.end) {
    const told = { 'Content-Range': `bytes */${bytes.length}`, 'Content-Length': '0' };
    return new Response(null, { status: 416, headers: { ...commonHeaders(requestIdOf(context)), ...told } });
  }
  const told = { 'Content-Range': `bytes ${range.from}-${range.end - 1}/${bytes.length}` };
  return new Response(bytes.slice(range.from, range.end), { status: 206, headers: { ...headers, ...told } });
}

/** The single range that a header names, empty where the file has nothing of it; undefined for any other header. */
function rangeIn(header: string, length: number): { from: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header.trim()) ?? [];
  if (first === '')
    return last === '' ? undefined : { from: Math.max(0, length - Number(last)), end: length };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { from: Number(first), end: last === '' ? length : Math.min(Number(last) + 1, length) };
}
