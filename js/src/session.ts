/// <reference lib="esnext.disposable" preserve="true" />
import type { FileInput } from './byte-source.js';
import { prepareDecryption } from './decrypt.js';
import type { DataType } from './dtypes.js';
import { typeOfOnnxName } from './dtypes.js';
import { env } from './env.js';
import { OnnxletError, throwIfAborted, withSignal } from './errors.js';
import { warnOnce } from './log.js';
import { Operators } from './operators.js';
import type { ExternalData, ExternalDataFile, RunOptions, SessionOptions } from './options.js';
import type * as providers from './providers.js';
import { engineOptions, outputLocation, reportRunOptions } from './options.js';
import { absoluteUrl } from './platform.js';
import type { StartedEngine } from './pool.js';
import { acquireEngine, releaseEngine } from './pool.js';
import type {
  ArgumentInfo,
  FileHandling,
  FileSource,
  MemoryReport,
  OperatorCall,
  RunReport,
  RunRequest,
  SessionReport,
  WireValue,
} from './protocol.js';
import { keptOf, ofKept, Tensor } from './tensor.js';
import type { DataLocation } from './tensor-api.js';
import type { AnyValue } from './values.js';
import { fromWire, toWire } from './values.js';
import { bindsGpu, outOfReach, showDevice, usableWebGpu } from './webgpu-session.js';

/** By input name: tensors, and arrays, Map or null where the model takes sequences, maps or optionals. */
type Feeds = Readonly<Record<string, AnyValue>>;
type Fetches = readonly string[] | Readonly<Record<string, AnyValue>>;

/** What is known about an input or output that is a tensor. */
export interface TensorValueMetadata {
  readonly name: string;
  readonly isTensor: true;
  readonly type: DataType;
  /** Symbolic dimensions by name; empty when the model does not tell. */
  readonly shape: readonly (number | string)[];
}
/** The same for sequences, maps and optionals. */
export interface NonTensorValueMetadata {
  readonly name: string;
  readonly isTensor: false;
  /** As ONNX writes it, such as `seq(tensor(float))`. */
  readonly type: string;
}
export type ValueMetadata = TensorValueMetadata | NonTensorValueMetadata;

/** A loaded model, ready to run. */
export class InferenceSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly ValueMetadata[];
  readonly outputMetadata: readonly ValueMetadata[];
  /** Threads that a run uses, which can be fewer than `env.wasm.numThreads` asked for. */
  readonly threads: number;
  /** Which build of the engine runs it. */
  readonly flavour: string;
  readonly #engine: StartedEngine;
  readonly #id: number;
  readonly #operators: Operators;
  readonly #types: ReadonlyMap<string, string>;
  readonly #location: (name: string) => DataLocation;
  readonly #profiling: boolean;
  #memory: MemoryReport;
  #queue: Promise<unknown> = Promise.resolve();
  #released: Promise<void> | undefined;

  private constructor(engine: StartedEngine, report: SessionReport, operators: Operators, options: SessionOptions) {
    const { inputs, outputs } = report.info;
    this.#engine = engine;
    this.#operators = operators;
    this.#location = outputLocation(options);
    this.#profiling = options.enableProfiling === true;
    this.#id = report.session;
    this.#memory = report.memory;
    this.#types = new Map(inputs.map(({ name, type }) => [name, type]));
    this.inputNames = inputs.map(({ name }) => name);
    this.outputNames = outputs.map(({ name }) => name);
    this.inputMetadata = inputs.map(metadataOf);
    this.outputMetadata = outputs.map(metadataOf);
    this.threads = engine.threads;
    this.flavour = engine.build.flavour;
  }

  // Overloads that could be one signature are kept apart: each has its own meaning to explain.
  /* eslint-disable @typescript-eslint/unified-signatures */
  /** From an address; in Node also from a path. Relative ones refer to the page or to the working directory. */
  static create(address: string | URL, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
  /** From the bytes of a model, which stay the caller's. */
  static create(
    model: ArrayBufferLike | Uint8Array | Blob,
    options?: InferenceSession.SessionOptions,
  ): Promise<InferenceSession>;
  /** From a part of a buffer. */
  static create(
    buffer: ArrayBufferLike,
    byteOffset: number,
    byteLength?: number,
    options?: InferenceSession.SessionOptions,
  ): Promise<InferenceSession>;
  /* eslint-enable @typescript-eslint/unified-signatures */
  static async create(model: FileInput, ...rest: readonly unknown[]): Promise<InferenceSession> {
    const [part, options] = splitArguments(model, rest);
    throwIfAborted(options.signal);
    const handling = await handlingOf(options);
    const source = { ...(await sourceOf(part, 'the model')), ...handling, integrity: options.integrity };
    const external = await externalSources(options.externalData ?? [], handling);
    const operators = new Operators();
    const webgpu = await usableWebGpu(options);
    const request = {
      model: source,
      external,
      operators: operators.names,
      options: engineOptions(options),
      webgpu,
    };
    const engine = await acquireEngine({
      threads: options.intraOpNumThreads || env.wasm.numThreads,
      deterministic: options.deterministic ?? env.deterministic,
      webgpu: webgpu !== undefined,
      here: webgpu !== undefined && bindsGpu(webgpu, options),
    });
    try {
      const { signal, onProgress } = options;
      const report = await engine.host.call('create', request, { signal, onProgress });
      const { device } = engine.host;
      if (webgpu && device && !webgpu.device) showDevice(device);
      return new InferenceSession(engine, report, operators, options);
    } catch (error) {
      // An engine that has run out of memory has grown as far as it could, and would never shrink.
      const exhausted = error instanceof OnnxletError && error.code === 'OUT_OF_MEMORY';
      releaseEngine(engine, exhausted ? undefined : 0);
      throw error;
    }
  }

  /** Bytes of memory, as of the last run. */
  get memory(): MemoryReport {
    return this.#memory;
  }

  /**
   * Computes outputs. Concurrent calls wait for each other in the order they were made.
   * @param feeds a value for each input, by name
   * @param fetches names of the outputs wanted (all when left out), or tensors to write them into
   */
  run(feeds: Feeds, options?: RunOptions): Promise<InferenceSession.ReturnType>;
  run(feeds: Feeds, fetches: Fetches, options?: RunOptions): Promise<InferenceSession.ReturnType>;
  async run(feeds: Feeds, second?: Fetches | RunOptions, third?: RunOptions): Promise<InferenceSession.ReturnType> {
    const [fetches, options] = this.#splitRunArguments(second, third);
    reportRunOptions(options);
    const names = Array.isArray(fetches) ? (fetches as readonly string[]) : Object.keys(fetches ?? {});
    const wire = Object.entries(feeds)
      .filter(([, value]) => (value as AnyValue | undefined) !== undefined)
      .map(([name, value]) => [name, this.#toWire(value, name)] as const);
    const outputs = names.length > 0 ? names : this.outputNames;
    const targets = Array.isArray(fetches) ? {} : ((fetches ?? {}) as Readonly<Record<string, AnyValue>>);
    for (const [name, target] of Object.entries(targets)) refuseElsewhere(name, target);
    const staying = (location: DataLocation) =>
      [...outputs.keys()].filter((i) => this.#location(outputs[i] ?? '') === location && !targets[outputs[i] ?? '']);
    const [keep, gpu] = [staying('cpu-pinned'), staying('gpu-buffer')];
    const { signal, disposeFeeds = false } = options;
    const request = { session: this.#id, feeds: wire, fetches: names, keep, gpu, dispose: disposeFeeds };
    const finished = this.#enqueue(async () => {
      throwIfAborted(signal);
      const report = await this.#call(request, signal).finally(() => {
        if (disposeFeeds) disposeKept(Object.values(feeds));
      });
      this.#memory = report.memory;
      if (signal?.aborted) this.#forget(report.outputs);
      throwIfAborted(signal);
      return report.outputs;
    });
    // The engine gives the run up after the node that it is at; the caller need not wait for that, later runs do.
    const values = await withSignal(signal, finished);
    return Object.fromEntries(
      values.map((value, index) => {
        const name = outputs[index] ?? '';
        return [name, deliver(this.#fromWire(value), targets[name], name)];
      }),
    ) as InferenceSession.ReturnType;
  }

  #forget(values: readonly WireValue[]): void {
    for (const value of values) {
      if ((value.kind === 'kept' || value.kind === 'gpu') && value.id !== undefined) {
        void this.#engine.host.call('forget', { id: value.id });
      }
    }
  }

  #toWire(value: AnyValue, name: string): WireValue {
    const { host } = this.#engine;
    const kept = value instanceof Tensor ? keptOf(value) : undefined;
    if (kept?.buffer && !host.here) throw outOfReach(name);
    const wire = toWire(value, this.#types.get(name) ?? '', name);
    if (kept === undefined || (kept.host ?? host) === host) return wire;
    if (wire.kind === 'gpu') return { ...wire, id: undefined };
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `input ${JSON.stringify(name)} is a tensor in another session's engine; make one from what getData() gives`,
    );
  }

  #fromWire(value: WireValue): AnyValue {
    if ((value.kind !== 'kept' && value.kind !== 'gpu') || value.id === undefined) return fromWire(value);
    const { host } = this.#engine;
    const { id, type, dims } = value;
    const read = async () => {
      const { outputs } = await host.call('read', { id });
      return (fromWire(outputs[0] ?? { kind: 'none' }) as Tensor).data;
    };
    const forget = () => {
      if (!host.lost) void host.call('forget', { id });
    };
    return ofKept(type, dims, { host, id, read, forget, ...(value.kind === 'gpu' && { buffer: value.buffer }) });
  }

  /** A run whose error has what an operator's function threw as its cause, also where the engine is in a worker. */
  async #call(request: RunRequest, signal: AbortSignal | undefined): Promise<RunReport> {
    const failure: { cause?: unknown } = {};
    const onOperator = async (call: OperatorCall) => {
      try {
        return await this.#operators.run(call);
      } catch (cause) {
        failure.cause = cause;
        throw cause;
      }
    };
    try {
      return await this.#engine.host.call('run', request, { signal, onOperator });
    } catch (error) {
      const ours = 'cause' in failure && error instanceof OnnxletError && error.code === 'RUN_FAILED';
      throw ours ? new OnnxletError(error.code, error.message, failure) : error;
    }
  }

  /** The timings of the last run, node by node; needs the option `enableProfiling`. */
  profile(): Promise<readonly InferenceSession.ProfileEntry[]> {
    return this.#enqueue(() => this.#engine.host.call('profile', { session: this.#id }));
  }

  /**
   * Where every node of the model, as the graph passes have left it, ran when it last did, in the order of the run, and why
   * it was not the GPU. Before the first run of a session with WebGPU it is empty.
   */
  placement(): Promise<readonly InferenceSession.PlacementEntry[]> {
    return this.#enqueue(() => this.#engine.host.call('placement', { session: this.#id }));
  }

  /** Frees what the session holds, once its runs are done. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** For `using`, which does not wait for the release to end. */
  [Symbol.dispose](): void {
    void this.release();
  }

  /** Every run of a session that was created with `enableProfiling` is timed; any other is told so. */
  startProfiling(): void {
    if (!this.#profiling) warnOnce('startProfiling has no effect on a session without the option enableProfiling');
  }

  /** Writes the timings of the last run to the console. `profile()` gives them to the program. */
  endProfiling(): void {
    if (!this.#profiling) return;
    void this.profile().then((rows) => {
      console.table(rows);
    });
  }

  async #release(): Promise<void> {
    await this.#queue.catch(() => undefined);
    let wasmBytes: number | undefined;
    try {
      if (!this.#engine.host.lost) ({ wasmBytes } = await this.#engine.host.call('release', { session: this.#id }));
    } finally {
      releaseEngine(this.#engine, wasmBytes);
    }
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    if (this.#released) return Promise.reject(new OnnxletError('INVALID_ARGUMENT', 'the session is released'));
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  // As in onnxruntime: an object whose keys are names of outputs is fetches, any other one is options.
  #splitRunArguments(
    second: Fetches | RunOptions | undefined,
    third: RunOptions | undefined,
  ): [Fetches | undefined, RunOptions] {
    if (second === undefined || Array.isArray(second)) return [second as readonly string[] | undefined, third ?? {}];
    const isFetches = Object.keys(second).some((key) => this.outputNames.includes(key));
    return isFetches ? [second as Fetches, third ?? {}] : [undefined, third ?? (second as RunOptions)];
  }
}

export declare namespace InferenceSession {
  interface OnnxValueMapType {
    readonly [name: string]: Tensor;
  }
  interface NullableOnnxValueMapType {
    readonly [name: string]: Tensor | null;
  }
  type FeedsType = OnnxValueMapType;
  type FetchesType = readonly string[] | NullableOnnxValueMapType;
  /**
   * By output name. Typed as tensors, which nearly all outputs are, as in onnxruntime; sequences come as arrays, maps
   * as Map and empty optionals as null (`outputMetadata` tells).
   */
  type ReturnType = OnnxValueMapType;
  type SessionOptions = import('./options.js').SessionOptions;
  type RunOptions = import('./options.js').RunOptions;
  type ValueMetadata = import('./session.js').ValueMetadata;
  type TensorValueMetadata = import('./session.js').TensorValueMetadata;
  type NonTensorValueMetadata = import('./session.js').NonTensorValueMetadata;
  type MemoryReport = import('./protocol.js').MemoryReport;
  type PlacementEntry = import('./protocol.js').PlacementEntry;
  type ProfileEntry = import('./protocol.js').ProfileEntry;
  type CoreMLExecutionProviderOption = providers.CoreMLExecutionProviderOption;
  type CpuExecutionProviderOption = providers.CpuExecutionProviderOption;
  type CudaExecutionProviderOption = providers.CudaExecutionProviderOption;
  type DmlExecutionProviderOption = providers.DmlExecutionProviderOption;
  type ExecutionProviderConfig = providers.ExecutionProviderConfig;
  type ExecutionProviderName = providers.ExecutionProviderName;
  type ExecutionProviderOption = providers.ExecutionProviderOption;
  type ExecutionProviderOptionMap = providers.ExecutionProviderOptionMap;
  type NnapiExecutionProviderOption = providers.NnapiExecutionProviderOption;
  type QnnExecutionProviderOption = providers.QnnExecutionProviderOption;
  type TensorRtExecutionProviderOption = providers.TensorRtExecutionProviderOption;
  type WebAssemblyExecutionProviderOption = providers.WebAssemblyExecutionProviderOption;
  type WebGLExecutionProviderOption = providers.WebGLExecutionProviderOption;
  type WebGpuExecutionProviderOption = providers.WebGpuExecutionProviderOption;
  type WebNNContextOptions = providers.WebNNContextOptions;
  type WebNNExecutionProviderOption = providers.WebNNExecutionProviderOption;
  type XnnpackExecutionProviderOption = providers.XnnpackExecutionProviderOption;
}

/** The type of `InferenceSession` itself. */
export type InferenceSessionFactory = typeof InferenceSession;

function metadataOf({ name, type, shape }: ArgumentInfo): ValueMetadata {
  const element = typeOfOnnxName(/^tensor\((\w+)\)$/.exec(type)?.[1] ?? '');
  if (element === undefined) return { name, isTensor: false, type };
  return { name, isTensor: true, type: element, shape: (shape ?? []).map((dim) => dim ?? '') };
}

function splitArguments(model: FileInput, rest: readonly unknown[]): [FileInput, SessionOptions] {
  const [first, second, third] = rest;
  if (typeof first !== 'number') return [model, first ?? {}];
  if (!isBuffer(model)) throw new OnnxletError('INVALID_ARGUMENT', 'an offset only makes sense with an ArrayBuffer');
  const length = typeof second === 'number' ? second : model.byteLength - first;
  if (!Number.isInteger(first) || first < 0 || length < 0 || first + length > model.byteLength) {
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `bytes ${first} to ${first + length} are not inside the buffer of ${model.byteLength} bytes`,
    );
  }
  const options = typeof second === 'number' ? third : second;
  return [new Uint8Array(model, first, length), options ?? {}];
}

function isBuffer(value: unknown): value is ArrayBufferLike {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
}

async function sourceOf(data: FileInput, what: string): Promise<FileSource> {
  if (typeof data === 'string' || data instanceof URL) return { kind: 'url', url: await absoluteUrl(data) };
  if (typeof Blob === 'function' && data instanceof Blob) return { kind: 'blob', blob: data };
  if (ArrayBuffer.isView(data)) {
    return { kind: 'bytes', bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
  }
  if (isBuffer(data)) return { kind: 'bytes', bytes: new Uint8Array(data) };
  throw new OnnxletError(
    'INVALID_ARGUMENT',
    `${what} must be an address, an ArrayBuffer, a Uint8Array or a Blob; got ${typeof data}`,
  );
}

const CACHE_NAME = 'onnxlet';

async function handlingOf({ cache, decrypt }: SessionOptions): Promise<FileHandling> {
  return {
    cache: cache === true ? CACHE_NAME : cache || undefined,
    decryption: decrypt && (await prepareDecryption(decrypt)),
  };
}

async function externalSources(
  files: readonly ExternalData[],
  handling: FileHandling,
): Promise<Record<string, FileSource>> {
  const sources: Record<string, FileSource> = {};
  for (const file of files) {
    const given: ExternalDataFile =
      typeof file === 'string' ? { path: file.split(/[/\\]/).at(-1) ?? file, data: file } : file;
    const { path, data, integrity } = given;
    const source = await sourceOf(data, `external data ${JSON.stringify(path)}`);
    sources[path.replace(/^(\.\/)+/, '')] = { ...source, ...handling, integrity };
  }
  return sources;
}

/** Those that lie in the engine. */
function disposeKept(values: readonly AnyValue[]): void {
  for (const value of values) if (value instanceof Tensor && keptOf(value)) value.dispose();
}

/** A tensor that an output is to be written into has its elements in memory. */
function refuseElsewhere(name: string, target: AnyValue | undefined): void {
  if (!(target instanceof Tensor) || !keptOf(target)) return;
  throw new OnnxletError(
    'INVALID_ARGUMENT',
    `output ${JSON.stringify(name)} cannot be written into a tensor whose elements are not in memory; ` +
      'the option preferredOutputLocation leaves outputs in the engine or on the GPU',
  );
}

/** Writes a result into the tensor that the caller gave for it, if any. */
function deliver(value: AnyValue, target: AnyValue | undefined, name: string): AnyValue {
  if (!(target instanceof Tensor)) return value;
  if (!(value instanceof Tensor) || value.type !== target.type || value.dims.join() !== target.dims.join()) {
    const got = value instanceof Tensor ? `${value.type}[${value.dims.join(', ')}]` : 'no tensor';
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `output ${JSON.stringify(name)} is ${got} and cannot be written into ${target.type}[${target.dims.join(', ')}]`,
    );
  }
  if (Array.isArray(target.data)) target.data.splice(0, target.size, ...(value.data as string[]));
  else (target.data as Uint8Array).set(value.data as Uint8Array);
  return target;
}
