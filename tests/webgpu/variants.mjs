// Runs models in Node on an adapter whose names are hidden, so that the shaders for GPUs are chosen, or are not.
// With the names hidden, WGSL also has no words for packed numbers.
// usage: node variants.mjs DIST hide|show JOBS.json     jobs: [{model, feeds: {name: {type, dims, data}}}]
// Prints [{kernels, outputs: {name: {dims, data}}}].
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, names, file] = process.argv.slice(2);
const { create, globals } = await import(pathToFileURL(path.join(dist, '../node_modules/webgpu/index.js')).href);
Object.assign(globalThis, globals);
const dawn = create([]);
const gpu = {
  wgslLanguageFeatures: names === 'hide' ? undefined : dawn.wgslLanguageFeatures,
  async requestAdapter(options) {
    const adapter = await dawn.requestAdapter(options);
    const requestDevice = async (wishes) => {
      const device = await adapter.requestDevice(wishes);
      if (names === 'hide') Object.defineProperty(device, 'adapterInfo', { value: undefined });
      return device;
    };
    return { limits: adapter.limits, features: adapter.features, requestDevice };
  },
};
Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });

const { InferenceSession, Tensor } = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);
const results = [];
for (const { model, feeds } of JSON.parse(readFileSync(file, 'utf8'))) {
  const session = await InferenceSession.create(new Uint8Array(readFileSync(model)), {
    executionProviders: [{ name: 'webgpu', minBytes: 0 }],
    enableProfiling: true,
  });
  const tensors = Object.entries(feeds).map(([name, { type, dims, data }]) => [name, new Tensor(type, data, dims)]);
  await session.run(Object.fromEntries(tensors)); // which packs weights, too
  const found = await session.run(Object.fromEntries(tensors));
  const outputs = Object.entries(found).map(([name, { dims, data }]) => [name, { dims, data: [...data] }]);
  const kernels = (await session.profile()).map(({ kernel }) => kernel);
  results.push({ kernels, outputs: Object.fromEntries(outputs) });
  await session.release();
}
await new Promise((resolve) => process.stdout.write(JSON.stringify(results), resolve));
process.exit(0);
