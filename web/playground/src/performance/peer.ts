// Measures the supplied onnxruntime-web on the same model and inputs, and how far its outputs are from onnxlet's.
import type { Tensor } from 'onnxlet';
import type { Difference } from '../compare/metrics.js';
import { difference } from '../compare/metrics.js';
import type { LoadedModel } from '../model/loaded.js';
import type { Supplied } from '../onnxruntime/package.js';
import { openPeer } from '../onnxruntime/session.js';
import { openSession, STANDARD } from '../session/engine.js';
import { timesOf } from './benchmark.js';

export interface PeerResult {
  readonly version: string;
  /** Milliseconds. */
  readonly load: number;
  readonly times: readonly number[];
  /** By output of the model; undefined where they cannot be compared. */
  readonly differences: readonly { readonly name: string; readonly difference: Difference | undefined }[];
}

/** What can be measured: one thread, and several where the page has them. */
export function peerThreads(): number[] {
  const many = Math.max(2, Math.min(4, Math.ceil(navigator.hardwareConcurrency / 2)));
  return crossOriginIsolated ? [1, many] : [1];
}

export async function benchmarkPeer(
  supplied: Supplied,
  loaded: LoadedModel,
  threads: number,
  feeds: Readonly<Record<string, Tensor>>,
  runs: number,
): Promise<PeerResult> {
  const begin = performance.now();
  const session = await openPeer(supplied, loaded, threads);
  try {
    const load = performance.now() - begin;
    const outputs = await session.run(feeds);
    const times = await timesOf(() => session.run(feeds), runs);
    const expected = await outputsOf(loaded, feeds);
    const differences = Object.keys(expected).map((name) => ({
      name,
      difference: difference(expected[name], outputs[name]),
    }));
    return { version: session.version, load, times, differences };
  } finally {
    session.end();
  }
}

async function outputsOf(
  loaded: LoadedModel,
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Readonly<Record<string, unknown>>> {
  const session = await openSession(loaded, STANDARD);
  try {
    return await session.run(feeds);
  } finally {
    await session.release();
  }
}
