module.exports = {
  mode: 'production',
  entry: './transformers-page.mjs',
  output: { path: `${__dirname}/dist` },
  performance: false,
  resolve: { alias: { 'onnxruntime-web/webgpu$': 'onnxlet', 'onnxruntime-common$': 'onnxlet' } },
};
