// Brings model files into engine memory: straight from the network or disk, so that they exist only once.
import type { Pointer } from './abi.gen.js';
import { checkCopy, openCache, storeCopy } from './cache.js';
import type { Decryption } from './decrypt.js';
import { decryptFile } from './decrypt.js';
import { BrokenTransfer, checkIntegrity, chunksOf, contentLength, fetchFile } from './fetching.js';
import { log } from './log.js';
import { messageOf, OnnxletError, throwIfAborted } from './errors.js';
import type { EngineModule } from './module.js';
import { nextTurn, nodeModule } from './platform.js';
import type { CallOptions, FileHandling, FileSource } from './protocol.js';

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
  const cache =
    source.cache !== undefined && source.kind === 'url' && !source.url.startsWith('file:')
      ? await openCache(source.cache)
      : undefined;
  const loaded = await (cache
    ? loadThrough(cache, engine, source, name, options)
    : load(engine, source, name, options));
  return source.decryption ? decrypted(engine, loaded, source.decryption, name) : loaded;
}

async function load(
  engine: EngineModule,
  source: Readable,
  name: string,
  options: CallOptions,
  check?: (loaded: Loaded) => Promise<void>,
): Promise<Loaded> {
  const loaded = await read(engine, source, name, options);
  try {
    throwIfAborted(options.signal);
    await check?.(loaded);
    if (source.integrity !== undefined) {
      const bytes = engine.bytes.subarray(loaded.pointer, loaded.pointer + loaded.size);
      await checkIntegrity(bytes, source.integrity, name);
    }
  } catch (error) {
    free(engine, loaded);
    throw error;
  }
  return loaded;
}

/** From the cache when it has a good copy, otherwise from the network and into the cache. */
async function loadThrough(
  cache: Cache,
  engine: EngineModule,
  source: FileSource,
  name: string,
  options: CallOptions,
): Promise<Loaded> {
  const url = source.kind === 'url' ? source.url : name;
  const copy = await cache.match(url);
  if (copy) {
    try {
      const kept = { kind: 'response', response: copy, integrity: source.integrity } as const;
      return await load(engine, kept, name, options, (loaded) => checkCopy(engine, loaded, copy, url));
    } catch (error) {
      if (!(error instanceof OnnxletError) || error.code !== 'LOAD_FAILED') throw error;
      log('warning', `${error.message}; it is fetched again`);
      await cache.delete(url);
    }
  }
  const loaded = await load(engine, source, name, options);
  await storeCopy(cache, engine, loaded, url);
  return loaded;
}

async function decrypted(engine: EngineModule, file: Loaded, decryption: Decryption, name: string): Promise<Loaded> {
  const bytes = engine.slice(file.pointer, file.size);
  free(engine, file);
  const plain = await decryptFile(bytes, decryption, name);
  const pointer = engine.alloc(Math.max(plain.length, 1), name);
  engine.bytes.set(plain, pointer);
  return { pointer, size: plain.length };
}

function free(engine: EngineModule, file: Loaded): void {
  if (!engine.lost) engine.abi.ol_free(file.pointer);
}

type Readable = FileSource | (FileHandling & { readonly kind: 'response'; readonly response: Response });

function read(engine: EngineModule, source: Readable, name: string, options: CallOptions): Promise<Loaded> {
  switch (source.kind) {
    case 'bytes':
      return readBytes(engine, source.bytes, name, options);
    case 'blob':
      return readResponse(engine, new Response(source.blob), { name, url: name, total: source.blob.size }, options);
    case 'response':
      return readResponse(engine, source.response, { name, url: name, total: contentLength(source.response) }, options);
    case 'url':
      return source.url.startsWith('file:')
        ? readDisk(engine, source.url, name, options)
        : readUrl(engine, source.url, name, options);
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

interface Transfer {
  readonly name: string;
  readonly url: string;
  readonly total: number | undefined;
  /** Where it can be asked for again, from the middle on. */
  readonly resume?: (from: number) => Promise<Response>;
}

/** A file from the network. When the connection breaks the rest is asked for, as long as that gets on. */
async function readUrl(engine: EngineModule, url: string, name: string, options: CallOptions): Promise<Loaded> {
  const first = await fetchFile(url, name, options.signal);
  const total = contentLength(first);
  const resume = async (from: number) => {
    const response = await fetchFile(url, name, options.signal, `bytes=${from}-`);
    if (isRest(first, response, from)) return response;
    await response.body?.cancel().catch(() => undefined); // it may have broken off, too
    throw new OnnxletError(
      'LOAD_FAILED',
      `the transfer of ${url} broke off at ${from} of ${total} bytes, and the server does not give the rest of the same file`,
    );
  };
  return readResponse(engine, first, { name, url, total, resume }, options);
}

/** Whether `rest` is the end of the file whose beginning `first` was. Other origins may hide some headers. */
function isRest(first: Response, rest: Response, from: number): boolean {
  const same = (header: string) => {
    const [one, other] = [first.headers.get(header), rest.headers.get(header)];
    return one === null || other === null || one === other;
  };
  const total = contentLength(first) ?? 0;
  const range = rest.headers.get('content-range') ?? `bytes ${from}-${total - 1}/${total}`;
  return rest.status === 206 && range.startsWith(`bytes ${from}-`) && same('etag') && same('last-modified');
}

const RETRIES = 4;
const FIRST_PAUSE = 100;

async function readResponse(
  engine: EngineModule,
  response: Response,
  { name, url, total, resume }: Transfer,
  options: CallOptions,
): Promise<Loaded> {
  const target = new Target(engine, name, total);
  let rest: Response | undefined = response;
  let failures = 0;
  try {
    for (;;) {
      const before = target.size;
      try {
        rest ??= await resume?.(target.size);
        if (rest) await receive(target, rest, url, options);
        break;
      } catch (error) {
        if (!(error instanceof BrokenTransfer) || !resume || total === undefined) throw error;
        failures = target.size > before ? 1 : failures + 1;
        if (failures > RETRIES) throw error;
        rest = undefined;
        await nextTurn(FIRST_PAUSE * 2 ** failures);
        throwIfAborted(options.signal);
      }
    }
    return target.finish();
  } catch (error) {
    target.discard();
    throw error;
  }
}

async function receive(target: Target, response: Response, url: string, options: CallOptions): Promise<void> {
  const { total } = target;
  for await (const chunk of chunksOf(response, url, options.signal)) {
    target.append(chunk);
    options.onProgress?.({ file: target.name, loaded: target.size, total });
    throwIfAborted(options.signal);
  }
  if (total !== undefined && target.size < total) {
    throw new BrokenTransfer(`the transfer of ${url} ended after ${target.size} of ${total} bytes`);
  }
}

async function readDisk(engine: EngineModule, url: string, name: string, options: CallOptions): Promise<Loaded> {
  const fs = await nodeModule('fs');
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
    readonly name: string,
    readonly total: number | undefined,
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
