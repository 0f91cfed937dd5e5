// In place of js/src/assets.ts: the page's script has its workers inside, and the bundle gives the engine.
import { thread, worker } from 'edge:workers';
import { OnnxletError } from '../../../js/src/errors.js';

export const THREADS_REFUSAL: string | undefined = undefined;

export function shippedEngine(): never {
  throw new OnnxletError('INTERNAL', 'the script of a bundle has no engine of its own');
}

export function engineWorker(): Worker {
  return started(worker, 'onnxlet');
}

export function engineThread(): Worker {
  return started(thread, 'onnxlet-thread');
}

export function threadScript(): never {
  throw new OnnxletError('INTERNAL', 'the script of a bundle is for browsers');
}

export function gpuModule(): Promise<never> {
  return Promise.reject(new OnnxletError('NOT_IMPLEMENTED', 'bundles have no WebGPU'));
}

function started(script: string, name: string): Worker {
  return new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), { name });
}
