// One real inference, as every app of the packaging tests makes it.
import { env, InferenceSession, Tensor } from 'onnxlet';

/** @param model its address, or in Node its path */
export async function infer(model, threads) {
  const warnings = [];
  const { warn } = console;
  console.warn = (text) => warnings.push(text);
  try {
    env.wasm.numThreads = threads;
    const session = await InferenceSession.create(model);
    const x = new Tensor(
      'float32',
      Array.from({ length: 64 }, (_, index) => (index % 7) - 3),
      [1, 64],
    );
    const { y } = await session.run({ x });
    const { threads: used } = session;
    await session.release();
    return { y: Array.from(y.data), threads: used, warnings };
  } finally {
    console.warn = warn;
  }
}
