// A model with more outputs, made of the file's own bytes: the values between nodes can then be looked at.
import type { LoadedModel } from './loaded.js';
import { field, fieldHead, textField } from './wire.js';

const GRAPH = 7;
const OUTPUT = 12;
const NAME = 1;

/** The weights are not copied: a Blob refers to the file's. */
export function withOutputs({ file, parsed }: LoadedModel, names: readonly string[]): Blob {
  const [head, start, end] = parsed.graphRange;
  const added = names.map((name) => field(OUTPUT, textField(NAME, name)));
  const length = end - start + added.reduce((sum, bytes) => sum + bytes.length, 0);
  return new Blob([file.slice(0, head), fieldHead(GRAPH, length), file.slice(start, end), ...added, file.slice(end)]);
}
