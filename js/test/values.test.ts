import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tensor } from '../src/tensor.js';
import { buffersOf, detached } from '../src/transfer.js';
import { fromWire, toWire } from '../src/values.js';

test('tensors keep their bytes, views only their part', () => {
  const data = new Float32Array([0, 1, 2, 3]).subarray(1, 3);
  const wire = toWire(new Tensor('float32', data, [2]), 'tensor(float)', 'x');
  assert.ok(wire.kind === 'tensor' && wire.data instanceof Uint8Array);
  assert.equal(wire.data.byteLength, 8);
  const copy = detached(wire);
  assert.ok(copy.kind === 'tensor' && copy.data instanceof Uint8Array);
  assert.equal(copy.data.buffer.byteLength, 8);
  assert.deepEqual((fromWire(copy) as Tensor).data, new Float32Array([1, 2]));
  assert.deepEqual(buffersOf([copy]), [copy.data.buffer]);
});

test('sequences, optionals and maps', () => {
  const item = new Tensor('int32', [1], [1]);
  const sequence = toWire([item, item], 'seq(tensor(int32))', 's');
  assert.equal(sequence.kind === 'sequence' && sequence.items.length, 2);
  assert.equal((fromWire(sequence) as Tensor[]).length, 2);
  assert.deepEqual(toWire(null, 'optional(tensor(int32))', 'o'), { kind: 'none' });

  const map = new Map([
    [1n, 0.5],
    [2n, 0.25],
  ]);
  assert.deepEqual(fromWire(toWire(map, 'map(int64,tensor(float))', 'm')), map);
  const words = new Map([['a', 1n]]);
  assert.deepEqual(fromWire(toWire([words], 'seq(map(string,tensor(int64)))', 'm')), [words]);
});

test('tensors of other packages are accepted by their shape', () => {
  const foreign = { type: 'float32', data: new Float32Array(2), dims: [2], size: 2 };
  assert.equal(toWire(foreign, 'tensor(float)', 'x').kind, 'tensor');
});

test('what is no value is refused with the name of the input', () => {
  assert.throws(() => toWire(3, 'tensor(float)', 'x'), /input "x" is declared tensor\(float\).*got number/);
  assert.throws(() => toWire(new Map(), 'tensor(float)', 'x'), /no Map/);
});
