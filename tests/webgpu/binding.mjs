// Tensors in GPU buffers, in Node. usage: node binding.mjs DIST MODEL CYCLES
// The model: total = past + exp(x), of x[n, 4] and past[n, 4]; same = x; sizes = shape of x (int64).
// Prints what it has found, by name, for test_binding.py.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { countedWebGpu } from './counted.mjs';

const [dist, file, cycles] = process.argv.slice(2);
const made = await countedWebGpu(dist);
const { env, InferenceSession, OnnxletError, Tensor } = await import(
  pathToFileURL(path.join(dist, 'onnxlet.mjs')).href
);
const model = new Uint8Array(readFileSync(file));
const executionProviders = [{ name: 'webgpu', minBytes: 0 }, 'wasm'];
const open = (options) => InferenceSession.create(model, { executionProviders, ...options });
const failure = (promise) =>
  promise.then(
    () => 'it went through',
    (error) => `${error instanceof OnnxletError ? error.code : error}: ${error.message}`,
  );
const list = (elements) => Array.from(elements, Number);

const ROWS = [0, 1, 2, 3, -1, -2, -3, -4];
const x = () => new Tensor('float32', Float32Array.from(ROWS), [2, 4]);
const zeros = () => new Tensor('float32', new Float32Array(8), [2, 4]);
const STORAGE = 0x80 | 0x04 | 0x08;

const found = {};

// What a run leaves on the GPU goes into the next one.
const session = await open({ preferredOutputLocation: { total: 'gpu-buffer', sizes: 'gpu-buffer' } });
const device = env.webgpu.device;
found.shares = device === made.devices[0];
let { total, same, sizes } = await session.run({ x: x(), past: zeros() });
found.locations = [total.location, same.location, sizes.location];
found.size = total.gpuBuffer.size >= 32;
found.data = failure(Promise.resolve().then(() => total.data));
found.sizes = list(await sizes.getData());
for (let step = 0; step < 2; step++) {
  const next = await session.run({ x: x(), past: total }, { disposeFeeds: true });
  found.disposed = total.location;
  total = next.total;
}
found.total = list(await total.getData());
found.stays = total.location;
found.released = list(await total.getData(true));
found.comes = [total.location, total.data.length];
found.buffer = failure(Promise.resolve().then(() => total.gpuBuffer));

// A buffer of the caller's, by the session's device.
const own = device.createBuffer({ size: 32, usage: STORAGE });
device.queue.writeBuffer(own, 0, Float32Array.from(ROWS));
let disposed = 0;
const tensor = Tensor.fromGpuBuffer(own, {
  dataType: 'float32',
  dims: [2, 4],
  download: async () => Float32Array.of(7),
  dispose: () => disposed++,
});
found.own = [tensor.location, tensor.gpuBuffer === own, list(await tensor.getData()), tensor.size];
const fed = await session.run({ x: tensor, past: tensor });
found.fed = list(await fed.total.getData());
found.same = list(fed.same.data);
const mine = await open({ preferredOutputLocation: 'gpu-buffer' });
const kept = await mine.run({ x: tensor, past: zeros() });
found.apart = kept.same.gpuBuffer !== own;
found.from_another = list((await session.run({ x: kept.same, past: kept.total })).same.data);
tensor.dispose();
found.calls = [disposed, tensor.location];

// What cannot be fed.
const at = (buffer, dims = [2, 4], dataType = 'float32') =>
  failure(session.run({ x: Tensor.fromGpuBuffer(buffer, { dataType, dims }), past: zeros() }));
found.small = await at(device.createBuffer({ size: 16, usage: STORAGE }));
found.usage = await at(device.createBuffer({ size: 32, usage: 0x08 }));
found.type = await at(own, [1, 4], 'int64');
const stranger = await (await navigator.gpu.requestAdapter()).requestDevice();
found.stranger = await at(stranger.createBuffer({ size: 32, usage: STORAGE }));
const cpu = await InferenceSession.create(model, { executionProviders: ['wasm'] });
found.cpu = await failure(cpu.run({ x: kept.same, past: zeros() }));
found.no_gpu = await failure(
  InferenceSession.create(model, { executionProviders: ['wasm'], preferredOutputLocation: 'gpu-buffer' }),
);
found.target = await failure(session.run({ x: x(), past: zeros() }, { total: kept.total }));
const mute = Tensor.fromGpuBuffer(own, { dims: [2, 4] });
found.mute = await failure(mute.getData());
found.strings = await failure(
  Promise.resolve().then(() => Tensor.fromGpuBuffer(own, { dataType: 'string', dims: [1] })),
);
found.no_buffer = await failure(Promise.resolve().then(() => Tensor.fromGpuBuffer({}, { dims: [1] })));
env.wasm.proxy = true;
found.proxy = await failure(open({ preferredOutputLocation: 'gpu-buffer' }));
env.wasm.proxy = undefined;

// A device of the caller's.
env.webgpu.device = stranger;
const guest = await open({ preferredOutputLocation: 'gpu-buffer' });
const there = stranger.createBuffer({ size: 32, usage: STORAGE });
const result = await guest.run({ x: Tensor.fromGpuBuffer(there, { dims: [2, 4] }), past: zeros() });
found.guest = list(await result.total.getData());
stranger.destroy();
found.lost_read = await failure(result.total.getData());
await guest.release();
found.lost_device = await failure(open());
env.webgpu.device = undefined;

// What the device cannot hold stays on the CPU.
const small = await (await navigator.gpu.requestAdapter()).requestDevice();
Object.defineProperty(small, 'limits', { value: { maxBufferSize: 1024, maxStorageBufferBindingSize: 1024 } });
const narrow = await InferenceSession.create(model, {
  executionProviders: [{ name: 'webgpu', minBytes: 0, device: small }],
  preferredOutputLocation: 'gpu-buffer',
});
const long = new Tensor('float32', new Float32Array(2048), [512, 4]);
const wide = await narrow.run({ x: long, past: long });
found.wide = [wide.total.location, wide.sizes.location, new Set(await wide.total.getData()).size];
found.narrow = await narrow.placement();
await narrow.release();

found.placement = await session.placement();
found.cpu_placement = await cpu.placement();
await Promise.all([session.release(), mine.release(), cpu.release()]);

// Nothing is left of what sessions and tensors have had.
const before = made.alive;
for (let cycle = 0; cycle < Number(cycles); cycle++) {
  const passing = await open({ preferredOutputLocation: 'gpu-buffer' });
  const first = await passing.run({ x: x(), past: zeros() });
  const second = await passing.run({ x: first.same, past: first.total });
  first.total.dispose();
  await second.total.getData(true);
  await passing.release();
}
found.left = made.alive - before;

for (const [name, value] of Object.entries(found)) found[name] = await value;
process.stdout.write(JSON.stringify(found));
process.exit(0);
