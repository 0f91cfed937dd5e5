// Models in Node on devices that hold little. usage: node limits.mjs DIST JOBS.json
// jobs: [{model, feeds: {name: {type, dims, data}}, limit, hide, maxBytes, full}]. limit: bytes of the largest buffer; without it
// the device has WebGPU's default limits. hide: names of the adapter are hidden, so that the shaders for GPUs are chosen. full: the
// device says that its memory is full. Prints [{outputs: {name: {dims, data}}, placement, writes} or {error, writes}]; writes: bytes
// of every tensor that is sent.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, file] = process.argv.slice(2);
const { create, globals } = await import(pathToFileURL(path.join(dist, '../node_modules/webgpu/index.js')).href);
Object.assign(globalThis, globals);
const gpu = create([]);
Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
const { InferenceSession, Tensor } = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);

async function deviceFor({ limit, hide, full }, writes) {
  const device = await (await gpu.requestAdapter()).requestDevice();
  if (limit !== undefined) {
    Object.defineProperty(device, 'limits', { value: { maxBufferSize: limit, maxStorageBufferBindingSize: limit } });
  }
  if (hide) Object.defineProperty(device, 'adapterInfo', { value: undefined });
  const { queue } = device;
  const writeBuffer = queue.writeBuffer.bind(queue);
  queue.writeBuffer = (buffer, ...rest) => {
    if (rest[1] instanceof ArrayBuffer) writes.push(rest[3]); // the engine's memory; uniforms come from elsewhere
    return writeBuffer(buffer, ...rest);
  };
  if (full) {
    const scopes = [];
    const pushErrorScope = device.pushErrorScope.bind(device);
    const popErrorScope = device.popErrorScope.bind(device);
    device.pushErrorScope = (kind) => pushErrorScope(scopes[scopes.push(kind) - 1]);
    device.popErrorScope = async () => {
      const found = scopes.pop();
      const error = await popErrorScope();
      return found === 'out-of-memory' ? { message: 'no more of it' } : error;
    };
  }
  return device;
}

async function answer(job) {
  const writes = [];
  const device = await deviceFor(job, writes);
  const webgpu = { name: 'webgpu', minBytes: 0, maxBytes: job.maxBytes, device };
  let session;
  try {
    session = await InferenceSession.create(new Uint8Array(readFileSync(job.model)), {
      executionProviders: [webgpu, 'wasm'],
    });
    const tensors = Object.entries(job.feeds).map(([name, { type, dims, data }]) => [
      name,
      new Tensor(type, data, dims),
    ]);
    await session.run(Object.fromEntries(tensors));
    const once = writes.length;
    const found = await session.run(Object.fromEntries(tensors));
    const outputs = Object.entries(found).map(([name, { dims, data }]) => [name, { dims, data: [...data] }]);
    const placement = await session.placement();
    return { outputs: Object.fromEntries(outputs), placement, writes: writes.slice(0, once), again: writes.slice(once) };
  } catch ({ code, message }) {
    return { error: `${code}: ${message}`, writes };
  } finally {
    await session?.release();
  }
}

const results = [];
for (const job of JSON.parse(readFileSync(file, 'utf8'))) results.push(await answer(job));
process.stdout.write(JSON.stringify(results), () => process.exit(0));
