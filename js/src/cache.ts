// Model files in the browser's Cache API. A copy carries a digest of its bytes, so that damage shows when it is read.
import { OnnxletError, messageOf } from './errors.js';
import { webCrypto } from './decrypt.js';
import { log, warnOnce } from './log.js';
import type { EngineModule } from './module.js';
import type { Loaded } from './model-loader.js';

const DIGEST_HEADER = 'x-onnxlet-digest';
// WebCrypto digests whole buffers only. Pieces keep what is copied out of the engine small.
const PIECE = 4 << 20;

/** The cache of this name, or undefined with a warning where there is none. */
export async function openCache(name: string): Promise<Cache | undefined> {
  if (typeof caches !== 'object' || !(globalThis as { crypto?: Crypto }).crypto?.subtle) {
    warnOnce('the option cache has no effect: the Cache API exists in browsers, over https and on localhost');
    return undefined;
  }
  try {
    return await caches.open(name);
  } catch (error) {
    warnOnce(`the option cache has no effect: ${messageOf(error)}`);
    return undefined;
  }
}

/** Throws unless the loaded bytes are those that were stored. */
export async function checkCopy(engine: EngineModule, file: Loaded, copy: Response, url: string): Promise<void> {
  const stored = copy.headers.get(DIGEST_HEADER);
  if (stored !== (await digestOf(engine, file))) {
    throw new OnnxletError('LOAD_FAILED', `the copy of ${url} in the cache is damaged`);
  }
}

/** Keeps a copy. A full disk is no failure. */
export async function storeCopy(cache: Cache, engine: EngineModule, file: Loaded, url: string): Promise<void> {
  try {
    const digest = await digestOf(engine, file);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= file.size) {
          controller.close();
          return;
        }
        controller.enqueue(pieceOf(engine, file, at));
        at += PIECE;
      },
    });
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(file.size) };
    await cache.put(url, new Response(body, { headers: { ...headers, [DIGEST_HEADER]: digest } }));
  } catch (error) {
    log('warning', `${url} could not be kept in the cache: ${messageOf(error)}`);
    await cache.delete(url).catch(() => false);
  }
}

/** SHA-256 of the SHA-256 of each piece. */
async function digestOf(engine: EngineModule, file: Loaded): Promise<string> {
  const subtle = webCrypto('cache');
  const digests: ArrayBuffer[] = [];
  for (let at = 0; at < file.size; at += PIECE) {
    digests.push(await subtle.digest('SHA-256', pieceOf(engine, file, at)));
  }
  const whole = await subtle.digest('SHA-256', await new Blob(digests).arrayBuffer());
  return Array.from(new Uint8Array(whole), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pieceOf(engine: EngineModule, file: Loaded, at: number): Uint8Array<ArrayBuffer> {
  return engine.slice(file.pointer + at, Math.min(PIECE, file.size - at));
}
