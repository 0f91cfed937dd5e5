// The element types of ONNX: their names in JavaScript, in model files, and the arrays that hold them.

type Float16ArrayOrUint16Array = typeof globalThis extends { Float16Array: { prototype: infer T } }
  ? T | Uint16Array
  : Uint16Array;

/** Which array holds the elements of each type. Sub-byte types are packed, low bits first, as ONNX stores them. */
export interface DataTypeMap {
  float32: Float32Array;
  uint8: Uint8Array;
  int8: Int8Array;
  uint16: Uint16Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  string: string[];
  bool: Uint8Array;
  float16: Float16ArrayOrUint16Array;
  float64: Float64Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  /** Real and imaginary parts in turn. */
  complex64: Float32Array;
  /** Real and imaginary parts in turn. */
  complex128: Float64Array;
  bfloat16: Uint16Array;
  float8e4m3fn: Uint8Array;
  float8e4m3fnuz: Uint8Array;
  float8e5m2: Uint8Array;
  float8e5m2fnuz: Uint8Array;
  uint4: Uint8Array;
  int4: Uint8Array;
  float4e2m1: Uint8Array;
  float8e8m0: Uint8Array;
  uint2: Uint8Array;
  int2: Uint8Array;
  float6e2m3: Uint8Array;
  float6e3m2: Uint8Array;
}

export type DataType = keyof DataTypeMap;
export type NumericType = Exclude<DataType, 'string'>;
export type NumericArray = Exclude<DataTypeMap[DataType], string[]>;

export interface NumericArrayConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): NumericArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): NumericArray;
}

export interface TypeInfo {
  /** TensorProto.DataType */
  readonly code: number;
  /** As in `tensor(float)`. */
  readonly onnx: string;
  /** Bits of one element, 0 for strings. */
  readonly bits: number;
  readonly array: NumericArrayConstructor | null;
}

const half = (globalThis as { Float16Array?: NumericArrayConstructor }).Float16Array ?? Uint16Array;

function row(code: number, onnx: string, bits: number, array: unknown): TypeInfo {
  return { code, onnx, bits, array: array as NumericArrayConstructor | null };
}

export const TYPES: Readonly<Record<DataType, TypeInfo>> = {
  float32: row(1, 'float', 32, Float32Array),
  uint8: row(2, 'uint8', 8, Uint8Array),
  int8: row(3, 'int8', 8, Int8Array),
  uint16: row(4, 'uint16', 16, Uint16Array),
  int16: row(5, 'int16', 16, Int16Array),
  int32: row(6, 'int32', 32, Int32Array),
  int64: row(7, 'int64', 64, BigInt64Array),
  string: row(8, 'string', 0, null),
  bool: row(9, 'bool', 8, Uint8Array),
  float16: row(10, 'float16', 16, half),
  float64: row(11, 'double', 64, Float64Array),
  uint32: row(12, 'uint32', 32, Uint32Array),
  uint64: row(13, 'uint64', 64, BigUint64Array),
  complex64: row(14, 'complex64', 64, Float32Array),
  complex128: row(15, 'complex128', 128, Float64Array),
  bfloat16: row(16, 'bfloat16', 16, Uint16Array),
  float8e4m3fn: row(17, 'float8e4m3fn', 8, Uint8Array),
  float8e4m3fnuz: row(18, 'float8e4m3fnuz', 8, Uint8Array),
  float8e5m2: row(19, 'float8e5m2', 8, Uint8Array),
  float8e5m2fnuz: row(20, 'float8e5m2fnuz', 8, Uint8Array),
  uint4: row(21, 'uint4', 4, Uint8Array),
  int4: row(22, 'int4', 4, Uint8Array),
  float4e2m1: row(23, 'float4e2m1', 4, Uint8Array),
  float8e8m0: row(24, 'float8e8m0', 8, Uint8Array),
  uint2: row(25, 'uint2', 2, Uint8Array),
  int2: row(26, 'int2', 2, Uint8Array),
  float6e2m3: row(27, 'float6e2m3', 6, Uint8Array),
  float6e3m2: row(28, 'float6e3m2', 6, Uint8Array),
};

const ROWS = Object.entries(TYPES) as [DataType, TypeInfo][];
const BY_CODE: ReadonlyMap<number, DataType> = new Map(ROWS.map(([type, info]) => [info.code, type]));
const BY_ONNX: ReadonlyMap<string, DataType> = new Map(ROWS.map(([type, info]) => [info.onnx, type]));

export function typeOfCode(code: number): DataType | undefined {
  return BY_CODE.get(code);
}

/** `float` -> `float32`; undefined when ONNX has no such type. */
export function typeOfOnnxName(name: string): DataType | undefined {
  return BY_ONNX.get(name);
}

/** How many array elements hold `size` tensor elements: packed types need fewer, complex ones more. */
export function arrayLength(type: NumericType, size: number): number {
  const info = TYPES[type];
  const bytes = info.array?.BYTES_PER_ELEMENT ?? 1;
  return Math.ceil((size * info.bits) / (8 * bytes));
}

/** The bytes of ONNX's raw_data seen as the array of the type. `bytes` must start at a multiple of the element size. */
export function arrayOf(type: NumericType, bytes: Uint8Array): NumericArray {
  const constructor = TYPES[type].array ?? Uint8Array;
  const width = constructor.BYTES_PER_ELEMENT;
  return new constructor(bytes.buffer, bytes.byteOffset, bytes.byteLength / width);
}
