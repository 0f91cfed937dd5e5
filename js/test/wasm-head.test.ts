import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importedMemory, isWasm } from '../src/wasm-head.js';
import { leb, name, section, vector, wasm } from './wasm-writer.js';

const FUNCTION_TYPE = section(1, vector([[0x60, 0, 0]]));
const importsOf = (...imports: number[][]) => wasm(FUNCTION_TYPE, section(2, vector(imports)), section(3, vector([])));
const FUNCTION_IMPORT = [...name('onnxlet'), ...name('ol_host_now'), 0, 0];

test('the limits of a shared memory', () => {
  const bytes = importsOf(FUNCTION_IMPORT, [...name('env'), ...name('memory'), 2, 3, ...leb(300), ...leb(65535)]);
  assert.deepEqual(importedMemory(bytes), { initial: 300, maximum: 65535, shared: true });
});

test('an unshared memory without maximum, after a table and a global', () => {
  const bytes = importsOf(
    [...name('env'), ...name('table'), 1, 0x70, 0, 1],
    [...name('env'), ...name('base'), 3, 0x7f, 0],
    [...name('env'), ...name('memory'), 2, 0, 17],
  );
  assert.deepEqual(importedMemory(bytes), { initial: 17, maximum: 65536, shared: false });
});

test('no import of a memory', () => {
  assert.equal(importedMemory(importsOf(FUNCTION_IMPORT)), null);
  assert.equal(importedMemory(wasm(FUNCTION_TYPE, section(3, vector([])))), null);
});

test('every shorter beginning is incomplete or the same answer', () => {
  const bytes = importsOf(FUNCTION_IMPORT, [...name('env'), ...name('memory'), 2, 3, 17, ...leb(65535)]);
  for (let length = 8; length < bytes.length; length++) {
    const result = importedMemory(bytes.subarray(0, length));
    if (result !== 'incomplete') assert.deepEqual(result, importedMemory(bytes), `at ${length}`);
  }
});

test('the magic number', () => {
  assert.equal(isWasm(wasm()), true);
  assert.equal(isWasm(new TextEncoder().encode('<!doctype html>')), false);
  assert.equal(isWasm(new Uint8Array()), false);
});
