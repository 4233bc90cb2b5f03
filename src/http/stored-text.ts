import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'hono';
import { once } from '../kernel/once.ts';
import { takesCoding } from './compression.ts';
import type { Environment } from './request-context.ts';

/** In the order of preference. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The highest of brotli takes two seconds for the reference. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** The best of these forms that a request accepts; undefined: the plain one. */
export const encodingFor = (
  context: Context<Environment>,
  encodings: readonly Encoding[],
): Encoding | undefined =>
  encodings.find((encoding) => takesCoding(context.req.header('accept-encoding'), encoding));

export const formHeaders = (encoding: Encoding | undefined): Record<string, string> => ({
  Vary: 'Accept-Encoding',
  ...(encoding && { 'Content-Encoding': encoding }),
});

/** Responds with a text that is the same for everyone: each form is made once, off the event loop. */
export function storedText(text: () => string | Promise<string>, encodings: readonly Encoding[] = ENCODINGS) {
  const plain = once(async () => new TextEncoder().encode(await text()));
  const forms = {
    br: once(async () => promisify(brotliCompress)(await plain(), BROTLI)),
    gzip: once(async () => promisify(gzip)(await plain())),
  };
  return async (context: Context<Environment>, headers: Record<string, string>): Promise<Response> => {
    const encoding = encodingFor(context, encodings);
    const body = await (encoding ? forms[encoding] : plain)();
    return new Response(body, { headers: { ...headers, ...formHeaders(encoding) } });
  };
}
