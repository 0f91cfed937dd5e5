// What is shipped beside this script. One literal `new URL` each: bundlers look for exactly this form and copy the file.
// assets-inline.ts takes the place of this file where everything is to be in one.
import type { CompiledEngine } from './compile.js';
import { compileUrl } from './compile.js';
import type { FlavourFile } from './flavour.js';

function besideThisFile(file: FlavourFile): string {
  switch (file) {
    case 'onnxlet.wasm':
      return new URL('./onnxlet.wasm', import.meta.url).href;
    case 'onnxlet-relaxed.wasm':
      return new URL('./onnxlet-relaxed.wasm', import.meta.url).href;
    case 'onnxlet-threads.wasm':
      return new URL('./onnxlet-threads.wasm', import.meta.url).href;
    case 'onnxlet-relaxed-threads.wasm':
      return new URL('./onnxlet-relaxed-threads.wasm', import.meta.url).href;
    case 'onnxlet-scalar.wasm':
      return new URL('./onnxlet-scalar.wasm', import.meta.url).href;
    case 'onnxlet-webgpu.wasm':
      return new URL('./onnxlet-webgpu.wasm', import.meta.url).href;
  }
}

/** Why there are no flavours with threads; undefined when there are. */
export const THREADS_REFUSAL: string | undefined = undefined;

export function shippedEngine(file: FlavourFile): Promise<CompiledEngine> {
  return compileUrl(besideThisFile(file));
}

/** What runs work on a GPU, loaded where it is asked for. */
export function gpuModule(): Promise<typeof import('./gpu/index.js')> {
  const { href } = new URL('./webgpu.mjs', import.meta.url);
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ href) as Promise<
    typeof import('./gpu/index.js')
  >;
}

/** The worker that keeps the engine off a page's main thread. */
export function engineWorker(): Worker {
  try {
    return new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module', name: 'onnxlet' });
  } catch (error) {
    return workerOfOtherOrigin(new URL('./worker.mjs', import.meta.url), error);
  }
}

/** A thread of the engine in a browser. */
export function engineThread(): Worker {
  try {
    return new Worker(new URL('./thread.mjs', import.meta.url), { type: 'module', name: 'onnxlet-thread' });
  } catch (error) {
    return workerOfOtherOrigin(threadScript(), error);
  }
}

/** The script of a thread in Node. */
export function threadScript(): URL {
  return new URL('./thread.mjs', import.meta.url);
}

/** A worker's script must be of the page's origin, but may import one of another: a package that is used from its host. */
function workerOfOtherOrigin(script: URL, error: unknown): Worker {
  if (script.origin === location.origin || !/^https?:$/.test(script.protocol)) throw error;
  const text = `import ${JSON.stringify(script.href)};`;
  return new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), { type: 'module' });
}
