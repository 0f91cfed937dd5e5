// The page's side of onnxruntime.worker.ts: a model on the supplied onnxruntime-web.
import { Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import type { PeerAnswer, PeerCalls, PlainTensor } from './messages.js';
import { addressOf, ready } from './package.js';
import type { Supplied } from './package.js';

/** onnxruntime-web did not do it; the message has its own words. */
export class PeerFailed extends Error {
  override readonly name = 'PeerFailed';
}

export interface PeerSession {
  readonly version: string;
  /** Outputs that are no tensors are null. */
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor | null>>>;
  /** It cannot be used afterwards. */
  end(): void;
}

/** Throws WrongPackage or PeerFailed. */
export async function openPeer({ entry }: Supplied, model: LoadedModel, threads: number): Promise<PeerSession> {
  await ready();
  const worker = new Worker(new URL('./onnxruntime.worker.ts', import.meta.url), { type: 'module', name: 'peer' });
  const ask = asking(worker);
  try {
    const version = await ask('load', {
      entry: addressOf(entry),
      folder: addressOf(''),
      threads,
      model: await bytesOf(model.file),
      externalData: await Promise.all(
        [...model.companions].map(async ([path, file]) => ({ path, data: await bytesOf(file) })),
      ),
    });
    return {
      version,
      async run(feeds) {
        const given = Object.entries(feeds).map(([name, { type, dims, data }]) => [name, { type, dims, data }]);
        const outputs = await ask('run', Object.fromEntries(given) as Record<string, PlainTensor>);
        return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, value && tensorOf(value)]));
      },
      end: () => worker.terminate(),
    };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

type Ask = <V extends keyof PeerCalls>(verb: V, payload: PeerCalls[V]['payload']) => Promise<PeerCalls[V]['answer']>;

function asking(worker: Worker): Ask {
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let next = 1;
  worker.addEventListener('message', ({ data }: MessageEvent<PeerAnswer>) => {
    const entry = waiting.get(data.id);
    waiting.delete(data.id);
    if ('error' in data) entry?.reject(new PeerFailed(data.error));
    else entry?.resolve(data.answer);
  });
  worker.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new PeerFailed(message || 'its worker did not start'));
    waiting.clear();
  });
  return (verb, payload) => {
    const id = next++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      worker.postMessage({ id, verb, payload });
    });
  };
}

function tensorOf({ type, dims, data }: PlainTensor): Tensor {
  const bits = type === 'float16' && ArrayBuffer.isView(data);
  const elements = bits ? new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) : data;
  return new Tensor(type as 'float32', elements as Float32Array, dims);
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}
