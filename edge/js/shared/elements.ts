// Elements of tensors one by one: from texts, numbers and JSON, and back.
import type { DataType } from 'onnxlet';
import { Tensor } from 'onnxlet';
import { fromBfloat16, fromFloat16, toFloat16 } from './half.js';
import { Problem } from './interface.js';

export type Element = number | bigint | boolean | string;

const INTEGERS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const FLOATS = ['float16', 'float32', 'float64'];
/** As JSON, which has no such numbers, holds them. */
const SPECIAL = ['NaN', 'Infinity', '-Infinity'];
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SPECIAL_FIELD = /^([+-]?)(nan|inf|infinity)$/i;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };

export function isNumeric(dtype: string): boolean {
  return dtype in INTEGERS || FLOATS.includes(dtype);
}

/** Also one of another copy of onnxlet. */
export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'type' in value && 'dims' in value && 'data' in value;
}

/** @param what names the value in messages */
export function makeTensor(
  dtype: string,
  shape: readonly number[],
  elements: readonly Element[],
  what: string,
): Tensor {
  if (dtype === 'string')
    return new Tensor(
      'string',
      elements.map((element) => text(element, what)),
      shape,
    );
  if (dtype === 'bool')
    return new Tensor(
      'bool',
      Uint8Array.from(elements, (element) => boolean(element, what)),
      shape,
    );
  const range = INTEGERS[dtype];
  if (range) {
    const integers = elements.map((element) => integer(element, dtype, range, what));
    const data = dtype.endsWith('64') ? integers : integers.map(Number);
    return new Tensor(dtype as 'int64', data, shape);
  }
  if (!FLOATS.includes(dtype)) throw new Problem(`${what}: values of type ${dtype} cannot be given here`);
  const numbers = elements.map((element) => float(element, dtype, what));
  if (dtype !== 'float16') return new Tensor(dtype as 'float32', numbers, shape);
  return new Tensor('float16', Uint16Array.from(numbers, toFloat16), shape);
}

/** Numbers, booleans or strings; int64 and uint64 as bigint. */
export function elementsOf(tensor: Tensor): Element[] {
  const { type, data } = tensor;
  if (Array.isArray(data)) return data;
  const numbers = Array.from(data as ArrayLike<number | bigint>);
  if (type === 'bool') return numbers.map(Boolean);
  if (type === 'bfloat16') return numbers.map((bits) => fromBfloat16(Number(bits)));
  if (type === 'float16' && data instanceof Uint16Array) return numbers.map((bits) => fromFloat16(Number(bits)));
  if (isNumeric(type)) return numbers;
  throw new Problem(`values of type ${type} cannot be shown`);
}

/** The same values as another type, where that loses nothing but digits of floats. */
export function converted(tensor: Tensor, dtype: string, what: string): Tensor {
  if (tensor.type === (dtype as DataType)) return tensor;
  return makeTensor(dtype, tensor.dims, elementsOf(tensor), what);
}

/** A field of a table or form as an element. An empty one is NaN for floats and text for strings. */
export function parseField(field: string, dtype: string, what: string): Element {
  if (dtype === 'string') return field;
  const trimmed = field.trim();
  if (dtype === 'bool') {
    const value = BOOLEANS[trimmed.toLowerCase()];
    if (value === undefined) throw new Problem(`${what}: ${JSON.stringify(field)} is neither true nor false`);
    return value;
  }
  if (dtype in INTEGERS) {
    if (!/^[+-]?\d+$/.test(trimmed)) throw new Problem(`${what}: ${JSON.stringify(field)} is not a whole number`);
    return BigInt(trimmed.replace('+', ''));
  }
  if (trimmed === '') return NaN;
  const special = SPECIAL_FIELD.exec(trimmed);
  if (special) return special[2]?.toLowerCase() === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity;
  if (!DECIMAL.test(trimmed)) throw new Problem(`${what}: ${JSON.stringify(field)} is not a number`);
  return Number(trimmed);
}

function text(element: Element, what: string): string {
  if (typeof element !== 'string') throw new Problem(`${what} takes text; ${shown(element)} given`);
  return element;
}

function boolean(element: Element, what: string): number {
  if (typeof element === 'boolean') return element ? 1 : 0;
  const value = typeof element === 'string' ? NaN : Number(element);
  if (value !== 0 && value !== 1) throw new Problem(`${what} takes true and false; ${shown(element)} given`);
  return value;
}

function integer(element: Element, dtype: string, [least, most]: readonly [bigint, bigint], what: string): bigint {
  if (typeof element === 'string' || (typeof element === 'number' && !Number.isInteger(element))) {
    throw new Problem(`${what} takes whole numbers; ${shown(element)} given`);
  }
  if (typeof element === 'number' && !Number.isSafeInteger(element)) {
    throw new Problem(`${what}: ${shown(element)} is beyond what JSON holds exactly; give a .npy file`);
  }
  const value = BigInt(element);
  if (value < least || value > most) throw new Problem(`${what}: ${shown(element)} is outside of ${dtype}`);
  return value;
}

function float(element: Element, dtype: string, what: string): number {
  if (typeof element !== 'string') return Number(element);
  if (!SPECIAL.includes(element)) throw new Problem(`${what} takes numbers (${dtype}); ${shown(element)} given`);
  return Number(element);
}

function shown(element: Element): string {
  return typeof element === 'string' ? JSON.stringify(element) : String(element);
}
