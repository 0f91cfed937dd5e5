// What a session asks of an engine, wherever it runs: one union that ties each verb to its payload and its answer.
import type { MemoryLimits } from './wasm-head.js';
import type { Decryption } from './decrypt.js';
import type { DataType } from './dtypes.js';
import type { ErrorCode } from './errors.js';
import type { Progress } from './fetching.js';
import type { LogLevel } from './env.js';
import type { WebGpuWishes } from './providers.js';

/** A value on its way between session and engine. Tensor data are the bytes of ONNX's raw_data. */
export type WireValue =
  | {
      readonly kind: 'tensor';
      readonly type: DataType;
      readonly dims: readonly number[];
      readonly data: Uint8Array | string[];
    }
  /** A tensor that stays in the engine. */
  | { readonly kind: 'kept'; readonly id: number; readonly type: DataType; readonly dims: readonly number[] }
  /** A tensor in a GPU buffer, for an engine in this realm. With an id it is one that the engine keeps. */
  | {
      readonly kind: 'gpu';
      readonly buffer: GPUBuffer;
      readonly id?: number | undefined;
      readonly type: DataType;
      readonly dims: readonly number[];
    }
  | { readonly kind: 'sequence'; readonly items: readonly WireValue[] }
  | { readonly kind: 'map'; readonly keys: WireValue; readonly values: WireValue }
  | { readonly kind: 'none' };

/** What is done with a file's bytes on their way. */
export interface FileHandling {
  readonly integrity?: string | undefined;
  /** The name of the cache that keeps a copy of what is fetched. */
  readonly cache?: string | undefined;
  readonly decryption?: Decryption | undefined;
}

/** Where a file's bytes come from. */
export type FileSource = FileHandling &
  (
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'blob'; readonly blob: Blob }
  );

export interface EngineStart {
  readonly module: WebAssembly.Module;
  readonly memory: MemoryLimits | null;
  readonly origin: string;
  /** Threads asked for, the calling one included. */
  readonly threads: number;
  /** Milliseconds to wait for threads. */
  readonly timeout: number;
  readonly logLevel: LogLevel;
}

export interface EngineReport {
  readonly threads: number;
  readonly build: BuildInfo;
}

export interface BuildInfo {
  readonly version: string;
  readonly abi: number;
  readonly flavour: string;
  readonly operators: readonly (readonly [domain: string, name: string, since: number])[];
}

export interface ModelRequest {
  readonly model: FileSource;
  /** By the name that the model uses. */
  readonly external: Readonly<Record<string, FileSource>>;
}

export type OperatorName = readonly [domain: string, opType: string];

export interface SessionRequest extends ModelRequest {
  /** Those that the caller runs: see CallOptions.onOperator. */
  readonly operators: readonly OperatorName[];
  /** The JSON that ol_session_create reads. */
  readonly options: string;
  /** Puts work on a GPU, where there is one. */
  readonly webgpu?: WebGpuWishes | undefined;
}

export interface ArgumentInfo {
  readonly name: string;
  /** As ONNX writes it: `tensor(float)`, `seq(tensor(int64))`, `map(string,tensor(float))`. */
  readonly type: string;
  readonly shape: readonly (number | string | null)[] | null;
}

export interface SessionInfo {
  readonly inputs: readonly ArgumentInfo[];
  readonly outputs: readonly ArgumentInfo[];
}

/** In bytes. */
export interface MemoryReport {
  /** What the session holds now, and the most it has held. */
  readonly inUse: number;
  readonly peak: number;
  /** What `maxMemory` allows; 0 without a limit. */
  readonly limit: number;
  /** The model file, as long as its bytes are needed. */
  readonly modelBytes: number;
  /** All memory of the engine, which other sessions may share. It never shrinks. */
  readonly wasmBytes: number;
}

export interface ProfileEntry {
  readonly node: string;
  readonly opType: string;
  readonly domain: string;
  /** Null where an operator has but one way. */
  readonly kernel: string | null;
  /** Microseconds. */
  readonly start: number;
  readonly duration: number;
  /** Types and shapes, such as `float[1,3]`. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Where a node of the model, as the graph passes have left it, has run when it last did. */
export interface PlacementEntry {
  readonly node: string;
  readonly opType: string;
  readonly domain: string;
  readonly provider: 'webgpu' | 'wasm';
  /** Why it was not the GPU: no kernel, a type, a size, or not worth it; null where it was. */
  readonly reason: string | null;
}

export interface SessionReport {
  readonly session: number;
  readonly info: SessionInfo;
  readonly memory: MemoryReport;
}

export interface RunRequest {
  readonly session: number;
  readonly feeds: readonly (readonly [name: string, value: WireValue])[];
  /** Empty: every output. */
  readonly fetches: readonly string[];
  /** Those of the outputs, by their place, that stay in the engine when they are tensors. */
  readonly keep: readonly number[];
  /** Those that stay on the session's GPU, if it has one. */
  readonly gpu: readonly number[];
  /** Whether the engine forgets the tensors that it kept and is now fed. */
  readonly dispose: boolean;
}

export interface RunReport {
  readonly outputs: readonly WireValue[];
  readonly memory: MemoryReport;
}

/** An operator that the engine does not run itself. */
export interface OperatorCall {
  readonly name: OperatorName;
  readonly attributes: Readonly<Record<string, number | string | readonly number[] | readonly string[]>>;
  /** An absent one is of kind `none`. */
  readonly inputs: readonly WireValue[];
  /** How many outputs the node has. */
  readonly outputs: number;
}

/** As the engine writes it; the parts that are read here. */
export interface ModelDescription {
  readonly operators: readonly {
    readonly domain: string;
    readonly op_type: string;
    readonly count: number;
    /** The version of the operator that the model means; 0 when it is not known. */
    readonly since: number;
    readonly supported: boolean;
  }[];
  readonly external?: readonly { readonly file: string; readonly bytes: number }[];
}

/** Verb -> payload and answer. */
export interface Calls {
  start: { payload: EngineStart; answer: EngineReport };
  describe: { payload: { readonly model: FileSource }; answer: ModelDescription };
  create: { payload: SessionRequest; answer: SessionReport };
  run: { payload: RunRequest; answer: RunReport };
  /** The elements of a tensor that the engine keeps, and its end. */
  read: { payload: { readonly id: number }; answer: { readonly outputs: readonly WireValue[] } };
  forget: { payload: { readonly id: number }; answer: { readonly outputs: readonly WireValue[] } };
  profile: { payload: { readonly session: number }; answer: readonly ProfileEntry[] };
  placement: { payload: { readonly session: number }; answer: readonly PlacementEntry[] };
  release: { payload: { readonly session: number }; answer: { readonly wasmBytes: number } };
}
export type Verb = keyof Calls;

export type Request = {
  [V in Verb]: { readonly id: number; readonly verb: V; readonly payload: Calls[V]['payload'] };
}[Verb];

export type ToEngine =
  | Request
  | { readonly id: number; readonly verb: 'abort' }
  /** The answer to an operator: its outputs, or why there are none. */
  | { readonly id: number; readonly verb: 'outputs'; readonly outputs: readonly WireValue[] }
  | { readonly id: number; readonly verb: 'failure'; readonly message: string };

export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
}

export type FromEngine =
  /** Sent once, when the worker's script has loaded. */
  | { readonly kind: 'hello' }
  /** For the console. */
  | { readonly kind: 'log'; readonly level: LogLevel; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown; readonly lost: boolean }
  | { readonly kind: 'error'; readonly id: number; readonly error: WireError; readonly lost: boolean }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'operator'; readonly id: number; readonly call: OperatorCall };

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Runs an operator of the session's own; what it rejects with fails the run. */
  readonly onOperator?: ((call: OperatorCall) => Promise<readonly WireValue[]>) | undefined;
}

/** An engine to talk to, in this realm or in a worker. */
export interface EngineHost {
  call<V extends Verb>(verb: V, payload: Calls[V]['payload'], options?: CallOptions): Promise<Calls[V]['answer']>;
  /** Whether a trap or the end of its worker has made it unusable. */
  readonly lost: boolean;
  /** Whether it is in this realm: GPU devices and buffers cannot be handed to a worker. */
  readonly here: boolean;
  /** The device that its sessions use, where it is here and has one. */
  readonly device?: GPUDevice | undefined;
  close(): void;
}
