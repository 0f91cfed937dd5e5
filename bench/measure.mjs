// Runs one model on several engines, in turns, in Node or in a page. All have onnxruntime-web's API.
//
// job: {model, inputs: [{name, dtype, dims, file}], threads, seconds, engines: [{name, url, threads?}], provider?, optimization?, peak?, proxy?}
//   the first engine is the one that the others are compared with; `peak` as in peak.mjs; `proxy`: whether the engine of a page
//   works in a worker, if not as it does by default
// result: {engines: {name: {load_ms, median_ms, p10_ms, p90_ms, min_ms, runs, memory_bytes} | {error}},
//   ratios: {name: their time / ours}, difference, peak?: {gflops, gigabytes}}
//   `difference` is that of the second engine's outputs; text where JSON has no number for it
import { feedsOf } from './feeds.mjs';
import { startPeak } from './peak.mjs';

/** `read(file)` gives a file's bytes as a Uint8Array of their own. */
export async function measure(job, read) {
  const memories = watchMemories();
  const peak = job.peak && (await startPeak(job.peak, read));
  const model = await read(job.model);
  const inputs = await Promise.all(job.inputs.map(async (input) => ({ ...input, bytes: await read(input.file) })));
  const running = [];
  const engines = {};
  for (const engine of job.engines) {
    const { name } = engine;
    try {
      memories.owner = name;
      running.push(await start(engine, model, inputs, job));
    } catch (error) {
      engines[name] = { error: String(error.message ?? error) };
    }
  }
  const outputs = {};
  for (const engine of running) {
    try {
      memories.owner = engine.name;
      for (let k = 0; k < 2; k++) outputs[engine.name] = await engine.run();
    } catch (error) {
      engines[engine.name] = { error: String(error.message ?? error) };
    }
  }
  const healthy = running.filter((engine) => !engines[engine.name]);
  for (let k = 0; k < 3; k++) peak?.sampleMemory();
  await takeTurns(healthy, job.seconds, () => peak?.sample());
  for (const engine of healthy) {
    engines[engine.name] = {
      load_ms: engine.loadMs,
      median_ms: quantile(engine.times, 0.5),
      p10_ms: quantile(engine.times, 0.1),
      p90_ms: quantile(engine.times, 0.9),
      min_ms: Math.min(...engine.times),
      runs: engine.times.length,
      memory_bytes: memories.bytes(engine.name) || engine.memory(),
    };
  }
  for (const engine of running) await engine.release();
  const [ours, theirs] = job.engines.map(({ name }) => healthy.find((engine) => engine.name === name));
  const ratios = {};
  for (const other of ours ? healthy.filter((engine) => engine !== ours) : []) {
    // Of neighbouring rounds, so that a burst of other work on the machine does not tilt it.
    ratios[other.name] = quantile(
      ours.rounds.map((ms, round) => other.rounds[round] / ms),
      0.5,
    );
  }
  const compared = ours && theirs ? difference(outputs[ours.name], outputs[theirs.name]) : null;
  const written = compared === null || Number.isFinite(compared) ? compared : String(compared);
  return { engines, ratios, difference: written, ...(peak && { peak: peak.best }) };
}

async function start({ name, url, threads: own }, model, inputs, job) {
  const threads = own ?? job.threads;
  const began = performance.now();
  const { InferenceSession, Tensor, env } = await import(url);
  env.wasm.numThreads = threads;
  // onnxlet leaves a page's main thread alone unless it is told so in its own words.
  if (job.proxy !== undefined) env.wasm.proxy = !job.proxy && env.versions.onnxlet ? 'never' : job.proxy;
  env.logLevel = 'error';
  const session = await InferenceSession.create(model.slice(), {
    executionProviders: [job.provider ?? 'wasm'],
    intraOpNumThreads: threads,
    graphOptimizationLevel: job.optimization ?? 'all',
  });
  const loadMs = performance.now() - began;
  const feeds = feedsOf(inputs, Tensor);
  // Memory inside a worker is not seen from here; onnxlet tells its own.
  const memory = () => session.memory?.wasmBytes ?? 0;
  const release = () => session.release();
  return { name, loadMs, times: [], rounds: [], memory, release, run: () => session.run(feeds) };
}

/** Rounds of at least 50 ms each, so that what else the machine does meets both engines alike. */
async function takeTurns(engines, seconds, between) {
  const end = performance.now() + seconds * 1000 * engines.length;
  for (let round = 0; round < 3 || performance.now() < end; round++) {
    between();
    for (const engine of round % 2 ? [...engines].reverse() : engines) {
      const times = [];
      const roundEnd = performance.now() + 50;
      do {
        const began = performance.now();
        await engine.run();
        times.push(performance.now() - began);
      } while (performance.now() < roundEnd);
      engine.times.push(...times);
      engine.rounds.push(quantile(times, 0.5));
    }
  }
}

function quantile(numbers, share) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(share * numbers.length)];
}

/** The largest absolute difference over the largest absolute value, of the worst output. */
function difference(ours, theirs) {
  let worst = 0;
  for (const name of Object.keys(theirs)) {
    const [a, b] = [ours[name]?.data, theirs[name].data];
    if (a === undefined || a.length !== b.length) return Infinity;
    let [error, scale] = [0, 0];
    for (let i = 0; i < b.length; i++) {
      const [x, y] = [Number(a[i]), Number(b[i])];
      if (x !== y && !(Number.isNaN(x) && Number.isNaN(y))) error = Math.max(error, Math.abs(x - y));
      scale = Math.max(scale, Math.abs(y));
      if (Number.isNaN(error)) return NaN;
    }
    worst = Math.max(worst, error === 0 ? 0 : error / (scale || 1));
  }
  return worst;
}

/** Notes every WebAssembly memory under the engine that made it. Memories never shrink, so the size is the peak. */
function watchMemories() {
  const found = [];
  const watch = {
    owner: '',
    bytes: (owner) => found.filter((f) => f.owner === owner).reduce((sum, f) => sum + f.memory.buffer.byteLength, 0),
  };
  const note = (memory) => {
    if (memory instanceof Memory && !found.some((f) => f.memory === memory)) found.push({ owner: watch.owner, memory });
  };
  const { Memory, Instance, instantiate, instantiateStreaming } = WebAssembly;
  WebAssembly.Memory = new Proxy(Memory, {
    construct(target, args) {
      const memory = new target(...args);
      note(memory);
      return memory;
    },
  });
  const noteExports = (instance) => {
    Object.values(instance.exports).forEach(note);
    return instance;
  };
  WebAssembly.Instance = new Proxy(Instance, { construct: (target, args) => noteExports(new target(...args)) });
  const wrap =
    (original) =>
    async (...args) => {
      const result = await original.apply(WebAssembly, args);
      noteExports(result.instance ?? result);
      return result;
    };
  WebAssembly.instantiate = wrap(instantiate);
  WebAssembly.instantiateStreaming = wrap(instantiateStreaming);
  return watch;
}
