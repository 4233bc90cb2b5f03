import type { Config } from '../config.ts';
import { forbidden } from '../kernel/errors.ts';
import type { RequestContext } from './request-context.ts';

/** What a browser says of where a request comes from. */
type Source = Pick<RequestContext, 'fetchSite' | 'origin' | 'ownOrigin'>;

/**
 * Throws 403 unless the request proves to come from a page of this server: by `Sec-Fetch-Site`, else by an `Origin` that
 * is the public address's or the one the request was sent to.
 */
export function requireSameOrigin({ config }: { config: Config }, source: Source): void {
  if (!isSameOrigin(source, new URL(config.server.public_url).origin)) {
    throw forbidden('With a cookie, this can only be asked from a page of this server itself');
  }
}

function isSameOrigin({ fetchSite, origin, ownOrigin }: Source, publicOrigin: string): boolean {
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  return origin !== undefined && (origin === publicOrigin || origin === ownOrigin);
}

/**
 * Throws 403 where a browser would drop the cookie: on plain http, of a server whose public address is https. Without
 * https, only a page of localhost has `Sec-Fetch-Site`, and that keeps it.
 */
export function requireKeptCookie({ config }: { config: Config }, { fetchSite, origin }: Source): void {
  const { public_url: publicUrl } = config.server;
  if (fetchSite === undefined && publicUrl.startsWith('https:') && origin?.startsWith('http:')) {
    throw forbidden(`At this address no browser keeps a session: sign in at ${publicUrl}`);
  }
}

/** Throws 403 where the browser says that a page of another site or origin asks. */
export function rejectOtherSites({ fetchSite }: Source): void {
  if (fetchSite === 'cross-site' || fetchSite === 'same-site') {
    throw forbidden('With a cookie, this cannot be asked from other sites');
  }
}
