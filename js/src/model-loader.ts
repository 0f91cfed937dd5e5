// Brings model files into engine memory: straight from the network or disk, so that they exist only once.
import type { Pointer } from './abi.gen.js';
import { checkIntegrity, chunksOf, contentLength, fetchFile } from './fetching.js';
import { messageOf, OnnxletError, throwIfAborted } from './errors.js';
import type { EngineModule } from './module.js';
import { nextTurn } from './platform.js';
import type { CallOptions, FileSource } from './protocol.js';

export interface Loaded {
  readonly pointer: Pointer;
  readonly size: number;
}

const DISK_CHUNK = 4 << 20;

/** Reads a file into a block of engine memory, which the caller owns. */
export async function loadFile(
  engine: EngineModule,
  source: FileSource,
  name: string,
  options: CallOptions,
): Promise<Loaded> {
  throwIfAborted(options.signal);
  const loaded = await read(engine, source, name, options);
  try {
    throwIfAborted(options.signal);
    if (source.integrity !== undefined) {
      const bytes = engine.bytes.subarray(loaded.pointer, loaded.pointer + loaded.size);
      await checkIntegrity(bytes, source.integrity, name);
    }
  } catch (error) {
    if (!engine.lost) engine.abi.ol_free(loaded.pointer);
    throw error;
  }
  return loaded;
}

function read(engine: EngineModule, source: FileSource, name: string, options: CallOptions): Promise<Loaded> {
  switch (source.kind) {
    case 'bytes':
      return readBytes(engine, source.bytes, name, options);
    case 'blob':
      return readResponse(engine, new Response(source.blob), name, name, source.blob.size, options);
    case 'url':
      return source.url.startsWith('file:')
        ? readDisk(engine, source.url, name, options)
        : fetchFile(source.url, name, options.signal).then((response) =>
            readResponse(engine, response, source.url, name, contentLength(response), options),
          );
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- a rejected promise like the other sources give
async function readBytes(engine: EngineModule, bytes: Uint8Array, name: string, options: CallOptions): Promise<Loaded> {
  const size = bytes.byteLength;
  const pointer = engine.alloc(Math.max(size, 1), name);
  engine.bytes.set(bytes, pointer);
  options.onProgress?.({ file: name, loaded: size, total: size });
  return { pointer, size };
}

async function readResponse(
  engine: EngineModule,
  response: Response,
  url: string,
  name: string,
  total: number | undefined,
  options: CallOptions,
): Promise<Loaded> {
  const target = new Target(engine, name, total);
  try {
    for await (const chunk of chunksOf(response, url, options.signal)) {
      target.append(chunk);
      options.onProgress?.({ file: name, loaded: target.size, total });
      throwIfAborted(options.signal);
    }
    if (total !== undefined && target.size !== total) {
      throw new OnnxletError('LOAD_FAILED', `the transfer of ${url} ended after ${target.size} of ${total} bytes`);
    }
    return target.finish();
  } catch (error) {
    target.discard();
    throw error;
  }
}

async function readDisk(engine: EngineModule, url: string, name: string, options: CallOptions): Promise<Loaded> {
  const fs = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:fs');
  let file: number;
  let total: number;
  try {
    file = fs.openSync(new URL(url), 'r');
    total = fs.fstatSync(file).size;
  } catch (cause) {
    throw new OnnxletError('NO_SUCH_FILE', `could not read ${name}: ${messageOf(cause)}`, { cause });
  }
  let pointer = 0;
  try {
    pointer = engine.alloc(Math.max(total, 1), name);
    for (let at = 0; at < total;) {
      // Synchronous pieces: memory may not move under a read that is under way.
      const count = fs.readSync(file, engine.bytes, pointer + at, Math.min(DISK_CHUNK, total - at), at);
      if (count === 0)
        throw new OnnxletError('LOAD_FAILED', `${name} shrank to ${at} of ${total} bytes while it was read`);
      at += count;
      options.onProgress?.({ file: name, loaded: at, total });
      if (at < total && (options.signal || options.onProgress)) await nextTurn();
      throwIfAborted(options.signal);
    }
    return { pointer, size: total };
  } catch (cause) {
    if (pointer !== 0 && !engine.lost) engine.abi.ol_free(pointer);
    if (cause instanceof OnnxletError) throw cause;
    throw new OnnxletError('LOAD_FAILED', `could not read ${name}: ${messageOf(cause)}`, { cause });
  } finally {
    fs.closeSync(file);
  }
}

/** Collects chunks: at their final place when the size is known beforehand, otherwise outside until it is. */
class Target {
  size = 0;
  #pointer = 0;
  readonly #chunks: Uint8Array[] = [];

  constructor(
    private readonly engine: EngineModule,
    private readonly name: string,
    private readonly total: number | undefined,
  ) {
    if (total !== undefined) this.#pointer = engine.alloc(Math.max(total, 1), name);
  }

  append(chunk: Uint8Array): void {
    if (this.total === undefined) {
      this.#chunks.push(chunk);
    } else {
      if (this.size + chunk.length > this.total) {
        throw new OnnxletError(
          'LOAD_FAILED',
          `${this.name} is longer than the ${this.total} bytes that were announced`,
        );
      }
      this.engine.bytes.set(chunk, this.#pointer + this.size);
    }
    this.size += chunk.length;
  }

  finish(): Loaded {
    if (this.total === undefined) {
      this.#pointer = this.engine.alloc(Math.max(this.size, 1), this.name);
      let at = this.#pointer;
      for (const chunk of this.#chunks) {
        this.engine.bytes.set(chunk, at);
        at += chunk.length;
      }
    }
    return { pointer: this.#pointer, size: this.size };
  }

  discard(): void {
    if (this.#pointer !== 0 && !this.engine.lost) this.engine.abi.ol_free(this.#pointer);
  }
}
