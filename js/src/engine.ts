// The engine as sessions see it: answers the protocol's calls on one instance, in whatever realm it was started.
import type { Pointer } from './abi.gen.js';
import { Progress as RunProgress } from './abi.gen.js';
import { TYPES } from './dtypes.js';
import { messageOf, OnnxletError, throwIfAborted } from './errors.js';
import { keptValue, pushGpuTensor, pushValue, readValue, takeValue } from './marshal.js';
import type { Loaded } from './model-loader.js';
import { loadFile } from './model-loader.js';
import { gpuModule } from './assets.js';
import type { Executor, Gpu } from './gpu/index.js';
import { decodeImage, IMAGE_DECODER, needDecoder } from './images.js';
import { log } from './log.js';
import { instantiate } from './module.js';
import type { EngineModule } from './module.js';
import { announceOperators, runPending } from './pending.js';
import { operatorKey } from './operators.js';
import { nextTask } from './platform.js';
import type * as p from './protocol.js';
import { externalSource } from './external.js';
import { Threads } from './threads.js';

/** How long a run works until it is seen whether somebody has aborted it. */
const SLICE_MICROSECONDS = 20_000;

/** As the engine writes them. */
interface RawMemory {
  readonly in_use: number;
  readonly peak: number;
  readonly limit: number;
  readonly model_bytes: number;
}
interface RawProfileEntry extends Omit<p.ProfileEntry, 'opType' | 'start' | 'duration'> {
  readonly op_type: string;
  readonly start_us: number;
  readonly duration_us: number;
}

interface RawPlacementEntry extends Omit<p.PlacementEntry, 'opType'> {
  readonly op_type: string;
}
interface RawNode {
  readonly name: string;
  readonly op_type: string;
  readonly domain: string;
}
type GpuValue = Extract<p.WireValue, { kind: 'gpu' }>;

interface Session {
  readonly pointer: Pointer;
  /** Keys of the operators that the caller runs. */
  readonly operators: ReadonlySet<string>;
  /** Where the session has work on a GPU, as long as that is there. */
  device: Executor | undefined;
}

interface Kept {
  readonly pointer: Pointer;
  readonly session: number;
  /** Where the elements are on a GPU. */
  readonly gpu?: { readonly device: Executor; readonly buffer: GPUBuffer } | undefined;
}

type Handler<V extends p.Verb> = (
  payload: p.Calls[V]['payload'],
  options: p.CallOptions,
) => Promise<p.Calls[V]['answer']> | p.Calls[V]['answer'];

export class Engine {
  readonly #sessions = new Map<number, Session>();
  /** Tensors that stay here until the caller forgets them, or their session is released. */
  readonly #kept = new Map<number, Kept>();
  #next = 1;
  #module: EngineModule | undefined;
  #threads: Threads | undefined;
  #gpu: Gpu | undefined;

  readonly #handlers: { readonly [V in p.Verb]: Handler<V> } = {
    start: (payload) => this.#start(payload),
    describe: async (payload, options) => {
      const model = await this.#open(payload.model, options);
      try {
        return this.module.json(this.module.abi.ol_model_describe(model)) as p.ModelDescription;
      } finally {
        if (!this.module.lost) this.module.abi.ol_model_free(model);
      }
    },
    create: (payload, options) => this.#create(payload, options),
    run: (payload, options) => this.#run(payload, options),
    read: async ({ id }) => ({ outputs: [await this.#read(id)] }),
    forget: ({ id }) => {
      this.#forget(id);
      return { outputs: [] };
    },
    profile: ({ session }) => {
      const rows = this.module.json(
        this.module.abi.ol_session_profile(this.#session(session).pointer),
      ) as RawProfileEntry[];
      return rows.map(({ op_type, start_us, duration_us, ...rest }) => ({
        ...rest,
        opType: op_type,
        start: start_us,
        duration: duration_us,
      }));
    },
    placement: ({ session }) => this.#placement(this.#session(session)),
    release: ({ session }) => {
      for (const [id, kept] of this.#kept) {
        if (kept.session === session) this.#forget(id);
      }
      const { pointer, device } = this.#session(session);
      this.module.abi.ol_session_free(pointer);
      device?.destroy();
      this.#sessions.delete(session);
      return { wasmBytes: this.module.bytes.length };
    },
  };

  get lost(): boolean {
    return this.#module?.lost !== undefined;
  }

  /** The last one that a session was given. */
  get device(): GPUDevice | undefined {
    return this.#gpu?.device;
  }

  async call<V extends p.Verb>(
    verb: V,
    payload: p.Calls[V]['payload'],
    options: p.CallOptions = {},
  ): Promise<p.Calls[V]['answer']> {
    return this.#handlers[verb](payload, options);
  }

  close(): void {
    this.#threads?.stop();
    this.#module?.lose(new OnnxletError('INTERNAL', 'this engine is closed'));
  }

  private get module(): EngineModule {
    if (!this.#module) throw new OnnxletError('INTERNAL', 'the engine has not been started');
    return this.#module;
  }

  async #start(start: p.EngineStart): Promise<p.EngineReport> {
    const { module, sharedMemory } = await instantiate(start);
    this.#module = module;
    let workers = 0;
    if (sharedMemory && start.threads > 1) {
      this.#threads = new Threads(module);
      workers = await this.#threads.start(start.module, start.threads - 1, start.timeout);
    }
    return { threads: workers + 1, build: module.json(module.abi.ol_build_info()) as p.BuildInfo };
  }

  /** Parses the file; the result is the caller's to free or to make a session of. */
  async #open(source: p.FileSource, options: p.CallOptions): Promise<Pointer> {
    const { module } = this;
    const name = source.kind === 'url' ? source.url : 'the model';
    const file: Loaded = await loadFile(module, source, name, options);
    return module.checkPointer(module.abi.ol_model_open(file.pointer, file.size));
  }

  async #create(request: p.SessionRequest, options: p.CallOptions): Promise<p.SessionReport> {
    const { module } = this;
    const { abi } = module;
    const model = await this.#open(request.model, options);
    const operators = new Set(request.operators.map(operatorKey));
    try {
      const described = module.json(module.abi.ol_model_describe(model)) as p.ModelDescription;
      if (this.#decodes(described) && !operators.has(operatorKey(IMAGE_DECODER))) needDecoder();
      await this.#provide(model, described, request, options);
      throwIfAborted(options.signal);
      announceOperators(module, request.operators);
    } catch (error) {
      if (!module.lost) abi.ol_model_free(model);
      throw error;
    }
    const gpu = await this.#openGpu(request, model);
    const device = gpu && {
      min_bytes: request.webgpu?.minBytes,
      max_buffer: gpu.maxTensorBytes,
      max_bytes: request.webgpu?.maxBytes,
      on_processor: gpu.onProcessor,
      packed_dots: gpu.packedDots,
    };
    const sessionOptions = JSON.stringify({ ...(JSON.parse(request.options) as object), device });
    const session = module.withText(sessionOptions, (text, length) =>
      module.checkPointer(abi.ol_session_create(model, text, length)),
    );
    const id = this.#next++;
    this.#sessions.set(id, { pointer: session, operators, device: gpu?.executor(module) });
    const info = module.json(abi.ol_session_describe(session)) as p.SessionInfo;
    return { session: id, info: { inputs: info.inputs, outputs: info.outputs }, memory: this.#memory(session) };
  }

  /** Whether the model has pictures decoded, and the engine leaves that to its host. */
  #decodes({ operators }: p.ModelDescription): boolean {
    const [, decoder] = IMAGE_DECODER;
    if (!operators.some(({ domain, op_type }) => domain === '' && op_type === decoder)) return false;
    const { operators: own } = this.module.json(this.module.abi.ol_build_info()) as p.BuildInfo;
    return !own.some(([domain, name]) => domain === '' && name === decoder);
  }

  /** A device for a session that wants one; nothing where there is none, which is told. */
  async #openGpu(request: p.SessionRequest, model: Pointer): Promise<Gpu | undefined> {
    if (!request.webgpu) return undefined;
    this.#gpu = undefined;
    try {
      const opened = await (await gpuModule()).open(request.webgpu);
      if ('fault' in opened) throw new OnnxletError('INVALID_ARGUMENT', opened.fault);
      if ('refusal' in opened) log('warning', `WebGPU was asked for and wasm is used: ${opened.refusal}`);
      else this.#gpu = opened.gpu;
      return this.#gpu;
    } catch (error) {
      if (!this.module.lost) this.module.abi.ol_model_free(model);
      throw error;
    }
  }

  async #provide(
    model: Pointer,
    described: p.ModelDescription,
    request: p.ModelRequest,
    options: p.CallOptions,
  ): Promise<void> {
    const { module } = this;
    for (const { file } of described.external ?? []) {
      const source = await externalSource(file, request);
      const data = await loadFile(module, source, file, options);
      module.withText(file, (text, length) =>
        module.check(module.abi.ol_model_provide(model, text, length, data.pointer, data.size)),
      );
    }
  }

  async #run(request: p.RunRequest, options: p.CallOptions): Promise<p.RunReport> {
    throwIfAborted(options.signal);
    const { module } = this;
    const { abi } = module;
    const { pointer: session, operators, device } = this.#session(request.session);
    for (const [name, value] of request.feeds) if (value.kind === 'gpu') await this.#checkGpu(name, value, device);
    const run = module.checkPointer(abi.ol_run_new(session));
    try {
      for (const [name, value] of request.feeds) this.#feed(run, request.session, name, value);
      // The run holds them now, and may work in their memory.
      if (request.dispose) this.#forgetAll(request.feeds, request.session);
      for (const name of request.fetches) {
        module.withText(name, (text, length) => module.check(abi.ol_run_fetch(run, text, length)));
      }
      if (device) for (const index of request.gpu) module.check(abi.ol_run_keep(run, index));
      // Who cannot abort it need not be listened to meanwhile.
      const step = () => (options.signal ? abi.ol_run_slice(run, SLICE_MICROSECONDS) : abi.ol_run_step(run));
      for (let progress = step(); module.check(progress) !== RunProgress.DONE; progress = step()) {
        if (progress === RunProgress.PENDING) {
          const operate = (call: p.OperatorCall) => this.#operate(call, operators, options);
          await runPending(module, run, operate, device, options.signal);
        } else {
          await nextTask();
          throwIfAborted(options.signal);
        }
      }
      const outputs: p.WireValue[] = [];
      const count = abi.ol_run_output_count(run);
      for (let index = 0; index < count; index++) {
        const pointer = module.checkPointer(abi.ol_run_output(run, index));
        const kept = request.keep.includes(index) || request.gpu.includes(index);
        outputs.push((kept && this.#keep(pointer, request.session)) || takeValue(module, pointer));
      }
      return { outputs, memory: this.#memory(session) };
    } catch (error) {
      this.#leaveLost(request.session);
      throw error;
    } finally {
      if (request.dispose) this.#forgetAll(request.feeds);
      if (!module.lost) abi.ol_run_free(run);
    }
  }

  /** A session whose GPU is gone goes on without it. */
  #leaveLost(id: number): void {
    const session = this.#session(id);
    if (session.device?.lost === undefined || this.module.lost) return;
    log('warning', `WebGPU is lost (${session.device.lost}); the session goes on with wasm`);
    this.module.abi.ol_session_leave_device(session.pointer);
    session.device.destroy();
    session.device = undefined;
  }

  /** With a session only those that are its own. */
  #forgetAll(feeds: p.RunRequest['feeds'], session?: number): void {
    for (const [, value] of feeds) {
      if ((value.kind !== 'kept' && value.kind !== 'gpu') || value.id === undefined) continue;
      if (session === undefined || this.#kept.get(value.id)?.session === session) this.#forget(value.id);
    }
  }

  async #operate(
    call: p.OperatorCall,
    operators: ReadonlySet<string>,
    { onOperator }: p.CallOptions,
  ): Promise<readonly p.WireValue[]> {
    const key = operatorKey(call.name);
    if (onOperator && operators.has(key)) return onOperator(call);
    if (key === operatorKey(IMAGE_DECODER)) return decodeImage(call);
    // The engine may be shared, and was told of this operator while the session was being made.
    throw new OnnxletError('RUN_FAILED', 'the operator was registered after its session was made');
  }

  /** Before anything runs: a buffer that the session's device cannot read is the caller's mistake. */
  async #checkGpu(name: string, value: GpuValue, device: Executor | undefined): Promise<void> {
    if (!device) {
      const text = `input ${JSON.stringify(name)} is in a GPU buffer, and the session works on the CPU only`;
      throw new OnnxletError('INVALID_ARGUMENT', text);
    }
    if (value.id !== undefined) return;
    const count = value.dims.reduce((product, dim) => product * dim, 1);
    const fault = await device.faultOf(value.buffer, Math.ceil((count * TYPES[value.type].bits) / 8));
    if (fault === undefined) return;
    throw new OnnxletError('INVALID_ARGUMENT', `input ${JSON.stringify(name)}: the GPU buffer ${fault}`);
  }

  #feed(run: Pointer, session: number, name: string, value: p.WireValue): void {
    const { module } = this;
    const own = value.kind === 'gpu' && value.id !== undefined && this.#kept.get(value.id)?.session === session;
    const kept = (value.kind === 'kept' || own) && value.id !== undefined;
    const pointer = kept ? this.#keptOf(value.id).pointer : this.#push(session, value);
    try {
      module.withText(name, (text, length) => module.check(module.abi.ol_run_feed(run, text, length, pointer)));
    } finally {
      if (!kept && !module.lost) module.abi.ol_value_free(pointer);
    }
  }

  #push(session: number, value: p.WireValue): Pointer {
    const { pointer, device } = this.#session(session);
    if (value.kind !== 'gpu' || !device) return pushValue(this.module, value);
    return pushGpuTensor(this.module, pointer, value, device.adopt(value.buffer));
  }

  /** Nothing when the value cannot stay. */
  #keep(pointer: Pointer, session: number): p.WireValue | undefined {
    const id = this.#next++;
    const value = keptValue(this.module, pointer, id);
    if (!value) return undefined;
    const { device } = this.#session(session);
    const number = device ? this.module.abi.ol_value_device(pointer) : 0;
    const gpu = device && number !== 0 ? { device, buffer: device.buffer(number) } : undefined;
    this.#kept.set(id, { pointer, session, gpu });
    return gpu ? { ...value, kind: 'gpu', buffer: gpu.buffer } : value;
  }

  async #read(id: number): Promise<p.WireValue> {
    const { pointer, gpu } = this.#keptOf(id);
    const value = gpu && keptValue(this.module, pointer, id);
    if (!value) return readValue(this.module, pointer);
    try {
      const data = await gpu.device.read(gpu.buffer, this.module.abi.ol_tensor_bytes(pointer));
      return { kind: 'tensor', type: value.type, dims: value.dims, data };
    } catch (cause) {
      throw new OnnxletError('RUN_FAILED', `the device: ${messageOf(cause)}`, { cause });
    }
  }

  #placement({ pointer, device }: Session): readonly p.PlacementEntry[] {
    const { abi } = this.module;
    if (device) {
      const rows = this.module.json(abi.ol_session_placement(pointer)) as RawPlacementEntry[];
      return rows.map(({ op_type, ...rest }) => ({ ...rest, opType: op_type }));
    }
    const { nodes } = this.module.json(abi.ol_session_describe(pointer)) as { nodes: RawNode[] };
    return nodes.map(({ name, op_type, domain }) => {
      return { node: name, opType: op_type, domain, provider: 'wasm', reason: 'the session works on the CPU only' };
    });
  }

  #forget(id: number): void {
    const kept = this.#kept.get(id);
    if (kept && !this.module.lost) this.module.abi.ol_value_free(kept.pointer);
    this.#kept.delete(id);
  }

  #keptOf(id: number): Kept {
    const kept = this.#kept.get(id);
    if (!kept) throw new OnnxletError('INVALID_ARGUMENT', 'the session that made the tensor is released');
    return kept;
  }

  #memory(session: Pointer): p.MemoryReport {
    const raw = this.module.json(this.module.abi.ol_session_memory(session)) as RawMemory;
    return {
      inUse: raw.in_use,
      peak: raw.peak,
      limit: raw.limit,
      modelBytes: raw.model_bytes,
      wasmBytes: this.module.bytes.length,
    };
  }

  #session(id: number): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new OnnxletError('INVALID_ARGUMENT', 'the session is released');
    return session;
  }
}
