import type { Page, Person } from './corpus.ts';
import { type Operation, PATH_PARAMETER } from './operations.ts';

/** A request to a route before it is written down, so that it can still be broken. */
export interface Attempt {
  operation: Operation;
  /** In whose name, or about whom where nobody is signed in. */
  person: Person;
  method: string;
  params: Record<string, string>;
  query: [name: string, value: string][];
  body: Record<string, unknown> | undefined;
  /** Sent in place of `body`. */
  raw?: string | Uint8Array;
  headers: Record<string, string>;
  /** The mailed secret it presents. */
  secret?: { kind: Page | 'code'; value: string; to: string };
}

/** What goes over the wire. */
export interface Sent {
  method: string;
  /** With the query, from the root. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

export function written({ operation, method, params, query, body, raw, headers }: Attempt): Sent {
  const path = operation.path.replaceAll(PATH_PARAMETER, (_all, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const parameters = query.map(([name, value]) => `${encodeURIComponent(name)}=${encoded(value)}`);
  return {
    method,
    target: path + (parameters.length > 0 ? `?${parameters.join('&')}` : ''),
    headers,
    body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
  };
}

/** Half a surrogate pair has no percent encoding; what is sent then is bytes that are no UTF-8. */
const encoded = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : '%ed%a0%80');
