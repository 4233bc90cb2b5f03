/** Where this client and the API are, as paths. */
export interface Place {
  /** With a slash at the end: `/work/app/`. */
  app: string;
  /** Without one: `/work/api`. */
  api: string;
}

const APP = '/app/';

/**
 * Finds out where we are. The document names the paths that `public_url` gives; someone who came by the server's own
 * address, without that prefix, stays there.
 */
export function placeOf(named: Place, pathname: string): Place {
  const prefix = named.app.slice(0, -APP.length);
  if (prefix === '' || pathname.startsWith(named.app) || !pathname.startsWith(APP)) return named;
  return { app: APP, api: named.api.slice(prefix.length) };
}
