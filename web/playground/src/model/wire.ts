// Fields of protocol buffers, as bytes.
import { PbfReader } from 'pbf';

/** The fields of a message, each with its tag. */
export function fieldsOf(message: Uint8Array): { readonly tag: number; readonly bytes: Uint8Array }[] {
  const found: { tag: number; bytes: Uint8Array }[] = [];
  const pbf = new PbfReader(message);
  let start = 0;
  pbf.readFields((tag) => {
    pbf.skip(pbf.type);
    found.push({ tag, bytes: message.subarray(start, pbf.pos) });
    start = pbf.pos;
  }, undefined);
  return found;
}

/** The content of a field that holds bytes. */
export function contentOf(field: Uint8Array): Uint8Array {
  const pbf = new PbfReader(field);
  pbf.readVarint();
  return pbf.readBytes();
}

/** A field that holds bytes: a text, or another message. */
export function field(tag: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined([fieldHead(tag, content.length), content]);
}

/** What stands before the bytes of such a field. */
export function fieldHead(tag: number, length: number): Uint8Array<ArrayBuffer> {
  return joined([varint(tag * 8 + 2), varint(length)]);
}

export function textField(tag: number, text: string): Uint8Array<ArrayBuffer> {
  return field(tag, new TextEncoder().encode(text));
}

/** A field that holds a whole number from 0 on. */
export function numberField(tag: number, value: number): Uint8Array<ArrayBuffer> {
  return joined([varint(tag * 8), varint(value)]);
}

export function varint(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.of(...bytes, rest);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}
