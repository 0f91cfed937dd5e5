// A decoder with a cache, token by token, the likeliest each time, on the CPU and on WebGPU, whose cache stays there.
// usage: node greedy.mjs DIST MODEL TOKENS.json COUNT
// Prints {"cpu", "gpu", "locations", "difference", "largest", "placement"}: the tokens of both, where the cache has been, the largest
// difference and the largest size of the logits of all steps, and where the nodes have run.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, file, prompt, count] = process.argv.slice(2);
const { InferenceSession, Tensor } = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);

async function say(options) {
  const session = await InferenceSession.create(file, options);
  const cache = session.outputNames.filter((name) => name.startsWith('present.'));
  let past = {};
  for (const { name, shape } of session.inputMetadata.filter(({ name }) => name.startsWith('past_key_values.'))) {
    const [batch, heads, , size] = shape;
    past[name] = new Tensor('float32', new Float32Array(0), [batch, heads, 0, size]);
  }
  let tokens = JSON.parse(readFileSync(prompt, 'utf8'));
  const found = { tokens: [], logits: [], locations: new Set() };
  for (let seen = tokens.length; found.tokens.length < Number(count); seen++) {
    const feeds = {
      input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      attention_mask: new Tensor('int64', new BigInt64Array(seen).fill(1n), [1, seen]),
    };
    const results = await session.run({ ...feeds, ...past });
    const { dims, data } = results.logits;
    const last = data.slice(-dims[2]);
    tokens = [last.indexOf(Math.max(...last))];
    found.tokens.push(tokens[0]);
    found.logits.push(last);
    for (const tensor of Object.values(past)) tensor.dispose();
    past = Object.fromEntries(cache.map((name) => [name.replace('present', 'past_key_values'), results[name]]));
    for (const name of cache) found.locations.add(results[name].location);
  }
  found.placement = await session.placement();
  await session.release();
  return found;
}

const cpu = await say({ executionProviders: ['wasm'] });
const gpu = await say({
  executionProviders: [{ name: 'webgpu', minBytes: 0 }, 'wasm'],
  preferredOutputLocation: Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => ['key', 'value'].map((part) => [`present.${i}.${part}`, 'gpu-buffer'])).flat(),
  ),
});
let [difference, largest] = [0, 0];
for (const [step, logits] of cpu.logits.entries()) {
  for (const [i, value] of logits.entries()) {
    difference = Math.max(difference, Math.abs(value - gpu.logits[step][i]));
    largest = Math.max(largest, Math.abs(value));
  }
}
const { placement, locations } = gpu;
const found = { cpu: cpu.tokens, gpu: gpu.tokens, locations: [...locations], difference, largest, placement };
process.stdout.write(JSON.stringify(found), () => process.exit(0));
