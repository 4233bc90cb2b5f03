import type { Row } from './rows.ts';
import type { World } from './surroundings.ts';

/** `fetch`, or anything of its shape: `app.request` in tests. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

export interface Issue {
  path: string;
  message: string;
}

/** What came of a request. */
export type Outcome<Body = unknown> = { kind: 'ok'; status: number; body: Body } | Failure;

/** `network`: no response, or one that is not Errand's. */
export type Failure = ErrorResponse | { kind: 'network' };

export interface ErrorResponse {
  kind: 'error';
  status: number;
  error: string;
  message: string;
  /** They name fields. */
  issues: Issue[];
  /** In seconds. */
  retryAfter: number;
}

interface ApiOptions {
  fetch: Fetch;
  /** `/api`, or where it is under a sub-path. */
  base: string;
  clientId: string;
  /** Whose session the cookie must be. */
  userId: string;
  world: Pick<World, 'after'>;
}

const TOO_LARGE: ErrorResponse = {
  kind: 'error',
  status: 413,
  error: 'PayloadTooLargeError',
  message: 'It is larger than a proxy before the server allows',
  issues: [],
  retryAfter: 1,
};

const TIMEOUT_MS = 30_000;

/**
 * Awaits a request and reads its response; never rejects. Where the server says nothing for so long, or the response is
 * cut, that counts as no network.
 */
export async function outcomeOf<Body>(
  send: (signal: AbortSignal) => Promise<Response>,
  after: World['after'],
  timeoutMs = TIMEOUT_MS,
): Promise<Outcome<Body>> {
  const abort = new AbortController();
  const cancel = after(timeoutMs, () => abort.abort());
  try {
    return await read<Body>(await send(abort.signal));
  } catch {
    return { kind: 'network' };
  } finally {
    cancel();
  }
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** Speaks to the server by the cookie session. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get clientId(): string {
    return this.#options.clientId;
  }

  /** Sends a request; never rejects. */
  request(method: string, path: string, body?: unknown, ifMatch?: string | null): Promise<Outcome> {
    const { after } = this.#options.world;
    return outcomeOf((signal) => this.open(method, path, body, signal, ifMatch), after);
  }

  /** Reads all pages of a list; returns the outcome of the one that failed, where one does. */
  async readAll<Item>(path: string): Promise<Item[] | Failure> {
    const all: Item[] = [];
    for (let page = 1; ; page++) {
      const outcome = await this.request('GET', `${path}?limit=100&page=${page}`);
      if (outcome.kind !== 'ok') return outcome;
      const { items, total } = outcome.body as { items: Item[]; total: number };
      all.push(...items);
      if (items.length === 0 || all.length >= total) return all;
    }
  }

  /** Opens a response to be read by the caller; rejects where there is none. */
  async open(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    ifMatch?: string | null,
  ): Promise<Response> {
    const { fetch, base, clientId, userId } = this.#options;
    const headers: Record<string, string> = { 'X-Client-Id': clientId };
    if (method !== 'GET') headers['X-User-Id'] = userId;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (ifMatch) headers['If-Match'] = ifMatch;
    return await fetch(`${base}/${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }
}

/** Reads a response; rejects where it is cut. A proxy's page or a captive portal says nothing of what became of a request. */
async function read<Body>(response: Response): Promise<Outcome<Body>> {
  const { status, ok, headers } = response;
  const isMarked = headers.has('x-request-id');
  if (ok && !isMarked) return { kind: 'network' };
  // A proxy allows less than Errand does, and will allow no more later.
  if (status === 413 && !isMarked) return TOO_LARGE;
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  if (ok) return { kind: 'ok', status, body: body as Body };
  if (!isRow(body) || typeof body.error !== 'string') return { kind: 'network' };
  // Every kind of ours ends so; a proxy may have removed the header.
  if (!isMarked && !body.error.endsWith('Error')) return { kind: 'network' };
  const retryAfter = Number(headers.get('retry-after') ?? 1);
  return {
    kind: 'error',
    status,
    error: body.error,
    message: String(body.message ?? ''),
    issues: Array.isArray(body.issues) ? (body.issues as Issue[]) : [],
    retryAfter: Number.isFinite(retryAfter) ? Math.max(1, retryAfter) : 1,
  };
}
