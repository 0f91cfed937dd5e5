// Encrypted files: 12 bytes of initialization vector, then what AES-GCM makes of the file, its 16-byte tag last.
import { OnnxletError } from './errors.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface DecryptOptions {
  /** 16, 24 or 32 bytes, or a key of WebCrypto for AES-GCM that may decrypt. */
  readonly key: CryptoKey | ArrayBufferLike | Uint8Array;
  /** What was authenticated besides the file. */
  readonly additionalData?: Uint8Array;
}

/** The same, ready to cross into a worker. */
export interface Decryption {
  readonly key: CryptoKey;
  readonly additionalData: Uint8Array<ArrayBuffer>;
}

export async function prepareDecryption(options: DecryptOptions): Promise<Decryption> {
  const { key, additionalData = new Uint8Array() } = options;
  const data = new Uint8Array(additionalData);
  if (!(key instanceof Uint8Array) && 'algorithm' in key) return { key, additionalData: data };
  const bytes = key instanceof Uint8Array ? new Uint8Array(key) : new Uint8Array(new Uint8Array(key));
  if (![16, 24, 32].includes(bytes.length)) {
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `decrypt: the key must be a CryptoKey or have 16, 24 or 32 bytes; it has ${bytes.length}`,
    );
  }
  const imported = await webCrypto('decrypt').importKey('raw', bytes, 'AES-GCM', false, ['decrypt']);
  return { key: imported, additionalData: data };
}

export async function decryptFile(
  bytes: Uint8Array<ArrayBuffer>,
  decryption: Decryption,
  what: string,
): Promise<Uint8Array> {
  if (bytes.length < IV_BYTES + TAG_BYTES) {
    throw new OnnxletError(
      'LOAD_FAILED',
      `${what} has ${bytes.length} bytes, which is too short for an encrypted file`,
    );
  }
  const { key, additionalData } = decryption;
  const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, IV_BYTES), additionalData, tagLength: 8 * TAG_BYTES };
  try {
    return new Uint8Array(await webCrypto('decrypt').decrypt(algorithm, key, bytes.subarray(IV_BYTES)));
  } catch (cause) {
    throw new OnnxletError(
      'LOAD_FAILED',
      `${what} could not be decrypted: the key is another one, or the file is not the encrypted original`,
      { cause },
    );
  }
}

/** @param what the option that needs it */
export function webCrypto(what: string): SubtleCrypto {
  const subtle = (globalThis as { crypto?: Crypto }).crypto?.subtle;
  if (subtle) return subtle;
  throw new OnnxletError(
    'NOT_IMPLEMENTED',
    `${what} needs WebCrypto, which pages have over https and on localhost only`,
  );
}
