import { createHash } from 'node:crypto';
import { DAY, SECOND } from '../kernel/instants.ts';
import { pathOf } from './public-path.ts';

/** The longest that browsers keep a cookie; the session's row decides when it ends. */
const MAX_AGE_SECONDS = (400 * DAY) / SECOND;

/** The cookie that holds the secret of a session. */
export interface SessionCookie {
  readonly name: string;
  /** The secret in a `Cookie` header; undefined where there is none, or more than one cookie of that name. */
  read(header: string | undefined): string | undefined;
  /** The `Set-Cookie` header that hands the secret over. */
  set(secret: string): string;
  /** The `Set-Cookie` header that makes the browser drop it. */
  clear(): string;
}

/**
 * The cookie of a server at this public address, which alone decides name, path and `Secure`: servers on other ports or
 * below other paths of the same host have other names, and neither reads nor replaces it.
 */
export function createSessionCookie(publicUrl: string): SessionCookie {
  const { protocol, port } = new URL(publicUrl);
  const path = pathOf(publicUrl);
  const isSecure = protocol === 'https:';
  const prefix = isSecure ? (path === '' ? '__Host-' : '__Secure-') : '';
  const pathTag = path === '' ? '' : `-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
  const name = `${prefix}errand${pathTag}${port === '' ? '' : `-${port}`}`;
  const attributes = `; Path=${path || '/'}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: (header) => {
      // Byte for byte: what browsers would send under another spelling is another cookie.
      const pairs = (header ?? '').split(';').map((pair) => pair.replace(/^ /, ''));
      const [pair, another] = pairs.filter((each) => each.startsWith(`${name}=`));
      return another === undefined ? pair?.slice(name.length + 1) || undefined : undefined;
    },
    set: (secret) => `${name}=${secret}; Max-Age=${MAX_AGE_SECONDS}${attributes}`,
    clear: () => `${name}=; Max-Age=0${attributes}`,
  };
}
