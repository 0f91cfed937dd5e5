// What goes wrong around the engine: each is an error of its own, and the next session works.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as Package from '../src/index.js';
import { serveTests } from './local-server.js';
import { model } from './onnx-writer.js';

const dist = path.resolve('dist');
const skip = existsSync(path.join(dist, 'onnxlet.wasm')) ? false : 'js/dist has no engine; run the build first';
const FLOAT = 1;
const DOUBLE_IT = model(
  [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
  [['x', FLOAT, ['n']]],
  [['y', FLOAT, ['n']]],
);
const PAGE = '<!doctype html><title>Not here</title>';

const server = serveTests((request, response) => {
  if (request.url === '/page.onnx') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  } else if (request.url === '/empty.onnx') {
    response.writeHead(200).end();
  } else if (request.url === '/stalls.onnx') {
    // Half of the model, and then nothing for ever.
    response.writeHead(200, { 'content-length': DOUBLE_IT.length });
    response.write(DOUBLE_IT.subarray(0, DOUBLE_IT.length / 2));
  } else {
    response.end(DOUBLE_IT);
  }
});

async function load(): Promise<typeof Package> {
  const package_ = (await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href)) as typeof Package;
  package_.env.wasm.numThreads = 1;
  package_.env.logLevel = 'error';
  return package_;
}

async function works({ InferenceSession, Tensor }: typeof Package): Promise<void> {
  const session = await InferenceSession.create(`${server.address}/good.onnx`);
  const { y } = await session.run({ x: new Tensor('float32', [4], [1]) });
  assert.deepEqual(y?.data, new Float32Array([8]));
  await session.release();
}

const REFUSED: readonly [file: string, code: string, words: RegExp][] = [
  ['page.onnx', 'LOAD_FAILED', /got text\/html from .* Serve the file at this address, or name the right one/],
  ['empty.onnx', 'INVALID_PROTOBUF', /the file is empty/],
];
for (const [file, code, message] of REFUSED) {
  test(`instead of a model: ${file}`, { skip }, async () => {
    const package_ = await load();
    for (let i = 0; i < 3; i++) {
      await assert.rejects(package_.InferenceSession.create(`${server.address}/${file}`), { code, message });
    }
    await works(package_);
  });
}

test('a server that stops in the middle, until the caller has enough of it', { skip }, async () => {
  const package_ = await load();
  for (let i = 0; i < 3; i++) {
    const signal = AbortSignal.timeout(50);
    await assert.rejects(package_.InferenceSession.create(`${server.address}/stalls.onnx`, { signal }), {
      code: 'ABORTED',
      message: /timeout/,
    });
  }
  await works(package_);
});

test('sessions that fail leave nothing in the engine', { skip }, async () => {
  const package_ = await load();
  const { InferenceSession } = package_;
  const held = await InferenceSession.create(DOUBLE_IT);
  const broken = DOUBLE_IT.slice();
  broken.fill(0xff, broken.length / 2);
  const attempt = () => assert.rejects(InferenceSession.create(broken), { code: 'INVALID_PROTOBUF' });
  for (let i = 0; i < 50; i++) await attempt();
  const before = held.memory.wasmBytes;
  for (let i = 0; i < 500; i++) await attempt();
  await works(package_);
  assert.equal(held.memory.wasmBytes, before);
  await held.release();
});
