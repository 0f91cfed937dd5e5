// The two places an engine can be: this realm, or a dedicated worker.
import { engineWorker } from './assets.js';
import { Engine } from './engine.js';
import { env } from './env.js';
import { aborted, messageOf, OnnxletError } from './errors.js';
import { log } from './log.js';
import { within } from './platform.js';
import type { CallOptions, Calls, EngineHost, FromEngine, OperatorCall, Request, ToEngine, Verb } from './protocol.js';
import { buffersOf, buffersOfFiles, detached, detachedFiles } from './transfer.js';

export class LocalHost implements EngineHost {
  readonly here = true;
  readonly #engine = new Engine();

  get device(): GPUDevice | undefined {
    return this.#engine.device;
  }

  call<V extends Verb>(verb: V, payload: Calls[V]['payload'], options?: CallOptions): Promise<Calls[V]['answer']> {
    return this.#engine.call(verb, payload, options);
  }

  get lost(): boolean {
    return this.#engine.lost;
  }

  close(): void {
    this.#engine.close();
  }
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  readonly options: CallOptions;
}

const START_TIMEOUT = 30_000;

export class WorkerHost implements EngineHost {
  readonly here = false;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #lost = false;

  private constructor(private readonly worker: Worker) {
    worker.addEventListener('message', (event: MessageEvent<FromEngine>) => {
      this.#receive(event.data);
    });
    worker.addEventListener('error', (event) => {
      const reason = event.message || 'no reason given';
      this.#end(new OnnxletError('TRAP', `the engine's worker ended: ${reason}; create the session again`));
    });
  }

  /** Rejects when the worker's script cannot be loaded. */
  static async open(): Promise<WorkerHost> {
    const worker = engineWorker();
    const timeout = env.wasm.initTimeout ?? START_TIMEOUT;
    const hello = new Promise<true>((resolve, reject) => {
      worker.addEventListener(
        'message',
        () => {
          resolve(true);
        },
        { once: true },
      );
      worker.addEventListener(
        'error',
        (event) => {
          reject(new OnnxletError('LOAD_FAILED', event.message || 'its script did not load'));
        },
        { once: true },
      );
    });
    try {
      if (!(await within(timeout, hello))) {
        throw new OnnxletError('LOAD_FAILED', `it did not answer within ${timeout} ms`);
      }
    } catch (error) {
      worker.terminate();
      throw error;
    }
    return new WorkerHost(worker);
  }

  get lost(): boolean {
    return this.#lost;
  }

  async call<V extends Verb>(
    verb: V,
    payload: Calls[V]['payload'],
    options: CallOptions = {},
  ): Promise<Calls[V]['answer']> {
    if (this.#lost) throw new OnnxletError('TRAP', "the session's engine has ended; create the session again");
    const id = this.#next++;
    const { signal } = options;
    const abort = () => {
      this.#send({ id, verb: 'abort' });
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<Calls[V]['answer']>((resolve, reject) => {
        this.#waiting.set(id, { resolve: resolve, reject, options });
        this.#send(...outgoing(id, verb, payload));
        if (signal?.aborted) abort();
      });
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#end(new OnnxletError('INTERNAL', 'this engine is closed'));
  }

  #send(message: ToEngine, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  #receive(message: FromEngine): void {
    if (message.kind === 'hello') return;
    if (message.kind === 'log') {
      log(message.level, message.message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (message.kind === 'progress') {
      waiting?.options.onProgress?.(message.progress);
      return;
    }
    if (message.kind === 'operator') {
      if (waiting) void this.#runOperator(message.id, message.call, waiting.options);
      return;
    }
    if (message.lost) this.#lost = true;
    if (message.kind === 'answer') {
      waiting?.resolve(message.answer);
    } else {
      const { code, message: text } = message.error;
      const { signal } = waiting?.options ?? {};
      waiting?.reject(code === 'ABORTED' && signal?.aborted ? aborted(signal.reason) : new OnnxletError(code, text));
    }
  }

  async #runOperator(id: number, call: OperatorCall, { onOperator }: CallOptions): Promise<void> {
    try {
      const outputs = ((await onOperator?.(call)) ?? []).map(detached);
      this.#send({ id, verb: 'outputs', outputs }, buffersOf(outputs));
    } catch (error) {
      this.#send({ id, verb: 'failure', message: messageOf(error) });
    }
  }

  #end(error: OnnxletError): void {
    this.#lost = true;
    this.worker.terminate();
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** The message and what moves with it: the caller keeps its buffers, so the worker gets copies. */
function outgoing<V extends Verb>(id: number, verb: V, payload: Calls[V]['payload']): [ToEngine, Transferable[]] {
  const message = { id, verb, payload } as Request;
  switch (message.verb) {
    case 'run': {
      const feeds = message.payload.feeds.map(([name, value]) => [name, detached(value)] as const);
      return [{ ...message, payload: { ...message.payload, feeds } }, buffersOf(feeds.map(([, value]) => value))];
    }
    case 'create': {
      const files = detachedFiles(message.payload);
      return [{ ...message, payload: files }, buffersOfFiles(files)];
    }
    default:
      return [message, []];
  }
}
