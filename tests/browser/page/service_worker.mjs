// Uses the package inside a service worker, which can start no workers of its own.
import { env, InferenceSession, Tensor } from '/js/onnxlet.mjs';

addEventListener('message', (event) => {
  const answer = async () => {
    const { model, threads } = event.data;
    env.wasm.numThreads = threads;
    const session = await InferenceSession.create(model);
    const { y } = await session.run({ x: new Tensor('float32', [21], [1]) });
    await session.release();
    return { y: y.data[0], threads: session.threads };
  };
  event.waitUntil(
    answer().then(
      (value) => event.ports[0].postMessage(value),
      (error) => event.ports[0].postMessage({ error: String(error) }),
    ),
  );
});
