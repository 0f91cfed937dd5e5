// The engine as sessions see it: answers the protocol's calls on one instance, in whatever realm it was started.
import type { Pointer } from './abi.gen.js';
import { Progress as RunProgress } from './abi.gen.js';
import { OnnxletError, throwIfAborted } from './errors.js';
import { keptValue, pushValue, readValue, takeValue } from './marshal.js';
import type { Loaded } from './model-loader.js';
import { loadFile } from './model-loader.js';
import { decodeImage, IMAGE_DECODER, needDecoder } from './images.js';
import { instantiate } from './module.js';
import type { EngineModule } from './module.js';
import { announceOperators, runPending } from './pending.js';
import { operatorKey } from './operators.js';
import type * as p from './protocol.js';
import { externalSource } from './external.js';
import { Threads } from './threads.js';

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

interface Session {
  readonly pointer: Pointer;
  /** Keys of the operators that the caller runs. */
  readonly operators: ReadonlySet<string>;
}

type Handler<V extends p.Verb> = (
  payload: p.Calls[V]['payload'],
  options: p.CallOptions,
) => Promise<p.Calls[V]['answer']> | p.Calls[V]['answer'];

export class Engine {
  readonly #sessions = new Map<number, Session>();
  /** Tensors that stay here until the caller forgets them, or their session is released. */
  readonly #kept = new Map<number, { readonly pointer: Pointer; readonly session: number }>();
  #next = 1;
  #module: EngineModule | undefined;
  #threads: Threads | undefined;

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
    read: ({ id }) => ({ outputs: [readValue(this.module, this.#keptPointer(id))] }),
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
    release: ({ session }) => {
      for (const [id, kept] of this.#kept) {
        if (kept.session === session) this.#forget(id);
      }
      this.module.abi.ol_session_free(this.#session(session).pointer);
      this.#sessions.delete(session);
      return { wasmBytes: this.module.bytes.length };
    },
  };

  get lost(): boolean {
    return this.#module?.lost !== undefined;
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
      const key = operatorKey(IMAGE_DECODER);
      const decodes = described.operators.some(({ domain, op_type }) => operatorKey([domain, op_type]) === key);
      if (decodes && !operators.has(key)) needDecoder();
      await this.#provide(model, described, request, options);
      throwIfAborted(options.signal);
      announceOperators(module, request.operators);
    } catch (error) {
      if (!module.lost) abi.ol_model_free(model);
      throw error;
    }
    const session = module.withText(request.options, (text, length) =>
      module.checkPointer(abi.ol_session_create(model, text, length)),
    );
    const id = this.#next++;
    this.#sessions.set(id, { pointer: session, operators });
    const info = module.json(abi.ol_session_describe(session)) as p.SessionInfo;
    return { session: id, info: { inputs: info.inputs, outputs: info.outputs }, memory: this.#memory(session) };
  }

  async #provide(
    model: Pointer,
    described: p.ModelDescription,
    request: p.ModelRequest,
    options: p.CallOptions,
  ): Promise<void> {
    const { module } = this;
    for (const { file } of described.external ?? []) {
      const source = externalSource(file, request);
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
    const { pointer: session, operators } = this.#session(request.session);
    const run = module.checkPointer(abi.ol_run_new(session));
    try {
      for (const [name, value] of request.feeds) this.#feed(run, name, value);
      // The run holds them now, and may work in their memory.
      if (request.dispose) this.#forgetAll(request.feeds);
      for (const name of request.fetches) {
        module.withText(name, (text, length) => module.check(abi.ol_run_fetch(run, text, length)));
      }
      while (module.check(abi.ol_run_step(run)) === RunProgress.PENDING) {
        const operate = (call: p.OperatorCall) => this.#operate(call, operators, options);
        await runPending(module, run, operate, options.signal);
      }
      const outputs: p.WireValue[] = [];
      const count = abi.ol_run_output_count(run);
      for (let index = 0; index < count; index++) {
        const pointer = module.checkPointer(abi.ol_run_output(run, index));
        outputs.push(
          (request.keep.includes(index) && this.#keep(pointer, request.session)) || takeValue(module, pointer),
        );
      }
      return { outputs, memory: this.#memory(session) };
    } finally {
      if (request.dispose) this.#forgetAll(request.feeds);
      if (!module.lost) abi.ol_run_free(run);
    }
  }

  #forgetAll(feeds: p.RunRequest['feeds']): void {
    for (const [, value] of feeds) if (value.kind === 'kept') this.#forget(value.id);
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

  #feed(run: Pointer, name: string, value: p.WireValue): void {
    const { module } = this;
    const kept = value.kind === 'kept';
    const pointer = kept ? this.#keptPointer(value.id) : pushValue(module, value);
    try {
      module.withText(name, (text, length) => module.check(module.abi.ol_run_feed(run, text, length, pointer)));
    } finally {
      if (!kept && !module.lost) module.abi.ol_value_free(pointer);
    }
  }

  /** Nothing when the value cannot stay. */
  #keep(pointer: Pointer, session: number): p.WireValue | undefined {
    const id = this.#next++;
    const value = keptValue(this.module, pointer, id);
    if (value) this.#kept.set(id, { pointer, session });
    return value;
  }

  #forget(id: number): void {
    const kept = this.#kept.get(id);
    if (kept && !this.module.lost) this.module.abi.ol_value_free(kept.pointer);
    this.#kept.delete(id);
  }

  #keptPointer(id: number): Pointer {
    const kept = this.#kept.get(id);
    if (!kept) throw new OnnxletError('INVALID_ARGUMENT', 'the session that made the tensor is released');
    return kept.pointer;
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
