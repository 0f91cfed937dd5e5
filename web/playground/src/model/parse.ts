// The page's side of parse.worker.ts.
import type { ParseAnswer, ParseCalls } from './parse.worker.js';
import { NotAModel } from './read.js';
import type { Model } from './types.js';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let next = 1;

/** Throws NotAModel for what is none. */
export function parseModel(file: Blob): Promise<Model> {
  return ask('read', file);
}

/** An archive of files by their names. */
export function zipFiles(files: Readonly<Record<string, Uint8Array>>): Promise<Uint8Array<ArrayBuffer>> {
  return ask('zip', files);
}

function ask<V extends keyof ParseCalls>(verb: V, payload: ParseCalls[V]['payload']): Promise<ParseCalls[V]['answer']> {
  worker ??= start();
  const id = next++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve: resolve, reject });
    worker?.postMessage({ id, verb, payload });
  });
}

function start(): Worker {
  const started = new Worker(new URL('./parse.worker.ts', import.meta.url), { type: 'module', name: 'playground' });
  started.addEventListener('message', ({ data }: MessageEvent<ParseAnswer>) => {
    const entry = waiting.get(data.id);
    waiting.delete(data.id);
    if ('error' in data) {
      entry?.reject(data.kind === 'NotAModel' ? new NotAModel(data.error) : new Error(data.error));
    } else {
      entry?.resolve(data.answer);
    }
  });
  return started;
}
