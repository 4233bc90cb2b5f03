import { dirname } from 'node:path';
import type { Context, Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { pathOf } from '../http/public-path.ts';
import { type Environment, requestIdOf } from '../http/request-context.ts';
import { commonHeaders } from '../http/response.ts';
import { encodingFor, formHeaders, storedText } from '../http/stored-text.ts';
import { notFound } from '../kernel/errors.ts';
import { once } from '../kernel/once.ts';
import { type ClientBuild, openClientBuild } from './client-build.ts';
import { documentHeaders, type KnownSession, keptForGood, storedDocument } from './documents.ts';
import { farewellWorker } from './farewell-worker.ts';
import { fileResponse } from './file-response.ts';
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
    if (path === WORKER) return buildResponse(context, build, WORKER, workerHeaders(context));
    if (isDocument(path)) return documentResponse(context, deps, served());
    const found = Object.hasOwn(build.files, path) ? build.files[path] : undefined;
    if (found) return buildResponse(context, build, path, keptForGood(context, found.type));
    const file = kept?.find(path);
    if (file) return fileResponse(context, file.bytes, keptForGood(context, file.type));
    throw notFound('file');
  });
}

/** While the client is switched off: at the worker's address a worker that removes itself. */
export function mountFarewell(app: Hono<Environment>): void {
  const stored = storedText(() => farewellWorker);
  app.get(`/app/${WORKER}`, (context) => stored(context, workerHeaders(context)));
}

/** The id of the client's build; undefined where it was not built. */
export const clientBuildId = (): string | undefined => openClientBuild()?.id;

/** Addresses of the client are words and ids; what has a dot in its last part is a file. */
const isDocument = (path: string) =>
  !path.startsWith('assets/') && /^(?:[A-Za-z0-9.-]+\/)*[A-Za-z0-9-]*$/.test(path);

interface Served {
  build: ClientBuild;
  kept: KeptBuild | undefined;
  document: ReturnType<typeof storedDocument>;
}

function openServed(deps: Deps): Served {
  const build = openClientBuild();
  if (!build) throw new Error('The browser client is not built: npm run build:web');
  const document = storedDocument(deps, (session) => documentOf(deps, build, session));
  try {
    const kept = keepBuild(dirname(deps.config.database.path), build, deps.clock.now());
    return { build, document, kept };
  } catch (err) {
    deps.log.warn({ err }, 'client build not kept for later servers');
    return { build, document, kept: undefined };
  }
}

const documentResponse = (context: Context<Environment>, deps: Deps, served: Served) =>
  served.document(context, {
    ...documentHeaders(context, deps.config.server.public_url, CLIENT_POLICY),
    // By it the worker tells our document from a proxy's.
    'X-Errand-Build': served.build.id,
  });

/** The document with the paths of this server, and what it knows of the session. */
function documentOf({ config }: Deps, build: ClientBuild, session: KnownSession): string {
  const { public_url: publicUrl, base_path: basePath } = config.server;
  const path = pathOf(publicUrl);
  return build.document
    .replaceAll('{app}', `${path}/app/`)
    .replaceAll('{api}', path + basePath)
    .replaceAll('{build}', build.id)
    .replaceAll('{session}', session);
}

const workerHeaders = (context: Context<Environment>) => ({
  ...commonHeaders(requestIdOf(context)),
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CLIENT_POLICY,
  'Content-Type': JAVASCRIPT,
});

function buildResponse(
  context: Context<Environment>,
  build: ClientBuild,
  path: string,
  headers: Record<string, string>,
): Response {
  const encoding = encodingFor(context, build.files[path]?.encodings ?? []);
  return fileResponse(context, build.read(path, encoding), { ...headers, ...formHeaders(encoding) });
}
