import { isUtf8 } from 'node:buffer';
import { AppError, badRequest } from '../kernel/errors.ts';

/** Deeper JSON breaks serialisers that recurse; nothing of ours nests more than four levels. */
const MAX_DEPTH = 32;

/**
 * Reads a JSON object, at most `maxBytes` long; a body of no bytes is undefined. Rejects another content type, and
 * malformed JSON or text (bad UTF-8, NUL, lone surrogates), which other layers would silently change. Calls `onWanted`
 * before it reads a body.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  onWanted: () => void,
): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBytes(request, maxBytes, onWanted).catch((reason) => {
    // The client went away, or was cut off as too slow: no error of ours, and nobody hears of it.
    throw reason instanceof AppError ? reason : badRequest(NOT_IN_FULL);
  });
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8');
  const value = parseJson(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('The body must be a JSON object');
  }
  inspect(value, 1);
  return value as Record<string, unknown>;
}

/** True for text that every layer reads alike. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/**
 * The bytes of a JSON body as they come, for a body that is too long to be read in one piece. Errors as of `readBody`,
 * but for what is in it.
 */
export async function* readChunks(
  request: Request,
  maxBytes: number,
  onWanted: () => void,
): AsyncGenerator<Uint8Array> {
  const length = lengthOf(request);
  if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes);
  if (!request.body || length === 0) return;
  requireJson(request.headers);
  onWanted();
  let size = 0;
  try {
    for await (const chunk of request.body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (reason) {
    throw reason instanceof AppError ? reason : badRequest(NOT_IN_FULL);
  }
}

const NOT_IN_FULL = 'The body did not arrive in full';

const tooLarge = (maxBytes: number) =>
  new AppError('PayloadTooLargeError', `The body may have at most ${maxBytes} bytes`);

/** What the headers say of it. */
function lengthOf({ headers }: Request): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

async function readBytes(request: Request, maxBytes: number, onWanted: () => void): Promise<Buffer> {
  const length = lengthOf(request);
  if (length !== undefined) {
    if (length > maxBytes) throw tooLarge(maxBytes);
    if (length === 0) return Buffer.alloc(0);
    onWanted();
    return Buffer.from(await request.arrayBuffer());
  }
  if (!request.body) return Buffer.alloc(0);
  onWanted();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requireJson(headers: Headers): void {
  const unsupported = (message: string) => new AppError('UnsupportedMediaTypeError', message);
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw unsupported('A body must not be compressed');
  const [type, ...parameters] = (headers.get('content-type') ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (type !== 'application/json' || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
    throw unsupported('A body must have Content-Type: application/json');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON');
  }
}

function inspect(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (!isPlainText(value))
      throw badRequest('The body has a string with NUL or half a surrogate pair in it');
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) throw badRequest(`The body is nested deeper than ${MAX_DEPTH} levels`);
    if (!Array.isArray(value)) for (const key of Object.keys(value)) inspect(key, depth);
    for (const inner of Object.values(value)) inspect(inner, depth + 1);
  }
}
