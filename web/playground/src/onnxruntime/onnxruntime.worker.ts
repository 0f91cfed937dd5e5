// Runs models with the supplied onnxruntime-web. The service worker gives this worker a policy of its own: see sw.ts.
import type { PeerCalls, PeerAnswer, PeerRequest, PlainTensor } from './messages.js';

/** What is used of onnxruntime-web. */
interface Package {
  readonly env: {
    readonly versions: { readonly web?: string; readonly common: string };
    readonly wasm: { numThreads?: number; wasmPaths?: string };
    logLevel?: string;
  };
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<Session>;
  };
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => unknown;
}

interface Session {
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

let loaded: Package | undefined;
let session: Session | undefined;

addEventListener('message', ({ data }: MessageEvent<PeerRequest>) => {
  const { id } = data;
  const tell = (answer: PeerAnswer) => postMessage(answer);
  (data.verb === 'load' ? load(data.payload) : run(data.payload)).then(
    (answer: unknown) => tell({ id, answer }),
    // It also throws numbers and texts.
    (error: unknown) => tell({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});

async function load({ entry, folder, threads, model, externalData }: PeerCalls['load']['payload']): Promise<string> {
  const found = (await import(/* @vite-ignore */ entry)) as Partial<Package>;
  if (typeof found.InferenceSession?.create !== 'function' || !found.env?.wasm || !found.Tensor) {
    throw new Error(`${entry.split('/').at(-1) ?? ''} has no InferenceSession: it is not onnxruntime-web`);
  }
  loaded = found as Package;
  const { env, InferenceSession } = loaded;
  env.wasm.numThreads = threads;
  env.wasm.wasmPaths = folder;
  env.logLevel = 'error';
  session = await InferenceSession.create(model, { executionProviders: ['wasm'], externalData });
  return env.versions.web ?? env.versions.common;
}

async function run(feeds: PeerCalls['run']['payload']): Promise<PeerCalls['run']['answer']> {
  if (!loaded || !session) throw new Error('the model is not loaded');
  const { Tensor } = loaded;
  const given = Object.entries(feeds).map(([name, { type, dims, data }]) => [name, new Tensor(type, data, dims)]);
  const outputs = await session.run(Object.fromEntries(given) as Record<string, unknown>);
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): PlainTensor | null {
  const { type, dims, data } = (value ?? {}) as Partial<PlainTensor>;
  return type !== undefined && dims && data ? { type, dims: [...dims], data } : null;
}
