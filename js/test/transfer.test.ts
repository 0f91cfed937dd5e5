// Files on their way into the engine: broken connections, encryption, and a look at a model without its weights.
import assert from 'node:assert/strict';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as Package from '../src/index.js';
import { serveTests } from './local-server.js';
import { externalTensor, message, model } from './onnx-writer.js';

const dist = path.resolve('dist');
const skip = existsSync(path.join(dist, 'onnxlet.wasm')) ? false : 'js/dist has no engine; run the build first';
const folder = mkdtempSync(path.join(os.tmpdir(), 'onnxlet-transfer-'));
const FLOAT = 1;

/** What the server has, and how it behaves: it ends the connection after each of `breaks` bytes, once. */
interface Served {
  readonly body: Uint8Array;
  readonly breaks?: number[];
  readonly ranges?: boolean;
  etag?: string;
  /** A length that is not that of the body. */
  readonly announced?: number;
}
const files: Record<string, Served> = {};
const requests: string[] = [];
let sent = 0;
const server = serveTests((request, response) => {
  const file = files[request.url ?? ''];
  requests.push(`${request.url ?? ''} ${request.headers.range ?? ''}`.trim());
  if (!file) {
    response.writeHead(404).end();
    return;
  }
  const range = file.ranges === false ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const { length } = file.body;
  const end = Math.min(length, range?.[2] ? Number(range[2]) + 1 : length);
  if (start >= length) {
    response.writeHead(416).end();
    return;
  }
  response.writeHead(range ? 206 : 200, {
    'content-length': file.announced ?? end - start,
    ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${length}` } : {}),
    ...(file.etag ? { etag: file.etag } : {}),
  });
  const limit = file.breaks?.shift();
  const body = file.body.subarray(start, limit === undefined ? end : Math.min(end, start + limit));
  sent += body.length;
  response.write(body, () => {
    if (limit === undefined) response.end();
    else setTimeout(() => response.destroy(), 20);
  });
});
after(() => {
  rmSync(folder, { recursive: true });
});

async function load(): Promise<typeof Package> {
  const package_ = (await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href)) as typeof Package;
  package_.env.wasm.numThreads = 1;
  package_.env.logLevel = 'error';
  return package_;
}

/** y = x + w, where w has `count` elements, all of them `value`. */
function added(count: number, value: number): Uint8Array {
  const data = new Uint8Array(new Float32Array(count).fill(value).buffer);
  const weights = message([1, count], [2, FLOAT], [8, 'w'], [9, data]);
  return model(
    [{ op: 'Add', inputs: ['x', 'w'], outputs: ['y'] }],
    [['x', FLOAT, [1]]],
    [['y', FLOAT, [count]]],
    [weights],
  );
}

async function first(session: Package.InferenceSession): Promise<number | undefined> {
  const { Tensor } = await load();
  const { y } = await session.run({ x: new Tensor('float32', [1], [1]) });
  await session.release();
  return (y?.data as Float32Array).at(-1);
}

test('a broken transfer goes on where it ended, as often as it gets on', { skip }, async () => {
  const { InferenceSession } = await load();
  const body = added(10_000, 4);
  files['/flaky.onnx'] = { body, breaks: [10_000, 0, 20_000, 5000], etag: '"a"' };
  const progress: number[] = [];
  requests.length = 0;
  const session = await InferenceSession.create(`${server.address}/flaky.onnx`, {
    onProgress: ({ loaded }) => progress.push(loaded),
    integrity: `sha256-${createHash('sha256').update(body).digest('base64')}`,
  });
  assert.equal(await first(session), 5);
  assert.deepEqual(requests, [
    '/flaky.onnx',
    '/flaky.onnx bytes=10000-',
    '/flaky.onnx bytes=10000-',
    '/flaky.onnx bytes=30000-',
    '/flaky.onnx bytes=35000-',
  ]);
  assert.deepEqual(
    progress,
    [...progress].sort((a, b) => a - b),
  );
  assert.equal(progress.at(-1), body.length);
});

test('a transfer that cannot go on says why, and the next one works', { skip }, async () => {
  const { InferenceSession } = await load();
  const body = added(10_000, 4);
  files['/no-ranges.onnx'] = { body, breaks: [10_000], ranges: false };
  const failure = /broke off at 10000 of \d+ bytes, and the server does not give the rest of the same file/;
  await assert.rejects(InferenceSession.create(`${server.address}/no-ranges.onnx`), {
    code: 'LOAD_FAILED',
    message: failure,
  });
  assert.equal(await first(await InferenceSession.create(`${server.address}/no-ranges.onnx`)), 5);

  const changing: Served = { body, breaks: [10_000], etag: '"old"' };
  files['/changing.onnx'] = changing;
  const attempt = InferenceSession.create(`${server.address}/changing.onnx`, {
    onProgress: () => {
      changing.etag = '"new"';
    },
  });
  await assert.rejects(attempt, { code: 'LOAD_FAILED', message: failure });

  files['/dead.onnx'] = { body, breaks: [10_000, 0, 0, 0, 0, 0, 0] };
  await assert.rejects(InferenceSession.create(`${server.address}/dead.onnx`), {
    code: 'LOAD_FAILED',
    message: /broke off/,
  });
});

test('a file that no memory can hold is refused before it is downloaded', { skip }, async () => {
  const { InferenceSession } = await load();
  files['/huge.onnx'] = { body: added(100_000, 4), announced: 5e9 };
  sent = 0;
  await assert.rejects(InferenceSession.create(`${server.address}/huge.onnx`), {
    code: 'OUT_OF_MEMORY',
    message: /huge\.onnx has 5000000000 bytes, and WebAssembly memory ends at 4294967296/,
  });
  assert.ok(sent <= 400_000 + 1000);
  assert.equal(await first(await InferenceSession.create(added(2, 6))), 7);
});

test('a model is in memory once', { skip }, async () => {
  const { InferenceSession } = await load();
  const body = added(4_000_000, 1);
  files['/once.onnx'] = { body };
  const session = await InferenceSession.create(`${server.address}/once.onnx`);
  const { modelBytes, inUse, wasmBytes } = session.memory;
  assert.equal(modelBytes, body.length);
  assert.ok(inUse < 1000, `${inUse}`);
  assert.ok(wasmBytes < 1.3 * body.length + (8 << 20), `${wasmBytes} bytes for a model of ${body.length}`);
  await session.release();
});

function encrypted(bytes: Uint8Array, key: Uint8Array, additionalData = new Uint8Array()): Uint8Array {
  const iv = randomBytes(12);
  const cipher = createCipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, iv).setAAD(additionalData);
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

test('encrypted models and data files are opened with the key', { skip }, async () => {
  const { InferenceSession } = await load();
  const key = randomBytes(32);
  const plain = added(100, 6);
  assert.equal(await first(await InferenceSession.create(encrypted(plain, key), { decrypt: { key } })), 7);
  const usable = await crypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['decrypt']);
  assert.equal(await first(await InferenceSession.create(encrypted(plain, key), { decrypt: { key: usable } })), 7);

  const additionalData = new TextEncoder().encode('of one customer');
  const short = randomBytes(16);
  const bound = encrypted(plain, short, additionalData);
  assert.equal(await first(await InferenceSession.create(bound, { decrypt: { key: short, additionalData } })), 7);

  const split = model(
    [{ op: 'Add', inputs: ['x', 'w'], outputs: ['y'] }],
    [['x', FLOAT, [1]]],
    [['y', FLOAT, [2]]],
    [externalTensor('w', [2], 'w.bin')],
  );
  files['/split.onnx'] = { body: encrypted(split, key) };
  files['/w.bin'] = { body: encrypted(new Uint8Array(new Float32Array([0, 8]).buffer), key) };
  assert.equal(await first(await InferenceSession.create(`${server.address}/split.onnx`, { decrypt: { key } })), 9);
});

test('what cannot be decrypted is told, and the next session works', { skip }, async () => {
  const { InferenceSession } = await load();
  const key = randomBytes(32);
  const file = encrypted(added(100, 6), key);
  const refused = (bytes: Uint8Array, with_: Uint8Array, code: string, text: RegExp) =>
    assert.rejects(InferenceSession.create(bytes, { decrypt: { key: with_ } }), { code, message: text });
  await refused(file, randomBytes(32), 'LOAD_FAILED', /the model could not be decrypted: the key is another one/);
  const damaged = new Uint8Array(file);
  damaged[50] = (damaged[50] ?? 0) ^ 1;
  await refused(damaged, key, 'LOAD_FAILED', /could not be decrypted/);
  await refused(file.subarray(0, 20), key, 'LOAD_FAILED', /has 20 bytes, which is too short/);
  await refused(file, randomBytes(20), 'INVALID_ARGUMENT', /16, 24 or 32 bytes; it has 20/);
  assert.equal(await first(await InferenceSession.create(file, { decrypt: { key } })), 7);
});

test('a large model is judged by its nodes', { skip }, async () => {
  const { supports } = await load();
  const weights = message([1, 500_000], [2, FLOAT], [8, 'w'], [9, new Uint8Array(2_000_000)]);
  const branch = message([1, message([4, 'Missing'], [7, 'of.nobody'])]);
  const conditional = message([1, 'then_branch'], [6, branch], [20, 5]);
  const large = model(
    [
      { op: 'Add', inputs: ['x', 'w'], outputs: ['a'] },
      { op: 'Add', inputs: ['a', 'w'], outputs: ['b'] },
      { op: 'If', inputs: ['c'], outputs: ['d'], attributes: [conditional] },
      { op: 'Unheard', inputs: ['b'], outputs: ['y'] },
    ],
    [['x', FLOAT, [1]]],
    [['y', FLOAT, [1]]],
    [weights],
  );
  files['/large.onnx'] = { body: large };
  files['/whole.onnx'] = { body: large, ranges: false };
  const file = path.join(folder, 'large.onnx');
  writeFileSync(file, large);
  sent = 0;
  const remote = await supports(`${server.address}/large.onnx`);
  assert.ok(sent < 200_000, `${sent} bytes`);
  assert.equal(remote.supported, false);
  assert.deepEqual(
    remote.missing.map(({ domain, opType, count }) => [domain, opType, count]),
    [
      ['of.nobody', 'Missing', 1],
      ['', 'Unheard', 1],
    ],
  );
  assert.deepEqual(remote.operators[0], { domain: '', opType: 'Add', since: 14, count: 2 });
  assert.equal(remote.features.simd, true);
  for (const other of [`${server.address}/whole.onnx`, file, large, new Blob([new Uint8Array(large)])]) {
    assert.deepEqual(await supports(other), remote);
  }
});

test('a list of operators is judged too', { skip }, async () => {
  const { registerOperator, supports } = await load();
  const good = await supports(['Conv', 'ai.onnx.Relu', 'com.microsoft.MatMulNBits', { domain: '', opType: 'Add' }]);
  assert.deepEqual([good.supported, good.missing], [true, []]);
  const asked = ['Mine', { domain: 'of.mine', opType: 'Other' }];
  assert.deepEqual(
    (await supports(asked)).missing.map(({ opType }) => opType),
    ['Mine', 'Other'],
  );
  registerOperator('of.mine', 'Other', () => []);
  assert.deepEqual(
    (await supports(asked)).missing.map(({ opType }) => opType),
    ['Mine'],
  );
  assert.equal((await supports(['Swish'], { opset: 13 })).supported, false);
  assert.equal((await supports(['ImageDecoder'])).supported, false);
  await assert.rejects(supports(['Add'], { opset: 0 }), { code: 'INVALID_ARGUMENT', message: /opset/ });
});

test('what is no model is told with the place', { skip }, async () => {
  const { supports } = await load();
  await assert.rejects(supports(new Uint8Array()), { code: 'INVALID_GRAPH', message: /no ONNX model/ });
  const text = new TextEncoder().encode('<!doctype html><p>no model</p>');
  await assert.rejects(supports(text), { code: 'INVALID_GRAPH', message: /at byte \d+/ });
  await assert.rejects(supports(added(10, 1).subarray(0, 30)), { code: 'INVALID_GRAPH', message: /at byte \d+/ });
  await assert.rejects(supports(`${server.address}/nowhere.onnx`), { code: 'NO_SUCH_FILE', message: /404/ });
});
