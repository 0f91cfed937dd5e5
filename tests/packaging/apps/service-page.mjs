// The page of a service worker that uses the package.
const registration = await navigator.serviceWorker.register('./service-worker.mjs', { type: 'module' });
const worker = registration.installing ?? registration.waiting ?? registration.active;
navigator.serviceWorker.addEventListener('message', (event) => (globalThis.answer = event.data));
worker.postMessage('go');
