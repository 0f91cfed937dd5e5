// Results that cannot be read back from WebGPU in Node. usage: node read_back.mjs DIST MODEL
// Refuses the first, the second ... mapping of a run until a run needs no more of them. Prints {"errors", "left", "right"}: what each
// of these runs said, buffers that they left, and how many of the runs after them were as the first.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { countedWebGpu } from './counted.mjs';

const [dist, file] = process.argv.slice(2);
const refuse = { at: -1, met: 0 };
const made = await countedWebGpu(dist, (buffer) => {
  const mapAsync = buffer.mapAsync.bind(buffer);
  buffer.mapAsync = (...words) =>
    refuse.met++ === refuse.at ? Promise.reject(new DOMException('the mapping was refused')) : mapAsync(...words);
});
const { InferenceSession, Tensor } = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);
const image = new Tensor(
  'float32',
  Float32Array.from({ length: 64 }, (_, i) => (i * 7) % 17),
  [1, 1, 8, 8],
);
const session = await InferenceSession.create(new Uint8Array(readFileSync(file)), {
  executionProviders: [{ name: 'webgpu', minBytes: 0 }],
});
const ask = async () => (await session.run({ image })).logits.data.join(' ');
const answer = await ask();
await ask();
const before = made.alive;
const errors = [];
let right = 0;
for (let at = 0; ; at++) {
  Object.assign(refuse, { at, met: 0 });
  const error = await ask().then(
    () => undefined,
    ({ code, message }) => `${code}: ${message}`,
  );
  refuse.at = -1;
  if (error === undefined) break;
  errors.push(error);
  if ((await ask()) === answer) right++;
}
const left = made.alive - before;
await session.release();
process.stdout.write(JSON.stringify({ errors, left, right }), () => process.exit(0));
