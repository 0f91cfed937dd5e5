// CommonJS reaches the package through import().
async function main() {
  const { infer } = await import('./infer.mjs');
  const { InferenceSession } = await import('onnxlet');
  if (typeof InferenceSession.create !== 'function') throw new Error('no InferenceSession');
  console.log(JSON.stringify(await infer('model.onnx', 2)));
}
void main();
