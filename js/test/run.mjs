// Bundles test/*.test.ts here and in edge/js and runs them with Node's own runner. usage: node test/run.mjs [PATTERN]
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, '..', '..', 'build', 'js-test');
const pattern = process.argv[2] ?? '';
const folders = [here, path.join(here, '..', '..', 'edge', 'js', 'test')];
const tests = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts') && file.includes(pattern))
    .map((file) => path.join(folder, file)),
);

rmSync(out, { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: here,
  entryPoints: tests,
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['*/dist/onnxlet.mjs'],
  entryNames: '[name]',
  loader: { '.wgsl': 'text' },
  sourcemap: 'inline',
  logLevel: 'warning',
});
const files = tests.map((file) => path.join(out, path.basename(file).replace(/\.ts$/, '.mjs')));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
