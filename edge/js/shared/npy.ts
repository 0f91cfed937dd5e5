// numpy's .npy files, versions 1 to 3 (NEP 1): little- and big-endian, C and Fortran order, numbers, booleans and text.
import type { DataType } from 'onnxlet';
import { Tensor } from 'onnxlet';
import type { Element } from './elements.js';
import { elementsOf, makeTensor } from './elements.js';
import { Problem } from './interface.js';

const MAGIC = [0x93, ...new TextEncoder().encode('NUMPY')];
const TYPES: Readonly<Record<string, DataType>> = {
  f2: 'float16',
  f4: 'float32',
  f8: 'float64',
  i1: 'int8',
  i2: 'int16',
  i4: 'int32',
  i8: 'int64',
  u1: 'uint8',
  u2: 'uint16',
  u4: 'uint32',
  u8: 'uint64',
  b1: 'bool',
};
const DESCRIPTIONS = new Map(Object.entries(TYPES).map(([short, type]) => [type, short]));
const ARRAYS = {
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
} as const;
const ALIGNMENT = 64;
const UTF32_BYTES = 4;

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** @param what names the file in messages */
export function readNpy(bytes: Uint8Array, what: string): Tensor {
  const { descr, fortran, shape, start } = readHeader(bytes, what);
  const [, order = '', kind = '', digits = ''] = /^([<>|=])([a-zA-Z])(\d+)$/.exec(descr) ?? [];
  const size = shape.reduce((product, dim) => product * dim, 1);
  const width = Number(digits) * (kind === 'U' ? UTF32_BYTES : 1);
  // A copy of its own: what is a view on another's memory may begin anywhere.
  const data = new Uint8Array(bytes.subarray(start, start + size * width));
  if (data.length < size * width) {
    throw new Problem(`${what} ends after ${bytes.length} of ${start + size * width} bytes`);
  }
  if (order === '>') reverseEach(data, kind === 'U' ? UTF32_BYTES : width);
  const tensor = decode(data, kind, digits, shape, size);
  if (!tensor) throw new Problem(`${what} holds values of numpy's type ${descr}, which no input takes`);
  return fortran && shape.length > 1 ? inRowOrder(tensor) : tensor;
}

export function writeNpy(tensor: Tensor, what: string): Uint8Array {
  const { descr, bytes } = encode(tensor, what);
  const shape = `(${tensor.dims.join(', ')}${tensor.dims.length === 1 ? ',' : ''})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const before = MAGIC.length + 4;
  const length = Math.ceil((before + text.length + 1) / ALIGNMENT) * ALIGNMENT - before;
  const header = new TextEncoder().encode(`${text.padEnd(length - 1)}\n`);
  const file = new Uint8Array(before + length + bytes.length);
  file.set([...MAGIC, 1, 0, length & 0xff, length >> 8]);
  file.set(header, before);
  file.set(bytes, before + length);
  return file;
}

interface Header {
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Where the elements begin. */
  readonly start: number;
}

function readHeader(bytes: Uint8Array, what: string): Header {
  if (!isNpy(bytes)) throw new Problem(`${what} is not a .npy file`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = (bytes[6] ?? 0) > 1;
  const begin = long ? 12 : 10;
  const length = bytes.length < begin ? 0 : long ? view.getUint32(8, true) : view.getUint16(8, true);
  const text = new TextDecoder().decode(bytes.subarray(begin, begin + length));
  const descr = /'descr':\s*'([^']*)'/.exec(text)?.[1];
  const fortran = /'fortran_order':\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(text)?.[1];
  if (descr === undefined || fortran === undefined || shape === undefined) {
    throw new Problem(`${what} has a header that is damaged, or values that are no plain array`);
  }
  const dims = shape.split(',').filter((dim) => dim.trim() !== '');
  return { descr, fortran: fortran === 'True', shape: dims.map(Number), start: begin + length };
}

function decode(
  data: Uint8Array<ArrayBuffer>,
  kind: string,
  digits: string,
  shape: readonly number[],
  size: number,
): Tensor | undefined {
  if (kind === 'U' || kind === 'S') {
    const length = Number(digits);
    const read = kind === 'U' ? utf32 : utf8;
    const width = data.length / (size || 1);
    const texts = Array.from({ length: size }, (_, index) => read(data.subarray(index * width, (index + 1) * width)));
    return new Tensor('string', length === 0 ? Array.from({ length: size }, () => '') : texts, shape);
  }
  const type = TYPES[`${kind}${digits}`] as keyof typeof ARRAYS | undefined;
  if (type === undefined) return undefined;
  return new Tensor(type as 'float32', new ARRAYS[type](data.buffer) as Float32Array, shape);
}

function encode(tensor: Tensor, what: string): { descr: string; bytes: Uint8Array } {
  const { type, data } = tensor;
  if (Array.isArray(data)) {
    const texts = data.map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0));
    const length = Math.max(1, ...texts.map((text) => text.length));
    const codes = new Uint32Array(texts.length * length);
    texts.forEach((text, index) => {
      codes.set(text, index * length);
    });
    return { descr: `<U${length}`, bytes: new Uint8Array(codes.buffer) };
  }
  const short = DESCRIPTIONS.get(type);
  if (short === undefined) throw new Problem(`${what}: a .npy file cannot hold values of type ${type}`);
  const order = short.endsWith('1') ? '|' : '<';
  return { descr: `${order}${short}`, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

function utf32(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const codes = Array.from({ length: bytes.length / UTF32_BYTES }, (_, index) =>
    view.getUint32(index * UTF32_BYTES, true),
  );
  return String.fromCodePoint(...codes).replace(/\0+$/, '');
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\0+$/, '');
}

function reverseEach(bytes: Uint8Array, width: number): void {
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
}

/** Elements that lie with the first dimension innermost, brought into row-major order. */
function inRowOrder(tensor: Tensor): Tensor {
  const elements = elementsOf(tensor);
  const { dims } = tensor;
  const strides = dims.map((_, axis) => dims.slice(0, axis).reduce((product, dim) => product * dim, 1));
  const index = dims.map(() => 0);
  const ordered = elements.map((): Element => {
    const from = index.reduce((sum, position, axis) => sum + position * (strides[axis] ?? 0), 0);
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      index[axis] = (index[axis] ?? 0) + 1;
      if ((index[axis] ?? 0) < (dims[axis] ?? 0)) break;
      index[axis] = 0;
    }
    return elements[from] ?? 0;
  });
  return makeTensor(tensor.type, dims, ordered, 'the array');
}
