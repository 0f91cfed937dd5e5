// A model on WebGPU for `onnxlet compare`. usage: node webgpu.mjs ENTRY, the address of the npm package's module.
// Every line of the input is a request in JSON, answered by a line: {"answer"} or {"error"}.
//   {"verb": "load", "model": path, "options"}           -> {"inputs": [[name, type]], "outputs": [name]}
//   {"verb": "run", "outputs": [name], "feeds": [VALUE], "folder"}  -> [VALUE], whose files are written into the folder
//   {"verb": "close"}                                    -> null
// VALUE: {"name", "type", "dims", "file": of the elements' bytes} or {"name", "type": "string", "dims", "strings"}
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const { InferenceSession, Tensor } = await import(process.argv[2]);

// Others are fed as their bytes.
const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  complex64: Float32Array,
  complex128: Float64Array,
};

const warnings = [];
console.warn = (...words) => warnings.push(words.join(' '));

let session;

const verbs = {
  async load({ model, options }) {
    // Also what is small goes there: it is the kernels that are compared.
    const executionProviders = [{ name: 'webgpu', minBytes: 0 }, 'wasm'];
    session = await InferenceSession.create(model, { ...options, executionProviders });
    if (session.flavour !== 'webgpu') throw new Error(warnings.join('; '));
    return { inputs: session.inputMetadata.map(({ name, type }) => [name, type]), outputs: session.outputNames };
  },
  async run({ outputs, feeds, folder }) {
    const found = await session.run(Object.fromEntries(feeds.map((value) => [value.name, tensorOf(value)])), outputs);
    return outputs.map((name, index) => described(name, found[name], path.join(folder, `${index}.bin`)));
  },
  async close() {
    await session?.release();
    session = undefined;
    return null;
  },
};

function tensorOf({ type, dims, file, strings }) {
  if (strings) return new Tensor(type, strings, dims);
  const { buffer, byteOffset, byteLength } = Uint8Array.from(readFileSync(file));
  const Elements = ARRAYS[type] ?? Uint8Array;
  return new Tensor(type, new Elements(buffer, byteOffset, byteLength / Elements.BYTES_PER_ELEMENT), dims);
}

function described(name, value, file) {
  if (!(value instanceof Tensor)) throw new Error(`output ${name} is no tensor`);
  const { type, dims, data } = value;
  if (type === 'string') return { name, type, dims, strings: data };
  writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return { name, type, dims, file };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const reply = await verbs[request.verb](request).then(
    (answer) => ({ answer }),
    ({ message }) => ({ error: message }),
  );
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
process.exit(0);
