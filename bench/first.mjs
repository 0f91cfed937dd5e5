// usage: node first.mjs JOB.json     prints {"ready_ms", "first_ms"}: from before the package is imported to a session that can
// run, and to the first outputs. One engine in a fresh process: nothing is compiled or cached before.
import fs from 'node:fs/promises';
import path from 'node:path';
import { feedsOf } from './feeds.mjs';

const file = path.resolve(process.argv[2]);
const job = JSON.parse(await fs.readFile(file, 'utf8'));
const read = async (name) => new Uint8Array(await fs.readFile(path.resolve(path.dirname(file), name)));
const model = await read(job.model);
const inputs = await Promise.all(job.inputs.map(async (input) => ({ ...input, bytes: await read(input.file) })));

const began = performance.now();
const { InferenceSession, Tensor, env } = await import(job.url);
env.wasm.numThreads = 1;
env.logLevel = 'error';
const session = await InferenceSession.create(model, { executionProviders: ['wasm'], intraOpNumThreads: 1 });
const ready = performance.now() - began;
await session.run(feedsOf(inputs, Tensor));
const first = performance.now() - began;
const result = JSON.stringify({ ready_ms: ready, first_ms: first });
await new Promise((resolve) => process.stdout.write(`${result}\n`, resolve));
process.exit(0); // worker threads of an engine would keep the process alive
