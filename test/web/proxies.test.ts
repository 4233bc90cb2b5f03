import { expect, it } from 'vitest';
import { Api, outcomeOf } from '../../src/web/data/api.ts';

const html = '<!doctype html><title>Sign in to the network</title>';
/** What a proxy or a portal says in place of the server. */
const SAID: [string, () => Response][] = [
  ['a page with 200', () => new Response(html, { headers: { 'Content-Type': 'text/html' } })],
  ['an empty 204', () => new Response(null, { status: 204 })],
  ['JSON that is not of Errand', () => Response.json({ items: [], cursor: 'x', hasMore: false })],
  [
    'an error of another program',
    () => Response.json({ error: 'Forbidden', message: 'No' }, { status: 403 }),
  ],
  ['401 with a page', () => new Response(html, { status: 401 })],
  ['a page below our own header', () => new Response(html, { headers: { 'X-Request-Id': 'x' } })],
  [
    'an error page below our own header',
    () => new Response(html, { status: 502, headers: { 'X-Request-Id': 'x' } }),
  ],
  ['a redirect, which rejects', () => Promise.reject(new TypeError('redirected')) as never],
];

it.each(SAID)(
  'the client takes %s for no network: nothing is data, and nothing was done',
  async (_what, say) => {
    const inits: RequestInit[] = [];
    const fetch = (_url: string, init: RequestInit) => {
      inits.push(init);
      return say();
    };
    const world = { after: () => () => {} };
    const api = new Api({ fetch, base: '/api', clientId: 'tab', userId: 'ada', world });
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await api.request(method, 'workspaces/w/changes')).toEqual({ kind: 'network' });
    expect(inits.every(({ redirect, cache }) => redirect === 'error' && cache === 'no-store')).toBe(true);
  },
);

it('a request that a proxy finds too large is told so, and is not sent for ever', async () => {
  const fetch = () => new Response('<h1>413 Request Entity Too Large</h1>', { status: 413 });
  const world = { after: () => () => {} };
  const api = new Api({ fetch, base: '/api', clientId: 'tab', userId: 'ada', world });
  expect(await api.request('POST', 'tasks/batch', {})).toMatchObject({ kind: 'error', status: 413 });
});

it('an error of Errand is known by its kind where a proxy removes our header', async () => {
  const error = { error: 'NotFoundError', message: 'No such task' };
  const fetch = () => Response.json(error, { status: 404 });
  const world = { after: () => () => {} };
  const api = new Api({ fetch, base: '/api', clientId: 'tab', userId: 'ada', world });
  expect(await api.request('PATCH', 'tasks/t', {})).toMatchObject({ kind: 'error', status: 404, ...error });
});

it.each(['before it responds', 'in the middle of its response'])(
  'a server that hangs %s counts as no network once the time limit is over',
  async (moment) => {
    let expire = () => {};
    let isCancelled = false;
    const after = (_ms: number, callback: () => void) => {
      expire = callback;
      return () => {
        isCancelled = true;
      };
    };
    const hang = (signal: AbortSignal) => {
      const never = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
      if (moment === 'before it responds') return never;
      const body = new ReadableStream({ pull: () => never });
      return Promise.resolve(new Response(body, { headers: { 'X-Request-Id': 'x' } }));
    };
    const asked = outcomeOf(hang, after);
    expire();
    expect(await asked).toEqual({ kind: 'network' });
    expect(isCancelled).toBe(true);
  },
);
