// Keeps what the page has loaded, so that it opens without its server. What the server has goes first: a new version of
// the page is there at once, and what is kept is never older than the last visit.
/// <reference lib="webworker" />
export {};
declare const self: ServiceWorkerGlobalScope;

const CACHE = `onnxlet playground ${self.registration.scope}`;

self.addEventListener('install', (event) => {
  event.waitUntil(fill());
});
self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const isOurs = request.method === 'GET' && request.url.startsWith(self.registration.scope);
  if (isOurs) event.respondWith(answer(request));
});

/** The page's own files, which the build lists; engines come when they are first used. */
async function fill(): Promise<void> {
  const files = (await (await fetch('files.json')).json()) as string[];
  const cache = await caches.open(CACHE);
  await cache.addAll(['./', ...files]);
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
