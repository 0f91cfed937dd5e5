// loading.test.ts
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

// ../src/errors.ts
var OnnxletError = class extends Error {
  name = "OnnxletError";
  code;
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
};
function aborted(reason) {
  return new OnnxletError("ABORTED", `stopped by the caller: ${messageOf(reason)}`, { cause: reason });
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// ../src/fetching.ts
async function fetchFile(url, what, signal) {
  let response;
  try {
    response = await fetch(url, signal ? { signal } : {});
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal.reason);
    throw new OnnxletError("LOAD_FAILED", `could not fetch ${what} from ${url}: ${messageOf(cause)}`, { cause });
  }
  if (!response.ok) {
    throw new OnnxletError(
      response.status === 404 || response.status === 410 ? "NO_SUCH_FILE" : "LOAD_FAILED",
      `could not fetch ${what}: the server answered ${response.status} ${response.statusText} for ${url}`.trimEnd()
    );
  }
  const type = response.headers.get("content-type") ?? "";
  if (/^text\/html\b/i.test(type)) throw gotHtml(url, what);
  return response;
}
function gotHtml(url, what) {
  return new OnnxletError(
    "LOAD_FAILED",
    `expected ${what} but got text/html from ${url}; the file is probably missing there and the server answers with a page. Serve the file at this address, or name the right one`
  );
}
var DIGESTS = { sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };
async function checkIntegrity(bytes, integrity, what) {
  const hashes = integrity.trim().split(/\s+/).map((item) => /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+=*)(\?.*)?$/.exec(item)).filter((match) => match !== null).map((match) => ({ algorithm: match[1] ?? "", value: match[2] ?? "" }));
  const strongest = hashes.map((hash) => hash.algorithm).sort().at(-1);
  if (strongest === void 0) {
    throw new OnnxletError(
      "INVALID_ARGUMENT",
      `integrity must be like "sha384-<base64>"; got ${JSON.stringify(integrity)}`
    );
  }
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) {
    throw new OnnxletError(
      "NOT_IMPLEMENTED",
      "integrity needs WebCrypto, which pages have over https and on localhost only"
    );
  }
  const digest = await subtle.digest(DIGESTS[strongest] ?? "", unshared(bytes));
  const actual = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const wanted = hashes.filter((hash) => hash.algorithm === strongest).map((hash) => hash.value);
  if (!wanted.some((value) => value.replaceAll("-", "+").replaceAll("_", "/") === actual)) {
    throw new OnnxletError(
      "LOAD_FAILED",
      `${what} fails its integrity check: expected ${strongest}-${wanted.join(" or ")}, got ${strongest}-${actual}`
    );
  }
}
function unshared(bytes) {
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}

// ../src/wasm-head.ts
function isWasm(bytes) {
  return bytes[0] === 0 && bytes[1] === 97 && bytes[2] === 115 && bytes[3] === 109;
}
var IMPORT_SECTION = 2;
var KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 };
function importedMemory(bytes) {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const section2 = reader.byte();
    const size = reader.leb();
    if (section2 === IMPORT_SECTION) {
      if (reader.at + size > bytes.length) return "incomplete";
      return memoryAmongImports(reader);
    }
    if (section2 > IMPORT_SECTION) return null;
    reader.skip(size);
  }
  return "incomplete";
}
function memoryAmongImports(reader) {
  for (let left = reader.leb(); left > 0; left--) {
    reader.skip(reader.leb());
    reader.skip(reader.leb());
    switch (reader.byte()) {
      case KIND.function:
        reader.leb();
        break;
      case KIND.table:
        reader.byte();
        reader.limits();
        break;
      case KIND.memory:
        return reader.limits();
      case KIND.global:
        reader.skip(2);
        break;
      case KIND.tag:
        reader.byte();
        reader.leb();
        break;
    }
  }
  return null;
}
var Reader = class {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  bytes;
  at;
  byte() {
    return this.bytes[this.at++] ?? 0;
  }
  skip(count) {
    this.at += count;
  }
  leb() {
    let value = 0;
    let scale = 1;
    for (; ; ) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  limits() {
    const flags = this.byte();
    const initial = this.leb();
    const maximum = flags & 1 ? this.leb() : 65536;
    return { initial, maximum, shared: (flags & 2) !== 0 };
  }
};

// ../src/compile.ts
var compiled = /* @__PURE__ */ new Map();
function compileUrl(url) {
  let pending = compiled.get(url);
  if (!pending) {
    pending = url.startsWith("file:") ? compileFile(url) : compileFetched(url);
    compiled.set(url, pending);
    pending.catch(() => compiled.delete(url));
  }
  return pending;
}
async function compileBytes(bytes, origin) {
  if (!isWasm(bytes)) {
    throw new OnnxletError("LOAD_FAILED", `${origin} holds no WebAssembly: it begins with ${startOf(bytes)}`);
  }
  const head = importedMemory(bytes);
  const module = await compileOrExplain(() => WebAssembly.compile(bytes), origin);
  return { module, memory: head === "incomplete" ? null : head, origin };
}
async function compileFile(url) {
  const { readFile } = await import(
    /* webpackIgnore: true */
    /* @vite-ignore */
    "node:fs/promises"
  );
  let bytes;
  try {
    bytes = await readFile(new URL(url));
  } catch (cause) {
    throw new OnnxletError("NO_SUCH_FILE", `could not read the engine: ${messageOf(cause)}`, { cause });
  }
  return compileBytes(bytes, url);
}
async function compileFetched(url) {
  const response = await fetchFile(url, "the WebAssembly engine");
  if (!/^application\/wasm\b/i.test(response.headers.get("content-type") ?? "")) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!isWasm(bytes) && looksLikeHtml(bytes)) throw gotHtml(url, "the WebAssembly engine");
    return compileBytes(bytes, url);
  }
  const head = readHead(response.clone());
  const module = await compileOrExplain(() => WebAssembly.compileStreaming(response), url);
  const limits = await head;
  return { module, memory: limits === "incomplete" ? null : limits, origin: url };
}
async function readHead(response) {
  const reader = response.body?.getReader();
  let bytes = new Uint8Array(0);
  let result = "incomplete";
  while (reader && result === "incomplete") {
    const { done, value } = await reader.read();
    if (done) break;
    const longer = new Uint8Array(bytes.length + value.length);
    longer.set(bytes);
    longer.set(value, bytes.length);
    bytes = longer;
    result = importedMemory(bytes);
  }
  void reader?.cancel();
  return result;
}
async function compileOrExplain(compile, origin) {
  try {
    return await compile();
  } catch (cause) {
    throw new OnnxletError(
      "LOAD_FAILED",
      `the WebAssembly engine from ${origin} does not compile: ${messageOf(cause)}`,
      {
        cause
      }
    );
  }
}
function startOf(bytes) {
  return JSON.stringify(new TextDecoder().decode(bytes.slice(0, 16)));
}
function looksLikeHtml(bytes) {
  return /^\s*</.test(new TextDecoder().decode(bytes.slice(0, 64)));
}

// ../src/abi.gen.ts
var ABI_VERSION = 1;
var Code = {
  OK: 0,
  INVALID_ARGUMENT: 1,
  INVALID_PROTOBUF: 2,
  INVALID_GRAPH: 3,
  NOT_IMPLEMENTED: 4,
  OUT_OF_MEMORY: 5,
  RUN_FAILED: 6,
  ABORTED: 7,
  INTERNAL: 8
};
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

// ../src/env.ts
var VERSION = typeof ONNXLET_VERSION === "string" ? ONNXLET_VERSION : "0.0.0";
var env = {
  wasm: {},
  deterministic: false,
  logLevel: "warning",
  debug: false,
  versions: { common: VERSION, web: VERSION, onnxlet: VERSION, abi: String(ABI_VERSION) }
};

// ../src/module.ts
var CODE_NAMES = new Map(
  Object.entries(Code).map(([name2, value]) => [value, name2])
);
var PAGE = 65536;
var SMALLER_MAXIMA = [32768, 16384, 8192, 4096];
var EngineModule = class {
  constructor(exports, sharedMemory) {
    this.exports = exports;
    this.memory = sharedMemory ?? exports["memory"];
    this.abi = this.#guardAll(exports);
  }
  exports;
  abi;
  memory;
  #bytes = new Uint8Array(0);
  #lost;
  /** The error that ended this instance; no call is possible any more. */
  get lost() {
    return this.#lost;
  }
  /** Declares the instance unusable, because a thread of it has died. */
  lose(error) {
    this.#lost ??= error;
  }
  /** All of memory, made anew when it has grown: never keep it across a call. */
  get bytes() {
    const { buffer } = this.memory;
    if (this.#bytes.buffer !== buffer || this.#bytes.length !== buffer.byteLength) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }
  slice(pointer, length) {
    const copy = new Uint8Array(length);
    copy.set(this.bytes.subarray(pointer, pointer + length));
    return copy;
  }
  text(pointer, length) {
    return new TextDecoder().decode(this.slice(pointer, length));
  }
  /** A NUL-terminated string, such as every `const char*` the engine returns. */
  cString(pointer) {
    return this.text(pointer, this.bytes.indexOf(0, pointer) - pointer);
  }
  json(pointer) {
    if (pointer === 0) this.fail();
    return JSON.parse(this.cString(pointer));
  }
  alloc(length, what) {
    const pointer = this.abi.ol_alloc(length);
    if (pointer === 0) {
      throw new OnnxletError(
        "OUT_OF_MEMORY",
        `${what} needs ${length} bytes of engine memory, and they are refused; ${this.bytes.length} bytes are in use or reserved. Release other sessions, or use a smaller model`
      );
    }
    return pointer;
  }
  /** Lends the text as (pointer, length) for the time of one call. */
  withText(text, use) {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.alloc(Math.max(bytes.length, 1), "a string");
    try {
      this.bytes.set(bytes, pointer);
      return use(pointer, bytes.length);
    } finally {
      if (!this.#lost) this.abi.ol_free(pointer);
    }
  }
  /** Passes a result on, or throws the engine's error when it is NULL or negative. */
  check(result) {
    if (result < 0) this.fail();
    return result;
  }
  checkPointer(pointer) {
    if (pointer === 0) this.fail();
    return pointer;
  }
  /** Throws the failure that the engine has just reported. */
  fail() {
    const name2 = CODE_NAMES.get(this.abi.ol_last_code()) ?? "INTERNAL";
    const code = name2 === "OK" ? "INTERNAL" : name2;
    throw new OnnxletError(code, this.cString(this.abi.ol_last_message()) || "the engine failed without a message");
  }
  #guardAll(exports) {
    const abi = {};
    for (const [name2, result] of Object.entries(ABI_FUNCTIONS)) {
      const raw = exports[name2];
      abi[name2] = raw ? this.#guard(name2, raw, result === "ptr" || result === "usize") : () => missing(name2);
    }
    return abi;
  }
  // WebAssembly hands addresses over as signed numbers, and ends in a trap where C++ would crash.
  #guard(name2, raw, unsigned) {
    return (...args) => {
      if (this.#lost) throw this.#lost;
      try {
        const result = raw(...args);
        return unsigned ? result >>> 0 : result;
      } catch (cause) {
        this.#lost = new OnnxletError(
          "TRAP",
          `the engine stopped in ${name2}: ${messageOf(cause)}. Its sessions are lost; a new session starts a new engine. This is a defect of onnxlet`,
          { cause }
        );
        throw this.#lost;
      }
    };
  }
};
async function instantiate(engine) {
  const shared = engine.memory === null ? null : makeMemory(engine.memory, engine.origin);
  let instance;
  const made = {};
  const log = (_level, text, length) => {
    console.info(`onnxlet: ${made.module?.text(text >>> 0, length >>> 0) ?? ""}`);
  };
  try {
    instance = await WebAssembly.instantiate(engine.module, importsFor(engine.module, shared, log));
  } catch (cause) {
    throw new OnnxletError("INTERNAL", `the engine from ${engine.origin} does not start: ${messageOf(cause)}`, {
      cause
    });
  }
  const exports = instance.exports;
  if (typeof exports["_initialize"] === "function") exports["_initialize"]();
  const module = new EngineModule(exports, shared);
  made.module = module;
  checkVersion(module, engine.origin);
  return { module, sharedMemory: shared };
}
function importsFor(module, memory, log) {
  const known = {
    onnxlet: { ol_host_now: () => performance.now() * 1e3, ol_host_log: log },
    env: memory ? { memory } : {}
  };
  const imports = {};
  for (const { module: from, name: name2, kind } of WebAssembly.Module.imports(module)) {
    const value = known[from]?.[name2] ?? (kind === "function" ? () => missing(`${from}.${name2}`) : void 0);
    if (value !== void 0) (imports[from] ??= {})[name2] = value;
  }
  return imports;
}
function missing(name2) {
  throw new OnnxletError("VERSION_MISMATCH", `${name2} is not known to both sides; JavaScript is onnxlet ${VERSION}`);
}
function checkVersion(module, origin) {
  const { exports } = module;
  if (typeof exports["ol_abi_version"] !== "function" || typeof exports["ol_version"] !== "function") {
    throw new OnnxletError("VERSION_MISMATCH", `${origin} is no onnxlet engine: it does not tell its version`);
  }
  const abi = module.abi.ol_abi_version();
  const absent = Object.keys(ABI_FUNCTIONS).filter((name2) => !(name2 in exports));
  if (abi === ABI_VERSION && absent.length === 0) return;
  const version = module.cString(module.abi.ol_version());
  throw new OnnxletError(
    "VERSION_MISMATCH",
    `JavaScript of onnxlet ${VERSION} (ABI ${ABI_VERSION}) cannot drive WebAssembly of onnxlet ${version} (ABI ${abi}) from ${origin}${absent.length > 0 ? `, which lacks ${someOf(absent)}` : ""}; use files of one version`
  );
}
function someOf(names) {
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more functions`;
}
function makeMemory(limits, origin) {
  let cause;
  for (const maximum of [limits.maximum, ...SMALLER_MAXIMA.filter((pages) => pages < limits.maximum)]) {
    try {
      return new WebAssembly.Memory({ initial: limits.initial, maximum, shared: limits.shared });
    } catch (error) {
      cause = error;
    }
  }
  throw new OnnxletError(
    "OUT_OF_MEMORY",
    `shared memory of ${limits.initial * PAGE} bytes for ${origin} is refused: ${messageOf(cause)}`,
    { cause }
  );
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
function constant(value) {
  const body = [0, 65, ...leb(value), 11];
  return [...leb(body.length), ...body];
}
var VERSION_AT = 16;
var INFO_AT = 48;
function versionOnlyEngine(abi, version) {
  return fakeEngine(version, [
    ["ol_abi_version", true, constant(abi)],
    ["ol_version", true, constant(VERSION_AT)]
  ]);
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

// loading.test.ts
var HTML = "<!doctype html><title>Not found</title>";
var server = createServer((request, response) => {
  const routes = {
    "/html": [200, "text/html; charset=utf-8", HTML],
    "/html-as-wasm": [200, "application/octet-stream", HTML],
    "/broken.wasm": [200, "application/wasm", "not wasm at all"],
    "/other.wasm": [200, "application/wasm", versionOnlyEngine(42, "9.9.9")],
    "/other-untyped.wasm": [200, "application/octet-stream", versionOnlyEngine(42, "9.9.9")],
    "/forbidden": [403, "text/plain", "no"]
  };
  const [status, type, body] = routes[request.url ?? ""] ?? [404, "text/plain", "nothing here"];
  response.writeHead(status, { "content-type": type }).end(body);
});
var base = "";
before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
async function rejects(promise, code, message) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof OnnxletError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}
test("a page instead of the engine is named as such", async () => {
  await rejects(compileUrl(`${base}/html`), "LOAD_FAILED", /got text\/html from http:.*\/html/);
  await rejects(compileUrl(`${base}/html-as-wasm`), "LOAD_FAILED", /got text\/html from/);
});
test("HTTP errors carry status and address", async () => {
  await rejects(fetchFile(`${base}/nowhere`, "the model"), "NO_SUCH_FILE", /the model.*404 Not Found for .*nowhere/);
  await rejects(fetchFile(`${base}/forbidden`, "the model"), "LOAD_FAILED", /403/);
  await rejects(fetchFile("http://127.0.0.1:1/x", "the model"), "LOAD_FAILED", /could not fetch the model/);
});
test("an aborted fetch is ABORTED and keeps the reason", async () => {
  const reason = new Error("enough");
  await assert.rejects(fetchFile(`${base}/html`, "x", AbortSignal.abort(reason)), { code: "ABORTED", cause: reason });
});
test("bytes that are no WebAssembly", async () => {
  await rejects(compileUrl(`${base}/broken.wasm`), "LOAD_FAILED", /does not compile/);
  await rejects(compileBytes(new TextEncoder().encode("hello"), "x"), "LOAD_FAILED", /begins with "hello"/);
});
test("versions that do not belong together are both named", async () => {
  for (const file of ["other.wasm", "other-untyped.wasm"]) {
    const engine = await compileUrl(`${base}/${file}`);
    await rejects(
      instantiate(engine),
      "VERSION_MISMATCH",
      /JavaScript of onnxlet .* \(ABI \d+\).*WebAssembly of onnxlet 9\.9\.9 \(ABI 42\)/
    );
  }
});
test("a failed download is tried again", async () => {
  await assert.rejects(compileUrl(`${base}/nowhere`));
  await rejects(compileUrl(`${base}/nowhere`), "NO_SUCH_FILE", /404/);
});
test("integrity accepts the right hash and names both otherwise", async () => {
  const bytes = new TextEncoder().encode("model");
  const right = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
  await checkIntegrity(bytes, right, "m");
  await checkIntegrity(bytes, `sha256-AAAA ${right}`, "m");
  await rejects(checkIntegrity(bytes, "sha256-AAAA", "m"), "LOAD_FAILED", /expected sha256-AAAA, got sha256-/);
  await rejects(checkIntegrity(bytes, "md5-AAAA", "m"), "INVALID_ARGUMENT", /sha384-<base64>/);
});
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiLi4vLi4vdGVzdC9sb2FkaW5nLnRlc3QudHMiLCAiLi4vLi4vc3JjL2Vycm9ycy50cyIsICIuLi8uLi9zcmMvZmV0Y2hpbmcudHMiLCAiLi4vLi4vc3JjL3dhc20taGVhZC50cyIsICIuLi8uLi9zcmMvY29tcGlsZS50cyIsICIuLi8uLi9zcmMvYWJpLmdlbi50cyIsICIuLi8uLi9zcmMvZW52LnRzIiwgIi4uLy4uL3NyYy9tb2R1bGUudHMiLCAiLi4vLi4vdGVzdC93YXNtLXdyaXRlci50cyJdLAogICJzb3VyY2VzQ29udGVudCI6IFsiaW1wb3J0IGFzc2VydCBmcm9tICdub2RlOmFzc2VydC9zdHJpY3QnO1xuaW1wb3J0IHsgY3JlYXRlSGFzaCB9IGZyb20gJ25vZGU6Y3J5cHRvJztcbmltcG9ydCB7IGNyZWF0ZVNlcnZlciB9IGZyb20gJ25vZGU6aHR0cCc7XG5pbXBvcnQgdHlwZSB7IEluY29taW5nTWVzc2FnZSwgU2VydmVyUmVzcG9uc2UgfSBmcm9tICdub2RlOmh0dHAnO1xuaW1wb3J0IHR5cGUgeyBBZGRyZXNzSW5mbyB9IGZyb20gJ25vZGU6bmV0JztcbmltcG9ydCB7IGFmdGVyLCBiZWZvcmUsIHRlc3QgfSBmcm9tICdub2RlOnRlc3QnO1xuaW1wb3J0IHsgY29tcGlsZUJ5dGVzLCBjb21waWxlVXJsIH0gZnJvbSAnLi4vc3JjL2NvbXBpbGUuanMnO1xuaW1wb3J0IHsgT25ueGxldEVycm9yIH0gZnJvbSAnLi4vc3JjL2Vycm9ycy5qcyc7XG5pbXBvcnQgdHlwZSB7IEVycm9yQ29kZSB9IGZyb20gJy4uL3NyYy9lcnJvcnMuanMnO1xuaW1wb3J0IHsgY2hlY2tJbnRlZ3JpdHksIGZldGNoRmlsZSB9IGZyb20gJy4uL3NyYy9mZXRjaGluZy5qcyc7XG5pbXBvcnQgeyBpbnN0YW50aWF0ZSB9IGZyb20gJy4uL3NyYy9tb2R1bGUuanMnO1xuaW1wb3J0IHsgdmVyc2lvbk9ubHlFbmdpbmUgfSBmcm9tICcuL3dhc20td3JpdGVyLmpzJztcblxuY29uc3QgSFRNTCA9ICc8IWRvY3R5cGUgaHRtbD48dGl0bGU+Tm90IGZvdW5kPC90aXRsZT4nO1xuY29uc3Qgc2VydmVyID0gY3JlYXRlU2VydmVyKChyZXF1ZXN0OiBJbmNvbWluZ01lc3NhZ2UsIHJlc3BvbnNlOiBTZXJ2ZXJSZXNwb25zZSkgPT4ge1xuICBjb25zdCByb3V0ZXM6IFJlY29yZDxzdHJpbmcsIFtudW1iZXIsIHN0cmluZywgc3RyaW5nIHwgVWludDhBcnJheV0+ID0ge1xuICAgICcvaHRtbCc6IFsyMDAsICd0ZXh0L2h0bWw7IGNoYXJzZXQ9dXRmLTgnLCBIVE1MXSxcbiAgICAnL2h0bWwtYXMtd2FzbSc6IFsyMDAsICdhcHBsaWNhdGlvbi9vY3RldC1zdHJlYW0nLCBIVE1MXSxcbiAgICAnL2Jyb2tlbi53YXNtJzogWzIwMCwgJ2FwcGxpY2F0aW9uL3dhc20nLCAnbm90IHdhc20gYXQgYWxsJ10sXG4gICAgJy9vdGhlci53YXNtJzogWzIwMCwgJ2FwcGxpY2F0aW9uL3dhc20nLCB2ZXJzaW9uT25seUVuZ2luZSg0MiwgJzkuOS45JyldLFxuICAgICcvb3RoZXItdW50eXBlZC53YXNtJzogWzIwMCwgJ2FwcGxpY2F0aW9uL29jdGV0LXN0cmVhbScsIHZlcnNpb25Pbmx5RW5naW5lKDQyLCAnOS45LjknKV0sXG4gICAgJy9mb3JiaWRkZW4nOiBbNDAzLCAndGV4dC9wbGFpbicsICdubyddLFxuICB9O1xuICBjb25zdCBbc3RhdHVzLCB0eXBlLCBib2R5XSA9IHJvdXRlc1tyZXF1ZXN0LnVybCA/PyAnJ10gPz8gWzQwNCwgJ3RleHQvcGxhaW4nLCAnbm90aGluZyBoZXJlJ107XG4gIHJlc3BvbnNlLndyaXRlSGVhZChzdGF0dXMsIHsgJ2NvbnRlbnQtdHlwZSc6IHR5cGUgfSkuZW5kKGJvZHkpO1xufSk7XG5sZXQgYmFzZSA9ICcnO1xuXG5iZWZvcmUoYXN5bmMgKCkgPT4ge1xuICBhd2FpdCBuZXcgUHJvbWlzZTx2b2lkPigocmVzb2x2ZSkgPT4gc2VydmVyLmxpc3RlbigwLCAnMTI3LjAuMC4xJywgcmVzb2x2ZSkpO1xuICBiYXNlID0gYGh0dHA6Ly8xMjcuMC4wLjE6JHsoc2VydmVyLmFkZHJlc3MoKSBhcyBBZGRyZXNzSW5mbykucG9ydH1gO1xufSk7XG5hZnRlcigoKSA9PiB7XG4gIHNlcnZlci5jbG9zZUFsbENvbm5lY3Rpb25zKCk7XG4gIHNlcnZlci5jbG9zZSgpO1xufSk7XG5cbmFzeW5jIGZ1bmN0aW9uIHJlamVjdHMocHJvbWlzZTogUHJvbWlzZTx1bmtub3duPiwgY29kZTogRXJyb3JDb2RlLCBtZXNzYWdlOiBSZWdFeHApOiBQcm9taXNlPHZvaWQ+IHtcbiAgYXdhaXQgYXNzZXJ0LnJlamVjdHMocHJvbWlzZSwgKGVycm9yKSA9PiB7XG4gICAgYXNzZXJ0Lm9rKGVycm9yIGluc3RhbmNlb2YgT25ueGxldEVycm9yLCBTdHJpbmcoZXJyb3IpKTtcbiAgICBhc3NlcnQuZXF1YWwoZXJyb3IuY29kZSwgY29kZSk7XG4gICAgYXNzZXJ0Lm1hdGNoKGVycm9yLm1lc3NhZ2UsIG1lc3NhZ2UpO1xuICAgIHJldHVybiB0cnVlO1xuICB9KTtcbn1cblxudGVzdCgnYSBwYWdlIGluc3RlYWQgb2YgdGhlIGVuZ2luZSBpcyBuYW1lZCBhcyBzdWNoJywgYXN5bmMgKCkgPT4ge1xuICBhd2FpdCByZWplY3RzKGNvbXBpbGVVcmwoYCR7YmFzZX0vaHRtbGApLCAnTE9BRF9GQUlMRUQnLCAvZ290IHRleHRcXC9odG1sIGZyb20gaHR0cDouKlxcL2h0bWwvKTtcbiAgYXdhaXQgcmVqZWN0cyhjb21waWxlVXJsKGAke2Jhc2V9L2h0bWwtYXMtd2FzbWApLCAnTE9BRF9GQUlMRUQnLCAvZ290IHRleHRcXC9odG1sIGZyb20vKTtcbn0pO1xuXG50ZXN0KCdIVFRQIGVycm9ycyBjYXJyeSBzdGF0dXMgYW5kIGFkZHJlc3MnLCBhc3luYyAoKSA9PiB7XG4gIGF3YWl0IHJlamVjdHMoZmV0Y2hGaWxlKGAke2Jhc2V9L25vd2hlcmVgLCAndGhlIG1vZGVsJyksICdOT19TVUNIX0ZJTEUnLCAvdGhlIG1vZGVsLio0MDQgTm90IEZvdW5kIGZvciAuKm5vd2hlcmUvKTtcbiAgYXdhaXQgcmVqZWN0cyhmZXRjaEZpbGUoYCR7YmFzZX0vZm9yYmlkZGVuYCwgJ3RoZSBtb2RlbCcpLCAnTE9BRF9GQUlMRUQnLCAvNDAzLyk7XG4gIGF3YWl0IHJlamVjdHMoZmV0Y2hGaWxlKCdodHRwOi8vMTI3LjAuMC4xOjEveCcsICd0aGUgbW9kZWwnKSwgJ0xPQURfRkFJTEVEJywgL2NvdWxkIG5vdCBmZXRjaCB0aGUgbW9kZWwvKTtcbn0pO1xuXG50ZXN0KCdhbiBhYm9ydGVkIGZldGNoIGlzIEFCT1JURUQgYW5kIGtlZXBzIHRoZSByZWFzb24nLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHJlYXNvbiA9IG5ldyBFcnJvcignZW5vdWdoJyk7XG4gIGF3YWl0IGFzc2VydC5yZWplY3RzKGZldGNoRmlsZShgJHtiYXNlfS9odG1sYCwgJ3gnLCBBYm9ydFNpZ25hbC5hYm9ydChyZWFzb24pKSwgeyBjb2RlOiAnQUJPUlRFRCcsIGNhdXNlOiByZWFzb24gfSk7XG59KTtcblxudGVzdCgnYnl0ZXMgdGhhdCBhcmUgbm8gV2ViQXNzZW1ibHknLCBhc3luYyAoKSA9PiB7XG4gIGF3YWl0IHJlamVjdHMoY29tcGlsZVVybChgJHtiYXNlfS9icm9rZW4ud2FzbWApLCAnTE9BRF9GQUlMRUQnLCAvZG9lcyBub3QgY29tcGlsZS8pO1xuICBhd2FpdCByZWplY3RzKGNvbXBpbGVCeXRlcyhuZXcgVGV4dEVuY29kZXIoKS5lbmNvZGUoJ2hlbGxvJyksICd4JyksICdMT0FEX0ZBSUxFRCcsIC9iZWdpbnMgd2l0aCBcImhlbGxvXCIvKTtcbn0pO1xuXG50ZXN0KCd2ZXJzaW9ucyB0aGF0IGRvIG5vdCBiZWxvbmcgdG9nZXRoZXIgYXJlIGJvdGggbmFtZWQnLCBhc3luYyAoKSA9PiB7XG4gIGZvciAoY29uc3QgZmlsZSBvZiBbJ290aGVyLndhc20nLCAnb3RoZXItdW50eXBlZC53YXNtJ10pIHtcbiAgICBjb25zdCBlbmdpbmUgPSBhd2FpdCBjb21waWxlVXJsKGAke2Jhc2V9LyR7ZmlsZX1gKTtcbiAgICBhd2FpdCByZWplY3RzKFxuICAgICAgaW5zdGFudGlhdGUoZW5naW5lKSxcbiAgICAgICdWRVJTSU9OX01JU01BVENIJyxcbiAgICAgIC9KYXZhU2NyaXB0IG9mIG9ubnhsZXQgLiogXFwoQUJJIFxcZCtcXCkuKldlYkFzc2VtYmx5IG9mIG9ubnhsZXQgOVxcLjlcXC45IFxcKEFCSSA0MlxcKS8sXG4gICAgKTtcbiAgfVxufSk7XG5cbnRlc3QoJ2EgZmFpbGVkIGRvd25sb2FkIGlzIHRyaWVkIGFnYWluJywgYXN5bmMgKCkgPT4ge1xuICBhd2FpdCBhc3NlcnQucmVqZWN0cyhjb21waWxlVXJsKGAke2Jhc2V9L25vd2hlcmVgKSk7XG4gIGF3YWl0IHJlamVjdHMoY29tcGlsZVVybChgJHtiYXNlfS9ub3doZXJlYCksICdOT19TVUNIX0ZJTEUnLCAvNDA0Lyk7XG59KTtcblxudGVzdCgnaW50ZWdyaXR5IGFjY2VwdHMgdGhlIHJpZ2h0IGhhc2ggYW5kIG5hbWVzIGJvdGggb3RoZXJ3aXNlJywgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBieXRlcyA9IG5ldyBUZXh0RW5jb2RlcigpLmVuY29kZSgnbW9kZWwnKTtcbiAgY29uc3QgcmlnaHQgPSBgc2hhMzg0LSR7Y3JlYXRlSGFzaCgnc2hhMzg0JykudXBkYXRlKGJ5dGVzKS5kaWdlc3QoJ2Jhc2U2NCcpfWA7XG4gIGF3YWl0IGNoZWNrSW50ZWdyaXR5KGJ5dGVzLCByaWdodCwgJ20nKTtcbiAgYXdhaXQgY2hlY2tJbnRlZ3JpdHkoYnl0ZXMsIGBzaGEyNTYtQUFBQSAke3JpZ2h0fWAsICdtJyk7XG4gIGF3YWl0IHJlamVjdHMoY2hlY2tJbnRlZ3JpdHkoYnl0ZXMsICdzaGEyNTYtQUFBQScsICdtJyksICdMT0FEX0ZBSUxFRCcsIC9leHBlY3RlZCBzaGEyNTYtQUFBQSwgZ290IHNoYTI1Ni0vKTtcbiAgYXdhaXQgcmVqZWN0cyhjaGVja0ludGVncml0eShieXRlcywgJ21kNS1BQUFBJywgJ20nKSwgJ0lOVkFMSURfQVJHVU1FTlQnLCAvc2hhMzg0LTxiYXNlNjQ+Lyk7XG59KTtcbiIsICJpbXBvcnQgdHlwZSB7IENvZGVOYW1lIH0gZnJvbSAnLi9hYmkuZ2VuLmpzJztcblxuLyoqXG4gKiBXaGF0IGtpbmQgb2YgZmFpbHVyZSBpdCBpczogdGhlIGVuZ2luZSdzIG93biBjb2RlcywgYW5kIHRob3NlIHRoYXQgb25seSBhcmlzZSBpbiB0aGUgaG9zdC4gVGhlIHNhbWUgaW4gUHl0aG9uLlxuICogLSBgTk9fU1VDSF9GSUxFYDogYSBtb2RlbCwgZGF0YSBvciBlbmdpbmUgZmlsZSBpcyBub3QgdGhlcmVcbiAqIC0gYExPQURfRkFJTEVEYDogYSBmaWxlIGNvdWxkIG5vdCBiZSB0cmFuc2ZlcnJlZCwgaXMgbm90IHdoYXQgaXRzIGFkZHJlc3MgcHJvbWlzZXMsIG9yIGZhaWxzIGl0cyBpbnRlZ3JpdHkgY2hlY2tcbiAqIC0gYFZFUlNJT05fTUlTTUFUQ0hgOiBKYXZhU2NyaXB0IGFuZCBXZWJBc3NlbWJseSBjb21lIGZyb20gZGlmZmVyZW50IHZlcnNpb25zXG4gKiAtIGBUUkFQYDogdGhlIGVuZ2luZSdzIGNvZGUgdHJhcHBlZDsgaXRzIHNlc3Npb25zIGFyZSBsb3N0LCBuZXcgb25lcyBzdGFydCBhIG5ldyBlbmdpbmVcbiAqL1xuZXhwb3J0IHR5cGUgRXJyb3JDb2RlID0gRXhjbHVkZTxDb2RlTmFtZSwgJ09LJz4gfCAnTk9fU1VDSF9GSUxFJyB8ICdMT0FEX0ZBSUxFRCcgfCAnVkVSU0lPTl9NSVNNQVRDSCcgfCAnVFJBUCc7XG5cbi8qKiBUaGUgb25lIGVycm9yIGNsYXNzOiBgY29kZWAgdGVsbHMgdGhlIGtpbmQsIGBtZXNzYWdlYCB3aGF0IHdhcyB3cm9uZywgd2hlcmUsIGFuZCB3aGF0IHRvIGRvLiAqL1xuZXhwb3J0IGNsYXNzIE9ubnhsZXRFcnJvciBleHRlbmRzIEVycm9yIHtcbiAgb3ZlcnJpZGUgcmVhZG9ubHkgbmFtZSA9ICdPbm54bGV0RXJyb3InO1xuICByZWFkb25seSBjb2RlOiBFcnJvckNvZGU7XG5cbiAgY29uc3RydWN0b3IoY29kZTogRXJyb3JDb2RlLCBtZXNzYWdlOiBzdHJpbmcsIG9wdGlvbnM/OiB7IGNhdXNlPzogdW5rbm93biB9KSB7XG4gICAgc3VwZXIobWVzc2FnZSwgb3B0aW9ucyk7XG4gICAgdGhpcy5jb2RlID0gY29kZTtcbiAgfVxufVxuXG5leHBvcnQgZnVuY3Rpb24gYWJvcnRlZChyZWFzb246IHVua25vd24pOiBPbm54bGV0RXJyb3Ige1xuICByZXR1cm4gbmV3IE9ubnhsZXRFcnJvcignQUJPUlRFRCcsIGBzdG9wcGVkIGJ5IHRoZSBjYWxsZXI6ICR7bWVzc2FnZU9mKHJlYXNvbil9YCwgeyBjYXVzZTogcmVhc29uIH0pO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gdGhyb3dJZkFib3J0ZWQoc2lnbmFsOiBBYm9ydFNpZ25hbCB8IHVuZGVmaW5lZCk6IHZvaWQge1xuICBpZiAoc2lnbmFsPy5hYm9ydGVkKSB0aHJvdyBhYm9ydGVkKHNpZ25hbC5yZWFzb24pO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gbWVzc2FnZU9mKGVycm9yOiB1bmtub3duKTogc3RyaW5nIHtcbiAgcmV0dXJuIGVycm9yIGluc3RhbmNlb2YgRXJyb3IgPyBlcnJvci5tZXNzYWdlIDogU3RyaW5nKGVycm9yKTtcbn1cbiIsICIvLyBSZWFkaW5nIGZpbGVzOiBvdmVyIEhUVFAgd2l0aCBwcm9ncmVzcyBhbmQgYWJvcnQsIG9yIGZyb20gZGlzayBpbiBOb2RlLlxuaW1wb3J0IHsgYWJvcnRlZCwgbWVzc2FnZU9mLCBPbm54bGV0RXJyb3IgfSBmcm9tICcuL2Vycm9ycy5qcyc7XG5cbmV4cG9ydCBpbnRlcmZhY2UgUHJvZ3Jlc3Mge1xuICAvKiogV2hpY2ggZmlsZTogaXRzIGFkZHJlc3MsIG9yIGl0cyBuYW1lIGluc2lkZSB0aGUgbW9kZWwuICovXG4gIHJlYWRvbmx5IGZpbGU6IHN0cmluZztcbiAgcmVhZG9ubHkgbG9hZGVkOiBudW1iZXI7XG4gIC8qKiB1bmRlZmluZWQgd2hpbGUgdGhlIHNpemUgaXMgdW5rbm93bi4gKi9cbiAgcmVhZG9ubHkgdG90YWw6IG51bWJlciB8IHVuZGVmaW5lZDtcbn1cblxuLyoqIEZldGNoZXMgYW5kIHJlZnVzZXMgd2hhdCBpcyBwbGFpbmx5IG5vdCB0aGUgZmlsZTogYW4gSFRUUCBlcnJvciwgb3IgdGhlIEhUTUwgcGFnZSB0aGF0IHNlcnZlcnMgYW5zd2VyIGluc3RlYWQuICovXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gZmV0Y2hGaWxlKHVybDogc3RyaW5nLCB3aGF0OiBzdHJpbmcsIHNpZ25hbD86IEFib3J0U2lnbmFsKTogUHJvbWlzZTxSZXNwb25zZT4ge1xuICBsZXQgcmVzcG9uc2U6IFJlc3BvbnNlO1xuICB0cnkge1xuICAgIHJlc3BvbnNlID0gYXdhaXQgZmV0Y2godXJsLCBzaWduYWwgPyB7IHNpZ25hbCB9IDoge30pO1xuICB9IGNhdGNoIChjYXVzZSkge1xuICAgIGlmIChzaWduYWw/LmFib3J0ZWQpIHRocm93IGFib3J0ZWQoc2lnbmFsLnJlYXNvbik7XG4gICAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcignTE9BRF9GQUlMRUQnLCBgY291bGQgbm90IGZldGNoICR7d2hhdH0gZnJvbSAke3VybH06ICR7bWVzc2FnZU9mKGNhdXNlKX1gLCB7IGNhdXNlIH0pO1xuICB9XG4gIGlmICghcmVzcG9uc2Uub2spIHtcbiAgICB0aHJvdyBuZXcgT25ueGxldEVycm9yKFxuICAgICAgcmVzcG9uc2Uuc3RhdHVzID09PSA0MDQgfHwgcmVzcG9uc2Uuc3RhdHVzID09PSA0MTAgPyAnTk9fU1VDSF9GSUxFJyA6ICdMT0FEX0ZBSUxFRCcsXG4gICAgICBgY291bGQgbm90IGZldGNoICR7d2hhdH06IHRoZSBzZXJ2ZXIgYW5zd2VyZWQgJHtyZXNwb25zZS5zdGF0dXN9ICR7cmVzcG9uc2Uuc3RhdHVzVGV4dH0gZm9yICR7dXJsfWAudHJpbUVuZCgpLFxuICAgICk7XG4gIH1cbiAgY29uc3QgdHlwZSA9IHJlc3BvbnNlLmhlYWRlcnMuZ2V0KCdjb250ZW50LXR5cGUnKSA/PyAnJztcbiAgaWYgKC9edGV4dFxcL2h0bWxcXGIvaS50ZXN0KHR5cGUpKSB0aHJvdyBnb3RIdG1sKHVybCwgd2hhdCk7XG4gIHJldHVybiByZXNwb25zZTtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIGdvdEh0bWwodXJsOiBzdHJpbmcsIHdoYXQ6IHN0cmluZyk6IE9ubnhsZXRFcnJvciB7XG4gIHJldHVybiBuZXcgT25ueGxldEVycm9yKFxuICAgICdMT0FEX0ZBSUxFRCcsXG4gICAgYGV4cGVjdGVkICR7d2hhdH0gYnV0IGdvdCB0ZXh0L2h0bWwgZnJvbSAke3VybH07IHRoZSBmaWxlIGlzIHByb2JhYmx5IG1pc3NpbmcgdGhlcmUgYW5kIHRoZSBzZXJ2ZXIgYW5zd2VycyB3aXRoIGAgK1xuICAgICAgJ2EgcGFnZS4gU2VydmUgdGhlIGZpbGUgYXQgdGhpcyBhZGRyZXNzLCBvciBuYW1lIHRoZSByaWdodCBvbmUnLFxuICApO1xufVxuXG4vKiogVGhlIGxlbmd0aCBpbiBieXRlcyB3aGVuIHRoZSBoZWFkZXJzIGNhbiBiZSB0cnVzdGVkIGFib3V0IGl0OiBhIGNvbXByZXNzZWQgYW5zd2VyIGlzIGxvbmdlciB0aGFuIHRoZXkgc2F5LiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGNvbnRlbnRMZW5ndGgocmVzcG9uc2U6IFJlc3BvbnNlKTogbnVtYmVyIHwgdW5kZWZpbmVkIHtcbiAgY29uc3QgZW5jb2RpbmcgPSByZXNwb25zZS5oZWFkZXJzLmdldCgnY29udGVudC1lbmNvZGluZycpO1xuICBjb25zdCBsZW5ndGggPSByZXNwb25zZS5oZWFkZXJzLmdldCgnY29udGVudC1sZW5ndGgnKTtcbiAgaWYgKGxlbmd0aCA9PT0gbnVsbCB8fCAoZW5jb2RpbmcgIT09IG51bGwgJiYgZW5jb2RpbmcgIT09ICdpZGVudGl0eScpKSByZXR1cm4gdW5kZWZpbmVkO1xuICBjb25zdCB2YWx1ZSA9IE51bWJlcihsZW5ndGgpO1xuICByZXR1cm4gTnVtYmVyLmlzU2FmZUludGVnZXIodmFsdWUpICYmIHZhbHVlID49IDAgPyB2YWx1ZSA6IHVuZGVmaW5lZDtcbn1cblxuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uKiBjaHVua3NPZihyZXNwb25zZTogUmVzcG9uc2UsIHVybDogc3RyaW5nLCBzaWduYWw/OiBBYm9ydFNpZ25hbCk6IEFzeW5jR2VuZXJhdG9yPFVpbnQ4QXJyYXk+IHtcbiAgaWYgKCFyZXNwb25zZS5ib2R5KSByZXR1cm47XG4gIGNvbnN0IHJlYWRlciA9IHJlc3BvbnNlLmJvZHkuZ2V0UmVhZGVyKCk7XG4gIHRyeSB7XG4gICAgZm9yICg7Oykge1xuICAgICAgY29uc3QgeyBkb25lLCB2YWx1ZSB9ID0gYXdhaXQgcmVhZGVyLnJlYWQoKTtcbiAgICAgIGlmIChkb25lKSByZXR1cm47XG4gICAgICB5aWVsZCB2YWx1ZTtcbiAgICB9XG4gIH0gY2F0Y2ggKGNhdXNlKSB7XG4gICAgaWYgKHNpZ25hbD8uYWJvcnRlZCkgdGhyb3cgYWJvcnRlZChzaWduYWwucmVhc29uKTtcbiAgICBpZiAoY2F1c2UgaW5zdGFuY2VvZiBPbm54bGV0RXJyb3IpIHRocm93IGNhdXNlO1xuICAgIHRocm93IG5ldyBPbm54bGV0RXJyb3IoJ0xPQURfRkFJTEVEJywgYHRoZSB0cmFuc2ZlciBvZiAke3VybH0gYnJva2Ugb2ZmOiAke21lc3NhZ2VPZihjYXVzZSl9YCwgeyBjYXVzZSB9KTtcbiAgfSBmaW5hbGx5IHtcbiAgICAvLyBTdG9wcyB0aGUgdHJhbnNmZXIgd2hlbiB0aGUgY29uc3VtZXIgZ2l2ZXMgdXAgaGFsZi13YXk7IHRoZSBlcnJvciB0aGVyZSBpcyBhbHJlYWR5IG9uIGl0cyB3YXkuXG4gICAgYXdhaXQgcmVhZGVyLmNhbmNlbCgpLmNhdGNoKCgpID0+IHVuZGVmaW5lZCk7XG4gIH1cbn1cblxuY29uc3QgRElHRVNUUzogUmVhZG9ubHk8UmVjb3JkPHN0cmluZywgc3RyaW5nPj4gPSB7IHNoYTI1NjogJ1NIQS0yNTYnLCBzaGEzODQ6ICdTSEEtMzg0Jywgc2hhNTEyOiAnU0hBLTUxMicgfTtcblxuLyoqIENoZWNrcyBieXRlcyBhZ2FpbnN0IGFuIFNSSSBzdHJpbmc7IG9mIHNldmVyYWwgaGFzaGVzIHRob3NlIG9mIHRoZSBzdHJvbmdlc3QgYWxnb3JpdGhtIGNvdW50LiAqL1xuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIGNoZWNrSW50ZWdyaXR5KGJ5dGVzOiBVaW50OEFycmF5LCBpbnRlZ3JpdHk6IHN0cmluZywgd2hhdDogc3RyaW5nKTogUHJvbWlzZTx2b2lkPiB7XG4gIGNvbnN0IGhhc2hlcyA9IGludGVncml0eVxuICAgIC50cmltKClcbiAgICAuc3BsaXQoL1xccysvKVxuICAgIC5tYXAoKGl0ZW0pID0+IC9eKHNoYTI1NnxzaGEzODR8c2hhNTEyKS0oW0EtWmEtejAtOSsvXy1dKz0qKShcXD8uKik/JC8uZXhlYyhpdGVtKSlcbiAgICAuZmlsdGVyKChtYXRjaCkgPT4gbWF0Y2ggIT09IG51bGwpXG4gICAgLm1hcCgobWF0Y2gpID0+ICh7IGFsZ29yaXRobTogbWF0Y2hbMV0gPz8gJycsIHZhbHVlOiBtYXRjaFsyXSA/PyAnJyB9KSk7XG4gIGNvbnN0IHN0cm9uZ2VzdCA9IGhhc2hlc1xuICAgIC5tYXAoKGhhc2gpID0+IGhhc2guYWxnb3JpdGhtKVxuICAgIC5zb3J0KClcbiAgICAuYXQoLTEpO1xuICBpZiAoc3Ryb25nZXN0ID09PSB1bmRlZmluZWQpIHtcbiAgICB0aHJvdyBuZXcgT25ueGxldEVycm9yKFxuICAgICAgJ0lOVkFMSURfQVJHVU1FTlQnLFxuICAgICAgYGludGVncml0eSBtdXN0IGJlIGxpa2UgXCJzaGEzODQtPGJhc2U2ND5cIjsgZ290ICR7SlNPTi5zdHJpbmdpZnkoaW50ZWdyaXR5KX1gLFxuICAgICk7XG4gIH1cbiAgY29uc3Qgc3VidGxlID0gKGdsb2JhbFRoaXMgYXMgeyBjcnlwdG8/OiBDcnlwdG8gfSkuY3J5cHRvPy5zdWJ0bGU7XG4gIGlmICghc3VidGxlKSB7XG4gICAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcihcbiAgICAgICdOT1RfSU1QTEVNRU5URUQnLFxuICAgICAgJ2ludGVncml0eSBuZWVkcyBXZWJDcnlwdG8sIHdoaWNoIHBhZ2VzIGhhdmUgb3ZlciBodHRwcyBhbmQgb24gbG9jYWxob3N0IG9ubHknLFxuICAgICk7XG4gIH1cbiAgY29uc3QgZGlnZXN0ID0gYXdhaXQgc3VidGxlLmRpZ2VzdChESUdFU1RTW3N0cm9uZ2VzdF0gPz8gJycsIHVuc2hhcmVkKGJ5dGVzKSk7XG4gIGNvbnN0IGFjdHVhbCA9IGJ0b2EoU3RyaW5nLmZyb21DaGFyQ29kZSguLi5uZXcgVWludDhBcnJheShkaWdlc3QpKSk7XG4gIGNvbnN0IHdhbnRlZCA9IGhhc2hlcy5maWx0ZXIoKGhhc2gpID0+IGhhc2guYWxnb3JpdGhtID09PSBzdHJvbmdlc3QpLm1hcCgoaGFzaCkgPT4gaGFzaC52YWx1ZSk7XG4gIGlmICghd2FudGVkLnNvbWUoKHZhbHVlKSA9PiB2YWx1ZS5yZXBsYWNlQWxsKCctJywgJysnKS5yZXBsYWNlQWxsKCdfJywgJy8nKSA9PT0gYWN0dWFsKSkge1xuICAgIHRocm93IG5ldyBPbm54bGV0RXJyb3IoXG4gICAgICAnTE9BRF9GQUlMRUQnLFxuICAgICAgYCR7d2hhdH0gZmFpbHMgaXRzIGludGVncml0eSBjaGVjazogZXhwZWN0ZWQgJHtzdHJvbmdlc3R9LSR7d2FudGVkLmpvaW4oJyBvciAnKX0sIGdvdCAke3N0cm9uZ2VzdH0tJHthY3R1YWx9YCxcbiAgICApO1xuICB9XG59XG5cbmZ1bmN0aW9uIHVuc2hhcmVkKGJ5dGVzOiBVaW50OEFycmF5KTogVWludDhBcnJheTxBcnJheUJ1ZmZlcj4ge1xuICByZXR1cm4gYnl0ZXMuYnVmZmVyIGluc3RhbmNlb2YgQXJyYXlCdWZmZXIgPyAoYnl0ZXMgYXMgVWludDhBcnJheTxBcnJheUJ1ZmZlcj4pIDogbmV3IFVpbnQ4QXJyYXkoYnl0ZXMpO1xufVxuIiwgIi8vIFJlYWRzIHRoZSBsaW1pdHMgb2YgYW4gaW1wb3J0ZWQgbWVtb3J5IG9mZiBhIG1vZHVsZSdzIGJ5dGVzOiB0aGUgSmF2YVNjcmlwdCBBUEkgZG9lcyBub3QgdGVsbCB0aGVtLCBhbmQgYSBzaGFyZWRcbi8vIG1lbW9yeSBtdXN0IGJlIG1hZGUgd2l0aCBsaW1pdHMgdGhhdCBmaXQgYmVmb3JlIHRoZSBtb2R1bGUgY2FuIGJlIGluc3RhbnRpYXRlZC5cblxuZXhwb3J0IGludGVyZmFjZSBNZW1vcnlMaW1pdHMge1xuICAvKiogSW4gcGFnZXMgb2YgNjQgS2lCLiAqL1xuICByZWFkb25seSBpbml0aWFsOiBudW1iZXI7XG4gIHJlYWRvbmx5IG1heGltdW06IG51bWJlcjtcbiAgcmVhZG9ubHkgc2hhcmVkOiBib29sZWFuO1xufVxuXG4vKiogYGluY29tcGxldGVgIHdoZW4gbW9yZSBieXRlcyBhcmUgbmVlZGVkIHRvIGtub3csIGBudWxsYCB3aGVuIHRoZSBtb2R1bGUgaW1wb3J0cyBubyBtZW1vcnkuICovXG5leHBvcnQgdHlwZSBIZWFkUmVzdWx0ID0gTWVtb3J5TGltaXRzIHwgbnVsbCB8ICdpbmNvbXBsZXRlJztcblxuZXhwb3J0IGZ1bmN0aW9uIGlzV2FzbShieXRlczogVWludDhBcnJheSk6IGJvb2xlYW4ge1xuICByZXR1cm4gYnl0ZXNbMF0gPT09IDB4MDAgJiYgYnl0ZXNbMV0gPT09IDB4NjEgJiYgYnl0ZXNbMl0gPT09IDB4NzMgJiYgYnl0ZXNbM10gPT09IDB4NmQ7XG59XG5cbmNvbnN0IElNUE9SVF9TRUNUSU9OID0gMjtcbmNvbnN0IEtJTkQgPSB7IGZ1bmN0aW9uOiAwLCB0YWJsZTogMSwgbWVtb3J5OiAyLCBnbG9iYWw6IDMsIHRhZzogNCB9IGFzIGNvbnN0O1xuXG5leHBvcnQgZnVuY3Rpb24gaW1wb3J0ZWRNZW1vcnkoYnl0ZXM6IFVpbnQ4QXJyYXkpOiBIZWFkUmVzdWx0IHtcbiAgY29uc3QgcmVhZGVyID0gbmV3IFJlYWRlcihieXRlcywgOCk7XG4gIHdoaWxlIChyZWFkZXIuYXQgPCBieXRlcy5sZW5ndGgpIHtcbiAgICBjb25zdCBzZWN0aW9uID0gcmVhZGVyLmJ5dGUoKTtcbiAgICBjb25zdCBzaXplID0gcmVhZGVyLmxlYigpO1xuICAgIGlmIChzZWN0aW9uID09PSBJTVBPUlRfU0VDVElPTikge1xuICAgICAgaWYgKHJlYWRlci5hdCArIHNpemUgPiBieXRlcy5sZW5ndGgpIHJldHVybiAnaW5jb21wbGV0ZSc7XG4gICAgICByZXR1cm4gbWVtb3J5QW1vbmdJbXBvcnRzKHJlYWRlcik7XG4gICAgfVxuICAgIGlmIChzZWN0aW9uID4gSU1QT1JUX1NFQ1RJT04pIHJldHVybiBudWxsO1xuICAgIHJlYWRlci5za2lwKHNpemUpO1xuICB9XG4gIHJldHVybiAnaW5jb21wbGV0ZSc7XG59XG5cbmZ1bmN0aW9uIG1lbW9yeUFtb25nSW1wb3J0cyhyZWFkZXI6IFJlYWRlcik6IE1lbW9yeUxpbWl0cyB8IG51bGwge1xuICBmb3IgKGxldCBsZWZ0ID0gcmVhZGVyLmxlYigpOyBsZWZ0ID4gMDsgbGVmdC0tKSB7XG4gICAgcmVhZGVyLnNraXAocmVhZGVyLmxlYigpKTsgLy8gbW9kdWxlIG5hbWVcbiAgICByZWFkZXIuc2tpcChyZWFkZXIubGViKCkpOyAvLyBmaWVsZCBuYW1lXG4gICAgc3dpdGNoIChyZWFkZXIuYnl0ZSgpKSB7XG4gICAgICBjYXNlIEtJTkQuZnVuY3Rpb246XG4gICAgICAgIHJlYWRlci5sZWIoKTtcbiAgICAgICAgYnJlYWs7XG4gICAgICBjYXNlIEtJTkQudGFibGU6XG4gICAgICAgIHJlYWRlci5ieXRlKCk7XG4gICAgICAgIHJlYWRlci5saW1pdHMoKTtcbiAgICAgICAgYnJlYWs7XG4gICAgICBjYXNlIEtJTkQubWVtb3J5OlxuICAgICAgICByZXR1cm4gcmVhZGVyLmxpbWl0cygpO1xuICAgICAgY2FzZSBLSU5ELmdsb2JhbDpcbiAgICAgICAgcmVhZGVyLnNraXAoMik7XG4gICAgICAgIGJyZWFrO1xuICAgICAgY2FzZSBLSU5ELnRhZzpcbiAgICAgICAgcmVhZGVyLmJ5dGUoKTtcbiAgICAgICAgcmVhZGVyLmxlYigpO1xuICAgICAgICBicmVhaztcbiAgICB9XG4gIH1cbiAgcmV0dXJuIG51bGw7XG59XG5cbmNsYXNzIFJlYWRlciB7XG4gIGNvbnN0cnVjdG9yKFxuICAgIHByaXZhdGUgcmVhZG9ubHkgYnl0ZXM6IFVpbnQ4QXJyYXksXG4gICAgcHVibGljIGF0OiBudW1iZXIsXG4gICkge31cblxuICBieXRlKCk6IG51bWJlciB7XG4gICAgcmV0dXJuIHRoaXMuYnl0ZXNbdGhpcy5hdCsrXSA/PyAwO1xuICB9XG5cbiAgc2tpcChjb3VudDogbnVtYmVyKTogdm9pZCB7XG4gICAgdGhpcy5hdCArPSBjb3VudDtcbiAgfVxuXG4gIGxlYigpOiBudW1iZXIge1xuICAgIGxldCB2YWx1ZSA9IDA7XG4gICAgbGV0IHNjYWxlID0gMTtcbiAgICBmb3IgKDs7KSB7XG4gICAgICBjb25zdCBieXRlID0gdGhpcy5ieXRlKCk7XG4gICAgICB2YWx1ZSArPSAoYnl0ZSAmIDB4N2YpICogc2NhbGU7XG4gICAgICBpZiAoYnl0ZSA8IDB4ODApIHJldHVybiB2YWx1ZTtcbiAgICAgIHNjYWxlICo9IDEyODtcbiAgICB9XG4gIH1cblxuICBsaW1pdHMoKTogTWVtb3J5TGltaXRzIHtcbiAgICBjb25zdCBmbGFncyA9IHRoaXMuYnl0ZSgpO1xuICAgIGNvbnN0IGluaXRpYWwgPSB0aGlzLmxlYigpO1xuICAgIGNvbnN0IG1heGltdW0gPSBmbGFncyAmIDEgPyB0aGlzLmxlYigpIDogNjU1MzY7XG4gICAgcmV0dXJuIHsgaW5pdGlhbCwgbWF4aW11bSwgc2hhcmVkOiAoZmxhZ3MgJiAyKSAhPT0gMCB9O1xuICB9XG59XG4iLCAiLy8gRnJvbSBhbiBhZGRyZXNzIG9yIGJ5dGVzIHRvIGEgY29tcGlsZWQgbW9kdWxlLiBOb3RoaW5nIGlzIGluc3RhbnRpYXRlZCBoZXJlLlxuaW1wb3J0IHsgZmV0Y2hGaWxlLCBnb3RIdG1sIH0gZnJvbSAnLi9mZXRjaGluZy5qcyc7XG5pbXBvcnQgeyBtZXNzYWdlT2YsIE9ubnhsZXRFcnJvciB9IGZyb20gJy4vZXJyb3JzLmpzJztcbmltcG9ydCB0eXBlIHsgSGVhZFJlc3VsdCwgTWVtb3J5TGltaXRzIH0gZnJvbSAnLi93YXNtLWhlYWQuanMnO1xuaW1wb3J0IHsgaW1wb3J0ZWRNZW1vcnksIGlzV2FzbSB9IGZyb20gJy4vd2FzbS1oZWFkLmpzJztcblxuLyoqIEEgY29tcGlsZWQgZW5naW5lLCBhbmQgdGhlIGxpbWl0cyBvZiB0aGUgbWVtb3J5IGl0IHdhbnRzIHRvIGJlIGdpdmVuIChudWxsOiBpdCBicmluZ3MgaXRzIG93bikuICovXG5leHBvcnQgaW50ZXJmYWNlIENvbXBpbGVkRW5naW5lIHtcbiAgcmVhZG9ubHkgbW9kdWxlOiBXZWJBc3NlbWJseS5Nb2R1bGU7XG4gIHJlYWRvbmx5IG1lbW9yeTogTWVtb3J5TGltaXRzIHwgbnVsbDtcbiAgLyoqIEZvciBtZXNzYWdlcy4gKi9cbiAgcmVhZG9ubHkgb3JpZ2luOiBzdHJpbmc7XG59XG5cbmNvbnN0IGNvbXBpbGVkID0gbmV3IE1hcDxzdHJpbmcsIFByb21pc2U8Q29tcGlsZWRFbmdpbmU+PigpO1xuXG4vKiogRmV0Y2hlcyBhbmQgY29tcGlsZXM7IGEgc2Vjb25kIGNhbGwgZm9yIHRoZSBzYW1lIGFkZHJlc3Mgc2hhcmVzIHRoZSBmaXJzdCBvbmUncyBtb2R1bGUuICovXG5leHBvcnQgZnVuY3Rpb24gY29tcGlsZVVybCh1cmw6IHN0cmluZyk6IFByb21pc2U8Q29tcGlsZWRFbmdpbmU+IHtcbiAgbGV0IHBlbmRpbmcgPSBjb21waWxlZC5nZXQodXJsKTtcbiAgaWYgKCFwZW5kaW5nKSB7XG4gICAgcGVuZGluZyA9IHVybC5zdGFydHNXaXRoKCdmaWxlOicpID8gY29tcGlsZUZpbGUodXJsKSA6IGNvbXBpbGVGZXRjaGVkKHVybCk7XG4gICAgY29tcGlsZWQuc2V0KHVybCwgcGVuZGluZyk7XG4gICAgLy8gQSBmYWlsdXJlIGlzIG5vdCBrZXB0OiB0aGUgbmV4dCBzZXNzaW9uIHRyaWVzIGFnYWluLlxuICAgIHBlbmRpbmcuY2F0Y2goKCkgPT4gY29tcGlsZWQuZGVsZXRlKHVybCkpO1xuICB9XG4gIHJldHVybiBwZW5kaW5nO1xufVxuXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gY29tcGlsZUJ5dGVzKGJ5dGVzOiBVaW50OEFycmF5LCBvcmlnaW46IHN0cmluZyk6IFByb21pc2U8Q29tcGlsZWRFbmdpbmU+IHtcbiAgaWYgKCFpc1dhc20oYnl0ZXMpKSB7XG4gICAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcignTE9BRF9GQUlMRUQnLCBgJHtvcmlnaW59IGhvbGRzIG5vIFdlYkFzc2VtYmx5OiBpdCBiZWdpbnMgd2l0aCAke3N0YXJ0T2YoYnl0ZXMpfWApO1xuICB9XG4gIGNvbnN0IGhlYWQgPSBpbXBvcnRlZE1lbW9yeShieXRlcyk7XG4gIGNvbnN0IG1vZHVsZSA9IGF3YWl0IGNvbXBpbGVPckV4cGxhaW4oKCkgPT4gV2ViQXNzZW1ibHkuY29tcGlsZShieXRlcyBhcyBVaW50OEFycmF5PEFycmF5QnVmZmVyPiksIG9yaWdpbik7XG4gIHJldHVybiB7IG1vZHVsZSwgbWVtb3J5OiBoZWFkID09PSAnaW5jb21wbGV0ZScgPyBudWxsIDogaGVhZCwgb3JpZ2luIH07XG59XG5cbmFzeW5jIGZ1bmN0aW9uIGNvbXBpbGVGaWxlKHVybDogc3RyaW5nKTogUHJvbWlzZTxDb21waWxlZEVuZ2luZT4ge1xuICBjb25zdCB7IHJlYWRGaWxlIH0gPSBhd2FpdCBpbXBvcnQoLyogd2VicGFja0lnbm9yZTogdHJ1ZSAqLyAvKiBAdml0ZS1pZ25vcmUgKi8gJ25vZGU6ZnMvcHJvbWlzZXMnKTtcbiAgbGV0IGJ5dGVzOiBVaW50OEFycmF5O1xuICB0cnkge1xuICAgIGJ5dGVzID0gYXdhaXQgcmVhZEZpbGUobmV3IFVSTCh1cmwpKTtcbiAgfSBjYXRjaCAoY2F1c2UpIHtcbiAgICB0aHJvdyBuZXcgT25ueGxldEVycm9yKCdOT19TVUNIX0ZJTEUnLCBgY291bGQgbm90IHJlYWQgdGhlIGVuZ2luZTogJHttZXNzYWdlT2YoY2F1c2UpfWAsIHsgY2F1c2UgfSk7XG4gIH1cbiAgcmV0dXJuIGNvbXBpbGVCeXRlcyhieXRlcywgdXJsKTtcbn1cblxuYXN5bmMgZnVuY3Rpb24gY29tcGlsZUZldGNoZWQodXJsOiBzdHJpbmcpOiBQcm9taXNlPENvbXBpbGVkRW5naW5lPiB7XG4gIGNvbnN0IHJlc3BvbnNlID0gYXdhaXQgZmV0Y2hGaWxlKHVybCwgJ3RoZSBXZWJBc3NlbWJseSBlbmdpbmUnKTtcbiAgLy8gU3RyZWFtaW5nIGNvbXBpbGF0aW9uIGluc2lzdHMgb24gdGhpcyB0eXBlOyBvdGhlciBhbnN3ZXJzIGFyZSBjb21waWxlZCBvbmNlIHRoZXkgYXJlIGNvbXBsZXRlLlxuICBpZiAoIS9eYXBwbGljYXRpb25cXC93YXNtXFxiL2kudGVzdChyZXNwb25zZS5oZWFkZXJzLmdldCgnY29udGVudC10eXBlJykgPz8gJycpKSB7XG4gICAgY29uc3QgYnl0ZXMgPSBuZXcgVWludDhBcnJheShhd2FpdCByZXNwb25zZS5hcnJheUJ1ZmZlcigpKTtcbiAgICBpZiAoIWlzV2FzbShieXRlcykgJiYgbG9va3NMaWtlSHRtbChieXRlcykpIHRocm93IGdvdEh0bWwodXJsLCAndGhlIFdlYkFzc2VtYmx5IGVuZ2luZScpO1xuICAgIHJldHVybiBjb21waWxlQnl0ZXMoYnl0ZXMsIHVybCk7XG4gIH1cbiAgY29uc3QgaGVhZCA9IHJlYWRIZWFkKHJlc3BvbnNlLmNsb25lKCkpO1xuICBjb25zdCBtb2R1bGUgPSBhd2FpdCBjb21waWxlT3JFeHBsYWluKCgpID0+IFdlYkFzc2VtYmx5LmNvbXBpbGVTdHJlYW1pbmcocmVzcG9uc2UpLCB1cmwpO1xuICBjb25zdCBsaW1pdHMgPSBhd2FpdCBoZWFkO1xuICByZXR1cm4geyBtb2R1bGUsIG1lbW9yeTogbGltaXRzID09PSAnaW5jb21wbGV0ZScgPyBudWxsIDogbGltaXRzLCBvcmlnaW46IHVybCB9O1xufVxuXG4vKiogUmVhZHMganVzdCBlbm91Z2ggb2YgdGhlIG1vZHVsZSB0byBzZWUgaXRzIGltcG9ydHMuICovXG5hc3luYyBmdW5jdGlvbiByZWFkSGVhZChyZXNwb25zZTogUmVzcG9uc2UpOiBQcm9taXNlPEhlYWRSZXN1bHQ+IHtcbiAgY29uc3QgcmVhZGVyID0gcmVzcG9uc2UuYm9keT8uZ2V0UmVhZGVyKCk7XG4gIGxldCBieXRlcyA9IG5ldyBVaW50OEFycmF5KDApO1xuICBsZXQgcmVzdWx0OiBIZWFkUmVzdWx0ID0gJ2luY29tcGxldGUnO1xuICB3aGlsZSAocmVhZGVyICYmIHJlc3VsdCA9PT0gJ2luY29tcGxldGUnKSB7XG4gICAgY29uc3QgeyBkb25lLCB2YWx1ZSB9ID0gYXdhaXQgcmVhZGVyLnJlYWQoKTtcbiAgICBpZiAoZG9uZSkgYnJlYWs7XG4gICAgY29uc3QgbG9uZ2VyID0gbmV3IFVpbnQ4QXJyYXkoYnl0ZXMubGVuZ3RoICsgdmFsdWUubGVuZ3RoKTtcbiAgICBsb25nZXIuc2V0KGJ5dGVzKTtcbiAgICBsb25nZXIuc2V0KHZhbHVlLCBieXRlcy5sZW5ndGgpO1xuICAgIGJ5dGVzID0gbG9uZ2VyO1xuICAgIHJlc3VsdCA9IGltcG9ydGVkTWVtb3J5KGJ5dGVzKTtcbiAgfVxuICAvLyBDYW5jZWxsaW5nIHJlc29sdmVzIG9ubHkgb25jZSB0aGUgb3RoZXIgaGFsZiBvZiB0aGUgY2xvbmUgaXMgZG9uZSB0b28uXG4gIHZvaWQgcmVhZGVyPy5jYW5jZWwoKTtcbiAgcmV0dXJuIHJlc3VsdDtcbn1cblxuYXN5bmMgZnVuY3Rpb24gY29tcGlsZU9yRXhwbGFpbihcbiAgY29tcGlsZTogKCkgPT4gUHJvbWlzZTxXZWJBc3NlbWJseS5Nb2R1bGU+LFxuICBvcmlnaW46IHN0cmluZyxcbik6IFByb21pc2U8V2ViQXNzZW1ibHkuTW9kdWxlPiB7XG4gIHRyeSB7XG4gICAgcmV0dXJuIGF3YWl0IGNvbXBpbGUoKTtcbiAgfSBjYXRjaCAoY2F1c2UpIHtcbiAgICB0aHJvdyBuZXcgT25ueGxldEVycm9yKFxuICAgICAgJ0xPQURfRkFJTEVEJyxcbiAgICAgIGB0aGUgV2ViQXNzZW1ibHkgZW5naW5lIGZyb20gJHtvcmlnaW59IGRvZXMgbm90IGNvbXBpbGU6ICR7bWVzc2FnZU9mKGNhdXNlKX1gLFxuICAgICAge1xuICAgICAgICBjYXVzZSxcbiAgICAgIH0sXG4gICAgKTtcbiAgfVxufVxuXG5mdW5jdGlvbiBzdGFydE9mKGJ5dGVzOiBVaW50OEFycmF5KTogc3RyaW5nIHtcbiAgcmV0dXJuIEpTT04uc3RyaW5naWZ5KG5ldyBUZXh0RGVjb2RlcigpLmRlY29kZShieXRlcy5zbGljZSgwLCAxNikpKTtcbn1cblxuZnVuY3Rpb24gbG9va3NMaWtlSHRtbChieXRlczogVWludDhBcnJheSk6IGJvb2xlYW4ge1xuICByZXR1cm4gL15cXHMqPC8udGVzdChuZXcgVGV4dERlY29kZXIoKS5kZWNvZGUoYnl0ZXMuc2xpY2UoMCwgNjQpKSk7XG59XG4iLCAiLy8gR2VuZXJhdGVkIGZyb20gY29yZS9hYmkvb25ueGxldC5oIGJ5IG9ubnhsZXQvYnVpbGQvYmluZGluZ3MucHk7IGRvIG5vdCBlZGl0LlxuXG5leHBvcnQgY29uc3QgQUJJX1ZFUlNJT04gPSAxO1xuXG4vKiogQW4gYWRkcmVzcyBpbiB3YXNtIG1lbW9yeTsgMCBpcyBOVUxMLiAqL1xuZXhwb3J0IHR5cGUgUG9pbnRlciA9IG51bWJlcjtcblxuLyoqIFRoZSBudW1iZXJzIG5ldmVyIGNoYW5nZSBtZWFuaW5nLiBUaGUgbmFtZSBpcyB3aGF0IEpTIChgZXJyb3IuY29kZWApIGFuZCBQeXRob24gKGBlcnJvci5jb2RlYCkgc2hvdy4gKi9cbmV4cG9ydCBjb25zdCBDb2RlID0ge1xuICBPSzogMCxcbiAgSU5WQUxJRF9BUkdVTUVOVDogMSxcbiAgSU5WQUxJRF9QUk9UT0JVRjogMixcbiAgSU5WQUxJRF9HUkFQSDogMyxcbiAgTk9UX0lNUExFTUVOVEVEOiA0LFxuICBPVVRfT0ZfTUVNT1JZOiA1LFxuICBSVU5fRkFJTEVEOiA2LFxuICBBQk9SVEVEOiA3LFxuICBJTlRFUk5BTDogOCxcbn0gYXMgY29uc3Q7XG5leHBvcnQgdHlwZSBDb2RlID0gKHR5cGVvZiBDb2RlKVtrZXlvZiB0eXBlb2YgQ29kZV07XG5leHBvcnQgdHlwZSBDb2RlTmFtZSA9IGtleW9mIHR5cGVvZiBDb2RlO1xuXG4vKiogV2hhdCBvbF9ydW5fc3RlcCBhbnN3ZXJzIHdoZW4gaXQgaXMgbm90IGFuIGVycm9yLiAqL1xuZXhwb3J0IGNvbnN0IFByb2dyZXNzID0ge1xuICBET05FOiAwLFxuICBQRU5ESU5HOiAxLFxufSBhcyBjb25zdDtcbmV4cG9ydCB0eXBlIFByb2dyZXNzID0gKHR5cGVvZiBQcm9ncmVzcylba2V5b2YgdHlwZW9mIFByb2dyZXNzXTtcbmV4cG9ydCB0eXBlIFByb2dyZXNzTmFtZSA9IGtleW9mIHR5cGVvZiBQcm9ncmVzcztcblxuZXhwb3J0IGNvbnN0IEtpbmQgPSB7XG4gIE5PTkU6IDAsXG4gIFRFTlNPUjogMSxcbiAgU0VRVUVOQ0U6IDIsXG4gIE1BUDogMyxcbiAgT1BUSU9OQUw6IDQsXG59IGFzIGNvbnN0O1xuZXhwb3J0IHR5cGUgS2luZCA9ICh0eXBlb2YgS2luZClba2V5b2YgdHlwZW9mIEtpbmRdO1xuZXhwb3J0IHR5cGUgS2luZE5hbWUgPSBrZXlvZiB0eXBlb2YgS2luZDtcblxuLyoqIFdoYXQgdGhlIGVuZ2luZSdzIG1vZHVsZSBleHBvcnRzLiAqL1xuZXhwb3J0IGludGVyZmFjZSBBYmkge1xuICAvKiogT0xfQUJJX1ZFUlNJT04gb2YgdGhlIGJ1aWxkOyBhIGhvc3Qgb2YgYW5vdGhlciB2ZXJzaW9uIG11c3QgcmVmdXNlIGl0IGFuZCBuYW1lIGJvdGguICovXG4gIG9sX2FiaV92ZXJzaW9uKHRoaXM6IHZvaWQpOiBudW1iZXI7XG4gIC8qKiBcIjAuMS4wXCIgKi9cbiAgb2xfdmVyc2lvbih0aGlzOiB2b2lkKTogUG9pbnRlcjtcbiAgLyoqIEpTT046IHtcInZlcnNpb25cIixcImFiaVwiLFwiZmxhdm91clwiLFwic2ltZFwiLFwicmVsYXhlZFwiLFwidGhyZWFkc1wiLFwib3BlcmF0b3JzXCI6W1tcImRvbWFpblwiLFwibmFtZVwiLHNpbmNlXSwuLi5dfSAqL1xuICBvbF9idWlsZF9pbmZvKHRoaXM6IHZvaWQpOiBQb2ludGVyO1xuICBvbF9sYXN0X2NvZGUodGhpczogdm9pZCk6IG51bWJlcjtcbiAgb2xfbGFzdF9tZXNzYWdlKHRoaXM6IHZvaWQpOiBQb2ludGVyO1xuICAvKiogXCJJTlZBTElEX0dSQVBIXCIgZm9yIE9MX0lOVkFMSURfR1JBUEggLi4uICovXG4gIG9sX2NvZGVfbmFtZSh0aGlzOiB2b2lkLCBjb2RlOiBudW1iZXIpOiBQb2ludGVyO1xuICAvKiogQnl0ZXMgZm9yIHRoZSBob3N0IHRvIHdyaXRlIGludG8sIDY0LWJ5dGUgYWxpZ25lZC4gTlVMTCB3aGVuIHJlZnVzZWQuICovXG4gIG9sX2FsbG9jKHRoaXM6IHZvaWQsIGJ5dGVzOiBudW1iZXIpOiBQb2ludGVyO1xuICBvbF9mcmVlKHRoaXM6IHZvaWQsIGJsb2NrOiBQb2ludGVyKTogdm9pZDtcbiAgLyoqXG4gICAqIE1lbW9yeSBmb3Igd29ya2VyIGBpbmRleGAgKDEgLi4uKTogYSBzdGFjayBvZiBzdGFja19ieXRlcyBhbmQgaXRzIHRocmVhZC1sb2NhbCBibG9jay4gUmV0dXJucyB0aGUgYWRkcmVzcyB0b1xuICAgKiBwdXQgaW4gX19zdGFja19wb2ludGVyOyBvbF93b3JrZXJfdGxzKGluZGV4KSBpcyB0aGUgYXJndW1lbnQgb2YgX193YXNtX2luaXRfdGxzLiBOVUxMIHdoZW4gcmVmdXNlZC5cbiAgICovXG4gIG9sX3dvcmtlcl9zdGFjayh0aGlzOiB2b2lkLCBpbmRleDogbnVtYmVyLCBzdGFja0J5dGVzOiBudW1iZXIsIHRsc0J5dGVzOiBudW1iZXIsIHRsc0FsaWduOiBudW1iZXIpOiBQb2ludGVyO1xuICBvbF93b3JrZXJfdGxzKHRoaXM6IHZvaWQsIGluZGV4OiBudW1iZXIpOiBQb2ludGVyO1xuICAvKiogQ2FsbGVkIGluIHRoZSB3b3JrZXIncyBvd24gaW5zdGFuY2UuIFJldHVybnMgYWZ0ZXIgb2xfc3RvcF93b3JrZXJzLiAqL1xuICBvbF93b3JrZXJfbWFpbih0aGlzOiB2b2lkLCBpbmRleDogbnVtYmVyKTogdm9pZDtcbiAgLyoqIEhvdyBtYW55IHdvcmtlcnMgaGF2ZSBlbnRlcmVkIG9sX3dvcmtlcl9tYWluLiAqL1xuICBvbF93b3JrZXJzX3JlYWR5KHRoaXM6IHZvaWQpOiBudW1iZXI7XG4gIC8qKiBVc2UgdGhpcyBtYW55IHdvcmtlcnMgKGF0IG1vc3Qgb2xfd29ya2Vyc19yZWFkeSkgYmVzaWRlcyB0aGUgY2FsbGluZyB0aHJlYWQuICovXG4gIG9sX3NldF93b3JrZXJzKHRoaXM6IHZvaWQsIHdvcmtlcnM6IG51bWJlcik6IHZvaWQ7XG4gIG9sX3N0b3Bfd29ya2Vycyh0aGlzOiB2b2lkKTogdm9pZDtcbiAgLyoqIFBhcnNlcyBgYnl0ZXNgIGluIHBsYWNlIGFuZCBvd25zIHRoZW0gZnJvbSBoZXJlIG9uLCBhbHNvIHdoZW4gaXQgZmFpbHM6IHRoZXkgbXVzdCBjb21lIGZyb20gb2xfYWxsb2MuICovXG4gIG9sX21vZGVsX29wZW4odGhpczogdm9pZCwgYnl0ZXM6IFBvaW50ZXIsIHNpemU6IG51bWJlcik6IFBvaW50ZXI7XG4gIG9sX21vZGVsX2ZyZWUodGhpczogdm9pZCwgbW9kZWw6IFBvaW50ZXIpOiB2b2lkO1xuICAvKipcbiAgICogSlNPTjoge1wiaXJfdmVyc2lvblwiLFwicHJvZHVjZXJfbmFtZVwiLFwicHJvZHVjZXJfdmVyc2lvblwiLFwiZG9tYWluXCIsXCJtb2RlbF92ZXJzaW9uXCIsXCJkb2Nfc3RyaW5nXCIsXCJncmFwaF9uYW1lXCIsXG4gICAqIFwib3BzZXRfaW1wb3J0c1wiOntkb21haW46dmVyc2lvbn0sXCJtZXRhZGF0YVwiOntrZXk6dmFsdWV9LFwiaW5wdXRzXCI6W2FyZ10sXCJvdXRwdXRzXCI6W2FyZ10sXCJpbml0aWFsaXplcnNcIjpbe1wibmFtZVwiLFxuICAgKiBcImR0eXBlXCIsXCJzaGFwZVwiLFwiYnl0ZXNcIixcImV4dGVybmFsXCJ9XSxcIm9wZXJhdG9yc1wiOlt7XCJkb21haW5cIixcIm9wX3R5cGVcIixcImNvdW50XCIsXCJzaW5jZVwiLFwic3VwcG9ydGVkXCJ9XSxcbiAgICogXCJmdW5jdGlvbnNcIjpbLi4uXSxcImV4dGVybmFsXCI6W3tcImZpbGVcIixcImJ5dGVzXCJ9XX0gYXJnOlxuICAgKiB7XCJuYW1lXCIsXCJ0eXBlXCI6XCJ0ZW5zb3IoZmxvYXQpXCIsXCJkdHlwZVwiOjEsXCJzaGFwZVwiOlsxLFwiTlwiLG51bGxdfSA7IHNoYXBlIG51bGwgd2hlbiB0aGUgcmFuayBpcyB1bmtub3duLlxuICAgKiBcImV4dGVybmFsXCI6IHBlciBmaWxlLCB0aGUgYnl0ZXMgdGhhdCBtdXN0IGJlIHByb3ZpZGVkOiB0aGUgZW5kIG9mIGl0cyBmdXJ0aGVzdCB1c2VkIHJhbmdlLlxuICAgKi9cbiAgb2xfbW9kZWxfZGVzY3JpYmUodGhpczogdm9pZCwgbW9kZWw6IFBvaW50ZXIpOiBQb2ludGVyO1xuICAvKiogR2l2ZXMgdGhlIGVuZ2luZSBhbiBleHRlcm5hbCBkYXRhIGZpbGUsIG5hbWVkIGFzIGluIHRoZSBtb2RlbC4gT3ducyBgYnl0ZXNgIChmcm9tIG9sX2FsbG9jKSBmcm9tIGhlcmUgb24uICovXG4gIG9sX21vZGVsX3Byb3ZpZGUodGhpczogdm9pZCwgbW9kZWw6IFBvaW50ZXIsIGZpbGU6IFBvaW50ZXIsIGZpbGVMZW5ndGg6IG51bWJlciwgYnl0ZXM6IFBvaW50ZXIsIHNpemU6IG51bWJlcik6IG51bWJlcjtcbiAgLyoqXG4gICAqIENoZWNrcywgb3B0aW1pc2VzIGFuZCBwbGFucyB0aGUgbW9kZWw7IGNvbnN1bWVzIGl0LCBhbHNvIHdoZW4gaXQgZmFpbHMuIG9wdGlvbnM6IEpTT04gb2JqZWN0IG9yIE5VTEw6XG4gICAqIHtcImdyYXBoX29wdGltaXphdGlvbl9sZXZlbFwiOiBcImRpc2FibGVkXCJ8XCJiYXNpY1wifFwiZXh0ZW5kZWRcInxcImFsbFwiLCBcImRpc2FibGVkX3Bhc3Nlc1wiOiBbbmFtZS4uLl0sIFwibWF4X21lbW9yeVwiOlxuICAgKiBieXRlcywgXCJmcmVlX2RpbWVuc2lvbnNcIjoge25hbWU6IHNpemV9LCBcInByb2ZpbGVcIjogYm9vbCwgXCJ0cmFjZVwiOiAwLi40LCBcImRldGVybWluaXN0aWNcIjogYm9vbCwgXCJzZWVkXCI6IGludCxcbiAgICogXCJtZW1vcnlfcGxhblwiOiBib29sfVxuICAgKi9cbiAgb2xfc2Vzc2lvbl9jcmVhdGUodGhpczogdm9pZCwgbW9kZWw6IFBvaW50ZXIsIG9wdGlvbnM6IFBvaW50ZXIsIG9wdGlvbnNMZW5ndGg6IG51bWJlcik6IFBvaW50ZXI7XG4gIG9sX3Nlc3Npb25fZnJlZSh0aGlzOiB2b2lkLCBzZXNzaW9uOiBQb2ludGVyKTogdm9pZDtcbiAgLyoqXG4gICAqIEpTT04gbGlrZSBvbF9tb2RlbF9kZXNjcmliZSdzIFwiaW5wdXRzXCIsIFwib3V0cHV0c1wiLCBcIm92ZXJyaWRhYmxlX2luaXRpYWxpemVyc1wiLCBcIm1ldGFkYXRhXCIgLi4uIG9mIHRoZSBwbGFubmVkXG4gICAqIHNlc3Npb24sIHBsdXMgXCJub2Rlc1wiOiBbe1wibmFtZVwiLFwib3BfdHlwZVwiLFwiZG9tYWluXCIsXCJzaW5jZVwifV0sIFwicGFzc2VzXCI6IFt7XCJuYW1lXCIsXCJjaGFuZ2VkXCJ9XSwgXCJrbm9ic1wiOiBbLi4uXVxuICAgKi9cbiAgb2xfc2Vzc2lvbl9kZXNjcmliZSh0aGlzOiB2b2lkLCBzZXNzaW9uOiBQb2ludGVyKTogUG9pbnRlcjtcbiAgLyoqIEpTT046IHtcImluX3VzZVwiLFwicGVha1wiLFwibGltaXRcIixcIm1vZGVsX2J5dGVzXCIsXCJ3ZWlnaHRzX3BhY2tlZFwiLFwiYXJlbmFcIn0sIGluIGJ5dGVzICovXG4gIG9sX3Nlc3Npb25fbWVtb3J5KHRoaXM6IHZvaWQsIHNlc3Npb246IFBvaW50ZXIpOiBQb2ludGVyO1xuICAvKipcbiAgICogSlNPTiBhcnJheSBvZiB0aGUgbGFzdCBwcm9maWxlZCBydW46XG4gICAqIFt7XCJub2RlXCIsXCJvcF90eXBlXCIsXCJkb21haW5cIixcImtlcm5lbFwiLFwic3RhcnRfdXNcIixcImR1cmF0aW9uX3VzXCIsXCJpbnB1dHNcIjpbXCJmbG9hdFsxLDNdXCJdLFwib3V0cHV0c1wiOlsuLi5dfV07IHRoZVxuICAgKiBjbG9jayBpcyBvbF9ob3N0X25vdyBvZiB0aGUgaW1wb3J0LCBzZWUgYmVsb3cuXG4gICAqL1xuICBvbF9zZXNzaW9uX3Byb2ZpbGUodGhpczogdm9pZCwgc2Vzc2lvbjogUG9pbnRlcik6IFBvaW50ZXI7XG4gIG9sX3J1bl9uZXcodGhpczogdm9pZCwgc2Vzc2lvbjogUG9pbnRlcik6IFBvaW50ZXI7XG4gIG9sX3J1bl9mcmVlKHRoaXM6IHZvaWQsIHJ1bjogUG9pbnRlcik6IHZvaWQ7XG4gIC8qKiBGZWVkcyBhIGdyYXBoIGlucHV0IGJ5IG5hbWUuIFRoZSB2YWx1ZSBpcyBzaGFyZWQsIG5vdCBjb25zdW1lZC4gV3JvbmcgbmFtZSwgZHR5cGUgb3Igc2hhcGUgaXMgcmVmdXNlZCBoZXJlLiAqL1xuICBvbF9ydW5fZmVlZCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIsIG5hbWU6IFBvaW50ZXIsIG5hbWVMZW5ndGg6IG51bWJlciwgdmFsdWU6IFBvaW50ZXIpOiBudW1iZXI7XG4gIC8qKiBBc2tzIGZvciBhbiBvdXRwdXQgYnkgbmFtZTsgd2l0aCBubyBjYWxsIGF0IGFsbCBldmVyeSBncmFwaCBvdXRwdXQgaXMgY29tcHV0ZWQuICovXG4gIG9sX3J1bl9mZXRjaCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIsIG5hbWU6IFBvaW50ZXIsIG5hbWVMZW5ndGg6IG51bWJlcik6IG51bWJlcjtcbiAgLyoqIFJ1bnMgdW50aWwgZG9uZSwgcGVuZGluZyBvciBmYWlsZWQ6IGFuIG9sX3Byb2dyZXNzLCBvciBtaW51cyBhbiBvbF9jb2RlLiAqL1xuICBvbF9ydW5fc3RlcCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIpOiBudW1iZXI7XG4gIC8qKiBNYWtlcyB0aGUgbmV4dCBvbF9ydW5fc3RlcCBhbnN3ZXIgT0xfQUJPUlRFRC4gKi9cbiAgb2xfcnVuX2Fib3J0KHRoaXM6IHZvaWQsIHJ1bjogUG9pbnRlcik6IHZvaWQ7XG4gIC8qKiBXaGlsZSBwZW5kaW5nOiBKU09OIHtcImtpbmRcIjpcImN1c3RvbV9vcFwiLFwiZG9tYWluXCIsXCJvcF90eXBlXCIsXCJub2RlXCIsXCJhdHRyaWJ1dGVzXCI6ey4uLn0sXCJpbnB1dHNcIjpuLFwib3V0cHV0c1wiOm59LiAqL1xuICBvbF9ydW5fcGVuZGluZyh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIpOiBQb2ludGVyO1xuICAvKipcbiAgICogV2hpbGUgcGVuZGluZyBvbiBhIGN1c3RvbSBvcGVyYXRvcjogaXRzIGktdGggaW5wdXQgKGEgbmV3IHJlZmVyZW5jZSwgTlVMTCB3aGVuIGFic2VudCksIGFuZCB3aGVyZSBpdHMgcmVzdWx0c1xuICAgKiBnby5cbiAgICovXG4gIG9sX3J1bl9wZW5kaW5nX2lucHV0KHRoaXM6IHZvaWQsIHJ1bjogUG9pbnRlciwgaW5kZXg6IG51bWJlcik6IFBvaW50ZXI7XG4gIG9sX3J1bl9wZW5kaW5nX291dHB1dCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIsIGluZGV4OiBudW1iZXIsIHZhbHVlOiBQb2ludGVyKTogbnVtYmVyO1xuICAvKiogV2hpbGUgcGVuZGluZzogdGhlIGhvc3QncyB3b3JrIGZhaWxlZDsgdGhlIG5leHQgc3RlcCByZXBvcnRzIHRoaXMgbWVzc2FnZS4gKi9cbiAgb2xfcnVuX3BlbmRpbmdfZmFpbCh0aGlzOiB2b2lkLCBydW46IFBvaW50ZXIsIG1lc3NhZ2U6IFBvaW50ZXIsIG1lc3NhZ2VMZW5ndGg6IG51bWJlcik6IHZvaWQ7XG4gIG9sX3J1bl9vdXRwdXRfY291bnQodGhpczogdm9pZCwgcnVuOiBQb2ludGVyKTogbnVtYmVyO1xuICAvKiogaS10aCBmZXRjaGVkIG91dHB1dCwgaW4gdGhlIG9yZGVyIG9mIHRoZSBmZXRjaGVzIChvciBvZiB0aGUgZ3JhcGgpLiBBIG5ldyByZWZlcmVuY2UuICovXG4gIG9sX3J1bl9vdXRwdXQodGhpczogdm9pZCwgcnVuOiBQb2ludGVyLCBpbmRleDogbnVtYmVyKTogUG9pbnRlcjtcbiAgLyoqIGR0eXBlOiBUZW5zb3JQcm90by5EYXRhVHlwZS4gQ29udGVudHMgdW5kZWZpbmVkOyBzdWItYnl0ZSB0eXBlcyBhcmUgcGFja2VkIGFzIGluIFRlbnNvclByb3RvLnJhd19kYXRhLiAqL1xuICBvbF90ZW5zb3JfbmV3KHRoaXM6IHZvaWQsIGR0eXBlOiBudW1iZXIsIHJhbms6IG51bWJlciwgZGltczogUG9pbnRlcik6IFBvaW50ZXI7XG4gIG9sX3ZhbHVlX2ZyZWUodGhpczogdm9pZCwgdmFsdWU6IFBvaW50ZXIpOiB2b2lkO1xuICBvbF92YWx1ZV9raW5kKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyKTogbnVtYmVyO1xuICBvbF90ZW5zb3JfZHR5cGUodGhpczogdm9pZCwgdmFsdWU6IFBvaW50ZXIpOiBudW1iZXI7XG4gIG9sX3RlbnNvcl9yYW5rKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyKTogbnVtYmVyO1xuICBvbF90ZW5zb3JfZGltcyh0aGlzOiB2b2lkLCB2YWx1ZTogUG9pbnRlcik6IFBvaW50ZXI7XG4gIC8qKiBUaGUgZWxlbWVudHM7IE5VTEwgZm9yIHN0cmluZ3MgYW5kIGZvciB0ZW5zb3JzIHdpdGhvdXQgZWxlbWVudHMuICovXG4gIG9sX3RlbnNvcl9kYXRhKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyKTogUG9pbnRlcjtcbiAgb2xfdGVuc29yX2J5dGVzKHRoaXM6IHZvaWQsIHZhbHVlOiBQb2ludGVyKTogbnVtYmVyO1xuICAvKiogU3RyaW5nIGVsZW1lbnRzOiBVVEYtOCwgbWF5IGhvbGQgTlVMOyB2YWxpZCB3aGlsZSB0aGUgdmFsdWUgbGl2ZXMuICovXG4gIG9sX3RlbnNvcl9zdHJpbmcodGhpczogdm9pZCwgdmFsdWU6IFBvaW50ZXIsIGluZGV4OiBudW1iZXIpOiBQb2ludGVyO1xuICBvbF90ZW5zb3Jfc3RyaW5nX2xlbmd0aCh0aGlzOiB2b2lkLCB2YWx1ZTogUG9pbnRlciwgaW5kZXg6IG51bWJlcik6IG51bWJlcjtcbiAgb2xfdGVuc29yX3NldF9zdHJpbmcodGhpczogdm9pZCwgdmFsdWU6IFBvaW50ZXIsIGluZGV4OiBudW1iZXIsIHRleHQ6IFBvaW50ZXIsIGxlbmd0aDogbnVtYmVyKTogbnVtYmVyO1xuICBvbF9zZXF1ZW5jZV9uZXcodGhpczogdm9pZCk6IFBvaW50ZXI7XG4gIG9sX3NlcXVlbmNlX3B1c2godGhpczogdm9pZCwgc2VxdWVuY2U6IFBvaW50ZXIsIGl0ZW06IFBvaW50ZXIpOiBudW1iZXI7XG4gIG9sX3NlcXVlbmNlX3NpemUodGhpczogdm9pZCwgc2VxdWVuY2U6IFBvaW50ZXIpOiBudW1iZXI7XG4gIC8qKiBBIG5ldyByZWZlcmVuY2UuICovXG4gIG9sX3NlcXVlbmNlX2l0ZW0odGhpczogdm9pZCwgc2VxdWVuY2U6IFBvaW50ZXIsIGluZGV4OiBudW1iZXIpOiBQb2ludGVyO1xuICAvKioga2V5czogMS1EIHRlbnNvciBvZiBzdHJpbmdzIG9yIGludGVnZXJzOyB2YWx1ZXM6IDEtRCB0ZW5zb3Igb2YgdGhlIHNhbWUgbGVuZ3RoLiAqL1xuICBvbF9tYXBfbmV3KHRoaXM6IHZvaWQsIGtleXM6IFBvaW50ZXIsIHZhbHVlczogUG9pbnRlcik6IFBvaW50ZXI7XG4gIG9sX21hcF9rZXlzKHRoaXM6IHZvaWQsIG1hcDogUG9pbnRlcik6IFBvaW50ZXI7XG4gIG9sX21hcF92YWx1ZXModGhpczogdm9pZCwgbWFwOiBQb2ludGVyKTogUG9pbnRlcjtcbiAgLyoqIEFuIG9wdGlvbmFsIHdpdGhvdXQgYW4gZWxlbWVudC4gQSBmaWxsZWQgb3B0aW9uYWwgaXMgc2ltcGx5IGl0cyBlbGVtZW50LiAqL1xuICBvbF9vcHRpb25hbF9lbXB0eSh0aGlzOiB2b2lkKTogUG9pbnRlcjtcbiAgLyoqIFNlc3Npb25zIGNyZWF0ZWQgYWZ0ZXJ3YXJkcyBoYW5kIG5vZGVzIG9mIHRoaXMgdHlwZSB0byB0aGUgaG9zdCB0aHJvdWdoIE9MX1BFTkRJTkcuICovXG4gIG9sX3JlZ2lzdGVyX2N1c3RvbV9vcCh0aGlzOiB2b2lkLCBkb21haW46IFBvaW50ZXIsIGRvbWFpbkxlbmd0aDogbnVtYmVyLCBvcFR5cGU6IFBvaW50ZXIsIG9wVHlwZUxlbmd0aDogbnVtYmVyKTogbnVtYmVyO1xufVxuXG4vKiogQSB3YXNtIGZ1bmN0aW9uJ3MgcmVzdWx0OyBwb2ludGVycyBhbmQgc2l6ZXMgYXJyaXZlIHNpZ25lZCBhbmQgYXJlIHRvIGJlIHJlYWQgdW5zaWduZWQuICovXG5leHBvcnQgdHlwZSBBYmlSZXN1bHQgPSBcInZvaWRcIiB8IFwiaTMyXCIgfCBcImk2NFwiIHwgXCJ1c2l6ZVwiIHwgXCJwdHJcIiB8IFwiZjY0XCI7XG5cbi8qKiBFdmVyeSBuYW1lIGFib3ZlIHdpdGggaXRzIHJlc3VsdDogYSBtb2R1bGUgd2l0aG91dCBvbmUgb2YgdGhlbSBpcyBub3QgYW4gZW5naW5lIG9mIHRoaXMgdmVyc2lvbi4gKi9cbmV4cG9ydCBjb25zdCBBQklfRlVOQ1RJT05TOiBSZWFkb25seTxSZWNvcmQ8a2V5b2YgQWJpLCBBYmlSZXN1bHQ+PiA9IHtcbiAgb2xfYWJpX3ZlcnNpb246IFwiaTMyXCIsXG4gIG9sX3ZlcnNpb246IFwicHRyXCIsXG4gIG9sX2J1aWxkX2luZm86IFwicHRyXCIsXG4gIG9sX2xhc3RfY29kZTogXCJpMzJcIixcbiAgb2xfbGFzdF9tZXNzYWdlOiBcInB0clwiLFxuICBvbF9jb2RlX25hbWU6IFwicHRyXCIsXG4gIG9sX2FsbG9jOiBcInB0clwiLFxuICBvbF9mcmVlOiBcInZvaWRcIixcbiAgb2xfd29ya2VyX3N0YWNrOiBcInB0clwiLFxuICBvbF93b3JrZXJfdGxzOiBcInB0clwiLFxuICBvbF93b3JrZXJfbWFpbjogXCJ2b2lkXCIsXG4gIG9sX3dvcmtlcnNfcmVhZHk6IFwiaTMyXCIsXG4gIG9sX3NldF93b3JrZXJzOiBcInZvaWRcIixcbiAgb2xfc3RvcF93b3JrZXJzOiBcInZvaWRcIixcbiAgb2xfbW9kZWxfb3BlbjogXCJwdHJcIixcbiAgb2xfbW9kZWxfZnJlZTogXCJ2b2lkXCIsXG4gIG9sX21vZGVsX2Rlc2NyaWJlOiBcInB0clwiLFxuICBvbF9tb2RlbF9wcm92aWRlOiBcImkzMlwiLFxuICBvbF9zZXNzaW9uX2NyZWF0ZTogXCJwdHJcIixcbiAgb2xfc2Vzc2lvbl9mcmVlOiBcInZvaWRcIixcbiAgb2xfc2Vzc2lvbl9kZXNjcmliZTogXCJwdHJcIixcbiAgb2xfc2Vzc2lvbl9tZW1vcnk6IFwicHRyXCIsXG4gIG9sX3Nlc3Npb25fcHJvZmlsZTogXCJwdHJcIixcbiAgb2xfcnVuX25ldzogXCJwdHJcIixcbiAgb2xfcnVuX2ZyZWU6IFwidm9pZFwiLFxuICBvbF9ydW5fZmVlZDogXCJpMzJcIixcbiAgb2xfcnVuX2ZldGNoOiBcImkzMlwiLFxuICBvbF9ydW5fc3RlcDogXCJpMzJcIixcbiAgb2xfcnVuX2Fib3J0OiBcInZvaWRcIixcbiAgb2xfcnVuX3BlbmRpbmc6IFwicHRyXCIsXG4gIG9sX3J1bl9wZW5kaW5nX2lucHV0OiBcInB0clwiLFxuICBvbF9ydW5fcGVuZGluZ19vdXRwdXQ6IFwiaTMyXCIsXG4gIG9sX3J1bl9wZW5kaW5nX2ZhaWw6IFwidm9pZFwiLFxuICBvbF9ydW5fb3V0cHV0X2NvdW50OiBcImkzMlwiLFxuICBvbF9ydW5fb3V0cHV0OiBcInB0clwiLFxuICBvbF90ZW5zb3JfbmV3OiBcInB0clwiLFxuICBvbF92YWx1ZV9mcmVlOiBcInZvaWRcIixcbiAgb2xfdmFsdWVfa2luZDogXCJpMzJcIixcbiAgb2xfdGVuc29yX2R0eXBlOiBcImkzMlwiLFxuICBvbF90ZW5zb3JfcmFuazogXCJpMzJcIixcbiAgb2xfdGVuc29yX2RpbXM6IFwicHRyXCIsXG4gIG9sX3RlbnNvcl9kYXRhOiBcInB0clwiLFxuICBvbF90ZW5zb3JfYnl0ZXM6IFwidXNpemVcIixcbiAgb2xfdGVuc29yX3N0cmluZzogXCJwdHJcIixcbiAgb2xfdGVuc29yX3N0cmluZ19sZW5ndGg6IFwidXNpemVcIixcbiAgb2xfdGVuc29yX3NldF9zdHJpbmc6IFwiaTMyXCIsXG4gIG9sX3NlcXVlbmNlX25ldzogXCJwdHJcIixcbiAgb2xfc2VxdWVuY2VfcHVzaDogXCJpMzJcIixcbiAgb2xfc2VxdWVuY2Vfc2l6ZTogXCJpMzJcIixcbiAgb2xfc2VxdWVuY2VfaXRlbTogXCJwdHJcIixcbiAgb2xfbWFwX25ldzogXCJwdHJcIixcbiAgb2xfbWFwX2tleXM6IFwicHRyXCIsXG4gIG9sX21hcF92YWx1ZXM6IFwicHRyXCIsXG4gIG9sX29wdGlvbmFsX2VtcHR5OiBcInB0clwiLFxuICBvbF9yZWdpc3Rlcl9jdXN0b21fb3A6IFwiaTMyXCIsXG59O1xuIiwgImltcG9ydCB7IEFCSV9WRVJTSU9OIH0gZnJvbSAnLi9hYmkuZ2VuLmpzJztcblxuZXhwb3J0IHR5cGUgTG9nTGV2ZWwgPSAndmVyYm9zZScgfCAnaW5mbycgfCAnd2FybmluZycgfCAnZXJyb3InIHwgJ2ZhdGFsJztcblxuZXhwb3J0IGludGVyZmFjZSBXYXNtRmxhZ3Mge1xuICAvKiogVGhyZWFkcyBhIHNlc3Npb24gbWF5IHVzZSwgdGhpcyBvbmUgaW5jbHVkZWQuIDAgb3IgdW5kZWZpbmVkOiBoYWxmIG9mIHRoZSBjb3JlcywgYXQgbW9zdCA0LiAqL1xuICBudW1UaHJlYWRzPzogbnVtYmVyIHwgdW5kZWZpbmVkO1xuICAvKiogYGZhbHNlYCBhc2tzIGZvciB0aGUgZmxhdm91ciB3aXRob3V0IFNJTUQsIGAncmVsYXhlZCdgIGZvciByZWxheGVkIFNJTUQgd2hlcmUgdGhlIGVuZ2luZSBoYXMgaXQgKHRoZSBkZWZhdWx0KS4gKi9cbiAgc2ltZD86IGJvb2xlYW4gfCAnZml4ZWQnIHwgJ3JlbGF4ZWQnIHwgdW5kZWZpbmVkO1xuICAvKiogV2hlcmUgdGhlIC53YXNtIGZpbGVzIGxpZTogYSBmb2xkZXIncyBhZGRyZXNzIGVuZGluZyBpbiBgL2AsIG9yIGFuIGFkZHJlc3MgZm9yIGVhY2ggZmlsZSBuYW1lLiAqL1xuICB3YXNtUGF0aHM/OiBzdHJpbmcgfCBVUkwgfCBSZWFkb25seTxSZWNvcmQ8c3RyaW5nLCBzdHJpbmcgfCBVUkw+PiB8IHVuZGVmaW5lZDtcbiAgLyoqIFRoZSBieXRlcyBvZiBhIGZsYXZvdXIsIG9yIHRoZSBjb21waWxlZCBtb2R1bGUsIHRvIHVzZSBpbnN0ZWFkIG9mIGZldGNoaW5nIG9uZS4gKi9cbiAgd2FzbUJpbmFyeT86IEFycmF5QnVmZmVyTGlrZSB8IFVpbnQ4QXJyYXkgfCBXZWJBc3NlbWJseS5Nb2R1bGUgfCB1bmRlZmluZWQ7XG4gIC8qKlxuICAgKiBXaGV0aGVyIHRoZSBlbmdpbmUgcnVucyBpbiBhIHdvcmtlciBvZiBpdHMgb3duLiBCeSBkZWZhdWx0IGl0IGRvZXMgb24gYSBwYWdlJ3MgbWFpbiB0aHJlYWQsIHdoaWNoIG1heSBub3QgYmxvY2ssXG4gICAqIGFuZCBkb2VzIG5vdCBpbiBOb2RlIGFuZCBpbiB3b3JrZXJzLlxuICAgKi9cbiAgcHJveHk/OiBib29sZWFuIHwgdW5kZWZpbmVkO1xuICAvKiogTWlsbGlzZWNvbmRzIGFmdGVyIHdoaWNoIGEgd29ya2VyIHRoYXQgZG9lcyBub3QgYW5zd2VyIGl0cyBzdGFydCBpcyBnaXZlbiB1cDsgMCB3YWl0cyBmb3IgZXZlci4gKi9cbiAgaW5pdFRpbWVvdXQ/OiBudW1iZXIgfCB1bmRlZmluZWQ7XG59XG5cbmV4cG9ydCBpbnRlcmZhY2UgRW52IHtcbiAgcmVhZG9ubHkgd2FzbTogV2FzbUZsYWdzO1xuICAvKiogQml0LWlkZW50aWNhbCByZXN1bHRzIG9uIGV2ZXJ5IG1hY2hpbmUsIGF0IHRoZSBjb3N0IG9mIHJlbGF4ZWQgU0lNRC4gQSBzZXNzaW9uJ3Mgb3duIG9wdGlvbiBnb2VzIGJlZm9yZSBpdC4gKi9cbiAgZGV0ZXJtaW5pc3RpYzogYm9vbGVhbjtcbiAgLyoqIFRoZSBsZWFzdCBzZXZlcmUga2luZCBvZiBtZXNzYWdlIHRoYXQgcmVhY2hlcyB0aGUgY29uc29sZS4gKi9cbiAgbG9nTGV2ZWw6IExvZ0xldmVsO1xuICBkZWJ1ZzogYm9vbGVhbjtcbiAgLyoqIGBvbm54bGV0YCBhbmQgYHdlYmAgYXJlIHRoZSBwYWNrYWdlJ3MgdmVyc2lvbiwgYGFiaWAgdGhlIG51bWJlciB0aGF0IEphdmFTY3JpcHQgYW5kIFdlYkFzc2VtYmx5IG11c3Qgc2hhcmUuICovXG4gIHJlYWRvbmx5IHZlcnNpb25zOiB7IHJlYWRvbmx5IGNvbW1vbjogc3RyaW5nOyByZWFkb25seSB3ZWI6IHN0cmluZzsgcmVhZG9ubHkgb25ueGxldDogc3RyaW5nOyByZWFkb25seSBhYmk6IHN0cmluZyB9O1xufVxuXG4vKiogVGhlIHBhY2thZ2UncyB2ZXJzaW9uOyB0aGUgYnVpbGQgd3JpdGVzIGl0IGluLiAqL1xuZGVjbGFyZSBjb25zdCBPTk5YTEVUX1ZFUlNJT046IHN0cmluZztcbmV4cG9ydCBjb25zdCBWRVJTSU9OID0gdHlwZW9mIE9OTlhMRVRfVkVSU0lPTiA9PT0gJ3N0cmluZycgPyBPTk5YTEVUX1ZFUlNJT04gOiAnMC4wLjAnO1xuXG5leHBvcnQgY29uc3QgZW52OiBFbnYgPSB7XG4gIHdhc206IHt9LFxuICBkZXRlcm1pbmlzdGljOiBmYWxzZSxcbiAgbG9nTGV2ZWw6ICd3YXJuaW5nJyxcbiAgZGVidWc6IGZhbHNlLFxuICB2ZXJzaW9uczogeyBjb21tb246IFZFUlNJT04sIHdlYjogVkVSU0lPTiwgb25ueGxldDogVkVSU0lPTiwgYWJpOiBTdHJpbmcoQUJJX1ZFUlNJT04pIH0sXG59O1xuIiwgIi8vIE9uZSBpbnN0YW5jZSBvZiB0aGUgZW5naW5lOiBpdHMgZnVuY3Rpb25zIG1hZGUgc2FmZSB0byBjYWxsLCBhbmQgaXRzIG1lbW9yeS5cbmltcG9ydCB0eXBlIHsgQWJpLCBDb2RlTmFtZSwgUG9pbnRlciB9IGZyb20gJy4vYWJpLmdlbi5qcyc7XG5pbXBvcnQgeyBBQklfRlVOQ1RJT05TLCBBQklfVkVSU0lPTiwgQ29kZSB9IGZyb20gJy4vYWJpLmdlbi5qcyc7XG5pbXBvcnQgdHlwZSB7IENvbXBpbGVkRW5naW5lIH0gZnJvbSAnLi9jb21waWxlLmpzJztcbmltcG9ydCB7IFZFUlNJT04gfSBmcm9tICcuL2Vudi5qcyc7XG5pbXBvcnQgdHlwZSB7IEVycm9yQ29kZSB9IGZyb20gJy4vZXJyb3JzLmpzJztcbmltcG9ydCB7IG1lc3NhZ2VPZiwgT25ueGxldEVycm9yIH0gZnJvbSAnLi9lcnJvcnMuanMnO1xuXG50eXBlIFJhd0Z1bmN0aW9uID0gKC4uLmFyZ3M6IHVua25vd25bXSkgPT4gdW5rbm93bjtcblxuZXhwb3J0IGludGVyZmFjZSBJbnN0YW5jZSB7XG4gIHJlYWRvbmx5IG1vZHVsZTogRW5naW5lTW9kdWxlO1xuICAvKiogV2hhdCBhIHRocmVhZCdzIGluc3RhbmNlIG11c3QgYmUgZ2l2ZW4gdG9vOyBudWxsIGluIHRoZSBmbGF2b3VycyB3aXRob3V0IHRocmVhZHMuICovXG4gIHJlYWRvbmx5IHNoYXJlZE1lbW9yeTogV2ViQXNzZW1ibHkuTWVtb3J5IHwgbnVsbDtcbn1cblxuY29uc3QgQ09ERV9OQU1FUzogUmVhZG9ubHlNYXA8bnVtYmVyLCBDb2RlTmFtZT4gPSBuZXcgTWFwKFxuICAoT2JqZWN0LmVudHJpZXMoQ29kZSkgYXMgW0NvZGVOYW1lLCBudW1iZXJdW10pLm1hcCgoW25hbWUsIHZhbHVlXSkgPT4gW3ZhbHVlLCBuYW1lXSksXG4pO1xuY29uc3QgUEFHRSA9IDY1NTM2O1xuLy8gQnJvd3NlcnMgcmVmdXNlIGxhcmdlIHJlc2VydmF0aW9ucyBvbiBzbWFsbCBkZXZpY2VzLCBzbyBzbWFsbGVyIG1heGltYSBhcmUgdHJpZWQgaW4gdHVybi5cbmNvbnN0IFNNQUxMRVJfTUFYSU1BID0gWzMyNzY4LCAxNjM4NCwgODE5MiwgNDA5Nl07XG5cbmV4cG9ydCBjbGFzcyBFbmdpbmVNb2R1bGUge1xuICByZWFkb25seSBhYmk6IEFiaTtcbiAgcmVhZG9ubHkgbWVtb3J5OiBXZWJBc3NlbWJseS5NZW1vcnk7XG4gICNieXRlcyA9IG5ldyBVaW50OEFycmF5KDApO1xuICAjbG9zdDogT25ueGxldEVycm9yIHwgdW5kZWZpbmVkO1xuXG4gIGNvbnN0cnVjdG9yKFxuICAgIHJlYWRvbmx5IGV4cG9ydHM6IFdlYkFzc2VtYmx5LkV4cG9ydHMsXG4gICAgc2hhcmVkTWVtb3J5OiBXZWJBc3NlbWJseS5NZW1vcnkgfCBudWxsLFxuICApIHtcbiAgICB0aGlzLm1lbW9yeSA9IHNoYXJlZE1lbW9yeSA/PyAoZXhwb3J0c1snbWVtb3J5J10gYXMgV2ViQXNzZW1ibHkuTWVtb3J5KTtcbiAgICB0aGlzLmFiaSA9IHRoaXMuI2d1YXJkQWxsKGV4cG9ydHMpO1xuICB9XG5cbiAgLyoqIFRoZSBlcnJvciB0aGF0IGVuZGVkIHRoaXMgaW5zdGFuY2U7IG5vIGNhbGwgaXMgcG9zc2libGUgYW55IG1vcmUuICovXG4gIGdldCBsb3N0KCk6IE9ubnhsZXRFcnJvciB8IHVuZGVmaW5lZCB7XG4gICAgcmV0dXJuIHRoaXMuI2xvc3Q7XG4gIH1cblxuICAvKiogRGVjbGFyZXMgdGhlIGluc3RhbmNlIHVudXNhYmxlLCBiZWNhdXNlIGEgdGhyZWFkIG9mIGl0IGhhcyBkaWVkLiAqL1xuICBsb3NlKGVycm9yOiBPbm54bGV0RXJyb3IpOiB2b2lkIHtcbiAgICB0aGlzLiNsb3N0ID8/PSBlcnJvcjtcbiAgfVxuXG4gIC8qKiBBbGwgb2YgbWVtb3J5LCBtYWRlIGFuZXcgd2hlbiBpdCBoYXMgZ3Jvd246IG5ldmVyIGtlZXAgaXQgYWNyb3NzIGEgY2FsbC4gKi9cbiAgZ2V0IGJ5dGVzKCk6IFVpbnQ4QXJyYXk8QXJyYXlCdWZmZXI+IHtcbiAgICBjb25zdCB7IGJ1ZmZlciB9ID0gdGhpcy5tZW1vcnk7XG4gICAgaWYgKHRoaXMuI2J5dGVzLmJ1ZmZlciAhPT0gYnVmZmVyIHx8IHRoaXMuI2J5dGVzLmxlbmd0aCAhPT0gYnVmZmVyLmJ5dGVMZW5ndGgpIHRoaXMuI2J5dGVzID0gbmV3IFVpbnQ4QXJyYXkoYnVmZmVyKTtcbiAgICByZXR1cm4gdGhpcy4jYnl0ZXM7XG4gIH1cblxuICBzbGljZShwb2ludGVyOiBQb2ludGVyLCBsZW5ndGg6IG51bWJlcik6IFVpbnQ4QXJyYXk8QXJyYXlCdWZmZXI+IHtcbiAgICAvLyBDb3BpZWQgaW50byB1bnNoYXJlZCBtZW1vcnksIHdoaWNoIGlzIHdoYXQgZGVjb2RlcnMgYW5kIHBvc3RNZXNzYWdlJ3MgdHJhbnNmZXIgYWNjZXB0LlxuICAgIGNvbnN0IGNvcHkgPSBuZXcgVWludDhBcnJheShsZW5ndGgpO1xuICAgIGNvcHkuc2V0KHRoaXMuYnl0ZXMuc3ViYXJyYXkocG9pbnRlciwgcG9pbnRlciArIGxlbmd0aCkpO1xuICAgIHJldHVybiBjb3B5O1xuICB9XG5cbiAgdGV4dChwb2ludGVyOiBQb2ludGVyLCBsZW5ndGg6IG51bWJlcik6IHN0cmluZyB7XG4gICAgcmV0dXJuIG5ldyBUZXh0RGVjb2RlcigpLmRlY29kZSh0aGlzLnNsaWNlKHBvaW50ZXIsIGxlbmd0aCkpO1xuICB9XG5cbiAgLyoqIEEgTlVMLXRlcm1pbmF0ZWQgc3RyaW5nLCBzdWNoIGFzIGV2ZXJ5IGBjb25zdCBjaGFyKmAgdGhlIGVuZ2luZSByZXR1cm5zLiAqL1xuICBjU3RyaW5nKHBvaW50ZXI6IFBvaW50ZXIpOiBzdHJpbmcge1xuICAgIHJldHVybiB0aGlzLnRleHQocG9pbnRlciwgdGhpcy5ieXRlcy5pbmRleE9mKDAsIHBvaW50ZXIpIC0gcG9pbnRlcik7XG4gIH1cblxuICBqc29uKHBvaW50ZXI6IFBvaW50ZXIpOiB1bmtub3duIHtcbiAgICBpZiAocG9pbnRlciA9PT0gMCkgdGhpcy5mYWlsKCk7XG4gICAgcmV0dXJuIEpTT04ucGFyc2UodGhpcy5jU3RyaW5nKHBvaW50ZXIpKSBhcyB1bmtub3duO1xuICB9XG5cbiAgYWxsb2MobGVuZ3RoOiBudW1iZXIsIHdoYXQ6IHN0cmluZyk6IFBvaW50ZXIge1xuICAgIGNvbnN0IHBvaW50ZXIgPSB0aGlzLmFiaS5vbF9hbGxvYyhsZW5ndGgpO1xuICAgIGlmIChwb2ludGVyID09PSAwKSB7XG4gICAgICB0aHJvdyBuZXcgT25ueGxldEVycm9yKFxuICAgICAgICAnT1VUX09GX01FTU9SWScsXG4gICAgICAgIGAke3doYXR9IG5lZWRzICR7bGVuZ3RofSBieXRlcyBvZiBlbmdpbmUgbWVtb3J5LCBhbmQgdGhleSBhcmUgcmVmdXNlZDsgJHt0aGlzLmJ5dGVzLmxlbmd0aH0gYnl0ZXMgYXJlIGluIHVzZSBgICtcbiAgICAgICAgICAnb3IgcmVzZXJ2ZWQuIFJlbGVhc2Ugb3RoZXIgc2Vzc2lvbnMsIG9yIHVzZSBhIHNtYWxsZXIgbW9kZWwnLFxuICAgICAgKTtcbiAgICB9XG4gICAgcmV0dXJuIHBvaW50ZXI7XG4gIH1cblxuICAvKiogTGVuZHMgdGhlIHRleHQgYXMgKHBvaW50ZXIsIGxlbmd0aCkgZm9yIHRoZSB0aW1lIG9mIG9uZSBjYWxsLiAqL1xuICB3aXRoVGV4dDxUPih0ZXh0OiBzdHJpbmcsIHVzZTogKHBvaW50ZXI6IFBvaW50ZXIsIGxlbmd0aDogbnVtYmVyKSA9PiBUKTogVCB7XG4gICAgY29uc3QgYnl0ZXMgPSBuZXcgVGV4dEVuY29kZXIoKS5lbmNvZGUodGV4dCk7XG4gICAgY29uc3QgcG9pbnRlciA9IHRoaXMuYWxsb2MoTWF0aC5tYXgoYnl0ZXMubGVuZ3RoLCAxKSwgJ2Egc3RyaW5nJyk7XG4gICAgdHJ5IHtcbiAgICAgIHRoaXMuYnl0ZXMuc2V0KGJ5dGVzLCBwb2ludGVyKTtcbiAgICAgIHJldHVybiB1c2UocG9pbnRlciwgYnl0ZXMubGVuZ3RoKTtcbiAgICB9IGZpbmFsbHkge1xuICAgICAgaWYgKCF0aGlzLiNsb3N0KSB0aGlzLmFiaS5vbF9mcmVlKHBvaW50ZXIpO1xuICAgIH1cbiAgfVxuXG4gIC8qKiBQYXNzZXMgYSByZXN1bHQgb24sIG9yIHRocm93cyB0aGUgZW5naW5lJ3MgZXJyb3Igd2hlbiBpdCBpcyBOVUxMIG9yIG5lZ2F0aXZlLiAqL1xuICBjaGVjayhyZXN1bHQ6IG51bWJlcik6IG51bWJlciB7XG4gICAgaWYgKHJlc3VsdCA8IDApIHRoaXMuZmFpbCgpO1xuICAgIHJldHVybiByZXN1bHQ7XG4gIH1cblxuICBjaGVja1BvaW50ZXIocG9pbnRlcjogUG9pbnRlcik6IFBvaW50ZXIge1xuICAgIGlmIChwb2ludGVyID09PSAwKSB0aGlzLmZhaWwoKTtcbiAgICByZXR1cm4gcG9pbnRlcjtcbiAgfVxuXG4gIC8qKiBUaHJvd3MgdGhlIGZhaWx1cmUgdGhhdCB0aGUgZW5naW5lIGhhcyBqdXN0IHJlcG9ydGVkLiAqL1xuICBmYWlsKCk6IG5ldmVyIHtcbiAgICBjb25zdCBuYW1lID0gQ09ERV9OQU1FUy5nZXQodGhpcy5hYmkub2xfbGFzdF9jb2RlKCkpID8/ICdJTlRFUk5BTCc7XG4gICAgY29uc3QgY29kZTogRXJyb3JDb2RlID0gbmFtZSA9PT0gJ09LJyA/ICdJTlRFUk5BTCcgOiBuYW1lO1xuICAgIHRocm93IG5ldyBPbm54bGV0RXJyb3IoY29kZSwgdGhpcy5jU3RyaW5nKHRoaXMuYWJpLm9sX2xhc3RfbWVzc2FnZSgpKSB8fCAndGhlIGVuZ2luZSBmYWlsZWQgd2l0aG91dCBhIG1lc3NhZ2UnKTtcbiAgfVxuXG4gICNndWFyZEFsbChleHBvcnRzOiBXZWJBc3NlbWJseS5FeHBvcnRzKTogQWJpIHtcbiAgICBjb25zdCBhYmk6IFJlY29yZDxzdHJpbmcsIFJhd0Z1bmN0aW9uPiA9IHt9O1xuICAgIGZvciAoY29uc3QgW25hbWUsIHJlc3VsdF0gb2YgT2JqZWN0LmVudHJpZXMoQUJJX0ZVTkNUSU9OUykpIHtcbiAgICAgIGNvbnN0IHJhdyA9IGV4cG9ydHNbbmFtZV0gYXMgUmF3RnVuY3Rpb24gfCB1bmRlZmluZWQ7XG4gICAgICBhYmlbbmFtZV0gPSByYXcgPyB0aGlzLiNndWFyZChuYW1lLCByYXcsIHJlc3VsdCA9PT0gJ3B0cicgfHwgcmVzdWx0ID09PSAndXNpemUnKSA6ICgpID0+IG1pc3NpbmcobmFtZSk7XG4gICAgfVxuICAgIHJldHVybiBhYmkgYXMgdW5rbm93biBhcyBBYmk7XG4gIH1cblxuICAvLyBXZWJBc3NlbWJseSBoYW5kcyBhZGRyZXNzZXMgb3ZlciBhcyBzaWduZWQgbnVtYmVycywgYW5kIGVuZHMgaW4gYSB0cmFwIHdoZXJlIEMrKyB3b3VsZCBjcmFzaC5cbiAgI2d1YXJkKG5hbWU6IHN0cmluZywgcmF3OiBSYXdGdW5jdGlvbiwgdW5zaWduZWQ6IGJvb2xlYW4pOiBSYXdGdW5jdGlvbiB7XG4gICAgcmV0dXJuICguLi5hcmdzKSA9PiB7XG4gICAgICBpZiAodGhpcy4jbG9zdCkgdGhyb3cgdGhpcy4jbG9zdDtcbiAgICAgIHRyeSB7XG4gICAgICAgIGNvbnN0IHJlc3VsdCA9IHJhdyguLi5hcmdzKTtcbiAgICAgICAgcmV0dXJuIHVuc2lnbmVkID8gKHJlc3VsdCBhcyBudW1iZXIpID4+PiAwIDogcmVzdWx0O1xuICAgICAgfSBjYXRjaCAoY2F1c2UpIHtcbiAgICAgICAgdGhpcy4jbG9zdCA9IG5ldyBPbm54bGV0RXJyb3IoXG4gICAgICAgICAgJ1RSQVAnLFxuICAgICAgICAgIGB0aGUgZW5naW5lIHN0b3BwZWQgaW4gJHtuYW1lfTogJHttZXNzYWdlT2YoY2F1c2UpfS4gSXRzIHNlc3Npb25zIGFyZSBsb3N0OyBhIG5ldyBzZXNzaW9uIHN0YXJ0cyBhIG5ldyBgICtcbiAgICAgICAgICAgICdlbmdpbmUuIFRoaXMgaXMgYSBkZWZlY3Qgb2Ygb25ueGxldCcsXG4gICAgICAgICAgeyBjYXVzZSB9LFxuICAgICAgICApO1xuICAgICAgICB0aHJvdyB0aGlzLiNsb3N0O1xuICAgICAgfVxuICAgIH07XG4gIH1cbn1cblxuLyoqIEluc3RhbnRpYXRlcyBhbmQgbWFrZXMgc3VyZSB0aGF0IGJvdGggc2lkZXMgc3BlYWsgdGhlIHNhbWUgQUJJLiAqL1xuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIGluc3RhbnRpYXRlKGVuZ2luZTogQ29tcGlsZWRFbmdpbmUpOiBQcm9taXNlPEluc3RhbmNlPiB7XG4gIGNvbnN0IHNoYXJlZCA9IGVuZ2luZS5tZW1vcnkgPT09IG51bGwgPyBudWxsIDogbWFrZU1lbW9yeShlbmdpbmUubWVtb3J5LCBlbmdpbmUub3JpZ2luKTtcbiAgbGV0IGluc3RhbmNlOiBXZWJBc3NlbWJseS5JbnN0YW5jZTtcbiAgY29uc3QgbWFkZTogeyBtb2R1bGU/OiBFbmdpbmVNb2R1bGUgfSA9IHt9O1xuICBjb25zdCBsb2cgPSAoX2xldmVsOiBudW1iZXIsIHRleHQ6IFBvaW50ZXIsIGxlbmd0aDogbnVtYmVyKSA9PiB7XG4gICAgY29uc29sZS5pbmZvKGBvbm54bGV0OiAke21hZGUubW9kdWxlPy50ZXh0KHRleHQgPj4+IDAsIGxlbmd0aCA+Pj4gMCkgPz8gJyd9YCk7XG4gIH07XG4gIHRyeSB7XG4gICAgaW5zdGFuY2UgPSBhd2FpdCBXZWJBc3NlbWJseS5pbnN0YW50aWF0ZShlbmdpbmUubW9kdWxlLCBpbXBvcnRzRm9yKGVuZ2luZS5tb2R1bGUsIHNoYXJlZCwgbG9nKSk7XG4gIH0gY2F0Y2ggKGNhdXNlKSB7XG4gICAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcignSU5URVJOQUwnLCBgdGhlIGVuZ2luZSBmcm9tICR7ZW5naW5lLm9yaWdpbn0gZG9lcyBub3Qgc3RhcnQ6ICR7bWVzc2FnZU9mKGNhdXNlKX1gLCB7XG4gICAgICBjYXVzZSxcbiAgICB9KTtcbiAgfVxuICBjb25zdCBleHBvcnRzID0gaW5zdGFuY2UuZXhwb3J0cztcbiAgaWYgKHR5cGVvZiBleHBvcnRzWydfaW5pdGlhbGl6ZSddID09PSAnZnVuY3Rpb24nKSAoZXhwb3J0c1snX2luaXRpYWxpemUnXSBhcyBSYXdGdW5jdGlvbikoKTtcbiAgY29uc3QgbW9kdWxlID0gbmV3IEVuZ2luZU1vZHVsZShleHBvcnRzLCBzaGFyZWQpO1xuICBtYWRlLm1vZHVsZSA9IG1vZHVsZTtcbiAgY2hlY2tWZXJzaW9uKG1vZHVsZSwgZW5naW5lLm9yaWdpbik7XG4gIHJldHVybiB7IG1vZHVsZSwgc2hhcmVkTWVtb3J5OiBzaGFyZWQgfTtcbn1cblxuLyoqXG4gKiBXaGF0IGEgbW9kdWxlIGltcG9ydHMuIE5hbWVzIHRoYXQgdGhpcyB2ZXJzaW9uIGRvZXMgbm90IGtub3cgZ2V0IGEgZnVuY3Rpb24gdGhhdCBvbmx5IGZhaWxzIHdoZW4gY2FsbGVkLCBzbyB0aGF0IGFuXG4gKiBlbmdpbmUgb2YgYW5vdGhlciB2ZXJzaW9uIGNhbiBzdGlsbCBzYXkgd2hpY2ggb25lIGl0IGlzLlxuICovXG5leHBvcnQgZnVuY3Rpb24gaW1wb3J0c0ZvcihcbiAgbW9kdWxlOiBXZWJBc3NlbWJseS5Nb2R1bGUsXG4gIG1lbW9yeTogV2ViQXNzZW1ibHkuTWVtb3J5IHwgbnVsbCxcbiAgbG9nOiAobGV2ZWw6IG51bWJlciwgdGV4dDogUG9pbnRlciwgbGVuZ3RoOiBudW1iZXIpID0+IHZvaWQsXG4pOiBXZWJBc3NlbWJseS5JbXBvcnRzIHtcbiAgY29uc3Qga25vd246IFdlYkFzc2VtYmx5LkltcG9ydHMgPSB7XG4gICAgb25ueGxldDogeyBvbF9ob3N0X25vdzogKCkgPT4gcGVyZm9ybWFuY2Uubm93KCkgKiAxMDAwLCBvbF9ob3N0X2xvZzogbG9nIH0sXG4gICAgZW52OiBtZW1vcnkgPyB7IG1lbW9yeSB9IDoge30sXG4gIH07XG4gIGNvbnN0IGltcG9ydHM6IFdlYkFzc2VtYmx5LkltcG9ydHMgPSB7fTtcbiAgZm9yIChjb25zdCB7IG1vZHVsZTogZnJvbSwgbmFtZSwga2luZCB9IG9mIFdlYkFzc2VtYmx5Lk1vZHVsZS5pbXBvcnRzKG1vZHVsZSkpIHtcbiAgICBjb25zdCB2YWx1ZSA9IGtub3duW2Zyb21dPy5bbmFtZV0gPz8gKGtpbmQgPT09ICdmdW5jdGlvbicgPyAoKSA9PiBtaXNzaW5nKGAke2Zyb219LiR7bmFtZX1gKSA6IHVuZGVmaW5lZCk7XG4gICAgaWYgKHZhbHVlICE9PSB1bmRlZmluZWQpIChpbXBvcnRzW2Zyb21dID8/PSB7fSlbbmFtZV0gPSB2YWx1ZTtcbiAgfVxuICByZXR1cm4gaW1wb3J0cztcbn1cblxuZnVuY3Rpb24gbWlzc2luZyhuYW1lOiBzdHJpbmcpOiBuZXZlciB7XG4gIHRocm93IG5ldyBPbm54bGV0RXJyb3IoJ1ZFUlNJT05fTUlTTUFUQ0gnLCBgJHtuYW1lfSBpcyBub3Qga25vd24gdG8gYm90aCBzaWRlczsgSmF2YVNjcmlwdCBpcyBvbm54bGV0ICR7VkVSU0lPTn1gKTtcbn1cblxuZnVuY3Rpb24gY2hlY2tWZXJzaW9uKG1vZHVsZTogRW5naW5lTW9kdWxlLCBvcmlnaW46IHN0cmluZyk6IHZvaWQge1xuICBjb25zdCB7IGV4cG9ydHMgfSA9IG1vZHVsZTtcbiAgaWYgKHR5cGVvZiBleHBvcnRzWydvbF9hYmlfdmVyc2lvbiddICE9PSAnZnVuY3Rpb24nIHx8IHR5cGVvZiBleHBvcnRzWydvbF92ZXJzaW9uJ10gIT09ICdmdW5jdGlvbicpIHtcbiAgICB0aHJvdyBuZXcgT25ueGxldEVycm9yKCdWRVJTSU9OX01JU01BVENIJywgYCR7b3JpZ2lufSBpcyBubyBvbm54bGV0IGVuZ2luZTogaXQgZG9lcyBub3QgdGVsbCBpdHMgdmVyc2lvbmApO1xuICB9XG4gIGNvbnN0IGFiaSA9IG1vZHVsZS5hYmkub2xfYWJpX3ZlcnNpb24oKTtcbiAgY29uc3QgYWJzZW50ID0gT2JqZWN0LmtleXMoQUJJX0ZVTkNUSU9OUykuZmlsdGVyKChuYW1lKSA9PiAhKG5hbWUgaW4gZXhwb3J0cykpO1xuICBpZiAoYWJpID09PSBBQklfVkVSU0lPTiAmJiBhYnNlbnQubGVuZ3RoID09PSAwKSByZXR1cm47XG4gIGNvbnN0IHZlcnNpb24gPSBtb2R1bGUuY1N0cmluZyhtb2R1bGUuYWJpLm9sX3ZlcnNpb24oKSk7XG4gIHRocm93IG5ldyBPbm54bGV0RXJyb3IoXG4gICAgJ1ZFUlNJT05fTUlTTUFUQ0gnLFxuICAgIGBKYXZhU2NyaXB0IG9mIG9ubnhsZXQgJHtWRVJTSU9OfSAoQUJJICR7QUJJX1ZFUlNJT059KSBjYW5ub3QgZHJpdmUgV2ViQXNzZW1ibHkgb2Ygb25ueGxldCAke3ZlcnNpb259IGAgK1xuICAgICAgYChBQkkgJHthYml9KSBmcm9tICR7b3JpZ2lufSR7YWJzZW50Lmxlbmd0aCA+IDAgPyBgLCB3aGljaCBsYWNrcyAke3NvbWVPZihhYnNlbnQpfWAgOiAnJ307IGAgK1xuICAgICAgJ3VzZSBmaWxlcyBvZiBvbmUgdmVyc2lvbicsXG4gICk7XG59XG5cbmZ1bmN0aW9uIHNvbWVPZihuYW1lczogcmVhZG9ubHkgc3RyaW5nW10pOiBzdHJpbmcge1xuICByZXR1cm4gbmFtZXMubGVuZ3RoIDw9IDNcbiAgICA/IG5hbWVzLmpvaW4oJywgJylcbiAgICA6IGAke25hbWVzLnNsaWNlKDAsIDMpLmpvaW4oJywgJyl9IGFuZCAke25hbWVzLmxlbmd0aCAtIDN9IG1vcmUgZnVuY3Rpb25zYDtcbn1cblxuZnVuY3Rpb24gbWFrZU1lbW9yeShsaW1pdHM6IHsgaW5pdGlhbDogbnVtYmVyOyBtYXhpbXVtOiBudW1iZXI7IHNoYXJlZDogYm9vbGVhbiB9LCBvcmlnaW46IHN0cmluZyk6IFdlYkFzc2VtYmx5Lk1lbW9yeSB7XG4gIGxldCBjYXVzZTogdW5rbm93bjtcbiAgZm9yIChjb25zdCBtYXhpbXVtIG9mIFtsaW1pdHMubWF4aW11bSwgLi4uU01BTExFUl9NQVhJTUEuZmlsdGVyKChwYWdlcykgPT4gcGFnZXMgPCBsaW1pdHMubWF4aW11bSldKSB7XG4gICAgdHJ5IHtcbiAgICAgIHJldHVybiBuZXcgV2ViQXNzZW1ibHkuTWVtb3J5KHsgaW5pdGlhbDogbGltaXRzLmluaXRpYWwsIG1heGltdW0sIHNoYXJlZDogbGltaXRzLnNoYXJlZCB9KTtcbiAgICB9IGNhdGNoIChlcnJvcikge1xuICAgICAgY2F1c2UgPSBlcnJvcjtcbiAgICB9XG4gIH1cbiAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcihcbiAgICAnT1VUX09GX01FTU9SWScsXG4gICAgYHNoYXJlZCBtZW1vcnkgb2YgJHtsaW1pdHMuaW5pdGlhbCAqIFBBR0V9IGJ5dGVzIGZvciAke29yaWdpbn0gaXMgcmVmdXNlZDogJHttZXNzYWdlT2YoY2F1c2UpfWAsXG4gICAgeyBjYXVzZSB9LFxuICApO1xufVxuIiwgIi8vIFdyaXRlcyB0aW55IFdlYkFzc2VtYmx5IG1vZHVsZXMsIHRvIHN0YW5kIGZvciBlbmdpbmVzIHRoYXQgYXJlIG5vdCB3aGF0IHRoZXkgc2hvdWxkIGJlLlxuXG5pbXBvcnQgeyBBQklfRlVOQ1RJT05TLCBBQklfVkVSU0lPTiB9IGZyb20gJy4uL3NyYy9hYmkuZ2VuLmpzJztcblxuZXhwb3J0IGZ1bmN0aW9uIGxlYih2YWx1ZTogbnVtYmVyKTogbnVtYmVyW10ge1xuICBjb25zdCBieXRlczogbnVtYmVyW10gPSBbXTtcbiAgZG8ge1xuICAgIGNvbnN0IHJlc3QgPSBNYXRoLmZsb29yKHZhbHVlIC8gMTI4KTtcbiAgICBieXRlcy5wdXNoKCh2YWx1ZSAlIDEyOCkgKyAocmVzdCA+IDAgPyAxMjggOiAwKSk7XG4gICAgdmFsdWUgPSByZXN0O1xuICB9IHdoaWxlICh2YWx1ZSA+IDApO1xuICByZXR1cm4gYnl0ZXM7XG59XG5cbmV4cG9ydCBmdW5jdGlvbiB2ZWN0b3IoaXRlbXM6IHJlYWRvbmx5IChyZWFkb25seSBudW1iZXJbXSlbXSk6IG51bWJlcltdIHtcbiAgcmV0dXJuIFsuLi5sZWIoaXRlbXMubGVuZ3RoKSwgLi4uaXRlbXMuZmxhdCgpXTtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIG5hbWUodGV4dDogc3RyaW5nKTogbnVtYmVyW10ge1xuICBjb25zdCBieXRlcyA9IFsuLi5uZXcgVGV4dEVuY29kZXIoKS5lbmNvZGUodGV4dCldO1xuICByZXR1cm4gWy4uLmxlYihieXRlcy5sZW5ndGgpLCAuLi5ieXRlc107XG59XG5cbmV4cG9ydCBmdW5jdGlvbiBzZWN0aW9uKGlkOiBudW1iZXIsIGNvbnRlbnQ6IHJlYWRvbmx5IG51bWJlcltdKTogbnVtYmVyW10ge1xuICByZXR1cm4gW2lkLCAuLi5sZWIoY29udGVudC5sZW5ndGgpLCAuLi5jb250ZW50XTtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIHdhc20oLi4uc2VjdGlvbnM6IHJlYWRvbmx5IChyZWFkb25seSBudW1iZXJbXSlbXSk6IFVpbnQ4QXJyYXkge1xuICByZXR1cm4gbmV3IFVpbnQ4QXJyYXkoWzB4MDAsIDB4NjEsIDB4NzMsIDB4NmQsIDEsIDAsIDAsIDAsIC4uLnNlY3Rpb25zLmZsYXQoKV0pO1xufVxuXG5jb25zdCBJMzIgPSAweDdmO1xuXG5mdW5jdGlvbiBjb25zdGFudCh2YWx1ZTogbnVtYmVyKTogbnVtYmVyW10ge1xuICBjb25zdCBib2R5ID0gWzAsIDB4NDEsIC4uLmxlYih2YWx1ZSksIDB4MGJdO1xuICByZXR1cm4gWy4uLmxlYihib2R5Lmxlbmd0aCksIC4uLmJvZHldO1xufVxuXG5jb25zdCBVTlJFQUNIQUJMRSA9IFszLCAwLCAweDAwLCAweDBiXTtcbmNvbnN0IFZFUlNJT05fQVQgPSAxNjtcbmNvbnN0IElORk9fQVQgPSA0ODtcblxuLyoqIEFuIGVuZ2luZSB0aGF0IGFuc3dlcnMgd2hhdCBpdCBpcyBhbmQgbm90aGluZyBlbHNlLiBgYWJpYCBpcyBhdCBtb3N0IDYzLCB3aGVyZSBzaWduZWQgYW5kIHVuc2lnbmVkIExFQiBhZ3JlZS4gKi9cbmV4cG9ydCBmdW5jdGlvbiB2ZXJzaW9uT25seUVuZ2luZShhYmk6IG51bWJlciwgdmVyc2lvbjogc3RyaW5nKTogVWludDhBcnJheSB7XG4gIHJldHVybiBmYWtlRW5naW5lKHZlcnNpb24sIFtcbiAgICBbJ29sX2FiaV92ZXJzaW9uJywgdHJ1ZSwgY29uc3RhbnQoYWJpKV0sXG4gICAgWydvbF92ZXJzaW9uJywgdHJ1ZSwgY29uc3RhbnQoVkVSU0lPTl9BVCldLFxuICBdKTtcbn1cblxuLyoqIEFuIGVuZ2luZSBvZiB0aGlzIHZlcnNpb24gdGhhdCBzdGFydHMsIGFuZCB0cmFwcyBhcyBzb29uIGFzIGl0IGlzIGdpdmVuIGEgbW9kZWwuICovXG5leHBvcnQgZnVuY3Rpb24gdHJhcHBpbmdFbmdpbmUoKTogVWludDhBcnJheSB7XG4gIGNvbnN0IGFuc3dlcnM6IFJlY29yZDxzdHJpbmcsIG51bWJlcj4gPSB7XG4gICAgb2xfYWJpX3ZlcnNpb246IEFCSV9WRVJTSU9OLFxuICAgIG9sX3ZlcnNpb246IFZFUlNJT05fQVQsXG4gICAgb2xfYnVpbGRfaW5mbzogSU5GT19BVCxcbiAgICBvbF9hbGxvYzogMTAyNCxcbiAgfTtcbiAgcmV0dXJuIGZha2VFbmdpbmUoXG4gICAgJzAnLFxuICAgIE9iamVjdC5lbnRyaWVzKEFCSV9GVU5DVElPTlMpLm1hcCgoW2Z1bmN0aW9uXywgcmVzdWx0XSkgPT4ge1xuICAgICAgY29uc3QgYW5zd2VyID0gYW5zd2Vyc1tmdW5jdGlvbl9dO1xuICAgICAgcmV0dXJuIFtmdW5jdGlvbl8sIHJlc3VsdCAhPT0gJ3ZvaWQnLCBhbnN3ZXIgPT09IHVuZGVmaW5lZCA/IFVOUkVBQ0hBQkxFIDogY29uc3RhbnQoYW5zd2VyKV0gYXMgY29uc3Q7XG4gICAgfSksXG4gICk7XG59XG5cbmZ1bmN0aW9uIGZha2VFbmdpbmUodmVyc2lvbjogc3RyaW5nLCBmdW5jdGlvbnM6IHJlYWRvbmx5IChyZWFkb25seSBbc3RyaW5nLCBib29sZWFuLCBudW1iZXJbXV0pW10pOiBVaW50OEFycmF5IHtcbiAgcmV0dXJuIHdhc20oXG4gICAgc2VjdGlvbihcbiAgICAgIDEsXG4gICAgICB2ZWN0b3IoW1xuICAgICAgICBbMHg2MCwgMCwgMSwgSTMyXSxcbiAgICAgICAgWzB4NjAsIDAsIDBdLFxuICAgICAgXSksXG4gICAgKSxcbiAgICBzZWN0aW9uKDMsIHZlY3RvcihmdW5jdGlvbnMubWFwKChbLCBoYXNSZXN1bHRdKSA9PiBbaGFzUmVzdWx0ID8gMCA6IDFdKSkpLFxuICAgIHNlY3Rpb24oNSwgdmVjdG9yKFtbMCwgMV1dKSksXG4gICAgc2VjdGlvbihcbiAgICAgIDcsXG4gICAgICB2ZWN0b3IoW1xuICAgICAgICBbLi4ubmFtZSgnbWVtb3J5JyksIDIsIDBdLFxuICAgICAgICAuLi5mdW5jdGlvbnMubWFwKChbZnVuY3Rpb25fXSwgaW5kZXgpID0+IFsuLi5uYW1lKGZ1bmN0aW9uXyksIDAsIC4uLmxlYihpbmRleCldKSxcbiAgICAgIF0pLFxuICAgICksXG4gICAgc2VjdGlvbigxMCwgdmVjdG9yKGZ1bmN0aW9ucy5tYXAoKFssICwgYm9keV0pID0+IGJvZHkpKSksXG4gICAgc2VjdGlvbihcbiAgICAgIDExLFxuICAgICAgdmVjdG9yKFtcbiAgICAgICAgWzAsIDB4NDEsIFZFUlNJT05fQVQsIDB4MGIsIC4uLm5hbWUoYCR7dmVyc2lvbn1cXDBgKV0sXG4gICAgICAgIFswLCAweDQxLCBJTkZPX0FULCAweDBiLCAuLi5uYW1lKCd7XCJmbGF2b3VyXCI6XCJmYWtlXCJ9XFwwJyldLFxuICAgICAgXSksXG4gICAgKSxcbiAgKTtcbn1cbiJdLAogICJtYXBwaW5ncyI6ICI7QUFBQSxPQUFPLFlBQVk7QUFDbkIsU0FBUyxrQkFBa0I7QUFDM0IsU0FBUyxvQkFBb0I7QUFHN0IsU0FBUyxPQUFPLFFBQVEsWUFBWTs7O0FDTzdCLElBQU0sZUFBTixjQUEyQixNQUFNO0FBQUEsRUFDcEIsT0FBTztBQUFBLEVBQ2hCO0FBQUEsRUFFVCxZQUFZLE1BQWlCLFNBQWlCLFNBQStCO0FBQzNFLFVBQU0sU0FBUyxPQUFPO0FBQ3RCLFNBQUssT0FBTztBQUFBLEVBQ2Q7QUFDRjtBQUVPLFNBQVMsUUFBUSxRQUErQjtBQUNyRCxTQUFPLElBQUksYUFBYSxXQUFXLDBCQUEwQixVQUFVLE1BQU0sQ0FBQyxJQUFJLEVBQUUsT0FBTyxPQUFPLENBQUM7QUFDckc7QUFNTyxTQUFTLFVBQVUsT0FBd0I7QUFDaEQsU0FBTyxpQkFBaUIsUUFBUSxNQUFNLFVBQVUsT0FBTyxLQUFLO0FBQzlEOzs7QUNwQkEsZUFBc0IsVUFBVSxLQUFhLE1BQWMsUUFBeUM7QUFDbEcsTUFBSTtBQUNKLE1BQUk7QUFDRixlQUFXLE1BQU0sTUFBTSxLQUFLLFNBQVMsRUFBRSxPQUFPLElBQUksQ0FBQyxDQUFDO0FBQUEsRUFDdEQsU0FBUyxPQUFPO0FBQ2QsUUFBSSxRQUFRLFFBQVMsT0FBTSxRQUFRLE9BQU8sTUFBTTtBQUNoRCxVQUFNLElBQUksYUFBYSxlQUFlLG1CQUFtQixJQUFJLFNBQVMsR0FBRyxLQUFLLFVBQVUsS0FBSyxDQUFDLElBQUksRUFBRSxNQUFNLENBQUM7QUFBQSxFQUM3RztBQUNBLE1BQUksQ0FBQyxTQUFTLElBQUk7QUFDaEIsVUFBTSxJQUFJO0FBQUEsTUFDUixTQUFTLFdBQVcsT0FBTyxTQUFTLFdBQVcsTUFBTSxpQkFBaUI7QUFBQSxNQUN0RSxtQkFBbUIsSUFBSSx5QkFBeUIsU0FBUyxNQUFNLElBQUksU0FBUyxVQUFVLFFBQVEsR0FBRyxHQUFHLFFBQVE7QUFBQSxJQUM5RztBQUFBLEVBQ0Y7QUFDQSxRQUFNLE9BQU8sU0FBUyxRQUFRLElBQUksY0FBYyxLQUFLO0FBQ3JELE1BQUksaUJBQWlCLEtBQUssSUFBSSxFQUFHLE9BQU0sUUFBUSxLQUFLLElBQUk7QUFDeEQsU0FBTztBQUNUO0FBRU8sU0FBUyxRQUFRLEtBQWEsTUFBNEI7QUFDL0QsU0FBTyxJQUFJO0FBQUEsSUFDVDtBQUFBLElBQ0EsWUFBWSxJQUFJLDJCQUEyQixHQUFHO0FBQUEsRUFFaEQ7QUFDRjtBQThCQSxJQUFNLFVBQTRDLEVBQUUsUUFBUSxXQUFXLFFBQVEsV0FBVyxRQUFRLFVBQVU7QUFHNUcsZUFBc0IsZUFBZSxPQUFtQixXQUFtQixNQUE2QjtBQUN0RyxRQUFNLFNBQVMsVUFDWixLQUFLLEVBQ0wsTUFBTSxLQUFLLEVBQ1gsSUFBSSxDQUFDLFNBQVMsdURBQXVELEtBQUssSUFBSSxDQUFDLEVBQy9FLE9BQU8sQ0FBQyxVQUFVLFVBQVUsSUFBSSxFQUNoQyxJQUFJLENBQUMsV0FBVyxFQUFFLFdBQVcsTUFBTSxDQUFDLEtBQUssSUFBSSxPQUFPLE1BQU0sQ0FBQyxLQUFLLEdBQUcsRUFBRTtBQUN4RSxRQUFNLFlBQVksT0FDZixJQUFJLENBQUMsU0FBUyxLQUFLLFNBQVMsRUFDNUIsS0FBSyxFQUNMLEdBQUcsRUFBRTtBQUNSLE1BQUksY0FBYyxRQUFXO0FBQzNCLFVBQU0sSUFBSTtBQUFBLE1BQ1I7QUFBQSxNQUNBLGlEQUFpRCxLQUFLLFVBQVUsU0FBUyxDQUFDO0FBQUEsSUFDNUU7QUFBQSxFQUNGO0FBQ0EsUUFBTSxTQUFVLFdBQW1DLFFBQVE7QUFDM0QsTUFBSSxDQUFDLFFBQVE7QUFDWCxVQUFNLElBQUk7QUFBQSxNQUNSO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFBQSxFQUNGO0FBQ0EsUUFBTSxTQUFTLE1BQU0sT0FBTyxPQUFPLFFBQVEsU0FBUyxLQUFLLElBQUksU0FBUyxLQUFLLENBQUM7QUFDNUUsUUFBTSxTQUFTLEtBQUssT0FBTyxhQUFhLEdBQUcsSUFBSSxXQUFXLE1BQU0sQ0FBQyxDQUFDO0FBQ2xFLFFBQU0sU0FBUyxPQUFPLE9BQU8sQ0FBQyxTQUFTLEtBQUssY0FBYyxTQUFTLEVBQUUsSUFBSSxDQUFDLFNBQVMsS0FBSyxLQUFLO0FBQzdGLE1BQUksQ0FBQyxPQUFPLEtBQUssQ0FBQyxVQUFVLE1BQU0sV0FBVyxLQUFLLEdBQUcsRUFBRSxXQUFXLEtBQUssR0FBRyxNQUFNLE1BQU0sR0FBRztBQUN2RixVQUFNLElBQUk7QUFBQSxNQUNSO0FBQUEsTUFDQSxHQUFHLElBQUksd0NBQXdDLFNBQVMsSUFBSSxPQUFPLEtBQUssTUFBTSxDQUFDLFNBQVMsU0FBUyxJQUFJLE1BQU07QUFBQSxJQUM3RztBQUFBLEVBQ0Y7QUFDRjtBQUVBLFNBQVMsU0FBUyxPQUE0QztBQUM1RCxTQUFPLE1BQU0sa0JBQWtCLGNBQWUsUUFBb0MsSUFBSSxXQUFXLEtBQUs7QUFDeEc7OztBQzlGTyxTQUFTLE9BQU8sT0FBNEI7QUFDakQsU0FBTyxNQUFNLENBQUMsTUFBTSxLQUFRLE1BQU0sQ0FBQyxNQUFNLE1BQVEsTUFBTSxDQUFDLE1BQU0sT0FBUSxNQUFNLENBQUMsTUFBTTtBQUNyRjtBQUVBLElBQU0saUJBQWlCO0FBQ3ZCLElBQU0sT0FBTyxFQUFFLFVBQVUsR0FBRyxPQUFPLEdBQUcsUUFBUSxHQUFHLFFBQVEsR0FBRyxLQUFLLEVBQUU7QUFFNUQsU0FBUyxlQUFlLE9BQStCO0FBQzVELFFBQU0sU0FBUyxJQUFJLE9BQU8sT0FBTyxDQUFDO0FBQ2xDLFNBQU8sT0FBTyxLQUFLLE1BQU0sUUFBUTtBQUMvQixVQUFNQSxXQUFVLE9BQU8sS0FBSztBQUM1QixVQUFNLE9BQU8sT0FBTyxJQUFJO0FBQ3hCLFFBQUlBLGFBQVksZ0JBQWdCO0FBQzlCLFVBQUksT0FBTyxLQUFLLE9BQU8sTUFBTSxPQUFRLFFBQU87QUFDNUMsYUFBTyxtQkFBbUIsTUFBTTtBQUFBLElBQ2xDO0FBQ0EsUUFBSUEsV0FBVSxlQUFnQixRQUFPO0FBQ3JDLFdBQU8sS0FBSyxJQUFJO0FBQUEsRUFDbEI7QUFDQSxTQUFPO0FBQ1Q7QUFFQSxTQUFTLG1CQUFtQixRQUFxQztBQUMvRCxXQUFTLE9BQU8sT0FBTyxJQUFJLEdBQUcsT0FBTyxHQUFHLFFBQVE7QUFDOUMsV0FBTyxLQUFLLE9BQU8sSUFBSSxDQUFDO0FBQ3hCLFdBQU8sS0FBSyxPQUFPLElBQUksQ0FBQztBQUN4QixZQUFRLE9BQU8sS0FBSyxHQUFHO0FBQUEsTUFDckIsS0FBSyxLQUFLO0FBQ1IsZUFBTyxJQUFJO0FBQ1g7QUFBQSxNQUNGLEtBQUssS0FBSztBQUNSLGVBQU8sS0FBSztBQUNaLGVBQU8sT0FBTztBQUNkO0FBQUEsTUFDRixLQUFLLEtBQUs7QUFDUixlQUFPLE9BQU8sT0FBTztBQUFBLE1BQ3ZCLEtBQUssS0FBSztBQUNSLGVBQU8sS0FBSyxDQUFDO0FBQ2I7QUFBQSxNQUNGLEtBQUssS0FBSztBQUNSLGVBQU8sS0FBSztBQUNaLGVBQU8sSUFBSTtBQUNYO0FBQUEsSUFDSjtBQUFBLEVBQ0Y7QUFDQSxTQUFPO0FBQ1Q7QUFFQSxJQUFNLFNBQU4sTUFBYTtBQUFBLEVBQ1gsWUFDbUIsT0FDVixJQUNQO0FBRmlCO0FBQ1Y7QUFBQSxFQUNOO0FBQUEsRUFGZ0I7QUFBQSxFQUNWO0FBQUEsRUFHVCxPQUFlO0FBQ2IsV0FBTyxLQUFLLE1BQU0sS0FBSyxJQUFJLEtBQUs7QUFBQSxFQUNsQztBQUFBLEVBRUEsS0FBSyxPQUFxQjtBQUN4QixTQUFLLE1BQU07QUFBQSxFQUNiO0FBQUEsRUFFQSxNQUFjO0FBQ1osUUFBSSxRQUFRO0FBQ1osUUFBSSxRQUFRO0FBQ1osZUFBUztBQUNQLFlBQU0sT0FBTyxLQUFLLEtBQUs7QUFDdkIsZ0JBQVUsT0FBTyxPQUFRO0FBQ3pCLFVBQUksT0FBTyxJQUFNLFFBQU87QUFDeEIsZUFBUztBQUFBLElBQ1g7QUFBQSxFQUNGO0FBQUEsRUFFQSxTQUF1QjtBQUNyQixVQUFNLFFBQVEsS0FBSyxLQUFLO0FBQ3hCLFVBQU0sVUFBVSxLQUFLLElBQUk7QUFDekIsVUFBTSxVQUFVLFFBQVEsSUFBSSxLQUFLLElBQUksSUFBSTtBQUN6QyxXQUFPLEVBQUUsU0FBUyxTQUFTLFNBQVMsUUFBUSxPQUFPLEVBQUU7QUFBQSxFQUN2RDtBQUNGOzs7QUM5RUEsSUFBTSxXQUFXLG9CQUFJLElBQXFDO0FBR25ELFNBQVMsV0FBVyxLQUFzQztBQUMvRCxNQUFJLFVBQVUsU0FBUyxJQUFJLEdBQUc7QUFDOUIsTUFBSSxDQUFDLFNBQVM7QUFDWixjQUFVLElBQUksV0FBVyxPQUFPLElBQUksWUFBWSxHQUFHLElBQUksZUFBZSxHQUFHO0FBQ3pFLGFBQVMsSUFBSSxLQUFLLE9BQU87QUFFekIsWUFBUSxNQUFNLE1BQU0sU0FBUyxPQUFPLEdBQUcsQ0FBQztBQUFBLEVBQzFDO0FBQ0EsU0FBTztBQUNUO0FBRUEsZUFBc0IsYUFBYSxPQUFtQixRQUF5QztBQUM3RixNQUFJLENBQUMsT0FBTyxLQUFLLEdBQUc7QUFDbEIsVUFBTSxJQUFJLGFBQWEsZUFBZSxHQUFHLE1BQU0seUNBQXlDLFFBQVEsS0FBSyxDQUFDLEVBQUU7QUFBQSxFQUMxRztBQUNBLFFBQU0sT0FBTyxlQUFlLEtBQUs7QUFDakMsUUFBTSxTQUFTLE1BQU0saUJBQWlCLE1BQU0sWUFBWSxRQUFRLEtBQWdDLEdBQUcsTUFBTTtBQUN6RyxTQUFPLEVBQUUsUUFBUSxRQUFRLFNBQVMsZUFBZSxPQUFPLE1BQU0sT0FBTztBQUN2RTtBQUVBLGVBQWUsWUFBWSxLQUFzQztBQUMvRCxRQUFNLEVBQUUsU0FBUyxJQUFJLE1BQU07QUFBQTtBQUFBO0FBQUEsSUFBb0Q7QUFBQSxFQUFrQjtBQUNqRyxNQUFJO0FBQ0osTUFBSTtBQUNGLFlBQVEsTUFBTSxTQUFTLElBQUksSUFBSSxHQUFHLENBQUM7QUFBQSxFQUNyQyxTQUFTLE9BQU87QUFDZCxVQUFNLElBQUksYUFBYSxnQkFBZ0IsOEJBQThCLFVBQVUsS0FBSyxDQUFDLElBQUksRUFBRSxNQUFNLENBQUM7QUFBQSxFQUNwRztBQUNBLFNBQU8sYUFBYSxPQUFPLEdBQUc7QUFDaEM7QUFFQSxlQUFlLGVBQWUsS0FBc0M7QUFDbEUsUUFBTSxXQUFXLE1BQU0sVUFBVSxLQUFLLHdCQUF3QjtBQUU5RCxNQUFJLENBQUMsd0JBQXdCLEtBQUssU0FBUyxRQUFRLElBQUksY0FBYyxLQUFLLEVBQUUsR0FBRztBQUM3RSxVQUFNLFFBQVEsSUFBSSxXQUFXLE1BQU0sU0FBUyxZQUFZLENBQUM7QUFDekQsUUFBSSxDQUFDLE9BQU8sS0FBSyxLQUFLLGNBQWMsS0FBSyxFQUFHLE9BQU0sUUFBUSxLQUFLLHdCQUF3QjtBQUN2RixXQUFPLGFBQWEsT0FBTyxHQUFHO0FBQUEsRUFDaEM7QUFDQSxRQUFNLE9BQU8sU0FBUyxTQUFTLE1BQU0sQ0FBQztBQUN0QyxRQUFNLFNBQVMsTUFBTSxpQkFBaUIsTUFBTSxZQUFZLGlCQUFpQixRQUFRLEdBQUcsR0FBRztBQUN2RixRQUFNLFNBQVMsTUFBTTtBQUNyQixTQUFPLEVBQUUsUUFBUSxRQUFRLFdBQVcsZUFBZSxPQUFPLFFBQVEsUUFBUSxJQUFJO0FBQ2hGO0FBR0EsZUFBZSxTQUFTLFVBQXlDO0FBQy9ELFFBQU0sU0FBUyxTQUFTLE1BQU0sVUFBVTtBQUN4QyxNQUFJLFFBQVEsSUFBSSxXQUFXLENBQUM7QUFDNUIsTUFBSSxTQUFxQjtBQUN6QixTQUFPLFVBQVUsV0FBVyxjQUFjO0FBQ3hDLFVBQU0sRUFBRSxNQUFNLE1BQU0sSUFBSSxNQUFNLE9BQU8sS0FBSztBQUMxQyxRQUFJLEtBQU07QUFDVixVQUFNLFNBQVMsSUFBSSxXQUFXLE1BQU0sU0FBUyxNQUFNLE1BQU07QUFDekQsV0FBTyxJQUFJLEtBQUs7QUFDaEIsV0FBTyxJQUFJLE9BQU8sTUFBTSxNQUFNO0FBQzlCLFlBQVE7QUFDUixhQUFTLGVBQWUsS0FBSztBQUFBLEVBQy9CO0FBRUEsT0FBSyxRQUFRLE9BQU87QUFDcEIsU0FBTztBQUNUO0FBRUEsZUFBZSxpQkFDYixTQUNBLFFBQzZCO0FBQzdCLE1BQUk7QUFDRixXQUFPLE1BQU0sUUFBUTtBQUFBLEVBQ3ZCLFNBQVMsT0FBTztBQUNkLFVBQU0sSUFBSTtBQUFBLE1BQ1I7QUFBQSxNQUNBLCtCQUErQixNQUFNLHNCQUFzQixVQUFVLEtBQUssQ0FBQztBQUFBLE1BQzNFO0FBQUEsUUFDRTtBQUFBLE1BQ0Y7QUFBQSxJQUNGO0FBQUEsRUFDRjtBQUNGO0FBRUEsU0FBUyxRQUFRLE9BQTJCO0FBQzFDLFNBQU8sS0FBSyxVQUFVLElBQUksWUFBWSxFQUFFLE9BQU8sTUFBTSxNQUFNLEdBQUcsRUFBRSxDQUFDLENBQUM7QUFDcEU7QUFFQSxTQUFTLGNBQWMsT0FBNEI7QUFDakQsU0FBTyxRQUFRLEtBQUssSUFBSSxZQUFZLEVBQUUsT0FBTyxNQUFNLE1BQU0sR0FBRyxFQUFFLENBQUMsQ0FBQztBQUNsRTs7O0FDdEdPLElBQU0sY0FBYztBQU1wQixJQUFNLE9BQU87QUFBQSxFQUNsQixJQUFJO0FBQUEsRUFDSixrQkFBa0I7QUFBQSxFQUNsQixrQkFBa0I7QUFBQSxFQUNsQixlQUFlO0FBQUEsRUFDZixpQkFBaUI7QUFBQSxFQUNqQixlQUFlO0FBQUEsRUFDZixZQUFZO0FBQUEsRUFDWixTQUFTO0FBQUEsRUFDVCxVQUFVO0FBQ1o7QUE2SU8sSUFBTSxnQkFBd0Q7QUFBQSxFQUNuRSxnQkFBZ0I7QUFBQSxFQUNoQixZQUFZO0FBQUEsRUFDWixlQUFlO0FBQUEsRUFDZixjQUFjO0FBQUEsRUFDZCxpQkFBaUI7QUFBQSxFQUNqQixjQUFjO0FBQUEsRUFDZCxVQUFVO0FBQUEsRUFDVixTQUFTO0FBQUEsRUFDVCxpQkFBaUI7QUFBQSxFQUNqQixlQUFlO0FBQUEsRUFDZixnQkFBZ0I7QUFBQSxFQUNoQixrQkFBa0I7QUFBQSxFQUNsQixnQkFBZ0I7QUFBQSxFQUNoQixpQkFBaUI7QUFBQSxFQUNqQixlQUFlO0FBQUEsRUFDZixlQUFlO0FBQUEsRUFDZixtQkFBbUI7QUFBQSxFQUNuQixrQkFBa0I7QUFBQSxFQUNsQixtQkFBbUI7QUFBQSxFQUNuQixpQkFBaUI7QUFBQSxFQUNqQixxQkFBcUI7QUFBQSxFQUNyQixtQkFBbUI7QUFBQSxFQUNuQixvQkFBb0I7QUFBQSxFQUNwQixZQUFZO0FBQUEsRUFDWixhQUFhO0FBQUEsRUFDYixhQUFhO0FBQUEsRUFDYixjQUFjO0FBQUEsRUFDZCxhQUFhO0FBQUEsRUFDYixjQUFjO0FBQUEsRUFDZCxnQkFBZ0I7QUFBQSxFQUNoQixzQkFBc0I7QUFBQSxFQUN0Qix1QkFBdUI7QUFBQSxFQUN2QixxQkFBcUI7QUFBQSxFQUNyQixxQkFBcUI7QUFBQSxFQUNyQixlQUFlO0FBQUEsRUFDZixlQUFlO0FBQUEsRUFDZixlQUFlO0FBQUEsRUFDZixlQUFlO0FBQUEsRUFDZixpQkFBaUI7QUFBQSxFQUNqQixnQkFBZ0I7QUFBQSxFQUNoQixnQkFBZ0I7QUFBQSxFQUNoQixnQkFBZ0I7QUFBQSxFQUNoQixpQkFBaUI7QUFBQSxFQUNqQixrQkFBa0I7QUFBQSxFQUNsQix5QkFBeUI7QUFBQSxFQUN6QixzQkFBc0I7QUFBQSxFQUN0QixpQkFBaUI7QUFBQSxFQUNqQixrQkFBa0I7QUFBQSxFQUNsQixrQkFBa0I7QUFBQSxFQUNsQixrQkFBa0I7QUFBQSxFQUNsQixZQUFZO0FBQUEsRUFDWixhQUFhO0FBQUEsRUFDYixlQUFlO0FBQUEsRUFDZixtQkFBbUI7QUFBQSxFQUNuQix1QkFBdUI7QUFDekI7OztBQ3BMTyxJQUFNLFVBQVUsT0FBTyxvQkFBb0IsV0FBVyxrQkFBa0I7QUFFeEUsSUFBTSxNQUFXO0FBQUEsRUFDdEIsTUFBTSxDQUFDO0FBQUEsRUFDUCxlQUFlO0FBQUEsRUFDZixVQUFVO0FBQUEsRUFDVixPQUFPO0FBQUEsRUFDUCxVQUFVLEVBQUUsUUFBUSxTQUFTLEtBQUssU0FBUyxTQUFTLFNBQVMsS0FBSyxPQUFPLFdBQVcsRUFBRTtBQUN4Rjs7O0FDM0JBLElBQU0sYUFBNEMsSUFBSTtBQUFBLEVBQ25ELE9BQU8sUUFBUSxJQUFJLEVBQTJCLElBQUksQ0FBQyxDQUFDQyxPQUFNLEtBQUssTUFBTSxDQUFDLE9BQU9BLEtBQUksQ0FBQztBQUNyRjtBQUNBLElBQU0sT0FBTztBQUViLElBQU0saUJBQWlCLENBQUMsT0FBTyxPQUFPLE1BQU0sSUFBSTtBQUV6QyxJQUFNLGVBQU4sTUFBbUI7QUFBQSxFQU14QixZQUNXLFNBQ1QsY0FDQTtBQUZTO0FBR1QsU0FBSyxTQUFTLGdCQUFpQixRQUFRLFFBQVE7QUFDL0MsU0FBSyxNQUFNLEtBQUssVUFBVSxPQUFPO0FBQUEsRUFDbkM7QUFBQSxFQUxXO0FBQUEsRUFORjtBQUFBLEVBQ0E7QUFBQSxFQUNULFNBQVMsSUFBSSxXQUFXLENBQUM7QUFBQSxFQUN6QjtBQUFBO0FBQUEsRUFXQSxJQUFJLE9BQWlDO0FBQ25DLFdBQU8sS0FBSztBQUFBLEVBQ2Q7QUFBQTtBQUFBLEVBR0EsS0FBSyxPQUEyQjtBQUM5QixTQUFLLFVBQVU7QUFBQSxFQUNqQjtBQUFBO0FBQUEsRUFHQSxJQUFJLFFBQWlDO0FBQ25DLFVBQU0sRUFBRSxPQUFPLElBQUksS0FBSztBQUN4QixRQUFJLEtBQUssT0FBTyxXQUFXLFVBQVUsS0FBSyxPQUFPLFdBQVcsT0FBTyxXQUFZLE1BQUssU0FBUyxJQUFJLFdBQVcsTUFBTTtBQUNsSCxXQUFPLEtBQUs7QUFBQSxFQUNkO0FBQUEsRUFFQSxNQUFNLFNBQWtCLFFBQXlDO0FBRS9ELFVBQU0sT0FBTyxJQUFJLFdBQVcsTUFBTTtBQUNsQyxTQUFLLElBQUksS0FBSyxNQUFNLFNBQVMsU0FBUyxVQUFVLE1BQU0sQ0FBQztBQUN2RCxXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRUEsS0FBSyxTQUFrQixRQUF3QjtBQUM3QyxXQUFPLElBQUksWUFBWSxFQUFFLE9BQU8sS0FBSyxNQUFNLFNBQVMsTUFBTSxDQUFDO0FBQUEsRUFDN0Q7QUFBQTtBQUFBLEVBR0EsUUFBUSxTQUEwQjtBQUNoQyxXQUFPLEtBQUssS0FBSyxTQUFTLEtBQUssTUFBTSxRQUFRLEdBQUcsT0FBTyxJQUFJLE9BQU87QUFBQSxFQUNwRTtBQUFBLEVBRUEsS0FBSyxTQUEyQjtBQUM5QixRQUFJLFlBQVksRUFBRyxNQUFLLEtBQUs7QUFDN0IsV0FBTyxLQUFLLE1BQU0sS0FBSyxRQUFRLE9BQU8sQ0FBQztBQUFBLEVBQ3pDO0FBQUEsRUFFQSxNQUFNLFFBQWdCLE1BQXVCO0FBQzNDLFVBQU0sVUFBVSxLQUFLLElBQUksU0FBUyxNQUFNO0FBQ3hDLFFBQUksWUFBWSxHQUFHO0FBQ2pCLFlBQU0sSUFBSTtBQUFBLFFBQ1I7QUFBQSxRQUNBLEdBQUcsSUFBSSxVQUFVLE1BQU0sa0RBQWtELEtBQUssTUFBTSxNQUFNO0FBQUEsTUFFNUY7QUFBQSxJQUNGO0FBQ0EsV0FBTztBQUFBLEVBQ1Q7QUFBQTtBQUFBLEVBR0EsU0FBWSxNQUFjLEtBQWlEO0FBQ3pFLFVBQU0sUUFBUSxJQUFJLFlBQVksRUFBRSxPQUFPLElBQUk7QUFDM0MsVUFBTSxVQUFVLEtBQUssTUFBTSxLQUFLLElBQUksTUFBTSxRQUFRLENBQUMsR0FBRyxVQUFVO0FBQ2hFLFFBQUk7QUFDRixXQUFLLE1BQU0sSUFBSSxPQUFPLE9BQU87QUFDN0IsYUFBTyxJQUFJLFNBQVMsTUFBTSxNQUFNO0FBQUEsSUFDbEMsVUFBRTtBQUNBLFVBQUksQ0FBQyxLQUFLLE1BQU8sTUFBSyxJQUFJLFFBQVEsT0FBTztBQUFBLElBQzNDO0FBQUEsRUFDRjtBQUFBO0FBQUEsRUFHQSxNQUFNLFFBQXdCO0FBQzVCLFFBQUksU0FBUyxFQUFHLE1BQUssS0FBSztBQUMxQixXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRUEsYUFBYSxTQUEyQjtBQUN0QyxRQUFJLFlBQVksRUFBRyxNQUFLLEtBQUs7QUFDN0IsV0FBTztBQUFBLEVBQ1Q7QUFBQTtBQUFBLEVBR0EsT0FBYztBQUNaLFVBQU1BLFFBQU8sV0FBVyxJQUFJLEtBQUssSUFBSSxhQUFhLENBQUMsS0FBSztBQUN4RCxVQUFNLE9BQWtCQSxVQUFTLE9BQU8sYUFBYUE7QUFDckQsVUFBTSxJQUFJLGFBQWEsTUFBTSxLQUFLLFFBQVEsS0FBSyxJQUFJLGdCQUFnQixDQUFDLEtBQUsscUNBQXFDO0FBQUEsRUFDaEg7QUFBQSxFQUVBLFVBQVUsU0FBbUM7QUFDM0MsVUFBTSxNQUFtQyxDQUFDO0FBQzFDLGVBQVcsQ0FBQ0EsT0FBTSxNQUFNLEtBQUssT0FBTyxRQUFRLGFBQWEsR0FBRztBQUMxRCxZQUFNLE1BQU0sUUFBUUEsS0FBSTtBQUN4QixVQUFJQSxLQUFJLElBQUksTUFBTSxLQUFLLE9BQU9BLE9BQU0sS0FBSyxXQUFXLFNBQVMsV0FBVyxPQUFPLElBQUksTUFBTSxRQUFRQSxLQUFJO0FBQUEsSUFDdkc7QUFDQSxXQUFPO0FBQUEsRUFDVDtBQUFBO0FBQUEsRUFHQSxPQUFPQSxPQUFjLEtBQWtCLFVBQWdDO0FBQ3JFLFdBQU8sSUFBSSxTQUFTO0FBQ2xCLFVBQUksS0FBSyxNQUFPLE9BQU0sS0FBSztBQUMzQixVQUFJO0FBQ0YsY0FBTSxTQUFTLElBQUksR0FBRyxJQUFJO0FBQzFCLGVBQU8sV0FBWSxXQUFzQixJQUFJO0FBQUEsTUFDL0MsU0FBUyxPQUFPO0FBQ2QsYUFBSyxRQUFRLElBQUk7QUFBQSxVQUNmO0FBQUEsVUFDQSx5QkFBeUJBLEtBQUksS0FBSyxVQUFVLEtBQUssQ0FBQztBQUFBLFVBRWxELEVBQUUsTUFBTTtBQUFBLFFBQ1Y7QUFDQSxjQUFNLEtBQUs7QUFBQSxNQUNiO0FBQUEsSUFDRjtBQUFBLEVBQ0Y7QUFDRjtBQUdBLGVBQXNCLFlBQVksUUFBMkM7QUFDM0UsUUFBTSxTQUFTLE9BQU8sV0FBVyxPQUFPLE9BQU8sV0FBVyxPQUFPLFFBQVEsT0FBTyxNQUFNO0FBQ3RGLE1BQUk7QUFDSixRQUFNLE9BQWtDLENBQUM7QUFDekMsUUFBTSxNQUFNLENBQUMsUUFBZ0IsTUFBZSxXQUFtQjtBQUM3RCxZQUFRLEtBQUssWUFBWSxLQUFLLFFBQVEsS0FBSyxTQUFTLEdBQUcsV0FBVyxDQUFDLEtBQUssRUFBRSxFQUFFO0FBQUEsRUFDOUU7QUFDQSxNQUFJO0FBQ0YsZUFBVyxNQUFNLFlBQVksWUFBWSxPQUFPLFFBQVEsV0FBVyxPQUFPLFFBQVEsUUFBUSxHQUFHLENBQUM7QUFBQSxFQUNoRyxTQUFTLE9BQU87QUFDZCxVQUFNLElBQUksYUFBYSxZQUFZLG1CQUFtQixPQUFPLE1BQU0sb0JBQW9CLFVBQVUsS0FBSyxDQUFDLElBQUk7QUFBQSxNQUN6RztBQUFBLElBQ0YsQ0FBQztBQUFBLEVBQ0g7QUFDQSxRQUFNLFVBQVUsU0FBUztBQUN6QixNQUFJLE9BQU8sUUFBUSxhQUFhLE1BQU0sV0FBWSxDQUFDLFFBQVEsYUFBYSxFQUFrQjtBQUMxRixRQUFNLFNBQVMsSUFBSSxhQUFhLFNBQVMsTUFBTTtBQUMvQyxPQUFLLFNBQVM7QUFDZCxlQUFhLFFBQVEsT0FBTyxNQUFNO0FBQ2xDLFNBQU8sRUFBRSxRQUFRLGNBQWMsT0FBTztBQUN4QztBQU1PLFNBQVMsV0FDZCxRQUNBLFFBQ0EsS0FDcUI7QUFDckIsUUFBTSxRQUE2QjtBQUFBLElBQ2pDLFNBQVMsRUFBRSxhQUFhLE1BQU0sWUFBWSxJQUFJLElBQUksS0FBTSxhQUFhLElBQUk7QUFBQSxJQUN6RSxLQUFLLFNBQVMsRUFBRSxPQUFPLElBQUksQ0FBQztBQUFBLEVBQzlCO0FBQ0EsUUFBTSxVQUErQixDQUFDO0FBQ3RDLGFBQVcsRUFBRSxRQUFRLE1BQU0sTUFBQUEsT0FBTSxLQUFLLEtBQUssWUFBWSxPQUFPLFFBQVEsTUFBTSxHQUFHO0FBQzdFLFVBQU0sUUFBUSxNQUFNLElBQUksSUFBSUEsS0FBSSxNQUFNLFNBQVMsYUFBYSxNQUFNLFFBQVEsR0FBRyxJQUFJLElBQUlBLEtBQUksRUFBRSxJQUFJO0FBQy9GLFFBQUksVUFBVSxPQUFXLEVBQUMsUUFBUSxJQUFJLE1BQU0sQ0FBQyxHQUFHQSxLQUFJLElBQUk7QUFBQSxFQUMxRDtBQUNBLFNBQU87QUFDVDtBQUVBLFNBQVMsUUFBUUEsT0FBcUI7QUFDcEMsUUFBTSxJQUFJLGFBQWEsb0JBQW9CLEdBQUdBLEtBQUksc0RBQXNELE9BQU8sRUFBRTtBQUNuSDtBQUVBLFNBQVMsYUFBYSxRQUFzQixRQUFzQjtBQUNoRSxRQUFNLEVBQUUsUUFBUSxJQUFJO0FBQ3BCLE1BQUksT0FBTyxRQUFRLGdCQUFnQixNQUFNLGNBQWMsT0FBTyxRQUFRLFlBQVksTUFBTSxZQUFZO0FBQ2xHLFVBQU0sSUFBSSxhQUFhLG9CQUFvQixHQUFHLE1BQU0scURBQXFEO0FBQUEsRUFDM0c7QUFDQSxRQUFNLE1BQU0sT0FBTyxJQUFJLGVBQWU7QUFDdEMsUUFBTSxTQUFTLE9BQU8sS0FBSyxhQUFhLEVBQUUsT0FBTyxDQUFDQSxVQUFTLEVBQUVBLFNBQVEsUUFBUTtBQUM3RSxNQUFJLFFBQVEsZUFBZSxPQUFPLFdBQVcsRUFBRztBQUNoRCxRQUFNLFVBQVUsT0FBTyxRQUFRLE9BQU8sSUFBSSxXQUFXLENBQUM7QUFDdEQsUUFBTSxJQUFJO0FBQUEsSUFDUjtBQUFBLElBQ0EseUJBQXlCLE9BQU8sU0FBUyxXQUFXLHlDQUF5QyxPQUFPLFNBQzFGLEdBQUcsVUFBVSxNQUFNLEdBQUcsT0FBTyxTQUFTLElBQUksaUJBQWlCLE9BQU8sTUFBTSxDQUFDLEtBQUssRUFBRTtBQUFBLEVBRTVGO0FBQ0Y7QUFFQSxTQUFTLE9BQU8sT0FBa0M7QUFDaEQsU0FBTyxNQUFNLFVBQVUsSUFDbkIsTUFBTSxLQUFLLElBQUksSUFDZixHQUFHLE1BQU0sTUFBTSxHQUFHLENBQUMsRUFBRSxLQUFLLElBQUksQ0FBQyxRQUFRLE1BQU0sU0FBUyxDQUFDO0FBQzdEO0FBRUEsU0FBUyxXQUFXLFFBQStELFFBQW9DO0FBQ3JILE1BQUk7QUFDSixhQUFXLFdBQVcsQ0FBQyxPQUFPLFNBQVMsR0FBRyxlQUFlLE9BQU8sQ0FBQyxVQUFVLFFBQVEsT0FBTyxPQUFPLENBQUMsR0FBRztBQUNuRyxRQUFJO0FBQ0YsYUFBTyxJQUFJLFlBQVksT0FBTyxFQUFFLFNBQVMsT0FBTyxTQUFTLFNBQVMsUUFBUSxPQUFPLE9BQU8sQ0FBQztBQUFBLElBQzNGLFNBQVMsT0FBTztBQUNkLGNBQVE7QUFBQSxJQUNWO0FBQUEsRUFDRjtBQUNBLFFBQU0sSUFBSTtBQUFBLElBQ1I7QUFBQSxJQUNBLG9CQUFvQixPQUFPLFVBQVUsSUFBSSxjQUFjLE1BQU0sZ0JBQWdCLFVBQVUsS0FBSyxDQUFDO0FBQUEsSUFDN0YsRUFBRSxNQUFNO0FBQUEsRUFDVjtBQUNGOzs7QUNuT08sU0FBUyxJQUFJLE9BQXlCO0FBQzNDLFFBQU0sUUFBa0IsQ0FBQztBQUN6QixLQUFHO0FBQ0QsVUFBTSxPQUFPLEtBQUssTUFBTSxRQUFRLEdBQUc7QUFDbkMsVUFBTSxLQUFNLFFBQVEsT0FBUSxPQUFPLElBQUksTUFBTSxFQUFFO0FBQy9DLFlBQVE7QUFBQSxFQUNWLFNBQVMsUUFBUTtBQUNqQixTQUFPO0FBQ1Q7QUFFTyxTQUFTLE9BQU8sT0FBaUQ7QUFDdEUsU0FBTyxDQUFDLEdBQUcsSUFBSSxNQUFNLE1BQU0sR0FBRyxHQUFHLE1BQU0sS0FBSyxDQUFDO0FBQy9DO0FBRU8sU0FBUyxLQUFLLE1BQXdCO0FBQzNDLFFBQU0sUUFBUSxDQUFDLEdBQUcsSUFBSSxZQUFZLEVBQUUsT0FBTyxJQUFJLENBQUM7QUFDaEQsU0FBTyxDQUFDLEdBQUcsSUFBSSxNQUFNLE1BQU0sR0FBRyxHQUFHLEtBQUs7QUFDeEM7QUFFTyxTQUFTLFFBQVEsSUFBWSxTQUFzQztBQUN4RSxTQUFPLENBQUMsSUFBSSxHQUFHLElBQUksUUFBUSxNQUFNLEdBQUcsR0FBRyxPQUFPO0FBQ2hEO0FBRU8sU0FBUyxRQUFRLFVBQXNEO0FBQzVFLFNBQU8sSUFBSSxXQUFXLENBQUMsR0FBTSxJQUFNLEtBQU0sS0FBTSxHQUFHLEdBQUcsR0FBRyxHQUFHLEdBQUcsU0FBUyxLQUFLLENBQUMsQ0FBQztBQUNoRjtBQUVBLElBQU0sTUFBTTtBQUVaLFNBQVMsU0FBUyxPQUF5QjtBQUN6QyxRQUFNLE9BQU8sQ0FBQyxHQUFHLElBQU0sR0FBRyxJQUFJLEtBQUssR0FBRyxFQUFJO0FBQzFDLFNBQU8sQ0FBQyxHQUFHLElBQUksS0FBSyxNQUFNLEdBQUcsR0FBRyxJQUFJO0FBQ3RDO0FBR0EsSUFBTSxhQUFhO0FBQ25CLElBQU0sVUFBVTtBQUdULFNBQVMsa0JBQWtCLEtBQWEsU0FBNkI7QUFDMUUsU0FBTyxXQUFXLFNBQVM7QUFBQSxJQUN6QixDQUFDLGtCQUFrQixNQUFNLFNBQVMsR0FBRyxDQUFDO0FBQUEsSUFDdEMsQ0FBQyxjQUFjLE1BQU0sU0FBUyxVQUFVLENBQUM7QUFBQSxFQUMzQyxDQUFDO0FBQ0g7QUFtQkEsU0FBUyxXQUFXLFNBQWlCLFdBQTBFO0FBQzdHLFNBQU87QUFBQSxJQUNMO0FBQUEsTUFDRTtBQUFBLE1BQ0EsT0FBTztBQUFBLFFBQ0wsQ0FBQyxJQUFNLEdBQUcsR0FBRyxHQUFHO0FBQUEsUUFDaEIsQ0FBQyxJQUFNLEdBQUcsQ0FBQztBQUFBLE1BQ2IsQ0FBQztBQUFBLElBQ0g7QUFBQSxJQUNBLFFBQVEsR0FBRyxPQUFPLFVBQVUsSUFBSSxDQUFDLENBQUMsRUFBRSxTQUFTLE1BQU0sQ0FBQyxZQUFZLElBQUksQ0FBQyxDQUFDLENBQUMsQ0FBQztBQUFBLElBQ3hFLFFBQVEsR0FBRyxPQUFPLENBQUMsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUMzQjtBQUFBLE1BQ0U7QUFBQSxNQUNBLE9BQU87QUFBQSxRQUNMLENBQUMsR0FBRyxLQUFLLFFBQVEsR0FBRyxHQUFHLENBQUM7QUFBQSxRQUN4QixHQUFHLFVBQVUsSUFBSSxDQUFDLENBQUMsU0FBUyxHQUFHLFVBQVUsQ0FBQyxHQUFHLEtBQUssU0FBUyxHQUFHLEdBQUcsR0FBRyxJQUFJLEtBQUssQ0FBQyxDQUFDO0FBQUEsTUFDakYsQ0FBQztBQUFBLElBQ0g7QUFBQSxJQUNBLFFBQVEsSUFBSSxPQUFPLFVBQVUsSUFBSSxDQUFDLENBQUMsRUFBRSxFQUFFLElBQUksTUFBTSxJQUFJLENBQUMsQ0FBQztBQUFBLElBQ3ZEO0FBQUEsTUFDRTtBQUFBLE1BQ0EsT0FBTztBQUFBLFFBQ0wsQ0FBQyxHQUFHLElBQU0sWUFBWSxJQUFNLEdBQUcsS0FBSyxHQUFHLE9BQU8sSUFBSSxDQUFDO0FBQUEsUUFDbkQsQ0FBQyxHQUFHLElBQU0sU0FBUyxJQUFNLEdBQUcsS0FBSyxzQkFBc0IsQ0FBQztBQUFBLE1BQzFELENBQUM7QUFBQSxJQUNIO0FBQUEsRUFDRjtBQUNGOzs7QVJqRkEsSUFBTSxPQUFPO0FBQ2IsSUFBTSxTQUFTLGFBQWEsQ0FBQyxTQUEwQixhQUE2QjtBQUNsRixRQUFNLFNBQWdFO0FBQUEsSUFDcEUsU0FBUyxDQUFDLEtBQUssNEJBQTRCLElBQUk7QUFBQSxJQUMvQyxpQkFBaUIsQ0FBQyxLQUFLLDRCQUE0QixJQUFJO0FBQUEsSUFDdkQsZ0JBQWdCLENBQUMsS0FBSyxvQkFBb0IsaUJBQWlCO0FBQUEsSUFDM0QsZUFBZSxDQUFDLEtBQUssb0JBQW9CLGtCQUFrQixJQUFJLE9BQU8sQ0FBQztBQUFBLElBQ3ZFLHVCQUF1QixDQUFDLEtBQUssNEJBQTRCLGtCQUFrQixJQUFJLE9BQU8sQ0FBQztBQUFBLElBQ3ZGLGNBQWMsQ0FBQyxLQUFLLGNBQWMsSUFBSTtBQUFBLEVBQ3hDO0FBQ0EsUUFBTSxDQUFDLFFBQVEsTUFBTSxJQUFJLElBQUksT0FBTyxRQUFRLE9BQU8sRUFBRSxLQUFLLENBQUMsS0FBSyxjQUFjLGNBQWM7QUFDNUYsV0FBUyxVQUFVLFFBQVEsRUFBRSxnQkFBZ0IsS0FBSyxDQUFDLEVBQUUsSUFBSSxJQUFJO0FBQy9ELENBQUM7QUFDRCxJQUFJLE9BQU87QUFFWCxPQUFPLFlBQVk7QUFDakIsUUFBTSxJQUFJLFFBQWMsQ0FBQyxZQUFZLE9BQU8sT0FBTyxHQUFHLGFBQWEsT0FBTyxDQUFDO0FBQzNFLFNBQU8sb0JBQXFCLE9BQU8sUUFBUSxFQUFrQixJQUFJO0FBQ25FLENBQUM7QUFDRCxNQUFNLE1BQU07QUFDVixTQUFPLG9CQUFvQjtBQUMzQixTQUFPLE1BQU07QUFDZixDQUFDO0FBRUQsZUFBZSxRQUFRLFNBQTJCLE1BQWlCLFNBQWdDO0FBQ2pHLFFBQU0sT0FBTyxRQUFRLFNBQVMsQ0FBQyxVQUFVO0FBQ3ZDLFdBQU8sR0FBRyxpQkFBaUIsY0FBYyxPQUFPLEtBQUssQ0FBQztBQUN0RCxXQUFPLE1BQU0sTUFBTSxNQUFNLElBQUk7QUFDN0IsV0FBTyxNQUFNLE1BQU0sU0FBUyxPQUFPO0FBQ25DLFdBQU87QUFBQSxFQUNULENBQUM7QUFDSDtBQUVBLEtBQUssaURBQWlELFlBQVk7QUFDaEUsUUFBTSxRQUFRLFdBQVcsR0FBRyxJQUFJLE9BQU8sR0FBRyxlQUFlLG1DQUFtQztBQUM1RixRQUFNLFFBQVEsV0FBVyxHQUFHLElBQUksZUFBZSxHQUFHLGVBQWUscUJBQXFCO0FBQ3hGLENBQUM7QUFFRCxLQUFLLHdDQUF3QyxZQUFZO0FBQ3ZELFFBQU0sUUFBUSxVQUFVLEdBQUcsSUFBSSxZQUFZLFdBQVcsR0FBRyxnQkFBZ0Isd0NBQXdDO0FBQ2pILFFBQU0sUUFBUSxVQUFVLEdBQUcsSUFBSSxjQUFjLFdBQVcsR0FBRyxlQUFlLEtBQUs7QUFDL0UsUUFBTSxRQUFRLFVBQVUsd0JBQXdCLFdBQVcsR0FBRyxlQUFlLDJCQUEyQjtBQUMxRyxDQUFDO0FBRUQsS0FBSyxvREFBb0QsWUFBWTtBQUNuRSxRQUFNLFNBQVMsSUFBSSxNQUFNLFFBQVE7QUFDakMsUUFBTSxPQUFPLFFBQVEsVUFBVSxHQUFHLElBQUksU0FBUyxLQUFLLFlBQVksTUFBTSxNQUFNLENBQUMsR0FBRyxFQUFFLE1BQU0sV0FBVyxPQUFPLE9BQU8sQ0FBQztBQUNwSCxDQUFDO0FBRUQsS0FBSyxpQ0FBaUMsWUFBWTtBQUNoRCxRQUFNLFFBQVEsV0FBVyxHQUFHLElBQUksY0FBYyxHQUFHLGVBQWUsa0JBQWtCO0FBQ2xGLFFBQU0sUUFBUSxhQUFhLElBQUksWUFBWSxFQUFFLE9BQU8sT0FBTyxHQUFHLEdBQUcsR0FBRyxlQUFlLHFCQUFxQjtBQUMxRyxDQUFDO0FBRUQsS0FBSyx1REFBdUQsWUFBWTtBQUN0RSxhQUFXLFFBQVEsQ0FBQyxjQUFjLG9CQUFvQixHQUFHO0FBQ3ZELFVBQU0sU0FBUyxNQUFNLFdBQVcsR0FBRyxJQUFJLElBQUksSUFBSSxFQUFFO0FBQ2pELFVBQU07QUFBQSxNQUNKLFlBQVksTUFBTTtBQUFBLE1BQ2xCO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFBQSxFQUNGO0FBQ0YsQ0FBQztBQUVELEtBQUssb0NBQW9DLFlBQVk7QUFDbkQsUUFBTSxPQUFPLFFBQVEsV0FBVyxHQUFHLElBQUksVUFBVSxDQUFDO0FBQ2xELFFBQU0sUUFBUSxXQUFXLEdBQUcsSUFBSSxVQUFVLEdBQUcsZ0JBQWdCLEtBQUs7QUFDcEUsQ0FBQztBQUVELEtBQUssNkRBQTZELFlBQVk7QUFDNUUsUUFBTSxRQUFRLElBQUksWUFBWSxFQUFFLE9BQU8sT0FBTztBQUM5QyxRQUFNLFFBQVEsVUFBVSxXQUFXLFFBQVEsRUFBRSxPQUFPLEtBQUssRUFBRSxPQUFPLFFBQVEsQ0FBQztBQUMzRSxRQUFNLGVBQWUsT0FBTyxPQUFPLEdBQUc7QUFDdEMsUUFBTSxlQUFlLE9BQU8sZUFBZSxLQUFLLElBQUksR0FBRztBQUN2RCxRQUFNLFFBQVEsZUFBZSxPQUFPLGVBQWUsR0FBRyxHQUFHLGVBQWUsbUNBQW1DO0FBQzNHLFFBQU0sUUFBUSxlQUFlLE9BQU8sWUFBWSxHQUFHLEdBQUcsb0JBQW9CLGlCQUFpQjtBQUM3RixDQUFDOyIsCiAgIm5hbWVzIjogWyJzZWN0aW9uIiwgIm5hbWUiXQp9Cg==
