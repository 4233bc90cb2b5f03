import { request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { acceptsGzip } from '../../src/http/compression.ts';
import { listen } from '../../src/http/listen.ts';
import { routes } from '../../src/routes.ts';
import { runningExports } from '../../src/users/running-exports.ts';
import { ada, home, openInstead, useHome, world } from '../ada.ts';
import { addTasks } from '../many-tasks.ts';

useHome();
beforeEach(async () => {
  await addTasks(world, home, 60);
});

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  world.app.request(`/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${ada.accessToken}`, ...headers },
  });
const GZIP = { 'Accept-Encoding': 'br, gzip;q=0.8' };
const textOf = async (response: Response) => gunzipSync(await response.arrayBuffer()).toString();
const about = (response: Response) => [
  response.status,
  response.headers.get('content-encoding'),
  response.headers.get('vary'),
];

describe('a response in JSON', () => {
  it('is compressed above 1 KiB where the client accepts gzip, and means the same', async () => {
    const path = `/workspaces/${home}/tasks`;
    const [plain, short] = [await ask(path), await ask(path, GZIP)];
    expect(about(plain)).toEqual([200, null, 'Accept-Encoding']);
    expect(about(short)).toEqual([200, 'gzip', 'Accept-Encoding']);
    expect(short.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await plain.text();
    const bytes = await short.clone().arrayBuffer();
    expect(bytes.byteLength).toBeLessThan(text.length / 4);
    expect(await textOf(short)).toBe(text);
  });

  it('is sent as it is up to 1 KiB', async () => {
    expect(about(await ask('/me', GZIP))).toEqual([200, null, 'Accept-Encoding']);
  });

  it('names both forms on HEAD', async () => {
    expect(about(await ask(`/workspaces/${home}/tasks`, GZIP, 'HEAD'))).toEqual([
      200,
      null,
      'Accept-Encoding',
    ]);
    expect(about(await ask('/account/export', GZIP, 'HEAD'))).toEqual([200, null, 'Accept-Encoding']);
  });

  it('keeps Vary of its origin beside it', async () => {
    await openInstead({ settings: { server: { cors_origins: ['https://app.example.com'] } } });
    const response = await world.app.request('/api/openapi.json', {
      headers: { ...GZIP, Origin: 'https://app.example.com' },
    });
    const vary = (response.headers.get('vary') ?? '').split(', ').sort();
    expect([response.status, vary]).toEqual([200, ['Accept-Encoding', 'Origin']]);
    expect(JSON.parse(await textOf(response)).openapi).toBe('3.1.0');
    const me = await world.app.request('/api/me', { headers: { Origin: 'https://app.example.com' } });
    expect((me.headers.get('vary') ?? '').split(', ').sort()).toEqual(['Accept-Encoding', 'Origin']);
  });

  it('is compressed where it is the document of the API, the export, and an error with many issues', async () => {
    expect(JSON.parse(await textOf(await ask('/openapi.json', GZIP))).openapi).toBe('3.1.0');
    const exported = await ask('/account/export', GZIP);
    expect(about(exported)).toEqual([200, 'gzip', 'Accept-Encoding']);
    expect(exported.headers.get('content-disposition')).toContain('attachment');
    expect(JSON.parse(await textOf(exported)).profile.email).toBe(ada.email);
    expect(runningExports(world.deps).size).toBe(0);
    const statuses = Array.from({ length: 20 }, () => ({ title: '', type: 'x' }));
    const rejected = await world.app.request(`/api/workspaces/${home}/status-templates`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ada.accessToken}`, 'Content-Type': 'application/json', ...GZIP },
      body: JSON.stringify({ title: 'x', statuses }),
    });
    expect(about(rejected)).toEqual([400, 'gzip', 'Accept-Encoding']);
    expect(JSON.parse(await textOf(rejected)).issues.length).toBeGreaterThan(20);
  });

  it('is never compressed on /auth', async () => {
    const { body } = await world.call('POST', '/auth/login', { body: ada, headers: GZIP });
    expect(body.accessToken).toMatch(/^ey/);
    for (const path of ['/auth/login', '/auth/refresh', '/auth/password/reset/confirm']) {
      const rejected = await world.app.request(`/api${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...GZIP },
        body: JSON.stringify({ email: 'x'.repeat(5_000), code: 1, token: 1 }),
      });
      expect(about(rejected)).toEqual([400, null, null]);
    }
    const streams = routes.filter(({ isStream }) => isStream).map(({ path }) => path);
    expect(streams).toEqual(['/me/events']);
    const stream = await ask('/me/events', GZIP);
    expect(about(stream)).toEqual([200, null, null]);
    await stream.body?.cancel();
  });

  it('breaks off, and frees its place, when a client leaves a compressed export', async () => {
    await addTasks(world, home, 5_000);
    const http = await listen(world.app, { host: '127.0.0.1', port: 0 });
    const request = httpRequest({
      port: http.port,
      path: '/api/account/export',
      headers: { Authorization: `Bearer ${ada.accessToken}`, 'Accept-Encoding': 'gzip' },
    });
    await new Promise<void>((resolve) => {
      request.on('error', () => {});
      request.on('response', (response) => {
        expect(response.headers['content-encoding']).toBe('gzip');
        response.on('error', () => {});
        request.destroy();
        resolve();
      });
      request.end();
    });
    await expect.poll(() => runningExports(world.deps).size).toBe(0);
    await http.drain(1_000);
  });
});

describe('a page, or a file that it refers to', () => {
  const PAGES = ['/confirm-signup', '/api/docs', '/app/', '/app/sw.js'];
  const headersOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'content-length'].includes(name)));
  const pathsFrom = async (page: string) => {
    const text = await (await world.app.request(page)).text();
    const files = page.endsWith('.js') ? [] : [...text.matchAll(/(?:href|src)="([^"#]*assets[^"]*)"/g)];
    return [page, ...files.map(([, address = '']) => new URL(address, `http://localhost${page}`).pathname)];
  };

  it.each(PAGES)('comes in the form that the client accepts, with the same content: %s', async (page) => {
    for (const path of await pathsFrom(page)) {
      const plain = await world.app.request(path, { headers: { 'Accept-Encoding': 'identity' } });
      expect([path, ...about(plain)]).toEqual([path, 200, null, 'Accept-Encoding']);
      const content = Buffer.from(await plain.arrayBuffer());
      const forms = { br: brotliDecompressSync, gzip: gunzipSync };
      for (const [encoding, decompress] of Object.entries(forms)) {
        const headers = { 'Accept-Encoding': encoding };
        const response = await world.app.request(path, { headers });
        expect(headersOf(response)).toEqual({ ...headersOf(plain), 'content-encoding': encoding });
        const head = await world.app.request(path, { method: 'HEAD', headers });
        expect([headersOf(head), await head.text()]).toEqual([headersOf(response), '']);
        const bytes = Buffer.from(await response.arrayBuffer());
        expect(bytes.length).toBeLessThan(content.length);
        expect(decompress(bytes).equals(content), path).toBe(true);
      }
    }
  });

  it('has no ETag, and is sent whole whatever the client says that it has', async () => {
    for (const page of PAGES)
      for (const path of await pathsFrom(page)) {
        const response = await world.app.request(path, { headers: { 'If-None-Match': '*' } });
        expect([path, response.status, response.headers.get('etag')]).toEqual([path, 200, null]);
      }
  });
});

it.each([
  ['gzip', true],
  ['GZIP', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
  ['x-gzip', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0, *', false],
  ['br, deflate', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %j takes gzip: %s', (header, takes) => {
  expect(acceptsGzip(header)).toBe(takes);
});

it('a response of any kind is for pages of its own origin', async () => {
  const paths = [
    '/healthz',
    '/readyz',
    '/',
    '/confirm-signup',
    '/nope',
    '/api/docs',
    '/api/openapi.json',
    '/api/me',
  ];
  for (const path of [...paths, '/api/nope', '/app/'])
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) {
      const { headers } = await world.app.request(path, { method });
      expect([path, method, headers.get('cross-origin-resource-policy')]).toEqual([
        path,
        method,
        'same-origin',
      ]);
    }
});

it('a document is alone in its window', async () => {
  for (const path of ['/', '/confirm-signup', '/api/docs', '/app/']) {
    const { headers, status } = await world.app.request(`http://localhost${path}`);
    if (status === 200)
      expect([path, headers.get('cross-origin-opener-policy')]).toEqual([path, 'same-origin']);
  }
});
