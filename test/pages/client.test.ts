import { hash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, createConfig } from '../../src/config.ts';
import { type ClientBuild, openClientBuild } from '../../src/pages/client-build.ts';
import { keepBuild } from '../../src/pages/kept-builds.ts';
import { openInstead, useWorld, world } from '../ada.ts';
import { START, type WorldOptions } from '../world.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "manifest-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types errand";

useWorld();

const reopen = (settings: NonNullable<WorldOptions['settings']>) => openInstead({ settings });
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  world.app.request(path, { method, headers });
/** But for references to parts of the document itself. */
const addressesIn = (html: string) =>
  [...html.matchAll(/\b(?:href|src|data-app|data-api)="([^"#][^"]*|)"/g)].map(([, address = '']) => address);
const build = (): ClientBuild => {
  const opened = openClientBuild();
  if (!opened) throw new Error('The client is not built');
  return opened;
};
const scriptOf = () => Object.keys(build().files).find((path) => /^assets\/main\..*\.js$/.test(path)) ?? '';

describe('the root', () => {
  it('leads to the client', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await get('/', {}, method);
      expect([response.status, response.headers.get('location')]).toEqual([302, '/app/']);
    }
    expect((await get('/app')).headers.get('location')).toBe('/app/');
  });

  it('is a page that says what runs here while the client is switched off', async () => {
    await reopen({ web: { enabled: false } });
    const response = await get('/');
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('This is an Errand server, and it runs');
    for (const path of ['/app', '/app/', '/app/today', `/app/${scriptOf()}`]) {
      expect((await get(path)).status, path).toBe(404);
    }
  });
});

describe('the document', () => {
  const ADDRESSES = ['/app/', '/app/today', '/app/w/1/lists/2', '/app/v1.2/today', '/app/nowhere/at/all'];

  it.each(ADDRESSES)('is served at %s, never cached, with the policy of the client', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'x-request-id': expect.stringMatching(/./),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-errand-build': build().id,
      vary: 'Accept-Encoding',
    });
    expect(await response.text()).toContain('<div id="root">');
  });

  it('comes compressed where that is accepted', async () => {
    const plain = await (await get('/app/today')).text();
    for (const [encoding, decompress] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
      const response = await get('/app/today', { 'Accept-Encoding': encoding });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(decompress(Buffer.from(await response.arrayBuffer())).toString()).toBe(plain);
    }
  });

  it('says that there is no session where the request carries none of this server', async () => {
    const said = async (headers: Record<string, string>) =>
      /data-session="(.*?)"/.exec(await (await get('/app/today', headers)).text())?.[1];
    const { name } = world.deps.http.sessionCookie;
    for (const cookie of ['', `theme=dark; ${name}x=1`, `${name}=`])
      expect(await said({ cookie }), cookie).toBe('none');
    expect(await said({ cookie: `theme=dark; ${name}=dead` })).toBe('unknown');
    expect(await said({ authorization: 'Bearer dead' })).toBe('unknown');
  });

  it('is not served where the last part of the path has a dot', async () => {
    for (const path of ['/app/favicon.ico', '/app/w/1/today.html', '/app/.env', '/app/x.']) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  it('is not served where the path holds more than letters, digits, dashes and single slashes', async () => {
    for (const path of ['%5c', '%00', '%2f', '/x', 'x//y', '__proto__', 'x;y', '%']) {
      const response = await get(`/app/${path}`);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('has no script, style or handler of its own inside, and names files that exist', async () => {
    const html = await (await get('/app/today')).text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:|[{}]/i);
    const files = addressesIn(html).filter((address) => address.startsWith('/app/assets/'));
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const file of files) expect((await get(file)).status, file).toBe(200);
    expect(html).toContain('data-app="/app/"');
    expect(html).toContain('data-api="/api"');
  });

  it('is read by GET and HEAD alone', async () => {
    expect((await get('/app/today', {}, 'HEAD')).status).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await get('/app/today', {}, method);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('promises an opener policy only where browsers trust the origin', async () => {
    const policyAt = async (address: string) =>
      (await get(address)).headers.get('cross-origin-opener-policy');
    expect(await policyAt('http://192.168.1.20:8080/app/')).toBeNull();
    expect(await policyAt('http://192.168.1.20:8080/confirm-signup')).toBeNull();
    expect(await policyAt('http://[::1]:8080/app/')).toBe('same-origin');
    expect(await policyAt('http://127.0.0.1:8080/confirm-signup')).toBe('same-origin');
    await reopen({ server: { public_url: 'https://tasks.example.com' } });
    expect(await policyAt('http://tasks.example.com/app/')).toBe('same-origin');
  });
});

describe('a hashed file', () => {
  it('may be cached for good, and comes plain, in brotli and in gzip with the same content', async () => {
    for (const path of Object.keys(build().files).filter((name) => name.startsWith('assets/'))) {
      const plain = await get(`/app/${path}`);
      expect(plain.status).toBe(200);
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.headers.get('content-type')).toBe(build().files[path]?.type);
      expect(plain.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      const content = Buffer.from(await plain.arrayBuffer());
      const brotli = await get(`/app/${path}`, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
      const gzip = await get(`/app/${path}`, { 'Accept-Encoding': 'gzip' });
      for (const response of [plain, brotli, gzip])
        expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect([brotli, gzip].map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', 'gzip']);
      expect(brotliDecompressSync(await brotli.arrayBuffer()).equals(content), path).toBe(true);
      expect(gunzipSync(await gzip.arrayBuffer()).equals(content), path).toBe(true);
    }
  });

  it('comes in a form that the request accepts', async () => {
    const encodingFor = async (accepted: string) =>
      (await get(`/app/${scriptOf()}`, { 'Accept-Encoding': accepted })).headers.get('content-encoding');
    expect(await encodingFor('br;q=0, gzip')).toBe('gzip');
    expect(await encodingFor('*')).toBe('br');
    expect(await encodingFor('identity')).toBeNull();
    expect(await encodingFor('*;q=0')).toBeNull();
    expect(await encodingFor('gzip;q=0.5, br;q=0.1')).toBe('br');
  });

  it('comes in part where one range of its bytes is asked for', async () => {
    const path = `/app/${scriptOf()}`;
    const whole = Buffer.from(await (await get(path)).arrayBuffer());
    const { length } = whole;
    const asked = async (range: string, more: Record<string, string> = {}, method = 'GET') => {
      const { status, headers } = await get(path, { range, ...more }, method);
      return { status, told: headers.get('content-range'), cached: headers.get('cache-control') };
    };
    const parts: [string, number, number][] = [
      ['bytes=0-9', 0, 10],
      ['BYTES=5-5', 5, 6],
      ['bytes=10-', 10, length],
      [`bytes=0-${length}`, 0, length],
      ['bytes=-7', length - 7, length],
      [`bytes=-${length + 1}`, 0, length],
    ];
    for (const [range, from, end] of parts) {
      const response = await get(path, { range });
      expect([range, response.status, response.headers.get('content-range')]).toEqual([
        range,
        206,
        `bytes ${from}-${end - 1}/${length}`,
      ]);
      expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(from, end)), range).toBe(true);
      expect(response.headers.get('accept-ranges')).toBe('bytes');
    }
    for (const range of [`bytes=${length}-`, 'bytes=-0'])
      expect(await asked(range)).toMatchObject({
        status: 416,
        told: `bytes */${length}`,
        cached: 'no-store',
      });
    for (const range of ['bytes=9-0', 'bytes=0-1,3-4', 'bytes=-', 'bytes=a-b', 'lines=0-9', ''])
      expect([range, await asked(range)]).toMatchObject([range, { status: 200, told: null }]);
    expect(await asked('bytes=0-9', { 'if-range': '"x"' })).toMatchObject({ status: 200 });
    expect(await asked('bytes=0-9', {}, 'HEAD')).toMatchObject({ status: 200 });
    const packed = await get(path, { range: 'bytes=0-9', 'accept-encoding': 'br' });
    const packedWhole = Buffer.from(await (await get(path, { 'accept-encoding': 'br' })).arrayBuffer());
    expect([packed.status, packed.headers.get('content-encoding')]).toEqual([206, 'br']);
    expect(Buffer.from(await packed.arrayBuffer()).equals(packedWhole.subarray(0, 10))).toBe(true);
  });

  it('is 404 where it is missing, never the document, and never a file of the server', async () => {
    for (const path of [
      'assets/main.AAAAAAAA.js',
      'assets/main',
      'assets/',
      'assets/../build.json',
      'build.json',
    ]) {
      const response = await get(`/app/${path}`);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    expect((await get('/app/assets/%2e%2e/build.json')).status).toBe(404);
    expect((await get('/app/assets/..%2fbuild.json')).status).toBe(404);
    expect((await get('/app/assets/toString')).status).toBe(404);
  });
});

describe('the worker', () => {
  const expected = {
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'content-type': 'text/javascript; charset=utf-8',
  };

  it('has the policy of the client on its own file, and is asked for again each time', async () => {
    const response = await get('/app/sw.js');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject(expected);
    const script = await response.text();
    for (const path of Object.keys(build().files)) if (path !== 'sw.js') expect(script).toContain(path);
    expect(script).toContain(build().id);
  });

  it('removes itself while the client is switched off', async () => {
    await reopen({ web: { enabled: false } });
    const response = await get('/app/sw.js');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject(expected);
    expect(await response.text()).toContain('registration.unregister()');
  });
});

describe('under a sub-path of public_url', () => {
  beforeEach(() => reopen({ server: { public_url: 'https://example.com/work/' } }));

  it('everything is served with that prefix and without it', async () => {
    for (const prefix of ['', '/work']) {
      expect((await get(`${prefix}/app/today`)).status).toBe(200);
      expect((await get(`${prefix}/app/${scriptOf()}`)).status).toBe(200);
      expect((await get(`${prefix}/app/sw.js`)).status).toBe(200);
      expect((await get(`${prefix}/api/openapi.json`)).status).toBe(200);
      expect((await get(`${prefix}/api/me`)).status).toBe(401);
      expect((await get(`${prefix}/confirm-signup`)).status).toBe(200);
      expect((await get(`${prefix}/healthz`)).status).toBe(200);
      expect((await get(`${prefix}/app/missing.js`)).status).toBe(404);
    }
    expect((await get('/workshop/app/')).status).toBe(404);
  });

  it('the root leads to its own client, whose document names files and API there', async () => {
    for (const path of ['/', '/work', '/work/', '/app', '/work/app']) {
      const response = await get(path);
      expect([response.status, response.headers.get('location')], path).toEqual([302, '/work/app/']);
    }
    for (const path of ['/app/w/1/today', '/work/app/w/1/today']) {
      const html = await (await get(path)).text();
      expect(html).toContain('data-app="/work/app/"');
      expect(html).toContain('data-api="/work/api"');
      for (const address of addressesIn(html)) expect(address).toMatch(/^\/work\/(app|api)/);
    }
  });

  it('a prefix with the name of one of our own paths hides neither', async () => {
    await reopen({ server: { public_url: 'https://example.com/api' } });
    expect((await get('/api/api/openapi.json')).status).toBe(200);
    expect((await get('/api/openapi.json')).status).toBe(200);
    expect((await get('/api/app/')).status).toBe(200);
    await reopen({ server: { public_url: 'https://example.com/app' } });
    expect((await get('/app/app/today')).status).toBe(200);
    expect((await get('/app/today')).status).toBe(200);
    expect((await get('/app/api/openapi.json')).status).toBe(200);
    for (const prefix of ['/api', '/app']) {
      await reopen({ server: { public_url: `https://example.com${prefix}` }, metrics: { enabled: true } });
      const linked = await (await get(`${prefix}/confirm-signup`)).text();
      expect(linked).toBe(await (await get('/confirm-signup')).text());
      expect((await get(`${prefix}/healthz`)).headers.get('content-type')).toMatch('application/json');
      expect((await get(`${prefix}/metrics`)).headers.get('content-type')).toMatch('text/plain');
    }
  });
});

describe('base_path', () => {
  it('may be /, beside the client', async () => {
    await reopen({ server: { base_path: '/' } });
    expect((await get('/')).headers.get('location')).toBe('/app/');
    expect(await (await get('/app/')).text()).toContain('data-api=""');
    expect((await get('/openapi.json')).status).toBe(200);
    expect((await get('/me')).status).toBe(401);
  });

  it.each(['/app', '/app/', '/app/api'])('stops the start at %s', (basePath) => {
    expect(() => createConfig({ server: { base_path: basePath } })).toThrow(ConfigError);
    expect(() => createConfig({ server: { base_path: basePath } })).toThrow(/^server\.base_path: /);
  });

  it('may begin with the same letters as the client', () => {
    expect(createConfig({ server: { base_path: '/apples' } }).server.base_path).toBe('/apples');
  });
});

describe('a build', () => {
  const other = (name: string, content: string): ClientBuild => {
    const path = `assets/main.${name}.js`;
    const bytes = new TextEncoder().encode(content);
    const file = { type: 'text/javascript; charset=utf-8', sha256: hash('sha256', bytes), encodings: [] };
    const id = hash('sha256', name).slice(0, 16);
    return { id, document: '', files: { [path]: file }, read: () => bytes };
  };
  const kept = () => join(world.folder, 'web-builds');

  it('leaves its files to the next one, for tabs that are still open', async () => {
    keepBuild(world.folder, other('OLDER', 'older'), START - 2000);
    keepBuild(world.folder, other('PREVIOUS', 'previous'), START - 1000);
    const response = await get('/app/assets/main.PREVIOUS.js');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('previous');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await get('/app/assets/main.OLDER.js')).status).toBe(404);
    expect(readdirSync(kept())).toHaveLength(2);
  });

  it('that starts again keeps the one before it', () => {
    const [previous, present] = [other('PREVIOUS', 'previous'), other('PRESENT', 'present')];
    keepBuild(world.folder, previous, START);
    for (const later of [1000, 2000]) {
      expect(keepBuild(world.folder, present, START + later).find('assets/main.PREVIOUS.js')).toBeDefined();
    }
    expect(keepBuild(world.folder, previous, START + 3000).find('assets/main.PRESENT.js')).toBeDefined();
  });

  it('that was kept and is no longer what it was is not served', async () => {
    const previous = other('PREVIOUS', 'previous');
    keepBuild(world.folder, previous, START - 1000);
    writeFileSync(join(kept(), previous.id, 'assets/main.PREVIOUS.js'), 'changed');
    expect((await get('/app/assets/main.PREVIOUS.js')).status).toBe(404);
    rmSync(join(kept(), previous.id, 'assets'), { recursive: true });
    expect((await get('/app/assets/main.PREVIOUS.js')).status).toBe(404);
  });

  it('that was kept in part is kept again', () => {
    const previous = other('PREVIOUS', 'previous');
    keepBuild(world.folder, previous, START);
    rmSync(join(kept(), previous.id, 'build.json'));
    keepBuild(world.folder, previous, START + 1);
    const found = keepBuild(world.folder, other('PRESENT', 'present'), START + 2).find(
      'assets/main.PREVIOUS.js',
    );
    expect(found).toBeDefined();
  });

  it('that cannot be kept is served all the same', async () => {
    writeFileSync(kept(), 'in the way');
    expect((await get('/app/')).status).toBe(200);
    expect((await get(`/app/${scriptOf()}`)).status).toBe(200);
    expect(world.log.join('\n')).toContain('client build not kept for later servers');
  });

  it('is not touched before somebody asks for the client', async () => {
    await get('/api/me');
    await get('/');
    expect(readdirSync(world.folder)).not.toContain('web-builds');
  });
});
