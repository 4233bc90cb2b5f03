import { z } from '@hono/zod-openapi';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OpenApiDocument, Schema } from '../../src/http/openapi-document.ts';
import { callsOf, resolve } from '../../src/http/openapi-document.ts';
import type { Route } from '../../src/http/route.ts';
import { referencePage } from '../../src/pages/reference.ts';
import { routes } from '../../src/routes.ts';
import { openInstead, useWorld, world } from '../ada.ts';
import { openWorld } from '../world.ts';

const BASE_PATHS = ['/api', '/', '/a/b'];

let document: OpenApiDocument;
let html: string;
useWorld();
beforeEach(async () => {
  document = (await world.call('GET', '/openapi.json')).body;
  html = (await world.call('GET', '/docs')).body;
});

const described = (route: Route) => {
  const operation = document.paths[route.path]?.[route.method];
  if (!operation) throw new Error(`${route.method} ${route.path} is not described`);
  return operation;
};
const idsIn = (page: string) => [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id);
const addressesIn = (page: string) =>
  [...page.matchAll(/\b(?:href|src|action)="([^"]*)"/g)].map(([, address = '']) => address);
const assetsIn = (page: string) => addressesIn(page).filter((address) => address.startsWith('assets/'));
const articleOf = (id: string) => html.match(new RegExp(`<article id="${id}".*?</article>`, 's'))?.[0] ?? '';
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

it('the reference is found with a slash behind it too, also below a path that a proxy takes off', async () => {
  const world = await openWorld();
  const response = await world.app.request('/api/docs/');
  expect([response.status, response.headers.get('location')]).toEqual([308, '../docs']);
  expect(new URL('../docs', 'https://example.org/errand/api/docs/').pathname).toBe('/errand/api/docs');
});

describe('the reference page', () => {
  it.each(BASE_PATHS)(
    'is below the base path %s, with the headers of every response and a strict policy',
    async (base) => {
      await openInstead({ settings: { server: { base_path: base } } });
      const { status, headers } = await world.app.request(`${base === '/' ? '' : base}/docs`);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toEqual({
        'x-request-id': expect.stringMatching(/./),
        vary: 'Accept-Encoding',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
          "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      });
    },
  );

  it('is opened by GET and HEAD alone', async () => {
    expect((await world.call('HEAD', '/docs')).status).toBe(200);
    const { status, headers } = await world.call('POST', '/docs');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('has no script, style or handler inside, and asks no other host for anything', () => {
    expect(html).not.toMatch(
      /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:|<iframe|<link[^>]*https?:/i,
    );
    for (const address of addressesIn(html))
      expect(address).toMatch(/^(#[\w-]+|assets\/[\w.]+|openapi\.json)$/);
  });

  it.each(BASE_PATHS)(
    'brings its own assets below %s, to be kept for good, which name no other host',
    async (base) => {
      await openInstead({ settings: { server: { base_path: base } } });
      const root = base === '/' ? '' : base;
      const assets = assetsIn(await (await world.app.request(`${root}/docs`)).text());
      expect(new Set(assets).size).toBe(3);
      for (const asset of assets) {
        const response = await world.app.request(`${root}/${asset}`);
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(response.headers.get('content-type')).toMatch(/^(text\/css|text\/javascript|image\/svg\+xml)/);
        const content = await response.text();
        expect(content.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
          /https?:|\/\/\w|url\(|@import|fetch\(/,
        );
      }
    },
  );

  it('tells of every operation: where it is, what it takes, what it returns and rejects', () => {
    const operations = callsOf(document);
    expect(operations.length).toBeGreaterThanOrEqual(routes.length);
    for (const { method, path, operation } of operations) {
      const article = articleOf(operation.operationId);
      expect(article, operation.operationId).toContain(escaped(operation.summary));
      expect(article.replaceAll('<wbr>', '')).toContain(`<code>${path}</code>`);
      expect(article).toContain(`>${method.toUpperCase()}</b>`);
      for (const { name } of operation.parameters ?? []) expect(article).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(operation.responses)) expect(article).toContain(status);
      const body = operation.requestBody?.content['application/json']?.schema;
      const fields = Object.keys((body && resolve(document, body).properties) ?? {});
      for (const name of fields) expect(article, operation.operationId).toContain(`<code>${name}</code>`);
      expect(article).toContain('curl ');
    }
    for (const name of Object.keys(document.components.schemas))
      expect(articleOf(`shape-${name}`)).not.toBe('');
  });

  it('leads nowhere in vain, and to one place each', () => {
    const ids = idsIn(html);
    expect(new Set(ids).size).toBe(ids.length);
    for (const address of addressesIn(html)) {
      if (address.startsWith('#')) expect(ids).toContain(address.slice(1));
    }
  });

  it('shows commands with the address of this server, ids and token in variables', async () => {
    await openInstead({ settings: { server: { public_url: 'https://errand.example.com/work' } } });
    html = (await world.call('GET', '/docs')).body;
    const shown = (id: string) => articleOf(id).replaceAll(/<\/?span[^>]*>|<wbr>/g, '');
    expect(shown('updateTask')).toContain(
      'curl -X PATCH &quot;https://errand.example.com/work/api/workspaces/$workspace_id/tasks/$task_id&quot; \\\n' +
        '  -H &quot;Authorization: Bearer $access&quot; \\\n',
    );
    expect(shown('searchTasks')).toMatch(
      /curl -G .*\/tasks\/search&quot;.*--data-urlencode &quot;q=milk&quot;/s,
    );
  });

  it('is filtered by the fields that operations take and return, and by what is said of them', () => {
    const found = (word: string) =>
      [...html.matchAll(/<article id="(\w+)"[^>]*data-find="([^"]*)"/g)]
        .filter(([, , words = '']) => words.includes(word))
        .map(([, id]) => id);
    expect(found('dayofmonth')).toEqual(
      expect.arrayContaining(['createRecurringTask', 'previewOccurrences']),
    );
    expect(found('assigneeid')).toEqual(expect.arrayContaining(['createTask', 'getTask', 'listTasks']));
    expect(found('groupby')).toContain('queryTasks');
    expect(found('refreshtoken')).toEqual(expect.arrayContaining(['login', 'refresh', 'logout']));
    expect(found('percent-encoded')).toEqual(['searchTasks']);
    expect(found('groupby')).not.toContain('createTask');
  });

  it('escapes whatever the document says', async () => {
    const nasty = '"><script>`<b>`';
    const page = String(
      await referencePage({
        ...document,
        tags: [{ name: 'Me', description: nasty }],
        components: {
          responses: {},
          schemas: { Nasty: { description: nasty, properties: { [nasty]: { example: nasty } } } },
        },
      }),
    );
    expect(page).not.toContain('"><script>');
    expect(page).not.toContain('<b>`');
  });
});

describe('the OpenAPI document', () => {
  it('has an example of every body, which the shapes that validate accept', () => {
    for (const route of routes) {
      const { requestBody, responses } = described(route);
      const label = `${route.method} ${route.path}`;
      if (route.body) {
        const example = requestBody?.content['application/json']?.example;
        expect(route.body.safeParse(example), label).toMatchObject({ success: true });
      }
      if (!route.response) continue;
      const response = responses[route.status];
      if (!response || '$ref' in response) throw new Error(label);
      const media = response.content?.[route.isStream ? 'text/event-stream' : 'application/json'];
      const example = media?.example;
      expect(route.response.safeParse(example).error?.issues ?? [], label).toEqual([]);
      expect(JSON.stringify(example)).not.toMatch(/"text"/);
    }
  });

  it('says of every field whether null may stand there', () => {
    for (const route of routes) {
      const operation = described(route);
      const response = operation.responses[route.status];
      const told =
        response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
      const label = `${route.method} ${route.path}`;
      compareNulls(route.body, operation.requestBody?.content['application/json']?.schema, label);
      compareNulls(route.response, told, label);
    }
  });

  it('describes every tag and every parameter of a path', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of callsOf(document)) {
      expect(tags).toEqual(expect.arrayContaining(operation.tags));
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === 'path') expect(parameter.description).toMatch(/^Id of the /);
      }
    }
  });

  it('says which operations need a token, and what each rejects', () => {
    for (const route of routes) {
      const { security, responses } = described(route);
      expect(security).toEqual([
        ...(route.guard.bearer ? [{ bearer: [] }, { cookie: [] }] : []),
        ...(['capped', 'narrowed'].includes(route.guard.apiTokens ?? '') ? [{ apiToken: [] }] : []),
      ]);
      // Each guard that takes credentials says what API tokens may do.
      expect(route.guard.apiTokens !== undefined).toBe(route.guard.bearer === true);
      const rejected = Object.keys(responses);
      expect(rejected).toEqual(expect.arrayContaining(['429', '500', '503']));
      if (route.guard.bearer) expect(rejected).toContain('401');
      if (route.guard.role) expect(rejected).toEqual(expect.arrayContaining(['403', '404']));
      if (route.body) expect(rejected).toEqual(expect.arrayContaining(['400', '413', '415']));
    }
  });

  it('says which role an operation needs, and of a higher one only where there is one', () => {
    const needs = (role: string) =>
      [`Needs the role ${role}`, role === 'owner' ? '.' : ' or a higher one.'].join('');
    const roles = new Set(routes.flatMap(({ guard }) => guard.role ?? []));
    expect([...roles].toSorted()).toEqual(['admin', 'member', 'owner', 'viewer']);
    for (const route of routes)
      if (route.guard.role)
        expect(described(route).description?.split('\n\n').at(-1)).toBe(needs(route.guard.role));
  });

  it('names nothing that it does not hold', () => {
    for (const [, name = '', entry = ''] of JSON.stringify(document).matchAll(
      /"#\/components\/(\w+)\/(\w+)"/g,
    )) {
      expect(document.components).toHaveProperty([name, entry]);
    }
  });
});

/** Compares, field by field and down to the last, what the shape takes with what its description allows. */
function compareNulls(shape: unknown, schema: Schema | undefined, label: string): void {
  if (!schema) return;
  const inner = unwrap(shape);
  const told = resolve(document, schema);
  if (inner instanceof z.ZodArray) {
    compareNulls(inner.element, told.items, `${label}[]`);
  } else if (inner instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(inner.shape)) {
      const property = fieldIn(told, name);
      const path = `${label} ${name}`;
      expect(property, path).toBeDefined();
      if (!property) continue;
      expect(allowsNull(property), path).toBe((field as z.ZodType).safeParse(null).success);
      compareNulls(field, property.anyOf?.[0] ?? property, path);
    }
  }
}

/** The field of that name, whichever alternative has it. */
function fieldIn(schema: Schema, name: string): Schema | undefined {
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].map((each) =>
    resolve(document, each),
  );
  return [schema, ...alternatives].map(({ properties }) => properties?.[name]).find(Boolean);
}

function unwrap(shape: unknown): unknown {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable || shape instanceof z.ZodDefault) {
    return unwrap(shape.unwrap());
  }
  if (shape instanceof z.ZodUnion && !(shape instanceof z.ZodDiscriminatedUnion))
    return unwrap(shape.options[0]);
  return shape;
}

const allowsNull = (schema: Schema): boolean => {
  const { type, anyOf = [] } = resolve(document, schema);
  return [type].flat().includes('null') || anyOf.some(allowsNull);
};
