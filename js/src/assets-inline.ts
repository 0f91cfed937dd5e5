// The same as assets.ts for the build in one file: the engine and the worker's script are parts of the script itself.
import { engine, worker } from 'onnxlet:inline';
import type { CompiledEngine } from './compile.js';
import { compileBytes } from './compile.js';
import { OnnxletError } from './errors.js';

export const THREADS_REFUSAL = 'the build in one file has no threads';

let compiled: Promise<CompiledEngine> | undefined;

export function shippedEngine(): Promise<CompiledEngine> {
  compiled ??= inflate(engine).then((bytes) => compileBytes(bytes, 'the engine inside the script'));
  return compiled;
}

async function inflate(base64: string): Promise<Uint8Array> {
  const text = atob(base64);
  const deflated = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) deflated[index] = text.charCodeAt(index);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function gpuModule(): Promise<typeof import('./gpu/index.js')> {
  return Promise.reject(new OnnxletError('NOT_IMPLEMENTED', 'the build in one file has no WebGPU'));
}

/** Needs a policy that allows `worker-src blob:`, otherwise the engine runs on the page's own thread. */
export function engineWorker(): Worker {
  const url = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
  return new Worker(url, { name: 'onnxlet' });
}

export function engineThread(): never {
  throw new OnnxletError('NOT_IMPLEMENTED', THREADS_REFUSAL);
}

export function threadScript(): never {
  throw new OnnxletError('NOT_IMPLEMENTED', THREADS_REFUSAL);
}
