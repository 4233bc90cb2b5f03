import type { Context } from 'hono';
import { isLoopback } from '../http/client-address.ts';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';

/** The headers of a file whose name changes with its content. */
export const keptForGood = (context: Context<Environment>, type: string): Record<string, string> => ({
  ...commonHeaders(requestIdOf(context)),
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Type': type,
});

/** The headers of an HTML document with its content policy; never cached. */
export const documentHeaders = (
  context: Context<Environment>,
  publicUrl: string,
  policy: string,
): Record<string, string> => ({
  ...commonHeaders(requestIdOf(context)),
  'Content-Security-Policy': policy,
  'Content-Type': 'text/html; charset=utf-8',
  ...(isTrustworthy(context, publicUrl) && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
});

/** Whether browsers keep to the opener policy there; elsewhere they complain of it. */
function isTrustworthy(context: Context<Environment>, publicUrl: string): boolean {
  if (publicUrl.startsWith('https:')) return true;
  const { hostname } = new URL(context.req.url);
  return isLoopback(hostname) || hostname.endsWith('.localhost');
}
