// engine.test.ts
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

// onnx-writer.ts
function varint(value) {
  const bytes = [];
  while (value > 127) {
    bytes.push(value % 128 + 128);
    value = Math.floor(value / 128);
  }
  return [...bytes, value];
}
function message(...fields) {
  const bytes = [];
  for (const [number, value] of fields) {
    if (typeof value === "number") {
      bytes.push(...varint(number * 8), ...varint(value));
    } else {
      const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
      bytes.push(...varint(number * 8 + 2), ...varint(content.length), ...content);
    }
  }
  return new Uint8Array(bytes);
}
function valueInfo([name2, dtype, dims]) {
  const shape = message(
    ...dims.map((dim) => [1, typeof dim === "number" ? message([1, dim]) : message([2, dim])])
  );
  return message([1, name2], [2, message([1, message([1, dtype], [2, shape])])]);
}
function model(nodes, inputs, outputs, initializers = []) {
  const graph = message(
    ...nodes.map(({ op, inputs: from, outputs: to }) => [
      1,
      message(
        ...from.map((name2) => [1, name2]),
        ...to.map((name2) => [2, name2]),
        [3, `${op}_${to[0] ?? ""}`],
        [4, op]
      )
    ]),
    [2, "graph"],
    ...initializers.map((tensor) => [5, tensor]),
    ...inputs.map((argument) => [11, valueInfo(argument)]),
    ...outputs.map((argument) => [12, valueInfo(argument)])
  );
  return message([1, 9], [7, graph], [8, message([1, ""], [2, 17])]);
}
function externalTensor(name2, dims, location) {
  const entry = (key, value) => [13, message([1, key], [2, value])];
  return message(...dims.map((dim) => [1, dim]), [2, 1], [8, name2], entry("location", location), [14, 1]);
}

// ../src/abi.gen.ts
var ABI_VERSION = 1;
var ABI_FUNCTIONS = {
  ol_abi_version: "i32",
  ol_version: "ptr",
  ol_build_info: "ptr",
  ol_last_code: "i32",
  ol_last_message: "ptr",
  ol_code_name: "ptr",
  ol_alloc: "ptr",
  ol_free: "void",
  ol_worker_stack: "ptr",
  ol_worker_tls: "ptr",
  ol_worker_main: "void",
  ol_workers_ready: "i32",
  ol_set_workers: "void",
  ol_stop_workers: "void",
  ol_model_open: "ptr",
  ol_model_free: "void",
  ol_model_describe: "ptr",
  ol_model_provide: "i32",
  ol_session_create: "ptr",
  ol_session_free: "void",
  ol_session_describe: "ptr",
  ol_session_memory: "ptr",
  ol_session_profile: "ptr",
  ol_run_new: "ptr",
  ol_run_free: "void",
  ol_run_feed: "i32",
  ol_run_fetch: "i32",
  ol_run_step: "i32",
  ol_run_abort: "void",
  ol_run_pending: "ptr",
  ol_run_pending_input: "ptr",
  ol_run_pending_output: "i32",
  ol_run_pending_fail: "void",
  ol_run_output_count: "i32",
  ol_run_output: "ptr",
  ol_tensor_new: "ptr",
  ol_value_free: "void",
  ol_value_kind: "i32",
  ol_tensor_dtype: "i32",
  ol_tensor_rank: "i32",
  ol_tensor_dims: "ptr",
  ol_tensor_data: "ptr",
  ol_tensor_bytes: "usize",
  ol_tensor_string: "ptr",
  ol_tensor_string_length: "usize",
  ol_tensor_set_string: "i32",
  ol_sequence_new: "ptr",
  ol_sequence_push: "i32",
  ol_sequence_size: "i32",
  ol_sequence_item: "ptr",
  ol_map_new: "ptr",
  ol_map_keys: "ptr",
  ol_map_values: "ptr",
  ol_optional_empty: "ptr",
  ol_register_custom_op: "i32"
};

// wasm-writer.ts
function leb(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push(value % 128 + (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}
function vector(items) {
  return [...leb(items.length), ...items.flat()];
}
function name(text) {
  const bytes = [...new TextEncoder().encode(text)];
  return [...leb(bytes.length), ...bytes];
}
function section(id, content) {
  return [id, ...leb(content.length), ...content];
}
function wasm(...sections) {
  return new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...sections.flat()]);
}
var I32 = 127;
function constant(value) {
  const body = [0, 65, ...leb(value), 11];
  return [...leb(body.length), ...body];
}
var UNREACHABLE = [3, 0, 0, 11];
var VERSION_AT = 16;
var INFO_AT = 48;
function versionOnlyEngine(abi, version) {
  return fakeEngine(version, [
    ["ol_abi_version", true, constant(abi)],
    ["ol_version", true, constant(VERSION_AT)]
  ]);
}
function trappingEngine() {
  const answers = {
    ol_abi_version: ABI_VERSION,
    ol_version: VERSION_AT,
    ol_build_info: INFO_AT,
    ol_alloc: 1024
  };
  return fakeEngine(
    "0",
    Object.entries(ABI_FUNCTIONS).map(([function_, result]) => {
      const answer = answers[function_];
      return [function_, result !== "void", answer === void 0 ? UNREACHABLE : constant(answer)];
    })
  );
}
function fakeEngine(version, functions) {
  return wasm(
    section(
      1,
      vector([
        [96, 0, 1, I32],
        [96, 0, 0]
      ])
    ),
    section(3, vector(functions.map(([, hasResult]) => [hasResult ? 0 : 1]))),
    section(5, vector([[0, 1]])),
    section(
      7,
      vector([
        [...name("memory"), 2, 0],
        ...functions.map(([function_], index) => [...name(function_), 0, ...leb(index)])
      ])
    ),
    section(10, vector(functions.map(([, , body]) => body))),
    section(
      11,
      vector([
        [0, 65, VERSION_AT, 11, ...name(`${version}\0`)],
        [0, 65, INFO_AT, 11, ...name('{"flavour":"fake"}\0')]
      ])
    )
  );
}

// engine.test.ts
var dist = path.resolve("dist");
var skip = existsSync(path.join(dist, "onnxlet.wasm")) ? false : "js/dist has no engine; run the build first";
var folder = mkdtempSync(path.join(os.tmpdir(), "onnxlet-js-"));
after(() => {
  rmSync(folder, { recursive: true });
});
async function load() {
  const package_ = await import(pathToFileURL(path.join(dist, "onnxlet.mjs")).href);
  package_.env.wasm.numThreads = 1;
  package_.env.wasm.wasmBinary = void 0;
  package_.env.wasm.wasmPaths = void 0;
  package_.env.logLevel = "error";
  return package_;
}
var FLOAT = 1;
var DOUBLE_IT = model(
  [{ op: "Add", inputs: ["x", "x"], outputs: ["y"] }],
  [["x", FLOAT, ["n"]]],
  [["y", FLOAT, ["n"]]]
);
test("a session tells its inputs and outputs, and computes", { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const session = await InferenceSession.create(DOUBLE_IT);
  assert.deepEqual(session.inputNames, ["x"]);
  assert.deepEqual(session.outputMetadata, [{ name: "y", isTensor: true, type: "float32", shape: ["n"] }]);
  assert.equal(session.threads, 1);
  const { y } = await session.run({ x: new Tensor("float32", [1, 2, 3], [3]) });
  assert.deepEqual(y?.data, new Float32Array([2, 4, 6]));
  assert.ok(session.memory.modelBytes > 0 && session.memory.wasmBytes > 0);
  await session.release();
});
test("from a path, a file: address, an ArrayBuffer and a part of one", { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const file = path.join(folder, "double.onnx");
  writeFileSync(file, DOUBLE_IT);
  const padded = new Uint8Array(DOUBLE_IT.length + 20);
  padded.set(DOUBLE_IT, 10);
  const sessions = await Promise.all([
    InferenceSession.create(file),
    InferenceSession.create(pathToFileURL(file)),
    InferenceSession.create(DOUBLE_IT.slice().buffer),
    InferenceSession.create(padded.buffer, 10, DOUBLE_IT.length),
    InferenceSession.create(new Blob([DOUBLE_IT.slice()]))
  ]);
  for (const session of sessions) {
    const { y } = await session.run({ x: new Tensor("float32", [4], [1]) });
    assert.deepEqual(y?.data, new Float32Array([8]));
    await session.release();
  }
  await assert.rejects(InferenceSession.create(padded.buffer, 10, 1e3), { code: "INVALID_ARGUMENT" });
});
test("two threads give the same bits as one, and session.threads tells the truth", { skip }, async () => {
  const { InferenceSession, Tensor, env } = await load();
  const count = 1e6;
  const x = new Tensor(
    "float32",
    Float32Array.from({ length: count }, (_, index) => Math.sin(index)),
    [count]
  );
  const results = [];
  for (const threads of [1, 2, 3]) {
    env.wasm.numThreads = threads;
    const session = await InferenceSession.create(DOUBLE_IT);
    assert.equal(session.threads, threads);
    const { y } = await session.run({ x });
    results.push(new Uint8Array((y?.data).buffer));
    await session.release();
  }
  assert.ok(results.every((result) => Buffer.compare(result, results[0] ?? new Uint8Array()) === 0));
});
test("concurrent runs queue, sessions are independent", { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const [a, b] = await Promise.all([InferenceSession.create(DOUBLE_IT), InferenceSession.create(DOUBLE_IT)]);
  const runs = Array.from(
    { length: 20 },
    (_, index) => (index % 2 ? a : b).run({ x: new Tensor("float32", [index], [1]) })
  );
  const values = (await Promise.all(runs)).map(({ y: y2 }) => y2?.data[0]);
  assert.deepEqual(
    values,
    Array.from({ length: 20 }, (_, index) => 2 * index)
  );
  await a.release();
  await a.release();
  await assert.rejects(a.run({ x: new Tensor("float32", [1], [1]) }), /released/);
  const { y } = await b.run({ x: new Tensor("float32", [1], [1]) });
  assert.equal(y?.data[0], 2);
  await b.release();
});
test("outputs by name and into tensors", { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const two = model(
    [
      { op: "Add", inputs: ["x", "x"], outputs: ["y"] },
      { op: "Neg", inputs: ["x"], outputs: ["z"] }
    ],
    [["x", FLOAT, [2]]],
    [
      ["y", FLOAT, [2]],
      ["z", FLOAT, [2]]
    ]
  );
  const session = await InferenceSession.create(two);
  const x = new Tensor("float32", [1, 2], [2]);
  assert.deepEqual(Object.keys(await session.run({ x })), ["y", "z"]);
  assert.deepEqual(Object.keys(await session.run({ x }, ["z"])), ["z"]);
  const mine = new Tensor("float32", [0, 0], [2]);
  const results = await session.run({ x }, { z: mine });
  assert.equal(results["z"], mine);
  assert.deepEqual(mine.data, new Float32Array([-1, -2]));
  await session.release();
});
test("wrong feeds and models give named errors, and the next session works", { skip }, async () => {
  const { InferenceSession, Tensor, OnnxletError } = await load();
  const session = await InferenceSession.create(DOUBLE_IT);
  await assert.rejects(session.run({}), { code: "INVALID_ARGUMENT", message: /x/ });
  await assert.rejects(session.run({ q: new Tensor("float32", [1], [1]) }), { code: "INVALID_ARGUMENT", message: /q/ });
  await assert.rejects(session.run({ x: new Tensor("int32", [1], [1]) }), {
    code: "INVALID_ARGUMENT",
    message: /int32/
  });
  await assert.rejects(session.run({ x: new Tensor("float32", [1], [1, 1]) }), { code: "INVALID_ARGUMENT" });
  await session.release();
  for (let length = 1; length < DOUBLE_IT.length; length += 5) {
    await assert.rejects(
      InferenceSession.create(DOUBLE_IT.subarray(0, length)),
      (error) => error instanceof OnnxletError && error.code !== "TRAP" && error.message.length > 10
    );
  }
  const unknown = model(
    [{ op: "NoSuchThing", inputs: ["x"], outputs: ["y"] }],
    [["x", FLOAT, [1]]],
    [["y", FLOAT, [1]]]
  );
  await assert.rejects(InferenceSession.create(unknown), { message: /NoSuchThing/ });
  await assert.rejects(InferenceSession.create(path.join(folder, "nowhere.onnx")), { code: "NO_SUCH_FILE" });
  const next = await InferenceSession.create(DOUBLE_IT);
  const { y } = await next.run({ x: new Tensor("float32", [], [0]) });
  assert.equal(y?.size, 0);
  await next.release();
});
test("progress, integrity and abort over HTTP", { skip }, async () => {
  const { InferenceSession } = await load();
  const large = new Uint8Array(3e6);
  const server = createServer((request, response) => {
    if (request.url === "/small.onnx") {
      response.end(DOUBLE_IT);
      return;
    }
    response.writeHead(200, { "content-length": large.length });
    let at = 0;
    const timer = setInterval(() => {
      if (at >= large.length || response.destroyed) clearInterval(timer);
      else response.write(large.subarray(at, at += 1e5));
    }, 2);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    const seen = [];
    const integrity = `sha256-${createHash("sha256").update(DOUBLE_IT).digest("base64")}`;
    const session = await InferenceSession.create(`${base}/small.onnx`, {
      onProgress: (progress) => seen.push(progress),
      integrity
    });
    assert.equal(seen.at(-1)?.loaded, DOUBLE_IT.length);
    await session.release();
    await assert.rejects(InferenceSession.create(`${base}/small.onnx`, { integrity: "sha256-AAAA" }), {
      code: "LOAD_FAILED",
      message: /integrity/
    });
    const controller = new AbortController();
    let most = 0;
    const aborted = InferenceSession.create(`${base}/large.onnx`, {
      signal: controller.signal,
      onProgress: ({ loaded, total }) => {
        most = loaded;
        if (loaded > 0.3 * (total ?? Infinity)) controller.abort(new Error("enough"));
      }
    });
    await assert.rejects(aborted, { code: "ABORTED", message: /enough/ });
    assert.ok(most < large.length);
    const next = await InferenceSession.create(DOUBLE_IT);
    await next.release();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
test("external data: given, beside the model, missing", { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const bytes = model(
    [{ op: "Add", inputs: ["x", "w"], outputs: ["y"] }],
    [["x", FLOAT, [2]]],
    [["y", FLOAT, [2]]],
    [externalTensor("w", [2], "w.bin")]
  );
  const weights = new Uint8Array(new Float32Array([10, 20]).buffer);
  const file = path.join(folder, "external.onnx");
  writeFileSync(file, bytes);
  await assert.rejects(InferenceSession.create(file), { code: "NO_SUCH_FILE", message: /w\.bin/ });
  writeFileSync(path.join(folder, "w.bin"), weights);
  const sessions = [
    await InferenceSession.create(file),
    await InferenceSession.create(bytes, { externalData: [{ path: "w.bin", data: weights }] }),
    await InferenceSession.create(bytes, { externalData: [{ path: "./w.bin", data: path.join(folder, "w.bin") }] })
  ];
  for (const session of sessions) {
    const { y } = await session.run({ x: new Tensor("float32", [1, 2], [2]) });
    assert.deepEqual(y?.data, new Float32Array([11, 22]));
    await session.release();
  }
  await assert.rejects(InferenceSession.create(bytes), { code: "NO_SUCH_FILE", message: /externalData/ });
});
test("an engine of another version is refused by name; given bytes are used", { skip }, async () => {
  const { InferenceSession, env } = await load();
  env.wasm.wasmBinary = versionOnlyEngine(42, "9.9.9");
  await assert.rejects(InferenceSession.create(DOUBLE_IT), { code: "VERSION_MISMATCH", message: /9\.9\.9 \(ABI 42\)/ });
  env.wasm.wasmBinary = readFileSync(path.join(dist, "onnxlet.wasm"));
  const session = await InferenceSession.create(DOUBLE_IT);
  assert.equal(session.flavour, "simd");
  await session.release();
});
test("a trap is an error, ends its sessions only, and the next session works", { skip }, async () => {
  const { InferenceSession, Tensor, env } = await load();
  const before = await InferenceSession.create(DOUBLE_IT);
  env.wasm.wasmBinary = trappingEngine();
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(InferenceSession.create(DOUBLE_IT), { code: "TRAP", message: /stopped in ol_model_open/ });
  }
  env.wasm.wasmBinary = void 0;
  const after_ = await InferenceSession.create(DOUBLE_IT);
  for (const session of [before, after_]) {
    const { y } = await session.run({ x: new Tensor("float32", [1], [1]) });
    assert.equal(y?.data[0], 2);
    await session.release();
  }
});
test("a thousand cycles of create, run and release stay flat", { skip }, async () => {
  const { InferenceSession, Tensor } = await load();
  const x = new Tensor("float32", new Float32Array(1e5), [1e5]);
  const inUse = [];
  for (let cycle = 0; cycle < 1e3; cycle++) {
    const session = await InferenceSession.create(DOUBLE_IT);
    await session.run({ x });
    inUse.push(session.memory.inUse);
    await session.release();
  }
  assert.equal(inUse.at(-1), inUse[10]);
});
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiLi4vLi4vdGVzdC9lbmdpbmUudGVzdC50cyIsICIuLi8uLi90ZXN0L29ubngtd3JpdGVyLnRzIiwgIi4uLy4uL3NyYy9hYmkuZ2VuLnRzIiwgIi4uLy4uL3Rlc3Qvd2FzbS13cml0ZXIudHMiXSwKICAic291cmNlc0NvbnRlbnQiOiBbIi8vIFRoZSBidWlsdCBwYWNrYWdlIG9uIHRoZSByZWFsIGVuZ2luZSwgaW4gTm9kZS4gU2tpcHBlZCwgd2l0aCBhIHJlYXNvbiwgd2hpbGUganMvZGlzdCBpcyBub3QgYnVpbHQuXG5pbXBvcnQgYXNzZXJ0IGZyb20gJ25vZGU6YXNzZXJ0L3N0cmljdCc7XG5pbXBvcnQgeyBjcmVhdGVIYXNoIH0gZnJvbSAnbm9kZTpjcnlwdG8nO1xuaW1wb3J0IHsgZXhpc3RzU3luYywgbWtkdGVtcFN5bmMsIHJlYWRGaWxlU3luYywgcm1TeW5jLCB3cml0ZUZpbGVTeW5jIH0gZnJvbSAnbm9kZTpmcyc7XG5pbXBvcnQgeyBjcmVhdGVTZXJ2ZXIgfSBmcm9tICdub2RlOmh0dHAnO1xuaW1wb3J0IHR5cGUgeyBBZGRyZXNzSW5mbyB9IGZyb20gJ25vZGU6bmV0JztcbmltcG9ydCBvcyBmcm9tICdub2RlOm9zJztcbmltcG9ydCBwYXRoIGZyb20gJ25vZGU6cGF0aCc7XG5pbXBvcnQgeyBhZnRlciwgdGVzdCB9IGZyb20gJ25vZGU6dGVzdCc7XG5pbXBvcnQgeyBwYXRoVG9GaWxlVVJMIH0gZnJvbSAnbm9kZTp1cmwnO1xuaW1wb3J0IHR5cGUgKiBhcyBQYWNrYWdlIGZyb20gJy4uL3NyYy9pbmRleC5qcyc7XG5pbXBvcnQgeyBleHRlcm5hbFRlbnNvciwgbW9kZWwgfSBmcm9tICcuL29ubngtd3JpdGVyLmpzJztcbmltcG9ydCB7IHRyYXBwaW5nRW5naW5lLCB2ZXJzaW9uT25seUVuZ2luZSB9IGZyb20gJy4vd2FzbS13cml0ZXIuanMnO1xuXG5jb25zdCBkaXN0ID0gcGF0aC5yZXNvbHZlKCdkaXN0Jyk7XG5jb25zdCBza2lwID0gZXhpc3RzU3luYyhwYXRoLmpvaW4oZGlzdCwgJ29ubnhsZXQud2FzbScpKSA/IGZhbHNlIDogJ2pzL2Rpc3QgaGFzIG5vIGVuZ2luZTsgcnVuIHRoZSBidWlsZCBmaXJzdCc7XG5jb25zdCBmb2xkZXIgPSBta2R0ZW1wU3luYyhwYXRoLmpvaW4ob3MudG1wZGlyKCksICdvbm54bGV0LWpzLScpKTtcbmFmdGVyKCgpID0+IHtcbiAgcm1TeW5jKGZvbGRlciwgeyByZWN1cnNpdmU6IHRydWUgfSk7XG59KTtcblxuYXN5bmMgZnVuY3Rpb24gbG9hZCgpOiBQcm9taXNlPHR5cGVvZiBQYWNrYWdlPiB7XG4gIGNvbnN0IHBhY2thZ2VfID0gKGF3YWl0IGltcG9ydChwYXRoVG9GaWxlVVJMKHBhdGguam9pbihkaXN0LCAnb25ueGxldC5tanMnKSkuaHJlZikpIGFzIHR5cGVvZiBQYWNrYWdlO1xuICBwYWNrYWdlXy5lbnYud2FzbS5udW1UaHJlYWRzID0gMTtcbiAgcGFja2FnZV8uZW52Lndhc20ud2FzbUJpbmFyeSA9IHVuZGVmaW5lZDtcbiAgcGFja2FnZV8uZW52Lndhc20ud2FzbVBhdGhzID0gdW5kZWZpbmVkO1xuICBwYWNrYWdlXy5lbnYubG9nTGV2ZWwgPSAnZXJyb3InO1xuICByZXR1cm4gcGFja2FnZV87XG59XG5cbmNvbnN0IEZMT0FUID0gMTtcbmNvbnN0IERPVUJMRV9JVCA9IG1vZGVsKFxuICBbeyBvcDogJ0FkZCcsIGlucHV0czogWyd4JywgJ3gnXSwgb3V0cHV0czogWyd5J10gfV0sXG4gIFtbJ3gnLCBGTE9BVCwgWyduJ11dXSxcbiAgW1sneScsIEZMT0FULCBbJ24nXV1dLFxuKTtcblxudGVzdCgnYSBzZXNzaW9uIHRlbGxzIGl0cyBpbnB1dHMgYW5kIG91dHB1dHMsIGFuZCBjb21wdXRlcycsIHsgc2tpcCB9LCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgSW5mZXJlbmNlU2Vzc2lvbiwgVGVuc29yIH0gPSBhd2FpdCBsb2FkKCk7XG4gIGNvbnN0IHNlc3Npb24gPSBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQpO1xuICBhc3NlcnQuZGVlcEVxdWFsKHNlc3Npb24uaW5wdXROYW1lcywgWyd4J10pO1xuICBhc3NlcnQuZGVlcEVxdWFsKHNlc3Npb24ub3V0cHV0TWV0YWRhdGEsIFt7IG5hbWU6ICd5JywgaXNUZW5zb3I6IHRydWUsIHR5cGU6ICdmbG9hdDMyJywgc2hhcGU6IFsnbiddIH1dKTtcbiAgYXNzZXJ0LmVxdWFsKHNlc3Npb24udGhyZWFkcywgMSk7XG4gIGNvbnN0IHsgeSB9ID0gYXdhaXQgc2Vzc2lvbi5ydW4oeyB4OiBuZXcgVGVuc29yKCdmbG9hdDMyJywgWzEsIDIsIDNdLCBbM10pIH0pO1xuICBhc3NlcnQuZGVlcEVxdWFsKHk/LmRhdGEsIG5ldyBGbG9hdDMyQXJyYXkoWzIsIDQsIDZdKSk7XG4gIGFzc2VydC5vayhzZXNzaW9uLm1lbW9yeS5tb2RlbEJ5dGVzID4gMCAmJiBzZXNzaW9uLm1lbW9yeS53YXNtQnl0ZXMgPiAwKTtcbiAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG59KTtcblxudGVzdCgnZnJvbSBhIHBhdGgsIGEgZmlsZTogYWRkcmVzcywgYW4gQXJyYXlCdWZmZXIgYW5kIGEgcGFydCBvZiBvbmUnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciB9ID0gYXdhaXQgbG9hZCgpO1xuICBjb25zdCBmaWxlID0gcGF0aC5qb2luKGZvbGRlciwgJ2RvdWJsZS5vbm54Jyk7XG4gIHdyaXRlRmlsZVN5bmMoZmlsZSwgRE9VQkxFX0lUKTtcbiAgY29uc3QgcGFkZGVkID0gbmV3IFVpbnQ4QXJyYXkoRE9VQkxFX0lULmxlbmd0aCArIDIwKTtcbiAgcGFkZGVkLnNldChET1VCTEVfSVQsIDEwKTtcbiAgY29uc3Qgc2Vzc2lvbnMgPSBhd2FpdCBQcm9taXNlLmFsbChbXG4gICAgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoZmlsZSksXG4gICAgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUocGF0aFRvRmlsZVVSTChmaWxlKSksXG4gICAgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lULnNsaWNlKCkuYnVmZmVyKSxcbiAgICBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShwYWRkZWQuYnVmZmVyLCAxMCwgRE9VQkxFX0lULmxlbmd0aCksXG4gICAgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUobmV3IEJsb2IoW0RPVUJMRV9JVC5zbGljZSgpXSkpLFxuICBdKTtcbiAgZm9yIChjb25zdCBzZXNzaW9uIG9mIHNlc3Npb25zKSB7XG4gICAgY29uc3QgeyB5IH0gPSBhd2FpdCBzZXNzaW9uLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbNF0sIFsxXSkgfSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbCh5Py5kYXRhLCBuZXcgRmxvYXQzMkFycmF5KFs4XSkpO1xuICAgIGF3YWl0IHNlc3Npb24ucmVsZWFzZSgpO1xuICB9XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKHBhZGRlZC5idWZmZXIsIDEwLCAxMDAwKSwgeyBjb2RlOiAnSU5WQUxJRF9BUkdVTUVOVCcgfSk7XG59KTtcblxudGVzdCgndHdvIHRocmVhZHMgZ2l2ZSB0aGUgc2FtZSBiaXRzIGFzIG9uZSwgYW5kIHNlc3Npb24udGhyZWFkcyB0ZWxscyB0aGUgdHJ1dGgnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciwgZW52IH0gPSBhd2FpdCBsb2FkKCk7XG4gIGNvbnN0IGNvdW50ID0gMV8wMDBfMDAwO1xuICBjb25zdCB4ID0gbmV3IFRlbnNvcihcbiAgICAnZmxvYXQzMicsXG4gICAgRmxvYXQzMkFycmF5LmZyb20oeyBsZW5ndGg6IGNvdW50IH0sIChfLCBpbmRleCkgPT4gTWF0aC5zaW4oaW5kZXgpKSxcbiAgICBbY291bnRdLFxuICApO1xuICBjb25zdCByZXN1bHRzOiBVaW50OEFycmF5W10gPSBbXTtcbiAgZm9yIChjb25zdCB0aHJlYWRzIG9mIFsxLCAyLCAzXSkge1xuICAgIGVudi53YXNtLm51bVRocmVhZHMgPSB0aHJlYWRzO1xuICAgIGNvbnN0IHNlc3Npb24gPSBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQpO1xuICAgIGFzc2VydC5lcXVhbChzZXNzaW9uLnRocmVhZHMsIHRocmVhZHMpO1xuICAgIGNvbnN0IHsgeSB9ID0gYXdhaXQgc2Vzc2lvbi5ydW4oeyB4IH0pO1xuICAgIHJlc3VsdHMucHVzaChuZXcgVWludDhBcnJheSgoeT8uZGF0YSBhcyBGbG9hdDMyQXJyYXkpLmJ1ZmZlcikpO1xuICAgIGF3YWl0IHNlc3Npb24ucmVsZWFzZSgpO1xuICB9XG4gIGFzc2VydC5vayhyZXN1bHRzLmV2ZXJ5KChyZXN1bHQpID0+IEJ1ZmZlci5jb21wYXJlKHJlc3VsdCwgcmVzdWx0c1swXSA/PyBuZXcgVWludDhBcnJheSgpKSA9PT0gMCkpO1xufSk7XG5cbnRlc3QoJ2NvbmN1cnJlbnQgcnVucyBxdWV1ZSwgc2Vzc2lvbnMgYXJlIGluZGVwZW5kZW50JywgeyBza2lwIH0sIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBJbmZlcmVuY2VTZXNzaW9uLCBUZW5zb3IgfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3QgW2EsIGJdID0gYXdhaXQgUHJvbWlzZS5hbGwoW0luZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCksIEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCldKTtcbiAgY29uc3QgcnVucyA9IEFycmF5LmZyb20oeyBsZW5ndGg6IDIwIH0sIChfLCBpbmRleCkgPT5cbiAgICAoaW5kZXggJSAyID8gYSA6IGIpLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbaW5kZXhdLCBbMV0pIH0pLFxuICApO1xuICBjb25zdCB2YWx1ZXMgPSAoYXdhaXQgUHJvbWlzZS5hbGwocnVucykpLm1hcCgoeyB5IH0pID0+IHk/LmRhdGFbMF0pO1xuICBhc3NlcnQuZGVlcEVxdWFsKFxuICAgIHZhbHVlcyxcbiAgICBBcnJheS5mcm9tKHsgbGVuZ3RoOiAyMCB9LCAoXywgaW5kZXgpID0+IDIgKiBpbmRleCksXG4gICk7XG4gIGF3YWl0IGEucmVsZWFzZSgpO1xuICBhd2FpdCBhLnJlbGVhc2UoKTtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoYS5ydW4oeyB4OiBuZXcgVGVuc29yKCdmbG9hdDMyJywgWzFdLCBbMV0pIH0pLCAvcmVsZWFzZWQvKTtcbiAgY29uc3QgeyB5IH0gPSBhd2FpdCBiLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMV0sIFsxXSkgfSk7XG4gIGFzc2VydC5lcXVhbCh5Py5kYXRhWzBdLCAyKTtcbiAgYXdhaXQgYi5yZWxlYXNlKCk7XG59KTtcblxudGVzdCgnb3V0cHV0cyBieSBuYW1lIGFuZCBpbnRvIHRlbnNvcnMnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciB9ID0gYXdhaXQgbG9hZCgpO1xuICBjb25zdCB0d28gPSBtb2RlbChcbiAgICBbXG4gICAgICB7IG9wOiAnQWRkJywgaW5wdXRzOiBbJ3gnLCAneCddLCBvdXRwdXRzOiBbJ3knXSB9LFxuICAgICAgeyBvcDogJ05lZycsIGlucHV0czogWyd4J10sIG91dHB1dHM6IFsneiddIH0sXG4gICAgXSxcbiAgICBbWyd4JywgRkxPQVQsIFsyXV1dLFxuICAgIFtcbiAgICAgIFsneScsIEZMT0FULCBbMl1dLFxuICAgICAgWyd6JywgRkxPQVQsIFsyXV0sXG4gICAgXSxcbiAgKTtcbiAgY29uc3Qgc2Vzc2lvbiA9IGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKHR3byk7XG4gIGNvbnN0IHggPSBuZXcgVGVuc29yKCdmbG9hdDMyJywgWzEsIDJdLCBbMl0pO1xuICBhc3NlcnQuZGVlcEVxdWFsKE9iamVjdC5rZXlzKGF3YWl0IHNlc3Npb24ucnVuKHsgeCB9KSksIFsneScsICd6J10pO1xuICBhc3NlcnQuZGVlcEVxdWFsKE9iamVjdC5rZXlzKGF3YWl0IHNlc3Npb24ucnVuKHsgeCB9LCBbJ3onXSkpLCBbJ3onXSk7XG4gIGNvbnN0IG1pbmUgPSBuZXcgVGVuc29yKCdmbG9hdDMyJywgWzAsIDBdLCBbMl0pO1xuICBjb25zdCByZXN1bHRzID0gYXdhaXQgc2Vzc2lvbi5ydW4oeyB4IH0sIHsgejogbWluZSB9KTtcbiAgYXNzZXJ0LmVxdWFsKHJlc3VsdHNbJ3onXSwgbWluZSk7XG4gIGFzc2VydC5kZWVwRXF1YWwobWluZS5kYXRhLCBuZXcgRmxvYXQzMkFycmF5KFstMSwgLTJdKSk7XG4gIGF3YWl0IHNlc3Npb24ucmVsZWFzZSgpO1xufSk7XG5cbnRlc3QoJ3dyb25nIGZlZWRzIGFuZCBtb2RlbHMgZ2l2ZSBuYW1lZCBlcnJvcnMsIGFuZCB0aGUgbmV4dCBzZXNzaW9uIHdvcmtzJywgeyBza2lwIH0sIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBJbmZlcmVuY2VTZXNzaW9uLCBUZW5zb3IsIE9ubnhsZXRFcnJvciB9ID0gYXdhaXQgbG9hZCgpO1xuICBjb25zdCBzZXNzaW9uID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKTtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoc2Vzc2lvbi5ydW4oe30pLCB7IGNvZGU6ICdJTlZBTElEX0FSR1VNRU5UJywgbWVzc2FnZTogL3gvIH0pO1xuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhzZXNzaW9uLnJ1bih7IHE6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMV0sIFsxXSkgfSksIHsgY29kZTogJ0lOVkFMSURfQVJHVU1FTlQnLCBtZXNzYWdlOiAvcS8gfSk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKHNlc3Npb24ucnVuKHsgeDogbmV3IFRlbnNvcignaW50MzInLCBbMV0sIFsxXSkgfSksIHtcbiAgICBjb2RlOiAnSU5WQUxJRF9BUkdVTUVOVCcsXG4gICAgbWVzc2FnZTogL2ludDMyLyxcbiAgfSk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKHNlc3Npb24ucnVuKHsgeDogbmV3IFRlbnNvcignZmxvYXQzMicsIFsxXSwgWzEsIDFdKSB9KSwgeyBjb2RlOiAnSU5WQUxJRF9BUkdVTUVOVCcgfSk7XG4gIGF3YWl0IHNlc3Npb24ucmVsZWFzZSgpO1xuXG4gIGZvciAobGV0IGxlbmd0aCA9IDE7IGxlbmd0aCA8IERPVUJMRV9JVC5sZW5ndGg7IGxlbmd0aCArPSA1KSB7XG4gICAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoXG4gICAgICBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQuc3ViYXJyYXkoMCwgbGVuZ3RoKSksXG4gICAgICAoZXJyb3IpID0+IGVycm9yIGluc3RhbmNlb2YgT25ueGxldEVycm9yICYmIGVycm9yLmNvZGUgIT09ICdUUkFQJyAmJiBlcnJvci5tZXNzYWdlLmxlbmd0aCA+IDEwLFxuICAgICk7XG4gIH1cbiAgY29uc3QgdW5rbm93biA9IG1vZGVsKFxuICAgIFt7IG9wOiAnTm9TdWNoVGhpbmcnLCBpbnB1dHM6IFsneCddLCBvdXRwdXRzOiBbJ3knXSB9XSxcbiAgICBbWyd4JywgRkxPQVQsIFsxXV1dLFxuICAgIFtbJ3knLCBGTE9BVCwgWzFdXV0sXG4gICk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKHVua25vd24pLCB7IG1lc3NhZ2U6IC9Ob1N1Y2hUaGluZy8gfSk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKHBhdGguam9pbihmb2xkZXIsICdub3doZXJlLm9ubngnKSksIHsgY29kZTogJ05PX1NVQ0hfRklMRScgfSk7XG5cbiAgY29uc3QgbmV4dCA9IGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCk7XG4gIGNvbnN0IHsgeSB9ID0gYXdhaXQgbmV4dC5ydW4oeyB4OiBuZXcgVGVuc29yKCdmbG9hdDMyJywgW10sIFswXSkgfSk7XG4gIGFzc2VydC5lcXVhbCh5Py5zaXplLCAwKTtcbiAgYXdhaXQgbmV4dC5yZWxlYXNlKCk7XG59KTtcblxudGVzdCgncHJvZ3Jlc3MsIGludGVncml0eSBhbmQgYWJvcnQgb3ZlciBIVFRQJywgeyBza2lwIH0sIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBJbmZlcmVuY2VTZXNzaW9uIH0gPSBhd2FpdCBsb2FkKCk7XG4gIGNvbnN0IGxhcmdlID0gbmV3IFVpbnQ4QXJyYXkoM18wMDBfMDAwKTtcbiAgY29uc3Qgc2VydmVyID0gY3JlYXRlU2VydmVyKChyZXF1ZXN0LCByZXNwb25zZSkgPT4ge1xuICAgIGlmIChyZXF1ZXN0LnVybCA9PT0gJy9zbWFsbC5vbm54Jykge1xuICAgICAgcmVzcG9uc2UuZW5kKERPVUJMRV9JVCk7XG4gICAgICByZXR1cm47XG4gICAgfVxuICAgIHJlc3BvbnNlLndyaXRlSGVhZCgyMDAsIHsgJ2NvbnRlbnQtbGVuZ3RoJzogbGFyZ2UubGVuZ3RoIH0pO1xuICAgIGxldCBhdCA9IDA7XG4gICAgY29uc3QgdGltZXIgPSBzZXRJbnRlcnZhbCgoKSA9PiB7XG4gICAgICBpZiAoYXQgPj0gbGFyZ2UubGVuZ3RoIHx8IHJlc3BvbnNlLmRlc3Ryb3llZCkgY2xlYXJJbnRlcnZhbCh0aW1lcik7XG4gICAgICBlbHNlIHJlc3BvbnNlLndyaXRlKGxhcmdlLnN1YmFycmF5KGF0LCAoYXQgKz0gMTAwXzAwMCkpKTtcbiAgICB9LCAyKTtcbiAgfSk7XG4gIGF3YWl0IG5ldyBQcm9taXNlPHZvaWQ+KChyZXNvbHZlKSA9PiBzZXJ2ZXIubGlzdGVuKDAsICcxMjcuMC4wLjEnLCByZXNvbHZlKSk7XG4gIGNvbnN0IGJhc2UgPSBgaHR0cDovLzEyNy4wLjAuMTokeyhzZXJ2ZXIuYWRkcmVzcygpIGFzIEFkZHJlc3NJbmZvKS5wb3J0fWA7XG4gIHRyeSB7XG4gICAgY29uc3Qgc2VlbjogUGFja2FnZS5Qcm9ncmVzc1tdID0gW107XG4gICAgY29uc3QgaW50ZWdyaXR5ID0gYHNoYTI1Ni0ke2NyZWF0ZUhhc2goJ3NoYTI1NicpLnVwZGF0ZShET1VCTEVfSVQpLmRpZ2VzdCgnYmFzZTY0Jyl9YDtcbiAgICBjb25zdCBzZXNzaW9uID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoYCR7YmFzZX0vc21hbGwub25ueGAsIHtcbiAgICAgIG9uUHJvZ3Jlc3M6IChwcm9ncmVzcykgPT4gc2Vlbi5wdXNoKHByb2dyZXNzKSxcbiAgICAgIGludGVncml0eSxcbiAgICB9KTtcbiAgICBhc3NlcnQuZXF1YWwoc2Vlbi5hdCgtMSk/LmxvYWRlZCwgRE9VQkxFX0lULmxlbmd0aCk7XG4gICAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG4gICAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoYCR7YmFzZX0vc21hbGwub25ueGAsIHsgaW50ZWdyaXR5OiAnc2hhMjU2LUFBQUEnIH0pLCB7XG4gICAgICBjb2RlOiAnTE9BRF9GQUlMRUQnLFxuICAgICAgbWVzc2FnZTogL2ludGVncml0eS8sXG4gICAgfSk7XG5cbiAgICBjb25zdCBjb250cm9sbGVyID0gbmV3IEFib3J0Q29udHJvbGxlcigpO1xuICAgIGxldCBtb3N0ID0gMDtcbiAgICBjb25zdCBhYm9ydGVkID0gSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoYCR7YmFzZX0vbGFyZ2Uub25ueGAsIHtcbiAgICAgIHNpZ25hbDogY29udHJvbGxlci5zaWduYWwsXG4gICAgICBvblByb2dyZXNzOiAoeyBsb2FkZWQsIHRvdGFsIH0pID0+IHtcbiAgICAgICAgbW9zdCA9IGxvYWRlZDtcbiAgICAgICAgaWYgKGxvYWRlZCA+IDAuMyAqICh0b3RhbCA/PyBJbmZpbml0eSkpIGNvbnRyb2xsZXIuYWJvcnQobmV3IEVycm9yKCdlbm91Z2gnKSk7XG4gICAgICB9LFxuICAgIH0pO1xuICAgIGF3YWl0IGFzc2VydC5yZWplY3RzKGFib3J0ZWQsIHsgY29kZTogJ0FCT1JURUQnLCBtZXNzYWdlOiAvZW5vdWdoLyB9KTtcbiAgICBhc3NlcnQub2sobW9zdCA8IGxhcmdlLmxlbmd0aCk7XG4gICAgY29uc3QgbmV4dCA9IGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCk7XG4gICAgYXdhaXQgbmV4dC5yZWxlYXNlKCk7XG4gIH0gZmluYWxseSB7XG4gICAgc2VydmVyLmNsb3NlQWxsQ29ubmVjdGlvbnMoKTtcbiAgICBzZXJ2ZXIuY2xvc2UoKTtcbiAgfVxufSk7XG5cbnRlc3QoJ2V4dGVybmFsIGRhdGE6IGdpdmVuLCBiZXNpZGUgdGhlIG1vZGVsLCBtaXNzaW5nJywgeyBza2lwIH0sIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBJbmZlcmVuY2VTZXNzaW9uLCBUZW5zb3IgfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3QgYnl0ZXMgPSBtb2RlbChcbiAgICBbeyBvcDogJ0FkZCcsIGlucHV0czogWyd4JywgJ3cnXSwgb3V0cHV0czogWyd5J10gfV0sXG4gICAgW1sneCcsIEZMT0FULCBbMl1dXSxcbiAgICBbWyd5JywgRkxPQVQsIFsyXV1dLFxuICAgIFtleHRlcm5hbFRlbnNvcigndycsIFsyXSwgJ3cuYmluJyldLFxuICApO1xuICBjb25zdCB3ZWlnaHRzID0gbmV3IFVpbnQ4QXJyYXkobmV3IEZsb2F0MzJBcnJheShbMTAsIDIwXSkuYnVmZmVyKTtcbiAgY29uc3QgZmlsZSA9IHBhdGguam9pbihmb2xkZXIsICdleHRlcm5hbC5vbm54Jyk7XG4gIHdyaXRlRmlsZVN5bmMoZmlsZSwgYnl0ZXMpO1xuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShmaWxlKSwgeyBjb2RlOiAnTk9fU1VDSF9GSUxFJywgbWVzc2FnZTogL3dcXC5iaW4vIH0pO1xuICB3cml0ZUZpbGVTeW5jKHBhdGguam9pbihmb2xkZXIsICd3LmJpbicpLCB3ZWlnaHRzKTtcbiAgY29uc3Qgc2Vzc2lvbnMgPSBbXG4gICAgYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoZmlsZSksXG4gICAgYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoYnl0ZXMsIHsgZXh0ZXJuYWxEYXRhOiBbeyBwYXRoOiAndy5iaW4nLCBkYXRhOiB3ZWlnaHRzIH1dIH0pLFxuICAgIGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKGJ5dGVzLCB7IGV4dGVybmFsRGF0YTogW3sgcGF0aDogJy4vdy5iaW4nLCBkYXRhOiBwYXRoLmpvaW4oZm9sZGVyLCAndy5iaW4nKSB9XSB9KSxcbiAgXTtcbiAgZm9yIChjb25zdCBzZXNzaW9uIG9mIHNlc3Npb25zKSB7XG4gICAgY29uc3QgeyB5IH0gPSBhd2FpdCBzZXNzaW9uLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMSwgMl0sIFsyXSkgfSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbCh5Py5kYXRhLCBuZXcgRmxvYXQzMkFycmF5KFsxMSwgMjJdKSk7XG4gICAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG4gIH1cbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoYnl0ZXMpLCB7IGNvZGU6ICdOT19TVUNIX0ZJTEUnLCBtZXNzYWdlOiAvZXh0ZXJuYWxEYXRhLyB9KTtcbn0pO1xuXG50ZXN0KCdhbiBlbmdpbmUgb2YgYW5vdGhlciB2ZXJzaW9uIGlzIHJlZnVzZWQgYnkgbmFtZTsgZ2l2ZW4gYnl0ZXMgYXJlIHVzZWQnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIGVudiB9ID0gYXdhaXQgbG9hZCgpO1xuICBlbnYud2FzbS53YXNtQmluYXJ5ID0gdmVyc2lvbk9ubHlFbmdpbmUoNDIsICc5LjkuOScpO1xuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQpLCB7IGNvZGU6ICdWRVJTSU9OX01JU01BVENIJywgbWVzc2FnZTogLzlcXC45XFwuOSBcXChBQkkgNDJcXCkvIH0pO1xuICBlbnYud2FzbS53YXNtQmluYXJ5ID0gcmVhZEZpbGVTeW5jKHBhdGguam9pbihkaXN0LCAnb25ueGxldC53YXNtJykpO1xuICBjb25zdCBzZXNzaW9uID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKTtcbiAgYXNzZXJ0LmVxdWFsKHNlc3Npb24uZmxhdm91ciwgJ3NpbWQnKTtcbiAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG59KTtcblxudGVzdCgnYSB0cmFwIGlzIGFuIGVycm9yLCBlbmRzIGl0cyBzZXNzaW9ucyBvbmx5LCBhbmQgdGhlIG5leHQgc2Vzc2lvbiB3b3JrcycsIHsgc2tpcCB9LCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgSW5mZXJlbmNlU2Vzc2lvbiwgVGVuc29yLCBlbnYgfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3QgYmVmb3JlID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKTtcbiAgZW52Lndhc20ud2FzbUJpbmFyeSA9IHRyYXBwaW5nRW5naW5lKCk7XG4gIGZvciAobGV0IGF0dGVtcHQgPSAwOyBhdHRlbXB0IDwgMjsgYXR0ZW1wdCsrKSB7XG4gICAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKSwgeyBjb2RlOiAnVFJBUCcsIG1lc3NhZ2U6IC9zdG9wcGVkIGluIG9sX21vZGVsX29wZW4vIH0pO1xuICB9XG4gIGVudi53YXNtLndhc21CaW5hcnkgPSB1bmRlZmluZWQ7XG4gIGNvbnN0IGFmdGVyXyA9IGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCk7XG4gIGZvciAoY29uc3Qgc2Vzc2lvbiBvZiBbYmVmb3JlLCBhZnRlcl9dKSB7XG4gICAgY29uc3QgeyB5IH0gPSBhd2FpdCBzZXNzaW9uLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMV0sIFsxXSkgfSk7XG4gICAgYXNzZXJ0LmVxdWFsKHk/LmRhdGFbMF0sIDIpO1xuICAgIGF3YWl0IHNlc3Npb24ucmVsZWFzZSgpO1xuICB9XG59KTtcblxudGVzdCgnYSB0aG91c2FuZCBjeWNsZXMgb2YgY3JlYXRlLCBydW4gYW5kIHJlbGVhc2Ugc3RheSBmbGF0JywgeyBza2lwIH0sIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBJbmZlcmVuY2VTZXNzaW9uLCBUZW5zb3IgfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3QgeCA9IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBuZXcgRmxvYXQzMkFycmF5KDEwMF8wMDApLCBbMTAwXzAwMF0pO1xuICBjb25zdCBpblVzZTogbnVtYmVyW10gPSBbXTtcbiAgZm9yIChsZXQgY3ljbGUgPSAwOyBjeWNsZSA8IDEwMDA7IGN5Y2xlKyspIHtcbiAgICBjb25zdCBzZXNzaW9uID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKTtcbiAgICBhd2FpdCBzZXNzaW9uLnJ1bih7IHggfSk7XG4gICAgaW5Vc2UucHVzaChzZXNzaW9uLm1lbW9yeS5pblVzZSk7XG4gICAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG4gIH1cbiAgYXNzZXJ0LmVxdWFsKGluVXNlLmF0KC0xKSwgaW5Vc2VbMTBdKTtcbn0pO1xuIiwgIi8vIFdyaXRlcyBzbWFsbCBPTk5YIG1vZGVscywgc28gdGhhdCB0ZXN0cyBvZiB0aGlzIHBhY2thZ2UgbmVlZCBubyBvdGhlciB0b29sLlxuXG50eXBlIEZpZWxkID0gcmVhZG9ubHkgW251bWJlcjogbnVtYmVyLCB2YWx1ZTogbnVtYmVyIHwgc3RyaW5nIHwgVWludDhBcnJheV07XG5cbmZ1bmN0aW9uIHZhcmludCh2YWx1ZTogbnVtYmVyKTogbnVtYmVyW10ge1xuICBjb25zdCBieXRlczogbnVtYmVyW10gPSBbXTtcbiAgd2hpbGUgKHZhbHVlID4gMTI3KSB7XG4gICAgYnl0ZXMucHVzaCgodmFsdWUgJSAxMjgpICsgMTI4KTtcbiAgICB2YWx1ZSA9IE1hdGguZmxvb3IodmFsdWUgLyAxMjgpO1xuICB9XG4gIHJldHVybiBbLi4uYnl0ZXMsIHZhbHVlXTtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIG1lc3NhZ2UoLi4uZmllbGRzOiByZWFkb25seSBGaWVsZFtdKTogVWludDhBcnJheSB7XG4gIGNvbnN0IGJ5dGVzOiBudW1iZXJbXSA9IFtdO1xuICBmb3IgKGNvbnN0IFtudW1iZXIsIHZhbHVlXSBvZiBmaWVsZHMpIHtcbiAgICBpZiAodHlwZW9mIHZhbHVlID09PSAnbnVtYmVyJykge1xuICAgICAgYnl0ZXMucHVzaCguLi52YXJpbnQobnVtYmVyICogOCksIC4uLnZhcmludCh2YWx1ZSkpO1xuICAgIH0gZWxzZSB7XG4gICAgICBjb25zdCBjb250ZW50ID0gdHlwZW9mIHZhbHVlID09PSAnc3RyaW5nJyA/IG5ldyBUZXh0RW5jb2RlcigpLmVuY29kZSh2YWx1ZSkgOiB2YWx1ZTtcbiAgICAgIGJ5dGVzLnB1c2goLi4udmFyaW50KG51bWJlciAqIDggKyAyKSwgLi4udmFyaW50KGNvbnRlbnQubGVuZ3RoKSwgLi4uY29udGVudCk7XG4gICAgfVxuICB9XG4gIHJldHVybiBuZXcgVWludDhBcnJheShieXRlcyk7XG59XG5cbi8qKiBBIG5hbWUsIFRlbnNvclByb3RvLkRhdGFUeXBlIGFuZCBkaW1lbnNpb25zOyBhIHN0cmluZyBpcyBhIHN5bWJvbGljIGRpbWVuc2lvbi4gKi9cbmV4cG9ydCB0eXBlIEFyZ3VtZW50ID0gcmVhZG9ubHkgW25hbWU6IHN0cmluZywgZHR5cGU6IG51bWJlciwgZGltczogcmVhZG9ubHkgKG51bWJlciB8IHN0cmluZylbXV07XG5cbmZ1bmN0aW9uIHZhbHVlSW5mbyhbbmFtZSwgZHR5cGUsIGRpbXNdOiBBcmd1bWVudCk6IFVpbnQ4QXJyYXkge1xuICBjb25zdCBzaGFwZSA9IG1lc3NhZ2UoXG4gICAgLi4uZGltcy5tYXAoKGRpbSk6IEZpZWxkID0+IFsxLCB0eXBlb2YgZGltID09PSAnbnVtYmVyJyA/IG1lc3NhZ2UoWzEsIGRpbV0pIDogbWVzc2FnZShbMiwgZGltXSldKSxcbiAgKTtcbiAgcmV0dXJuIG1lc3NhZ2UoWzEsIG5hbWVdLCBbMiwgbWVzc2FnZShbMSwgbWVzc2FnZShbMSwgZHR5cGVdLCBbMiwgc2hhcGVdKV0pXSk7XG59XG5cbmV4cG9ydCBpbnRlcmZhY2UgTm9kZVNwZWMge1xuICByZWFkb25seSBvcDogc3RyaW5nO1xuICByZWFkb25seSBpbnB1dHM6IHJlYWRvbmx5IHN0cmluZ1tdO1xuICByZWFkb25seSBvdXRwdXRzOiByZWFkb25seSBzdHJpbmdbXTtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIG1vZGVsKFxuICBub2RlczogcmVhZG9ubHkgTm9kZVNwZWNbXSxcbiAgaW5wdXRzOiByZWFkb25seSBBcmd1bWVudFtdLFxuICBvdXRwdXRzOiByZWFkb25seSBBcmd1bWVudFtdLFxuICBpbml0aWFsaXplcnM6IHJlYWRvbmx5IFVpbnQ4QXJyYXlbXSA9IFtdLFxuKTogVWludDhBcnJheSB7XG4gIGNvbnN0IGdyYXBoID0gbWVzc2FnZShcbiAgICAuLi5ub2Rlcy5tYXAoKHsgb3AsIGlucHV0czogZnJvbSwgb3V0cHV0czogdG8gfSk6IEZpZWxkID0+IFtcbiAgICAgIDEsXG4gICAgICBtZXNzYWdlKFxuICAgICAgICAuLi5mcm9tLm1hcCgobmFtZSk6IEZpZWxkID0+IFsxLCBuYW1lXSksXG4gICAgICAgIC4uLnRvLm1hcCgobmFtZSk6IEZpZWxkID0+IFsyLCBuYW1lXSksXG4gICAgICAgIFszLCBgJHtvcH1fJHt0b1swXSA/PyAnJ31gXSxcbiAgICAgICAgWzQsIG9wXSxcbiAgICAgICksXG4gICAgXSksXG4gICAgWzIsICdncmFwaCddLFxuICAgIC4uLmluaXRpYWxpemVycy5tYXAoKHRlbnNvcik6IEZpZWxkID0+IFs1LCB0ZW5zb3JdKSxcbiAgICAuLi5pbnB1dHMubWFwKChhcmd1bWVudCk6IEZpZWxkID0+IFsxMSwgdmFsdWVJbmZvKGFyZ3VtZW50KV0pLFxuICAgIC4uLm91dHB1dHMubWFwKChhcmd1bWVudCk6IEZpZWxkID0+IFsxMiwgdmFsdWVJbmZvKGFyZ3VtZW50KV0pLFxuICApO1xuICByZXR1cm4gbWVzc2FnZShbMSwgOV0sIFs3LCBncmFwaF0sIFs4LCBtZXNzYWdlKFsxLCAnJ10sIFsyLCAxN10pXSk7XG59XG5cbi8qKiBBIGZsb2F0IGluaXRpYWxpemVyIHdob3NlIGRhdGEgbGllIGluIGFub3RoZXIgZmlsZS4gKi9cbmV4cG9ydCBmdW5jdGlvbiBleHRlcm5hbFRlbnNvcihuYW1lOiBzdHJpbmcsIGRpbXM6IHJlYWRvbmx5IG51bWJlcltdLCBsb2NhdGlvbjogc3RyaW5nKTogVWludDhBcnJheSB7XG4gIGNvbnN0IGVudHJ5ID0gKGtleTogc3RyaW5nLCB2YWx1ZTogc3RyaW5nKTogRmllbGQgPT4gWzEzLCBtZXNzYWdlKFsxLCBrZXldLCBbMiwgdmFsdWVdKV07XG4gIHJldHVybiBtZXNzYWdlKC4uLmRpbXMubWFwKChkaW0pOiBGaWVsZCA9PiBbMSwgZGltXSksIFsyLCAxXSwgWzgsIG5hbWVdLCBlbnRyeSgnbG9jYXRpb24nLCBsb2NhdGlvbiksIFsxNCwgMV0pO1xufVxuIiwgIi8vIEdlbmVyYXRlZCBmcm9tIGNvcmUvYWJpL29ubnhsZXQuaCBieSBvbm54bGV0L2J1aWxkL2JpbmRpbmdzLnB5OyBkbyBub3QgZWRpdC5cblxuZXhwb3J0IGNvbnN0IEFCSV9WRVJTSU9OID0gMTtcblxuLyoqIEFuIGFkZHJlc3MgaW4gd2FzbSBtZW1vcnk7IDAgaXMgTlVMTC4gKi9cbmV4cG9ydCB0eXBlIFBvaW50ZXIgPSBudW1iZXI7XG5cbi8qKiBUaGUgbnVtYmVycyBuZXZlciBjaGFuZ2UgbWVhbmluZy4gVGhlIG5hbWUgaXMgd2hhdCBKUyAoYGVycm9yLmNvZGVgKSBhbmQgUHl0aG9uIChgZXJyb3IuY29kZWApIHNob3cuICovXG5leHBvcnQgY29uc3QgQ29kZSA9IHtcbiAgT0s6IDAsXG4gIElOVkFMSURfQVJHVU1FTlQ6IDEsXG4gIElOVkFMSURfUFJPVE9CVUY6IDIsXG4gIElOVkFMSURfR1JBUEg6IDMsXG4gIE5PVF9JTVBMRU1FTlRFRDogNCxcbiAgT1VUX09GX01FTU9SWTogNSxcbiAgUlVOX0ZBSUxFRDogNixcbiAgQUJPUlRFRDogNyxcbiAgSU5URVJOQUw6IDgsXG59IGFzIGNvbnN0O1xuZXhwb3J0IHR5cGUgQ29kZSA9ICh0eXBlb2YgQ29kZSlba2V5b2YgdHlwZW9mIENvZGVdO1xuZXhwb3J0IHR5cGUgQ29kZU5hbWUgPSBrZXlvZiB0eXBlb2YgQ29kZTtcblxuLyoqIFdoYXQgb2xfcnVuX3N0ZXAgYW5zd2VycyB3aGVuIGl0IGlzIG5vdCBhbiBlcnJvci4gKi9cbmV4cG9ydCBjb25zdCBQcm9ncmVzcyA9IHtcbiAgRE9ORTogMCxcbiAgUEVORElORzogMSxcbn0gYXMgY29uc3Q7XG5leHBvcnQgdHlwZSBQcm9ncmVzcyA9ICh0eXBlb2YgUHJvZ3Jlc3MpW2tleW9mIHR5cGVvZiBQcm9ncmVzc107XG5leHBvcnQgdHlwZSBQcm9ncmVzc05hbWUgPSBrZXlvZiB0eXBlb2YgUHJvZ3Jlc3M7XG5cbmV4cG9ydCBjb25zdCBLaW5kID0ge1xuICBOT05FOiAwLFxuICBURU5TT1I6IDEsXG4gIFNFUVVFTkNFOiAyLFxuICBNQVA6IDMsXG4gIE9QVElPTkFMOiA0LFxufSBhcyBjb25zdDtcbmV4cG9ydCB0eXBlIEtpbmQgPSAodHlwZW9mIEtpbmQpW2tleW9mIHR5cGVvZiBLaW5kXTtcbmV4cG9ydCB0eXBlIEtpbmROYW1lID0ga2V5b2YgdHlwZW9mIEtpbmQ7XG5cbi8qKiBXaGF0IHRoZSBlbmdpbmUncyBtb2R1bGUgZXhwb3J0cy4gKi9cbmV4cG9ydCBpbnRlcmZhY2UgQWJpIHtcbiAgLyoqIE9MX0FCSV9WRVJTSU9OIG9mIHRoZSBidWlsZDsgYSBob3N0IG9mIGFub3RoZXIgdmVyc2lvbiBtdXN0IHJlZnVzZSBpdCBhbmQgbmFtZSBib3RoLiAqL1xuICBvbF9hYmlfdmVyc2lvbih0aGlzOiB2b2lkKTogbnVtYmVyO1xuICAvKiogXCIwLjEuMFwiICovXG4gIG9sX3ZlcnNpb24odGhpczogdm9pZCk6IFBvaW50ZXI7XG4gIC8qKiBKU09OOiB7XCJ2ZXJzaW9uXCIsXCJhYmlcIixcImZsYXZvdXJcIixcInNpbWRcIixcInJlbGF4ZWRcIixcInRocmVhZHNcIixcIm9wZXJhdG9yc1wiOltbXCJkb21haW5cIixcIm5hbWVcIixzaW5jZV0sLi4uXX0gKi9cbiAgb2xfYnVpbGRfaW5mbyh0aGlzOiB2b2lkKTogUG9pbnRlcjtcbiAgb2xfbGFzdF9jb2RlKHRoaXM6IHZvaWQpOiBudW1iZXI7XG4gIG9sX2xhc3RfbWVzc2FnZSh0aGlzOiB2b2lkKTogUG9pbnRlcjtcbiAgLyoqIFwiSU5WQUxJRF9HUkFQSFwiIGZvciBPTF9JTlZBTElEX0dSQVBIIC4uLiAqL1xuICBvbF9jb2RlX25hbWUodGhpczogdm9pZCwgY29kZTogbnVtYmVyKTogUG9pbnRlcjtcbiAgLyoqIEJ5dGVzIGZvciB0aGUgaG9zdCB0byB3cml0ZSBpbnRvLCA2NC1ieXRlIGFsaWduZWQuIE5VTEwgd2hlbiByZWZ1c2VkLiAqL1xuICBvbF9hbGxvYyh0aGlzOiB2b2lkLCBieXRlczogbnVtYmVyKTogUG9pbnRlcjtcbiAgb2xfZnJlZSh0aGlzOiB2b2lkLCBibG9jazogUG9pbnRlcik6IHZvaWQ7XG4gIC8qKlxuICAgKiBNZW1vcnkgZm9yIHdvcmtlciBgaW5kZXhgICgxIC4uLik6IGEgc3RhY2sgb2Ygc3RhY2tfYnl0ZXMgYW5kIGl0cyB0aHJlYWQtbG9jYWwgYmxvY2suIFJldHVybnMgdGhlIGFkZHJlc3MgdG9cbiAgICogcHV0IGluIF9fc3RhY2tfcG9pbnRlcjsgb2xfd29ya2VyX3RscyhpbmRleCkgaXMgdGhlIGFyZ3VtZW50IG9mIF9fd2FzbV9pbml0X3Rscy4gTlVMTCB3aGVuIHJlZnVzZWQuXG4gICAqL1xuICBvbF93b3JrZXJfc3RhY2sodGhpczogdm9pZCwgaW5kZXg6IG51bWJlciwgc3RhY2tCeXRlczogbnVtYmVyLCB0bHNCeXRlczogbnVtYmVyLCB0bHNBbGlnbjogbnVtYmVyKTogUG9pbnRlcjtcbiAgb2xfd29ya2VyX3Rscyh0aGlzOiB2b2lkLCBpbmRleDogbnVtYmVyKTogUG9pbnRlcjtcbiAgLyoqIENhbGxlZCBpbiB0aGUgd29ya2VyJ3Mgb3duIGluc3RhbmNlLiBSZXR1cm5zIGFmdGVyIG9sX3N0b3Bfd29ya2Vycy4gKi9cbiAgb2xfd29ya2VyX21haW4odGhpczogdm9pZCwgaW5kZXg6IG51bWJlcik6IHZvaWQ7XG4gIC8qKiBIb3cgbWFueSB3b3JrZXJzIGhhdmUgZW50ZXJlZCBvbF93b3JrZXJfbWFpbi4gKi9cbiAgb2xfd29ya2Vyc19yZWFkeSh0aGlzOiB2b2lkKTogbnVtYmVyO1xuICAvKiogVXNlIHRoaXMgbWFueSB3b3JrZXJzIChhdCBtb3N0IG9sX3dvcmtlcnNfcmVhZHkpIGJlc2lkZXMgdGhlIGNhbGxpbmcgdGhyZWFkLiAqL1xuICBvbF9zZXRfd29ya2Vycyh0aGlzOiB2b2lkLCB3b3JrZXJzOiBudW1iZXIpOiB2b2lkO1xuICBvbF9zdG9wX3dvcmtlcnModGhpczogdm9pZCk6IHZvaWQ7XG4gIC8qKiBQYXJzZXMgYGJ5dGVzYCBpbiBwbGFjZSBhbmQgb3ducyB0aGVtIGZyb20gaGVyZSBvbiwgYWxzbyB3aGVuIGl0IGZhaWxzOiB0aGV5IG11c3QgY29tZSBmcm9tIG9sX2FsbG9jLiAqL1xuICBvbF9tb2RlbF9vcGVuKHRoaXM6IHZvaWQsIGJ5dGVzOiBQb2ludGVyLCBzaXplOiBudW1iZXIpOiBQb2ludGVyO1xuICBvbF9tb2RlbF9mcmVlKHRoaXM6IHZvaWQsIG1vZGVsOiBQb2ludGVyKTogdm9pZDtcbiAgLyoqXG4gICAqIEpTT046IHtcImlyX3ZlcnNpb25cIixcInByb2R1Y2VyX25hbWVcIixcInByb2R1Y2VyX3ZlcnNpb25cIixcImRvbWFpblwiLFwibW9kZWxfdmVyc2lvblwiLFwiZG9jX3N0cmluZ1wiLFwiZ3JhcGhfbmFtZVwiLFxuICAgKiBcIm9wc2V0X2ltcG9ydHNcIjp7ZG9tYWluOnZlcnNpb259LFwibWV0YWRhdGFcIjp7a2V5OnZhbHVlfSxcImlucHV0c1wiOlthcmddLFwib3V0cHV0c1wiOlthcmddLFwiaW5pdGlhbGl6ZXJzXCI6W3tcIm5hbWVcIixcbiAgICogXCJkdHlwZVwiLFwic2hhcGVcIixcImJ5dGVzXCIsXCJleHRlcm5hbFwifV0sXCJvcGVyYXRvcnNcIjpbe1wiZG9tYWluXCIsXCJvcF90eXBlXCIsXCJjb3VudFwiLFwic2luY2VcIixcInN1cHBvcnRlZFwifV0sXG4gICAqIFwiZnVuY3Rpb25zXCI6Wy4uLl0sXCJleHRlcm5hbFwiOlt7XCJmaWxlXCIsXCJieXRlc1wifV19IGFyZzpcbiAgICoge1wibmFtZVwiLFwidHlwZVwiOlwidGVuc29yKGZsb2F0KVwiLFwiZHR5cGVcIjoxLFwic2hhcGVcIjpbMSxcIk5cIixudWxsXX0gOyBzaGFwZSBudWxsIHdoZW4gdGhlIHJhbmsgaXMgdW5rbm93bi5cbiAgICogXCJleHRlcm5hbFwiOiBwZXIgZmlsZSwgdGhlIGJ5dGVzIHRoYXQgbXVzdCBiZSBwcm92aWRlZDogdGhlIGVuZCBvZiBpdHMgZnVydGhlc3QgdXNlZCByYW5nZS5cbiAgICovXG4gIG9sX21vZGVsX2Rlc2NyaWJlKHRoaXM6IHZvaWQsIG1vZGVsOiBQb2ludGVyKTogUG9pbnRlcjtcbiAgLyoqIEdpdmVzIHRoZSBlbmdpbmUgYW4gZXh0ZXJuYWwgZGF0YSBmaWxlLCBuYW1lZCBhcyBpbiB0aGUgbW9kZWwuIE93bnMgYGJ5dGVzYCAoZnJvbSBvbF9hbGxvYykgZnJvbSBoZXJlIG9uLiAqL1xuICBvbF9tb2RlbF9wcm92aWRlKHRoaXM6IHZvaWQsIG1vZGVsOiBQb2ludGVyLCBmaWxlOiBQb2ludGVyLCBmaWxlTGVuZ3RoOiBudW1iZXIsIGJ5dGVzOiBQb2ludGVyLCBzaXplOiBudW1iZXIpOiBudW1iZXI7XG4gIC8qKlxuICAgKiBDaGVja3MsIG9wdGltaXNlcyBhbmQgcGxhbnMgdGhlIG1vZGVsOyBjb25zdW1lcyBpdCwgYWxzbyB3aGVuIGl0IGZhaWxzLiBvcHRpb25zOiBKU09OIG9iamVjdCBvciBOVUxMOlxuICAgKiB7XCJncmFwaF9vcHRpbWl6YXRpb25fbGV2ZWxcIjogXCJkaXNhYmxlZFwifFwiYmFzaWNcInxcImV4dGVuZGVkXCJ8XCJhbGxcIiwgXCJkaXNhYmxlZF9wYXNzZXNcIjogW25hbWUuLi5dLCBcIm1heF9tZW1vcnlcIjpcbiAgICogYnl0ZXMsIFwiZnJlZV9kaW1lbnNpb25zXCI6IHtuYW1lOiBzaXplfSwgXCJwcm9maWxlXCI6IGJvb2wsIFwidHJhY2VcIjogMC4uNCwgXCJkZXRlcm1pbmlzdGljXCI6IGJvb2wsIFwic2VlZFwiOiBpbnQsXG4gICAqIFwibWVtb3J5X3BsYW5cIjogYm9vbH1cbiAgICovXG4gIG9sX3Nlc3Npb25fY3JlYXRlKHRoaXM6IHZvaWQsIG1vZGVsOiBQb2ludGVyLCBvcHRpb25zOiBQb2ludGVyLCBvcHRpb25zTGVuZ3RoOiBudW1iZXIpOiBQb2ludGVyO1xuICBvbF9zZXNzaW9uX2ZyZWUodGhpczogdm9pZCwgc2Vzc2lvbjogUG9pbnRlcik6IHZvaWQ7XG4gIC8qKlxuICAgKiBKU09OIGxpa2Ugb2xfbW9kZWxfZGVzY3JpYmUncyBcImlucHV0c1wiLCBcIm91dHB1dHNcIiwgXCJvdmVycmlkYWJsZV9pbml0aWFsaXplcnNcIiwgXCJtZXRhZGF0YVwiIC4uLiBvZiB0aGUgcGxhbm5lZFxuICAgKiBzZXNzaW9uLCBwbHVzIFwibm9kZXNcIjogW3tcIm5hbWVcIixcIm9wX3R5cGVcIixcImRvbWFpblwiLFwic2luY2VcIn1dLCBcInBhc3Nlc1wiOiBbe1wibmFtZVwiLFwiY2hhbmdlZFwifV0sIFwia25vYnNcIjogWy4uLl1cbiAgICovXG4gIG9sX3Nlc3Npb25fZGVzY3JpYmUodGhpczogdm9pZCwgc2Vzc2lvbjogUG9pbnRlcik6IFBvaW50ZXI7XG4gIC8qKiBKU09OOiB7XCJpbl91c2VcIixcInBlYWtcIixcImxpbWl0XCIsXCJtb2RlbF9ieXRlc1wiLFwid2VpZ2h0c19wYWNrZWRcIixcImFyZW5hXCJ9LCBpbiBieXRlcyAqL1xuICBvbF9zZXNzaW9uX21lbW9yeSh0aGlzOiB2b2lkLCBzZXNzaW9uOiBQb2ludGVyKTogUG9pbnRlcjtcbiAgLyoqXG4gICAqIEpTT04gYXJyYXkgb2YgdGhlIGxhc3QgcHJvZmlsZWQgcnVuOlxuICAgKiBbe1wibm9kZVwiLFwib3BfdHlwZVwiLFwiZG9tYWluXCIsXCJrZXJuZWxcIixcInN0YXJ0X3VzXCIsXCJkdXJhdGlvbl91c1wiLFwiaW5wdXRzXCI6W1wiZmxvYXRbMSwzXVwiXSxcIm91dHB1dHNcIjpbLi4uXX1dOyB0aGVcbiAgICogY2xvY2sgaXMgb2xfaG9zdF9ub3cgb2YgdGhlIGltcG9ydCwgc2VlIGJlbG93LlxuICAgKi9cbiAgb2xfc2Vzc2lvbl9wcm9maWxlKHRoaXM6IHZvaWQsIHNlc3Npb246IFBvaW50ZXIpOiBQb2ludGVyO1xuICBvbF9ydW5fbmV3KHRoaXM6IHZvaWQsIHNlc3Npb246IFBvaW50ZXIpOiBQb2ludGVyO1xuICBvbF9ydW5fZnJlZSh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIpOiB2b2lkO1xuICAvKiogRmVlZHMgYSBncmFwaCBpbnB1dCBieSBuYW1lLiBUaGUgdmFsdWUgaXMgc2hhcmVkLCBub3QgY29uc3VtZWQuIFdyb25nIG5hbWUsIGR0eXBlIG9yIHNoYXBlIGlzIHJlZnVzZWQgaGVyZS4gKi9cbiAgb2xfcnVuX2ZlZWQodGhpczogdm9pZCwgcnVuOiBQb2ludGVyLCBuYW1lOiBQb2ludGVyLCBuYW1lTGVuZ3RoOiBudW1iZXIsIHZhbHVlOiBQb2ludGVyKTogbnVtYmVyO1xuICAvKiogQXNrcyBmb3IgYW4gb3V0cHV0IGJ5IG5hbWU7IHdpdGggbm8gY2FsbCBhdCBhbGwgZXZlcnkgZ3JhcGggb3V0cHV0IGlzIGNvbXB1dGVkLiAqL1xuICBvbF9ydW5fZmV0Y2godGhpczogdm9pZCwgcnVuOiBQb2ludGVyLCBuYW1lOiBQb2ludGVyLCBuYW1lTGVuZ3RoOiBudW1iZXIpOiBudW1iZXI7XG4gIC8qKiBSdW5zIHVudGlsIGRvbmUsIHBlbmRpbmcgb3IgZmFpbGVkOiBhbiBvbF9wcm9ncmVzcywgb3IgbWludXMgYW4gb2xfY29kZS4gKi9cbiAgb2xfcnVuX3N0ZXAodGhpczogdm9pZCwgcnVuOiBQb2ludGVyKTogbnVtYmVyO1xuICAvKiogTWFrZXMgdGhlIG5leHQgb2xfcnVuX3N0ZXAgYW5zd2VyIE9MX0FCT1JURUQuICovXG4gIG9sX3J1bl9hYm9ydCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIpOiB2b2lkO1xuICAvKiogV2hpbGUgcGVuZGluZzogSlNPTiB7XCJraW5kXCI6XCJjdXN0b21fb3BcIixcImRvbWFpblwiLFwib3BfdHlwZVwiLFwibm9kZVwiLFwiYXR0cmlidXRlc1wiOnsuLi59LFwiaW5wdXRzXCI6bixcIm91dHB1dHNcIjpufS4gKi9cbiAgb2xfcnVuX3BlbmRpbmcodGhpczogdm9pZCwgcnVuOiBQb2ludGVyKTogUG9pbnRlcjtcbiAgLyoqXG4gICAqIFdoaWxlIHBlbmRpbmcgb24gYSBjdXN0b20gb3BlcmF0b3I6IGl0cyBpLXRoIGlucHV0IChhIG5ldyByZWZlcmVuY2UsIE5VTEwgd2hlbiBhYnNlbnQpLCBhbmQgd2hlcmUgaXRzIHJlc3VsdHNcbiAgICogZ28uXG4gICAqL1xuICBvbF9ydW5fcGVuZGluZ19pbnB1dCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIsIGluZGV4OiBudW1iZXIpOiBQb2ludGVyO1xuICBvbF9ydW5fcGVuZGluZ19vdXRwdXQodGhpczogdm9pZCwgcnVuOiBQb2ludGVyLCBpbmRleDogbnVtYmVyLCB2YWx1ZTogUG9pbnRlcik6IG51bWJlcjtcbiAgLyoqIFdoaWxlIHBlbmRpbmc6IHRoZSBob3N0J3Mgd29yayBmYWlsZWQ7IHRoZSBuZXh0IHN0ZXAgcmVwb3J0cyB0aGlzIG1lc3NhZ2UuICovXG4gIG9sX3J1bl9wZW5kaW5nX2ZhaWwodGhpczogdm9pZCwgcnVuOiBQb2ludGVyLCBtZXNzYWdlOiBQb2ludGVyLCBtZXNzYWdlTGVuZ3RoOiBudW1iZXIpOiB2b2lkO1xuICBvbF9ydW5fb3V0cHV0X2NvdW50KHRoaXM6IHZvaWQsIHJ1bjogUG9pbnRlcik6IG51bWJlcjtcbiAgLyoqIGktdGggZmV0Y2hlZCBvdXRwdXQsIGluIHRoZSBvcmRlciBvZiB0aGUgZmV0Y2hlcyAob3Igb2YgdGhlIGdyYXBoKS4gQSBuZXcgcmVmZXJlbmNlLiAqL1xuICBvbF9ydW5fb3V0cHV0KHRoaXM6IHZvaWQsIHJ1bjogUG9pbnRlciwgaW5kZXg6IG51bWJlcik6IFBvaW50ZXI7XG4gIC8qKiBkdHlwZTogVGVuc29yUHJvdG8uRGF0YVR5cGUuIENvbnRlbnRzIHVuZGVmaW5lZDsgc3ViLWJ5dGUgdHlwZXMgYXJlIHBhY2tlZCBhcyBpbiBUZW5zb3JQcm90by5yYXdfZGF0YS4gKi9cbiAgb2xfdGVuc29yX25ldyh0aGlzOiB2b2lkLCBkdHlwZTogbnVtYmVyLCByYW5rOiBudW1iZXIsIGRpbXM6IFBvaW50ZXIpOiBQb2ludGVyO1xuICBvbF92YWx1ZV9mcmVlKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyKTogdm9pZDtcbiAgb2xfdmFsdWVfa2luZCh0aGlzOiB2b2lkLCB2YWx1ZTogUG9pbnRlcik6IG51bWJlcjtcbiAgb2xfdGVuc29yX2R0eXBlKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyKTogbnVtYmVyO1xuICBvbF90ZW5zb3JfcmFuayh0aGlzOiB2b2lkLCB2YWx1ZTogUG9pbnRlcik6IG51bWJlcjtcbiAgb2xfdGVuc29yX2RpbXModGhpczogdm9pZCwgdmFsdWU6IFBvaW50ZXIpOiBQb2ludGVyO1xuICAvKiogVGhlIGVsZW1lbnRzOyBOVUxMIGZvciBzdHJpbmdzIGFuZCBmb3IgdGVuc29ycyB3aXRob3V0IGVsZW1lbnRzLiAqL1xuICBvbF90ZW5zb3JfZGF0YSh0aGlzOiB2b2lkLCB2YWx1ZTogUG9pbnRlcik6IFBvaW50ZXI7XG4gIG9sX3RlbnNvcl9ieXRlcyh0aGlzOiB2b2lkLCB2YWx1ZTogUG9pbnRlcik6IG51bWJlcjtcbiAgLyoqIFN0cmluZyBlbGVtZW50czogVVRGLTgsIG1heSBob2xkIE5VTDsgdmFsaWQgd2hpbGUgdGhlIHZhbHVlIGxpdmVzLiAqL1xuICBvbF90ZW5zb3Jfc3RyaW5nKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyLCBpbmRleDogbnVtYmVyKTogUG9pbnRlcjtcbiAgb2xfdGVuc29yX3N0cmluZ19sZW5ndGgodGhpczogdm9pZCwgdmFsdWU6IFBvaW50ZXIsIGluZGV4OiBudW1iZXIpOiBudW1iZXI7XG4gIG9sX3RlbnNvcl9zZXRfc3RyaW5nKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyLCBpbmRleDogbnVtYmVyLCB0ZXh0OiBQb2ludGVyLCBsZW5ndGg6IG51bWJlcik6IG51bWJlcjtcbiAgb2xfc2VxdWVuY2VfbmV3KHRoaXM6IHZvaWQpOiBQb2ludGVyO1xuICBvbF9zZXF1ZW5jZV9wdXNoKHRoaXM6IHZvaWQsIHNlcXVlbmNlOiBQb2ludGVyLCBpdGVtOiBQb2ludGVyKTogbnVtYmVyO1xuICBvbF9zZXF1ZW5jZV9zaXplKHRoaXM6IHZvaWQsIHNlcXVlbmNlOiBQb2ludGVyKTogbnVtYmVyO1xuICAvKiogQSBuZXcgcmVmZXJlbmNlLiAqL1xuICBvbF9zZXF1ZW5jZV9pdGVtKHRoaXM6IHZvaWQsIHNlcXVlbmNlOiBQb2ludGVyLCBpbmRleDogbnVtYmVyKTogUG9pbnRlcjtcbiAgLyoqIGtleXM6IDEtRCB0ZW5zb3Igb2Ygc3RyaW5ncyBvciBpbnRlZ2VyczsgdmFsdWVzOiAxLUQgdGVuc29yIG9mIHRoZSBzYW1lIGxlbmd0aC4gKi9cbiAgb2xfbWFwX25ldyh0aGlzOiB2b2lkLCBrZXlzOiBQb2ludGVyLCB2YWx1ZXM6IFBvaW50ZXIpOiBQb2ludGVyO1xuICBvbF9tYXBfa2V5cyh0aGlzOiB2b2lkLCBtYXA6IFBvaW50ZXIpOiBQb2ludGVyO1xuICBvbF9tYXBfdmFsdWVzKHRoaXM6IHZvaWQsIG1hcDogUG9pbnRlcik6IFBvaW50ZXI7XG4gIC8qKiBBbiBvcHRpb25hbCB3aXRob3V0IGFuIGVsZW1lbnQuIEEgZmlsbGVkIG9wdGlvbmFsIGlzIHNpbXBseSBpdHMgZWxlbWVudC4gKi9cbiAgb2xfb3B0aW9uYWxfZW1wdHkodGhpczogdm9pZCk6IFBvaW50ZXI7XG4gIC8qKiBTZXNzaW9ucyBjcmVhdGVkIGFmdGVyd2FyZHMgaGFuZCBub2RlcyBvZiB0aGlzIHR5cGUgdG8gdGhlIGhvc3QgdGhyb3VnaCBPTF9QRU5ESU5HLiAqL1xuICBvbF9yZWdpc3Rlcl9jdXN0b21fb3AodGhpczogdm9pZCwgZG9tYWluOiBQb2ludGVyLCBkb21haW5MZW5ndGg6IG51bWJlciwgb3BUeXBlOiBQb2ludGVyLCBvcFR5cGVMZW5ndGg6IG51bWJlcik6IG51bWJlcjtcbn1cblxuLyoqIEEgd2FzbSBmdW5jdGlvbidzIHJlc3VsdDsgcG9pbnRlcnMgYW5kIHNpemVzIGFycml2ZSBzaWduZWQgYW5kIGFyZSB0byBiZSByZWFkIHVuc2lnbmVkLiAqL1xuZXhwb3J0IHR5cGUgQWJpUmVzdWx0ID0gXCJ2b2lkXCIgfCBcImkzMlwiIHwgXCJpNjRcIiB8IFwidXNpemVcIiB8IFwicHRyXCIgfCBcImY2NFwiO1xuXG4vKiogRXZlcnkgbmFtZSBhYm92ZSB3aXRoIGl0cyByZXN1bHQ6IGEgbW9kdWxlIHdpdGhvdXQgb25lIG9mIHRoZW0gaXMgbm90IGFuIGVuZ2luZSBvZiB0aGlzIHZlcnNpb24uICovXG5leHBvcnQgY29uc3QgQUJJX0ZVTkNUSU9OUzogUmVhZG9ubHk8UmVjb3JkPGtleW9mIEFiaSwgQWJpUmVzdWx0Pj4gPSB7XG4gIG9sX2FiaV92ZXJzaW9uOiBcImkzMlwiLFxuICBvbF92ZXJzaW9uOiBcInB0clwiLFxuICBvbF9idWlsZF9pbmZvOiBcInB0clwiLFxuICBvbF9sYXN0X2NvZGU6IFwiaTMyXCIsXG4gIG9sX2xhc3RfbWVzc2FnZTogXCJwdHJcIixcbiAgb2xfY29kZV9uYW1lOiBcInB0clwiLFxuICBvbF9hbGxvYzogXCJwdHJcIixcbiAgb2xfZnJlZTogXCJ2b2lkXCIsXG4gIG9sX3dvcmtlcl9zdGFjazogXCJwdHJcIixcbiAgb2xfd29ya2VyX3RsczogXCJwdHJcIixcbiAgb2xfd29ya2VyX21haW46IFwidm9pZFwiLFxuICBvbF93b3JrZXJzX3JlYWR5OiBcImkzMlwiLFxuICBvbF9zZXRfd29ya2VyczogXCJ2b2lkXCIsXG4gIG9sX3N0b3Bfd29ya2VyczogXCJ2b2lkXCIsXG4gIG9sX21vZGVsX29wZW46IFwicHRyXCIsXG4gIG9sX21vZGVsX2ZyZWU6IFwidm9pZFwiLFxuICBvbF9tb2RlbF9kZXNjcmliZTogXCJwdHJcIixcbiAgb2xfbW9kZWxfcHJvdmlkZTogXCJpMzJcIixcbiAgb2xfc2Vzc2lvbl9jcmVhdGU6IFwicHRyXCIsXG4gIG9sX3Nlc3Npb25fZnJlZTogXCJ2b2lkXCIsXG4gIG9sX3Nlc3Npb25fZGVzY3JpYmU6IFwicHRyXCIsXG4gIG9sX3Nlc3Npb25fbWVtb3J5OiBcInB0clwiLFxuICBvbF9zZXNzaW9uX3Byb2ZpbGU6IFwicHRyXCIsXG4gIG9sX3J1bl9uZXc6IFwicHRyXCIsXG4gIG9sX3J1bl9mcmVlOiBcInZvaWRcIixcbiAgb2xfcnVuX2ZlZWQ6IFwiaTMyXCIsXG4gIG9sX3J1bl9mZXRjaDogXCJpMzJcIixcbiAgb2xfcnVuX3N0ZXA6IFwiaTMyXCIsXG4gIG9sX3J1bl9hYm9ydDogXCJ2b2lkXCIsXG4gIG9sX3J1bl9wZW5kaW5nOiBcInB0clwiLFxuICBvbF9ydW5fcGVuZGluZ19pbnB1dDogXCJwdHJcIixcbiAgb2xfcnVuX3BlbmRpbmdfb3V0cHV0OiBcImkzMlwiLFxuICBvbF9ydW5fcGVuZGluZ19mYWlsOiBcInZvaWRcIixcbiAgb2xfcnVuX291dHB1dF9jb3VudDogXCJpMzJcIixcbiAgb2xfcnVuX291dHB1dDogXCJwdHJcIixcbiAgb2xfdGVuc29yX25ldzogXCJwdHJcIixcbiAgb2xfdmFsdWVfZnJlZTogXCJ2b2lkXCIsXG4gIG9sX3ZhbHVlX2tpbmQ6IFwiaTMyXCIsXG4gIG9sX3RlbnNvcl9kdHlwZTogXCJpMzJcIixcbiAgb2xfdGVuc29yX3Jhbms6IFwiaTMyXCIsXG4gIG9sX3RlbnNvcl9kaW1zOiBcInB0clwiLFxuICBvbF90ZW5zb3JfZGF0YTogXCJwdHJcIixcbiAgb2xfdGVuc29yX2J5dGVzOiBcInVzaXplXCIsXG4gIG9sX3RlbnNvcl9zdHJpbmc6IFwicHRyXCIsXG4gIG9sX3RlbnNvcl9zdHJpbmdfbGVuZ3RoOiBcInVzaXplXCIsXG4gIG9sX3RlbnNvcl9zZXRfc3RyaW5nOiBcImkzMlwiLFxuICBvbF9zZXF1ZW5jZV9uZXc6IFwicHRyXCIsXG4gIG9sX3NlcXVlbmNlX3B1c2g6IFwiaTMyXCIsXG4gIG9sX3NlcXVlbmNlX3NpemU6IFwiaTMyXCIsXG4gIG9sX3NlcXVlbmNlX2l0ZW06IFwicHRyXCIsXG4gIG9sX21hcF9uZXc6IFwicHRyXCIsXG4gIG9sX21hcF9rZXlzOiBcInB0clwiLFxuICBvbF9tYXBfdmFsdWVzOiBcInB0clwiLFxuICBvbF9vcHRpb25hbF9lbXB0eTogXCJwdHJcIixcbiAgb2xfcmVnaXN0ZXJfY3VzdG9tX29wOiBcImkzMlwiLFxufTtcbiIsICIvLyBXcml0ZXMgdGlueSBXZWJBc3NlbWJseSBtb2R1bGVzLCB0byBzdGFuZCBmb3IgZW5naW5lcyB0aGF0IGFyZSBub3Qgd2hhdCB0aGV5IHNob3VsZCBiZS5cblxuaW1wb3J0IHsgQUJJX0ZVTkNUSU9OUywgQUJJX1ZFUlNJT04gfSBmcm9tICcuLi9zcmMvYWJpLmdlbi5qcyc7XG5cbmV4cG9ydCBmdW5jdGlvbiBsZWIodmFsdWU6IG51bWJlcik6IG51bWJlcltdIHtcbiAgY29uc3QgYnl0ZXM6IG51bWJlcltdID0gW107XG4gIGRvIHtcbiAgICBjb25zdCByZXN0ID0gTWF0aC5mbG9vcih2YWx1ZSAvIDEyOCk7XG4gICAgYnl0ZXMucHVzaCgodmFsdWUgJSAxMjgpICsgKHJlc3QgPiAwID8gMTI4IDogMCkpO1xuICAgIHZhbHVlID0gcmVzdDtcbiAgfSB3aGlsZSAodmFsdWUgPiAwKTtcbiAgcmV0dXJuIGJ5dGVzO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gdmVjdG9yKGl0ZW1zOiByZWFkb25seSAocmVhZG9ubHkgbnVtYmVyW10pW10pOiBudW1iZXJbXSB7XG4gIHJldHVybiBbLi4ubGViKGl0ZW1zLmxlbmd0aCksIC4uLml0ZW1zLmZsYXQoKV07XG59XG5cbmV4cG9ydCBmdW5jdGlvbiBuYW1lKHRleHQ6IHN0cmluZyk6IG51bWJlcltdIHtcbiAgY29uc3QgYnl0ZXMgPSBbLi4ubmV3IFRleHRFbmNvZGVyKCkuZW5jb2RlKHRleHQpXTtcbiAgcmV0dXJuIFsuLi5sZWIoYnl0ZXMubGVuZ3RoKSwgLi4uYnl0ZXNdO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gc2VjdGlvbihpZDogbnVtYmVyLCBjb250ZW50OiByZWFkb25seSBudW1iZXJbXSk6IG51bWJlcltdIHtcbiAgcmV0dXJuIFtpZCwgLi4ubGViKGNvbnRlbnQubGVuZ3RoKSwgLi4uY29udGVudF07XG59XG5cbmV4cG9ydCBmdW5jdGlvbiB3YXNtKC4uLnNlY3Rpb25zOiByZWFkb25seSAocmVhZG9ubHkgbnVtYmVyW10pW10pOiBVaW50OEFycmF5IHtcbiAgcmV0dXJuIG5ldyBVaW50OEFycmF5KFsweDAwLCAweDYxLCAweDczLCAweDZkLCAxLCAwLCAwLCAwLCAuLi5zZWN0aW9ucy5mbGF0KCldKTtcbn1cblxuY29uc3QgSTMyID0gMHg3ZjtcblxuZnVuY3Rpb24gY29uc3RhbnQodmFsdWU6IG51bWJlcik6IG51bWJlcltdIHtcbiAgY29uc3QgYm9keSA9IFswLCAweDQxLCAuLi5sZWIodmFsdWUpLCAweDBiXTtcbiAgcmV0dXJuIFsuLi5sZWIoYm9keS5sZW5ndGgpLCAuLi5ib2R5XTtcbn1cblxuY29uc3QgVU5SRUFDSEFCTEUgPSBbMywgMCwgMHgwMCwgMHgwYl07XG5jb25zdCBWRVJTSU9OX0FUID0gMTY7XG5jb25zdCBJTkZPX0FUID0gNDg7XG5cbi8qKiBBbiBlbmdpbmUgdGhhdCBhbnN3ZXJzIHdoYXQgaXQgaXMgYW5kIG5vdGhpbmcgZWxzZS4gYGFiaWAgaXMgYXQgbW9zdCA2Mywgd2hlcmUgc2lnbmVkIGFuZCB1bnNpZ25lZCBMRUIgYWdyZWUuICovXG5leHBvcnQgZnVuY3Rpb24gdmVyc2lvbk9ubHlFbmdpbmUoYWJpOiBudW1iZXIsIHZlcnNpb246IHN0cmluZyk6IFVpbnQ4QXJyYXkge1xuICByZXR1cm4gZmFrZUVuZ2luZSh2ZXJzaW9uLCBbXG4gICAgWydvbF9hYmlfdmVyc2lvbicsIHRydWUsIGNvbnN0YW50KGFiaSldLFxuICAgIFsnb2xfdmVyc2lvbicsIHRydWUsIGNvbnN0YW50KFZFUlNJT05fQVQpXSxcbiAgXSk7XG59XG5cbi8qKiBBbiBlbmdpbmUgb2YgdGhpcyB2ZXJzaW9uIHRoYXQgc3RhcnRzLCBhbmQgdHJhcHMgYXMgc29vbiBhcyBpdCBpcyBnaXZlbiBhIG1vZGVsLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIHRyYXBwaW5nRW5naW5lKCk6IFVpbnQ4QXJyYXkge1xuICBjb25zdCBhbnN3ZXJzOiBSZWNvcmQ8c3RyaW5nLCBudW1iZXI+ID0ge1xuICAgIG9sX2FiaV92ZXJzaW9uOiBBQklfVkVSU0lPTixcbiAgICBvbF92ZXJzaW9uOiBWRVJTSU9OX0FULFxuICAgIG9sX2J1aWxkX2luZm86IElORk9fQVQsXG4gICAgb2xfYWxsb2M6IDEwMjQsXG4gIH07XG4gIHJldHVybiBmYWtlRW5naW5lKFxuICAgICcwJyxcbiAgICBPYmplY3QuZW50cmllcyhBQklfRlVOQ1RJT05TKS5tYXAoKFtmdW5jdGlvbl8sIHJlc3VsdF0pID0+IHtcbiAgICAgIGNvbnN0IGFuc3dlciA9IGFuc3dlcnNbZnVuY3Rpb25fXTtcbiAgICAgIHJldHVybiBbZnVuY3Rpb25fLCByZXN1bHQgIT09ICd2b2lkJywgYW5zd2VyID09PSB1bmRlZmluZWQgPyBVTlJFQUNIQUJMRSA6IGNvbnN0YW50KGFuc3dlcildIGFzIGNvbnN0O1xuICAgIH0pLFxuICApO1xufVxuXG5mdW5jdGlvbiBmYWtlRW5naW5lKHZlcnNpb246IHN0cmluZywgZnVuY3Rpb25zOiByZWFkb25seSAocmVhZG9ubHkgW3N0cmluZywgYm9vbGVhbiwgbnVtYmVyW11dKVtdKTogVWludDhBcnJheSB7XG4gIHJldHVybiB3YXNtKFxuICAgIHNlY3Rpb24oXG4gICAgICAxLFxuICAgICAgdmVjdG9yKFtcbiAgICAgICAgWzB4NjAsIDAsIDEsIEkzMl0sXG4gICAgICAgIFsweDYwLCAwLCAwXSxcbiAgICAgIF0pLFxuICAgICksXG4gICAgc2VjdGlvbigzLCB2ZWN0b3IoZnVuY3Rpb25zLm1hcCgoWywgaGFzUmVzdWx0XSkgPT4gW2hhc1Jlc3VsdCA/IDAgOiAxXSkpKSxcbiAgICBzZWN0aW9uKDUsIHZlY3RvcihbWzAsIDFdXSkpLFxuICAgIHNlY3Rpb24oXG4gICAgICA3LFxuICAgICAgdmVjdG9yKFtcbiAgICAgICAgWy4uLm5hbWUoJ21lbW9yeScpLCAyLCAwXSxcbiAgICAgICAgLi4uZnVuY3Rpb25zLm1hcCgoW2Z1bmN0aW9uX10sIGluZGV4KSA9PiBbLi4ubmFtZShmdW5jdGlvbl8pLCAwLCAuLi5sZWIoaW5kZXgpXSksXG4gICAgICBdKSxcbiAgICApLFxuICAgIHNlY3Rpb24oMTAsIHZlY3RvcihmdW5jdGlvbnMubWFwKChbLCAsIGJvZHldKSA9PiBib2R5KSkpLFxuICAgIHNlY3Rpb24oXG4gICAgICAxMSxcbiAgICAgIHZlY3RvcihbXG4gICAgICAgIFswLCAweDQxLCBWRVJTSU9OX0FULCAweDBiLCAuLi5uYW1lKGAke3ZlcnNpb259XFwwYCldLFxuICAgICAgICBbMCwgMHg0MSwgSU5GT19BVCwgMHgwYiwgLi4ubmFtZSgne1wiZmxhdm91clwiOlwiZmFrZVwifVxcMCcpXSxcbiAgICAgIF0pLFxuICAgICksXG4gICk7XG59XG4iXSwKICAibWFwcGluZ3MiOiAiO0FBQ0EsT0FBTyxZQUFZO0FBQ25CLFNBQVMsa0JBQWtCO0FBQzNCLFNBQVMsWUFBWSxhQUFhLGNBQWMsUUFBUSxxQkFBcUI7QUFDN0UsU0FBUyxvQkFBb0I7QUFFN0IsT0FBTyxRQUFRO0FBQ2YsT0FBTyxVQUFVO0FBQ2pCLFNBQVMsT0FBTyxZQUFZO0FBQzVCLFNBQVMscUJBQXFCOzs7QUNMOUIsU0FBUyxPQUFPLE9BQXlCO0FBQ3ZDLFFBQU0sUUFBa0IsQ0FBQztBQUN6QixTQUFPLFFBQVEsS0FBSztBQUNsQixVQUFNLEtBQU0sUUFBUSxNQUFPLEdBQUc7QUFDOUIsWUFBUSxLQUFLLE1BQU0sUUFBUSxHQUFHO0FBQUEsRUFDaEM7QUFDQSxTQUFPLENBQUMsR0FBRyxPQUFPLEtBQUs7QUFDekI7QUFFTyxTQUFTLFdBQVcsUUFBc0M7QUFDL0QsUUFBTSxRQUFrQixDQUFDO0FBQ3pCLGFBQVcsQ0FBQyxRQUFRLEtBQUssS0FBSyxRQUFRO0FBQ3BDLFFBQUksT0FBTyxVQUFVLFVBQVU7QUFDN0IsWUFBTSxLQUFLLEdBQUcsT0FBTyxTQUFTLENBQUMsR0FBRyxHQUFHLE9BQU8sS0FBSyxDQUFDO0FBQUEsSUFDcEQsT0FBTztBQUNMLFlBQU0sVUFBVSxPQUFPLFVBQVUsV0FBVyxJQUFJLFlBQVksRUFBRSxPQUFPLEtBQUssSUFBSTtBQUM5RSxZQUFNLEtBQUssR0FBRyxPQUFPLFNBQVMsSUFBSSxDQUFDLEdBQUcsR0FBRyxPQUFPLFFBQVEsTUFBTSxHQUFHLEdBQUcsT0FBTztBQUFBLElBQzdFO0FBQUEsRUFDRjtBQUNBLFNBQU8sSUFBSSxXQUFXLEtBQUs7QUFDN0I7QUFLQSxTQUFTLFVBQVUsQ0FBQ0EsT0FBTSxPQUFPLElBQUksR0FBeUI7QUFDNUQsUUFBTSxRQUFRO0FBQUEsSUFDWixHQUFHLEtBQUssSUFBSSxDQUFDLFFBQWUsQ0FBQyxHQUFHLE9BQU8sUUFBUSxXQUFXLFFBQVEsQ0FBQyxHQUFHLEdBQUcsQ0FBQyxJQUFJLFFBQVEsQ0FBQyxHQUFHLEdBQUcsQ0FBQyxDQUFDLENBQUM7QUFBQSxFQUNsRztBQUNBLFNBQU8sUUFBUSxDQUFDLEdBQUdBLEtBQUksR0FBRyxDQUFDLEdBQUcsUUFBUSxDQUFDLEdBQUcsUUFBUSxDQUFDLEdBQUcsS0FBSyxHQUFHLENBQUMsR0FBRyxLQUFLLENBQUMsQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUM5RTtBQVFPLFNBQVMsTUFDZCxPQUNBLFFBQ0EsU0FDQSxlQUFzQyxDQUFDLEdBQzNCO0FBQ1osUUFBTSxRQUFRO0FBQUEsSUFDWixHQUFHLE1BQU0sSUFBSSxDQUFDLEVBQUUsSUFBSSxRQUFRLE1BQU0sU0FBUyxHQUFHLE1BQWE7QUFBQSxNQUN6RDtBQUFBLE1BQ0E7QUFBQSxRQUNFLEdBQUcsS0FBSyxJQUFJLENBQUNBLFVBQWdCLENBQUMsR0FBR0EsS0FBSSxDQUFDO0FBQUEsUUFDdEMsR0FBRyxHQUFHLElBQUksQ0FBQ0EsVUFBZ0IsQ0FBQyxHQUFHQSxLQUFJLENBQUM7QUFBQSxRQUNwQyxDQUFDLEdBQUcsR0FBRyxFQUFFLElBQUksR0FBRyxDQUFDLEtBQUssRUFBRSxFQUFFO0FBQUEsUUFDMUIsQ0FBQyxHQUFHLEVBQUU7QUFBQSxNQUNSO0FBQUEsSUFDRixDQUFDO0FBQUEsSUFDRCxDQUFDLEdBQUcsT0FBTztBQUFBLElBQ1gsR0FBRyxhQUFhLElBQUksQ0FBQyxXQUFrQixDQUFDLEdBQUcsTUFBTSxDQUFDO0FBQUEsSUFDbEQsR0FBRyxPQUFPLElBQUksQ0FBQyxhQUFvQixDQUFDLElBQUksVUFBVSxRQUFRLENBQUMsQ0FBQztBQUFBLElBQzVELEdBQUcsUUFBUSxJQUFJLENBQUMsYUFBb0IsQ0FBQyxJQUFJLFVBQVUsUUFBUSxDQUFDLENBQUM7QUFBQSxFQUMvRDtBQUNBLFNBQU8sUUFBUSxDQUFDLEdBQUcsQ0FBQyxHQUFHLENBQUMsR0FBRyxLQUFLLEdBQUcsQ0FBQyxHQUFHLFFBQVEsQ0FBQyxHQUFHLEVBQUUsR0FBRyxDQUFDLEdBQUcsRUFBRSxDQUFDLENBQUMsQ0FBQztBQUNuRTtBQUdPLFNBQVMsZUFBZUEsT0FBYyxNQUF5QixVQUE4QjtBQUNsRyxRQUFNLFFBQVEsQ0FBQyxLQUFhLFVBQXlCLENBQUMsSUFBSSxRQUFRLENBQUMsR0FBRyxHQUFHLEdBQUcsQ0FBQyxHQUFHLEtBQUssQ0FBQyxDQUFDO0FBQ3ZGLFNBQU8sUUFBUSxHQUFHLEtBQUssSUFBSSxDQUFDLFFBQWUsQ0FBQyxHQUFHLEdBQUcsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDLEdBQUcsQ0FBQyxHQUFHQSxLQUFJLEdBQUcsTUFBTSxZQUFZLFFBQVEsR0FBRyxDQUFDLElBQUksQ0FBQyxDQUFDO0FBQy9HOzs7QUNwRU8sSUFBTSxjQUFjO0FBNkpwQixJQUFNLGdCQUF3RDtBQUFBLEVBQ25FLGdCQUFnQjtBQUFBLEVBQ2hCLFlBQVk7QUFBQSxFQUNaLGVBQWU7QUFBQSxFQUNmLGNBQWM7QUFBQSxFQUNkLGlCQUFpQjtBQUFBLEVBQ2pCLGNBQWM7QUFBQSxFQUNkLFVBQVU7QUFBQSxFQUNWLFNBQVM7QUFBQSxFQUNULGlCQUFpQjtBQUFBLEVBQ2pCLGVBQWU7QUFBQSxFQUNmLGdCQUFnQjtBQUFBLEVBQ2hCLGtCQUFrQjtBQUFBLEVBQ2xCLGdCQUFnQjtBQUFBLEVBQ2hCLGlCQUFpQjtBQUFBLEVBQ2pCLGVBQWU7QUFBQSxFQUNmLGVBQWU7QUFBQSxFQUNmLG1CQUFtQjtBQUFBLEVBQ25CLGtCQUFrQjtBQUFBLEVBQ2xCLG1CQUFtQjtBQUFBLEVBQ25CLGlCQUFpQjtBQUFBLEVBQ2pCLHFCQUFxQjtBQUFBLEVBQ3JCLG1CQUFtQjtBQUFBLEVBQ25CLG9CQUFvQjtBQUFBLEVBQ3BCLFlBQVk7QUFBQSxFQUNaLGFBQWE7QUFBQSxFQUNiLGFBQWE7QUFBQSxFQUNiLGNBQWM7QUFBQSxFQUNkLGFBQWE7QUFBQSxFQUNiLGNBQWM7QUFBQSxFQUNkLGdCQUFnQjtBQUFBLEVBQ2hCLHNCQUFzQjtBQUFBLEVBQ3RCLHVCQUF1QjtBQUFBLEVBQ3ZCLHFCQUFxQjtBQUFBLEVBQ3JCLHFCQUFxQjtBQUFBLEVBQ3JCLGVBQWU7QUFBQSxFQUNmLGVBQWU7QUFBQSxFQUNmLGVBQWU7QUFBQSxFQUNmLGVBQWU7QUFBQSxFQUNmLGlCQUFpQjtBQUFBLEVBQ2pCLGdCQUFnQjtBQUFBLEVBQ2hCLGdCQUFnQjtBQUFBLEVBQ2hCLGdCQUFnQjtBQUFBLEVBQ2hCLGlCQUFpQjtBQUFBLEVBQ2pCLGtCQUFrQjtBQUFBLEVBQ2xCLHlCQUF5QjtBQUFBLEVBQ3pCLHNCQUFzQjtBQUFBLEVBQ3RCLGlCQUFpQjtBQUFBLEVBQ2pCLGtCQUFrQjtBQUFBLEVBQ2xCLGtCQUFrQjtBQUFBLEVBQ2xCLGtCQUFrQjtBQUFBLEVBQ2xCLFlBQVk7QUFBQSxFQUNaLGFBQWE7QUFBQSxFQUNiLGVBQWU7QUFBQSxFQUNmLG1CQUFtQjtBQUFBLEVBQ25CLHVCQUF1QjtBQUN6Qjs7O0FDbk5PLFNBQVMsSUFBSSxPQUF5QjtBQUMzQyxRQUFNLFFBQWtCLENBQUM7QUFDekIsS0FBRztBQUNELFVBQU0sT0FBTyxLQUFLLE1BQU0sUUFBUSxHQUFHO0FBQ25DLFVBQU0sS0FBTSxRQUFRLE9BQVEsT0FBTyxJQUFJLE1BQU0sRUFBRTtBQUMvQyxZQUFRO0FBQUEsRUFDVixTQUFTLFFBQVE7QUFDakIsU0FBTztBQUNUO0FBRU8sU0FBUyxPQUFPLE9BQWlEO0FBQ3RFLFNBQU8sQ0FBQyxHQUFHLElBQUksTUFBTSxNQUFNLEdBQUcsR0FBRyxNQUFNLEtBQUssQ0FBQztBQUMvQztBQUVPLFNBQVMsS0FBSyxNQUF3QjtBQUMzQyxRQUFNLFFBQVEsQ0FBQyxHQUFHLElBQUksWUFBWSxFQUFFLE9BQU8sSUFBSSxDQUFDO0FBQ2hELFNBQU8sQ0FBQyxHQUFHLElBQUksTUFBTSxNQUFNLEdBQUcsR0FBRyxLQUFLO0FBQ3hDO0FBRU8sU0FBUyxRQUFRLElBQVksU0FBc0M7QUFDeEUsU0FBTyxDQUFDLElBQUksR0FBRyxJQUFJLFFBQVEsTUFBTSxHQUFHLEdBQUcsT0FBTztBQUNoRDtBQUVPLFNBQVMsUUFBUSxVQUFzRDtBQUM1RSxTQUFPLElBQUksV0FBVyxDQUFDLEdBQU0sSUFBTSxLQUFNLEtBQU0sR0FBRyxHQUFHLEdBQUcsR0FBRyxHQUFHLFNBQVMsS0FBSyxDQUFDLENBQUM7QUFDaEY7QUFFQSxJQUFNLE1BQU07QUFFWixTQUFTLFNBQVMsT0FBeUI7QUFDekMsUUFBTSxPQUFPLENBQUMsR0FBRyxJQUFNLEdBQUcsSUFBSSxLQUFLLEdBQUcsRUFBSTtBQUMxQyxTQUFPLENBQUMsR0FBRyxJQUFJLEtBQUssTUFBTSxHQUFHLEdBQUcsSUFBSTtBQUN0QztBQUVBLElBQU0sY0FBYyxDQUFDLEdBQUcsR0FBRyxHQUFNLEVBQUk7QUFDckMsSUFBTSxhQUFhO0FBQ25CLElBQU0sVUFBVTtBQUdULFNBQVMsa0JBQWtCLEtBQWEsU0FBNkI7QUFDMUUsU0FBTyxXQUFXLFNBQVM7QUFBQSxJQUN6QixDQUFDLGtCQUFrQixNQUFNLFNBQVMsR0FBRyxDQUFDO0FBQUEsSUFDdEMsQ0FBQyxjQUFjLE1BQU0sU0FBUyxVQUFVLENBQUM7QUFBQSxFQUMzQyxDQUFDO0FBQ0g7QUFHTyxTQUFTLGlCQUE2QjtBQUMzQyxRQUFNLFVBQWtDO0FBQUEsSUFDdEMsZ0JBQWdCO0FBQUEsSUFDaEIsWUFBWTtBQUFBLElBQ1osZUFBZTtBQUFBLElBQ2YsVUFBVTtBQUFBLEVBQ1o7QUFDQSxTQUFPO0FBQUEsSUFDTDtBQUFBLElBQ0EsT0FBTyxRQUFRLGFBQWEsRUFBRSxJQUFJLENBQUMsQ0FBQyxXQUFXLE1BQU0sTUFBTTtBQUN6RCxZQUFNLFNBQVMsUUFBUSxTQUFTO0FBQ2hDLGFBQU8sQ0FBQyxXQUFXLFdBQVcsUUFBUSxXQUFXLFNBQVksY0FBYyxTQUFTLE1BQU0sQ0FBQztBQUFBLElBQzdGLENBQUM7QUFBQSxFQUNIO0FBQ0Y7QUFFQSxTQUFTLFdBQVcsU0FBaUIsV0FBMEU7QUFDN0csU0FBTztBQUFBLElBQ0w7QUFBQSxNQUNFO0FBQUEsTUFDQSxPQUFPO0FBQUEsUUFDTCxDQUFDLElBQU0sR0FBRyxHQUFHLEdBQUc7QUFBQSxRQUNoQixDQUFDLElBQU0sR0FBRyxDQUFDO0FBQUEsTUFDYixDQUFDO0FBQUEsSUFDSDtBQUFBLElBQ0EsUUFBUSxHQUFHLE9BQU8sVUFBVSxJQUFJLENBQUMsQ0FBQyxFQUFFLFNBQVMsTUFBTSxDQUFDLFlBQVksSUFBSSxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQUEsSUFDeEUsUUFBUSxHQUFHLE9BQU8sQ0FBQyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUFBLElBQzNCO0FBQUEsTUFDRTtBQUFBLE1BQ0EsT0FBTztBQUFBLFFBQ0wsQ0FBQyxHQUFHLEtBQUssUUFBUSxHQUFHLEdBQUcsQ0FBQztBQUFBLFFBQ3hCLEdBQUcsVUFBVSxJQUFJLENBQUMsQ0FBQyxTQUFTLEdBQUcsVUFBVSxDQUFDLEdBQUcsS0FBSyxTQUFTLEdBQUcsR0FBRyxHQUFHLElBQUksS0FBSyxDQUFDLENBQUM7QUFBQSxNQUNqRixDQUFDO0FBQUEsSUFDSDtBQUFBLElBQ0EsUUFBUSxJQUFJLE9BQU8sVUFBVSxJQUFJLENBQUMsQ0FBQyxFQUFFLEVBQUUsSUFBSSxNQUFNLElBQUksQ0FBQyxDQUFDO0FBQUEsSUFDdkQ7QUFBQSxNQUNFO0FBQUEsTUFDQSxPQUFPO0FBQUEsUUFDTCxDQUFDLEdBQUcsSUFBTSxZQUFZLElBQU0sR0FBRyxLQUFLLEdBQUcsT0FBTyxJQUFJLENBQUM7QUFBQSxRQUNuRCxDQUFDLEdBQUcsSUFBTSxTQUFTLElBQU0sR0FBRyxLQUFLLHNCQUFzQixDQUFDO0FBQUEsTUFDMUQsQ0FBQztBQUFBLElBQ0g7QUFBQSxFQUNGO0FBQ0Y7OztBSGhGQSxJQUFNLE9BQU8sS0FBSyxRQUFRLE1BQU07QUFDaEMsSUFBTSxPQUFPLFdBQVcsS0FBSyxLQUFLLE1BQU0sY0FBYyxDQUFDLElBQUksUUFBUTtBQUNuRSxJQUFNLFNBQVMsWUFBWSxLQUFLLEtBQUssR0FBRyxPQUFPLEdBQUcsYUFBYSxDQUFDO0FBQ2hFLE1BQU0sTUFBTTtBQUNWLFNBQU8sUUFBUSxFQUFFLFdBQVcsS0FBSyxDQUFDO0FBQ3BDLENBQUM7QUFFRCxlQUFlLE9BQWdDO0FBQzdDLFFBQU0sV0FBWSxNQUFNLE9BQU8sY0FBYyxLQUFLLEtBQUssTUFBTSxhQUFhLENBQUMsRUFBRTtBQUM3RSxXQUFTLElBQUksS0FBSyxhQUFhO0FBQy9CLFdBQVMsSUFBSSxLQUFLLGFBQWE7QUFDL0IsV0FBUyxJQUFJLEtBQUssWUFBWTtBQUM5QixXQUFTLElBQUksV0FBVztBQUN4QixTQUFPO0FBQ1Q7QUFFQSxJQUFNLFFBQVE7QUFDZCxJQUFNLFlBQVk7QUFBQSxFQUNoQixDQUFDLEVBQUUsSUFBSSxPQUFPLFFBQVEsQ0FBQyxLQUFLLEdBQUcsR0FBRyxTQUFTLENBQUMsR0FBRyxFQUFFLENBQUM7QUFBQSxFQUNsRCxDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsR0FBRyxDQUFDLENBQUM7QUFBQSxFQUNwQixDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsR0FBRyxDQUFDLENBQUM7QUFDdEI7QUFFQSxLQUFLLHdEQUF3RCxFQUFFLEtBQUssR0FBRyxZQUFZO0FBQ2pGLFFBQU0sRUFBRSxrQkFBa0IsT0FBTyxJQUFJLE1BQU0sS0FBSztBQUNoRCxRQUFNLFVBQVUsTUFBTSxpQkFBaUIsT0FBTyxTQUFTO0FBQ3ZELFNBQU8sVUFBVSxRQUFRLFlBQVksQ0FBQyxHQUFHLENBQUM7QUFDMUMsU0FBTyxVQUFVLFFBQVEsZ0JBQWdCLENBQUMsRUFBRSxNQUFNLEtBQUssVUFBVSxNQUFNLE1BQU0sV0FBVyxPQUFPLENBQUMsR0FBRyxFQUFFLENBQUMsQ0FBQztBQUN2RyxTQUFPLE1BQU0sUUFBUSxTQUFTLENBQUM7QUFDL0IsUUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLFFBQVEsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxHQUFHLEdBQUcsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQztBQUM1RSxTQUFPLFVBQVUsR0FBRyxNQUFNLElBQUksYUFBYSxDQUFDLEdBQUcsR0FBRyxDQUFDLENBQUMsQ0FBQztBQUNyRCxTQUFPLEdBQUcsUUFBUSxPQUFPLGFBQWEsS0FBSyxRQUFRLE9BQU8sWUFBWSxDQUFDO0FBQ3ZFLFFBQU0sUUFBUSxRQUFRO0FBQ3hCLENBQUM7QUFFRCxLQUFLLGtFQUFrRSxFQUFFLEtBQUssR0FBRyxZQUFZO0FBQzNGLFFBQU0sRUFBRSxrQkFBa0IsT0FBTyxJQUFJLE1BQU0sS0FBSztBQUNoRCxRQUFNLE9BQU8sS0FBSyxLQUFLLFFBQVEsYUFBYTtBQUM1QyxnQkFBYyxNQUFNLFNBQVM7QUFDN0IsUUFBTSxTQUFTLElBQUksV0FBVyxVQUFVLFNBQVMsRUFBRTtBQUNuRCxTQUFPLElBQUksV0FBVyxFQUFFO0FBQ3hCLFFBQU0sV0FBVyxNQUFNLFFBQVEsSUFBSTtBQUFBLElBQ2pDLGlCQUFpQixPQUFPLElBQUk7QUFBQSxJQUM1QixpQkFBaUIsT0FBTyxjQUFjLElBQUksQ0FBQztBQUFBLElBQzNDLGlCQUFpQixPQUFPLFVBQVUsTUFBTSxFQUFFLE1BQU07QUFBQSxJQUNoRCxpQkFBaUIsT0FBTyxPQUFPLFFBQVEsSUFBSSxVQUFVLE1BQU07QUFBQSxJQUMzRCxpQkFBaUIsT0FBTyxJQUFJLEtBQUssQ0FBQyxVQUFVLE1BQU0sQ0FBQyxDQUFDLENBQUM7QUFBQSxFQUN2RCxDQUFDO0FBQ0QsYUFBVyxXQUFXLFVBQVU7QUFDOUIsVUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLFFBQVEsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQ3RFLFdBQU8sVUFBVSxHQUFHLE1BQU0sSUFBSSxhQUFhLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFDL0MsVUFBTSxRQUFRLFFBQVE7QUFBQSxFQUN4QjtBQUNBLFFBQU0sT0FBTyxRQUFRLGlCQUFpQixPQUFPLE9BQU8sUUFBUSxJQUFJLEdBQUksR0FBRyxFQUFFLE1BQU0sbUJBQW1CLENBQUM7QUFDckcsQ0FBQztBQUVELEtBQUssOEVBQThFLEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDdkcsUUFBTSxFQUFFLGtCQUFrQixRQUFRLElBQUksSUFBSSxNQUFNLEtBQUs7QUFDckQsUUFBTSxRQUFRO0FBQ2QsUUFBTSxJQUFJLElBQUk7QUFBQSxJQUNaO0FBQUEsSUFDQSxhQUFhLEtBQUssRUFBRSxRQUFRLE1BQU0sR0FBRyxDQUFDLEdBQUcsVUFBVSxLQUFLLElBQUksS0FBSyxDQUFDO0FBQUEsSUFDbEUsQ0FBQyxLQUFLO0FBQUEsRUFDUjtBQUNBLFFBQU0sVUFBd0IsQ0FBQztBQUMvQixhQUFXLFdBQVcsQ0FBQyxHQUFHLEdBQUcsQ0FBQyxHQUFHO0FBQy9CLFFBQUksS0FBSyxhQUFhO0FBQ3RCLFVBQU0sVUFBVSxNQUFNLGlCQUFpQixPQUFPLFNBQVM7QUFDdkQsV0FBTyxNQUFNLFFBQVEsU0FBUyxPQUFPO0FBQ3JDLFVBQU0sRUFBRSxFQUFFLElBQUksTUFBTSxRQUFRLElBQUksRUFBRSxFQUFFLENBQUM7QUFDckMsWUFBUSxLQUFLLElBQUksWUFBWSxHQUFHLE1BQXNCLE1BQU0sQ0FBQztBQUM3RCxVQUFNLFFBQVEsUUFBUTtBQUFBLEVBQ3hCO0FBQ0EsU0FBTyxHQUFHLFFBQVEsTUFBTSxDQUFDLFdBQVcsT0FBTyxRQUFRLFFBQVEsUUFBUSxDQUFDLEtBQUssSUFBSSxXQUFXLENBQUMsTUFBTSxDQUFDLENBQUM7QUFDbkcsQ0FBQztBQUVELEtBQUssbURBQW1ELEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDNUUsUUFBTSxFQUFFLGtCQUFrQixPQUFPLElBQUksTUFBTSxLQUFLO0FBQ2hELFFBQU0sQ0FBQyxHQUFHLENBQUMsSUFBSSxNQUFNLFFBQVEsSUFBSSxDQUFDLGlCQUFpQixPQUFPLFNBQVMsR0FBRyxpQkFBaUIsT0FBTyxTQUFTLENBQUMsQ0FBQztBQUN6RyxRQUFNLE9BQU8sTUFBTTtBQUFBLElBQUssRUFBRSxRQUFRLEdBQUc7QUFBQSxJQUFHLENBQUMsR0FBRyxXQUN6QyxRQUFRLElBQUksSUFBSSxHQUFHLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxXQUFXLENBQUMsS0FBSyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQztBQUFBLEVBQ3BFO0FBQ0EsUUFBTSxVQUFVLE1BQU0sUUFBUSxJQUFJLElBQUksR0FBRyxJQUFJLENBQUMsRUFBRSxHQUFBQyxHQUFFLE1BQU1BLElBQUcsS0FBSyxDQUFDLENBQUM7QUFDbEUsU0FBTztBQUFBLElBQ0w7QUFBQSxJQUNBLE1BQU0sS0FBSyxFQUFFLFFBQVEsR0FBRyxHQUFHLENBQUMsR0FBRyxVQUFVLElBQUksS0FBSztBQUFBLEVBQ3BEO0FBQ0EsUUFBTSxFQUFFLFFBQVE7QUFDaEIsUUFBTSxFQUFFLFFBQVE7QUFDaEIsUUFBTSxPQUFPLFFBQVEsRUFBRSxJQUFJLEVBQUUsR0FBRyxJQUFJLE9BQU8sV0FBVyxDQUFDLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQyxFQUFFLENBQUMsR0FBRyxVQUFVO0FBQzlFLFFBQU0sRUFBRSxFQUFFLElBQUksTUFBTSxFQUFFLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxXQUFXLENBQUMsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQztBQUNoRSxTQUFPLE1BQU0sR0FBRyxLQUFLLENBQUMsR0FBRyxDQUFDO0FBQzFCLFFBQU0sRUFBRSxRQUFRO0FBQ2xCLENBQUM7QUFFRCxLQUFLLG9DQUFvQyxFQUFFLEtBQUssR0FBRyxZQUFZO0FBQzdELFFBQU0sRUFBRSxrQkFBa0IsT0FBTyxJQUFJLE1BQU0sS0FBSztBQUNoRCxRQUFNLE1BQU07QUFBQSxJQUNWO0FBQUEsTUFDRSxFQUFFLElBQUksT0FBTyxRQUFRLENBQUMsS0FBSyxHQUFHLEdBQUcsU0FBUyxDQUFDLEdBQUcsRUFBRTtBQUFBLE1BQ2hELEVBQUUsSUFBSSxPQUFPLFFBQVEsQ0FBQyxHQUFHLEdBQUcsU0FBUyxDQUFDLEdBQUcsRUFBRTtBQUFBLElBQzdDO0FBQUEsSUFDQSxDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUNsQjtBQUFBLE1BQ0UsQ0FBQyxLQUFLLE9BQU8sQ0FBQyxDQUFDLENBQUM7QUFBQSxNQUNoQixDQUFDLEtBQUssT0FBTyxDQUFDLENBQUMsQ0FBQztBQUFBLElBQ2xCO0FBQUEsRUFDRjtBQUNBLFFBQU0sVUFBVSxNQUFNLGlCQUFpQixPQUFPLEdBQUc7QUFDakQsUUFBTSxJQUFJLElBQUksT0FBTyxXQUFXLENBQUMsR0FBRyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUM7QUFDM0MsU0FBTyxVQUFVLE9BQU8sS0FBSyxNQUFNLFFBQVEsSUFBSSxFQUFFLEVBQUUsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxLQUFLLEdBQUcsQ0FBQztBQUNsRSxTQUFPLFVBQVUsT0FBTyxLQUFLLE1BQU0sUUFBUSxJQUFJLEVBQUUsRUFBRSxHQUFHLENBQUMsR0FBRyxDQUFDLENBQUMsR0FBRyxDQUFDLEdBQUcsQ0FBQztBQUNwRSxRQUFNLE9BQU8sSUFBSSxPQUFPLFdBQVcsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQztBQUM5QyxRQUFNLFVBQVUsTUFBTSxRQUFRLElBQUksRUFBRSxFQUFFLEdBQUcsRUFBRSxHQUFHLEtBQUssQ0FBQztBQUNwRCxTQUFPLE1BQU0sUUFBUSxHQUFHLEdBQUcsSUFBSTtBQUMvQixTQUFPLFVBQVUsS0FBSyxNQUFNLElBQUksYUFBYSxDQUFDLElBQUksRUFBRSxDQUFDLENBQUM7QUFDdEQsUUFBTSxRQUFRLFFBQVE7QUFDeEIsQ0FBQztBQUVELEtBQUssd0VBQXdFLEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDakcsUUFBTSxFQUFFLGtCQUFrQixRQUFRLGFBQWEsSUFBSSxNQUFNLEtBQUs7QUFDOUQsUUFBTSxVQUFVLE1BQU0saUJBQWlCLE9BQU8sU0FBUztBQUN2RCxRQUFNLE9BQU8sUUFBUSxRQUFRLElBQUksQ0FBQyxDQUFDLEdBQUcsRUFBRSxNQUFNLG9CQUFvQixTQUFTLElBQUksQ0FBQztBQUNoRixRQUFNLE9BQU8sUUFBUSxRQUFRLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxXQUFXLENBQUMsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQyxHQUFHLEVBQUUsTUFBTSxvQkFBb0IsU0FBUyxJQUFJLENBQUM7QUFDcEgsUUFBTSxPQUFPLFFBQVEsUUFBUSxJQUFJLEVBQUUsR0FBRyxJQUFJLE9BQU8sU0FBUyxDQUFDLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQyxFQUFFLENBQUMsR0FBRztBQUFBLElBQ3RFLE1BQU07QUFBQSxJQUNOLFNBQVM7QUFBQSxFQUNYLENBQUM7QUFDRCxRQUFNLE9BQU8sUUFBUSxRQUFRLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxXQUFXLENBQUMsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDLENBQUMsRUFBRSxDQUFDLEdBQUcsRUFBRSxNQUFNLG1CQUFtQixDQUFDO0FBQ3pHLFFBQU0sUUFBUSxRQUFRO0FBRXRCLFdBQVMsU0FBUyxHQUFHLFNBQVMsVUFBVSxRQUFRLFVBQVUsR0FBRztBQUMzRCxVQUFNLE9BQU87QUFBQSxNQUNYLGlCQUFpQixPQUFPLFVBQVUsU0FBUyxHQUFHLE1BQU0sQ0FBQztBQUFBLE1BQ3JELENBQUMsVUFBVSxpQkFBaUIsZ0JBQWdCLE1BQU0sU0FBUyxVQUFVLE1BQU0sUUFBUSxTQUFTO0FBQUEsSUFDOUY7QUFBQSxFQUNGO0FBQ0EsUUFBTSxVQUFVO0FBQUEsSUFDZCxDQUFDLEVBQUUsSUFBSSxlQUFlLFFBQVEsQ0FBQyxHQUFHLEdBQUcsU0FBUyxDQUFDLEdBQUcsRUFBRSxDQUFDO0FBQUEsSUFDckQsQ0FBQyxDQUFDLEtBQUssT0FBTyxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQUEsSUFDbEIsQ0FBQyxDQUFDLEtBQUssT0FBTyxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQUEsRUFDcEI7QUFDQSxRQUFNLE9BQU8sUUFBUSxpQkFBaUIsT0FBTyxPQUFPLEdBQUcsRUFBRSxTQUFTLGNBQWMsQ0FBQztBQUNqRixRQUFNLE9BQU8sUUFBUSxpQkFBaUIsT0FBTyxLQUFLLEtBQUssUUFBUSxjQUFjLENBQUMsR0FBRyxFQUFFLE1BQU0sZUFBZSxDQUFDO0FBRXpHLFFBQU0sT0FBTyxNQUFNLGlCQUFpQixPQUFPLFNBQVM7QUFDcEQsUUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLEtBQUssSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQztBQUNsRSxTQUFPLE1BQU0sR0FBRyxNQUFNLENBQUM7QUFDdkIsUUFBTSxLQUFLLFFBQVE7QUFDckIsQ0FBQztBQUVELEtBQUssMkNBQTJDLEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDcEUsUUFBTSxFQUFFLGlCQUFpQixJQUFJLE1BQU0sS0FBSztBQUN4QyxRQUFNLFFBQVEsSUFBSSxXQUFXLEdBQVM7QUFDdEMsUUFBTSxTQUFTLGFBQWEsQ0FBQyxTQUFTLGFBQWE7QUFDakQsUUFBSSxRQUFRLFFBQVEsZUFBZTtBQUNqQyxlQUFTLElBQUksU0FBUztBQUN0QjtBQUFBLElBQ0Y7QUFDQSxhQUFTLFVBQVUsS0FBSyxFQUFFLGtCQUFrQixNQUFNLE9BQU8sQ0FBQztBQUMxRCxRQUFJLEtBQUs7QUFDVCxVQUFNLFFBQVEsWUFBWSxNQUFNO0FBQzlCLFVBQUksTUFBTSxNQUFNLFVBQVUsU0FBUyxVQUFXLGVBQWMsS0FBSztBQUFBLFVBQzVELFVBQVMsTUFBTSxNQUFNLFNBQVMsSUFBSyxNQUFNLEdBQVEsQ0FBQztBQUFBLElBQ3pELEdBQUcsQ0FBQztBQUFBLEVBQ04sQ0FBQztBQUNELFFBQU0sSUFBSSxRQUFjLENBQUMsWUFBWSxPQUFPLE9BQU8sR0FBRyxhQUFhLE9BQU8sQ0FBQztBQUMzRSxRQUFNLE9BQU8sb0JBQXFCLE9BQU8sUUFBUSxFQUFrQixJQUFJO0FBQ3ZFLE1BQUk7QUFDRixVQUFNLE9BQTJCLENBQUM7QUFDbEMsVUFBTSxZQUFZLFVBQVUsV0FBVyxRQUFRLEVBQUUsT0FBTyxTQUFTLEVBQUUsT0FBTyxRQUFRLENBQUM7QUFDbkYsVUFBTSxVQUFVLE1BQU0saUJBQWlCLE9BQU8sR0FBRyxJQUFJLGVBQWU7QUFBQSxNQUNsRSxZQUFZLENBQUMsYUFBYSxLQUFLLEtBQUssUUFBUTtBQUFBLE1BQzVDO0FBQUEsSUFDRixDQUFDO0FBQ0QsV0FBTyxNQUFNLEtBQUssR0FBRyxFQUFFLEdBQUcsUUFBUSxVQUFVLE1BQU07QUFDbEQsVUFBTSxRQUFRLFFBQVE7QUFDdEIsVUFBTSxPQUFPLFFBQVEsaUJBQWlCLE9BQU8sR0FBRyxJQUFJLGVBQWUsRUFBRSxXQUFXLGNBQWMsQ0FBQyxHQUFHO0FBQUEsTUFDaEcsTUFBTTtBQUFBLE1BQ04sU0FBUztBQUFBLElBQ1gsQ0FBQztBQUVELFVBQU0sYUFBYSxJQUFJLGdCQUFnQjtBQUN2QyxRQUFJLE9BQU87QUFDWCxVQUFNLFVBQVUsaUJBQWlCLE9BQU8sR0FBRyxJQUFJLGVBQWU7QUFBQSxNQUM1RCxRQUFRLFdBQVc7QUFBQSxNQUNuQixZQUFZLENBQUMsRUFBRSxRQUFRLE1BQU0sTUFBTTtBQUNqQyxlQUFPO0FBQ1AsWUFBSSxTQUFTLE9BQU8sU0FBUyxVQUFXLFlBQVcsTUFBTSxJQUFJLE1BQU0sUUFBUSxDQUFDO0FBQUEsTUFDOUU7QUFBQSxJQUNGLENBQUM7QUFDRCxVQUFNLE9BQU8sUUFBUSxTQUFTLEVBQUUsTUFBTSxXQUFXLFNBQVMsU0FBUyxDQUFDO0FBQ3BFLFdBQU8sR0FBRyxPQUFPLE1BQU0sTUFBTTtBQUM3QixVQUFNLE9BQU8sTUFBTSxpQkFBaUIsT0FBTyxTQUFTO0FBQ3BELFVBQU0sS0FBSyxRQUFRO0FBQUEsRUFDckIsVUFBRTtBQUNBLFdBQU8sb0JBQW9CO0FBQzNCLFdBQU8sTUFBTTtBQUFBLEVBQ2Y7QUFDRixDQUFDO0FBRUQsS0FBSyxtREFBbUQsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUM1RSxRQUFNLEVBQUUsa0JBQWtCLE9BQU8sSUFBSSxNQUFNLEtBQUs7QUFDaEQsUUFBTSxRQUFRO0FBQUEsSUFDWixDQUFDLEVBQUUsSUFBSSxPQUFPLFFBQVEsQ0FBQyxLQUFLLEdBQUcsR0FBRyxTQUFTLENBQUMsR0FBRyxFQUFFLENBQUM7QUFBQSxJQUNsRCxDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUNsQixDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUNsQixDQUFDLGVBQWUsS0FBSyxDQUFDLENBQUMsR0FBRyxPQUFPLENBQUM7QUFBQSxFQUNwQztBQUNBLFFBQU0sVUFBVSxJQUFJLFdBQVcsSUFBSSxhQUFhLENBQUMsSUFBSSxFQUFFLENBQUMsRUFBRSxNQUFNO0FBQ2hFLFFBQU0sT0FBTyxLQUFLLEtBQUssUUFBUSxlQUFlO0FBQzlDLGdCQUFjLE1BQU0sS0FBSztBQUN6QixRQUFNLE9BQU8sUUFBUSxpQkFBaUIsT0FBTyxJQUFJLEdBQUcsRUFBRSxNQUFNLGdCQUFnQixTQUFTLFNBQVMsQ0FBQztBQUMvRixnQkFBYyxLQUFLLEtBQUssUUFBUSxPQUFPLEdBQUcsT0FBTztBQUNqRCxRQUFNLFdBQVc7QUFBQSxJQUNmLE1BQU0saUJBQWlCLE9BQU8sSUFBSTtBQUFBLElBQ2xDLE1BQU0saUJBQWlCLE9BQU8sT0FBTyxFQUFFLGNBQWMsQ0FBQyxFQUFFLE1BQU0sU0FBUyxNQUFNLFFBQVEsQ0FBQyxFQUFFLENBQUM7QUFBQSxJQUN6RixNQUFNLGlCQUFpQixPQUFPLE9BQU8sRUFBRSxjQUFjLENBQUMsRUFBRSxNQUFNLFdBQVcsTUFBTSxLQUFLLEtBQUssUUFBUSxPQUFPLEVBQUUsQ0FBQyxFQUFFLENBQUM7QUFBQSxFQUNoSDtBQUNBLGFBQVcsV0FBVyxVQUFVO0FBQzlCLFVBQU0sRUFBRSxFQUFFLElBQUksTUFBTSxRQUFRLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxXQUFXLENBQUMsR0FBRyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQ3pFLFdBQU8sVUFBVSxHQUFHLE1BQU0sSUFBSSxhQUFhLENBQUMsSUFBSSxFQUFFLENBQUMsQ0FBQztBQUNwRCxVQUFNLFFBQVEsUUFBUTtBQUFBLEVBQ3hCO0FBQ0EsUUFBTSxPQUFPLFFBQVEsaUJBQWlCLE9BQU8sS0FBSyxHQUFHLEVBQUUsTUFBTSxnQkFBZ0IsU0FBUyxlQUFlLENBQUM7QUFDeEcsQ0FBQztBQUVELEtBQUsseUVBQXlFLEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDbEcsUUFBTSxFQUFFLGtCQUFrQixJQUFJLElBQUksTUFBTSxLQUFLO0FBQzdDLE1BQUksS0FBSyxhQUFhLGtCQUFrQixJQUFJLE9BQU87QUFDbkQsUUFBTSxPQUFPLFFBQVEsaUJBQWlCLE9BQU8sU0FBUyxHQUFHLEVBQUUsTUFBTSxvQkFBb0IsU0FBUyxxQkFBcUIsQ0FBQztBQUNwSCxNQUFJLEtBQUssYUFBYSxhQUFhLEtBQUssS0FBSyxNQUFNLGNBQWMsQ0FBQztBQUNsRSxRQUFNLFVBQVUsTUFBTSxpQkFBaUIsT0FBTyxTQUFTO0FBQ3ZELFNBQU8sTUFBTSxRQUFRLFNBQVMsTUFBTTtBQUNwQyxRQUFNLFFBQVEsUUFBUTtBQUN4QixDQUFDO0FBRUQsS0FBSywwRUFBMEUsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUNuRyxRQUFNLEVBQUUsa0JBQWtCLFFBQVEsSUFBSSxJQUFJLE1BQU0sS0FBSztBQUNyRCxRQUFNLFNBQVMsTUFBTSxpQkFBaUIsT0FBTyxTQUFTO0FBQ3RELE1BQUksS0FBSyxhQUFhLGVBQWU7QUFDckMsV0FBUyxVQUFVLEdBQUcsVUFBVSxHQUFHLFdBQVc7QUFDNUMsVUFBTSxPQUFPLFFBQVEsaUJBQWlCLE9BQU8sU0FBUyxHQUFHLEVBQUUsTUFBTSxRQUFRLFNBQVMsMkJBQTJCLENBQUM7QUFBQSxFQUNoSDtBQUNBLE1BQUksS0FBSyxhQUFhO0FBQ3RCLFFBQU0sU0FBUyxNQUFNLGlCQUFpQixPQUFPLFNBQVM7QUFDdEQsYUFBVyxXQUFXLENBQUMsUUFBUSxNQUFNLEdBQUc7QUFDdEMsVUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLFFBQVEsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQ3RFLFdBQU8sTUFBTSxHQUFHLEtBQUssQ0FBQyxHQUFHLENBQUM7QUFDMUIsVUFBTSxRQUFRLFFBQVE7QUFBQSxFQUN4QjtBQUNGLENBQUM7QUFFRCxLQUFLLDBEQUEwRCxFQUFFLEtBQUssR0FBRyxZQUFZO0FBQ25GLFFBQU0sRUFBRSxrQkFBa0IsT0FBTyxJQUFJLE1BQU0sS0FBSztBQUNoRCxRQUFNLElBQUksSUFBSSxPQUFPLFdBQVcsSUFBSSxhQUFhLEdBQU8sR0FBRyxDQUFDLEdBQU8sQ0FBQztBQUNwRSxRQUFNLFFBQWtCLENBQUM7QUFDekIsV0FBUyxRQUFRLEdBQUcsUUFBUSxLQUFNLFNBQVM7QUFDekMsVUFBTSxVQUFVLE1BQU0saUJBQWlCLE9BQU8sU0FBUztBQUN2RCxVQUFNLFFBQVEsSUFBSSxFQUFFLEVBQUUsQ0FBQztBQUN2QixVQUFNLEtBQUssUUFBUSxPQUFPLEtBQUs7QUFDL0IsVUFBTSxRQUFRLFFBQVE7QUFBQSxFQUN4QjtBQUNBLFNBQU8sTUFBTSxNQUFNLEdBQUcsRUFBRSxHQUFHLE1BQU0sRUFBRSxDQUFDO0FBQ3RDLENBQUM7IiwKICAibmFtZXMiOiBbIm5hbWUiLCAieSJdCn0K
