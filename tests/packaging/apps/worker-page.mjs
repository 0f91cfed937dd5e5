// The page of a module worker that uses the package.
const worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
worker.addEventListener('message', (event) => (globalThis.answer = event.data));
worker.addEventListener('error', (event) => (globalThis.answer = { error: event.message }));
