// Runs models on the JavaScript package, the same way in Node (tests/node/run_model.mjs) and in Chromium
// (tests/browser/chromium.py). One job list goes in as JSON, one result per job comes out.
//
// {"jobs": [JOB...]}, or the bare array. JOB:
//   "id"             any string, repeated in the result
//   "model"          path of the .onnx file, or {"base64"}: the file itself
//   "external"       optional [{"path": name in the model, "file": path}]; without it files beside the model are used
//   "load"           "url" (default: the package reads the file itself) or "bytes" (it is given the bytes)
//   "threads"        optional; env.wasm.numThreads
//   "deterministic"  optional, default false
//   "options"        optional; further session options, as in js/src/options.ts
//   "wasm"           optional; further members of env.wasm (simd, wasmPaths, proxy ...)
//   "inputs"         [VALUE...] for every run
//   "steps"          optional [[VALUE...]...]: one run each, with these inputs besides "inputs"
//   "repeat"         optional; number of runs where there are no "steps" (default 1)
//   "feedback"       optional {output: input}: from the second run on, the input is what the run before gave as output
//   "fetches"        optional [name...]: outputs to compute (default all)
//   "keep"           "last" (default), "all" or "none": of which runs outputs are returned
//   "out"            optional folder: outputs of numbers are written there, as "<id>.<run>.<output>.bin" with odd
//                    characters replaced by _ ; the folder must exist
//   "embed"          optional; outputs of numbers come as "base64" whatever their size
//   "concurrent"     optional; start all runs before waiting for one (not with "feedback")
//   "profile"        optional; the result has "kernels", those of the last run's nodes in their order
//   "placement"      optional; the result has "placement", session.placement() after the last run
//   "reuse"          optional; keep the session, and let a later job with the same "model" and this set go on with it
// VALUE: {"name", "dtype", "dims", "file"}: little-endian raw elements, packed as in TensorProto.raw_data
//      | {"name", "dtype", "dims", "data": [...]}: small tensors inline; strings for 64-bit integers outside 2^53;
//         the bytes for the types whose array is no number array of the type (float16, bfloat16, packed ...)
//      | {"name", "dtype", "dims", "base64"}: the same bytes as in a file; not for strings
//      | {"name", "sequence": [VALUE without name...]} | {"name", "map": {"keys": [...], "values": [...]}} (64-bit
//         integers as {"int64": "12"}) | {"name", "none": true}
// dtype: the names of js/src/dtypes.ts: float32, int64, bool, string, float16, int4 ...
//
// Result: {"id", "ok": true, "ms": of the whole job, "threads", "flavour", "load_ms", "run_ms": [...], "memory": {inUse, peak, wasmBytes ...}, "warnings": [text...], "kernels",
//          "placement", "runs": [{"run": number, "outputs": [OUTPUT...]}]}
//       | {"id", "ok": false, "error": {"code", "message"}, "warnings", "ms"}
// OUTPUT: {"name", "dtype", "dims", "sha256" of the raw bytes, "bytes", "file" when "out" is given, otherwise
//          "base64" up to 64 KiB} ; strings as "data": [...] with the hash of their JSON
//       | {"name", "sequence": [OUTPUT...]} | {"name", "map": {"keys": [...], "values": [...]}} | {"name", "none": true}

const INLINE_LIMIT = 65536;
const BIG_INTEGERS = new Set(['int64', 'uint64']);
const PLAIN = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  complex64: Float32Array,
  complex128: Float64Array,
};
const SIXTEEN_BIT = new Set(['float16', 'bfloat16']);

/**
 * @param package_ the module `onnxlet`
 * @param io what differs between hosts: read(path) -> Uint8Array, readText(path), write(path, Uint8Array),
 *           address(path) -> what InferenceSession.create takes, sha256(Uint8Array) -> hex
 */
export async function runJobs(jobs, package_, io) {
  const results = [];
  const sessions = new Map();
  for (const job of Array.isArray(jobs) ? jobs : jobs.jobs) results.push(await runJob(job, package_, io, sessions));
  for (const session of sessions.values()) await session.release();
  return results;
}

async function runJob(job, package_, io, sessions) {
  const warnings = [];
  const restore = listenToWarnings(warnings);
  const started = performance.now();
  const ms = () => performance.now() - started;
  try {
    return { id: job.id, ok: true, ...(await measure(job, package_, io, sessions)), warnings, ms: ms() };
  } catch (error) {
    const { code = error?.name ?? 'Error', message = String(error) } = error ?? {};
    return { id: job.id, ok: false, error: { code, message }, warnings, ms: ms() };
  } finally {
    restore();
  }
}

async function measure(job, package_, io, sessions) {
  const { env, Tensor } = package_;
  env.wasm.numThreads = job.threads;
  env.wasm.simd = undefined;
  env.wasm.proxy = undefined;
  env.wasm.wasmPaths = undefined;
  Object.assign(env.wasm, job.wasm ?? {});

  const started = performance.now();
  const kept = job.reuse ? sessions.get(job.model) : undefined;
  const session = kept ?? (await open(job, package_, io));
  if (job.reuse) sessions.set(job.model, session);
  const load_ms = performance.now() - started;
  try {
    const { runs, run_ms } = await runAll(job, session, Tensor, io);
    const { threads, flavour, memory } = session;
    const kernels = job.profile ? (await session.profile()).map(({ kernel }) => kernel) : undefined;
    const placement = job.placement ? await session.placement() : undefined;
    return { threads, flavour, load_ms, run_ms, memory, runs, kernels, placement };
  } finally {
    if (!job.reuse) await session.release();
  }
}

async function open(job, { InferenceSession }, io) {
  const model = await modelOf(job, io);
  const externalData = [];
  for (const { path, file } of job.external ?? []) {
    externalData.push({ path, data: job.load === 'bytes' ? await io.read(file) : io.address(file) });
  }
  return InferenceSession.create(model, {
    deterministic: job.deterministic ?? false,
    ...(externalData.length > 0 ? { externalData } : {}),
    ...(job.profile ? { enableProfiling: true } : {}),
    ...job.options,
  });
}

async function modelOf({ model, load }, io) {
  if (model.base64) return bytesOf(model.base64);
  return load === 'bytes' ? io.read(model) : io.address(model);
}

async function runAll(job, session, Tensor, io) {
  const common = await feedsOf(job.inputs ?? [], Tensor, io);
  const steps = job.steps ?? Array.from({ length: job.repeat ?? 1 }, () => []);
  const runs = [];
  const run_ms = [];
  const fetches = job.fetches ? [job.fetches] : [];
  const keep = async (index, outputs) => {
    if (job.keep === 'none' || (job.keep !== 'all' && index < steps.length - 1)) return;
    runs.push({ run: index, outputs: await describeAll(job, index, outputs, io) });
  };
  if (job.concurrent) {
    const feeds = [];
    for (const step of steps) feeds.push({ ...common, ...(await feedsOf(step, Tensor, io)) });
    const all = await Promise.all(feeds.map((feed) => session.run(feed, ...fetches)));
    for (const [index, outputs] of all.entries()) await keep(index, outputs);
    return { runs, run_ms };
  }
  let carried = {};
  for (const [index, step] of steps.entries()) {
    const feeds = { ...common, ...(await feedsOf(step, Tensor, io)), ...carried };
    const started = performance.now();
    const outputs = await session.run(feeds, ...fetches);
    run_ms.push(performance.now() - started);
    carried = Object.fromEntries(Object.entries(job.feedback ?? {}).map(([from, to]) => [to, outputs[from]]));
    await keep(index, outputs);
  }
  return { runs, run_ms };
}

export async function feedsOf(values, Tensor, io) {
  const feeds = {};
  for (const value of values) feeds[value.name] = await valueOf(value, Tensor, io);
  return feeds;
}

async function valueOf(value, Tensor, io) {
  if (value.none) return null;
  if (value.sequence) {
    const items = [];
    for (const item of value.sequence) items.push(await valueOf(item, Tensor, io));
    return items;
  }
  if (value.map) return new Map(value.map.keys.map((key, index) => [scalarOf(key), scalarOf(value.map.values[index])]));
  const { dtype, dims } = value;
  if (value.base64 !== undefined) return new Tensor(dtype, arrayOver(dtype, bytesOf(value.base64)), dims);
  if (value.data) return new Tensor(dtype, inlineData(dtype, value.data), dims);
  if (dtype === 'string') return new Tensor(dtype, JSON.parse(await io.readText(value.file)), dims);
  return new Tensor(dtype, arrayOver(dtype, await io.read(value.file)), dims);
}

function scalarOf(value) {
  return typeof value === 'object' ? BigInt(value.int64) : value;
}

function inlineData(dtype, data) {
  if (dtype === 'string') return data;
  if (BIG_INTEGERS.has(dtype)) return PLAIN[dtype].from(data, (item) => BigInt(item));
  if (PLAIN[dtype]) return PLAIN[dtype].from(data);
  return arrayOver(dtype, Uint8Array.from(data));
}

function arrayOver(dtype, bytes) {
  const aligned = bytes.byteOffset % 16 === 0 ? bytes : bytes.slice();
  const Constructor = PLAIN[dtype] ?? (SIXTEEN_BIT.has(dtype) ? Uint16Array : Uint8Array);
  return new Constructor(aligned.buffer, aligned.byteOffset, aligned.byteLength / Constructor.BYTES_PER_ELEMENT);
}

async function describeAll(job, run, outputs, io) {
  const limit = job.embed ? Infinity : INLINE_LIMIT;
  const described = [];
  for (const [name, value] of Object.entries(outputs)) {
    const file = job.out && `${job.out}/${`${job.id}.${run}.${name}`.replace(/[^\w.-]/g, '_')}`;
    described.push({ name, ...(await describe(value, file, limit, io)) });
  }
  return described;
}

async function describe(value, file, limit, io) {
  if (value === null) return { none: true };
  if (Array.isArray(value)) {
    const sequence = [];
    for (const [index, item] of value.entries()) {
      sequence.push(await describe(item, file && `${file}.${index}`, limit, io));
    }
    return { sequence };
  }
  if (value instanceof Map) {
    const plain = (items) => [...items].map((item) => (typeof item === 'bigint' ? { int64: String(item) } : item));
    return { map: { keys: plain(value.keys()), values: plain(value.values()) } };
  }
  const { type: dtype, dims, data } = value;
  if (dtype === 'string') {
    return { dtype, dims, data, sha256: await io.sha256(new TextEncoder().encode(JSON.stringify(data))) };
  }
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const described = { dtype, dims, bytes: bytes.length, sha256: await io.sha256(bytes) };
  if (file) {
    described.file = `${file}.bin`;
    await io.write(described.file, bytes);
  } else if (bytes.length <= limit) {
    described.base64 = base64(bytes);
  }
  return described;
}

function base64(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function listenToWarnings(warnings) {
  const { warn, error } = console;
  console.warn = (...words) => {
    warnings.push(words.join(' '));
  };
  console.error = console.warn;
  return () => Object.assign(console, { warn, error });
}
