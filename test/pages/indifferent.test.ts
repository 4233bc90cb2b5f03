import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClientBuild } from '../../src/pages/client-build.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const HEADERS: Record<string, string>[] = [
  { host: 'evil.example' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil' },
  { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7;host=evil.example' },
  { cookie: 'errand=x; other=<script>' },
  { 'user-agent': '<script>', referer: 'https://evil.example/', origin: 'https://evil.example' },
  { 'x-original-url': '/evil', 'x-rewrite-url': '/evil' },
  { 'accept-language': 'tr', 'x-http-method-override': 'DELETE' },
];

describe('what is served of the client', () => {
  it('has the same bytes and headers whatever a request says beside its path', async () => {
    const script = Object.keys(openClientBuild()?.files ?? {}).find((name) => name.endsWith('.js'));
    expect(script).toBeDefined();
    for (const path of ['/app/', '/app/today', '/app/sw.js', `/app/${script}`, '/', '/confirm-signup']) {
      const served = async (query: string, headers: Record<string, string>) => {
        const response = await world.app.request(path + query, { headers });
        const told = Object.entries(Object.fromEntries(response.headers)).filter(
          ([name]) => name !== 'x-request-id',
        );
        return [response.status, Object.fromEntries(told), await response.text()];
      };
      const plain = await served('', {});
      for (const headers of HEADERS)
        expect([path, headers, await served('', headers)]).toEqual([path, headers, plain]);
      expect(await served('?x=<script>&next=https://evil.example', {})).toEqual(plain);
    }
  });

  it('varies by the encodings that a request accepts, where it has several forms', async () => {
    const script = Object.keys(openClientBuild()?.files ?? {}).find((name) => name.endsWith('.js'));
    const { headers } = await world.app.request(`/app/${script}`);
    expect(headers.get('vary')).toBe('Accept-Encoding');
  });

  it('is cached only where its name has a hash: nothing of the API is, however its path ends', async () => {
    const { accessToken: token } = await world.signUp();
    for (const path of ['/me/x.css', '/me/workspaces/app.js', '/me?x.css', '/me']) {
      const { headers } = await world.call('GET', path, { token });
      expect(headers.get('cache-control'), path).toBe('no-store');
    }
  });
});
