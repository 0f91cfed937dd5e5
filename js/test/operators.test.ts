// Operators written in JavaScript, with the engine in this realm. tests/browser has those of pages.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as Package from '../src/index.js';
import type { Argument, NodeSpec } from './onnx-writer.js';
import { intAttribute, model, stringAttribute } from './onnx-writer.js';

const dist = path.resolve('dist');
const skip = existsSync(path.join(dist, 'onnxlet.wasm')) ? false : 'js/dist has no engine; run the build first';
const DOMAIN = 'test.domain';
const [FLOAT, UINT8] = [1, 2];
const X: Argument = ['x', FLOAT, ['n']];
const Y: Argument = ['y', FLOAT, ['m']];

async function load(threads = 1): Promise<typeof Package> {
  const package_ = (await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href)) as typeof Package;
  package_.env.wasm.numThreads = threads;
  package_.env.logLevel = 'error';
  return package_;
}

/** y = -op(x) */
function negated(op: string, attributes: readonly Uint8Array[] = []): Uint8Array {
  const nodes: NodeSpec[] = [
    { op, inputs: ['x'], outputs: ['t'], domain: DOMAIN, attributes },
    { op: 'Neg', inputs: ['t'], outputs: ['y'] },
  ];
  return model(nodes, [X], [Y]);
}

async function run(package_: typeof Package, file: Uint8Array, values: number[]): Promise<number[]> {
  const session = await package_.InferenceSession.create(file);
  try {
    const { y } = await session.run({ x: new package_.Tensor('float32', values, [values.length]) });
    return [...(y?.data as Float32Array)];
  } finally {
    await session.release();
  }
}

for (const threads of [1, 2]) {
  test(`a function is an operator, with ${threads} threads`, { skip }, async () => {
    const package_ = await load(threads);
    const { registerOperator, Tensor } = package_;
    registerOperator(DOMAIN, 'Scale', ([x], { by, name }) => {
      assert.ok(x instanceof Tensor && name === 'n');
      return new Tensor(
        'float32',
        (x.data as Float32Array).map((v) => v * Number(by)),
        x.dims,
      );
    });
    const file = negated('Scale', [intAttribute('by', 3), stringAttribute('name', 'n')]);
    assert.deepEqual(await run(package_, file, [1, -2]), [-3, 6]);
    assert.deepEqual(await run(package_, file, []), []);
  });
}

test('it may return a promise, and other sessions run meanwhile', { skip }, async () => {
  const package_ = await load();
  const { InferenceSession, registerOperator, Tensor } = package_;
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  registerOperator(DOMAIN, 'Wait', async ([x]) => {
    await gate;
    return x as Package.Tensor;
  });
  const waiting = await InferenceSession.create(negated('Wait'));
  const other = await InferenceSession.create(model([{ op: 'Neg', inputs: ['x'], outputs: ['y'] }], [X], [Y]));
  const x = new Tensor('float32', [1, 2], [2]);
  const results = [waiting.run({ x }), waiting.run({ x })];
  const { y } = await other.run({ x });
  assert.deepEqual(y?.data, new Float32Array([-1, -2]));
  goOn();
  for (const result of await Promise.all(results)) assert.deepEqual(result['y']?.data, new Float32Array([-1, -2]));
  await Promise.all([waiting.release(), other.release()]);
});

test('several outputs, absent inputs, and outputs that nobody names', { skip }, async () => {
  const package_ = await load();
  const { registerOperator, Tensor } = package_;
  registerOperator(DOMAIN, 'Pair', ([absent, x]) => {
    assert.equal(absent, null);
    return [x ?? null, new Tensor('float32', [10], [1]), new Tensor('float32', [5], [1])];
  });
  const file = model(
    [
      { op: 'Pair', inputs: ['', 'x'], outputs: ['a', 'b'], domain: DOMAIN },
      { op: 'Add', inputs: ['a', 'b'], outputs: ['y'] },
    ],
    [X],
    [Y],
  );
  assert.deepEqual(await run(package_, file, [1, 2]), [11, 12]);
});

test('what it throws fails the run and is the cause', { skip }, async () => {
  const package_ = await load();
  const { InferenceSession, registerOperator, Tensor } = package_;
  const problem = new RangeError('out of cheese');
  registerOperator(DOMAIN, 'Throw', ([x]) => {
    if ((x as Package.Tensor).size > 1) throw problem;
    return x as Package.Tensor;
  });
  const session = await InferenceSession.create(negated('Throw'));
  await assert.rejects(session.run({ x: new Tensor('float32', [1, 2], [2]) }), {
    name: 'OnnxletError',
    code: 'RUN_FAILED',
    message: "node 'Throw_t' (test.domain.Throw-1): out of cheese",
    cause: problem,
  });
  const { y } = await session.run({ x: new Tensor('float32', [1], [1]) });
  assert.deepEqual(y?.data, new Float32Array([-1]));
  await session.release();
});

test('a wrong result is told', { skip }, async () => {
  const package_ = await load();
  const wrong = {
    Number: [5, /result 0 of the function must be a Tensor.*got number/],
    Nothing: [null, /gave no output 0/],
  } as const;
  for (const [name, [result, message]] of Object.entries(wrong)) {
    package_.registerOperator(DOMAIN, name, () => result as unknown as Package.Tensor);
    await assert.rejects(run(package_, negated(name), [1]), { code: 'RUN_FAILED', message });
  }
});

test('a run that waits for its operator can be aborted', { skip }, async () => {
  const { InferenceSession, registerOperator, Tensor } = await load();
  const controller = new AbortController();
  registerOperator(DOMAIN, 'Forever', () => {
    setTimeout(() => {
      controller.abort(new Error('enough'));
    });
    return new Promise(() => undefined);
  });
  const session = await InferenceSession.create(negated('Forever'));
  const aborted = session.run({ x: new Tensor('float32', [1], [1]) }, { signal: controller.signal });
  await assert.rejects(aborted, { code: 'ABORTED', message: /enough/ });
  await session.release();
});

test('sessions keep what was registered when they were made', { skip }, async () => {
  const { InferenceSession, registerOperator, Tensor } = await load();
  const version = (value: number) => () => new Tensor('float32', [value], [1]);
  registerOperator(DOMAIN, 'Version', version(1));
  const first = await InferenceSession.create(negated('Version'));
  registerOperator(DOMAIN, 'Version', version(2));
  const second = await InferenceSession.create(negated('Version'));
  const feeds = { x: new Tensor('float32', [0], [1]) };
  assert.equal((await first.run(feeds))['y']?.data[0], -1);
  assert.equal((await second.run(feeds))['y']?.data[0], -2);
  await Promise.all([first.release(), second.release()]);
});

test('unregistered operators and wrong registrations are refused', { skip }, async () => {
  const { InferenceSession, registerOperator } = await load();
  await assert.rejects(InferenceSession.create(negated('Nobody')), {
    code: 'NOT_IMPLEMENTED',
    message: /register it as a custom operator/,
  });
  assert.throws(
    () => {
      registerOperator(DOMAIN, '', () => []);
    },
    { code: 'INVALID_ARGUMENT' },
  );
});

test('without an image decoder ImageDecoder says how to give one, and takes it', { skip }, async () => {
  const package_ = await load();
  const { InferenceSession, registerOperator, Tensor } = package_;
  const file = model(
    [{ op: 'ImageDecoder', inputs: ['x'], outputs: ['y'] }],
    [['x', UINT8, ['n']]],
    [['y', UINT8, ['h', 'w', 'c']]],
    [],
    20,
  );
  await assert.rejects(InferenceSession.create(file), {
    code: 'NOT_IMPLEMENTED',
    message: /registerOperator\('', 'ImageDecoder', function\)/,
  });
  registerOperator('', 'ImageDecoder', () => new Tensor('uint8', [1, 2, 3], [1, 1, 3]));
  const session = await InferenceSession.create(file);
  const { y } = await session.run({ x: new Tensor('uint8', [0], [1]) });
  assert.deepEqual(
    [y?.dims, [...(y?.data as Uint8Array)]],
    [
      [1, 1, 3],
      [1, 2, 3],
    ],
  );
  await session.release();
});
