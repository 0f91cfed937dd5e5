// Engines and who uses them. In a worker each session has an engine of its own, so sessions run in parallel; in this
// realm they could not, and share one. An engine without sessions is kept for the next one unless it has grown large,
// because WebAssembly memory never shrinks.
import { shippedEngine, THREADS_REFUSAL } from './assets.js';
import type { CompiledEngine } from './compile.js';
import { compileBytes, compileUrl } from './compile.js';
import type { WasmFlags } from './env.js';
import { env } from './env.js';
import { messageOf, OnnxletError } from './errors.js';
import { detectFeatures, pickFlavour, threadsRefusal } from './flavour.js';
import { LocalHost, WorkerHost } from './hosts.js';
import { log, warnOnce } from './log.js';
import { canStartWorkers, coreCount, isPageMainThread } from './platform.js';
import type { BuildInfo, EngineHost } from './protocol.js';
import { chosenUrl } from './wasm-paths.js';

export interface EngineWishes {
  /** Threads asked for; undefined leaves the choice to onnxlet. */
  readonly threads: number | undefined;
  readonly deterministic: boolean;
  readonly webgpu: boolean;
  /** In this realm, whatever `env.wasm.proxy` says: GPU buffers are to be handed over. */
  readonly here: boolean;
}

export interface StartedEngine {
  readonly host: EngineHost;
  /** Threads that a run uses, the calling one included. */
  readonly threads: number;
  readonly build: BuildInfo;
}

interface Entry extends StartedEngine {
  readonly key: string;
  readonly shared: boolean;
  sessions: number;
}

const KEEP_BELOW_BYTES = 256 << 20;
const DEFAULT_MAX_THREADS = 4;
const THREAD_TIMEOUT = 10_000;

const entries = new Set<Entry>();
const starting = new Map<string, Promise<Entry>>();

/** An engine for one session; give it back with `releaseEngine`. */
export async function acquireEngine(wishes: EngineWishes): Promise<StartedEngine> {
  const { proxy } = env.wasm;
  const inWorker = !wishes.here && (proxy === true || (proxy !== 'never' && isPageMainThread()));
  const key = keyOf(wishes, env.wasm, inWorker);
  for (const entry of entries) {
    if (entry.host.lost) entries.delete(entry);
    else if (entry.key === key && (entry.shared || entry.sessions === 0)) return use(entry);
  }
  if (inWorker) return use(await start(wishes, key, true));
  // Two sessions that are created at once wait for the same engine.
  let pending = starting.get(key);
  if (!pending) {
    pending = start(wishes, key, false).finally(() => starting.delete(key));
    starting.set(key, pending);
  }
  return use(await pending);
}

/** `wasmBytes` is the size of the engine's memory, undefined when it is not known to be well. */
export function releaseEngine(engine: StartedEngine, wasmBytes: number | undefined): void {
  const entry = engine as Entry;
  entry.sessions--;
  if (entry.sessions > 0) return;
  const idle = [...entries].filter((other) => other.key === entry.key && other.sessions === 0).length;
  if (entry.host.lost || wasmBytes === undefined || wasmBytes > KEEP_BELOW_BYTES || idle > 1) {
    entries.delete(entry);
    entry.host.close();
  }
}

function use(entry: Entry): Entry {
  entry.sessions++;
  return entry;
}

const binaries = new WeakMap<object, number>();
let binaryCount = 0;

function keyOf(wishes: EngineWishes, flags: WasmFlags, inWorker: boolean): string {
  let binary = 0;
  if (flags.wasmBinary) {
    binary = binaries.get(flags.wasmBinary) ?? ++binaryCount;
    binaries.set(flags.wasmBinary, binary);
  }
  return JSON.stringify([
    inWorker,
    wishes.threads,
    wishes.deterministic,
    wishes.webgpu,
    flags.simd,
    flags.wasmPaths,
    binary,
  ]);
}

async function start(wishes: EngineWishes, key: string, inWorker: boolean): Promise<Entry> {
  // The engine's file is on its way while the worker starts; who loads it later shares this transfer.
  if (inWorker && !env.wasm.wasmBinary) {
    const { threads } = await planThreads(wishes, false);
    loadEngine(wishes, threads).catch(() => undefined);
  }
  const host = inWorker ? await openWorker() : undefined;
  const here = host === undefined;
  const { threads, refusal } = await planThreads(wishes, here);
  // Only a number that somebody asked for deserves a warning.
  if (refusal !== undefined && wishes.threads) {
    warnOnce(`${wishes.threads} threads were asked for and 1 is used: ${refusal}`);
  }
  try {
    const started = await startWithFallback(wishes, threads, host);
    const entry: Entry = { ...started, key, shared: here, sessions: 0 };
    entries.add(entry);
    return entry;
  } catch (error) {
    host?.close();
    throw error;
  }
}

async function openWorker(): Promise<EngineHost | undefined> {
  try {
    return await WorkerHost.open();
  } catch (error) {
    warnOnce(`the engine runs on this thread and will block it, because its worker did not start: ${messageOf(error)}`);
    return undefined;
  }
}

interface ThreadPlan {
  readonly threads: number;
  /** Why there is only one. */
  readonly refusal?: string;
}

async function planThreads({ threads: wanted, webgpu }: EngineWishes, here: boolean): Promise<ThreadPlan> {
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 0)) {
    throw new OnnxletError('INVALID_ARGUMENT', `numThreads must be an integer from 0 up; got ${wanted}`);
  }
  const threads = wanted || Math.min(DEFAULT_MAX_THREADS, Math.ceil((await coreCount()) / 2));
  if (threads === 1) return { threads };
  if (webgpu) return { threads: 1, refusal: 'the engine with WebGPU has no threads' };
  if (here && isPageMainThread()) {
    return { threads: 1, refusal: "the engine runs on the page's main thread, which may not block" };
  }
  if (THREADS_REFUSAL !== undefined) return { threads: 1, refusal: THREADS_REFUSAL };
  if (!canStartWorkers()) return { threads: 1, refusal: 'workers cannot be started here' };
  return detectFeatures().threads ? { threads } : { threads: 1, refusal: threadsRefusal() };
}

async function startWithFallback(
  wishes: EngineWishes,
  threads: number,
  host: EngineHost | undefined,
): Promise<StartedEngine> {
  try {
    return await startHost(await loadEngine(wishes, threads), threads, wishes.threads, host ?? new LocalHost());
  } catch (error) {
    const refused = error instanceof OnnxletError && error.code === 'OUT_OF_MEMORY';
    if (!refused || threads === 1 || env.wasm.wasmBinary) throw error;
    warnOnce(`${threads} threads were asked for and 1 is used: ${error.message}`);
    return startHost(await loadEngine(wishes, 1), 1, 1, host ?? new LocalHost());
  }
}

async function loadEngine(wishes: EngineWishes, threads: number): Promise<CompiledEngine> {
  const { wasmBinary, wasmPaths, simd } = env.wasm;
  if (wasmBinary instanceof WebAssembly.Module) {
    if (WebAssembly.Module.imports(wasmBinary).some(({ kind }) => kind === 'memory')) {
      throw new OnnxletError('INVALID_ARGUMENT', 'env.wasm.wasmBinary: a flavour with threads is to be given as bytes');
    }
    return { module: wasmBinary, memory: null, origin: 'env.wasm.wasmBinary' };
  }
  if (wasmBinary) {
    const bytes = wasmBinary instanceof Uint8Array ? wasmBinary : new Uint8Array(wasmBinary);
    return compileBytes(bytes, 'env.wasm.wasmBinary');
  }
  const flavour = pickFlavour(detectFeatures(), {
    threads,
    deterministic: wishes.deterministic,
    simd,
    webgpu: wishes.webgpu,
  });
  const url = await chosenUrl(flavour.file, wasmPaths);
  return url === undefined ? shippedEngine(flavour.file) : compileUrl(url);
}

async function startHost(
  compiled: CompiledEngine,
  threads: number,
  asked: number | undefined,
  host: EngineHost,
): Promise<StartedEngine> {
  const report = await host.call('start', {
    ...compiled,
    threads,
    timeout: env.wasm.initTimeout ?? THREAD_TIMEOUT,
    logLevel: env.logLevel,
  });
  if (asked && asked > report.threads && threads > 1) {
    log('warning', `${asked} threads were asked for, and the ${report.build.flavour} engine uses ${report.threads}`);
  }
  return { host, threads: report.threads, build: report.build };
}
