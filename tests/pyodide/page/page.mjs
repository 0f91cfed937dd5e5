// boot() starts Pyodide here or in a worker; then call() and callSync() are there.
import { start } from './pyodide.mjs';

globalThis.boot = async (options) => {
  const place = options.worker ? await inWorker(options) : await start(options);
  Object.assign(globalThis, place);
};

function inWorker(options) {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { type: 'module' });
  const ask = (verb, ...rest) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => ('failed' in data ? reject(new Error(data.failed)) : resolve(data.result));
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage({ verb, rest });
    });
  return ask('start', options).then(() => ({
    call: (...rest) => ask('call', ...rest),
    callSync: (...rest) => ask('callSync', ...rest),
  }));
}
