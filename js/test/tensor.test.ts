import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnnxletError } from '../src/errors.js';
import type { DataType } from '../src/dtypes.js';
import { TYPES } from '../src/dtypes.js';
import { Tensor } from '../src/tensor.js';

function refuses(make: () => unknown, message: RegExp): void {
  assert.throws(
    make,
    (error) => error instanceof OnnxletError && error.code === 'INVALID_ARGUMENT' && message.test(error.message),
  );
}

test('a tensor keeps its array, knows its size and type', () => {
  const data = new Float32Array([1, 2, 3, 4, 5, 6]);
  const tensor = new Tensor('float32', data, [2, 3]);
  assert.equal(tensor.data, data);
  assert.equal(tensor.size, 6);
  assert.deepEqual(tensor.dims, [2, 3]);
  assert.equal(tensor.location, 'cpu');
});

test('the type is inferred from the array', () => {
  assert.equal(new Tensor(new Float32Array(2)).type, 'float32');
  assert.equal(new Tensor(new BigInt64Array(2)).type, 'int64');
  assert.equal(new Tensor(new Uint8ClampedArray(2)).type, 'uint8');
  assert.equal(new Tensor(['a', 'b']).type, 'string');
  const flags = new Tensor([true, false]);
  assert.equal(flags.type, 'bool');
  assert.deepEqual([...flags.data], [1, 0]);
  refuses(() => new Tensor([] as string[]), /empty array/);
});

test('scalars and tensors without elements', () => {
  assert.equal(new Tensor('float32', [7], []).size, 1);
  assert.equal(new Tensor('int64', [], [0, 3]).size, 0);
  refuses(() => new Tensor('float32', [], []), /needs 1 array elements, the data has 0/);
});

test('plain numbers become the type, 64-bit integers from numbers and bigints', () => {
  assert.deepEqual(new Tensor('int64', [1n, 2n], [2]).data, new BigInt64Array([1n, 2n]));
  assert.deepEqual(new Tensor('int64', [1, 2], [2]).data, new BigInt64Array([1n, 2n]));
  assert.deepEqual(new Tensor('uint8', [1, 2], [2]).data, new Uint8Array([1, 2]));
  refuses(() => new Tensor('int64', [0.5], [1]), /no int64/);
});

test('packed types need fewer bytes, complex types more numbers', () => {
  assert.equal(new Tensor('int4', new Uint8Array(2), [3]).size, 3);
  assert.equal(new Tensor('uint2', new Uint8Array(1), [4]).size, 4);
  assert.equal(new Tensor('float6e2m3', new Uint8Array(3), [4]).size, 4);
  assert.equal(new Tensor('complex64', new Float32Array(6), [3]).size, 3);
  refuses(() => new Tensor('int4', new Uint8Array(3), [3]), /needs 2 array elements, the data has 3/);
});

test('float16 takes bits as Uint16Array whatever the engine has', () => {
  const tensor = new Tensor('float16', new Uint16Array([0x3c00, 0]), [2]);
  const data = tensor.data as Uint16Array;
  assert.deepEqual([...new Uint16Array(data.buffer, data.byteOffset, data.length)], [0x3c00, 0]);
});

test('wrong arguments are named', () => {
  refuses(
    () => new Tensor('float32', new Float64Array(1) as unknown as Float32Array, [1]),
    /must be a Float32Array or an array; got Float64Array/,
  );
  refuses(() => new Tensor('float32', new Float32Array(1), [-1]), /integers from 0 up; got \[-1\]/);
  refuses(() => new Tensor('float' as DataType, [1], [1]), /no element type "float"/);
  refuses(() => new Tensor('string', ['a', 1] as unknown as string[], [2]), /element 1 of a string tensor is number/);
});

test('reshape shares the data, dispose ends it', async () => {
  const tensor = new Tensor('int32', new Int32Array(6), [6]);
  const matrix = tensor.reshape([2, 3]);
  assert.equal(matrix.data, tensor.data);
  refuses(() => tensor.reshape([4]), /needs 4/);
  assert.equal(await tensor.getData(true), matrix.data);
  assert.equal(tensor.location, 'none');
  refuses(() => tensor.data, /disposed/);
  await assert.rejects(tensor.getData(), /disposed/);
});

test('every type has a distinct code and name', () => {
  const rows = Object.values(TYPES);
  assert.equal(rows.length, 28);
  assert.equal(new Set(rows.map(({ code }) => code)).size, 28);
  assert.equal(new Set(rows.map(({ onnx }) => onnx)).size, 28);
});

test('int4 takes its bytes in either array', () => {
  assert.deepEqual(new Tensor('int4', new Int8Array([-1]), [2]).data, new Uint8Array([255]));
});

test('elements are in memory, and other places are named', () => {
  const tensor = new Tensor('float32', [1], [1]);
  refuses(() => tensor.gpuBuffer, /in memory, not in a GPU buffer/);
  refuses(() => tensor.texture, /in memory, not in a WebGL texture/);
  refuses(() => tensor.mlTensor, /in memory, not in an MLTensor/);
  const options = { dims: [1], width: 1, height: 1 };
  const [mlTensor, texture] = [{} as Tensor.MLTensorType, {}];
  for (const make of [() => Tensor.fromMLTensor(mlTensor, options), () => Tensor.fromTexture(texture, options)]) {
    assert.throws(make, { code: 'NOT_IMPLEMENTED', message: /runs on the CPU and cannot read/ });
  }
  assert.throws(() => tensor.toImageData(), { code: 'NOT_IMPLEMENTED', message: /no ImageData/ });
});

test('a tensor in a GPU buffer is described, read and disposed', async () => {
  const buffer = { size: 16, usage: 0x84, mapAsync: () => undefined } as unknown as Tensor.GpuBufferType;
  let disposed = 0;
  const download = () => Promise.resolve(new Int32Array([1, 2, 3]));
  const make = () =>
    Tensor.fromGpuBuffer(buffer, { dataType: 'int32', dims: [3, 1], download, dispose: () => disposed++ });
  const tensor = make();
  assert.deepEqual([tensor.location, tensor.type, tensor.dims, tensor.size], ['gpu-buffer', 'int32', [3, 1], 3]);
  assert.equal(tensor.gpuBuffer, buffer);
  refuses(() => tensor.data, /the elements are on the GPU; await getData\(\)/);
  assert.deepEqual(await tensor.getData(), new Int32Array([1, 2, 3]));
  assert.deepEqual([tensor.location, disposed], ['gpu-buffer', 0]);
  const data: Int32Array = await tensor.getData(true);
  assert.deepEqual([tensor.location, tensor.data, disposed], ['cpu', data, 1]);
  const other = make();
  other.dispose();
  assert.deepEqual([other.location, disposed], ['none', 2]);
  refuses(() => other.gpuBuffer, /the tensor is disposed/);
  refuses(() => Tensor.fromGpuBuffer({} as Tensor.GpuBufferType, { dims: [1] }), /needs a GPUBuffer; got Object/);
  refuses(() => Tensor.fromGpuBuffer(buffer, { dims: [-1] }), /dimensions must be integers from 0 up/);
  await assert.rejects(Tensor.fromGpuBuffer(buffer, { dims: [1] }).getData(), /without the option download/);
});

test('a disposed tensor is empty', () => {
  const tensor = new Tensor('float32', [1], [1]);
  tensor[Symbol.dispose]();
  assert.equal(tensor.location, 'none');
});
