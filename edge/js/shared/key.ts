// The key of an encrypted model, as people write it down.
import { Problem } from './interface.js';

const KEY_BYTES = 32;

/** @param where names in messages where it comes from */
export function parseKey(text: string, where: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed) ? fromHex(trimmed) : fromBase64(trimmed);
  if (bytes?.length !== KEY_BYTES) throw new Problem(`${where} is not ${KEY_BYTES} bytes in hexadecimal or base64`);
  return bytes;
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) => parseInt(text.slice(2 * index, 2 * index + 2), 16));
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}
