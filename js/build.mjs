// Builds dist/: the entry, the two worker scripts, the declarations, and the engine's flavours beside them.
// usage: node build.mjs [FOLDER_WITH_WASM]     (default: ../build/wasm; files that are not there are left out)
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const wasmFolder = path.resolve(process.argv[2] ?? path.join(root, 'build', 'wasm'));
const dist = path.join(here, 'dist');
const { version } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));

generateBindings();
rmSync(path.join(dist, 'types'), { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

await esbuild.build({
  absWorkingDir: here,
  entryPoints: { onnxlet: 'src/index.ts', worker: 'src/worker.ts', thread: 'src/thread.ts' },
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  // Imported in Node only, and never by a bundler.
  external: ['node:*'],
  define: { ONNXLET_VERSION: JSON.stringify(version) },
  minifySyntax: true,
  // White space stays: with it go the comments that tell bundlers to leave the imports of Node modules alone.
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
});
execFileSync(
  process.execPath,
  [path.join(here, 'node_modules/typescript/bin/tsc'), '-p', path.join(here, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
copyEngines();

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
    if (/^onnxlet(-\w+)*\.wasm$/.test(file)) copyFileSync(path.join(wasmFolder, file), path.join(dist, file));
  }
}
