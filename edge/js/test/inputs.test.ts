import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tensor } from 'onnxlet';
import { elementsOf } from '../shared/elements.js';
import { fromBfloat16, fromFloat16, toFloat16 } from '../shared/half.js';
import type { Given } from '../shared/inputs.js';
import { feedsOf, tensorOf } from '../shared/inputs.js';
import type { Input } from '../shared/interface.js';
import { jsonOf } from '../shared/json.js';
import { parseKey } from '../shared/key.js';
import { parseTable } from '../shared/table.js';

const input = (kind: Input['kind'], dtype = 'float32', shape: Input['shape'] = []): Input => ({
  ...{ name: 'x', kind, dtype, shape },
});

function made(item: Input, given: Given): unknown {
  try {
    const tensor = tensorOf(item, given);
    return [tensor.type, tensor.dims, elementsOf(tensor)];
  } catch (error) {
    return (error as Error).message;
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);

test('files and words', () => {
  assert.deepEqual(made(input('image', 'uint8'), Uint8Array.of(1, 2)), ['uint8', [2], [1, 2]]);
  assert.equal(made(input('image', 'uint8'), new Uint8Array()), 'input "x": the file is empty');
  assert.equal(made(input('audio', 'uint8'), 'words'), 'input "x" takes the bytes of a file');
  assert.deepEqual(made(input('text', 'string'), 'Grüße'), ['string', [1], ['Grüße']]);
  assert.deepEqual(made(input('text', 'string'), bytes('Grüße')), ['string', [1], ['Grüße']]);
  assert.equal(made(input('text', 'string'), Uint8Array.of(0xff)), 'input "x": the file is not text in UTF-8');
});

test('tensors from JSON', () => {
  assert.deepEqual(made(input('tensor'), '[[1, 2.5], [3, "NaN"]]'), ['float32', [2, 2], [1, 2.5, 3, NaN]]);
  assert.deepEqual(made(input('tensor', 'int64'), '7'), ['int64', [], [7n]]);
  assert.deepEqual(made(input('tensor', 'bool'), '[true, 0]'), ['bool', [2], [true, false]]);
  assert.deepEqual(made(input('tensor'), '{"shape": [1, 2], "data": [1, 2]}'), ['float32', [1, 2], [1, 2]]);
  assert.deepEqual(made(input('tensor', 'float16'), '[1.5]'), ['float16', [1], [1.5]]);
  assert.equal(made(input('tensor'), '{"shape": [3], "data": [1]}'), 'input "x": shape [3] needs 3 values; data has 1');
  assert.equal(made(input('tensor', 'uint8'), '[256]'), 'input "x": 256 is outside of uint8');
  assert.equal(made(input('tensor', 'int32'), '[1.5]'), 'input "x" takes whole numbers; 1.5 given');
  assert.equal(
    made(input('tensor', 'int64'), '[9007199254740993]'),
    'input "x": 9007199254740992 is beyond what JSON holds exactly; give a .npy file',
  );
});

test('rows and columns', () => {
  assert.deepEqual(made(input('column'), '[1, 2]'), ['float32', [2, 1], [1, 2]]);
  assert.deepEqual(made(input('column', 'string'), 'Bonn'), ['string', [1, 1], ['Bonn']]);
  assert.deepEqual(made(input('column', 'string'), '["a", "b"]'), ['string', [2, 1], ['a', 'b']]);
  assert.deepEqual(made(input('matrix', 'float32', [null, 2]), '1,2\n3,\n'), ['float32', [2, 2], [1, 2, 3, NaN]]);
  assert.deepEqual(made(input('matrix', 'int64', [null, 2]), bytes('a,b\n1,+2\n')), ['int64', [1, 2], [1n, 2n]]);
  assert.deepEqual(made(input('matrix', 'float32', [null, 2]), [1, 2]), ['float32', [1, 2], [1, 2]]);
  assert.equal(made(input('matrix', 'float32', [null, 2]), 'a\n1\n'), 'input "x" has 1 columns; the model takes 2');
  assert.equal(made(input('matrix', 'float32', [null, 1]), 'a\n'), 'input "x" has names of columns and no rows');
  assert.equal(
    made(input('matrix', 'float32', [null, 2]), 'a,b\n1,two\n'),
    'input "x", row 1, column b: "two" is not a number',
  );
});

test('a table is the inputs that are not given', () => {
  const asked = {
    ...{ format: 1, name: 'm', outputs: [] },
    inputs: [input('column'), { ...input('column', 'bool'), name: 'y' }],
  };
  const table = parseTable('y,z,x\ntrue,9,1e3\nFALSE,9,-inf\n', 't.csv');
  const feeds = feedsOf(asked, {}, table);
  assert.deepEqual(Object.values(feeds).map(elementsOf), [
    [1000, -Infinity],
    [true, false],
  ]);
  assert.throws(() => feedsOf(asked, { x: '[1]' }, undefined), { message: 'input "y" is missing' });
  assert.throws(() => feedsOf(asked, { w: '[1]' }, table), { message: 'there is no input "w"; the inputs are x, y' });
  assert.throws(() => feedsOf(asked, {}, parseTable('x,q\n1,2\n', 't.csv')), {
    message: 't.csv has no column "y"; it has x, q',
  });
  assert.throws(() => feedsOf(asked, {}, parseTable('1,2\n', 't.csv')), {
    message: 't.csv has no column "x"; its first line has numbers and no names',
  });
});

test('outputs in JSON', () => {
  assert.equal(
    jsonOf(new Tensor('float32', [0.1, -0, Infinity, NaN], [4])),
    '{"dtype": "float32", "shape": [4], "data": [0.10000000149011612, -0.0, "Infinity", "NaN"]}',
  );
  assert.equal(
    jsonOf(new Tensor('int64', [2n ** 60n], [1])),
    '{"dtype": "int64", "shape": [1], "data": [1152921504606846976]}',
  );
  assert.equal(jsonOf([new Map([['a', 0.5]])]), '{"dtype": "map", "shape": [1], "data": [{"a": 0.5}]}');
});

test('every float16 survives the way there and back, and neighbours round to even', () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = fromFloat16(bits);
    if (!Number.isNaN(value)) assert.equal(toFloat16(value), bits);
  }
  assert.equal(toFloat16(NaN), 0x7e00);
  assert.equal(toFloat16(1 + 2 ** -11), 0x3c00);
  assert.equal(toFloat16(1 + 3 * 2 ** -11), 0x3c02);
  assert.equal(toFloat16(2 ** -25), 0);
  assert.equal(toFloat16(2 ** -25 * 1.001), 1);
  assert.equal(toFloat16(65519.99), 0x7bff);
  assert.equal(toFloat16(65520), 0x7c00);
  assert.equal(fromBfloat16(0xbf80), -1);
});

test('keys', () => {
  const key = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
  assert.deepEqual(parseKey(Buffer.from(key).toString('hex').toUpperCase(), 'k'), key);
  assert.deepEqual(parseKey(`${Buffer.from(key).toString('base64')}\n`, 'k'), key);
  assert.deepEqual(parseKey(Buffer.from(key).toString('base64url'), 'k'), key);
  for (const text of ['', 'ab', '0'.repeat(63), '?'.repeat(44), Buffer.from(key.subarray(1)).toString('base64')]) {
    assert.throws(() => parseKey(text, 'the key in f'), {
      message: 'the key in f is not 32 bytes in hexadecimal or base64',
    });
  }
});
