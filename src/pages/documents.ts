import type { Context } from 'hono';
import type { Deps } from '../deps.ts';
import { isLoopback } from '../http/client-address.ts';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';
import { storedText } from '../http/stored-text.ts';

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

/** What a document knows of the session: `none` where the request that asked for it carries no credential. */
export type KnownSession = 'none' | 'unknown';

/** Responds with a document that says whether anyone can be signed in, so that its script need not ask in vain. */
export function storedDocument(deps: Deps, text: (session: KnownSession) => string | Promise<string>) {
  const stored = { none: storedText(() => text('none')), unknown: storedText(() => text('unknown')) };
  return (context: Context<Environment>, headers: Record<string, string>): Promise<Response> =>
    stored[hasCredential(context, deps) ? 'unknown' : 'none'](context, headers);
}

/** Whether a request comes with what may sign someone in; a proxy may add a header to it. */
const hasCredential = ({ req }: Context<Environment>, { http }: Deps): boolean =>
  http.sessionCookie.read(req.header('cookie')) !== undefined || req.header('authorization') !== undefined;
