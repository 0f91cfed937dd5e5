// Keeps what the page has loaded, so that it opens without its server. What the server has goes first: a new version of
// the page is there at once, and what is kept is never older than the last visit.
/// <reference lib="webworker" />
export {};
declare const self: ServiceWorkerGlobalScope;

const { scope } = self.registration;
const CACHE = `onnxlet playground ${scope}`;
/** Supplied files, and the worker that runs them, may load nothing from elsewhere and run no text as a program. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
const GUARDED = /\/onnxruntime\.worker-[^/]*\.js$/;

self.addEventListener('install', (event) => {
  // Pages that are open get what supplied files need from this version at once.
  void self.skipWaiting();
  event.waitUntil(fill());
});
self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return;
  const { pathname } = new URL(request.url);
  if (request.url.startsWith(`${scope}${SUPPLIED_FOLDER}/`)) event.respondWith(suppliedFile(request));
  else event.respondWith(GUARDED.test(pathname) ? answer(request).then(guarded) : answer(request));
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

async function suppliedFile(request: Request): Promise<Response> {
  const cache = await caches.open(SUPPLIED_CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  return kept ? guarded(kept) : new Response('nobody supplied this file', { status: 404 });
}

/** The response with the policy, and with what isolated pages ask of workers. */
function guarded(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('Content-Security-Policy', POLICY);
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  return new Response(response.body, { status: response.status, headers });
}
