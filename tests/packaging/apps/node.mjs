import { infer } from './infer.mjs';

console.log(JSON.stringify(await infer('model.onnx', 2)));
