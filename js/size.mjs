// What the package weighs. usage: npm run size [-- --page]
// The table has every file of the npm archive, and what pages fetch to run models; with --page only what most of them do.
// Fails when that is over its limit.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
/** What a page fetches at most, in bytes as they are sent with Brotli. */
const PAGE_LIMIT = 600_000;
/** Hosts of static files refuse larger ones. */
const FILE_LIMIT = 25 << 20;
const PAGES = {
  'a page': ['dist/onnxlet.mjs', 'dist/worker.mjs', 'dist/onnxlet-relaxed.wasm'],
  'a page without relaxed SIMD': ['dist/onnxlet.mjs', 'dist/worker.mjs', 'dist/onnxlet.wasm'],
  'a page with threads': [
    'dist/onnxlet.mjs',
    'dist/worker.mjs',
    'dist/thread.mjs',
    'dist/onnxlet-relaxed-threads.wasm',
  ],
  'a page without SIMD': ['dist/onnxlet.mjs', 'dist/worker.mjs', 'dist/onnxlet-scalar.wasm'],
};

const known = new Map();
function sizeOf(file) {
  if (!known.has(file)) {
    const bytes = readFileSync(path.join(here, file));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    known.set(file, {
      bytes: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes, { params }).length,
    });
  }
  return known.get(file);
}

function sum(files) {
  const total = { bytes: 0, gzip: 0, brotli: 0 };
  for (const file of files) for (const key of Object.keys(total)) total[key] += sizeOf(file)[key];
  return total;
}

function row(name, { bytes, gzip, brotli }) {
  const cells = [bytes, gzip, brotli].map((value) => value.toLocaleString('en').padStart(11));
  console.log(name.padEnd(38) + cells.join(''));
}

let failed = false;
function limit(what, size, most) {
  if (size <= most) return;
  failed = true;
  console.log(`${what} has ${size} bytes; the limit is ${most}`);
}

console.log(`${'bytes'.padStart(49)}${'gzip'.padStart(11)}${'brotli'.padStart(11)}`);
const brief = process.argv.includes('--page');
if (!brief) {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: here, encoding: 'utf8' });
  const [{ files, size, unpackedSize }] = Object.values(JSON.parse(packed));
  const groups = new Map();
  for (const { path: file } of files) {
    const name = /^dist\/types\//.test(file) ? 'dist/types/' : file;
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  for (const [name, members] of groups) row(name, sum(members));
  for (const { path: file, size: bytes } of files) limit(file, bytes, FILE_LIMIT);
  console.log(`archive: ${size.toLocaleString('en')} bytes, unpacked ${unpackedSize.toLocaleString('en')}\n`);
}
const pages = Object.entries(PAGES);
for (const [name, files] of brief ? pages.slice(0, 1) : pages) {
  row(name, sum(files));
  limit(name, sum(files).brotli, PAGE_LIMIT);
}
process.exitCode = failed ? 1 : 0;
