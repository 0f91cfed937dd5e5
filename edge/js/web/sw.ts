// Keeps the files of one version of the bundle, all of them or none, each checked by its hash. A new version is fetched
// beside the old one and takes its place when the page asks for that, or when no page of the old one is open.
/// <reference lib="webworker" />
export {};
declare const self: ServiceWorkerGlobalScope;

const PREFIX = `onnxlet ${self.registration.scope} `;
const CACHE = `${PREFIX}${BUNDLE.version}`;
/** With these a page may have threads, whatever its server sends. */
const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

self.addEventListener('install', (event) => {
  event.waitUntil(fill());
});
self.addEventListener('activate', (event) => {
  event.waitUntil(dropOthers());
});
self.addEventListener('message', (event) => {
  if (event.data === 'activate') event.waitUntil(self.skipWaiting());
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const name = nameOf(new URL(request.url));
  if (request.method === 'GET' && name in BUNDLE.files) event.respondWith(answer(name, request));
});

async function fill(): Promise<void> {
  const cache = await caches.open(CACHE);
  try {
    for (const [name, integrity] of Object.entries(BUNDLE.files)) {
      const response = await fetch(addressOf(name), { integrity, cache: 'no-cache' });
      if (!response.ok) throw new Error(`${name}: ${response.status}`);
      const headers = { 'content-type': response.headers.get('content-type') ?? '', ...ISOLATION };
      await cache.put(addressOf(name), new Response(response.body, { headers }));
    }
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}

async function dropOthers(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
}

async function answer(name: string, request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(addressOf(name))) ?? fetch(request);
}

/** The file's name in the bundle; the folder's own address is the page's. */
function nameOf(url: URL): string {
  const { href } = new URL(url.pathname, url);
  return href.startsWith(self.registration.scope) ? href.slice(self.registration.scope.length) || 'index.html' : '';
}

function addressOf(name: string): string {
  return new URL(name, self.registration.scope).href;
}
