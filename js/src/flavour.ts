// Which build of the engine suits the host. Nothing here is downloaded: features are asked of WebAssembly.validate.

export interface Features {
  readonly simd: boolean;
  readonly relaxedSimd: boolean;
  /** Atomic instructions, and memory that threads can share. */
  readonly threads: boolean;
}

export interface Wanted {
  /** Threads asked for, the calling one included. */
  readonly threads: number;
  /** Relaxed SIMD may round differently from machine to machine. */
  readonly deterministic: boolean;
  readonly simd: boolean | 'fixed' | 'relaxed' | undefined;
  /** The engine that can put work on a GPU. */
  readonly webgpu?: boolean;
}

export const FLAVOUR_FILES = [
  'onnxlet.wasm',
  'onnxlet-relaxed.wasm',
  'onnxlet-threads.wasm',
  'onnxlet-relaxed-threads.wasm',
  'onnxlet-scalar.wasm',
  'onnxlet-webgpu.wasm',
] as const;
export type FlavourFile = (typeof FLAVOUR_FILES)[number];

export interface Flavour {
  readonly file: FlavourFile;
  readonly threads: boolean;
}

/** The best flavour of those the features allow. */
export function pickFlavour(features: Features, wanted: Wanted): Flavour {
  if (!features.simd || wanted.simd === false) return { file: 'onnxlet-scalar.wasm', threads: false };
  if (wanted.webgpu) return { file: 'onnxlet-webgpu.wasm', threads: false };
  const threads = features.threads && wanted.threads > 1;
  const relaxed = features.relaxedSimd && !wanted.deterministic && wanted.simd !== 'fixed';
  if (threads) return { file: relaxed ? 'onnxlet-relaxed-threads.wasm' : 'onnxlet-threads.wasm', threads };
  return { file: relaxed ? 'onnxlet-relaxed.wasm' : 'onnxlet.wasm', threads };
}

// Each probe is a module with one function that uses the feature.
const HEAD = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
// () -> (), i8x16.popcnt(i8x16.splat(0))
const SIMD = [...HEAD, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 11, 1, 9, 0, 0x41, 0, 0xfd, 15, 0xfd, 98, 0x1a, 11];
// () -> v128, i8x16.relaxed_swizzle of two splats
const RELAXED_SIMD = [
  ...[...HEAD, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 10, 15, 1, 13, 0],
  ...[0x41, 1, 0xfd, 15, 0x41, 2, 0xfd, 15, 0xfd, 0x80, 2, 11],
];
// a shared memory, and i32.atomic.load in it
const THREADS = [
  ...[...HEAD, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 4, 1, 3, 1, 1, 10, 11, 1, 9, 0],
  ...[0x41, 0, 0xfe, 0x10, 2, 0, 0x1a, 11],
];

/** What this realm can do. */
export function detectFeatures(): Features {
  const validate = (bytes: readonly number[]) => WebAssembly.validate(new Uint8Array(bytes));
  const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;
  return {
    simd: validate(SIMD),
    relaxedSimd: validate(RELAXED_SIMD),
    threads: isolated && typeof SharedArrayBuffer === 'function' && validate(THREADS),
  };
}

/** Why threads cannot be had, for the warning. */
export function threadsRefusal(): string {
  if ((globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === false) {
    return (
      'the page is not cross-origin isolated; serve it with the headers ' +
      '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp"'
    );
  }
  return 'this JavaScript engine has no shared WebAssembly memory';
}
