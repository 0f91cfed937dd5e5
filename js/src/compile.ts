// From an address or bytes to a compiled module. Nothing is instantiated here.
import { fetchFile, gotHtml, wholeOf } from './fetching.js';
import { messageOf, OnnxletError } from './errors.js';
import type { HeadResult, MemoryLimits } from './wasm-head.js';
import { importedMemory, isWasm } from './wasm-head.js';
import { nodeModule } from './platform.js';

/** A compiled engine, and the limits of the memory it wants to be given (null: it brings its own). */
export interface CompiledEngine {
  readonly module: WebAssembly.Module;
  readonly memory: MemoryLimits | null;
  /** For messages. */
  readonly origin: string;
}

const compiled = new Map<string, Promise<CompiledEngine>>();

/** Fetches and compiles; a second call for the same address shares the first one's module. */
export function compileUrl(url: string): Promise<CompiledEngine> {
  let pending = compiled.get(url);
  if (!pending) {
    pending = url.startsWith('file:') ? compileFile(url) : compileFetched(url);
    compiled.set(url, pending);
    // A failure is not kept: the next session tries again.
    pending.catch(() => compiled.delete(url));
  }
  return pending;
}

export async function compileBytes(bytes: Uint8Array, origin: string): Promise<CompiledEngine> {
  if (!isWasm(bytes)) {
    throw new OnnxletError('LOAD_FAILED', `${origin} holds no WebAssembly: it begins with ${startOf(bytes)}`);
  }
  const head = importedMemory(bytes);
  const module = await compileOrExplain(() => WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>), origin);
  return { module, memory: head === 'incomplete' ? null : head, origin };
}

async function compileFile(url: string): Promise<CompiledEngine> {
  const { readFile } = await nodeModule('fs/promises');
  let bytes: Uint8Array;
  try {
    bytes = await readFile(new URL(url));
  } catch (cause) {
    throw new OnnxletError('NO_SUCH_FILE', `could not read the engine: ${messageOf(cause)}`, { cause });
  }
  return compileBytes(bytes, url);
}

async function compileFetched(url: string): Promise<CompiledEngine> {
  const response = await fetchFile(url, 'the WebAssembly engine');
  // Streaming compilation insists on this type; other answers are compiled once they are complete.
  if (!/^application\/wasm\b/i.test(response.headers.get('content-type') ?? '')) {
    const bytes = await wholeOf(response, url);
    if (!isWasm(bytes) && looksLikeHtml(bytes)) throw gotHtml(url, 'the WebAssembly engine');
    return compileBytes(bytes, url);
  }
  const head = readHead(response.clone());
  head.catch(() => undefined); // compiling fails for the same reason, and tells it
  const module = await compileOrExplain(() => WebAssembly.compileStreaming(response), url);
  const limits = await head;
  return { module, memory: limits === 'incomplete' ? null : limits, origin: url };
}

/** Reads just enough of the module to see its imports. */
async function readHead(response: Response): Promise<HeadResult> {
  const reader = response.body?.getReader();
  let bytes = new Uint8Array(0);
  let result: HeadResult = 'incomplete';
  while (reader && result === 'incomplete') {
    const { done, value } = await reader.read();
    if (done) break;
    const longer = new Uint8Array(bytes.length + value.length);
    longer.set(bytes);
    longer.set(value, bytes.length);
    bytes = longer;
    result = importedMemory(bytes);
  }
  // Cancelling resolves only once the other half of the clone is done too.
  reader?.cancel().catch(() => undefined);
  return result;
}

async function compileOrExplain(
  compile: () => Promise<WebAssembly.Module>,
  origin: string,
): Promise<WebAssembly.Module> {
  try {
    return await compile();
  } catch (cause) {
    throw new OnnxletError(
      'LOAD_FAILED',
      `the WebAssembly engine from ${origin} does not compile: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

function startOf(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes.slice(0, 16)));
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*</.test(new TextDecoder().decode(bytes.slice(0, 64)));
}
