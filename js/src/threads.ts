// Starts the engine's worker threads: Web Workers or worker_threads, each an instance over the same memory.
import { engineThread, threadScript } from './assets.js';
import type { EngineModule } from './module.js';
import { log } from './log.js';
import { messageOf, OnnxletError } from './errors.js';
import { isNode, nextTurn, nodeModule, within } from './platform.js';

/** What a thread is sent, once. */
export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly index: number;
  readonly stackPointer: number;
  readonly tlsPointer: number;
}

/** What it answers: `entering` just before it blocks inside the engine, `failed` when it cannot or when it dies. */
export type ThreadReport = { readonly entering: number } | { readonly failed: string };

interface ThreadHandle {
  post(start: ThreadStart): void;
  /** Calls back for every report and for the failure to load. */
  listen(onReport: (report: ThreadReport) => void): void;
  terminate(): void;
}

const STACK_BYTES = 512 * 1024;

export class Threads {
  readonly #handles: ThreadHandle[] = [];
  readonly #entered = new Set<number>();

  constructor(private readonly engine: EngineModule) {}

  /**
   * Starts up to `wanted` threads and waits until they have entered the engine or `timeout` ms have passed.
   * Returns how many the engine may use; the reason for a smaller number is logged.
   */
  async start(module: WebAssembly.Module, wanted: number, timeout: number): Promise<number> {
    const started: Promise<void>[] = [];
    try {
      for (let index = 1; index <= wanted; index++) started.push((await this.#startOne(module, index)).entering);
    } catch (error) {
      log('warning', `thread ${started.length + 1} of ${wanted} could not be started: ${messageOf(error)}`);
    }
    const deadline = performance.now() + (timeout || Infinity);
    const outcome = await within(timeout, Promise.allSettled(started));
    const failure = outcome?.find((result) => result.status === 'rejected');
    if (failure) log('warning', `a thread did not start: ${messageOf(failure.reason)}`);
    const { abi } = this.engine;
    while (abi.ol_workers_ready() < this.#entered.size && performance.now() < deadline) await nextTurn(1);
    // The engine counts on threads 1 to n, so one that is missing leaves out those behind it.
    let usable = 0;
    while (this.#entered.has(usable + 1)) usable++;
    abi.ol_set_workers(usable);
    return usable;
  }

  stop(): void {
    if (!this.engine.lost && this.#handles.length > 0) {
      this.engine.abi.ol_set_workers(0);
      this.engine.abi.ol_stop_workers();
    }
    for (const handle of this.#handles) handle.terminate();
    this.#handles.length = 0;
  }

  async #startOne(module: WebAssembly.Module, index: number): Promise<{ entering: Promise<void> }> {
    const { abi, exports, memory } = this.engine;
    const stackPointer = abi.ol_worker_stack(
      index,
      STACK_BYTES,
      valueOf(exports, '__tls_size'),
      valueOf(exports, '__tls_align'),
    );
    if (stackPointer === 0) this.engine.fail();
    const handle = await startThread();
    this.#handles.push(handle);
    const entering = new Promise<void>((resolve, reject) => {
      handle.listen((report) => {
        if ('entering' in report) {
          this.#entered.add(report.entering);
          resolve();
        } else {
          reject(new OnnxletError('INTERNAL', report.failed));
          if (this.#entered.has(index) && this.#handles.includes(handle)) this.#died(report.failed);
        }
      });
    });
    // Observed by start() later; a failure before that must not count as unhandled.
    entering.catch(() => undefined);
    handle.post({ module, memory, index, stackPointer, tlsPointer: abi.ol_worker_tls(index) });
    return { entering };
  }

  #died(reason: string): void {
    // Without the thread, work that counts on it would wait for ever.
    this.engine.lose(new OnnxletError('TRAP', `a thread of the engine ended: ${reason}; create the session again`));
  }
}

function valueOf(exports: WebAssembly.Exports, name: string): number {
  const global = exports[name];
  return global instanceof WebAssembly.Global ? Number(global.value) : 0;
}

async function startThread(): Promise<ThreadHandle> {
  if (!isNode()) {
    return webThread(engineThread());
  }
  const { Worker: NodeWorker } = await nodeModule('worker_threads');
  const worker = new NodeWorker(threadScript(), { stdout: false, stderr: false });
  return {
    post: (start) => {
      worker.postMessage(start);
    },
    listen: (onReport) => {
      worker.on('message', (report: ThreadReport) => {
        // Threads that sleep in the engine must not keep the process alive; starting ones must.
        worker.unref();
        onReport(report);
      });
      worker.on('error', (error) => {
        onReport({ failed: messageOf(error) });
      });
      worker.on('exit', (code) => {
        onReport({ failed: `it left with the code ${code}` });
      });
    },
    terminate: () => {
      void worker.terminate();
    },
  };
}

function webThread(worker: Worker): ThreadHandle {
  return {
    post: (start) => {
      worker.postMessage(start);
    },
    listen: (onReport) => {
      worker.addEventListener('message', (event: MessageEvent<ThreadReport>) => {
        onReport(event.data);
      });
      worker.addEventListener('error', (event) => {
        onReport({ failed: event.message || 'thread.mjs did not load' });
      });
    },
    terminate: () => {
      worker.terminate();
    },
  };
}
