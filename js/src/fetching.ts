// Reading files: over HTTP with progress and abort, or from disk in Node.
import { webCrypto } from './decrypt.js';
import { aborted, messageOf, OnnxletError } from './errors.js';

export interface Progress {
  /** Which file: its address, or its name inside the model. */
  readonly file: string;
  readonly loaded: number;
  /** undefined while the size is unknown. */
  readonly total: number | undefined;
}

/** The connection failed on the way: asking again may help. */
export class BrokenTransfer extends OnnxletError {
  constructor(message: string, cause?: unknown) {
    super('LOAD_FAILED', message, { cause });
  }
}

/**
 * Fetches and refuses what is plainly not the file: an HTTP error, or the HTML page that servers answer instead.
 * @param range asks for a part of the file only, as in the header Range; servers may give all of it
 */
export async function fetchFile(url: string, what: string, signal?: AbortSignal, range?: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...(signal ? { signal } : {}), ...(range ? { headers: { range } } : {}) });
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal.reason);
    throw new BrokenTransfer(`could not fetch ${what} from ${url}: ${messageOf(cause)}`, cause);
  }
  if (!response.ok) {
    throw new OnnxletError(
      response.status === 404 || response.status === 410 ? 'NO_SUCH_FILE' : 'LOAD_FAILED',
      `could not fetch ${what}: the server answered ${response.status} ${response.statusText} for ${url}`.trimEnd(),
    );
  }
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(type)) throw gotHtml(url, what);
  return response;
}

export function gotHtml(url: string, what: string): OnnxletError {
  return new OnnxletError(
    'LOAD_FAILED',
    `expected ${what} but got text/html from ${url}; the file is probably missing there and the server answers with ` +
      'a page. Serve the file at this address, or name the right one',
  );
}

/** The length in bytes when the headers can be trusted about it: a compressed answer is longer than they say. */
export function contentLength(response: Response): number | undefined {
  const encoding = response.headers.get('content-encoding');
  const length = response.headers.get('content-length');
  if (length === null || (encoding !== null && encoding !== 'identity')) return undefined;
  const value = Number(length);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export async function* chunksOf(response: Response, url: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw brokenOff(url, cause, signal);
  } finally {
    // Stops the transfer when the consumer gives up half-way; the error there is already on its way.
    await reader.cancel().catch(() => undefined);
  }
}

/** The whole body. */
export async function wholeOf(response: Response, url: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw brokenOff(url, cause, signal);
  }
}

function brokenOff(url: string, cause: unknown, signal: AbortSignal | undefined): OnnxletError {
  if (signal?.aborted) return aborted(signal.reason);
  if (cause instanceof OnnxletError) return cause;
  return new BrokenTransfer(`the transfer of ${url} broke off: ${messageOf(cause)}`, cause);
}

const DIGESTS: Readonly<Record<string, string>> = { sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };

/** Checks bytes against an SRI string; of several hashes those of the strongest algorithm count. */
export async function checkIntegrity(bytes: Uint8Array, integrity: string, what: string): Promise<void> {
  const hashes = integrity
    .trim()
    .split(/\s+/)
    .map((item) => /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+=*)(\?.*)?$/.exec(item))
    .filter((match) => match !== null)
    .map((match) => ({ algorithm: match[1] ?? '', value: match[2] ?? '' }));
  const strongest = hashes
    .map((hash) => hash.algorithm)
    .sort()
    .at(-1);
  if (strongest === undefined) {
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `integrity must be like "sha384-<base64>"; got ${JSON.stringify(integrity)}`,
    );
  }
  const digest = await webCrypto('integrity').digest(DIGESTS[strongest] ?? '', unshared(bytes));
  const actual = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const wanted = hashes.filter((hash) => hash.algorithm === strongest).map((hash) => hash.value);
  if (!wanted.some((value) => value.replaceAll('-', '+').replaceAll('_', '/') === actual)) {
    throw new OnnxletError(
      'LOAD_FAILED',
      `${what} fails its integrity check: expected ${strongest}-${wanted.join(' or ')}, got ${strongest}-${actual}`,
    );
  }
}

function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
