import { dirname } from 'node:path';
import type { Context, Hono } from 'hono';
import { accepts } from 'hono/accepts';
import type { Deps } from '../deps.ts';
import { pathOf } from '../http/public-path.ts';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';
import { notFound } from '../kernel/errors.ts';
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
    if (isDocument(path)) return documentResponse(context, deps, build);
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

function openServed(deps: Deps): { build: ClientBuild; kept: KeptBuild | undefined } {
  const build = openClientBuild();
  if (!build) throw new Error('The browser client is not built: npm run build:web');
  try {
    return { build, kept: keepBuild(dirname(deps.config.database.path), build, deps.clock.now()) };
  } catch (err) {
    deps.log.warn({ err }, 'client build not kept for later servers');
    return { build, kept: undefined };
  }
}

function documentResponse(context: Context<Environment>, deps: Deps, build: ClientBuild): Response {
  const { public_url: publicUrl, base_path: basePath } = deps.config.server;
  const path = pathOf(publicUrl);
  const document = build.document
    .replaceAll('{app}', `${path}/app/`)
    .replaceAll('{api}', path + basePath)
    .replaceAll('{build}', build.id);
  return new Response(document, {
    headers: {
      ...documentHeaders(context, publicUrl, CLIENT_POLICY),
      // By it the worker tells our document from a proxy's.
      'X-Errand-Build': build.id,
    },
  });
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
function encodingFor(context: Context<Environment>, there: readonly Encoding[]): Encoding | undefined {
  const chosen = accepts(context, {
    header: 'Accept-Encoding',
    supports: [...there],
    default: '',
    match: (wanted) => {
      const isAccepted = (encoding: string) => {
        const named = wanted.find(({ type }) => type === encoding) ?? wanted.find(({ type }) => type === '*');
        return named !== undefined && named.q > 0;
      };
      return there.find(isAccepted) ?? '';
    },
  });
  return ENCODINGS.find((encoding) => encoding === chosen);
}

const keptForGood = (context: Context<Environment>, type: string): Record<string, string> => ({
  ...commonHeaders(requestIdOf(context)),
  'Cache-Control': KEPT_FOR_GOOD,
  'Content-Type': type,
});

/** Made at the first call, and kept. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
