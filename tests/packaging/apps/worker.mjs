import { infer } from './infer.mjs';

infer('model.onnx', 2).then(
  (answer) => postMessage(answer),
  (error) => postMessage({ error: String(error) }),
);
