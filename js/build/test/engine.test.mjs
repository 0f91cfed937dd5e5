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
function versionOnlyEngine(abi, version) {
  const constant = (value) => {
    const body = [0, 65, ...leb(value), 11];
    return [...leb(body.length), ...body];
  };
  return wasm(
    section(1, vector([[96, 0, 1, I32]])),
    section(3, vector([[0], [0]])),
    section(5, vector([[0, 1]])),
    section(
      7,
      vector([
        [...name("memory"), 2, 0],
        [...name("ol_abi_version"), 0, 0],
        [...name("ol_version"), 0, 1]
      ])
    ),
    section(10, vector([constant(abi), constant(16)])),
    section(11, vector([[0, 65, 16, 11, ...name(`${version}\0`)]]))
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
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiLi4vLi4vdGVzdC9lbmdpbmUudGVzdC50cyIsICIuLi8uLi90ZXN0L29ubngtd3JpdGVyLnRzIiwgIi4uLy4uL3Rlc3Qvd2FzbS13cml0ZXIudHMiXSwKICAic291cmNlc0NvbnRlbnQiOiBbIi8vIFRoZSBidWlsdCBwYWNrYWdlIG9uIHRoZSByZWFsIGVuZ2luZSwgaW4gTm9kZS4gU2tpcHBlZCwgd2l0aCBhIHJlYXNvbiwgd2hpbGUganMvZGlzdCBpcyBub3QgYnVpbHQuXG5pbXBvcnQgYXNzZXJ0IGZyb20gJ25vZGU6YXNzZXJ0L3N0cmljdCc7XG5pbXBvcnQgeyBjcmVhdGVIYXNoIH0gZnJvbSAnbm9kZTpjcnlwdG8nO1xuaW1wb3J0IHsgZXhpc3RzU3luYywgbWtkdGVtcFN5bmMsIHJlYWRGaWxlU3luYywgcm1TeW5jLCB3cml0ZUZpbGVTeW5jIH0gZnJvbSAnbm9kZTpmcyc7XG5pbXBvcnQgeyBjcmVhdGVTZXJ2ZXIgfSBmcm9tICdub2RlOmh0dHAnO1xuaW1wb3J0IHR5cGUgeyBBZGRyZXNzSW5mbyB9IGZyb20gJ25vZGU6bmV0JztcbmltcG9ydCBvcyBmcm9tICdub2RlOm9zJztcbmltcG9ydCBwYXRoIGZyb20gJ25vZGU6cGF0aCc7XG5pbXBvcnQgeyBhZnRlciwgdGVzdCB9IGZyb20gJ25vZGU6dGVzdCc7XG5pbXBvcnQgeyBwYXRoVG9GaWxlVVJMIH0gZnJvbSAnbm9kZTp1cmwnO1xuaW1wb3J0IHR5cGUgKiBhcyBQYWNrYWdlIGZyb20gJy4uL3NyYy9pbmRleC5qcyc7XG5pbXBvcnQgeyBleHRlcm5hbFRlbnNvciwgbW9kZWwgfSBmcm9tICcuL29ubngtd3JpdGVyLmpzJztcbmltcG9ydCB7IHZlcnNpb25Pbmx5RW5naW5lIH0gZnJvbSAnLi93YXNtLXdyaXRlci5qcyc7XG5cbmNvbnN0IGRpc3QgPSBwYXRoLnJlc29sdmUoJ2Rpc3QnKTtcbmNvbnN0IHNraXAgPSBleGlzdHNTeW5jKHBhdGguam9pbihkaXN0LCAnb25ueGxldC53YXNtJykpID8gZmFsc2UgOiAnanMvZGlzdCBoYXMgbm8gZW5naW5lOyBydW4gdGhlIGJ1aWxkIGZpcnN0JztcbmNvbnN0IGZvbGRlciA9IG1rZHRlbXBTeW5jKHBhdGguam9pbihvcy50bXBkaXIoKSwgJ29ubnhsZXQtanMtJykpO1xuYWZ0ZXIoKCkgPT4ge1xuICBybVN5bmMoZm9sZGVyLCB7IHJlY3Vyc2l2ZTogdHJ1ZSB9KTtcbn0pO1xuXG5hc3luYyBmdW5jdGlvbiBsb2FkKCk6IFByb21pc2U8dHlwZW9mIFBhY2thZ2U+IHtcbiAgY29uc3QgcGFja2FnZV8gPSAoYXdhaXQgaW1wb3J0KHBhdGhUb0ZpbGVVUkwocGF0aC5qb2luKGRpc3QsICdvbm54bGV0Lm1qcycpKS5ocmVmKSkgYXMgdHlwZW9mIFBhY2thZ2U7XG4gIHBhY2thZ2VfLmVudi53YXNtLm51bVRocmVhZHMgPSAxO1xuICBwYWNrYWdlXy5lbnYud2FzbS53YXNtQmluYXJ5ID0gdW5kZWZpbmVkO1xuICBwYWNrYWdlXy5lbnYud2FzbS53YXNtUGF0aHMgPSB1bmRlZmluZWQ7XG4gIHBhY2thZ2VfLmVudi5sb2dMZXZlbCA9ICdlcnJvcic7XG4gIHJldHVybiBwYWNrYWdlXztcbn1cblxuY29uc3QgRkxPQVQgPSAxO1xuY29uc3QgRE9VQkxFX0lUID0gbW9kZWwoXG4gIFt7IG9wOiAnQWRkJywgaW5wdXRzOiBbJ3gnLCAneCddLCBvdXRwdXRzOiBbJ3knXSB9XSxcbiAgW1sneCcsIEZMT0FULCBbJ24nXV1dLFxuICBbWyd5JywgRkxPQVQsIFsnbiddXV0sXG4pO1xuXG50ZXN0KCdhIHNlc3Npb24gdGVsbHMgaXRzIGlucHV0cyBhbmQgb3V0cHV0cywgYW5kIGNvbXB1dGVzJywgeyBza2lwIH0sIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBJbmZlcmVuY2VTZXNzaW9uLCBUZW5zb3IgfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3Qgc2Vzc2lvbiA9IGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCk7XG4gIGFzc2VydC5kZWVwRXF1YWwoc2Vzc2lvbi5pbnB1dE5hbWVzLCBbJ3gnXSk7XG4gIGFzc2VydC5kZWVwRXF1YWwoc2Vzc2lvbi5vdXRwdXRNZXRhZGF0YSwgW3sgbmFtZTogJ3knLCBpc1RlbnNvcjogdHJ1ZSwgdHlwZTogJ2Zsb2F0MzInLCBzaGFwZTogWyduJ10gfV0pO1xuICBhc3NlcnQuZXF1YWwoc2Vzc2lvbi50aHJlYWRzLCAxKTtcbiAgY29uc3QgeyB5IH0gPSBhd2FpdCBzZXNzaW9uLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMSwgMiwgM10sIFszXSkgfSk7XG4gIGFzc2VydC5kZWVwRXF1YWwoeT8uZGF0YSwgbmV3IEZsb2F0MzJBcnJheShbMiwgNCwgNl0pKTtcbiAgYXNzZXJ0Lm9rKHNlc3Npb24ubWVtb3J5Lm1vZGVsQnl0ZXMgPiAwICYmIHNlc3Npb24ubWVtb3J5Lndhc21CeXRlcyA+IDApO1xuICBhd2FpdCBzZXNzaW9uLnJlbGVhc2UoKTtcbn0pO1xuXG50ZXN0KCdmcm9tIGEgcGF0aCwgYSBmaWxlOiBhZGRyZXNzLCBhbiBBcnJheUJ1ZmZlciBhbmQgYSBwYXJ0IG9mIG9uZScsIHsgc2tpcCB9LCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgSW5mZXJlbmNlU2Vzc2lvbiwgVGVuc29yIH0gPSBhd2FpdCBsb2FkKCk7XG4gIGNvbnN0IGZpbGUgPSBwYXRoLmpvaW4oZm9sZGVyLCAnZG91YmxlLm9ubngnKTtcbiAgd3JpdGVGaWxlU3luYyhmaWxlLCBET1VCTEVfSVQpO1xuICBjb25zdCBwYWRkZWQgPSBuZXcgVWludDhBcnJheShET1VCTEVfSVQubGVuZ3RoICsgMjApO1xuICBwYWRkZWQuc2V0KERPVUJMRV9JVCwgMTApO1xuICBjb25zdCBzZXNzaW9ucyA9IGF3YWl0IFByb21pc2UuYWxsKFtcbiAgICBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShmaWxlKSxcbiAgICBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShwYXRoVG9GaWxlVVJMKGZpbGUpKSxcbiAgICBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQuc2xpY2UoKS5idWZmZXIpLFxuICAgIEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKHBhZGRlZC5idWZmZXIsIDEwLCBET1VCTEVfSVQubGVuZ3RoKSxcbiAgICBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShuZXcgQmxvYihbRE9VQkxFX0lULnNsaWNlKCldKSksXG4gIF0pO1xuICBmb3IgKGNvbnN0IHNlc3Npb24gb2Ygc2Vzc2lvbnMpIHtcbiAgICBjb25zdCB7IHkgfSA9IGF3YWl0IHNlc3Npb24ucnVuKHsgeDogbmV3IFRlbnNvcignZmxvYXQzMicsIFs0XSwgWzFdKSB9KTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKHk/LmRhdGEsIG5ldyBGbG9hdDMyQXJyYXkoWzhdKSk7XG4gICAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG4gIH1cbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUocGFkZGVkLmJ1ZmZlciwgMTAsIDEwMDApLCB7IGNvZGU6ICdJTlZBTElEX0FSR1VNRU5UJyB9KTtcbn0pO1xuXG50ZXN0KCd0d28gdGhyZWFkcyBnaXZlIHRoZSBzYW1lIGJpdHMgYXMgb25lLCBhbmQgc2Vzc2lvbi50aHJlYWRzIHRlbGxzIHRoZSB0cnV0aCcsIHsgc2tpcCB9LCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgSW5mZXJlbmNlU2Vzc2lvbiwgVGVuc29yLCBlbnYgfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3QgY291bnQgPSAxXzAwMF8wMDA7XG4gIGNvbnN0IHggPSBuZXcgVGVuc29yKFxuICAgICdmbG9hdDMyJyxcbiAgICBGbG9hdDMyQXJyYXkuZnJvbSh7IGxlbmd0aDogY291bnQgfSwgKF8sIGluZGV4KSA9PiBNYXRoLnNpbihpbmRleCkpLFxuICAgIFtjb3VudF0sXG4gICk7XG4gIGNvbnN0IHJlc3VsdHM6IFVpbnQ4QXJyYXlbXSA9IFtdO1xuICBmb3IgKGNvbnN0IHRocmVhZHMgb2YgWzEsIDIsIDNdKSB7XG4gICAgZW52Lndhc20ubnVtVGhyZWFkcyA9IHRocmVhZHM7XG4gICAgY29uc3Qgc2Vzc2lvbiA9IGF3YWl0IEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCk7XG4gICAgYXNzZXJ0LmVxdWFsKHNlc3Npb24udGhyZWFkcywgdGhyZWFkcyk7XG4gICAgY29uc3QgeyB5IH0gPSBhd2FpdCBzZXNzaW9uLnJ1bih7IHggfSk7XG4gICAgcmVzdWx0cy5wdXNoKG5ldyBVaW50OEFycmF5KCh5Py5kYXRhIGFzIEZsb2F0MzJBcnJheSkuYnVmZmVyKSk7XG4gICAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG4gIH1cbiAgYXNzZXJ0Lm9rKHJlc3VsdHMuZXZlcnkoKHJlc3VsdCkgPT4gQnVmZmVyLmNvbXBhcmUocmVzdWx0LCByZXN1bHRzWzBdID8/IG5ldyBVaW50OEFycmF5KCkpID09PSAwKSk7XG59KTtcblxudGVzdCgnY29uY3VycmVudCBydW5zIHF1ZXVlLCBzZXNzaW9ucyBhcmUgaW5kZXBlbmRlbnQnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciB9ID0gYXdhaXQgbG9hZCgpO1xuICBjb25zdCBbYSwgYl0gPSBhd2FpdCBQcm9taXNlLmFsbChbSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKSwgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKV0pO1xuICBjb25zdCBydW5zID0gQXJyYXkuZnJvbSh7IGxlbmd0aDogMjAgfSwgKF8sIGluZGV4KSA9PlxuICAgIChpbmRleCAlIDIgPyBhIDogYikucnVuKHsgeDogbmV3IFRlbnNvcignZmxvYXQzMicsIFtpbmRleF0sIFsxXSkgfSksXG4gICk7XG4gIGNvbnN0IHZhbHVlcyA9IChhd2FpdCBQcm9taXNlLmFsbChydW5zKSkubWFwKCh7IHkgfSkgPT4geT8uZGF0YVswXSk7XG4gIGFzc2VydC5kZWVwRXF1YWwoXG4gICAgdmFsdWVzLFxuICAgIEFycmF5LmZyb20oeyBsZW5ndGg6IDIwIH0sIChfLCBpbmRleCkgPT4gMiAqIGluZGV4KSxcbiAgKTtcbiAgYXdhaXQgYS5yZWxlYXNlKCk7XG4gIGF3YWl0IGEucmVsZWFzZSgpO1xuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhhLnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMV0sIFsxXSkgfSksIC9yZWxlYXNlZC8pO1xuICBjb25zdCB7IHkgfSA9IGF3YWl0IGIucnVuKHsgeDogbmV3IFRlbnNvcignZmxvYXQzMicsIFsxXSwgWzFdKSB9KTtcbiAgYXNzZXJ0LmVxdWFsKHk/LmRhdGFbMF0sIDIpO1xuICBhd2FpdCBiLnJlbGVhc2UoKTtcbn0pO1xuXG50ZXN0KCdvdXRwdXRzIGJ5IG5hbWUgYW5kIGludG8gdGVuc29ycycsIHsgc2tpcCB9LCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgSW5mZXJlbmNlU2Vzc2lvbiwgVGVuc29yIH0gPSBhd2FpdCBsb2FkKCk7XG4gIGNvbnN0IHR3byA9IG1vZGVsKFxuICAgIFtcbiAgICAgIHsgb3A6ICdBZGQnLCBpbnB1dHM6IFsneCcsICd4J10sIG91dHB1dHM6IFsneSddIH0sXG4gICAgICB7IG9wOiAnTmVnJywgaW5wdXRzOiBbJ3gnXSwgb3V0cHV0czogWyd6J10gfSxcbiAgICBdLFxuICAgIFtbJ3gnLCBGTE9BVCwgWzJdXV0sXG4gICAgW1xuICAgICAgWyd5JywgRkxPQVQsIFsyXV0sXG4gICAgICBbJ3onLCBGTE9BVCwgWzJdXSxcbiAgICBdLFxuICApO1xuICBjb25zdCBzZXNzaW9uID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUodHdvKTtcbiAgY29uc3QgeCA9IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMSwgMl0sIFsyXSk7XG4gIGFzc2VydC5kZWVwRXF1YWwoT2JqZWN0LmtleXMoYXdhaXQgc2Vzc2lvbi5ydW4oeyB4IH0pKSwgWyd5JywgJ3onXSk7XG4gIGFzc2VydC5kZWVwRXF1YWwoT2JqZWN0LmtleXMoYXdhaXQgc2Vzc2lvbi5ydW4oeyB4IH0sIFsneiddKSksIFsneiddKTtcbiAgY29uc3QgbWluZSA9IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbMCwgMF0sIFsyXSk7XG4gIGNvbnN0IHJlc3VsdHMgPSBhd2FpdCBzZXNzaW9uLnJ1bih7IHggfSwgeyB6OiBtaW5lIH0pO1xuICBhc3NlcnQuZXF1YWwocmVzdWx0c1sneiddLCBtaW5lKTtcbiAgYXNzZXJ0LmRlZXBFcXVhbChtaW5lLmRhdGEsIG5ldyBGbG9hdDMyQXJyYXkoWy0xLCAtMl0pKTtcbiAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG59KTtcblxudGVzdCgnd3JvbmcgZmVlZHMgYW5kIG1vZGVscyBnaXZlIG5hbWVkIGVycm9ycywgYW5kIHRoZSBuZXh0IHNlc3Npb24gd29ya3MnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciwgT25ueGxldEVycm9yIH0gPSBhd2FpdCBsb2FkKCk7XG4gIGNvbnN0IHNlc3Npb24gPSBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQpO1xuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhzZXNzaW9uLnJ1bih7fSksIHsgY29kZTogJ0lOVkFMSURfQVJHVU1FTlQnLCBtZXNzYWdlOiAveC8gfSk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKHNlc3Npb24ucnVuKHsgcTogbmV3IFRlbnNvcignZmxvYXQzMicsIFsxXSwgWzFdKSB9KSwgeyBjb2RlOiAnSU5WQUxJRF9BUkdVTUVOVCcsIG1lc3NhZ2U6IC9xLyB9KTtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoc2Vzc2lvbi5ydW4oeyB4OiBuZXcgVGVuc29yKCdpbnQzMicsIFsxXSwgWzFdKSB9KSwge1xuICAgIGNvZGU6ICdJTlZBTElEX0FSR1VNRU5UJyxcbiAgICBtZXNzYWdlOiAvaW50MzIvLFxuICB9KTtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoc2Vzc2lvbi5ydW4oeyB4OiBuZXcgVGVuc29yKCdmbG9hdDMyJywgWzFdLCBbMSwgMV0pIH0pLCB7IGNvZGU6ICdJTlZBTElEX0FSR1VNRU5UJyB9KTtcbiAgYXdhaXQgc2Vzc2lvbi5yZWxlYXNlKCk7XG5cbiAgZm9yIChsZXQgbGVuZ3RoID0gMTsgbGVuZ3RoIDwgRE9VQkxFX0lULmxlbmd0aDsgbGVuZ3RoICs9IDUpIHtcbiAgICBhd2FpdCBhc3NlcnQucmVqZWN0cyhcbiAgICAgIEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVC5zdWJhcnJheSgwLCBsZW5ndGgpKSxcbiAgICAgIChlcnJvcikgPT4gZXJyb3IgaW5zdGFuY2VvZiBPbm54bGV0RXJyb3IgJiYgZXJyb3IuY29kZSAhPT0gJ1RSQVAnICYmIGVycm9yLm1lc3NhZ2UubGVuZ3RoID4gMTAsXG4gICAgKTtcbiAgfVxuICBjb25zdCB1bmtub3duID0gbW9kZWwoXG4gICAgW3sgb3A6ICdOb1N1Y2hUaGluZycsIGlucHV0czogWyd4J10sIG91dHB1dHM6IFsneSddIH1dLFxuICAgIFtbJ3gnLCBGTE9BVCwgWzFdXV0sXG4gICAgW1sneScsIEZMT0FULCBbMV1dXSxcbiAgKTtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUodW5rbm93biksIHsgbWVzc2FnZTogL05vU3VjaFRoaW5nLyB9KTtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUocGF0aC5qb2luKGZvbGRlciwgJ25vd2hlcmUub25ueCcpKSwgeyBjb2RlOiAnTk9fU1VDSF9GSUxFJyB9KTtcblxuICBjb25zdCBuZXh0ID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKTtcbiAgY29uc3QgeyB5IH0gPSBhd2FpdCBuZXh0LnJ1bih7IHg6IG5ldyBUZW5zb3IoJ2Zsb2F0MzInLCBbXSwgWzBdKSB9KTtcbiAgYXNzZXJ0LmVxdWFsKHk/LnNpemUsIDApO1xuICBhd2FpdCBuZXh0LnJlbGVhc2UoKTtcbn0pO1xuXG50ZXN0KCdwcm9ncmVzcywgaW50ZWdyaXR5IGFuZCBhYm9ydCBvdmVyIEhUVFAnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24gfSA9IGF3YWl0IGxvYWQoKTtcbiAgY29uc3QgbGFyZ2UgPSBuZXcgVWludDhBcnJheSgzXzAwMF8wMDApO1xuICBjb25zdCBzZXJ2ZXIgPSBjcmVhdGVTZXJ2ZXIoKHJlcXVlc3QsIHJlc3BvbnNlKSA9PiB7XG4gICAgaWYgKHJlcXVlc3QudXJsID09PSAnL3NtYWxsLm9ubngnKSB7XG4gICAgICByZXNwb25zZS5lbmQoRE9VQkxFX0lUKTtcbiAgICAgIHJldHVybjtcbiAgICB9XG4gICAgcmVzcG9uc2Uud3JpdGVIZWFkKDIwMCwgeyAnY29udGVudC1sZW5ndGgnOiBsYXJnZS5sZW5ndGggfSk7XG4gICAgbGV0IGF0ID0gMDtcbiAgICBjb25zdCB0aW1lciA9IHNldEludGVydmFsKCgpID0+IHtcbiAgICAgIGlmIChhdCA+PSBsYXJnZS5sZW5ndGggfHwgcmVzcG9uc2UuZGVzdHJveWVkKSBjbGVhckludGVydmFsKHRpbWVyKTtcbiAgICAgIGVsc2UgcmVzcG9uc2Uud3JpdGUobGFyZ2Uuc3ViYXJyYXkoYXQsIChhdCArPSAxMDBfMDAwKSkpO1xuICAgIH0sIDIpO1xuICB9KTtcbiAgYXdhaXQgbmV3IFByb21pc2U8dm9pZD4oKHJlc29sdmUpID0+IHNlcnZlci5saXN0ZW4oMCwgJzEyNy4wLjAuMScsIHJlc29sdmUpKTtcbiAgY29uc3QgYmFzZSA9IGBodHRwOi8vMTI3LjAuMC4xOiR7KHNlcnZlci5hZGRyZXNzKCkgYXMgQWRkcmVzc0luZm8pLnBvcnR9YDtcbiAgdHJ5IHtcbiAgICBjb25zdCBzZWVuOiBQYWNrYWdlLlByb2dyZXNzW10gPSBbXTtcbiAgICBjb25zdCBpbnRlZ3JpdHkgPSBgc2hhMjU2LSR7Y3JlYXRlSGFzaCgnc2hhMjU2JykudXBkYXRlKERPVUJMRV9JVCkuZGlnZXN0KCdiYXNlNjQnKX1gO1xuICAgIGNvbnN0IHNlc3Npb24gPSBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShgJHtiYXNlfS9zbWFsbC5vbm54YCwge1xuICAgICAgb25Qcm9ncmVzczogKHByb2dyZXNzKSA9PiBzZWVuLnB1c2gocHJvZ3Jlc3MpLFxuICAgICAgaW50ZWdyaXR5LFxuICAgIH0pO1xuICAgIGFzc2VydC5lcXVhbChzZWVuLmF0KC0xKT8ubG9hZGVkLCBET1VCTEVfSVQubGVuZ3RoKTtcbiAgICBhd2FpdCBzZXNzaW9uLnJlbGVhc2UoKTtcbiAgICBhd2FpdCBhc3NlcnQucmVqZWN0cyhJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShgJHtiYXNlfS9zbWFsbC5vbm54YCwgeyBpbnRlZ3JpdHk6ICdzaGEyNTYtQUFBQScgfSksIHtcbiAgICAgIGNvZGU6ICdMT0FEX0ZBSUxFRCcsXG4gICAgICBtZXNzYWdlOiAvaW50ZWdyaXR5LyxcbiAgICB9KTtcblxuICAgIGNvbnN0IGNvbnRyb2xsZXIgPSBuZXcgQWJvcnRDb250cm9sbGVyKCk7XG4gICAgbGV0IG1vc3QgPSAwO1xuICAgIGNvbnN0IGFib3J0ZWQgPSBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShgJHtiYXNlfS9sYXJnZS5vbm54YCwge1xuICAgICAgc2lnbmFsOiBjb250cm9sbGVyLnNpZ25hbCxcbiAgICAgIG9uUHJvZ3Jlc3M6ICh7IGxvYWRlZCwgdG90YWwgfSkgPT4ge1xuICAgICAgICBtb3N0ID0gbG9hZGVkO1xuICAgICAgICBpZiAobG9hZGVkID4gMC4zICogKHRvdGFsID8/IEluZmluaXR5KSkgY29udHJvbGxlci5hYm9ydChuZXcgRXJyb3IoJ2Vub3VnaCcpKTtcbiAgICAgIH0sXG4gICAgfSk7XG4gICAgYXdhaXQgYXNzZXJ0LnJlamVjdHMoYWJvcnRlZCwgeyBjb2RlOiAnQUJPUlRFRCcsIG1lc3NhZ2U6IC9lbm91Z2gvIH0pO1xuICAgIGFzc2VydC5vayhtb3N0IDwgbGFyZ2UubGVuZ3RoKTtcbiAgICBjb25zdCBuZXh0ID0gYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoRE9VQkxFX0lUKTtcbiAgICBhd2FpdCBuZXh0LnJlbGVhc2UoKTtcbiAgfSBmaW5hbGx5IHtcbiAgICBzZXJ2ZXIuY2xvc2VBbGxDb25uZWN0aW9ucygpO1xuICAgIHNlcnZlci5jbG9zZSgpO1xuICB9XG59KTtcblxudGVzdCgnZXh0ZXJuYWwgZGF0YTogZ2l2ZW4sIGJlc2lkZSB0aGUgbW9kZWwsIG1pc3NpbmcnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciB9ID0gYXdhaXQgbG9hZCgpO1xuICBjb25zdCBieXRlcyA9IG1vZGVsKFxuICAgIFt7IG9wOiAnQWRkJywgaW5wdXRzOiBbJ3gnLCAndyddLCBvdXRwdXRzOiBbJ3knXSB9XSxcbiAgICBbWyd4JywgRkxPQVQsIFsyXV1dLFxuICAgIFtbJ3knLCBGTE9BVCwgWzJdXV0sXG4gICAgW2V4dGVybmFsVGVuc29yKCd3JywgWzJdLCAndy5iaW4nKV0sXG4gICk7XG4gIGNvbnN0IHdlaWdodHMgPSBuZXcgVWludDhBcnJheShuZXcgRmxvYXQzMkFycmF5KFsxMCwgMjBdKS5idWZmZXIpO1xuICBjb25zdCBmaWxlID0gcGF0aC5qb2luKGZvbGRlciwgJ2V4dGVybmFsLm9ubngnKTtcbiAgd3JpdGVGaWxlU3luYyhmaWxlLCBieXRlcyk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKGZpbGUpLCB7IGNvZGU6ICdOT19TVUNIX0ZJTEUnLCBtZXNzYWdlOiAvd1xcLmJpbi8gfSk7XG4gIHdyaXRlRmlsZVN5bmMocGF0aC5qb2luKGZvbGRlciwgJ3cuYmluJyksIHdlaWdodHMpO1xuICBjb25zdCBzZXNzaW9ucyA9IFtcbiAgICBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShmaWxlKSxcbiAgICBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShieXRlcywgeyBleHRlcm5hbERhdGE6IFt7IHBhdGg6ICd3LmJpbicsIGRhdGE6IHdlaWdodHMgfV0gfSksXG4gICAgYXdhaXQgSW5mZXJlbmNlU2Vzc2lvbi5jcmVhdGUoYnl0ZXMsIHsgZXh0ZXJuYWxEYXRhOiBbeyBwYXRoOiAnLi93LmJpbicsIGRhdGE6IHBhdGguam9pbihmb2xkZXIsICd3LmJpbicpIH1dIH0pLFxuICBdO1xuICBmb3IgKGNvbnN0IHNlc3Npb24gb2Ygc2Vzc2lvbnMpIHtcbiAgICBjb25zdCB7IHkgfSA9IGF3YWl0IHNlc3Npb24ucnVuKHsgeDogbmV3IFRlbnNvcignZmxvYXQzMicsIFsxLCAyXSwgWzJdKSB9KTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKHk/LmRhdGEsIG5ldyBGbG9hdDMyQXJyYXkoWzExLCAyMl0pKTtcbiAgICBhd2FpdCBzZXNzaW9uLnJlbGVhc2UoKTtcbiAgfVxuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShieXRlcyksIHsgY29kZTogJ05PX1NVQ0hfRklMRScsIG1lc3NhZ2U6IC9leHRlcm5hbERhdGEvIH0pO1xufSk7XG5cbnRlc3QoJ2FuIGVuZ2luZSBvZiBhbm90aGVyIHZlcnNpb24gaXMgcmVmdXNlZCBieSBuYW1lOyBnaXZlbiBieXRlcyBhcmUgdXNlZCcsIHsgc2tpcCB9LCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgSW5mZXJlbmNlU2Vzc2lvbiwgZW52IH0gPSBhd2FpdCBsb2FkKCk7XG4gIGVudi53YXNtLndhc21CaW5hcnkgPSB2ZXJzaW9uT25seUVuZ2luZSg0MiwgJzkuOS45Jyk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKEluZmVyZW5jZVNlc3Npb24uY3JlYXRlKERPVUJMRV9JVCksIHsgY29kZTogJ1ZFUlNJT05fTUlTTUFUQ0gnLCBtZXNzYWdlOiAvOVxcLjlcXC45IFxcKEFCSSA0MlxcKS8gfSk7XG4gIGVudi53YXNtLndhc21CaW5hcnkgPSByZWFkRmlsZVN5bmMocGF0aC5qb2luKGRpc3QsICdvbm54bGV0Lndhc20nKSk7XG4gIGNvbnN0IHNlc3Npb24gPSBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQpO1xuICBhc3NlcnQuZXF1YWwoc2Vzc2lvbi5mbGF2b3VyLCAnc2ltZCcpO1xuICBhd2FpdCBzZXNzaW9uLnJlbGVhc2UoKTtcbn0pO1xuXG50ZXN0KCdhIHRob3VzYW5kIGN5Y2xlcyBvZiBjcmVhdGUsIHJ1biBhbmQgcmVsZWFzZSBzdGF5IGZsYXQnLCB7IHNraXAgfSwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IEluZmVyZW5jZVNlc3Npb24sIFRlbnNvciB9ID0gYXdhaXQgbG9hZCgpO1xuICBjb25zdCB4ID0gbmV3IFRlbnNvcignZmxvYXQzMicsIG5ldyBGbG9hdDMyQXJyYXkoMTAwXzAwMCksIFsxMDBfMDAwXSk7XG4gIGNvbnN0IGluVXNlOiBudW1iZXJbXSA9IFtdO1xuICBmb3IgKGxldCBjeWNsZSA9IDA7IGN5Y2xlIDwgMTAwMDsgY3ljbGUrKykge1xuICAgIGNvbnN0IHNlc3Npb24gPSBhd2FpdCBJbmZlcmVuY2VTZXNzaW9uLmNyZWF0ZShET1VCTEVfSVQpO1xuICAgIGF3YWl0IHNlc3Npb24ucnVuKHsgeCB9KTtcbiAgICBpblVzZS5wdXNoKHNlc3Npb24ubWVtb3J5LmluVXNlKTtcbiAgICBhd2FpdCBzZXNzaW9uLnJlbGVhc2UoKTtcbiAgfVxuICBhc3NlcnQuZXF1YWwoaW5Vc2UuYXQoLTEpLCBpblVzZVsxMF0pO1xufSk7XG4iLCAiLy8gV3JpdGVzIHNtYWxsIE9OTlggbW9kZWxzLCBzbyB0aGF0IHRlc3RzIG9mIHRoaXMgcGFja2FnZSBuZWVkIG5vIG90aGVyIHRvb2wuXG5cbnR5cGUgRmllbGQgPSByZWFkb25seSBbbnVtYmVyOiBudW1iZXIsIHZhbHVlOiBudW1iZXIgfCBzdHJpbmcgfCBVaW50OEFycmF5XTtcblxuZnVuY3Rpb24gdmFyaW50KHZhbHVlOiBudW1iZXIpOiBudW1iZXJbXSB7XG4gIGNvbnN0IGJ5dGVzOiBudW1iZXJbXSA9IFtdO1xuICB3aGlsZSAodmFsdWUgPiAxMjcpIHtcbiAgICBieXRlcy5wdXNoKCh2YWx1ZSAlIDEyOCkgKyAxMjgpO1xuICAgIHZhbHVlID0gTWF0aC5mbG9vcih2YWx1ZSAvIDEyOCk7XG4gIH1cbiAgcmV0dXJuIFsuLi5ieXRlcywgdmFsdWVdO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gbWVzc2FnZSguLi5maWVsZHM6IHJlYWRvbmx5IEZpZWxkW10pOiBVaW50OEFycmF5IHtcbiAgY29uc3QgYnl0ZXM6IG51bWJlcltdID0gW107XG4gIGZvciAoY29uc3QgW251bWJlciwgdmFsdWVdIG9mIGZpZWxkcykge1xuICAgIGlmICh0eXBlb2YgdmFsdWUgPT09ICdudW1iZXInKSB7XG4gICAgICBieXRlcy5wdXNoKC4uLnZhcmludChudW1iZXIgKiA4KSwgLi4udmFyaW50KHZhbHVlKSk7XG4gICAgfSBlbHNlIHtcbiAgICAgIGNvbnN0IGNvbnRlbnQgPSB0eXBlb2YgdmFsdWUgPT09ICdzdHJpbmcnID8gbmV3IFRleHRFbmNvZGVyKCkuZW5jb2RlKHZhbHVlKSA6IHZhbHVlO1xuICAgICAgYnl0ZXMucHVzaCguLi52YXJpbnQobnVtYmVyICogOCArIDIpLCAuLi52YXJpbnQoY29udGVudC5sZW5ndGgpLCAuLi5jb250ZW50KTtcbiAgICB9XG4gIH1cbiAgcmV0dXJuIG5ldyBVaW50OEFycmF5KGJ5dGVzKTtcbn1cblxuLyoqIEEgbmFtZSwgVGVuc29yUHJvdG8uRGF0YVR5cGUgYW5kIGRpbWVuc2lvbnM7IGEgc3RyaW5nIGlzIGEgc3ltYm9saWMgZGltZW5zaW9uLiAqL1xuZXhwb3J0IHR5cGUgQXJndW1lbnQgPSByZWFkb25seSBbbmFtZTogc3RyaW5nLCBkdHlwZTogbnVtYmVyLCBkaW1zOiByZWFkb25seSAobnVtYmVyIHwgc3RyaW5nKVtdXTtcblxuZnVuY3Rpb24gdmFsdWVJbmZvKFtuYW1lLCBkdHlwZSwgZGltc106IEFyZ3VtZW50KTogVWludDhBcnJheSB7XG4gIGNvbnN0IHNoYXBlID0gbWVzc2FnZShcbiAgICAuLi5kaW1zLm1hcCgoZGltKTogRmllbGQgPT4gWzEsIHR5cGVvZiBkaW0gPT09ICdudW1iZXInID8gbWVzc2FnZShbMSwgZGltXSkgOiBtZXNzYWdlKFsyLCBkaW1dKV0pLFxuICApO1xuICByZXR1cm4gbWVzc2FnZShbMSwgbmFtZV0sIFsyLCBtZXNzYWdlKFsxLCBtZXNzYWdlKFsxLCBkdHlwZV0sIFsyLCBzaGFwZV0pXSldKTtcbn1cblxuZXhwb3J0IGludGVyZmFjZSBOb2RlU3BlYyB7XG4gIHJlYWRvbmx5IG9wOiBzdHJpbmc7XG4gIHJlYWRvbmx5IGlucHV0czogcmVhZG9ubHkgc3RyaW5nW107XG4gIHJlYWRvbmx5IG91dHB1dHM6IHJlYWRvbmx5IHN0cmluZ1tdO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gbW9kZWwoXG4gIG5vZGVzOiByZWFkb25seSBOb2RlU3BlY1tdLFxuICBpbnB1dHM6IHJlYWRvbmx5IEFyZ3VtZW50W10sXG4gIG91dHB1dHM6IHJlYWRvbmx5IEFyZ3VtZW50W10sXG4gIGluaXRpYWxpemVyczogcmVhZG9ubHkgVWludDhBcnJheVtdID0gW10sXG4pOiBVaW50OEFycmF5IHtcbiAgY29uc3QgZ3JhcGggPSBtZXNzYWdlKFxuICAgIC4uLm5vZGVzLm1hcCgoeyBvcCwgaW5wdXRzOiBmcm9tLCBvdXRwdXRzOiB0byB9KTogRmllbGQgPT4gW1xuICAgICAgMSxcbiAgICAgIG1lc3NhZ2UoXG4gICAgICAgIC4uLmZyb20ubWFwKChuYW1lKTogRmllbGQgPT4gWzEsIG5hbWVdKSxcbiAgICAgICAgLi4udG8ubWFwKChuYW1lKTogRmllbGQgPT4gWzIsIG5hbWVdKSxcbiAgICAgICAgWzMsIGAke29wfV8ke3RvWzBdID8/ICcnfWBdLFxuICAgICAgICBbNCwgb3BdLFxuICAgICAgKSxcbiAgICBdKSxcbiAgICBbMiwgJ2dyYXBoJ10sXG4gICAgLi4uaW5pdGlhbGl6ZXJzLm1hcCgodGVuc29yKTogRmllbGQgPT4gWzUsIHRlbnNvcl0pLFxuICAgIC4uLmlucHV0cy5tYXAoKGFyZ3VtZW50KTogRmllbGQgPT4gWzExLCB2YWx1ZUluZm8oYXJndW1lbnQpXSksXG4gICAgLi4ub3V0cHV0cy5tYXAoKGFyZ3VtZW50KTogRmllbGQgPT4gWzEyLCB2YWx1ZUluZm8oYXJndW1lbnQpXSksXG4gICk7XG4gIHJldHVybiBtZXNzYWdlKFsxLCA5XSwgWzcsIGdyYXBoXSwgWzgsIG1lc3NhZ2UoWzEsICcnXSwgWzIsIDE3XSldKTtcbn1cblxuLyoqIEEgZmxvYXQgaW5pdGlhbGl6ZXIgd2hvc2UgZGF0YSBsaWUgaW4gYW5vdGhlciBmaWxlLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGV4dGVybmFsVGVuc29yKG5hbWU6IHN0cmluZywgZGltczogcmVhZG9ubHkgbnVtYmVyW10sIGxvY2F0aW9uOiBzdHJpbmcpOiBVaW50OEFycmF5IHtcbiAgY29uc3QgZW50cnkgPSAoa2V5OiBzdHJpbmcsIHZhbHVlOiBzdHJpbmcpOiBGaWVsZCA9PiBbMTMsIG1lc3NhZ2UoWzEsIGtleV0sIFsyLCB2YWx1ZV0pXTtcbiAgcmV0dXJuIG1lc3NhZ2UoLi4uZGltcy5tYXAoKGRpbSk6IEZpZWxkID0+IFsxLCBkaW1dKSwgWzIsIDFdLCBbOCwgbmFtZV0sIGVudHJ5KCdsb2NhdGlvbicsIGxvY2F0aW9uKSwgWzE0LCAxXSk7XG59XG4iLCAiLy8gV3JpdGVzIHRpbnkgV2ViQXNzZW1ibHkgbW9kdWxlcywgdG8gc3RhbmQgZm9yIGVuZ2luZXMgdGhhdCBhcmUgbm90IHdoYXQgdGhleSBzaG91bGQgYmUuXG5cbmV4cG9ydCBmdW5jdGlvbiBsZWIodmFsdWU6IG51bWJlcik6IG51bWJlcltdIHtcbiAgY29uc3QgYnl0ZXM6IG51bWJlcltdID0gW107XG4gIGRvIHtcbiAgICBjb25zdCByZXN0ID0gTWF0aC5mbG9vcih2YWx1ZSAvIDEyOCk7XG4gICAgYnl0ZXMucHVzaCgodmFsdWUgJSAxMjgpICsgKHJlc3QgPiAwID8gMTI4IDogMCkpO1xuICAgIHZhbHVlID0gcmVzdDtcbiAgfSB3aGlsZSAodmFsdWUgPiAwKTtcbiAgcmV0dXJuIGJ5dGVzO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gdmVjdG9yKGl0ZW1zOiByZWFkb25seSAocmVhZG9ubHkgbnVtYmVyW10pW10pOiBudW1iZXJbXSB7XG4gIHJldHVybiBbLi4ubGViKGl0ZW1zLmxlbmd0aCksIC4uLml0ZW1zLmZsYXQoKV07XG59XG5cbmV4cG9ydCBmdW5jdGlvbiBuYW1lKHRleHQ6IHN0cmluZyk6IG51bWJlcltdIHtcbiAgY29uc3QgYnl0ZXMgPSBbLi4ubmV3IFRleHRFbmNvZGVyKCkuZW5jb2RlKHRleHQpXTtcbiAgcmV0dXJuIFsuLi5sZWIoYnl0ZXMubGVuZ3RoKSwgLi4uYnl0ZXNdO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gc2VjdGlvbihpZDogbnVtYmVyLCBjb250ZW50OiByZWFkb25seSBudW1iZXJbXSk6IG51bWJlcltdIHtcbiAgcmV0dXJuIFtpZCwgLi4ubGViKGNvbnRlbnQubGVuZ3RoKSwgLi4uY29udGVudF07XG59XG5cbmV4cG9ydCBmdW5jdGlvbiB3YXNtKC4uLnNlY3Rpb25zOiByZWFkb25seSAocmVhZG9ubHkgbnVtYmVyW10pW10pOiBVaW50OEFycmF5IHtcbiAgcmV0dXJuIG5ldyBVaW50OEFycmF5KFsweDAwLCAweDYxLCAweDczLCAweDZkLCAxLCAwLCAwLCAwLCAuLi5zZWN0aW9ucy5mbGF0KCldKTtcbn1cblxuY29uc3QgSTMyID0gMHg3ZjtcblxuLyoqIEFuIGVuZ2luZSB0aGF0IGFuc3dlcnMgbm90aGluZyBidXQgaXRzIHZlcnNpb25zLiBgYWJpYCBpcyBhdCBtb3N0IDYzLCB3aGVyZSBzaWduZWQgYW5kIHVuc2lnbmVkIExFQiBhZ3JlZS4gKi9cbmV4cG9ydCBmdW5jdGlvbiB2ZXJzaW9uT25seUVuZ2luZShhYmk6IG51bWJlciwgdmVyc2lvbjogc3RyaW5nKTogVWludDhBcnJheSB7XG4gIGNvbnN0IGNvbnN0YW50ID0gKHZhbHVlOiBudW1iZXIpID0+IHtcbiAgICBjb25zdCBib2R5ID0gWzAsIDB4NDEsIC4uLmxlYih2YWx1ZSksIDB4MGJdO1xuICAgIHJldHVybiBbLi4ubGViKGJvZHkubGVuZ3RoKSwgLi4uYm9keV07XG4gIH07XG4gIHJldHVybiB3YXNtKFxuICAgIHNlY3Rpb24oMSwgdmVjdG9yKFtbMHg2MCwgMCwgMSwgSTMyXV0pKSxcbiAgICBzZWN0aW9uKDMsIHZlY3RvcihbWzBdLCBbMF1dKSksXG4gICAgc2VjdGlvbig1LCB2ZWN0b3IoW1swLCAxXV0pKSxcbiAgICBzZWN0aW9uKFxuICAgICAgNyxcbiAgICAgIHZlY3RvcihbXG4gICAgICAgIFsuLi5uYW1lKCdtZW1vcnknKSwgMiwgMF0sXG4gICAgICAgIFsuLi5uYW1lKCdvbF9hYmlfdmVyc2lvbicpLCAwLCAwXSxcbiAgICAgICAgWy4uLm5hbWUoJ29sX3ZlcnNpb24nKSwgMCwgMV0sXG4gICAgICBdKSxcbiAgICApLFxuICAgIHNlY3Rpb24oMTAsIHZlY3RvcihbY29uc3RhbnQoYWJpKSwgY29uc3RhbnQoMTYpXSkpLFxuICAgIHNlY3Rpb24oMTEsIHZlY3RvcihbWzAsIDB4NDEsIDE2LCAweDBiLCAuLi5uYW1lKGAke3ZlcnNpb259XFwwYCldXSkpLFxuICApO1xufVxuIl0sCiAgIm1hcHBpbmdzIjogIjtBQUNBLE9BQU8sWUFBWTtBQUNuQixTQUFTLGtCQUFrQjtBQUMzQixTQUFTLFlBQVksYUFBYSxjQUFjLFFBQVEscUJBQXFCO0FBQzdFLFNBQVMsb0JBQW9CO0FBRTdCLE9BQU8sUUFBUTtBQUNmLE9BQU8sVUFBVTtBQUNqQixTQUFTLE9BQU8sWUFBWTtBQUM1QixTQUFTLHFCQUFxQjs7O0FDTDlCLFNBQVMsT0FBTyxPQUF5QjtBQUN2QyxRQUFNLFFBQWtCLENBQUM7QUFDekIsU0FBTyxRQUFRLEtBQUs7QUFDbEIsVUFBTSxLQUFNLFFBQVEsTUFBTyxHQUFHO0FBQzlCLFlBQVEsS0FBSyxNQUFNLFFBQVEsR0FBRztBQUFBLEVBQ2hDO0FBQ0EsU0FBTyxDQUFDLEdBQUcsT0FBTyxLQUFLO0FBQ3pCO0FBRU8sU0FBUyxXQUFXLFFBQXNDO0FBQy9ELFFBQU0sUUFBa0IsQ0FBQztBQUN6QixhQUFXLENBQUMsUUFBUSxLQUFLLEtBQUssUUFBUTtBQUNwQyxRQUFJLE9BQU8sVUFBVSxVQUFVO0FBQzdCLFlBQU0sS0FBSyxHQUFHLE9BQU8sU0FBUyxDQUFDLEdBQUcsR0FBRyxPQUFPLEtBQUssQ0FBQztBQUFBLElBQ3BELE9BQU87QUFDTCxZQUFNLFVBQVUsT0FBTyxVQUFVLFdBQVcsSUFBSSxZQUFZLEVBQUUsT0FBTyxLQUFLLElBQUk7QUFDOUUsWUFBTSxLQUFLLEdBQUcsT0FBTyxTQUFTLElBQUksQ0FBQyxHQUFHLEdBQUcsT0FBTyxRQUFRLE1BQU0sR0FBRyxHQUFHLE9BQU87QUFBQSxJQUM3RTtBQUFBLEVBQ0Y7QUFDQSxTQUFPLElBQUksV0FBVyxLQUFLO0FBQzdCO0FBS0EsU0FBUyxVQUFVLENBQUNBLE9BQU0sT0FBTyxJQUFJLEdBQXlCO0FBQzVELFFBQU0sUUFBUTtBQUFBLElBQ1osR0FBRyxLQUFLLElBQUksQ0FBQyxRQUFlLENBQUMsR0FBRyxPQUFPLFFBQVEsV0FBVyxRQUFRLENBQUMsR0FBRyxHQUFHLENBQUMsSUFBSSxRQUFRLENBQUMsR0FBRyxHQUFHLENBQUMsQ0FBQyxDQUFDO0FBQUEsRUFDbEc7QUFDQSxTQUFPLFFBQVEsQ0FBQyxHQUFHQSxLQUFJLEdBQUcsQ0FBQyxHQUFHLFFBQVEsQ0FBQyxHQUFHLFFBQVEsQ0FBQyxHQUFHLEtBQUssR0FBRyxDQUFDLEdBQUcsS0FBSyxDQUFDLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFDOUU7QUFRTyxTQUFTLE1BQ2QsT0FDQSxRQUNBLFNBQ0EsZUFBc0MsQ0FBQyxHQUMzQjtBQUNaLFFBQU0sUUFBUTtBQUFBLElBQ1osR0FBRyxNQUFNLElBQUksQ0FBQyxFQUFFLElBQUksUUFBUSxNQUFNLFNBQVMsR0FBRyxNQUFhO0FBQUEsTUFDekQ7QUFBQSxNQUNBO0FBQUEsUUFDRSxHQUFHLEtBQUssSUFBSSxDQUFDQSxVQUFnQixDQUFDLEdBQUdBLEtBQUksQ0FBQztBQUFBLFFBQ3RDLEdBQUcsR0FBRyxJQUFJLENBQUNBLFVBQWdCLENBQUMsR0FBR0EsS0FBSSxDQUFDO0FBQUEsUUFDcEMsQ0FBQyxHQUFHLEdBQUcsRUFBRSxJQUFJLEdBQUcsQ0FBQyxLQUFLLEVBQUUsRUFBRTtBQUFBLFFBQzFCLENBQUMsR0FBRyxFQUFFO0FBQUEsTUFDUjtBQUFBLElBQ0YsQ0FBQztBQUFBLElBQ0QsQ0FBQyxHQUFHLE9BQU87QUFBQSxJQUNYLEdBQUcsYUFBYSxJQUFJLENBQUMsV0FBa0IsQ0FBQyxHQUFHLE1BQU0sQ0FBQztBQUFBLElBQ2xELEdBQUcsT0FBTyxJQUFJLENBQUMsYUFBb0IsQ0FBQyxJQUFJLFVBQVUsUUFBUSxDQUFDLENBQUM7QUFBQSxJQUM1RCxHQUFHLFFBQVEsSUFBSSxDQUFDLGFBQW9CLENBQUMsSUFBSSxVQUFVLFFBQVEsQ0FBQyxDQUFDO0FBQUEsRUFDL0Q7QUFDQSxTQUFPLFFBQVEsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDLEdBQUcsS0FBSyxHQUFHLENBQUMsR0FBRyxRQUFRLENBQUMsR0FBRyxFQUFFLEdBQUcsQ0FBQyxHQUFHLEVBQUUsQ0FBQyxDQUFDLENBQUM7QUFDbkU7QUFHTyxTQUFTLGVBQWVBLE9BQWMsTUFBeUIsVUFBOEI7QUFDbEcsUUFBTSxRQUFRLENBQUMsS0FBYSxVQUF5QixDQUFDLElBQUksUUFBUSxDQUFDLEdBQUcsR0FBRyxHQUFHLENBQUMsR0FBRyxLQUFLLENBQUMsQ0FBQztBQUN2RixTQUFPLFFBQVEsR0FBRyxLQUFLLElBQUksQ0FBQyxRQUFlLENBQUMsR0FBRyxHQUFHLENBQUMsR0FBRyxDQUFDLEdBQUcsQ0FBQyxHQUFHLENBQUMsR0FBR0EsS0FBSSxHQUFHLE1BQU0sWUFBWSxRQUFRLEdBQUcsQ0FBQyxJQUFJLENBQUMsQ0FBQztBQUMvRzs7O0FDcEVPLFNBQVMsSUFBSSxPQUF5QjtBQUMzQyxRQUFNLFFBQWtCLENBQUM7QUFDekIsS0FBRztBQUNELFVBQU0sT0FBTyxLQUFLLE1BQU0sUUFBUSxHQUFHO0FBQ25DLFVBQU0sS0FBTSxRQUFRLE9BQVEsT0FBTyxJQUFJLE1BQU0sRUFBRTtBQUMvQyxZQUFRO0FBQUEsRUFDVixTQUFTLFFBQVE7QUFDakIsU0FBTztBQUNUO0FBRU8sU0FBUyxPQUFPLE9BQWlEO0FBQ3RFLFNBQU8sQ0FBQyxHQUFHLElBQUksTUFBTSxNQUFNLEdBQUcsR0FBRyxNQUFNLEtBQUssQ0FBQztBQUMvQztBQUVPLFNBQVMsS0FBSyxNQUF3QjtBQUMzQyxRQUFNLFFBQVEsQ0FBQyxHQUFHLElBQUksWUFBWSxFQUFFLE9BQU8sSUFBSSxDQUFDO0FBQ2hELFNBQU8sQ0FBQyxHQUFHLElBQUksTUFBTSxNQUFNLEdBQUcsR0FBRyxLQUFLO0FBQ3hDO0FBRU8sU0FBUyxRQUFRLElBQVksU0FBc0M7QUFDeEUsU0FBTyxDQUFDLElBQUksR0FBRyxJQUFJLFFBQVEsTUFBTSxHQUFHLEdBQUcsT0FBTztBQUNoRDtBQUVPLFNBQVMsUUFBUSxVQUFzRDtBQUM1RSxTQUFPLElBQUksV0FBVyxDQUFDLEdBQU0sSUFBTSxLQUFNLEtBQU0sR0FBRyxHQUFHLEdBQUcsR0FBRyxHQUFHLFNBQVMsS0FBSyxDQUFDLENBQUM7QUFDaEY7QUFFQSxJQUFNLE1BQU07QUFHTCxTQUFTLGtCQUFrQixLQUFhLFNBQTZCO0FBQzFFLFFBQU0sV0FBVyxDQUFDLFVBQWtCO0FBQ2xDLFVBQU0sT0FBTyxDQUFDLEdBQUcsSUFBTSxHQUFHLElBQUksS0FBSyxHQUFHLEVBQUk7QUFDMUMsV0FBTyxDQUFDLEdBQUcsSUFBSSxLQUFLLE1BQU0sR0FBRyxHQUFHLElBQUk7QUFBQSxFQUN0QztBQUNBLFNBQU87QUFBQSxJQUNMLFFBQVEsR0FBRyxPQUFPLENBQUMsQ0FBQyxJQUFNLEdBQUcsR0FBRyxHQUFHLENBQUMsQ0FBQyxDQUFDO0FBQUEsSUFDdEMsUUFBUSxHQUFHLE9BQU8sQ0FBQyxDQUFDLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUM3QixRQUFRLEdBQUcsT0FBTyxDQUFDLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQUEsSUFDM0I7QUFBQSxNQUNFO0FBQUEsTUFDQSxPQUFPO0FBQUEsUUFDTCxDQUFDLEdBQUcsS0FBSyxRQUFRLEdBQUcsR0FBRyxDQUFDO0FBQUEsUUFDeEIsQ0FBQyxHQUFHLEtBQUssZ0JBQWdCLEdBQUcsR0FBRyxDQUFDO0FBQUEsUUFDaEMsQ0FBQyxHQUFHLEtBQUssWUFBWSxHQUFHLEdBQUcsQ0FBQztBQUFBLE1BQzlCLENBQUM7QUFBQSxJQUNIO0FBQUEsSUFDQSxRQUFRLElBQUksT0FBTyxDQUFDLFNBQVMsR0FBRyxHQUFHLFNBQVMsRUFBRSxDQUFDLENBQUMsQ0FBQztBQUFBLElBQ2pELFFBQVEsSUFBSSxPQUFPLENBQUMsQ0FBQyxHQUFHLElBQU0sSUFBSSxJQUFNLEdBQUcsS0FBSyxHQUFHLE9BQU8sSUFBSSxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQUEsRUFDcEU7QUFDRjs7O0FGdENBLElBQU0sT0FBTyxLQUFLLFFBQVEsTUFBTTtBQUNoQyxJQUFNLE9BQU8sV0FBVyxLQUFLLEtBQUssTUFBTSxjQUFjLENBQUMsSUFBSSxRQUFRO0FBQ25FLElBQU0sU0FBUyxZQUFZLEtBQUssS0FBSyxHQUFHLE9BQU8sR0FBRyxhQUFhLENBQUM7QUFDaEUsTUFBTSxNQUFNO0FBQ1YsU0FBTyxRQUFRLEVBQUUsV0FBVyxLQUFLLENBQUM7QUFDcEMsQ0FBQztBQUVELGVBQWUsT0FBZ0M7QUFDN0MsUUFBTSxXQUFZLE1BQU0sT0FBTyxjQUFjLEtBQUssS0FBSyxNQUFNLGFBQWEsQ0FBQyxFQUFFO0FBQzdFLFdBQVMsSUFBSSxLQUFLLGFBQWE7QUFDL0IsV0FBUyxJQUFJLEtBQUssYUFBYTtBQUMvQixXQUFTLElBQUksS0FBSyxZQUFZO0FBQzlCLFdBQVMsSUFBSSxXQUFXO0FBQ3hCLFNBQU87QUFDVDtBQUVBLElBQU0sUUFBUTtBQUNkLElBQU0sWUFBWTtBQUFBLEVBQ2hCLENBQUMsRUFBRSxJQUFJLE9BQU8sUUFBUSxDQUFDLEtBQUssR0FBRyxHQUFHLFNBQVMsQ0FBQyxHQUFHLEVBQUUsQ0FBQztBQUFBLEVBQ2xELENBQUMsQ0FBQyxLQUFLLE9BQU8sQ0FBQyxHQUFHLENBQUMsQ0FBQztBQUFBLEVBQ3BCLENBQUMsQ0FBQyxLQUFLLE9BQU8sQ0FBQyxHQUFHLENBQUMsQ0FBQztBQUN0QjtBQUVBLEtBQUssd0RBQXdELEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDakYsUUFBTSxFQUFFLGtCQUFrQixPQUFPLElBQUksTUFBTSxLQUFLO0FBQ2hELFFBQU0sVUFBVSxNQUFNLGlCQUFpQixPQUFPLFNBQVM7QUFDdkQsU0FBTyxVQUFVLFFBQVEsWUFBWSxDQUFDLEdBQUcsQ0FBQztBQUMxQyxTQUFPLFVBQVUsUUFBUSxnQkFBZ0IsQ0FBQyxFQUFFLE1BQU0sS0FBSyxVQUFVLE1BQU0sTUFBTSxXQUFXLE9BQU8sQ0FBQyxHQUFHLEVBQUUsQ0FBQyxDQUFDO0FBQ3ZHLFNBQU8sTUFBTSxRQUFRLFNBQVMsQ0FBQztBQUMvQixRQUFNLEVBQUUsRUFBRSxJQUFJLE1BQU0sUUFBUSxJQUFJLEVBQUUsR0FBRyxJQUFJLE9BQU8sV0FBVyxDQUFDLEdBQUcsR0FBRyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQzVFLFNBQU8sVUFBVSxHQUFHLE1BQU0sSUFBSSxhQUFhLENBQUMsR0FBRyxHQUFHLENBQUMsQ0FBQyxDQUFDO0FBQ3JELFNBQU8sR0FBRyxRQUFRLE9BQU8sYUFBYSxLQUFLLFFBQVEsT0FBTyxZQUFZLENBQUM7QUFDdkUsUUFBTSxRQUFRLFFBQVE7QUFDeEIsQ0FBQztBQUVELEtBQUssa0VBQWtFLEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDM0YsUUFBTSxFQUFFLGtCQUFrQixPQUFPLElBQUksTUFBTSxLQUFLO0FBQ2hELFFBQU0sT0FBTyxLQUFLLEtBQUssUUFBUSxhQUFhO0FBQzVDLGdCQUFjLE1BQU0sU0FBUztBQUM3QixRQUFNLFNBQVMsSUFBSSxXQUFXLFVBQVUsU0FBUyxFQUFFO0FBQ25ELFNBQU8sSUFBSSxXQUFXLEVBQUU7QUFDeEIsUUFBTSxXQUFXLE1BQU0sUUFBUSxJQUFJO0FBQUEsSUFDakMsaUJBQWlCLE9BQU8sSUFBSTtBQUFBLElBQzVCLGlCQUFpQixPQUFPLGNBQWMsSUFBSSxDQUFDO0FBQUEsSUFDM0MsaUJBQWlCLE9BQU8sVUFBVSxNQUFNLEVBQUUsTUFBTTtBQUFBLElBQ2hELGlCQUFpQixPQUFPLE9BQU8sUUFBUSxJQUFJLFVBQVUsTUFBTTtBQUFBLElBQzNELGlCQUFpQixPQUFPLElBQUksS0FBSyxDQUFDLFVBQVUsTUFBTSxDQUFDLENBQUMsQ0FBQztBQUFBLEVBQ3ZELENBQUM7QUFDRCxhQUFXLFdBQVcsVUFBVTtBQUM5QixVQUFNLEVBQUUsRUFBRSxJQUFJLE1BQU0sUUFBUSxJQUFJLEVBQUUsR0FBRyxJQUFJLE9BQU8sV0FBVyxDQUFDLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQyxFQUFFLENBQUM7QUFDdEUsV0FBTyxVQUFVLEdBQUcsTUFBTSxJQUFJLGFBQWEsQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUMvQyxVQUFNLFFBQVEsUUFBUTtBQUFBLEVBQ3hCO0FBQ0EsUUFBTSxPQUFPLFFBQVEsaUJBQWlCLE9BQU8sT0FBTyxRQUFRLElBQUksR0FBSSxHQUFHLEVBQUUsTUFBTSxtQkFBbUIsQ0FBQztBQUNyRyxDQUFDO0FBRUQsS0FBSyw4RUFBOEUsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUN2RyxRQUFNLEVBQUUsa0JBQWtCLFFBQVEsSUFBSSxJQUFJLE1BQU0sS0FBSztBQUNyRCxRQUFNLFFBQVE7QUFDZCxRQUFNLElBQUksSUFBSTtBQUFBLElBQ1o7QUFBQSxJQUNBLGFBQWEsS0FBSyxFQUFFLFFBQVEsTUFBTSxHQUFHLENBQUMsR0FBRyxVQUFVLEtBQUssSUFBSSxLQUFLLENBQUM7QUFBQSxJQUNsRSxDQUFDLEtBQUs7QUFBQSxFQUNSO0FBQ0EsUUFBTSxVQUF3QixDQUFDO0FBQy9CLGFBQVcsV0FBVyxDQUFDLEdBQUcsR0FBRyxDQUFDLEdBQUc7QUFDL0IsUUFBSSxLQUFLLGFBQWE7QUFDdEIsVUFBTSxVQUFVLE1BQU0saUJBQWlCLE9BQU8sU0FBUztBQUN2RCxXQUFPLE1BQU0sUUFBUSxTQUFTLE9BQU87QUFDckMsVUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLFFBQVEsSUFBSSxFQUFFLEVBQUUsQ0FBQztBQUNyQyxZQUFRLEtBQUssSUFBSSxZQUFZLEdBQUcsTUFBc0IsTUFBTSxDQUFDO0FBQzdELFVBQU0sUUFBUSxRQUFRO0FBQUEsRUFDeEI7QUFDQSxTQUFPLEdBQUcsUUFBUSxNQUFNLENBQUMsV0FBVyxPQUFPLFFBQVEsUUFBUSxRQUFRLENBQUMsS0FBSyxJQUFJLFdBQVcsQ0FBQyxNQUFNLENBQUMsQ0FBQztBQUNuRyxDQUFDO0FBRUQsS0FBSyxtREFBbUQsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUM1RSxRQUFNLEVBQUUsa0JBQWtCLE9BQU8sSUFBSSxNQUFNLEtBQUs7QUFDaEQsUUFBTSxDQUFDLEdBQUcsQ0FBQyxJQUFJLE1BQU0sUUFBUSxJQUFJLENBQUMsaUJBQWlCLE9BQU8sU0FBUyxHQUFHLGlCQUFpQixPQUFPLFNBQVMsQ0FBQyxDQUFDO0FBQ3pHLFFBQU0sT0FBTyxNQUFNO0FBQUEsSUFBSyxFQUFFLFFBQVEsR0FBRztBQUFBLElBQUcsQ0FBQyxHQUFHLFdBQ3pDLFFBQVEsSUFBSSxJQUFJLEdBQUcsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxLQUFLLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQUEsRUFDcEU7QUFDQSxRQUFNLFVBQVUsTUFBTSxRQUFRLElBQUksSUFBSSxHQUFHLElBQUksQ0FBQyxFQUFFLEdBQUFDLEdBQUUsTUFBTUEsSUFBRyxLQUFLLENBQUMsQ0FBQztBQUNsRSxTQUFPO0FBQUEsSUFDTDtBQUFBLElBQ0EsTUFBTSxLQUFLLEVBQUUsUUFBUSxHQUFHLEdBQUcsQ0FBQyxHQUFHLFVBQVUsSUFBSSxLQUFLO0FBQUEsRUFDcEQ7QUFDQSxRQUFNLEVBQUUsUUFBUTtBQUNoQixRQUFNLEVBQUUsUUFBUTtBQUNoQixRQUFNLE9BQU8sUUFBUSxFQUFFLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxXQUFXLENBQUMsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQyxHQUFHLFVBQVU7QUFDOUUsUUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLEVBQUUsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQ2hFLFNBQU8sTUFBTSxHQUFHLEtBQUssQ0FBQyxHQUFHLENBQUM7QUFDMUIsUUFBTSxFQUFFLFFBQVE7QUFDbEIsQ0FBQztBQUVELEtBQUssb0NBQW9DLEVBQUUsS0FBSyxHQUFHLFlBQVk7QUFDN0QsUUFBTSxFQUFFLGtCQUFrQixPQUFPLElBQUksTUFBTSxLQUFLO0FBQ2hELFFBQU0sTUFBTTtBQUFBLElBQ1Y7QUFBQSxNQUNFLEVBQUUsSUFBSSxPQUFPLFFBQVEsQ0FBQyxLQUFLLEdBQUcsR0FBRyxTQUFTLENBQUMsR0FBRyxFQUFFO0FBQUEsTUFDaEQsRUFBRSxJQUFJLE9BQU8sUUFBUSxDQUFDLEdBQUcsR0FBRyxTQUFTLENBQUMsR0FBRyxFQUFFO0FBQUEsSUFDN0M7QUFBQSxJQUNBLENBQUMsQ0FBQyxLQUFLLE9BQU8sQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUFBLElBQ2xCO0FBQUEsTUFDRSxDQUFDLEtBQUssT0FBTyxDQUFDLENBQUMsQ0FBQztBQUFBLE1BQ2hCLENBQUMsS0FBSyxPQUFPLENBQUMsQ0FBQyxDQUFDO0FBQUEsSUFDbEI7QUFBQSxFQUNGO0FBQ0EsUUFBTSxVQUFVLE1BQU0saUJBQWlCLE9BQU8sR0FBRztBQUNqRCxRQUFNLElBQUksSUFBSSxPQUFPLFdBQVcsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQztBQUMzQyxTQUFPLFVBQVUsT0FBTyxLQUFLLE1BQU0sUUFBUSxJQUFJLEVBQUUsRUFBRSxDQUFDLENBQUMsR0FBRyxDQUFDLEtBQUssR0FBRyxDQUFDO0FBQ2xFLFNBQU8sVUFBVSxPQUFPLEtBQUssTUFBTSxRQUFRLElBQUksRUFBRSxFQUFFLEdBQUcsQ0FBQyxHQUFHLENBQUMsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDO0FBQ3BFLFFBQU0sT0FBTyxJQUFJLE9BQU8sV0FBVyxDQUFDLEdBQUcsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDO0FBQzlDLFFBQU0sVUFBVSxNQUFNLFFBQVEsSUFBSSxFQUFFLEVBQUUsR0FBRyxFQUFFLEdBQUcsS0FBSyxDQUFDO0FBQ3BELFNBQU8sTUFBTSxRQUFRLEdBQUcsR0FBRyxJQUFJO0FBQy9CLFNBQU8sVUFBVSxLQUFLLE1BQU0sSUFBSSxhQUFhLENBQUMsSUFBSSxFQUFFLENBQUMsQ0FBQztBQUN0RCxRQUFNLFFBQVEsUUFBUTtBQUN4QixDQUFDO0FBRUQsS0FBSyx3RUFBd0UsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUNqRyxRQUFNLEVBQUUsa0JBQWtCLFFBQVEsYUFBYSxJQUFJLE1BQU0sS0FBSztBQUM5RCxRQUFNLFVBQVUsTUFBTSxpQkFBaUIsT0FBTyxTQUFTO0FBQ3ZELFFBQU0sT0FBTyxRQUFRLFFBQVEsSUFBSSxDQUFDLENBQUMsR0FBRyxFQUFFLE1BQU0sb0JBQW9CLFNBQVMsSUFBSSxDQUFDO0FBQ2hGLFFBQU0sT0FBTyxRQUFRLFFBQVEsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDLEdBQUcsRUFBRSxNQUFNLG9CQUFvQixTQUFTLElBQUksQ0FBQztBQUNwSCxRQUFNLE9BQU8sUUFBUSxRQUFRLElBQUksRUFBRSxHQUFHLElBQUksT0FBTyxTQUFTLENBQUMsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLEVBQUUsQ0FBQyxHQUFHO0FBQUEsSUFDdEUsTUFBTTtBQUFBLElBQ04sU0FBUztBQUFBLEVBQ1gsQ0FBQztBQUNELFFBQU0sT0FBTyxRQUFRLFFBQVEsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxHQUFHLENBQUMsQ0FBQyxFQUFFLENBQUMsR0FBRyxFQUFFLE1BQU0sbUJBQW1CLENBQUM7QUFDekcsUUFBTSxRQUFRLFFBQVE7QUFFdEIsV0FBUyxTQUFTLEdBQUcsU0FBUyxVQUFVLFFBQVEsVUFBVSxHQUFHO0FBQzNELFVBQU0sT0FBTztBQUFBLE1BQ1gsaUJBQWlCLE9BQU8sVUFBVSxTQUFTLEdBQUcsTUFBTSxDQUFDO0FBQUEsTUFDckQsQ0FBQyxVQUFVLGlCQUFpQixnQkFBZ0IsTUFBTSxTQUFTLFVBQVUsTUFBTSxRQUFRLFNBQVM7QUFBQSxJQUM5RjtBQUFBLEVBQ0Y7QUFDQSxRQUFNLFVBQVU7QUFBQSxJQUNkLENBQUMsRUFBRSxJQUFJLGVBQWUsUUFBUSxDQUFDLEdBQUcsR0FBRyxTQUFTLENBQUMsR0FBRyxFQUFFLENBQUM7QUFBQSxJQUNyRCxDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUNsQixDQUFDLENBQUMsS0FBSyxPQUFPLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxFQUNwQjtBQUNBLFFBQU0sT0FBTyxRQUFRLGlCQUFpQixPQUFPLE9BQU8sR0FBRyxFQUFFLFNBQVMsY0FBYyxDQUFDO0FBQ2pGLFFBQU0sT0FBTyxRQUFRLGlCQUFpQixPQUFPLEtBQUssS0FBSyxRQUFRLGNBQWMsQ0FBQyxHQUFHLEVBQUUsTUFBTSxlQUFlLENBQUM7QUFFekcsUUFBTSxPQUFPLE1BQU0saUJBQWlCLE9BQU8sU0FBUztBQUNwRCxRQUFNLEVBQUUsRUFBRSxJQUFJLE1BQU0sS0FBSyxJQUFJLEVBQUUsR0FBRyxJQUFJLE9BQU8sV0FBVyxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUMsRUFBRSxDQUFDO0FBQ2xFLFNBQU8sTUFBTSxHQUFHLE1BQU0sQ0FBQztBQUN2QixRQUFNLEtBQUssUUFBUTtBQUNyQixDQUFDO0FBRUQsS0FBSywyQ0FBMkMsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUNwRSxRQUFNLEVBQUUsaUJBQWlCLElBQUksTUFBTSxLQUFLO0FBQ3hDLFFBQU0sUUFBUSxJQUFJLFdBQVcsR0FBUztBQUN0QyxRQUFNLFNBQVMsYUFBYSxDQUFDLFNBQVMsYUFBYTtBQUNqRCxRQUFJLFFBQVEsUUFBUSxlQUFlO0FBQ2pDLGVBQVMsSUFBSSxTQUFTO0FBQ3RCO0FBQUEsSUFDRjtBQUNBLGFBQVMsVUFBVSxLQUFLLEVBQUUsa0JBQWtCLE1BQU0sT0FBTyxDQUFDO0FBQzFELFFBQUksS0FBSztBQUNULFVBQU0sUUFBUSxZQUFZLE1BQU07QUFDOUIsVUFBSSxNQUFNLE1BQU0sVUFBVSxTQUFTLFVBQVcsZUFBYyxLQUFLO0FBQUEsVUFDNUQsVUFBUyxNQUFNLE1BQU0sU0FBUyxJQUFLLE1BQU0sR0FBUSxDQUFDO0FBQUEsSUFDekQsR0FBRyxDQUFDO0FBQUEsRUFDTixDQUFDO0FBQ0QsUUFBTSxJQUFJLFFBQWMsQ0FBQyxZQUFZLE9BQU8sT0FBTyxHQUFHLGFBQWEsT0FBTyxDQUFDO0FBQzNFLFFBQU0sT0FBTyxvQkFBcUIsT0FBTyxRQUFRLEVBQWtCLElBQUk7QUFDdkUsTUFBSTtBQUNGLFVBQU0sT0FBMkIsQ0FBQztBQUNsQyxVQUFNLFlBQVksVUFBVSxXQUFXLFFBQVEsRUFBRSxPQUFPLFNBQVMsRUFBRSxPQUFPLFFBQVEsQ0FBQztBQUNuRixVQUFNLFVBQVUsTUFBTSxpQkFBaUIsT0FBTyxHQUFHLElBQUksZUFBZTtBQUFBLE1BQ2xFLFlBQVksQ0FBQyxhQUFhLEtBQUssS0FBSyxRQUFRO0FBQUEsTUFDNUM7QUFBQSxJQUNGLENBQUM7QUFDRCxXQUFPLE1BQU0sS0FBSyxHQUFHLEVBQUUsR0FBRyxRQUFRLFVBQVUsTUFBTTtBQUNsRCxVQUFNLFFBQVEsUUFBUTtBQUN0QixVQUFNLE9BQU8sUUFBUSxpQkFBaUIsT0FBTyxHQUFHLElBQUksZUFBZSxFQUFFLFdBQVcsY0FBYyxDQUFDLEdBQUc7QUFBQSxNQUNoRyxNQUFNO0FBQUEsTUFDTixTQUFTO0FBQUEsSUFDWCxDQUFDO0FBRUQsVUFBTSxhQUFhLElBQUksZ0JBQWdCO0FBQ3ZDLFFBQUksT0FBTztBQUNYLFVBQU0sVUFBVSxpQkFBaUIsT0FBTyxHQUFHLElBQUksZUFBZTtBQUFBLE1BQzVELFFBQVEsV0FBVztBQUFBLE1BQ25CLFlBQVksQ0FBQyxFQUFFLFFBQVEsTUFBTSxNQUFNO0FBQ2pDLGVBQU87QUFDUCxZQUFJLFNBQVMsT0FBTyxTQUFTLFVBQVcsWUFBVyxNQUFNLElBQUksTUFBTSxRQUFRLENBQUM7QUFBQSxNQUM5RTtBQUFBLElBQ0YsQ0FBQztBQUNELFVBQU0sT0FBTyxRQUFRLFNBQVMsRUFBRSxNQUFNLFdBQVcsU0FBUyxTQUFTLENBQUM7QUFDcEUsV0FBTyxHQUFHLE9BQU8sTUFBTSxNQUFNO0FBQzdCLFVBQU0sT0FBTyxNQUFNLGlCQUFpQixPQUFPLFNBQVM7QUFDcEQsVUFBTSxLQUFLLFFBQVE7QUFBQSxFQUNyQixVQUFFO0FBQ0EsV0FBTyxvQkFBb0I7QUFDM0IsV0FBTyxNQUFNO0FBQUEsRUFDZjtBQUNGLENBQUM7QUFFRCxLQUFLLG1EQUFtRCxFQUFFLEtBQUssR0FBRyxZQUFZO0FBQzVFLFFBQU0sRUFBRSxrQkFBa0IsT0FBTyxJQUFJLE1BQU0sS0FBSztBQUNoRCxRQUFNLFFBQVE7QUFBQSxJQUNaLENBQUMsRUFBRSxJQUFJLE9BQU8sUUFBUSxDQUFDLEtBQUssR0FBRyxHQUFHLFNBQVMsQ0FBQyxHQUFHLEVBQUUsQ0FBQztBQUFBLElBQ2xELENBQUMsQ0FBQyxLQUFLLE9BQU8sQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUFBLElBQ2xCLENBQUMsQ0FBQyxLQUFLLE9BQU8sQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUFBLElBQ2xCLENBQUMsZUFBZSxLQUFLLENBQUMsQ0FBQyxHQUFHLE9BQU8sQ0FBQztBQUFBLEVBQ3BDO0FBQ0EsUUFBTSxVQUFVLElBQUksV0FBVyxJQUFJLGFBQWEsQ0FBQyxJQUFJLEVBQUUsQ0FBQyxFQUFFLE1BQU07QUFDaEUsUUFBTSxPQUFPLEtBQUssS0FBSyxRQUFRLGVBQWU7QUFDOUMsZ0JBQWMsTUFBTSxLQUFLO0FBQ3pCLFFBQU0sT0FBTyxRQUFRLGlCQUFpQixPQUFPLElBQUksR0FBRyxFQUFFLE1BQU0sZ0JBQWdCLFNBQVMsU0FBUyxDQUFDO0FBQy9GLGdCQUFjLEtBQUssS0FBSyxRQUFRLE9BQU8sR0FBRyxPQUFPO0FBQ2pELFFBQU0sV0FBVztBQUFBLElBQ2YsTUFBTSxpQkFBaUIsT0FBTyxJQUFJO0FBQUEsSUFDbEMsTUFBTSxpQkFBaUIsT0FBTyxPQUFPLEVBQUUsY0FBYyxDQUFDLEVBQUUsTUFBTSxTQUFTLE1BQU0sUUFBUSxDQUFDLEVBQUUsQ0FBQztBQUFBLElBQ3pGLE1BQU0saUJBQWlCLE9BQU8sT0FBTyxFQUFFLGNBQWMsQ0FBQyxFQUFFLE1BQU0sV0FBVyxNQUFNLEtBQUssS0FBSyxRQUFRLE9BQU8sRUFBRSxDQUFDLEVBQUUsQ0FBQztBQUFBLEVBQ2hIO0FBQ0EsYUFBVyxXQUFXLFVBQVU7QUFDOUIsVUFBTSxFQUFFLEVBQUUsSUFBSSxNQUFNLFFBQVEsSUFBSSxFQUFFLEdBQUcsSUFBSSxPQUFPLFdBQVcsQ0FBQyxHQUFHLENBQUMsR0FBRyxDQUFDLENBQUMsQ0FBQyxFQUFFLENBQUM7QUFDekUsV0FBTyxVQUFVLEdBQUcsTUFBTSxJQUFJLGFBQWEsQ0FBQyxJQUFJLEVBQUUsQ0FBQyxDQUFDO0FBQ3BELFVBQU0sUUFBUSxRQUFRO0FBQUEsRUFDeEI7QUFDQSxRQUFNLE9BQU8sUUFBUSxpQkFBaUIsT0FBTyxLQUFLLEdBQUcsRUFBRSxNQUFNLGdCQUFnQixTQUFTLGVBQWUsQ0FBQztBQUN4RyxDQUFDO0FBRUQsS0FBSyx5RUFBeUUsRUFBRSxLQUFLLEdBQUcsWUFBWTtBQUNsRyxRQUFNLEVBQUUsa0JBQWtCLElBQUksSUFBSSxNQUFNLEtBQUs7QUFDN0MsTUFBSSxLQUFLLGFBQWEsa0JBQWtCLElBQUksT0FBTztBQUNuRCxRQUFNLE9BQU8sUUFBUSxpQkFBaUIsT0FBTyxTQUFTLEdBQUcsRUFBRSxNQUFNLG9CQUFvQixTQUFTLHFCQUFxQixDQUFDO0FBQ3BILE1BQUksS0FBSyxhQUFhLGFBQWEsS0FBSyxLQUFLLE1BQU0sY0FBYyxDQUFDO0FBQ2xFLFFBQU0sVUFBVSxNQUFNLGlCQUFpQixPQUFPLFNBQVM7QUFDdkQsU0FBTyxNQUFNLFFBQVEsU0FBUyxNQUFNO0FBQ3BDLFFBQU0sUUFBUSxRQUFRO0FBQ3hCLENBQUM7QUFFRCxLQUFLLDBEQUEwRCxFQUFFLEtBQUssR0FBRyxZQUFZO0FBQ25GLFFBQU0sRUFBRSxrQkFBa0IsT0FBTyxJQUFJLE1BQU0sS0FBSztBQUNoRCxRQUFNLElBQUksSUFBSSxPQUFPLFdBQVcsSUFBSSxhQUFhLEdBQU8sR0FBRyxDQUFDLEdBQU8sQ0FBQztBQUNwRSxRQUFNLFFBQWtCLENBQUM7QUFDekIsV0FBUyxRQUFRLEdBQUcsUUFBUSxLQUFNLFNBQVM7QUFDekMsVUFBTSxVQUFVLE1BQU0saUJBQWlCLE9BQU8sU0FBUztBQUN2RCxVQUFNLFFBQVEsSUFBSSxFQUFFLEVBQUUsQ0FBQztBQUN2QixVQUFNLEtBQUssUUFBUSxPQUFPLEtBQUs7QUFDL0IsVUFBTSxRQUFRLFFBQVE7QUFBQSxFQUN4QjtBQUNBLFNBQU8sTUFBTSxNQUFNLEdBQUcsRUFBRSxHQUFHLE1BQU0sRUFBRSxDQUFDO0FBQ3RDLENBQUM7IiwKICAibmFtZXMiOiBbIm5hbWUiLCAieSJdCn0K
