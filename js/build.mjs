// Builds dist/: the entry, the two worker scripts, the declarations, the engine's flavours beside them, and all of it but
// threads in one file.
// usage: node build.mjs [FOLDER_WITH_WASM]     (default: ../build/wasm; files that are not there are left out)
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const wasmFolder = path.resolve(process.argv[2] ?? path.join(root, 'build', 'wasm'));
const dist = path.join(here, 'dist');
const { version } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));

generateBindings();
rmSync(path.join(dist, 'types'), { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const common = {
  absWorkingDir: here,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  define: { ONNXLET_VERSION: JSON.stringify(version) },
  minifySyntax: true,
  legalComments: 'none',
  loader: { '.wgsl': 'text' },
  logLevel: 'warning',
};
await esbuild.build({
  ...common,
  entryPoints: {
    onnxlet: 'src/index.ts',
    worker: 'src/worker.ts',
    thread: 'src/thread.ts',
    webgpu: 'src/gpu/index.ts',
  },
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  // White space stays: with it go the comments that tell bundlers to leave the imports of Node modules alone.
  sourcemap: true,
});
execFileSync(
  process.execPath,
  [path.join(here, 'node_modules/typescript/bin/tsc'), '-p', path.join(here, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
copyFileSync(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'));
copyEngines();
await buildInline();

/** The package in one file: with the flavour that runs wherever there is SIMD, and without threads. */
async function buildInline() {
  const file = path.join(wasmFolder, 'onnxlet.wasm');
  if (!existsSync(file)) return;
  const parts = { engine: deflateRawSync(readFileSync(file), { level: 9 }).toString('base64'), worker: '' };
  const plugins = [
    {
      name: 'inline',
      setup(build) {
        build.onResolve({ filter: /^\.\/assets\.js$/ }, () => ({ path: path.join(here, 'src/assets-inline.ts') }));
        build.onResolve({ filter: /^onnxlet:inline$/ }, () => ({ path: 'inline', namespace: 'inline' }));
        build.onLoad({ filter: /.*/, namespace: 'inline' }, () => ({
          contents: Object.entries(parts)
            .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`)
            .join('\n'),
        }));
      },
    },
  ];
  const options = { ...common, plugins };
  // Not a module: pages that were opened as files may start no worker of that kind from a part of themselves.
  const script = { entryPoints: ['src/worker.ts'], format: 'iife', minify: true, write: false };
  const worker = await esbuild.build({ ...options, ...script });
  parts.worker = worker.outputFiles[0].text;
  const outfile = path.join(dist, 'onnxlet-inline.mjs');
  await esbuild.build({ ...options, entryPoints: ['src/index.ts'], outfile });
}

function generateBindings() {
  const generator = path.join(root, 'onnxlet', 'build', 'bindings.py');
  const header = path.join(root, 'core', 'abi', 'onnxlet.h');
  const venv = path.join(root, '.venv', 'bin', 'python');
  const python = process.env.ONNXLET_PYTHON ?? (existsSync(venv) ? venv : 'python3');
  execFileSync(python, [generator, header, '--typescript', path.join(here, 'src', 'abi.gen.ts')], { stdio: 'inherit' });
}

function copyEngines() {
  if (!existsSync(wasmFolder)) {
    console.warn(`build.mjs: no engines in ${wasmFolder}; build them first, or name their folder`);
    return;
  }
  for (const file of readdirSync(wasmFolder)) {
    if (file === 'onnxlet-preprocessing.wasm') continue; // Python's alone
    if (/^onnxlet(-\w+)*\.wasm$/.test(file)) copyFileSync(path.join(wasmFolder, file), path.join(dist, file));
  }
}
