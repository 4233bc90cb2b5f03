import { leftUser } from './left-user.ts';

declare global {
  /** Between the script that asks and the client, which are two files. */
  var earlyResponses: Map<string, Promise<Response>> | undefined;
}

const TIMEOUT_MS = 30_000;
/** How many workspaces the first rows come from. */
const MAX_WORKSPACES = 3;

/**
 * Asks the API below this path for what every start asks for: who is signed in, and where this device holds nothing also
 * the ways to sign in and the first rows. Where nobody's session is here, it asks how to sign in alone.
 */
export async function askEarly(api: string, isNobody: boolean): Promise<void> {
  const early = new Map<string, Promise<Response>>();
  globalThis.earlyResponses = early;
  if (leftUser() !== null) return;
  const ask = (path: string): Promise<Response> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = fetch(api + path, {
      headers: { Accept: 'application/json' },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal,
    });
    early.set(path, response);
    // The next one who asks is to send a request of their own.
    response.then(
      ({ ok }) => ok || path === '/me' || early.delete(path),
      () => early.delete(path),
    );
    return response;
  };
  if (isNobody) {
    early.set('/me', Promise.resolve(new Response('{"error":"UnauthorizedError"}', { status: 401 })));
    void ask('/auth/options');
    return;
  }
  void ask('/me');
  try {
    if ((await indexedDB.databases()).some(({ name }) => name?.startsWith('errand-'))) return;
    void ask('/auth/options');
    const response = await ask('/me/workspaces?limit=100&page=1');
    if (!response.ok) return;
    const { items } = (await response.clone().json()) as { items: { id: string }[] };
    for (const { id } of items.slice(0, MAX_WORKSPACES)) void ask(`/workspaces/${id}/changes?limit=100`);
  } catch {
    // The client asks again, and says what is wrong.
  }
}

/** The response to a GET of this path that is on its way or there, once. */
export function takeEarly(path: string): Promise<Response> | undefined {
  const response = globalThis.earlyResponses?.get(path);
  globalThis.earlyResponses?.delete(path);
  return response;
}
