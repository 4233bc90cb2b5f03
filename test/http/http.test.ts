import { describe, expect, it } from 'vitest';
import { routes } from '../../src/routes.ts';
import { ada, useAda, world } from '../ada.ts';
import { openWorld, type World } from '../world.ts';

useAda();
const JSON_TYPE = { 'Content-Type': 'application/json' };
const login = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
  world.call('POST', '/auth/login', { body, headers });

describe('every response', () => {
  it('has the same headers, rejections and unknown paths included', async () => {
    const responses = [
      await world.call('GET', '//healthz'),
      await world.call('GET', '/me', { token: ada.accessToken }),
      await world.call('GET', '/me'),
      await world.call('GET', '/nothing'),
      await world.call('GET', '//nothing'),
      await world.call('PUT', '/me'),
      await world.call('GET', '/openapi.json'),
      await login('{'),
      await login('{}', { 'Content-Type': 'text/plain' }),
      await login({ email: 'a@example.com', password: 'x'.repeat(20_000) }),
      await world.call('POST', '/auth/logout', { token: ada.accessToken, body: { refreshToken: 'unknown' } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([
      200, 200, 401, 404, 404, 405, 200, 400, 415, 413, 204,
    ]);
    for (const { headers, status } of responses) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('server')).toBeNull();
      expect(headers.get('content-type')).toBe(status === 204 ? null : 'application/json; charset=utf-8');
    }
  });

  it('has an id of our own making, whatever the client sends, which the log knows too', async () => {
    const { headers } = await world.call('GET', '/me', { headers: { 'X-Request-Id': 'of-a-client' } });
    const id = headers.get('x-request-id');
    expect(id).not.toBe('of-a-client');
    expect(world.log.filter((line) => JSON.parse(line).requestId === id)).toHaveLength(1);
    expect(world.log.join('')).not.toContain('of-a-client');
  });

  it('to a rejection names its kind and speaks to people', async () => {
    const { status, body } = await world.call('GET', '/nothing');
    expect([status, body]).toEqual([404, { error: 'NotFoundError', message: expect.any(String) }]);
    const method = await world.call('DELETE', '/auth/login');
    expect([method.status, method.body.error, method.headers.get('allow')]).toEqual([
      405,
      'MethodNotAllowedError',
      'POST',
    ]);
    expect((await world.call('PUT', '/me')).headers.get('allow')).toBe('GET, HEAD, PATCH');
  });

  it('to an unforeseen error is a 500 that says nothing of it', async () => {
    const broken = await openWorld({
      passwords: { ...world.deps.signIn.passwords, verify: () => Promise.reject(new Error('/secret/path')) },
    });
    const { status, body } = await broken.call('POST', '/auth/login', {
      body: { email: 'a@example.com', password: 'password1' },
    });
    expect([status, body]).toEqual([
      500,
      { error: 'InternalServerError', message: 'Something went wrong on our side' },
    ]);
  });
});

describe('paging', () => {
  const page = (parameters: string) =>
    world.call('GET', `/me/workspaces?${parameters}`, { token: ada.accessToken });

  it('clamps limit, starts at 1, and returns the true total past the end', async () => {
    expect((await page('')).body).toMatchObject({ page: 1, limit: 50, total: 1 });
    expect((await page('limit=1000000')).body).toMatchObject({ limit: 100 });
    expect((await page('page=7&limit=3')).body).toMatchObject({ page: 7, limit: 3, total: 1, items: [] });
    expect((await page('page=9007199254740993&limit=100')).status).toBe(200);
  });

  it('rejects whatever is not a plain decimal integer from 1', async () => {
    for (const value of ['0', '-1', '1.0', '0x10', '1e3', '%205', '', '1_0', '٣', 'NaN', '%00']) {
      for (const name of ['page', 'limit']) {
        const { status, body } = await page(`${name}=${value}`);
        expect([status, body.error], value).toEqual([400, 'ValidationError']);
        expect(body.issues[0].path).toBe(name);
      }
    }
    expect((await page('page=0&limit=0')).body.issues.length).toBe(2);
    expect((await page('page=1&page=2')).body.issues[0].path).toBe('page');
    expect((await page('other=1&other=2')).status).toBe(200);
    expect((await page('page=%ff')).status).toBe(400);
  });
});

describe('a query', () => {
  const ask = (path: string) => world.call('GET', path, { token: ada.accessToken });

  it('must be percent-encoded UTF-8, also where nobody looks', async () => {
    for (const value of ['%ff', '%zz', '%c0%80', '%ed%a0%80', '%']) {
      const { status, body } = await ask(`/me/workspaces?page=1&other=${value}`);
      expect([status, body.error], value).toEqual([400, 'BadRequestError']);
    }
    expect((await ask('/me/workspaces?page=1&other=%C3%A4+%25?%F0%9F%90%9A')).status).toBe(200);
  });

  it('has plain text only', async () => {
    const { id } = (await ask('/me/workspaces')).body.items[0];
    for (const [q, issues] of [
      ['milk', undefined],
      ['milk%00', [{ path: 'q', message: 'Must be plain text' }]],
    ])
      expect((await ask(`/workspaces/${id}/tasks/search?q=${q}`)).body.issues).toEqual(issues);
  });
});

describe('paths', () => {
  it('are taken to the letter', async () => {
    for (const path of ['/me/', '/ME', '/%2e%2e/me', '/me;x', '/me%2Fsessions']) {
      expect((await world.call('GET', path, { token: ada.accessToken })).status, path).toBe(404);
    }
    expect((await world.call('DELETE', '/me/sessions/%00', { token: ada.accessToken })).status).toBe(404);
    expect((await world.call('DELETE', '/me/sessions/a%2Fb', { token: ada.accessToken })).status).toBe(404);
    expect((await world.call('DELETE', '/me/sessions/%zz', { token: ada.accessToken })).status).toBe(404);
  });

  it('lie under the configured base path', async () => {
    for (const [base, prefix] of [
      ['/', ''],
      ['/a/b', '/a/b'],
      ['/api/', '/api'],
    ]) {
      const other = await openWorld({ settings: { server: { base_path: base } } });
      expect((await other.app.request(`${prefix}/me`)).status).toBe(401);
      expect((await other.app.request('/healthz')).status).toBe(200);
      expect((await other.app.request('/other/me')).status).toBe(404);
      await other.close();
    }
  });
});

describe('health', () => {
  it('is told at the root, readiness only while the database takes writes', async () => {
    expect((await world.call('GET', '//healthz')).body).toEqual({ status: 'ok' });
    expect((await world.call('GET', '//readyz')).body).toEqual({ status: 'ready' });
    world.opened.storage.writing.pragma('query_only = on');
    expect((await world.call('GET', '//readyz')).status).toBe(200);
    world.clock.advance(5_000);
    const { status, body } = await world.call('GET', '//readyz');
    expect([status, body]).toEqual([503, { error: 'ServiceUnavailableError', message: 'Not ready' }]);
    world.opened.storage.writing.pragma('query_only = off');
    world.clock.advance(5_000);
    expect((await world.call('GET', '//readyz')).status).toBe(200);
    world.opened.beginStop();
    expect((await world.call('GET', '//readyz')).status).toBe(503);
  });

  it('is not ready once another program has migrated the database', async () => {
    expect((await world.call('GET', '//readyz')).status).toBe(200);
    world.run(`insert into kysely_migration (name, timestamp) values ('9999_of_tomorrow', '')`);
    world.clock.advance(5_000);
    expect((await world.call('GET', '//readyz')).status).toBe(503);
  });
});

describe('the OpenAPI description', () => {
  it('is version 3.1 and has every mounted route', async () => {
    const { body } = await world.call('GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    for (const { method, path } of routes) expect(body.paths[path]?.[method], path).toBeDefined();
  });
});

describe('HEAD', () => {
  it('responds as GET does, without the body, and is rejected where there is no GET', async () => {
    const ask = (method: string, path: string) =>
      world.app.request(path, { method, headers: { Authorization: `Bearer ${ada.accessToken}` } });
    for (const path of ['/api/me', '/healthz', '/', '/api/openapi.json', '/api/nothing']) {
      const [head, get] = [await ask('HEAD', path), await ask('GET', path)];
      expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
      const names = (response: Response) => [...response.headers.keys()];
      expect(names(head)).toEqual(names(get));
    }
    expect((await ask('HEAD', '/api/auth/login')).status).toBe(405);
    expect((await world.app.request('/api/me', { method: 'HEAD' })).status).toBe(401);
  });

  it('responds as GET does through everything that stands before the routes', async () => {
    const settings = {
      server: { cors_origins: ['https://app.example'] },
      metrics: { enabled: true },
      log: { level: 'debug' },
    };
    const full = await openWorld({ settings });
    const bob = await full.signUp();
    const headers = { Authorization: `Bearer ${bob.accessToken}`, Origin: 'https://app.example' };
    const ask = (method: string, path: string) => full.app.request(path, { method, headers });
    const { body: workspaces } = await full.call('GET', '/me/workspaces', { token: bob.accessToken });
    const workspaceId = workspaces.items[0].id;
    const paths = routes
      .filter(({ method }) => method === 'get')
      .map(
        ({ path }) =>
          `/api${path.replace('{workspace_id}', workspaceId).replaceAll(/\{\w+\}/g, crypto.randomUUID())}`,
      );
    for (const path of [
      ...paths,
      '/healthz',
      '/metrics',
      '/',
      '/api/docs',
      '/api/openapi.json',
      '/nothing',
    ]) {
      const [head, get] = [await ask('HEAD', path), await ask('GET', path)];
      expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
      const names = (response: Response) =>
        [...response.headers.keys()].filter((name) => name !== 'content-length');
      expect([path, names(head)]).toEqual([path, names(get)]);
      await get.body?.cancel();
    }
  });
});

describe('OPTIONS', () => {
  it.each([[[]], [['https://app.example']]])(
    'tells what a path takes, with the origins %j',
    async (origins) => {
      const asked = await openWorld({ settings: { server: { cors_origins: origins } } });
      const allowed = async (path: string, headers = {}) => {
        const response = await asked.app.request(path, { method: 'OPTIONS', headers });
        return [response.status, response.headers.get('allow')];
      };
      const tasks = `/api/workspaces/${crypto.randomUUID()}/tasks`;
      for (const headers of [{}, { Origin: 'https://app.example' }]) {
        expect(await allowed('/api/me', headers)).toEqual([204, 'GET, HEAD, PATCH']);
        expect(await allowed('/api/auth/login', headers)).toEqual([204, 'POST']);
        expect(await allowed('/healthz', headers)).toEqual([204, 'GET, HEAD']);
        expect(await allowed(`${tasks}/query`, headers)).toEqual([204, 'GET, HEAD']);
        expect(await allowed(`${tasks}/${crypto.randomUUID()}`, headers)).toEqual([
          204,
          'DELETE, GET, HEAD, PATCH',
        ]);
        expect(await allowed('/api/nothing', headers)).toEqual([404, null]);
      }
    },
  );
});

describe('a path without variables', () => {
  it('takes none of the methods of its sibling with a variable', async () => {
    const isSibling = (path: string, other: string) =>
      path !== other && new RegExp(`^${other.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
    const literal = routes.filter(({ path }) => routes.some((other) => isSibling(path, other.path)));
    expect(literal.map(({ path }) => path.split('/').slice(-2).join('/'))).toEqual(
      expect.arrayContaining([
        'tasks/query',
        'tasks/search',
        'recurring-tasks/preview',
        'notifications/read-all',
      ]),
    );
    for (const { path } of literal) {
      const taken = routes.filter((other) => other.path === path).map(({ method }) => method);
      const allow = [...taken, ...(taken.includes('get') ? ['head'] : [])].map((method) =>
        method.toUpperCase(),
      );
      for (const method of ['get', 'post', 'patch', 'delete', 'put'] as const) {
        if (taken.some((known) => known === method)) continue;
        const target = path.replaceAll(/\{\w+\}/g, crypto.randomUUID());
        const { status, headers } = await world.app.request(`/api${target}`, {
          method: method.toUpperCase(),
          headers: { Authorization: `Bearer ${ada.accessToken}` },
        });
        expect([path, method, status, headers.get('allow')]).toEqual([
          path,
          method,
          405,
          allow.sort().join(', '),
        ]);
      }
    }
  });
});

describe('a method that nobody asked for', () => {
  it('is rejected on every path, and no header stands in for one', async () => {
    for (const { path } of routes) {
      const target = path.replaceAll(/\{\w+\}/g, crypto.randomUUID());
      for (const method of ['PUT', 'PROPFIND', 'QUERY']) {
        const { status, body, headers } = await world.call(method, target, { token: ada.accessToken });
        expect([path, method, status, body.error]).toEqual([path, method, 405, 'MethodNotAllowedError']);
        expect(headers.get('allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
      }
    }
    const { status } = await world.call('POST', '/me', {
      token: ada.accessToken,
      headers: { 'X-HTTP-Method-Override': 'PATCH', 'X-Method-Override': 'PATCH' },
    });
    expect(status).toBe(405);
  });
});

describe('CORS', () => {
  it('is off by default and never reflects an origin that is not on the list', async () => {
    const ask = (target: World, origin: string, method = 'GET') =>
      target.call(method, '/me', {
        token: ada.accessToken,
        headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
      });
    expect((await ask(world, 'https://app.example')).headers.get('access-control-allow-origin')).toBeNull();
    const listed = await openWorld({ settings: { server: { cors_origins: ['https://app.example'] } } });
    const allowed = await ask(listed, 'https://app.example');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    expect(allowed.headers.get('vary')).toMatch(/origin/i);
    for (const origin of [
      'https://evil.example',
      'null',
      'https://app.example.evil',
      'https://sub.app.example',
      'http://app.example',
    ]) {
      expect((await ask(listed, origin)).headers.get('access-control-allow-origin')).toBeNull();
    }
    const preflight = await ask(listed, 'https://app.example', 'OPTIONS');
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      expect.stringContaining('PATCH'),
    ]);
    expect(preflight.headers.get('x-content-type-options')).toBe('nosniff');
    for (const path of ['/nothing', '/me', '/auth/login']) {
      const { status, headers } = await listed.call('PUT', path, {
        headers: { Origin: 'https://app.example' },
      });
      expect([status > 400, headers.get('access-control-allow-origin')]).toEqual([
        true,
        'https://app.example',
      ]);
    }
  });

  it('lets scripts read the headers they need', async () => {
    const listed = await openWorld({ settings: { server: { cors_origins: ['https://app.example'] } } });
    const { headers } = await listed.call('GET', '/me', { headers: { Origin: 'https://app.example' } });
    expect(headers.get('access-control-expose-headers')?.split(/, ?/).sort()).toEqual([
      'Content-Disposition',
      'ETag',
      'Location',
      'Retry-After',
      'X-Request-Id',
    ]);
  });
});
