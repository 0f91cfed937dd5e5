// Faults around the engine, in Node (node.mjs) and in a page. `inject(NAME, package_, given)` injects one kind of them, point by
// point, and says how many points there were; it throws where one is not an error of its own kind with words, where the next run
// does not work, or where something is left behind.
//
// given: {"origin": of the server that test_javascript.py prepares, "file": double.onnx there, "wasm": an engine there, "double": y = x + x, "product": y = relu(x @ w), "custom": y = Fault(x),
//         as base64, "engine": () => the bytes of onnxlet.wasm, "workers": Worker threads made so far, newest last}

const DOMAIN = 'tests.faults';
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function expect(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`);
}

/** The promise is rejected with this code and words that have all these parts. */
async function rejects(promise, code, ...parts) {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error !== undefined, `${code} ${parts}: it went through`);
  const told = `${error.name} ${error.code}: ${error.message}`;
  expect(error.name === 'OnnxletError' && error.code === code, `${code}, but ${told}`);
  for (const part of parts) expect(part.test(error.message), `${part}, but ${told}`);
}

const double = async ({ Tensor }, session) =>
  expect((await session.run({ x: new Tensor('float32', [21], [1]) })).y.data[0] === 42, 'twice 21 is 42');

/** A new session gives the answer. */
async function works(package_, given, options) {
  const session = await package_.InferenceSession.create(bytesOf(given.double), options);
  await double(package_, session);
  await session.release();
}

async function transfers(package_, { origin, ...given }) {
  const { InferenceSession, env } = package_;
  const held = await InferenceSession.create(bytesOf(given.double));
  await double(package_, held);
  const wrong = `sha256-${'A'.repeat(43)}=`;
  const faults = [
    [
      '/page.onnx',
      'LOAD_FAILED',
      [/text\/html/, /page\.onnx/, /Serve the file at this address, or name the right one/],
    ],
    ['/not-there.onnx', 'NO_SUCH_FILE', [/answered 404/, /not-there\.onnx/]],
    ['/broken.onnx', 'LOAD_FAILED', [/answered 500/, /broken\.onnx/]],
    ['/empty.onnx', 'INVALID_PROTOBUF', [/file is empty/]],
    ['/shorter.onnx', 'INVALID_PROTOBUF', [/\d/]],
    ['/longer.onnx', 'INVALID_PROTOBUF', [/\d/]],
    ['/text.onnx', 'INVALID_PROTOBUF', [/\d/]],
    [`/cut${given.file}`, 'LOAD_FAILED', [/broke off at \d+ of \d+ bytes/, /double\.onnx/]],
    [
      `/file${given.file}`,
      'LOAD_FAILED',
      [/fails its integrity check/, /expected sha256-A+=, got sha256-/],
      { integrity: wrong },
    ],
    [`/file${given.file}`, 'INVALID_ARGUMENT', [/integrity must be like/], { integrity: 'none' }],
    [`/stalled${given.file}`, 'ABORTED', [/stopped by the caller/], () => ({ signal: AbortSignal.timeout(100) })],
  ];
  const round = async () => {
    for (const [address, code, parts, options] of faults) {
      const asked = typeof options === 'function' ? options() : options;
      await rejects(InferenceSession.create(`${origin}${address}`, asked), code, ...parts);
    }
  };
  await round();
  await double(package_, held);
  const before = held.memory;
  for (let again = 0; again < 2; again++) await round();
  await double(package_, held);
  expect(held.memory.wasmBytes === before.wasmBytes, 'the engine has not grown');
  expect(held.memory.inUse === before.inUse, 'the session holds what it held');
  await held.release();
  const engines = ['/cut', '/cut-octets'];
  for (const area of engines) {
    env.wasm.wasmPaths = { wasm: `${origin}${area}${given.wasm}` };
    try {
      const begun = InferenceSession.create(bytesOf(given.double));
      await rejects(begun, 'LOAD_FAILED', /onnxlet\.wasm/);
    } finally {
      env.wasm.wasmPaths = undefined;
    }
  }
  const session = await InferenceSession.create(`${origin}/file${given.file}`);
  await double(package_, session);
  await session.release();
  return 3 * faults.length + engines.length;
}

/** The engine with another limit of its memory, in pages of 64 kB. */
function limited(engine, pages) {
  const leb = (at) => {
    let [value, shift, byte] = [0, 0, 0x80];
    for (; byte & 0x80; shift += 7) {
      byte = engine[at++];
      value += (byte & 0x7f) * 2 ** shift;
    }
    return [value, at];
  };
  for (let at = 8; at < engine.length;) {
    const [id, [size, start]] = [engine[at], leb(at + 1)];
    if (id === 5) {
      const [least, end] = leb(start + 2); // after the number of memories and the flags
      const most = Math.max(pages, least);
      const section = [1, 1, ...[least, most].flatMap((n) => [(n & 0x7f) | 0x80, ((n >> 7) & 0x7f) | 0x80, n >> 14])];
      expect(engine[start] === 1 && end <= start + size, 'one memory');
      const parts = [engine.subarray(0, at), [5, section.length, ...section], engine.subarray(start + size)];
      const made = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
      let to = 0;
      for (const part of parts) {
        made.set(part, to);
        to += part.length;
      }
      return [made, least];
    }
    at = start + size;
  }
  throw new Error('the engine has no memory of its own');
}

async function growth(package_, given) {
  const { InferenceSession, Tensor, env } = package_;
  const engine = await given.engine();
  const [, least] = limited(engine, 0);
  const [size, many] = [256, 3000];
  const x = Float32Array.from({ length: many * size }, (_, i) => ((i * 7) % 13) - 6);
  const feeds = (rows) => ({ x: new Tensor('float32', x.subarray(0, rows * size), [rows, size]) });
  let expected;
  let refused = 0;
  let answered = 0;
  try {
    for (let more = 200; more >= 0; more -= 8) {
      env.wasm.wasmBinary = limited(engine, least + more)[0];
      const opened = InferenceSession.create(bytesOf(given.product));
      const session = await opened.catch(() => undefined);
      if (session === undefined) {
        await rejects(opened, 'OUT_OF_MEMORY', /\d+ bytes/);
        refused++;
        continue;
      }
      for (const rows of [1, many, 1]) {
        const run = session.run(feeds(rows));
        const y = await run.then(
          (outputs) => outputs.y.data,
          () => undefined,
        );
        if (y === undefined) {
          await rejects(run, 'OUT_OF_MEMORY', /\d+ bytes/);
          refused++;
          continue;
        }
        answered++;
        expected ??= y.slice();
        expect(
          y.subarray(0, size).every((item, i) => item === expected[i]),
          'the answer is the one of the whole engine',
        );
      }
      await session.release();
    }
  } finally {
    env.wasm.wasmBinary = undefined;
  }
  expect(answered > 3, 'some memory is enough');
  await works(package_, given);
  return refused;
}

async function operators(package_, given) {
  const { InferenceSession, Tensor, registerOperator } = package_;
  const good = ([x]) =>
    new Tensor(
      'float32',
      x.data.map((item) => 2 * item),
      x.dims,
    );
  const faults = [
    [
      () => {
        throw new Error('out of cheese');
      },
      /out of cheese/,
    ],
    [
      () => {
        throw 'only words';
      },
      /only words/,
    ],
    [
      () => {
        throw undefined;
      },
      /./,
    ],
    [
      async () => {
        throw new Error('too late');
      },
      /too late/,
    ],
    [() => new Promise((_, reject) => setTimeout(reject, 5, new Error('later'))), /later/],
    [() => 5, /result 0 of the function must be a Tensor/],
    [() => null, /gave no output 0/],
    [() => undefined, /output 0|result 0/],
    [async () => 'text', /result 0 of the function must be a Tensor/],
    [() => [], /output 0/],
    [() => ({ data: [1], dims: [1] }), /./],
  ];
  let mode = good;
  registerOperator(DOMAIN, 'Fault', (inputs) => mode(inputs));
  const session = await InferenceSession.create(bytesOf(given.custom));
  await double(package_, session);
  await double(package_, session);
  const { inUse } = session.memory;
  for (const [fault, words] of faults) {
    mode = fault;
    for (let again = 0; again < 20; again++) {
      const run = session.run({ x: new Tensor('float32', [21], [1]) });
      await rejects(run, 'RUN_FAILED', /^node 'fault' \(tests\.faults\.Fault-1\)/, words);
    }
    mode = good;
    await double(package_, session);
    expect(session.memory.inUse === inUse, 'the session holds what it held');
  }
  await session.release();
  return 20 * faults.length;
}

/** In this realm, where a clock that throws is within reach: the engine asks for the time when it keeps a profile. */
async function traps(package_, given) {
  const { InferenceSession, Tensor, env } = package_;
  const { proxy } = env.wasm;
  env.wasm.proxy = 'never';
  const feeds = () => ({ x: new Tensor('float32', [21], [1]) });
  const points = 5;
  try {
    for (let point = 0; point < points; point++) {
      const session = await InferenceSession.create(bytesOf(given.double), { enableProfiling: true });
      await double(package_, session);
      const own = Object.hasOwn(performance, 'now');
      const { now } = performance;
      let calls = 0;
      performance.now = () => {
        if (calls++ === point) throw new Error('no time');
        return now.call(performance);
      };
      const outcomes = [];
      for (let run = 0; run <= point; run++) outcomes.push(await session.run(feeds()).catch((error) => error));
      if (own) performance.now = now;
      else delete performance.now;
      const told = outcomes.find((outcome) => outcome instanceof Error);
      expect(told?.code === 'TRAP', `a trap at call ${point}, but ${told}`);
      expect(/stopped in ol_\w+: no time.*a new session starts a new engine/.test(told.message), told.message);
      await rejects(session.run(feeds()), 'TRAP', /a new session starts a new engine/);
      await session.release();
      await works(package_, given);
    }
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = () => Promise.reject(new RangeError('cannot allocate memory'));
    try {
      env.wasm.wasmBinary = (await given.engine()).slice();
      const begun = InferenceSession.create(bytesOf(given.double));
      await rejects(begun, 'OUT_OF_MEMORY', /memory for the engine .* is refused: cannot allocate memory/);
    } finally {
      WebAssembly.instantiate = instantiate;
      env.wasm.wasmBinary = undefined;
    }
    for (const [broken, code] of [
      [new Uint8Array(100), 'LOAD_FAILED'],
      [(await given.engine()).slice(0, 50_000), 'LOAD_FAILED'],
    ]) {
      env.wasm.wasmBinary = broken;
      await rejects(InferenceSession.create(bytesOf(given.double)), code, /env\.wasm\.wasmBinary/);
      env.wasm.wasmBinary = undefined;
      await works(package_, given);
    }
  } finally {
    env.wasm.proxy = proxy;
    env.wasm.wasmBinary = undefined;
  }
  return points + 3;
}

/** A thread of the engine that ends: in Node, whose Worker node.mjs listens to. */
async function threads(package_, given) {
  const { InferenceSession, Tensor, env } = package_;
  env.wasm.numThreads = 3;
  const alive = () => given.workers.filter(({ alive }) => alive).length;
  const x = new Tensor('float32', new Float32Array(64 * 256).fill(1), [64, 256]);
  let points = 0;
  try {
    for (const end of [
      ({ worker }) => worker.terminate(),
      ({ worker }) => worker.emit('error', new Error('no memory')),
    ]) {
      for (const which of [-1, -2]) {
        const session = await InferenceSession.create(bytesOf(given.product));
        expect(session.threads === 3 && alive() === 2, `three threads, but ${session.threads}, ${alive()} workers`);
        await session.run({ x });
        end(given.workers.at(which));
        await new Promise((resolve) => setTimeout(resolve, 100));
        await rejects(session.run({ x }), 'TRAP', /thread.*ended/, /create the session again/);
        await session.release();
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(alive() === 0, `no worker is left, but ${alive()}`);
        points++;
      }
    }
    const session = await InferenceSession.create(bytesOf(given.product));
    await session.run({ x });
    await session.release();
  } finally {
    env.wasm.numThreads = 1;
  }
  await works(package_, given);
  return points;
}

/** The worker of a page that has the engine. */
async function worker(package_, given) {
  const { InferenceSession, Tensor, registerOperator } = package_;
  const { Worker } = globalThis;
  const made = [];
  globalThis.Worker = class extends Worker {
    constructor(...words) {
      super(...words);
      made.push(this);
    }
  };
  let wait = Promise.resolve();
  registerOperator(DOMAIN, 'Fault', async ([x]) => {
    await wait;
    return new Tensor(
      'float32',
      x.data.map((item) => 2 * item),
      x.dims,
    );
  });
  try {
    for (let point = 0; point < 5; point++) {
      wait = Promise.resolve();
      const session = await InferenceSession.create(bytesOf(given.custom));
      await double(package_, session);
      wait = new Promise(() => undefined);
      const feeds = { x: new Tensor('float32', [21], [1]) };
      const running = session.run(feeds);
      await new Promise((resolve) => setTimeout(resolve, 20 * point));
      made.at(-1).postMessage(null); // which its script cannot read
      await rejects(running, 'TRAP', /the engine's worker ended: .*null/, /create the session again/);
      await rejects(session.run(feeds), 'TRAP', /create the session again/);
      await session.release();
      await works(package_, given);
    }
  } finally {
    globalThis.Worker = Worker;
  }
  return 5;
}

const FAULTS = { transfers, growth, operators, traps, threads, worker };

export async function inject(name, package_, given) {
  package_.env.wasm.numThreads = 1;
  package_.env.logLevel = 'fatal';
  return FAULTS[name](package_, given);
}
