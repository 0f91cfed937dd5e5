// Sessions as the page uses them: made of a dropped file, with the package's global settings put in one place.
import type { OperatorUse } from 'onnxlet';
import { env, InferenceSession, supports } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';

/** How a model is run. */
export interface Setup {
  readonly label: string;
  readonly threads: number;
  readonly simd: 'fixed' | 'relaxed' | false;
  readonly webgpu?: boolean;
}

export const STANDARD: Setup = { label: 'standard', threads: 0, simd: 'relaxed' };

export interface Wishes {
  readonly profile?: boolean;
  /** Runs the graph as the file has it, node by node. */
  readonly asWritten?: boolean;
  /** Bytes to run in place of the file's. */
  readonly file?: Blob;
}

let queue: Promise<unknown> = Promise.resolve();

/** `env` is global: what depends on its settings is done one after the other. */
export function openSession(model: LoadedModel, setup: Setup, wishes: Wishes = {}): Promise<InferenceSession> {
  const made = queue.then(() => {
    env.wasm.simd = setup.simd;
    return InferenceSession.create(wishes.file ?? model.file, {
      executionProviders: setup.webgpu ? ['webgpu', 'wasm'] : ['wasm'],
      intraOpNumThreads: setup.threads,
      enableProfiling: wishes.profile === true,
      graphOptimizationLevel: wishes.asWritten ? 'disabled' : 'all',
      externalData: [...model.companions].map(([path, data]) => ({ path, data })),
    });
  });
  queue = made.catch(() => undefined);
  return made;
}

/** Which of the model's operators the engine lacks. */
export function missingIn({ file }: LoadedModel): Promise<readonly OperatorUse[]> {
  const asked = queue.then(() => supports(file));
  queue = asked.catch(() => undefined);
  return asked.then(({ missing }) => missing);
}

/** A session in the engine that makes numbers of texts, which has one thread. */
export function openPreprocessing(model: Blob): Promise<InferenceSession> {
  const made = queue.then(async () => {
    env.wasm.wasmPaths = { wasm: new URL('./onnxlet/onnxlet-preprocessing.wasm', document.baseURI) };
    try {
      return await InferenceSession.create(model, { intraOpNumThreads: 1 });
    } finally {
      delete env.wasm.wasmPaths;
    }
  });
  queue = made.catch(() => undefined);
  return made;
}
