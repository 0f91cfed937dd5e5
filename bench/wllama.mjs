// Writes text with one language model, on onnxlet and on wllama (llama.cpp), in turns.
//
// job: {onnxlet, model, layers, heads, size, wllama, wasm, gguf, threads, ids, tokens, rounds}
// result: {engine: {prompt_ms: [...], token_ms: [...]}}, one number a round; tokens follow the prompt's.

window.bench = async (job) => {
  const engines = { onnxlet: await onnxlet(job), wllama: await wllama(job) };
  const result = {};
  for (const name of Object.keys(engines)) result[name] = { prompt_ms: [], token_ms: [] };
  for (let round = 0; round <= job.rounds; round++) {
    for (const [name, engine] of Object.entries(engines)) {
      const { prompt, token } = await engine.write();
      if (round === 0) continue; // code is still being compiled
      result[name].prompt_ms.push(prompt);
      result[name].token_ms.push(token);
    }
  }
  for (const engine of Object.values(engines)) await engine.end();
  return result;
};

async function onnxlet({ onnxlet: url, model, layers, heads, size, threads, ids, tokens }) {
  const { InferenceSession, Tensor, env } = await import(url);
  env.wasm.numThreads = threads;
  const names = [];
  for (let layer = 0; layer < layers; layer++) names.push(`${layer}.key`, `${layer}.value`);
  const present = names.map((name) => [`present.${name}`, 'cpu-pinned']);
  const session = await InferenceSession.create(model, { preferredOutputLocation: Object.fromEntries(present) });
  const integers = (numbers) => new Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length]);
  const run = async (some, past, cache) => {
    const mask = integers(new Array(past + some.length).fill(1));
    const feeds = { input_ids: integers(some), attention_mask: mask, ...cache };
    const outputs = await session.run(feeds, { disposeFeeds: true });
    const next = Object.fromEntries(names.map((name) => [`past_key_values.${name}`, outputs[`present.${name}`]]));
    return [likeliest(outputs.logits), next];
  };
  const write = async () => {
    const room = ids.length + tokens;
    const empty = () => new Tensor('float32', new Float32Array(heads * room * size), [1, heads, room, size]);
    let cache = Object.fromEntries(names.map((name) => [`past_key_values.${name}`, empty()]));
    const began = performance.now();
    let id;
    [id, cache] = await run(ids, 0, cache);
    const read = performance.now();
    for (let k = 0; k < tokens; k++) [id, cache] = await run([id], ids.length + k, cache);
    const end = performance.now();
    for (const tensor of Object.values(cache)) tensor.dispose();
    return { prompt: read - began, token: (end - read) / tokens };
  };
  return { write, end: () => session.release() };
}

/** The last position's largest logit. */
function likeliest({ data, dims }) {
  const logits = data.subarray(data.length - dims[dims.length - 1]);
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  return best;
}

async function wllama({ wllama: url, wasm, gguf, threads, ids, tokens }) {
  const { Wllama } = await import(url);
  const engine = new Wllama({ default: wasm }, { suppressNativeLog: true });
  const file = await (await fetch(gguf)).blob();
  await engine.loadModel([file], { n_threads: threads, n_ctx: 512, n_parallel: 1, n_gpu_layers: 0 });
  // llama.cpp's own clock: without the way between page and worker.
  const write = async () => {
    const { timings } = await engine.createCompletion({
      prompt: ' time'.repeat(ids.length), // a token each
      max_tokens: tokens,
      temperature: 0,
      ignore_eos: true,
      cache_prompt: false,
    });
    if (timings.prompt_n !== ids.length) throw new Error(`wllama read ${timings.prompt_n} tokens of ${ids.length}`);
    return { prompt: timings.prompt_ms, token: timings.predicted_ms / timings.predicted_n };
  };
  return { write, end: () => engine.exit() };
}
