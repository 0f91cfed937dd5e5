// The built package on the real engine, in Node. Skipped, with a reason, while js/dist is not built.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as Package from '../src/index.js';
import type { Argument } from './onnx-writer.js';
import { externalTensor, graph, graphAttribute, model } from './onnx-writer.js';
import { trappingEngine, versionOnlyEngine } from './wasm-writer.js';

const dist = path.resolve('dist');
const skip = existsSync(path.join(dist, 'onnxlet.wasm')) ? false : 'js/dist has no engine; run the build first';
const folder = mkdtempSync(path.join(os.tmpdir(), 'onnxlet-js-'));
after(() => {
  rmSync(folder, { recursive: true });
});

async function load(): Promise<typeof Package> {
  const package_ = (await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href)) as typeof Package;
  package_.env.wasm.numThreads = 1;
  package_.env.wasm.wasmBinary = undefined;
  package_.env.wasm.wasmPaths = undefined;
  package_.env.logLevel = 'error';
  return package_;
}

const [FLOAT, INT64, BOOL] = [1, 7, 9];
const DOUBLE_IT = model(
  [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
  [['x', FLOAT, ['n']]],
  [['y', FLOAT, ['n']]],
);

test('a session tells its inputs and outputs, and computes', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const session = await InferenceSession.create(DOUBLE_IT);
  assert.deepEqual(session.inputNames, ['x']);
  assert.deepEqual(session.outputMetadata, [{ name: 'y', isTensor: true, type: 'float32', shape: ['n'] }]);
  assert.equal(session.threads, 1);
  const { y } = await session.run({ x: new Tensor('float32', [1, 2, 3], [3]) });
  assert.deepEqual(y?.data, new Float32Array([2, 4, 6]));
  assert.ok(session.memory.modelBytes > 0 && session.memory.wasmBytes > 0);
  await session.release();
});

test('from a path, a file: address, an ArrayBuffer and a part of one', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const file = path.join(folder, 'double.onnx');
  writeFileSync(file, DOUBLE_IT);
  const padded = new Uint8Array(DOUBLE_IT.length + 20);
  padded.set(DOUBLE_IT, 10);
  const sessions = await Promise.all([
    InferenceSession.create(file),
    InferenceSession.create(pathToFileURL(file)),
    InferenceSession.create(DOUBLE_IT.slice().buffer),
    InferenceSession.create(padded.buffer, 10, DOUBLE_IT.length),
    InferenceSession.create(new Blob([DOUBLE_IT.slice()])),
  ]);
  for (const session of sessions) {
    const { y } = await session.run({ x: new Tensor('float32', [4], [1]) });
    assert.deepEqual(y?.data, new Float32Array([8]));
    await session.release();
  }
  await assert.rejects(InferenceSession.create(padded.buffer, 10, 1000), { code: 'INVALID_ARGUMENT' });
});

test('two threads give the same bits as one, and session.threads tells the truth', { skip }, async () => {
  const { InferenceSession, Tensor, env } = await load();
  const count = 1_000_000;
  const x = new Tensor(
    'float32',
    Float32Array.from({ length: count }, (_, index) => Math.sin(index)),
    [count],
  );
  const results: Uint8Array[] = [];
  for (const threads of [1, 2, 3]) {
    env.wasm.numThreads = threads;
    const session = await InferenceSession.create(DOUBLE_IT);
    assert.equal(session.threads, threads);
    const { y } = await session.run({ x });
    results.push(new Uint8Array((y?.data as Float32Array).buffer));
    await session.release();
  }
  assert.ok(results.every((result) => Buffer.compare(result, results[0] ?? new Uint8Array()) === 0));
});

test('concurrent runs queue, sessions are independent', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const [a, b] = await Promise.all([InferenceSession.create(DOUBLE_IT), InferenceSession.create(DOUBLE_IT)]);
  const runs = Array.from({ length: 20 }, (_, index) =>
    (index % 2 ? a : b).run({ x: new Tensor('float32', [index], [1]) }),
  );
  const values = (await Promise.all(runs)).map(({ y }) => y?.data[0]);
  assert.deepEqual(
    values,
    Array.from({ length: 20 }, (_, index) => 2 * index),
  );
  await a.release();
  await a.release();
  await assert.rejects(a.run({ x: new Tensor('float32', [1], [1]) }), /released/);
  const { y } = await b.run({ x: new Tensor('float32', [1], [1]) });
  assert.equal(y?.data[0], 2);
  await b.release();
});

test('outputs by name and into tensors', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const two = model(
    [
      { op: 'Add', inputs: ['x', 'x'], outputs: ['y'] },
      { op: 'Neg', inputs: ['x'], outputs: ['z'] },
    ],
    [['x', FLOAT, [2]]],
    [
      ['y', FLOAT, [2]],
      ['z', FLOAT, [2]],
    ],
  );
  const session = await InferenceSession.create(two);
  const x = new Tensor('float32', [1, 2], [2]);
  assert.deepEqual(Object.keys(await session.run({ x })), ['y', 'z']);
  assert.deepEqual(Object.keys(await session.run({ x }, ['z'])), ['z']);
  const mine = new Tensor('float32', [0, 0], [2]);
  const results = await session.run({ x }, { z: mine });
  assert.equal(results['z'], mine);
  assert.deepEqual(mine.data, new Float32Array([-1, -2]));
  await session.release();
});

test('wrong feeds and models give named errors, and the next session works', { skip }, async () => {
  const { InferenceSession, Tensor, OnnxletError } = await load();
  const session = await InferenceSession.create(DOUBLE_IT);
  await assert.rejects(session.run({}), { code: 'INVALID_ARGUMENT', message: /x/ });
  await assert.rejects(session.run({ q: new Tensor('float32', [1], [1]) }), { code: 'INVALID_ARGUMENT', message: /q/ });
  await assert.rejects(session.run({ x: new Tensor('int32', [1], [1]) }), {
    code: 'INVALID_ARGUMENT',
    message: /int32/,
  });
  await assert.rejects(session.run({ x: new Tensor('float32', [1], [1, 1]) }), { code: 'INVALID_ARGUMENT' });
  await session.release();

  for (let length = 1; length < DOUBLE_IT.length; length += 5) {
    await assert.rejects(
      InferenceSession.create(DOUBLE_IT.subarray(0, length)),
      (error) => error instanceof OnnxletError && error.code !== 'TRAP' && error.message.length > 10,
    );
  }
  const unknown = model(
    [{ op: 'NoSuchThing', inputs: ['x'], outputs: ['y'] }],
    [['x', FLOAT, [1]]],
    [['y', FLOAT, [1]]],
  );
  await assert.rejects(InferenceSession.create(unknown), { message: /NoSuchThing/ });
  await assert.rejects(InferenceSession.create(path.join(folder, 'nowhere.onnx')), { code: 'NO_SUCH_FILE' });

  const next = await InferenceSession.create(DOUBLE_IT);
  const { y } = await next.run({ x: new Tensor('float32', [], [0]) });
  assert.equal(y?.size, 0);
  await next.release();
});

test('progress, integrity and abort over HTTP', { skip }, async () => {
  const { InferenceSession } = await load();
  const large = new Uint8Array(3_000_000);
  const server = createServer((request, response) => {
    if (request.url === '/small.onnx') {
      response.end(DOUBLE_IT);
      return;
    }
    response.writeHead(200, { 'content-length': large.length });
    let at = 0;
    const timer = setInterval(() => {
      if (at >= large.length || response.destroyed) clearInterval(timer);
      else response.write(large.subarray(at, (at += 100_000)));
    }, 2);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const seen: Package.Progress[] = [];
    const integrity = `sha256-${createHash('sha256').update(DOUBLE_IT).digest('base64')}`;
    const session = await InferenceSession.create(`${base}/small.onnx`, {
      onProgress: (progress) => seen.push(progress),
      integrity,
    });
    assert.equal(seen.at(-1)?.loaded, DOUBLE_IT.length);
    await session.release();
    await assert.rejects(InferenceSession.create(`${base}/small.onnx`, { integrity: 'sha256-AAAA' }), {
      code: 'LOAD_FAILED',
      message: /integrity/,
    });

    const controller = new AbortController();
    let most = 0;
    const aborted = InferenceSession.create(`${base}/large.onnx`, {
      signal: controller.signal,
      onProgress: ({ loaded, total }) => {
        most = loaded;
        if (loaded > 0.3 * (total ?? Infinity)) controller.abort(new Error('enough'));
      },
    });
    await assert.rejects(aborted, { code: 'ABORTED', message: /enough/ });
    assert.ok(most < large.length);
    const next = await InferenceSession.create(DOUBLE_IT);
    await next.release();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a run that does not end is aborted, or ends at its limit; the session goes on', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const ends: Argument[] = [
    ['c', BOOL, []],
    ['v', FLOAT, [1]],
  ];
  const body = graphAttribute('body', graph([], [['i', INT64, []], ...ends], ends));
  const endless = model(
    [{ op: 'Loop', inputs: ['', 'go_on', 'x'], outputs: ['y'], attributes: [body] }],
    [
      ['go_on', BOOL, []],
      ['x', FLOAT, [1]],
    ],
    [['y', FLOAT, [1]]],
  );
  const feeds = (goOn: boolean) => ({
    go_on: new Tensor('bool', [goOn], []),
    x: new Tensor('float32', [3], [1]),
  });
  const session = await InferenceSession.create(endless);
  const signal = AbortSignal.timeout(100);
  await assert.rejects(session.run(feeds(true), { signal }), { code: 'ABORTED', message: /timeout/ });
  const { y } = await session.run(feeds(false), { signal: new AbortController().signal });
  assert.deepEqual(y?.data, new Float32Array([3]));
  await session.release();

  const limited = await InferenceSession.create(endless, { maxSteps: 1000, maxTensorBytes: 100 });
  await assert.rejects(limited.run(feeds(true)), {
    code: 'RUN_FAILED',
    message: /^node 'Loop_y' \(Loop-16\): the run was stopped after 1000 steps, as many as max_steps allows/,
  });
  await limited.release();
});

test('external data: given, beside the model, missing', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const bytes = model(
    [{ op: 'Add', inputs: ['x', 'w'], outputs: ['y'] }],
    [['x', FLOAT, [2]]],
    [['y', FLOAT, [2]]],
    [externalTensor('w', [2], 'w.bin')],
  );
  const weights = new Uint8Array(new Float32Array([10, 20]).buffer);
  const file = path.join(folder, 'external.onnx');
  writeFileSync(file, bytes);
  await assert.rejects(InferenceSession.create(file), { code: 'NO_SUCH_FILE', message: /w\.bin/ });
  writeFileSync(path.join(folder, 'w.bin'), weights);
  const sessions = [
    await InferenceSession.create(file),
    await InferenceSession.create(bytes, { externalData: [{ path: 'w.bin', data: weights }] }),
    await InferenceSession.create(bytes, { externalData: [{ path: './w.bin', data: path.join(folder, 'w.bin') }] }),
  ];
  for (const session of sessions) {
    const { y } = await session.run({ x: new Tensor('float32', [1, 2], [2]) });
    assert.deepEqual(y?.data, new Float32Array([11, 22]));
    await session.release();
  }
  await assert.rejects(InferenceSession.create(bytes), { code: 'NO_SUCH_FILE', message: /externalData/ });
});

test('an engine of another version is refused by name; given bytes are used', { skip }, async () => {
  const { InferenceSession, env } = await load();
  env.wasm.wasmBinary = versionOnlyEngine(42, '9.9.9');
  await assert.rejects(InferenceSession.create(DOUBLE_IT), { code: 'VERSION_MISMATCH', message: /9\.9\.9 \(ABI 42\)/ });
  env.wasm.wasmBinary = readFileSync(path.join(dist, 'onnxlet.wasm'));
  const session = await InferenceSession.create(DOUBLE_IT);
  assert.equal(session.flavour, 'simd');
  await session.release();
});

test('without SIMD in the JavaScript engine the scalar flavour runs', { skip }, () => {
  if (process.arch !== 'x64') return;
  writeFileSync(path.join(folder, 'scalar.onnx'), DOUBLE_IT);
  const program = `
    import { InferenceSession, Tensor } from ${JSON.stringify(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href)};
    const session = await InferenceSession.create(${JSON.stringify(path.join(folder, 'scalar.onnx'))});
    const { y } = await session.run({ x: new Tensor('float32', [21], [1]) });
    console.log(session.flavour, y.data[0]);`;
  // V8 offers SIMD only where the processor has these instructions.
  const flags = ['--no-enable-sse4-1', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.equal(stdout.trim(), 'scalar 42', stderr);
});

test('memory for threads that is refused means one thread and a warning', { skip }, async () => {
  const { InferenceSession, Tensor, env } = await load();
  const { Memory } = WebAssembly;
  const { warn } = console;
  const warnings: string[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      if (descriptor.shared) throw new RangeError('could not allocate memory');
      super(descriptor);
    }
  };
  console.warn = (text: string) => warnings.push(text);
  try {
    env.logLevel = 'warning';
    env.wasm.numThreads = 5;
    const session = await InferenceSession.create(DOUBLE_IT);
    assert.equal(session.threads, 1);
    const { y } = await session.run({ x: new Tensor('float32', [1], [1]) });
    assert.equal(y?.data[0], 2);
    await session.release();
  } finally {
    WebAssembly.Memory = Memory;
    console.warn = warn;
  }
  assert.match(warnings.join(), /5 threads were asked for and 1 is used: shared memory.*could not allocate memory/);
});

test('a number of threads that makes no sense is refused', { skip }, async () => {
  const { InferenceSession, env } = await load();
  env.wasm.numThreads = 1.5;
  await assert.rejects(InferenceSession.create(DOUBLE_IT), { code: 'INVALID_ARGUMENT', message: /numThreads.*1\.5/ });
});

test('a trap is an error, ends its sessions only, and the next session works', { skip }, async () => {
  const { InferenceSession, Tensor, env } = await load();
  const before = await InferenceSession.create(DOUBLE_IT);
  env.wasm.wasmBinary = trappingEngine();
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(InferenceSession.create(DOUBLE_IT), { code: 'TRAP', message: /stopped in ol_model_open/ });
  }
  env.wasm.wasmBinary = undefined;
  const after_ = await InferenceSession.create(DOUBLE_IT);
  for (const session of [before, after_]) {
    const { y } = await session.run({ x: new Tensor('float32', [1], [1]) });
    assert.equal(y?.data[0], 2);
    await session.release();
  }
});

test('a thousand cycles of create, run and release stay flat', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const x = new Tensor('float32', new Float32Array(100_000), [100_000]);
  const inUse: number[] = [];
  for (let cycle = 0; cycle < 1000; cycle++) {
    const session = await InferenceSession.create(DOUBLE_IT);
    await session.run({ x });
    inUse.push(session.memory.inUse);
    await session.release();
  }
  assert.equal(inUse.at(-1), inUse[10]);
});

test('a profile has a row for each node, deterministic mode another flavour', { skip }, async () => {
  const { InferenceSession, Tensor, env } = await load();
  const session = await InferenceSession.create(DOUBLE_IT, { enableProfiling: true });
  await session.run({ x: new Tensor('float32', [1, 2], [2]) });
  const rows = await session.profile();
  assert.deepEqual(
    rows.map(({ opType, inputs, outputs }) => [opType, inputs, outputs]),
    [['Add', ['float[2]', 'float[2]'], ['float[2]']]],
  );
  const { table } = console;
  const tables: unknown[] = [];
  console.table = (each: unknown) => tables.push(each);
  session.startProfiling();
  session.endProfiling();
  await session.profile();
  console.table = table;
  assert.deepEqual(tables, [rows]);
  assert.ok(rows.every(({ start, duration, kernel }) => start >= 0 && duration >= 0 && typeof kernel === 'string'));
  await session.release();
  env.deterministic = true;
  try {
    const same = await InferenceSession.create(DOUBLE_IT);
    assert.equal(same.flavour, 'simd');
    await same.release();
  } finally {
    env.deterministic = false;
  }
});

test('disposing a session releases it', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const feeds = { x: new Tensor('float32', [1], [1]) };
  const [one, other] = [await InferenceSession.create(DOUBLE_IT), await InferenceSession.create(DOUBLE_IT)];
  await one[Symbol.asyncDispose]();
  other[Symbol.dispose]();
  for (const session of [one, other]) await assert.rejects(session.run(feeds), /the session is released/);
});

test('an output can stay in the engine, be fed again, be read and be disposed', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const session = await InferenceSession.create(DOUBLE_IT, { preferredOutputLocation: 'cpu-pinned' });
  const first = (await session.run({ x: new Tensor('float32', [1, 2, 3], [3]) })).y;
  assert.ok(first);
  assert.deepEqual([first.location, first.type, first.dims, first.size], ['cpu-pinned', 'float32', [3], 3]);
  assert.throws(() => first.data, { code: 'INVALID_ARGUMENT', message: /in the engine; await getData\(\)/ });
  const second = (await session.run({ x: first })).y;
  assert.deepEqual(await second?.getData(), new Float32Array([4, 8, 12]));
  assert.deepEqual(await first.getData(true), new Float32Array([2, 4, 6]));
  assert.equal(first.location, 'none');
  assert.throws(() => first.data, /disposed/);
  // A tensor that is given to be written into is, wherever outputs go otherwise.
  const target = new Tensor('float32', new Float32Array(3), [3]);
  await session.run({ x: second ?? target }, { y: target });
  assert.deepEqual(target.data, new Float32Array([8, 16, 24]));
  await session.release();
  assert.ok(second);
  await assert.rejects(second.getData(), { code: 'INVALID_ARGUMENT', message: /that made the tensor is released/ });
});

test('a run disposes what it is fed on request', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const session = await InferenceSession.create(DOUBLE_IT, { preferredOutputLocation: 'cpu-pinned' });
  const given = new Tensor('float32', [1], [1]);
  const first = (await session.run({ x: given }, { disposeFeeds: true })).y;
  assert.ok(first);
  assert.deepEqual([given.location, first.location], ['cpu', 'cpu-pinned']);
  const second = (await session.run({ x: first }, { disposeFeeds: true })).y;
  assert.equal(first.location, 'none');
  assert.deepEqual(await second?.getData(), new Float32Array([4]));
  await session.release();
});

test('a run that fails disposes what it was fed, too', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const session = await InferenceSession.create(DOUBLE_IT, { preferredOutputLocation: 'cpu-pinned' });
  const first = (await session.run({ x: new Tensor('float32', [1], [1]) })).y;
  assert.ok(first);
  const failing = session.run({ x: first }, ['nothing of that name'], { disposeFeeds: true });
  await assert.rejects(failing, { code: 'INVALID_ARGUMENT', message: /nothing of that name/ });
  assert.equal(first.location, 'none');
  await assert.rejects(session.run({ x: first }), { code: 'INVALID_ARGUMENT', message: /disposed/ });
  const again = (await session.run({ x: new Tensor('float32', [3], [1]) })).y;
  assert.deepEqual(await again?.getData(), new Float32Array([6]));
  await session.release();
});

test('outputs stay in the engine by name', { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const both = model(
    [
      { op: 'Add', inputs: ['x', 'x'], outputs: ['y'] },
      { op: 'Neg', inputs: ['x'], outputs: ['z'] },
    ],
    [['x', FLOAT, ['n']]],
    [
      ['y', FLOAT, ['n']],
      ['z', FLOAT, ['n']],
    ],
  );
  const session = await InferenceSession.create(both, { preferredOutputLocation: { z: 'cpu-pinned', y: 'cpu' } });
  const { y, z } = await session.run({ x: new Tensor('float32', [1], [1]) });
  assert.deepEqual([y?.location, z?.location], ['cpu', 'cpu-pinned']);
  assert.deepEqual(await z?.getData(), new Float32Array([-1]));
  await session.release();
});
