/// <reference lib="esnext.disposable" preserve="true" />
// What a Tensor is to the type checker: onnxruntime-common's names, for every element type that ONNX has.
import type { DataType, DataTypeMap } from './dtypes.js';
import type { ImageFormat, ImageTensorLayout, TensorFromImageOptions, TensorToImageOptions } from './tensor-image.js';

/** A type of the page's globals where the program declares it, otherwise the fallback. */
export type GlobalType<Name extends string, Fallback = unknown> = typeof globalThis extends {
  [key in Name]: { prototype: infer T };
}
  ? T
  : Fallback;

export type TextureType = GlobalType<'WebGLTexture'>;
export type GpuBufferType = GlobalType<
  'GPUBuffer',
  { readonly size: number; readonly mapState: 'unmapped' | 'pending' | 'mapped' }
>;
export type MLTensorType = GlobalType<'MLTensor', { destroy(): void }>;

/** Where a tensor's elements are; `none` once it is disposed. */
export type DataLocation = 'none' | 'cpu' | 'cpu-pinned' | 'texture' | 'gpu-buffer' | 'ml-tensor';

/** One element as JavaScript sees it. */
export type ElementOf<T extends DataType> = T extends 'string'
  ? string
  : T extends 'bool'
    ? boolean
    : T extends 'int64' | 'uint64'
      ? bigint
      : number;

/** What a tensor of each type can be made of. */
export type DataFor<T extends DataType> =
  | DataTypeMap[T]
  | (T extends 'string' ? readonly string[] : readonly number[])
  | (T extends 'int64' | 'uint64' ? readonly bigint[] : never)
  | (T extends 'bool' ? readonly boolean[] : never)
  | (T extends 'uint8' ? Uint8ClampedArray : never)
  | (T extends 'int4' ? Int8Array : never)
  | (T extends 'float16' ? Uint16Array : never);

/** A tensor whose element type is known to the type checker. */
export interface TypedTensor<T extends DataType> {
  readonly type: T;
  readonly dims: readonly number[];
  /** How many elements the shape has. */
  readonly size: number;
  /** The elements, row-major. Packed types (int4, uint2, ...) give the packed bytes. */
  readonly data: DataTypeMap[T];
  readonly location: DataLocation;
  /** Of a tensor whose location is `gpu-buffer`; throws for others. It may be larger than the elements. */
  readonly gpuBuffer: GpuBufferType;
  /** Throw, because elements are never there; present as in onnxruntime. */
  readonly texture: TextureType;
  readonly mlTensor: MLTensorType;
  /**
   * The elements, as `data` gives them; of tensors in the engine or on the GPU, which can only be read this way, a copy.
   * With `releaseData` the tensor is disposed; one on the GPU is then in memory instead, as in onnxruntime.
   */
  getData(releaseData?: boolean): Promise<DataTypeMap[T]>;
  dispose(): void;
  [Symbol.dispose](): void;
  /** The same elements under another shape of the same size. */
  reshape(dims: readonly number[]): TypedTensor<T>;
  /** The tensor, of shape [1, channels, height, width] or [1, height, width, channels], as an image. */
  toImageData(options?: TensorToImageOptions): ImageData;
  /** The same as the address of a PNG file; on pages only. */
  toDataURL(options?: TensorToImageOptions): string;
}

export type ImageSource =
  ImageData | ImageBitmap | HTMLImageElement | HTMLCanvasElement | HTMLVideoElement | OffscreenCanvas | Blob | string;

export interface OnDevice<T extends DataType> {
  readonly dims: readonly number[];
  /** float32 when left out. */
  readonly dataType?: T;
  /** What `getData()` gives; without it the tensor cannot be read. */
  download?(): Promise<DataTypeMap[T]>;
  /** Called when the tensor is disposed; without it the buffer stays as it is. */
  dispose?(): void;
}

export interface TensorFactory {
  /**
   * A tensor of shape [1, channels, height, width] (or as `tensorLayout` says) from an image or its address.
   * Elements are `(value + norm.bias) / norm.mean` of the bytes, by default `value / 255`.
   */
  fromImage(
    image: ImageSource,
    options?: TensorFromImageOptions,
  ): Promise<TypedTensor<'float32'> | TypedTensor<'uint8'>>;
  /** The array itself; memory here needs no pinning. */
  fromPinnedBuffer<T extends Exclude<DataType, 'string'>>(
    type: T,
    buffer: DataTypeMap[T],
    dims?: readonly number[],
  ): TypedTensor<T>;
  /** Refused: the engine runs on the CPU. */
  fromTexture(
    texture: TextureType,
    options: {
      readonly width: number;
      readonly height: number;
      readonly format?: ImageFormat;
      download?(): Promise<Float32Array>;
      dispose?(): void;
    },
  ): TypedTensor<'float32'>;
  /**
   * A tensor in a buffer of the caller's, of at least as many bytes as the elements take, rounded up to 4, and with the
   * usages STORAGE and COPY_SRC. It can be fed to sessions that work on the buffer's device (`env.webgpu.device`) on this
   * thread. Elements lie as in memory: row-major and without padding, 64-bit integers whole, bool one byte each.
   */
  fromGpuBuffer<T extends DataType = 'float32'>(buffer: GpuBufferType, options: OnDevice<T>): TypedTensor<T>;
  /** Refused: the engine runs on the CPU. */
  fromMLTensor<T extends DataType = 'float32'>(tensor: MLTensorType, options: OnDevice<T>): TypedTensor<T>;
}

export interface TensorConstructor extends TensorFactory {
  /**
   * @param type element type
   * @param data the elements: the type's own typed array, plain numbers (bigints for 64-bit integers), booleans or strings
   * @param dims the shape; one dimension of the data's length when left out
   */
  new <T extends DataType>(type: T, data: DataFor<T>, dims?: readonly number[]): TypedTensor<T>;
  /** Takes the element type from the array: Float32Array gives float32, string[] string, boolean[] bool. */
  new (data: Float32Array, dims?: readonly number[]): TypedTensor<'float32'>;
  new (data: Float64Array, dims?: readonly number[]): TypedTensor<'float64'>;
  new (data: Int8Array, dims?: readonly number[]): TypedTensor<'int8'>;
  new (data: Uint8Array | Uint8ClampedArray, dims?: readonly number[]): TypedTensor<'uint8'>;
  new (data: Int16Array, dims?: readonly number[]): TypedTensor<'int16'>;
  new (data: Uint16Array, dims?: readonly number[]): TypedTensor<'uint16'>;
  new (data: Int32Array, dims?: readonly number[]): TypedTensor<'int32'>;
  new (data: Uint32Array, dims?: readonly number[]): TypedTensor<'uint32'>;
  new (data: BigInt64Array, dims?: readonly number[]): TypedTensor<'int64'>;
  new (data: BigUint64Array, dims?: readonly number[]): TypedTensor<'uint64'>;
  new (data: readonly string[], dims?: readonly number[]): TypedTensor<'string'>;
  new (data: readonly boolean[], dims?: readonly number[]): TypedTensor<'bool'>;
  /** A type that is known only when the program runs. */
  new (
    type: DataType,
    data: DataTypeMap[DataType] | readonly number[] | readonly string[] | readonly bigint[] | readonly boolean[],
    dims?: readonly number[],
  ): TypedTensor<DataType>;
  new (data: DataTypeMap[DataType], dims?: readonly number[]): TypedTensor<DataType>;
}

export type { ImageFormat, ImageTensorLayout };
