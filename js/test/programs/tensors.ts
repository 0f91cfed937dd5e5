// Tensors in every form that onnxruntime-common's declarations allow.
import * as ort from 'onnxruntime-common';
import { Tensor } from 'onnxruntime-common';

const ALL: readonly Tensor.Type[] = [
  'float32',
  'uint8',
  'int8',
  'uint16',
  'int16',
  'int32',
  'int64',
  'bool',
  'float64',
];

function sum(tensor: ort.TypedTensor<'float32'>): number {
  let total = 0;
  for (const value of tensor.data) total += value;
  return total;
}

function zeros(type: Tensor.Type, dims: readonly number[]): Tensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  return new Tensor(type, new Array<number>(size).fill(0), dims);
}

export async function main(): Promise<unknown> {
  const made: Tensor[] = [
    new Tensor('float32', new Float32Array(2), [2]),
    new Tensor('float32', [1, 2], [1, 2]),
    new Tensor('float64', new Float64Array(1)),
    new Tensor('float16', new Uint16Array([0x3c00]), [1]),
    new Tensor('int64', new BigInt64Array(1)),
    new Tensor('int64', [1n, 2n]),
    new Tensor('uint64', [1, 2]),
    new Tensor('uint64', new BigUint64Array(1)),
    new Tensor('string', ['a', 'b'], [2]),
    new Tensor('bool', [true, false]),
    new Tensor('bool', new Uint8Array(2)),
    new Tensor('uint8', new Uint8ClampedArray(2), [2]),
    new Tensor('int8', [1]),
    new Tensor('uint16', [1]),
    new Tensor('int16', [1]),
    new Tensor('int32', [1]),
    new Tensor('uint32', [1]),
    new Tensor('uint4', new Uint8Array(1), [2]),
    new Tensor('int4', new Int8Array(1), [2]),
    new Tensor(new Float32Array(2)),
    new Tensor(new Float64Array(2), [2]),
    new Tensor(new Int8Array(2)),
    new Tensor(new Uint8Array(2)),
    new Tensor(new Uint8ClampedArray(2)),
    new Tensor(new Int16Array(2)),
    new Tensor(new Uint16Array(2)),
    new Tensor(new Int32Array(2)),
    new Tensor(new Uint32Array(2)),
    new Tensor(new BigInt64Array(2)),
    new Tensor(new BigUint64Array(2)),
    new Tensor(['a']),
    new Tensor([true]),
    ...ALL.map((type) => zeros(type, [1, 2])),
    Tensor.fromPinnedBuffer('float32', new Float32Array(4), [2, 2]),
  ];
  const data: Tensor.DataType = made[0]!.data;
  const location: Tensor.DataLocation = made[0]!.location;
  const element: Tensor.ElementTypeMap['int64'] = 1n;
  const map: Tensor.DataTypeMap['float32'] = new Float32Array(1);
  const matrix = new Tensor('float32', [1, 2, 3, 4], [4]).reshape([2, 2]);
  const copied = await matrix.getData(true);
  made[0]!.dispose();
  const unsupported = [
    () => Tensor.fromGpuBuffer({} as Tensor.GpuBufferType, { dataType: 'float32', dims: [1] }),
    () => Tensor.fromMLTensor({} as Tensor.MLTensorType, { dataType: 'int64', dims: [1] }),
    () => made[1]!.gpuBuffer,
    () => made[1]!.mlTensor,
  ].map((make) => {
    try {
      make();
      return 'made';
    } catch (error) {
      return (error as Error).message;
    }
  });
  return {
    count: made.length,
    length: data.length,
    location,
    sums: [sum(new Tensor('float32', [1, 2, 3])), copied[3], element, map.length],
    unsupported,
  };
}

/** Only compiled: these need a page. */
export async function images(element: HTMLImageElement, bitmap: ImageBitmap, pixels: ImageData): Promise<string> {
  const options: ort.TensorFromImageDataOptions = {
    tensorFormat: 'RGB',
    tensorLayout: 'NCHW',
    dataType: 'float32',
    resizedHeight: 2,
    resizedWidth: 2,
    norm: { mean: [255, 255, 255], bias: 0 },
  };
  const tensors = [
    await Tensor.fromImage(pixels, options),
    await Tensor.fromImage(element, { norm: { mean: 255 } }),
    await Tensor.fromImage('/a.png', { width: 1, height: 1 }),
    await Tensor.fromImage(bitmap, { tensorFormat: 'BGR' }),
  ];
  const back: ImageData = tensors[0]!.toImageData({ format: 'RGB', tensorLayout: 'NCHW', norm: { mean: 255 } });
  return tensors[1]!.toDataURL({ format: 'RGBA' }) + String(back.width);
}
