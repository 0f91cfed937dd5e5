import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenUrl } from '../src/wasm-paths.js';

const FILE = 'onnxlet-relaxed.wasm';

test('a folder, a file for all flavours and files by name', async () => {
  const base = 'https://example.test/';
  assert.equal(await chosenUrl(FILE, undefined), undefined);
  assert.equal(await chosenUrl(FILE, `${base}a/`), `${base}a/${FILE}`);
  assert.equal(await chosenUrl(FILE, new URL(`${base}a`)), `${base}a/${FILE}`);
  assert.equal(await chosenUrl(FILE, { wasm: `${base}own.wasm` }), `${base}own.wasm`);
  assert.equal(await chosenUrl(FILE, { [FILE]: `${base}x.wasm`, wasm: `${base}own.wasm` }), `${base}x.wasm`);
  assert.equal(await chosenUrl(FILE, {}), undefined);
});

test('files of onnxruntime-web are passed over', async () => {
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (text: string) => warnings.push(text);
  try {
    for (const paths of [
      'https://example.test/npm/onnxruntime-web@1.30.0/dist/',
      { wasm: '/ort-wasm-simd-threaded.wasm' },
      { mjs: 'blob:https://example.test/1', wasm: 'blob:https://example.test/2' },
    ]) {
      assert.equal(await chosenUrl(FILE, paths), undefined);
    }
  } finally {
    console.warn = warn;
  }
  assert.equal(warnings.length, 3);
  assert.match(warnings[2] ?? '', /names files of onnxruntime-web \(blob:.*\); onnxlet uses its own/);
});
