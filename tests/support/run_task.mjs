// Runs one task on the JavaScript package, in Node or in a page, and gives outputs or the error with its code.
//
// task: {engine, model, options, runs: [[{name, dtype, dims, file}]], state: [[output, input]]}
// result: {outputs: [{name: {dtype, dims, data}}], flavour, threads} or {error: {code, message}}; data is base64

const arrays = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array, int32: Int32Array, uint32: Uint32Array,
  int16: Int16Array, uint16: Uint16Array, int8: Int8Array, uint8: Uint8Array, bool: Uint8Array, float16: Uint16Array,
};

/** `read(file)` gives a file's bytes as a Uint8Array of their own. */
export async function runTask(task, read) {
  const { InferenceSession, Tensor } = await import(task.engine);
  try {
    const session = await InferenceSession.create(await read(task.model), task.options);
    try {
      const outputs = [];
      let carried = {};
      for (const run of task.runs) {
        const feeds = {};
        for (const { name, dtype, dims, file } of run) feeds[name] = new Tensor(dtype, new arrays[dtype]((await read(file)).buffer), dims);
        const results = await session.run({ ...feeds, ...carried });
        outputs.push(Object.fromEntries(Object.entries(results).map(([name, value]) => [name, pack(value)])));
        carried = Object.fromEntries(task.state.map(([output, input]) => [input, results[output]]));
      }
      return { outputs, flavour: session.flavour, threads: session.threads };
    } finally {
      await session.release();
    }
  } catch (error) {
    return { error: { code: error.code ?? error.name, message: error.message } };
  }
}

function pack({ type, dims, data }) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return { dtype: type, dims: [...dims], data: btoa(text) };
}
