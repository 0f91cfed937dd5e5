import type { DataType, DataTypeMap, NumericArray } from './dtypes.js';
import { arrayLength, TYPES } from './dtypes.js';
import { OnnxletError } from './errors.js';
import type { DataLocation, ElementOf, GpuBufferType, ImageSource, MLTensorType, OnDevice } from './tensor-api.js';
import type { TensorConstructor, TextureType, TypedTensor } from './tensor-api.js';
import type { TensorFromImageOptions, TensorToImageOptions } from './tensor-image.js';
import { dataUrlOfImage, elementsOfImage, imageOfElements } from './tensor-image.js';

type Elements = NumericArray | Uint8ClampedArray | readonly number[] | readonly bigint[] | readonly boolean[];

/** A tensor of any element type. */
export type Tensor = TypedTensor<DataType>;

/** Elements that are elsewhere: in the engine, or in a GPU buffer. */
export interface KeptElements {
  /** The host of the engine that keeps them, and their number there. */
  readonly host?: object;
  readonly id?: number;
  readonly buffer?: GPUBuffer;
  readonly read: (() => Promise<DataTypeMap[DataType] | undefined>) | undefined;
  forget(): void;
}

class TensorImpl implements Tensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly size: number;
  #data: NumericArray | string[] | null;
  #kept: KeptElements | undefined;

  static async fromImage(image: ImageSource, options: TensorFromImageOptions = {}): Promise<Tensor> {
    const { type, data, dims } = await elementsOfImage(image, options);
    return new TensorImpl(type, data, dims);
  }

  static fromPinnedBuffer(type: DataType, buffer: NumericArray, dims?: readonly number[]): Tensor {
    return new TensorImpl(type, buffer, dims);
  }

  static fromTexture(): never {
    throw elsewhere('a WebGL texture');
  }

  static fromGpuBuffer(buffer: GPUBuffer, options: OnDevice<DataType>): Tensor {
    const { dataType = 'float32', dims } = options;
    if (!Object.hasOwn(TYPES, dataType)) throw invalid(`there is no element type ${JSON.stringify(dataType)}`);
    if (dataType === 'string') throw invalid('a GPU buffer holds no strings');
    if (!isGpuBuffer(buffer)) throw invalid(`fromGpuBuffer needs a GPUBuffer; got ${describe(buffer)}`);
    const read = options.download && (async () => options.download?.());
    return TensorImpl.ofKept(dataType, checkedDims(dims), { buffer, read, forget: () => options.dispose?.() });
  }

  static fromMLTensor(): never {
    throw elsewhere('an MLTensor');
  }

  /** A tensor whose elements are elsewhere. */
  static ofKept(type: DataType, dims: readonly number[], kept: KeptElements): Tensor {
    const tensor = new TensorImpl(type, [], [0]);
    Object.assign(tensor, { dims, size: dims.reduce((product, dim) => product * dim, 1) });
    tensor.#data = null;
    tensor.#kept = kept;
    return tensor;
  }

  static keptOf(tensor: Tensor): KeptElements | undefined {
    return tensor instanceof TensorImpl ? tensor.#kept : undefined;
  }

  constructor(
    first: DataType | Elements | readonly string[],
    second?: Elements | readonly string[] | readonly number[],
    third?: readonly number[],
  ) {
    const given = typeof first === 'string';
    const data = (given ? second : first) as Elements | readonly string[];
    const dims = given ? third : (second as readonly number[] | undefined);
    this.type = given ? first : typeOfData(first);
    this.#data = convert(this.type, data);
    this.dims = dims === undefined ? [lengthOf(this.type, this.#data)] : checkedDims(dims);
    this.size = this.dims.reduce((product, dim) => product * dim, 1);
    const expected = this.type === 'string' ? this.size : arrayLength(this.type, this.size);
    if (this.#data.length !== expected) {
      throw invalid(
        `a ${this.type} tensor of shape [${this.dims.join(', ')}] needs ${expected} array elements, ` +
          `the data has ${this.#data.length}`,
      );
    }
  }

  get data(): DataTypeMap[DataType] {
    if (this.#kept)
      throw invalid(`the elements are ${this.#kept.buffer ? 'on the GPU' : 'in the engine'}; await getData()`);
    if (this.#data === null) throw invalid('the tensor is disposed');
    return this.#data;
  }

  get location(): DataLocation {
    if (this.#kept) return this.#kept.buffer ? 'gpu-buffer' : 'cpu-pinned';
    return this.#data === null ? 'none' : 'cpu';
  }

  get texture(): TextureType {
    throw invalid('the elements are in memory, not in a WebGL texture');
  }

  get gpuBuffer(): GpuBufferType {
    if (this.#kept?.buffer) return this.#kept.buffer;
    throw invalid(
      this.location === 'none' ? 'the tensor is disposed' : 'the elements are in memory, not in a GPU buffer',
    );
  }

  get mlTensor(): MLTensorType {
    throw invalid('the elements are in memory, not in an MLTensor');
  }

  async getData(releaseData = false): Promise<DataTypeMap[DataType]> {
    const kept = this.#kept;
    if (kept && !kept.read) throw invalid('the tensor was made of a GPU buffer without the option download');
    const data = (await kept?.read?.()) ?? this.data;
    if (!releaseData) return data;
    this.dispose();
    if (kept?.buffer) this.#data = data;
    return data;
  }

  dispose(): void {
    this.#data = null;
    this.#kept?.forget();
    this.#kept = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  reshape(dims: readonly number[]): Tensor {
    return new TensorImpl(this.type, this.data, dims);
  }

  toImageData(options: TensorToImageOptions = {}): ImageData {
    if (this.type === 'string') throw invalid('a tensor of strings is no image');
    return imageOfElements(this.data as Uint8Array, this.dims, options);
  }

  toDataURL(options: TensorToImageOptions = {}): string {
    return dataUrlOfImage(this.toImageData(options));
  }
}

/**
 * An n-dimensional array with the interface of onnxruntime-common's Tensor, for every ONNX element type.
 * The elements lie in row-major order in a typed array, which is used as it is and not copied.
 */
export const Tensor = TensorImpl as unknown as TensorConstructor;

export function ofKept(type: DataType, dims: readonly number[], kept: KeptElements): Tensor {
  return TensorImpl.ofKept(type, dims, kept);
}

export function keptOf(tensor: Tensor): KeptElements | undefined {
  return TensorImpl.keptOf(tensor);
}

export declare namespace Tensor {
  /** The names of the element types. */
  type Type = import('./dtypes.js').DataType;
  type DataTypeMap = import('./dtypes.js').DataTypeMap;
  type ElementTypeMap = { [T in Type]: ElementOf<T> };
  type ElementType = ElementTypeMap[Type];
  /** Any array that holds elements. */
  type DataType = DataTypeMap[Type];
  type DataLocation = import('./tensor-api.js').DataLocation;
  type TextureType = import('./tensor-api.js').TextureType;
  type GpuBufferType = import('./tensor-api.js').GpuBufferType;
  type MLTensorType = import('./tensor-api.js').MLTensorType;
  type CpuPinnedDataTypes = Exclude<Type, 'string'>;
  type TextureDataTypes = 'float32';
  type GpuBufferDataTypes = 'float32' | 'float16' | 'int32' | 'int64' | 'uint32' | 'uint8' | 'bool';
  type MLTensorDataTypes = GpuBufferDataTypes | 'int8' | 'uint64' | 'uint4' | 'int4';
}

function elsewhere(what: string): OnnxletError {
  return new OnnxletError(
    'NOT_IMPLEMENTED',
    `Tensor: the engine runs on the CPU and cannot read ${what}; make the tensor from an array`,
  );
}

function invalid(message: string): OnnxletError {
  return new OnnxletError('INVALID_ARGUMENT', `Tensor: ${message}`);
}

/** By what it has and not by its class: devices of packages for Node have their own. */
function isGpuBuffer(value: unknown): value is GPUBuffer {
  const { size, usage, mapAsync } = (value ?? {}) as Partial<GPUBuffer>;
  return typeof size === 'number' && typeof usage === 'number' && typeof mapAsync === 'function';
}

function checkedDims(dims: readonly number[]): readonly number[] {
  for (const dim of dims) {
    if (!Number.isSafeInteger(dim) || dim < 0) {
      throw invalid(`dimensions must be integers from 0 up; got [${dims.join(', ')}]`);
    }
  }
  return [...dims];
}

const INFERRED: ReadonlyMap<string, DataType> = new Map([
  ['Float32Array', 'float32'],
  ['Float64Array', 'float64'],
  ['Float16Array', 'float16'],
  ['Uint8Array', 'uint8'],
  ['Uint8ClampedArray', 'uint8'],
  ['Int8Array', 'int8'],
  ['Uint16Array', 'uint16'],
  ['Int16Array', 'int16'],
  ['Int32Array', 'int32'],
  ['Uint32Array', 'uint32'],
  ['BigInt64Array', 'int64'],
  ['BigUint64Array', 'uint64'],
]);

// By the tag and not by instanceof, so that arrays of other realms (frames, test sandboxes) are recognised too.
function tagOf(data: unknown): string {
  return Object.prototype.toString.call(data).slice(8, -1);
}

function typeOfData(data: unknown): DataType {
  if (Array.isArray(data)) {
    if (data.length === 0) throw invalid('the element type cannot be seen from an empty array; name it');
    if (typeof data[0] === 'string') return 'string';
    if (typeof data[0] === 'boolean') return 'bool';
    throw invalid('the element type cannot be seen from an array of numbers; name it or use a typed array');
  }
  const type = INFERRED.get(tagOf(data));
  if (!type) throw invalid(`data must be an array or a typed array; got ${describe(data)}`);
  return type;
}

function convert(type: DataType, data: unknown): NumericArray | string[] {
  if (!Object.hasOwn(TYPES, type)) throw invalid(`there is no element type ${JSON.stringify(type)}`);
  if (type === 'string') return convertStrings(data);
  const tag = tagOf(data);
  const constructor = TYPES[type].array as unknown as { name: string; BYTES_PER_ELEMENT: number } & (new (
    ...args: unknown[]
  ) => NumericArray);
  if (tag === constructor.name) return data as NumericArray;
  if (tag === 'Uint8ClampedArray' && type === 'uint8') return viewAs(Uint8Array, data as Uint8ClampedArray);
  if (tag === 'Int8Array' && type === 'int4') return viewAs(Uint8Array, data as Int8Array);
  if (type === 'float16' && tag === 'Uint16Array') return viewAs(constructor, data as Uint16Array);
  if (!Array.isArray(data)) {
    throw invalid(`data of type ${type} must be a ${constructor.name} or an array; got ${describe(data)}`);
  }
  if (type === 'float16' && constructor.name === 'Uint16Array') {
    throw invalid('this JavaScript engine has no Float16Array: give float16 data as the bits in a Uint16Array');
  }
  try {
    if (type === 'int64' || type === 'uint64') {
      return new constructor((data as (number | bigint)[]).map((value) => BigInt(value)));
    }
    return new constructor(data);
  } catch (cause) {
    throw new OnnxletError('INVALID_ARGUMENT', `Tensor: the array holds something that is no ${type}`, { cause });
  }
}

function convertStrings(data: unknown): string[] {
  if (!Array.isArray(data)) throw invalid(`data of type string must be an array of strings; got ${describe(data)}`);
  const stray = data.findIndex((item) => typeof item !== 'string');
  if (stray >= 0) throw invalid(`element ${stray} of a string tensor is ${describe(data[stray])}`);
  return data as string[];
}

function viewAs(
  constructor: unknown,
  data: { buffer: ArrayBufferLike; byteOffset: number; length: number },
): NumericArray {
  const Target = constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => NumericArray;
  return new Target(data.buffer, data.byteOffset, data.length);
}

// Packed types round up to whole bytes, so a length alone leaves their size open: the largest that fits is taken.
function lengthOf(type: DataType, data: NumericArray | string[]): number {
  if (type === 'string') return data.length;
  const perElement = TYPES[type].bits / (8 * (data as NumericArray).BYTES_PER_ELEMENT);
  return Math.floor(data.length / perElement);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? tagOf(value) : typeof value;
}
