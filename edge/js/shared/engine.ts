// Which of the engine's files in a bundle runs it. Not every bundle has every flavour.
import type { Features } from 'onnxlet';
import { pickFlavour } from 'onnxlet';
import { Problem } from './interface.js';

/** The best of the files that this host can run. */
export function chooseEngine(files: readonly string[], features: Features): { file: string; threads: boolean } {
  const wishes = [
    { threads: 2, simd: 'relaxed' },
    { threads: 2, simd: 'fixed' },
    { threads: 1, simd: 'relaxed' },
    { threads: 1, simd: 'fixed' },
    { threads: 1, simd: false },
  ] as const;
  for (const wish of wishes) {
    const flavour = pickFlavour(features, { deterministic: false, ...wish });
    if (files.includes(flavour.file)) return flavour;
  }
  throw new Problem('this host cannot run the engine of the bundle: it has no SIMD instructions of WebAssembly');
}
