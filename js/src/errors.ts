import type { CodeName } from './abi.gen.js';

/**
 * What kind of failure it is: the engine's own codes, and those that only arise in the host. The same in Python.
 * - `NO_SUCH_FILE`: a model, data or engine file is not there
 * - `LOAD_FAILED`: a file could not be transferred, is not what its address promises, or fails its integrity check
 * - `VERSION_MISMATCH`: JavaScript and WebAssembly come from different versions
 * - `TRAP`: the engine's code trapped; its sessions are lost, new ones start a new engine
 */
export type ErrorCode = Exclude<CodeName, 'OK'> | 'NO_SUCH_FILE' | 'LOAD_FAILED' | 'VERSION_MISMATCH' | 'TRAP';

/** The one error class: `code` tells the kind, `message` what was wrong, where, and what to do. */
export class OnnxletError extends Error {
  override readonly name = 'OnnxletError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export function aborted(reason: unknown): OnnxletError {
  return new OnnxletError('ABORTED', `stopped by the caller: ${messageOf(reason)}`, { cause: reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal.reason);
}

/** The same promise, but rejected as soon as the signal aborts. */
export async function withSignal<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (!signal) return promise;
  let stop: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(aborted(signal.reason));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
