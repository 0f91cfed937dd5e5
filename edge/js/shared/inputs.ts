// From what a person has, words or a file's bytes, to what the model takes.
import { Tensor } from 'onnxlet';
import { converted, isTensor } from './elements.js';
import type { Input, Interface } from './interface.js';
import { Problem, takesFile, takesTable } from './interface.js';
import { parseJsonTensor, tensorOfLists } from './json.js';
import { isNpy, readNpy } from './npy.js';
import type { Table } from './table.js';
import { parseTable, tensorOfTable } from './table.js';

/** Words, a file's bytes, or lists of numbers, texts, true and false. */
export type Given = string | Uint8Array | Tensor | number | boolean | readonly unknown[];

export function tensorOf(input: Input, given: Given): Tensor {
  const what = `input ${JSON.stringify(input.name)}`;
  if (isTensor(given))
    return converted(new Tensor(given.type as 'uint8', given.data as Uint8Array, given.dims), input.dtype, what);
  if (takesFile(input)) {
    if (!(given instanceof Uint8Array)) throw new Problem(`${what} takes the bytes of a file`);
    if (given.length === 0) throw new Problem(`${what}: the file is empty`);
    return new Tensor('uint8', given, [given.length]);
  }
  if (input.kind === 'text') {
    if (typeof given !== 'string' && !(given instanceof Uint8Array)) throw new Problem(`${what} takes text`);
    return new Tensor('string', [typeof given === 'string' ? given : decode(given, what)], [1]);
  }
  if (given instanceof Uint8Array) {
    return isNpy(given)
      ? converted(readNpy(given, what), input.dtype, what)
      : tensorOfText(input, decode(given, what), what);
  }
  if (typeof given === 'string') return tensorOfText(input, given, what);
  return inRows(input, tensorOfLists(given, input.dtype, what));
}

/** Feeds for all inputs of the model. */
export function feedsOf(
  asked: Interface,
  given: Readonly<Record<string, Given>>,
  table: Table | undefined,
): Record<string, Tensor> {
  const known = asked.inputs.map(({ name }) => name);
  const stray = Object.keys(given).find((name) => !known.includes(name));
  if (stray !== undefined) {
    throw new Problem(`there is no input ${JSON.stringify(stray)}; the inputs are ${known.join(', ')}`);
  }
  return Object.fromEntries(
    asked.inputs.map((input) => {
      const value = given[input.name];
      if (value !== undefined) return [input.name, tensorOf(input, value)];
      if (table && takesTable(input)) return [input.name, tensorOfTable(input, table)];
      throw new Problem(`input ${JSON.stringify(input.name)} is missing`);
    }),
  );
}

function tensorOfText(input: Input, text: string, what: string): Tensor {
  const start = text.trimStart().at(0) ?? '';
  if (input.kind === 'matrix' && start !== '[' && start !== '{') return tensorOfTable(input, parseTable(text, what));
  // A single text needs no quotes.
  const plain = input.kind === 'column' && input.dtype === 'string' && start !== '[' && start !== '{';
  return inRows(input, plain ? tensorOfLists([text], 'string', what) : parseJsonTensor(text, input.dtype, what));
}

/** A column's values one below the other; a row that is alone is a matrix. */
function inRows({ kind }: Input, tensor: Tensor): Tensor {
  const { size, dims } = tensor;
  if (kind === 'column' && dims.length < 2) return tensor.reshape([size, 1]);
  return kind === 'matrix' && dims.length === 1 ? tensor.reshape([1, size]) : tensor;
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Problem(`${what}: the file is not text in UTF-8`, { cause });
  }
}
