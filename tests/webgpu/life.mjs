// Sessions on WebGPU in Node, over and over, and the loss of their device. usage: node life.mjs DIST MODEL CYCLES
// Prints {"answers", "left", "error", "goesOn", "again"}: distinct answers of all cycles, buffers left by them, what a run says
// whose device is gone, whether its session goes on on the CPU, and whether the next session answers as the first.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { countedWebGpu } from './counted.mjs';

const [dist, file, cycles] = process.argv.slice(2);

const made = await countedWebGpu(dist);
const { InferenceSession, Tensor } = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);
const model = new Uint8Array(readFileSync(file));
const image = new Tensor(
  'float32',
  Float32Array.from({ length: 64 }, (_, i) => (i * 7) % 17),
  [1, 1, 8, 8],
);
const open = () =>
  InferenceSession.create(model, { executionProviders: [{ name: 'webgpu', minBytes: 0 }], enableProfiling: true });
const ask = async (session) => [...(await session.run({ image })).logits.data].map((x) => x.toPrecision(5)).join(' ');

const same = (one, other) => one.split(' ').every((x, i) => Math.abs(x - other.split(' ')[i]) < 1e-3);

const first = await open();
const answer = await ask(first);
const before = made.alive;

const answers = new Set([answer]);
for (let cycle = 0; cycle < Number(cycles); cycle++) {
  const session = await open();
  answers.add(await ask(session));
  answers.add(await ask(session));
  await session.release();
}
const left = made.alive - before;

const session = await open();
await ask(session);
const running = ask(session).then(
  (text) => `it went through: ${text}`,
  ({ code, message }) => `${code}: ${message}`,
);
for (const device of made.devices) device.destroy();
const error = await running;
const goesOn =
  same(await ask(session), answer) && (await session.profile()).every(({ kernel }) => !/^webgpu/.test(kernel ?? ''));
await session.release();
await first.release();
const next = await open();
const again = same(await ask(next), answer) && next.flavour === 'webgpu';
await next.release();
process.stdout.write(JSON.stringify({ answers: answers.size, left, error, goesOn, again }));
process.exit(0);
