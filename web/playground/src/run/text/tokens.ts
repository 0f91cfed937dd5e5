// The inputs of a model that takes tokens, from texts.
import type { Tensor } from 'onnxlet';
import { converted, makeTensor } from '../../../../../edge/js/shared/elements.js';
import { Problem } from '../../../../../edge/js/shared/interface.js';
import type { ValueInfo } from '../../model/types.js';
import { numbersOf } from '../../ui/statistics.js';
import { dtypeOf } from '../kinds.js';
import type { Roles } from '../roles.js';
import { tokenize } from './tokenizer.js';

/** A text in each line. */
export function textsOf(written: string): string[] {
  return written.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Feeds for `input`, which takes the tokens, and for those that go along with it. Throws Problem. */
export async function tokenFeeds(
  input: ValueInfo,
  written: string,
  tokenizer: File | undefined,
  roles: Roles,
  inputs: readonly ValueInfo[],
): Promise<Record<string, Tensor>> {
  if (!tokenizer) {
    throw new Problem(
      `Input "${input.name}" takes the numbers of tokens: drop the model's tokenizer.json, which makes them of words.`,
    );
  }
  const texts = textsOf(written);
  if (texts.length === 0) throw new Problem(`Write a text for input "${input.name}" first.`);
  const [batch, length] = input.shape ?? [];
  if (typeof batch === 'number' && batch !== texts.length) {
    throw new Problem(`Input "${input.name}" takes ${batch === 1 ? 'one text' : `${batch} texts`}, a line each.`);
  }
  const { ids, mask } = await tokenize(tokenizer, texts);
  const zeros = makeTensor('int64', ids.dims, Array<bigint>(ids.size).fill(0n), input.name);
  const tensors = { ids, mask, types: zeros };
  return Object.fromEntries(
    inputs.flatMap((each) => {
      const role = roles.get(each.name);
      if (role?.kind !== 'ids' && role?.kind !== 'mask' && role?.kind !== 'types') return [];
      const fitted = typeof length === 'number' ? ofLength(tensors[role.kind], length) : tensors[role.kind];
      return [[each.name, cast(fitted, dtypeOf(each) ?? 'int64', each.name)]];
    }),
  );
}

/** Rows cut, or filled up with zeros, which no mask counts. */
function ofLength(tensor: Tensor, length: number): Tensor {
  const [rows = 0, width = 0] = tensor.dims;
  const numbers = numbersOf(tensor);
  const elements = Array.from({ length: rows * length }, (_, at) => {
    const [row, column] = [Math.floor(at / length), at % length];
    return column < width ? (numbers[row * width + column] ?? 0) : 0;
  });
  return makeTensor('int64', [rows, length], elements, 'tokens');
}

function cast(tensor: Tensor, dtype: string, name: string): Tensor {
  if (dtype !== 'bool') return converted(tensor, dtype, `Input "${name}"`);
  return makeTensor('bool', tensor.dims, Array.from(numbersOf(tensor)).map(Boolean), name);
}
