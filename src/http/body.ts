import { isUtf8 } from 'node:buffer';
import { AppError, badRequest } from '../kernel/errors.ts';

/** Deeper JSON breaks serialisers that recurse; nothing of ours nests more than four levels. */
const MAX_DEPTH = 32;
/** To parse and look at so many takes some 20 ms; the longest batch has fewer. */
const MAX_KEYS = 40_000;
/** Those of keys among them. The longest batch has fewer, and so many empty objects take some 10 ms. */
const MAX_VALUES = 60_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;

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
    throw interrupted(reason);
  });
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8');
  if (bytes.length > MAX_KEYS) requireFewValues(bytes);
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
  try {
    yield* bounded(request.body, maxBytes);
  } catch (reason) {
    throw interrupted(reason);
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** The client went away, or was cut off as too slow: no error of ours, and nobody hears of it. */
const interrupted = (reason: unknown) =>
  reason instanceof AppError ? reason : badRequest('The body did not arrive in full');

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
  return Buffer.concat(await Array.fromAsync(bounded(request.body, maxBytes)));
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

/**
 * Rejects what would take long to parse, before it is parsed. Outside of strings a colon is behind each key and nowhere
 * else; each value but the first of its array or object has a comma before it, and that one the opening of those.
 */
function requireFewValues(json: Buffer): void {
  let keys = 0;
  let values = 1;
  let isInString = false;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (byte === BACKSLASH) i += 1;
    } else if (byte === COLON) keys += 1;
    else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) values += 1;
    if (keys > MAX_KEYS) throw badRequest(`The body may have at most ${MAX_KEYS} keys`);
    if (values > MAX_VALUES) throw badRequest(`The body may have at most ${MAX_VALUES} values`);
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
    if (Array.isArray(value)) {
      for (const inner of value) inspect(inner, depth + 1);
      return;
    }
    // Parsed JSON inherits nothing; entries of very many keys take three times as long to make.
    const object = value as Record<string, unknown>;
    for (const key in object) {
      inspect(key, depth);
      inspect(object[key], depth + 1);
    }
  }
}
