// A page that makes one inference, as an app would: it imports an engine, loads a model by its address and runs it. Leaves how
// long that took from the page's navigation. ?job=ADDRESS names the job: {url, model, inputs}, addresses all of them.
import { feedsOf } from './feeds.mjs';

async function read(address) {
  return new Uint8Array(await (await fetch(address)).arrayBuffer());
}

async function main() {
  const { url, model, inputs } = await (await fetch(new URLSearchParams(location.search).get('job'))).json();
  const [{ InferenceSession, Tensor }, ...bytes] = await Promise.all([
    import(url),
    ...inputs.map(({ file }) => read(file)),
  ]);
  const session = await InferenceSession.create(model);
  await session.run(feedsOf(inputs.map((input, index) => ({ ...input, bytes: bytes[index] })), Tensor));
  const ms = performance.now();
  const transfers = performance.getEntriesByType('resource');
  return { ms, bytes: transfers.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) };
}

main().then(
  (result) => (globalThis.result = result),
  (error) => (globalThis.result = { error: String(error) }),
);
