import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { compileBytes, compileUrl } from '../src/compile.js';
import { OnnxletError } from '../src/errors.js';
import type { ErrorCode } from '../src/errors.js';
import { checkIntegrity, fetchFile } from '../src/fetching.js';
import { instantiate } from '../src/module.js';
import { serveTests } from './local-server.js';
import { versionOnlyEngine } from './wasm-writer.js';

const HTML = '<!doctype html><title>Not found</title>';
const server = serveTests((request, response) => {
  const routes: Record<string, [number, string, string | Uint8Array]> = {
    '/html': [200, 'text/html; charset=utf-8', HTML],
    '/html-as-wasm': [200, 'application/octet-stream', HTML],
    '/broken.wasm': [200, 'application/wasm', 'not wasm at all'],
    '/other.wasm': [200, 'application/wasm', versionOnlyEngine(42, '9.9.9')],
    '/other-untyped.wasm': [200, 'application/octet-stream', versionOnlyEngine(42, '9.9.9')],
    '/forbidden': [403, 'text/plain', 'no'],
  };
  const [status, type, body] = routes[request.url ?? ''] ?? [404, 'text/plain', 'nothing here'];
  response.writeHead(status, { 'content-type': type }).end(body);
});

async function rejects(promise: Promise<unknown>, code: ErrorCode, message: RegExp): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof OnnxletError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}

test('a page instead of the engine is named as such', async () => {
  await rejects(compileUrl(`${server.address}/html`), 'LOAD_FAILED', /got text\/html from http:.*\/html/);
  await rejects(compileUrl(`${server.address}/html-as-wasm`), 'LOAD_FAILED', /got text\/html from/);
});

test('HTTP errors carry status and address', async () => {
  await rejects(
    fetchFile(`${server.address}/nowhere`, 'the model'),
    'NO_SUCH_FILE',
    /the model.*404 Not Found for .*nowhere/,
  );
  await rejects(fetchFile(`${server.address}/forbidden`, 'the model'), 'LOAD_FAILED', /403/);
  await rejects(fetchFile('http://127.0.0.1:1/x', 'the model'), 'LOAD_FAILED', /could not fetch the model/);
});

test('an aborted fetch is ABORTED and keeps the reason', async () => {
  const reason = new Error('enough');
  await assert.rejects(fetchFile(`${server.address}/html`, 'x', AbortSignal.abort(reason)), {
    code: 'ABORTED',
    cause: reason,
  });
});

test('bytes that are no WebAssembly', async () => {
  await rejects(compileUrl(`${server.address}/broken.wasm`), 'LOAD_FAILED', /does not compile/);
  await rejects(compileBytes(new TextEncoder().encode('hello'), 'x'), 'LOAD_FAILED', /begins with "hello"/);
});

test('versions that do not belong together are both named', async () => {
  for (const file of ['other.wasm', 'other-untyped.wasm']) {
    const engine = await compileUrl(`${server.address}/${file}`);
    await rejects(
      instantiate(engine),
      'VERSION_MISMATCH',
      /JavaScript of onnxlet .* \(ABI \d+\).*WebAssembly of onnxlet 9\.9\.9 \(ABI 42\)/,
    );
  }
});

test('a failed download is tried again', async () => {
  await assert.rejects(compileUrl(`${server.address}/nowhere`));
  await rejects(compileUrl(`${server.address}/nowhere`), 'NO_SUCH_FILE', /404/);
});

test('integrity accepts the right hash and names both otherwise', async () => {
  const bytes = new TextEncoder().encode('model');
  const right = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
  await checkIntegrity(bytes, right, 'm');
  await checkIntegrity(bytes, `sha256-AAAA ${right}`, 'm');
  await rejects(checkIntegrity(bytes, 'sha256-AAAA', 'm'), 'LOAD_FAILED', /expected sha256-AAAA, got sha256-/);
  await rejects(checkIntegrity(bytes, 'md5-AAAA', 'm'), 'INVALID_ARGUMENT', /sha384-<base64>/);
});
