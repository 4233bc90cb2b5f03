/** The paths of this client and of the API. */
interface BasePaths {
  /** With a slash at the end: `/work/app/`. */
  app: string;
  /** Without one: `/work/api`. */
  api: string;
}

const APP = '/app/';

/**
 * Returns the paths that are in use. The document names those of `public_url`; someone who came by the server's own
 * address, without that prefix, stays there.
 */
export function basePathsIn(named: BasePaths, pathname: string): BasePaths {
  const prefix = named.app.slice(0, -APP.length);
  if (prefix === '' || pathname.startsWith(named.app) || !pathname.startsWith(APP)) return named;
  return { app: APP, api: named.api.slice(prefix.length) };
}
