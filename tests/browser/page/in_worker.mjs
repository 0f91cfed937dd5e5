// Uses the package inside a module worker, where the engine runs in the worker itself.
import { env, InferenceSession, Tensor } from '/js/onnxlet.mjs';

addEventListener('message', async ({ data: { model, threads } }) => {
  try {
    env.wasm.numThreads = threads;
    const session = await InferenceSession.create(model);
    const { y } = await session.run({ x: new Tensor('float32', [21], [1]) });
    postMessage({ y: y.data[0], threads: session.threads });
    await session.release();
  } catch (error) {
    postMessage({ error: `${error.code}: ${error.message}` });
  }
});
