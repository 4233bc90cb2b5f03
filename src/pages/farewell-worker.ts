/** A worker that removes itself and its caches: what the worker's address serves while the client is switched off. */
export const farewellWorker = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(leave()));
async function leave() {
  const prefix = 'errand:' + new URL('./', self.location.href).pathname + ':';
  for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name);
  await self.registration.unregister();
}
`;
