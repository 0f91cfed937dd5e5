import { infer } from './infer.mjs';

addEventListener('install', () => skipWaiting());
addEventListener('message', (event) => {
  const answer = infer('model.onnx', 2).catch((error) => ({ error: String(error) }));
  event.waitUntil(answer.then((value) => event.source.postMessage(value)));
});
