// A model with more outputs, made of the file's own bytes: the values between nodes can then be looked at.
import type { LoadedModel } from './loaded.js';

const GRAPH_TAG = 7 * 8 + 2;
const OUTPUT_TAG = 12 * 8 + 2;
const NAME_TAG = 1 * 8 + 2;

/** The weights are not copied: a Blob refers to the file's. */
export function withOutputs({ file, parsed }: LoadedModel, names: readonly string[]): Blob {
  const [head, start, end] = parsed.graphRange;
  const added = names.map((name) => field(OUTPUT_TAG, field(NAME_TAG, new TextEncoder().encode(name))));
  const length = varint(end - start + added.reduce((sum, bytes) => sum + bytes.length, 0));
  const tag = Uint8Array.of(GRAPH_TAG);
  return new Blob([file.slice(0, head), tag, length, file.slice(start, end), ...added, file.slice(end)]);
}

function field(tag: number, content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const length = varint(content.length);
  const made = new Uint8Array(1 + length.length + content.length);
  made[0] = tag;
  made.set(length, 1);
  made.set(content, 1 + length.length);
  return made;
}

function varint(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.of(...bytes, rest);
}
