/** Which build this is, and its hashed files, set by the build. */
declare const BUILD: string;
declare const FILES: readonly string[];

// TypeScript types `self` as that of any worker.
const worker = self as unknown as ServiceWorkerGlobalScope;

/** Only a document that carries it is ours: a proxy's sign-in page is not. */
const MARKER = 'X-Errand-Build';
const app = new URL('./', worker.location.href);
/** Of this installation alone: several may share an origin, each under its own path. */
const PREFIX = `errand:${app.pathname}:`;
const CACHE = PREFIX + BUILD;

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== app.origin || !url.pathname.startsWith(app.pathname)) return;
  const path = url.pathname.slice(app.pathname.length);
  if (request.mode === 'navigate' && !path.split('/').at(-1)?.includes('.'))
    event.respondWith(document(event));
  else if (path.startsWith('assets/')) event.respondWith(asset(request));
});

/** The document and its files go into the cache together, or not at all. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([
    cache.addAll(FILES.map((path) => new URL(path, app).href)),
    fetchDocument().then((response) => {
      if (response === undefined) throw new Error('The document cannot be fetched');
      return cache.put(app, response);
    }),
  ]);
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await worker.clients.claim();
}

/** From the cache at once, and fetched again behind it; without a cached one, from the network. */
async function document(event: FetchEvent): Promise<Response> {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(app);
  if (cached === undefined) return fetch(event.request);
  const renewed = fetchDocument().then(
    (response) => response && cache.put(app, response),
    () => undefined,
  );
  event.waitUntil(renewed);
  return cached;
}

/** The server's document; undefined where the response is none of ours or of another build, whose worker brings it. */
async function fetchDocument(): Promise<Response | undefined> {
  const response = await fetch(app, { cache: 'no-store', redirect: 'manual' });
  return response.status === 200 && response.headers.get(MARKER) === BUILD ? response : undefined;
}

async function asset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
