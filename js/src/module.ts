// One instance of the engine: its functions made safe to call, and its memory.
import type { Abi, CodeName, Pointer } from './abi.gen.js';
import { ABI_FUNCTIONS, ABI_VERSION, Code, DEVICE_FUNCTIONS } from './abi.gen.js';
import type { CompiledEngine } from './compile.js';
import { VERSION } from './env.js';
import type { ErrorCode } from './errors.js';
import { messageOf, OnnxletError } from './errors.js';

type RawFunction = (...args: unknown[]) => unknown;

export interface Instance {
  readonly module: EngineModule;
  /** What a thread's instance must be given too; null in the flavours without threads. */
  readonly sharedMemory: WebAssembly.Memory | null;
}

const CODE_NAMES: ReadonlyMap<number, CodeName> = new Map(
  (Object.entries(Code) as [CodeName, number][]).map(([name, value]) => [value, name]),
);
const PAGE = 65536;
const ADDRESSABLE = 2 ** 32;
// Browsers refuse large reservations on small devices, so smaller maxima are tried in turn.
const SMALLER_MAXIMA = [32768, 16384, 8192, 4096];

export class EngineModule {
  readonly abi: Abi;
  readonly memory: WebAssembly.Memory;
  #bytes = new Uint8Array(0);
  #lost: OnnxletError | undefined;

  constructor(
    readonly exports: WebAssembly.Exports,
    sharedMemory: WebAssembly.Memory | null,
  ) {
    this.memory = sharedMemory ?? (exports['memory'] as WebAssembly.Memory);
    this.abi = this.#guardAll(exports);
  }

  /** The error that ended this instance; no call is possible any more. */
  get lost(): OnnxletError | undefined {
    return this.#lost;
  }

  /** Declares the instance unusable, because a thread of it has died. */
  lose(error: OnnxletError): void {
    this.#lost ??= error;
  }

  /** All of memory, made anew when it has grown: never keep it across a call. */
  get bytes(): Uint8Array<ArrayBuffer> {
    const { buffer } = this.memory;
    if (this.#bytes.buffer !== buffer || this.#bytes.length !== buffer.byteLength) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }

  slice(pointer: Pointer, length: number): Uint8Array<ArrayBuffer> {
    // Copied into unshared memory, which is what decoders and postMessage's transfer accept.
    const copy = new Uint8Array(length);
    copy.set(this.bytes.subarray(pointer, pointer + length));
    return copy;
  }

  text(pointer: Pointer, length: number): string {
    return new TextDecoder().decode(this.slice(pointer, length));
  }

  /** A NUL-terminated string, such as every `const char*` the engine returns. */
  cString(pointer: Pointer): string {
    return this.text(pointer, this.bytes.indexOf(0, pointer) - pointer);
  }

  json(pointer: Pointer): unknown {
    if (pointer === 0) this.fail();
    return JSON.parse(this.cString(pointer)) as unknown;
  }

  alloc(length: number, what: string): Pointer {
    if (length > ADDRESSABLE) {
      throw new OnnxletError(
        'OUT_OF_MEMORY',
        `${what} has ${length} bytes, and WebAssembly memory ends at ${ADDRESSABLE}. Use a smaller or a quantized model`,
      );
    }
    const pointer = this.abi.ol_alloc(length);
    if (pointer === 0) {
      throw new OnnxletError(
        'OUT_OF_MEMORY',
        `${what} needs ${length} bytes of engine memory, and they are refused; ${this.bytes.length} bytes are in use ` +
          'or reserved. Release other sessions, or use a smaller model',
      );
    }
    return pointer;
  }

  /** Lends the text as (pointer, length) for the time of one call. */
  withText<T>(text: string, use: (pointer: Pointer, length: number) => T): T {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.alloc(Math.max(bytes.length, 1), 'a string');
    try {
      this.bytes.set(bytes, pointer);
      return use(pointer, bytes.length);
    } finally {
      if (!this.#lost) this.abi.ol_free(pointer);
    }
  }

  /** Passes a result on, or throws the engine's error when it is NULL or negative. */
  check(result: number): number {
    if (result < 0) this.fail();
    return result;
  }

  checkPointer(pointer: Pointer): Pointer {
    if (pointer === 0) this.fail();
    return pointer;
  }

  /** Throws the failure that the engine has just reported. */
  fail(): never {
    const name = CODE_NAMES.get(this.abi.ol_last_code()) ?? 'INTERNAL';
    const code: ErrorCode = name === 'OK' ? 'INTERNAL' : name;
    throw new OnnxletError(code, this.cString(this.abi.ol_last_message()) || 'the engine failed without a message');
  }

  #guardAll(exports: WebAssembly.Exports): Abi {
    const abi: Record<string, RawFunction> = {};
    for (const [name, result] of Object.entries(ABI_FUNCTIONS)) {
      const raw = exports[name] as RawFunction | undefined;
      abi[name] = raw ? this.#guard(name, raw, result === 'ptr' || result === 'usize') : () => missing(name);
    }
    return abi as unknown as Abi;
  }

  #endOf(name: string, cause: unknown): OnnxletError {
    const stopped = `the engine stopped in ${name}: ${messageOf(cause)}`;
    const advice = 'Its sessions are lost; a new session starts a new engine';
    // Small things are allocated by C++'s own means, which end in a trap where there is no memory.
    if (canGrow(this.memory)) {
      return new OnnxletError('TRAP', `${stopped}. ${advice}. This is a defect of onnxlet`, { cause });
    }
    const text = `${stopped}, and its memory of ${this.bytes.length} bytes cannot grow. ${advice}. Use a smaller model`;
    return new OnnxletError('OUT_OF_MEMORY', text, { cause });
  }

  // WebAssembly hands addresses over as signed numbers, and ends in a trap where C++ would crash.
  #guard(name: string, raw: RawFunction, unsigned: boolean): RawFunction {
    return (...args) => {
      if (this.#lost) throw this.#lost;
      try {
        const result = raw(...args);
        return unsigned ? (result as number) >>> 0 : result;
      } catch (cause) {
        this.#lost = this.#endOf(name, cause);
        throw this.#lost;
      }
    };
  }
}

/** Instantiates and makes sure that both sides speak the same ABI. */
export async function instantiate(engine: CompiledEngine): Promise<Instance> {
  const shared = engine.memory === null ? null : makeMemory(engine.memory, engine.origin);
  let instance: WebAssembly.Instance;
  const made: { module?: EngineModule } = {};
  const log = (_level: number, text: Pointer, length: number) => {
    console.info(`onnxlet: ${made.module?.text(text >>> 0, length >>> 0) ?? ''}`);
  };
  try {
    instance = await WebAssembly.instantiate(engine.module, importsFor(engine.module, shared, log));
  } catch (cause) {
    // The only thing that may be too large is the memory that it begins with.
    if (cause instanceof RangeError) {
      const text = `memory for the engine from ${engine.origin} is refused: ${messageOf(cause)}. Release other sessions`;
      throw new OnnxletError('OUT_OF_MEMORY', text, { cause });
    }
    throw new OnnxletError('INTERNAL', `the engine from ${engine.origin} does not start: ${messageOf(cause)}`, {
      cause,
    });
  }
  const exports = instance.exports;
  if (typeof exports['_initialize'] === 'function') (exports['_initialize'] as RawFunction)();
  const module = new EngineModule(exports, shared);
  made.module = module;
  checkVersion(module, engine.origin);
  return { module, sharedMemory: shared };
}

/**
 * What a module imports. Names that this version does not know get a function that only fails when called, so that an
 * engine of another version can still say which one it is.
 */
export function importsFor(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory | null,
  log: (level: number, text: Pointer, length: number) => void,
): WebAssembly.Imports {
  const known: WebAssembly.Imports = {
    onnxlet: { ol_host_now: () => performance.now() * 1000, ol_host_log: log },
    env: memory ? { memory } : {},
  };
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const value = known[from]?.[name] ?? (kind === 'function' ? () => missing(`${from}.${name}`) : undefined);
    if (value !== undefined) (imports[from] ??= {})[name] = value;
  }
  return imports;
}

function canGrow(memory: WebAssembly.Memory): boolean {
  try {
    memory.grow(1);
    return true;
  } catch {
    return false;
  }
}

function missing(name: string): never {
  throw new OnnxletError('VERSION_MISMATCH', `${name} is not known to both sides; JavaScript is onnxlet ${VERSION}`);
}

function checkVersion(module: EngineModule, origin: string): void {
  const { exports } = module;
  if (typeof exports['ol_abi_version'] !== 'function' || typeof exports['ol_version'] !== 'function') {
    throw new OnnxletError('VERSION_MISMATCH', `${origin} is no onnxlet engine: it does not tell its version`);
  }
  const abi = module.abi.ol_abi_version();
  const absent = Object.keys(ABI_FUNCTIONS).filter((name) => !(name in exports || DEVICE_FUNCTIONS.has(name)));
  if (abi === ABI_VERSION && absent.length === 0) return;
  const version = module.cString(module.abi.ol_version());
  throw new OnnxletError(
    'VERSION_MISMATCH',
    `JavaScript of onnxlet ${VERSION} (ABI ${ABI_VERSION}) cannot drive WebAssembly of onnxlet ${version} ` +
      `(ABI ${abi}) from ${origin}${absent.length > 0 ? `, which lacks ${someOf(absent)}` : ''}; ` +
      'use files of one version',
  );
}

function someOf(names: readonly string[]): string {
  return names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more functions`;
}

function makeMemory(limits: { initial: number; maximum: number; shared: boolean }, origin: string): WebAssembly.Memory {
  let cause: unknown;
  for (const maximum of [limits.maximum, ...SMALLER_MAXIMA.filter((pages) => pages < limits.maximum)]) {
    try {
      return new WebAssembly.Memory({ initial: limits.initial, maximum, shared: limits.shared });
    } catch (error) {
      cause = error;
    }
  }
  throw new OnnxletError(
    'OUT_OF_MEMORY',
    `shared memory of ${limits.initial * PAGE} bytes for ${origin} is refused: ${messageOf(cause)}`,
    { cause },
  );
}
