import { ABI_VERSION } from './abi.gen.js';

export type LogLevel = 'verbose' | 'info' | 'warning' | 'error' | 'fatal';

export interface WasmFlags {
  /** Threads a session may use, this one included. 0 or undefined: half of the cores, at most 4. */
  numThreads?: number | undefined;
  /** `false` asks for the flavour without SIMD, `'relaxed'` for relaxed SIMD where the engine has it (the default). */
  simd?: boolean | 'fixed' | 'relaxed' | undefined;
  /** Where the .wasm files lie: a folder's address ending in `/`, or an address for each file name. */
  wasmPaths?: string | URL | Readonly<Record<string, string | URL>> | undefined;
  /** The bytes of a flavour, or the compiled module, to use instead of fetching one. */
  wasmBinary?: ArrayBufferLike | Uint8Array | WebAssembly.Module | undefined;
  /**
   * Whether the engine runs in a worker of its own. By default it does on a page's main thread, which may not block,
   * and does not in Node and in workers.
   */
  proxy?: boolean | undefined;
  /** Milliseconds after which a worker that does not answer its start is given up; 0 waits for ever. */
  initTimeout?: number | undefined;
}

export interface Env {
  readonly wasm: WasmFlags;
  /** Bit-identical results on every machine, at the cost of relaxed SIMD. A session's own option goes before it. */
  deterministic: boolean;
  /** The least severe kind of message that reaches the console. */
  logLevel: LogLevel;
  debug: boolean;
  /** `onnxlet` and `web` are the package's version, `abi` the number that JavaScript and WebAssembly must share. */
  readonly versions: { readonly common: string; readonly web: string; readonly onnxlet: string; readonly abi: string };
}

/** The package's version; the build writes it in. */
declare const ONNXLET_VERSION: string;
export const VERSION = typeof ONNXLET_VERSION === 'string' ? ONNXLET_VERSION : '0.0.0';

export const env: Env = {
  wasm: {},
  deterministic: false,
  logLevel: 'warning',
  debug: false,
  versions: { common: VERSION, web: VERSION, onnxlet: VERSION, abi: String(ABI_VERSION) },
};
