// What kind of host this is. Asked at run time, so that one file serves Node, pages and workers.

export function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string }; type?: string } };
  return typeof process?.versions?.node === 'string' && process.type !== 'renderer';
}

interface NodeModules {
  fs: typeof import('node:fs');
  'fs/promises': typeof import('node:fs/promises');
  os: typeof import('node:os');
  path: typeof import('node:path');
  url: typeof import('node:url');
  worker_threads: typeof import('node:worker_threads');
}

/** A module of Node, by a name that is put together so that no bundler looks for it. To be called in Node only. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): Promise<NodeModules[Name]> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ `node:${name}`) as Promise<
    NodeModules[Name]
  >;
}

/** The thread that lays out a page: it must not block. */
export function isPageMainThread(): boolean {
  return !isNode() && typeof window === 'object' && typeof document === 'object';
}

export function canStartWorkers(): boolean {
  return isNode() || typeof Worker === 'function';
}

export async function coreCount(): Promise<number> {
  if (typeof navigator === 'object' && navigator.hardwareConcurrency > 0) return navigator.hardwareConcurrency;
  if (isNode()) {
    const os = await nodeModule('os');
    return os.availableParallelism();
  }
  return 1;
}

/** Makes an address absolute, because a worker's own base is not the page's. In Node a plain path becomes file:. */
export async function absoluteUrl(address: string | URL): Promise<string> {
  if (address instanceof URL) return address.href;
  if (/^[a-z][a-z0-9+.-]+:/i.test(address)) return address;
  if (isNode()) {
    const { pathToFileURL } = await nodeModule('url');
    return pathToFileURL(address).href;
  }
  const base = typeof document === 'object' ? document.baseURI : location.href;
  return new URL(address, base).href;
}

/** Lets timers, messages and aborts in. */
export function nextTurn(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** The same as fast as can be: where turns are many, browsers make a timer wait four milliseconds. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** What the promise gives, or undefined when it takes longer than `milliseconds`; 0 waits for ever. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  if (milliseconds === 0) return promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    // A timer that is left would keep a Node process alive.
    clearTimeout(timer);
  }
}
