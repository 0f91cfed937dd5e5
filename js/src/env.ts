import { ABI_VERSION } from './abi.gen.js';
import type { GlobalType } from './tensor-api.js';

export type LogLevel = 'verbose' | 'info' | 'warning' | 'error' | 'fatal';

export interface WasmFlags {
  /** Threads a session may use, this one included. 0 or undefined: half of the cores, at most 4. */
  numThreads?: number | undefined;
  /** `false` asks for the flavour without SIMD, `'relaxed'` for relaxed SIMD where the engine has it (the default). */
  simd?: boolean | 'fixed' | 'relaxed' | undefined;
  /**
   * Where the engine lies: a folder's address ending in `/`, or addresses: for single file names, or as `wasm` the one
   * file to use. Addresses of onnxruntime-web's own files are passed over with a warning.
   */
  wasmPaths?: string | URL | WasmFilePaths | undefined;
  /** The bytes of a flavour, or the compiled module, to use instead of fetching one. */
  wasmBinary?: ArrayBufferLike | Uint8Array | WebAssembly.Module | undefined;
  /**
   * Whether the engine runs in a worker of its own. On a page's main thread, which may not block, it does unless this is
   * `'never'`; in Node and in workers it does not. `true` asks for a worker there, too. `false` is onnxruntime-web's
   * default and asks for nothing.
   */
  proxy?: boolean | 'never' | undefined;
  /** Milliseconds after which a worker that does not answer its start is given up; 0 waits for ever. */
  initTimeout?: number | undefined;
  /** Has no effect; accepted as in onnxruntime-web. */
  trace?: boolean | undefined;
}

export interface WasmFilePaths {
  wasm?: string | URL;
  /** Not a file of onnxlet: where it is named, `wasm` is taken for onnxruntime-web's and passed over, too. */
  mjs?: string | URL;
  [file: string]: string | URL | undefined;
}

/** Have no effect; accepted as in onnxruntime-web. */
export interface WebGLFlags {
  contextId?: 'webgl' | 'webgl2';
  readonly context?: GlobalType<'WebGLRenderingContext'>;
  matmulMaxBatchSize?: number;
  textureCacheMode?: 'initializerOnly' | 'full';
  pack?: boolean;
  async?: boolean;
}

export interface WebGpuFlags {
  /** Which adapter to ask for: `high-performance` when left out. */
  powerPreference?: 'low-power' | 'high-performance';
  forceFallbackAdapter?: boolean;
  /** Where the device is to come from. With it, or a device, the engine is on this thread instead of a worker. */
  adapter?: GlobalType<'GPUAdapter'>;
  /**
   * The device that sessions work on. Set it before the first one to have them share the program's own; after a session
   * was created whose engine is on this thread it is that session's. A device of the program's that is lost is refused.
   */
  device?: GlobalType<'GPUDevice'> | Promise<GlobalType<'GPUDevice'>>;
  /** Have no effect; accepted as in onnxruntime-web. */
  profilingMode?: 'off' | 'default';
  profiling?: { mode?: 'off' | 'default'; ondata?: (data: unknown) => void };
  validateInputContent?: boolean;
}

export interface Env {
  readonly wasm: WasmFlags;
  readonly webgl: WebGLFlags;
  readonly webgpu: WebGpuFlags;
  /** Bit-identical results on every machine, at the cost of relaxed SIMD. A session's own option goes before it. */
  deterministic: boolean;
  /** The least severe kind of message that reaches the console. */
  logLevel: LogLevel;
  debug: boolean;
  /** Has no effect; accepted as in onnxruntime-web. */
  trace?: boolean;
  /**
   * `onnxlet` and `common` are the package's version, `abi` the number that JavaScript and WebAssembly must share. There
   * is no `web`: programs make addresses of onnxruntime-web's files of it.
   */
  readonly versions: {
    readonly common: string;
    readonly web?: string;
    readonly node?: string;
    readonly onnxlet: string;
    readonly abi: string;
  };
  [name: string]: unknown;
}

export declare namespace Env {
  type WasmPathPrefix = string;
  type WasmFilePaths = import('./env.js').WasmFilePaths;
  type WasmPrefixOrFilePaths = WasmPathPrefix | WasmFilePaths;
  type WebAssemblyFlags = WasmFlags;
  type WebGLFlags = import('./env.js').WebGLFlags;
  type WebGpuFlags = import('./env.js').WebGpuFlags;
}

/** The package's version; the build writes it in. */
declare const ONNXLET_VERSION: string;
export const VERSION = typeof ONNXLET_VERSION === 'string' ? ONNXLET_VERSION : '0.0.0';

export const env: Env = {
  wasm: {},
  webgl: {},
  webgpu: {},
  deterministic: false,
  logLevel: 'warning',
  debug: false,
  versions: { common: VERSION, onnxlet: VERSION, abi: String(ABI_VERSION) },
};
