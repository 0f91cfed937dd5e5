// A page's script: shows its answer to the test as a global variable.
import { infer } from './infer.mjs';

infer('model.onnx', 2).then(
  (answer) => (globalThis.answer = answer),
  (error) => (globalThis.answer = { error: String(error) }),
);
