// Random access to a file of any kind, so that a large model can be looked at without loading all of it.
import { OnnxletError } from './errors.js';
import { fetchFile, wholeOf } from './fetching.js';
import { absoluteUrl, nodeModule } from './platform.js';

export type FileInput = string | URL | Blob | ArrayBufferLike | Uint8Array;

/** Gives the bytes from `start` on: `length` of them, or more, or fewer at the end of the file. */
export type ReadBytes = (start: number, length: number) => Promise<Uint8Array>;

/** The least that is asked of a server at once. */
const CHUNK = 64 << 10;

export async function openBytes(input: FileInput, signal?: AbortSignal): Promise<ReadBytes> {
  if (typeof input === 'string' || input instanceof URL) {
    const url = await absoluteUrl(input);
    return url.startsWith('file:') ? openFile(url) : openRemote(url, signal);
  }
  if (typeof Blob === 'function' && input instanceof Blob) {
    return async (start, length) => new Uint8Array(await input.slice(start, start + length).arrayBuffer());
  }
  const bytes = ArrayBuffer.isView(input) ? input : new Uint8Array(input as ArrayBuffer);
  return (start, length) => Promise.resolve(bytes.subarray(start, start + length));
}

async function openFile(url: string): Promise<ReadBytes> {
  const fs = await nodeModule('fs/promises');
  return async (start, length) => {
    let file;
    try {
      file = await fs.open(new URL(url), 'r');
    } catch (cause) {
      throw new OnnxletError('NO_SUCH_FILE', `could not read ${url}`, { cause });
    }
    try {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
}

function openRemote(url: string, signal: AbortSignal | undefined): ReadBytes {
  let [kept, from, whole] = [new Uint8Array(), 0, false];
  return async (start, length) => {
    const inside = start >= from && start + length <= from + kept.length;
    if (!inside && !whole) {
      const response = await rangeOf(url, start, Math.max(length, CHUNK), signal);
      [kept, from] = [response.bytes, response.from];
      whole = response.whole;
    }
    return kept.subarray(start - from, start - from + length);
  };
}

async function rangeOf(
  url: string,
  start: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; from: number; whole: boolean }> {
  let response: Response;
  try {
    response = await fetchFile(url, 'the model', signal, `bytes=${start}-${start + length - 1}`);
  } catch (error) {
    // 416: the file ends before `start`.
    if (error instanceof OnnxletError && / answered 416 /.test(error.message)) {
      return { bytes: new Uint8Array(), from: start, whole: false };
    }
    throw error;
  }
  const whole = response.status !== 206;
  return { bytes: await wholeOf(response, url, signal), from: whole ? 0 : start, whole };
}
