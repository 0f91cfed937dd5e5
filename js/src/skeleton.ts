// A model without its weights: the nodes and what stands around the graph, cut out of the file with few reads. Writers
// of protocol buffers put fields in the order of their numbers, so nodes come before initializers.
import type { ReadBytes } from './byte-source.js';
import { OnnxletError } from './errors.js';

const MODEL_GRAPH = 7;
const GRAPH_NODE = 1;
const GRAPH_INITIALIZER = 5;
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
/** A tag and a length at most. */
const HEAD = 20;
/** More than any one part of a model besides its weights has. */
const LARGEST = 1 << 30;

interface Field {
  readonly number: number;
  readonly start: number;
  /** Where its content begins; the end of the field for those that have none. */
  readonly content: number;
  readonly end: number;
}

export async function skeletonOf(read: ReadBytes): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (;;) {
    const field = await fieldAt(read, at);
    if (!field) break;
    if (field.number === MODEL_GRAPH) {
      const nodes = joined(await nodesOf(read, field.content, field.end));
      parts.push(lengthDelimited(MODEL_GRAPH, nodes));
    } else {
      parts.push(await contentOf(read, field));
    }
    at = field.end;
  }
  if (parts.length === 0) throw broken(0);
  return joined(parts);
}

async function nodesOf(read: ReadBytes, start: number, end: number): Promise<Uint8Array[]> {
  const nodes: Uint8Array[] = [];
  for (let at = start; at < end;) {
    const field = await fieldAt(read, at);
    if (!field || field.end > end) throw broken(at);
    if (field.number === GRAPH_NODE) nodes.push(await contentOf(read, field));
    else if (field.number === GRAPH_INITIALIZER && nodes.length > 0) break;
    at = field.end;
  }
  return nodes;
}

/** Undefined at the end of the file. */
async function fieldAt(read: ReadBytes, start: number): Promise<Field | undefined> {
  const bytes = await read(start, HEAD);
  if (bytes.length === 0) return undefined;
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw broken(start);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  const tag = varint();
  const number = Math.floor(tag / 8);
  switch (tag % 8) {
    case WIRE.varint:
      varint();
      break;
    case WIRE.fixed64:
      at += 8;
      break;
    case WIRE.fixed32:
      at += 4;
      break;
    case WIRE.bytes: {
      const length = varint();
      return { number, start, content: start + at, end: start + at + length };
    }
    default:
      throw broken(start);
  }
  return { number, start, content: start + at, end: start + at };
}

async function contentOf(read: ReadBytes, { start, end }: Field): Promise<Uint8Array> {
  if (end - start > LARGEST) throw broken(start);
  const bytes = await read(start, end - start);
  if (bytes.length < end - start) throw broken(start);
  return bytes;
}

export function lengthDelimited(number: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = [number * 8 + WIRE.bytes];
  let length = content.length;
  for (; length > 127; length = Math.floor(length / 128)) head.push((length % 128) + 128);
  return joined([new Uint8Array([...head, length]), content]);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function broken(offset: number): OnnxletError {
  return new OnnxletError('INVALID_GRAPH', `this is no ONNX model: what stands at byte ${offset} is no part of one`);
}
