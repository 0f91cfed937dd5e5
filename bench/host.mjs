// usage: node host.mjs JOB.json     prints {"cpu_ms", "median_ms", "runs"} of a model on one engine, as bench/measure_python.py
// does. cpu_ms: the least processor time of a run, which other work on the machine hardly touches.
import fs from 'node:fs/promises';
import path from 'node:path';
import { feedsOf } from './feeds.mjs';

const file = path.resolve(process.argv[2]);
const job = JSON.parse(await fs.readFile(file, 'utf8'));
const read = async (name) => new Uint8Array(await fs.readFile(path.resolve(path.dirname(file), name)));
const { InferenceSession, Tensor, env } = await import(job.url);
env.wasm.numThreads = job.threads;
env.logLevel = 'error';
const options = { executionProviders: ['wasm'], intraOpNumThreads: job.threads };
const session = await InferenceSession.create(await read(job.model), options);
const inputs = await Promise.all(job.inputs.map(async (input) => ({ ...input, bytes: await read(input.file) })));
const feeds = feedsOf(inputs, Tensor);
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
// V8 compiles again, and better, what has run for a while.
for (const end = performance.now() + job.seconds * 500; performance.now() < end;) await session.run(feeds);
const [times, work] = [[], []];
for (const end = performance.now() + job.seconds * 1000; performance.now() < end || times.length < 3;) {
  const [began, used] = [performance.now(), cpu()];
  await session.run(feeds);
  times.push(performance.now() - began);
  work.push(cpu() - used);
}
times.sort((a, b) => a - b);
const result = { cpu_ms: Math.min(...work), median_ms: times[times.length >> 1], runs: times.length };
await new Promise((resolve) => process.stdout.write(`${JSON.stringify(result)}\n`, resolve));
process.exit(0); // worker threads of an engine would keep the process alive
