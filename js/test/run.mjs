// Bundles test/*.test.ts and runs them with Node's own runner. usage: node test/run.mjs [PATTERN]
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, '..', '..', 'build', 'js-test');
const pattern = process.argv[2] ?? '';
const tests = readdirSync(here).filter((file) => file.endsWith('.test.ts') && file.includes(pattern));

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
  sourcemap: 'inline',
  logLevel: 'warning',
});
const files = tests.map((file) => path.join(out, file.replace(/\.ts$/, '.mjs')));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
