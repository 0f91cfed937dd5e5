// Session and run options: onnxruntime's names, and what they become for the engine.
import type { DecryptOptions } from './decrypt.js';
import { env } from './env.js';
import type { LogLevel } from './env.js';
import type { Progress } from './fetching.js';
import { warnOnce } from './log.js';
import type { ExecutionProviderConfig } from './providers.js';
import { reportProviders } from './providers.js';
import type { DataLocation } from './tensor-api.js';

export interface ExternalDataFile {
  /** As the model names it. */
  readonly path: string;
  readonly data: string | URL | Blob | ArrayBufferLike | Uint8Array;
  /** What the file's bytes must hash to (Subresource Integrity). */
  readonly integrity?: string;
}
export type ExternalData = string | ExternalDataFile;

export interface SessionOptions {
  /** `wasm` (also under the name `cpu`), and before it `webgpu`; others are reported once and passed over. */
  executionProviders?: readonly ExecutionProviderConfig[];
  graphOptimizationLevel?: 'disabled' | 'basic' | 'extended' | 'layout' | 'all';
  /** Sizes for the symbolic dimensions of inputs, by name. */
  freeDimensionOverrides?: Readonly<Record<string, number>>;
  /** Data files of the model, by the name it uses for them. Without it they are fetched from beside the model. */
  externalData?: readonly ExternalData[];
  enableProfiling?: boolean;
  enableMemPattern?: boolean;
  enableCpuMemArena?: boolean;
  executionMode?: 'sequential' | 'parallel';
  optimizedModelFilePath?: string;
  profileFilePrefix?: string;
  logId?: string;
  logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
  logVerbosityLevel?: number;
  intraOpNumThreads?: number;
  interOpNumThreads?: number;
  /**
   * `cpu-pinned`, for all outputs or by name: tensors stay in the engine until they are disposed. They can be fed to the
   * session again, which copies nothing, as caches of language models are; `getData()` gives their elements.
   * `gpu-buffer` is the same on the GPU, and their `gpuBuffer` is for other programs of the device to read; it needs the
   * execution provider `webgpu`, and puts the engine on this thread instead of a worker. Where there turns out to be no
   * WebGPU, these outputs are on the CPU.
   */
  preferredOutputLocation?: DataLocation | Readonly<Record<string, DataLocation>>;
  enableGraphCapture?: boolean;
  extra?: Readonly<Record<string, unknown>>;

  /** Called while files arrive. */
  onProgress?: (progress: Progress) => void;
  /** Stops the creation. */
  signal?: AbortSignal;
  /** What the model's bytes must hash to, like `sha384-...` (Subresource Integrity). */
  integrity?: string;
  /** Keeps fetched files in the Cache API, under this name (true: `onnxlet`), until their address or `integrity` changes. */
  cache?: boolean | string;
  /**
   * For model and data files that are encrypted with AES-GCM: 12 bytes of initialization vector, then the ciphertext with
   * its tag. Whoever runs the page can read the key: this keeps files from being read where they lie, no more.
   */
  decrypt?: DecryptOptions;
  /** Bit-identical results on every machine; `env.deterministic` when left out. */
  deterministic?: boolean;
  /** Names of optimisation passes to leave out. */
  disabledPasses?: readonly string[];
  /** Counts instead of the attribute of every MatMulNBits: 0 keeps A in float, 4 allows rounding it to 8 bits. */
  accuracyLevel?: 0 | 1 | 2 | 3 | 4;
  /** Bytes that the session may use. */
  maxMemory?: number;
  /** Bytes that one of its tensors may have. */
  maxTensorBytes?: number;
  /** Nodes that a run may run, counted as often as they do, so that a loop without an end is an error. */
  maxSteps?: number;
  /** Seed of random operators. */
  seed?: number;
  /** How much the engine tells about itself: 1 plan, 2 every node, 3 statistics of tensors, 4 everything. */
  trace?: 0 | 1 | 2 | 3 | 4;
}

export interface RunOptions {
  /** Rejects the run and stops it: before it begins, between two nodes, or while it waits for an operator of the caller's. */
  signal?: AbortSignal;
  /**
   * Disposes the tensors among the feeds that are in the engine (see `preferredOutputLocation`), which the run may then
   * write over: a cache with room for more tokens is not copied. A run that fails disposes them as well.
   */
  disposeFeeds?: boolean;
  logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
  logVerbosityLevel?: number;
  terminate?: boolean;
  tag?: string;
  extra?: Readonly<Record<string, unknown>>;
}

// Options of onnxruntime that have no meaning here, with the values that ask for nothing special.
const WITHOUT_MEANING: Readonly<Record<string, readonly unknown[]>> = {
  enableCpuMemArena: [true],
  executionMode: ['sequential'],
  optimizedModelFilePath: [''],
  profileFilePrefix: [''],
  interOpNumThreads: [0, 1],
  preferredOutputLocation: ['cpu', 'cpu-pinned', 'gpu-buffer'],
  enableGraphCapture: [false],
  logId: [''],
  logVerbosityLevel: [0],
  // Entries of onnxruntime's own configuration; none of them is known here.
  extra: [],
};
const RUN_WITHOUT_MEANING: typeof WITHOUT_MEANING = { terminate: [false], logVerbosityLevel: [0], extra: [] };
const RUN_KNOWN = new Set([...Object.keys(RUN_WITHOUT_MEANING), 'signal', 'disposeFeeds', 'logSeverityLevel', 'tag']);

const KNOWN = new Set([
  ...Object.keys(WITHOUT_MEANING),
  ...['executionProviders', 'graphOptimizationLevel', 'freeDimensionOverrides', 'externalData', 'enableProfiling'],
  ...['enableMemPattern', 'logSeverityLevel', 'intraOpNumThreads'],
  ...[
    'onProgress',
    'signal',
    'integrity',
    'cache',
    'decrypt',
    'deterministic',
    'disabledPasses',
    'maxMemory',
    'maxTensorBytes',
    'maxSteps',
    'seed',
    'trace',
    'accuracyLevel',
  ],
]);

const LEVELS: Readonly<Record<LogLevel, number>> = { verbose: 0, info: 1, warning: 2, error: 3, fatal: 4 };

/** The JSON that ol_session_create reads. */
export function engineOptions(options: SessionOptions): string {
  reportUnused('session', options, WITHOUT_MEANING, KNOWN);
  if ((options.logSeverityLevel ?? LEVELS[env.logLevel]) <= LEVELS.warning) {
    reportProviders(options.executionProviders ?? []);
  }
  const level = options.graphOptimizationLevel;
  return JSON.stringify({
    graph_optimization_level: level === 'layout' ? 'all' : level,
    disabled_passes: options.disabledPasses,
    max_memory: options.maxMemory,
    max_tensor_bytes: options.maxTensorBytes,
    max_steps: options.maxSteps,
    free_dimensions: options.freeDimensionOverrides,
    profile: options.enableProfiling,
    trace: options.trace,
    deterministic: options.deterministic ?? env.deterministic,
    seed: options.seed,
    memory_plan: options.enableMemPattern,
    accuracy_level: options.accuracyLevel,
  });
}

/** Where an output of this name is wanted. */
export function outputLocation({ preferredOutputLocation: wanted }: SessionOptions): (name: string) => DataLocation {
  return (name) => (typeof wanted === 'object' ? wanted[name] : wanted) ?? 'cpu';
}

/** Whether some output is to stay on the GPU. */
export function keepsOnGpu({ preferredOutputLocation: wanted }: SessionOptions): boolean {
  return (typeof wanted === 'object' ? Object.values(wanted) : [wanted]).includes('gpu-buffer');
}

export function reportRunOptions(options: RunOptions): void {
  reportUnused('run', options, RUN_WITHOUT_MEANING, RUN_KNOWN);
}

function reportUnused(
  kind: 'session' | 'run',
  options: SessionOptions | RunOptions,
  withoutMeaning: typeof WITHOUT_MEANING,
  known: ReadonlySet<string>,
): void {
  // Where only errors are wanted, advice is not.
  if ((options.logSeverityLevel ?? LEVELS[env.logLevel]) > LEVELS.warning) return;
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const harmless = withoutMeaning[name];
    // Locations may be given output by output.
    const values = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    if (harmless && value !== undefined && !values.every((each) => harmless.includes(each))) {
      warnOnce(`the ${kind} option ${name} has no effect here`);
    } else if (!known.has(name)) {
      warnOnce(`there is no ${kind} option ${name}`);
    }
  }
}
