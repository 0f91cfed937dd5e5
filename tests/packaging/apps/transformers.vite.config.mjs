export default {
  base: './',
  logLevel: 'warn',
  build: { target: 'esnext' },
  resolve: {
    alias: [{ find: /^onnxruntime-(web|common)(\/.*)?$/, replacement: 'onnxlet' }],
  },
};
