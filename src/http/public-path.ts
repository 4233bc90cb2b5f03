import { getPath } from 'hono/utils/url';

/** The path of `public_url`, without a slash at the end: `/work`, or '' at the root. */
export const pathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '');

/**
 * How a request's path is read where `public_url` has a path: with that prefix, which some proxies keep, or without,
 * as others strip it; `own` are the paths that we have something at or under. Undefined at the root, where there is
 * nothing to strip.
 */
export function readPath(
  publicUrl: string,
  own: readonly string[],
): ((request: Request) => string) | undefined {
  const prefix = pathOf(publicUrl);
  if (prefix === '') return undefined;
  const isUnder = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`);
  // Where one of our own paths lies under the prefix, only what follows tells which of the two was meant.
  const isOurs = (path: string) => own.some((parent) => parent !== '' && isUnder(path, parent));
  return (request) => {
    const path = getPath(request);
    if (!isUnder(path, prefix)) return path;
    const rest = path.slice(prefix.length) || '/';
    return isOurs(path) && !isOurs(rest) ? path : rest;
  };
}
