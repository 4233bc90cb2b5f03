import { build, transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type Asset, REFERENCE_SCRIPT, SCRIPT } from '../../src/pages/assets.ts';
import { confirmSignup } from '../../src/pages/confirm-signup.ts';
import { layout } from '../../src/pages/layout.ts';
import { openInstead, useWorld, world } from '../ada.ts';

const PAGES = [
  '/',
  '/confirm-signup',
  '/reset-password',
  '/confirm-email',
  '/keep-email',
  '/accept-invitation',
];
const BASE_PATHS = ['/api', '/', '/a/b'];

// With the page at / that stands there while the web client is switched off.
useWorld({ settings: { web: { enabled: false } } });

const open = (path: string, method = 'GET') => world.call(method, `/${path}`);
const everyAddressIn = (html: string) =>
  [...html.matchAll(/\b(?:href|src|action|data-api)="([^"]*)"/g)].map(([, address = '']) => address);
const assetsOf = (html: string) => everyAddressIn(html).filter((address) => address.startsWith('assets/'));

describe.each(PAGES)('the page %s', (path) => {
  it('has the headers of every response and a strict policy of its own', async () => {
    const { status, headers } = await open(path);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toEqual({
      'x-request-id': expect.stringMatching(/./),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      vary: 'Accept-Encoding',
    });
  });

  it('has no script, style or handler of its own inside, and names no other host', async () => {
    const { body } = await open(path);
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:/i);
    expect(body.match(/<script[^>]*>(.*?)<\/script>/s)?.[1] ?? '').toBe('');
    for (const address of everyAddressIn(body)) expect(address).toMatch(/^(\.\/|\.$|assets\/)/);
  });

  it('refers only to assets that exist, that may be kept for good, and that name no other host', async () => {
    const { body } = await open(path);
    const assets = assetsOf(body);
    expect(assets.length).toBeGreaterThanOrEqual(2);
    for (const asset of assets) {
      const { status, headers, body: content } = await open(`/${asset}`);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toMatch(
        { css: /^text\/css/, js: /^text\/javascript/, svg: /^image\/svg\+xml/ }[
          asset.split('.').at(-1) as 'css' | 'js' | 'svg'
        ],
      );
      expect(content.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import/);
    }
  });

  it('is opened by GET and HEAD alone', async () => {
    const head = await open(path, 'HEAD');
    expect([head.status, head.body]).toEqual([200, undefined]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await open(path, method);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('changes nothing when it is opened, with a token in whatever place or without', async () => {
    await world.call('POST', '/auth/register', {
      body: { email: 'ada@example.com', password: 'password1', name: 'Ada' },
    });
    const { token } = await world.mailTo('ada@example.com');
    const before = world.opened.storage.writing.serialize();
    for (const method of ['GET', 'HEAD']) {
      for (const query of ['', `?token=${token}`]) {
        expect((await open(path + query, method)).status).toBe(200);
      }
    }
    await world.untilIdle();
    expect(world.opened.storage.writing.serialize().equals(before)).toBe(true);
    expect((await world.call('POST', '/auth/register/confirm', { body: { token } })).status).toBe(201);
  });

  it('says nothing of what was asked for, and not which version runs', async () => {
    const { body } = await open(`${path}?token=s3cret&<script>`);
    expect(body).not.toMatch(/s3cret|\d+\.\d+\.\d+/);
    expect(body).toBe((await open(path)).body);
  });
});

describe('the pages', () => {
  it.each(BASE_PATHS)('find the API under the base path %s', async (basePath) => {
    await openInstead({ settings: { web: { enabled: false }, server: { base_path: basePath } } });
    const response = await world.app.request('/');
    const html = await response.text();
    const api = html.match(/data-api="([^"]*)"/)?.[1];
    const description = new URL(`${api}/openapi.json`, 'http://localhost/').pathname;
    expect(description).toBe(`${basePath === '/' ? '' : basePath}/openapi.json`);
    expect(html).toContain(`href="${api}/openapi.json"`);
    expect(html).toContain(`href="${api}/docs"`);
    expect((await world.app.request(description)).status).toBe(200);
  });

  it('tell, without JavaScript, how to use the token by the API', async () => {
    await openInstead({ settings: { server: { public_url: 'https://errand.example.com/work' } } });
    const { body } = await open('/confirm-signup');
    expect(body.match(/<noscript>(.*?)<\/noscript>/s)?.[1]).toContain(
      'POST https://errand.example.com/work/api/auth/register/confirm',
    );
  });

  it('escape whatever is put into them', async () => {
    const site = { session: 'none' as const, api: '"><script>', publicApi: '<script>', app: '"><script>' };
    const html = String(await layout(site, confirmSignup));
    expect(html).toContain('data-api="&quot;&gt;&lt;script&gt;"');
    expect(html).toContain('data-app="&quot;&gt;&lt;script&gt;"');
    expect(html).toContain('POST &lt;script&gt;/auth');
  });

  it('bring the same scripts when they are bundled, the reference too, with nothing in them that stayed outside', async () => {
    const { outputFiles } = await build({
      entryPoints: [`${import.meta.dirname}/../../src/pages/assets.ts`],
      bundle: true,
      platform: 'node',
      format: 'esm',
      minifySyntax: true,
      write: false,
    });
    const bundle = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
    const bundled: { SCRIPT: Asset; REFERENCE_SCRIPT: Asset } = await import(/* @vite-ignore */ bundle);
    // Minifying inlines constants, and writes `let` for `const` inside a bundle only.
    const plain = async ({ content }: Asset) => {
      const { code } = await transform(content, { minifySyntax: true });
      return (
        await transform(code.replaceAll(/\bconst\b/g, 'let'), { minifySyntax: true, minifyWhitespace: true })
      ).code;
    };
    expect(await plain(bundled.SCRIPT)).toBe(await plain(SCRIPT));
    expect(await plain(bundled.REFERENCE_SCRIPT)).toBe(await plain(REFERENCE_SCRIPT));
  });
});
