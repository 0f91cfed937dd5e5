import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vite';

const root = path.resolve(import.meta.dirname, '../..');
const out = path.join(root, 'onnxlet/_playground');
/** Of the package. The engine's other files are shared with Python's: see onnxlet/cli/serve.py. */
const FILES = ['onnxlet.mjs', 'worker.mjs', 'thread.mjs', 'webgpu.mjs', 'onnxlet-webgpu.wasm'];

// Everything lies in one folder, which may be served from anywhere: addresses are relative, and the package is beside the
// page as it is published, so that its worker, its engines and WebGPU are found where it looks for them.
export default defineConfig({
  base: './',
  define: {
    SUPPLIED_FOLDER: JSON.stringify('supplied'),
    SUPPLIED_CACHE: JSON.stringify('onnxlet playground, supplied files'),
  },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'es2022',
    assetsDir: '.',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: [path.join(import.meta.dirname, 'index.html'), path.join(import.meta.dirname, 'src/sw.ts')],
      output: {
        // Browsers look for a service worker under the address that they know.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : '[name]-[hash].js'),
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
  worker: { format: 'es' },
  logLevel: 'warn',
  plugins: [
    {
      name: 'onnxlet beside the page',
      enforce: 'pre',
      resolveId: (id) => (id === 'onnxlet' ? { id: './onnxlet/onnxlet.mjs', external: true } : null),
      closeBundle() {
        const files = readdirSync(out).filter((name) => !['sw.js', 'files.json', 'examples', 'onnxlet'].includes(name));
        const scripts = FILES.filter((name) => name.endsWith('.mjs')).map((name) => `onnxlet/${name}`);
        writeFileSync(path.join(out, 'files.json'), JSON.stringify([...files, ...scripts]));
        mkdirSync(path.join(out, 'onnxlet'), { recursive: true });
        for (const file of FILES) copyFileSync(path.join(root, 'js/dist', file), path.join(out, 'onnxlet', file));
      },
    },
  ],
});
