import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tensor } from 'onnxlet';
import { elementsOf } from '../shared/elements.js';
import { readNpy, writeNpy } from '../shared/npy.js';

/** A file with this header, as numpy writes it. */
function file(header: string, data: ArrayBuffer | number[], version = 1): Uint8Array {
  const length = new Uint8Array(version === 1 ? 2 : 4);
  length[0] = header.length;
  const text = new TextEncoder().encode(header);
  return Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, ...length, ...text, ...new Uint8Array(data));
}

const header = (descr: string, shape: string, fortran = 'False') =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;

test('what is written is read again', () => {
  const tensors = [
    new Tensor('float32', [1.5, -0, NaN], [3]),
    new Tensor('float64', [0.1], []),
    new Tensor('int64', [1n, -(2n ** 63n)], [2, 1]),
    new Tensor('uint8', [1, 255], [1, 2]),
    new Tensor('bool', [1, 0], [2]),
    new Tensor('string', ['', 'Grüße', '𝔸'], [3]),
    new Tensor('float16', Uint16Array.of(0x3c00, 0xfc00), [2]),
    new Tensor('float32', [], [0, 4]),
  ];
  for (const tensor of tensors) {
    const bytes = writeNpy(tensor, 'y');
    assert.equal(bytes.length >= 128 && (bytes.length - tensorBytes(tensor)) % 64, 0, tensor.type);
    const again = readNpy(bytes, 'y');
    assert.deepEqual([again.type, again.dims], [tensor.type, tensor.dims]);
    assert.deepEqual(elementsOf(again), elementsOf(tensor));
  }
});

function tensorBytes({ type, data }: Tensor): number {
  if (type === 'string') return 5 * 4 * data.length;
  return (data as Uint8Array).byteLength;
}

test('big-endian, Fortran order, bytes as text, a view into other memory', () => {
  const big = readNpy(file(header('>i2', '(2,)'), [1, 2, 0xff, 0xfe]), 'y');
  assert.deepEqual([...(big.data as Int16Array)], [258, -2]);
  const fortran = readNpy(file(header('|u1', '(2, 3)', 'True'), [1, 4, 2, 5, 3, 6]), 'y');
  assert.deepEqual(
    [fortran.dims, [...(fortran.data as Uint8Array)]],
    [
      [2, 3],
      [1, 2, 3, 4, 5, 6],
    ],
  );
  assert.deepEqual(readNpy(file(header('|S3', '(2,)'), [97, 98, 0, 99, 0, 0]), 'y').data, ['ab', 'c']);
  const inside = new Uint8Array([7, ...file(header('<f4', '()'), new Float32Array([2.5]).buffer, 2)]).subarray(1);
  assert.deepEqual([...(readNpy(inside, 'y').data as Float32Array)], [2.5]);
});

test('errors say what the file is', () => {
  const failure = (bytes: Uint8Array) => {
    try {
      readNpy(bytes, 'x.npy');
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };
  assert.equal(failure(Uint8Array.of(1, 2)), 'x.npy is not a .npy file');
  assert.match(failure(file(header('<f4', '(2,)'), [0, 0, 0, 0])), /^x\.npy ends after \d+ of \d+ bytes$/);
  assert.equal(
    failure(file(header('<c8', '(1,)'), new ArrayBuffer(8))),
    "x.npy holds values of numpy's type <c8, which no input takes",
  );
  assert.equal(
    failure(file('{"descr": [("a", "<f4")]}\n', [])),
    'x.npy has a header that is damaged, or values that are no plain array',
  );
});
