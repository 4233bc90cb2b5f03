import { dirname } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Context, Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { takesCoding } from '../http/compression.ts';
import { pathOf } from '../http/public-path.ts';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';
import { notFound } from '../kernel/errors.ts';
import { once } from '../kernel/once.ts';
import { type ClientBuild, ENCODINGS, type Encoding, openClientBuild } from './client-build.ts';
import { documentHeaders, KEPT_FOR_GOOD } from './documents.ts';
import { farewellWorker } from './farewell-worker.ts';
import { type KeptBuild, keepBuild } from './kept-builds.ts';

const CLIENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types errand',
].join('; ');

const WORKER = 'sw.js';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The browser client below `/app/`, and `/`, which leads there. Nothing is read before the first request. */
export function mountClient(app: Hono<Environment>, deps: Deps): void {
  const client = pathOf(deps.config.server.public_url);
  const toClient = (context: Context<Environment>) =>
    new Response(null, {
      status: 302,
      headers: { ...commonHeaders(requestIdOf(context)), Location: `${client}/app/`, 'Content-Length': '0' },
    });
  const served = once(() => openServed(deps));
  app.get('/', toClient);
  app.get('/app', toClient);
  app.get('/app/*', (context) => {
    const path = context.req.path.slice('/app/'.length);
    const { build, kept } = served();
    if (path === WORKER) return workerResponse(context, build.read(WORKER));
    if (isDocument(path)) return documentResponse(context, deps, served());
    if (Object.hasOwn(build.files, path)) return fileResponse(context, build, path);
    const file = kept?.find(path);
    if (file) return new Response(file.bytes, { headers: keptForGood(context, file.type) });
    throw notFound('file');
  });
}

/** While the client is switched off: at the worker's address a worker that removes itself. */
export function mountFarewell(app: Hono<Environment>): void {
  app.get(`/app/${WORKER}`, (context) => workerResponse(context, farewellWorker));
}

/** The id of the client's build; undefined where it was not built. */
export const clientBuildId = (): string | undefined => openClientBuild()?.id;

/** Addresses of the client are words and ids; what has a dot in its last part is a file. */
const isDocument = (path: string) =>
  !path.startsWith('assets/') && /^(?:[A-Za-z0-9.-]+\/)*[A-Za-z0-9-]*$/.test(path);

interface Served {
  build: ClientBuild;
  kept: KeptBuild | undefined;
  document(encoding: Encoding | undefined): Uint8Array<ArrayBuffer>;
}

function openServed(deps: Deps): Served {
  const build = openClientBuild();
  if (!build) throw new Error('The browser client is not built: npm run build:web');
  const document = documentForms(deps, build);
  try {
    return { build, document, kept: keepBuild(dirname(deps.config.database.path), build, deps.clock.now()) };
  } catch (err) {
    deps.log.warn({ err }, 'client build not kept for later servers');
    return { build, document, kept: undefined };
  }
}

function documentResponse(context: Context<Environment>, deps: Deps, served: Served): Response {
  const encoding = encodingFor(context, ENCODINGS);
  return new Response(served.document(encoding), {
    headers: {
      ...documentHeaders(context, deps.config.server.public_url, CLIENT_POLICY),
      Vary: 'Accept-Encoding',
      ...(encoding && { 'Content-Encoding': encoding }),
      // By it the worker tells our document from a proxy's.
      'X-Errand-Build': served.build.id,
    },
  });
}

/** The document with the paths of this server, in each form once it is asked for. */
function documentForms({ config }: Deps, build: ClientBuild): Served['document'] {
  const { public_url: publicUrl, base_path: basePath } = config.server;
  const path = pathOf(publicUrl);
  const text = build.document
    .replaceAll('{app}', `${path}/app/`)
    .replaceAll('{api}', path + basePath)
    .replaceAll('{build}', build.id);
  const plain = new TextEncoder().encode(text);
  const forms = { br: once(() => brotliCompressSync(plain)), gzip: once(() => gzipSync(plain)) };
  return (encoding) => (encoding ? new Uint8Array(forms[encoding]()) : plain);
}

const workerResponse = (context: Context<Environment>, script: string | Uint8Array<ArrayBuffer>) =>
  new Response(script, {
    headers: {
      ...commonHeaders(requestIdOf(context)),
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': CLIENT_POLICY,
      'Content-Type': JAVASCRIPT,
    },
  });

function fileResponse(context: Context<Environment>, build: ClientBuild, path: string): Response {
  const file = build.files[path];
  if (!file) throw notFound('file');
  const encoding = encodingFor(context, file.encodings);
  const headers = keptForGood(context, file.type);
  if (file.encodings.length > 0) headers.Vary = 'Accept-Encoding';
  if (encoding) headers['Content-Encoding'] = encoding;
  return new Response(build.read(path, encoding), { headers });
}

/** The best form that the request accepts; undefined: the file as it is. */
const encodingFor = (context: Context<Environment>, there: readonly Encoding[]): Encoding | undefined =>
  there.find((encoding) => takesCoding(context.req.header('accept-encoding'), encoding));

const keptForGood = (context: Context<Environment>, type: string): Record<string, string> => ({
  ...commonHeaders(requestIdOf(context)),
  'Cache-Control': KEPT_FOR_GOOD,
  'Content-Type': type,
});
