import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Features, Wanted } from '../src/flavour.js';
import { detectFeatures, pickFlavour } from '../src/flavour.js';

const ALL: Features = { simd: true, relaxedSimd: true, threads: true };
const WANTED: Wanted = { threads: 4, deterministic: false, simd: undefined };

test('the best flavour of what there is', () => {
  assert.deepEqual(pickFlavour(ALL, WANTED), { file: 'onnxlet-relaxed-threads.wasm', threads: true });
  assert.equal(pickFlavour({ ...ALL, threads: false }, WANTED).file, 'onnxlet-relaxed.wasm');
  assert.equal(pickFlavour({ ...ALL, relaxedSimd: false }, WANTED).file, 'onnxlet-threads.wasm');
  assert.equal(pickFlavour({ simd: true, relaxedSimd: false, threads: false }, WANTED).file, 'onnxlet.wasm');
});

test('no SIMD means the scalar flavour, not a crash', () => {
  assert.deepEqual(pickFlavour({ ...ALL, simd: false }, WANTED), { file: 'onnxlet-scalar.wasm', threads: false });
  assert.equal(pickFlavour(ALL, { ...WANTED, simd: false }).file, 'onnxlet-scalar.wasm');
});

test('one thread takes no shared memory', () => {
  assert.equal(pickFlavour(ALL, { ...WANTED, threads: 1 }).file, 'onnxlet-relaxed.wasm');
});

test('deterministic mode and simd: fixed leave relaxed SIMD out', () => {
  assert.equal(pickFlavour(ALL, { ...WANTED, deterministic: true }).file, 'onnxlet-threads.wasm');
  assert.equal(pickFlavour(ALL, { ...WANTED, simd: 'fixed', threads: 1 }).file, 'onnxlet.wasm');
});

test('Node has SIMD and threads', () => {
  const features = detectFeatures();
  assert.equal(features.simd, true);
  assert.equal(features.threads, true);
});
