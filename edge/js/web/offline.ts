// The service worker that keeps the bundle's files, so that the page opens without a server.

/** @param onUpdate called when another version of the bundle is complete; what it is given changes over to it */
export async function keepOffline(onUpdate: (change: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const container = navigator.serviceWorker;
  const registration = await container.register('sw.js');
  const report = (worker: ServiceWorker) => {
    onUpdate(() => {
      container.addEventListener('controllerchange', () => {
        location.reload();
      });
      worker.postMessage('activate');
    });
  };
  if (registration.waiting && container.controller) report(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing;
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && container.controller) report(worker);
    });
  });
}
