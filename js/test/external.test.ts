import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnnxletError } from '../src/errors.js';
import { externalSource, insideFolder } from '../src/external.js';

const MODEL = 'https://example.org/models/a/model.onnx?v=1';

test('a data file lies beside the model', () => {
  assert.equal(insideFolder('w.bin', MODEL), 'https://example.org/models/a/w.bin');
  assert.equal(insideFolder('./data/w 1.bin', MODEL), 'https://example.org/models/a/data/w%201.bin');
});

test('a name that leads out of the folder is refused', () => {
  const names = [
    '../w.bin',
    'x/../../w',
    '/etc/passwd',
    '\\\\host\\share',
    'C:\\w',
    '..\\w',
    'https://evil.org/w',
    'a\0b',
    '%2e%2e/w',
  ];
  for (const name of names) {
    try {
      const url = insideFolder(name, MODEL);
      assert.ok(url.startsWith('https://example.org/models/a/') && !url.includes('..'), `${name} gives ${url}`);
    } catch (error) {
      assert.ok(error instanceof OnnxletError && error.code === 'INVALID_GRAPH', name);
    }
  }
  assert.throws(() => insideFolder('../w.bin', MODEL), /outside its own folder/);
});

test('what the caller gives goes first; bytes alone have no folder', async () => {
  const given = { kind: 'bytes', bytes: new Uint8Array(1) } as const;
  const model = { kind: 'bytes', bytes: new Uint8Array(1) } as const;
  assert.equal(await externalSource('./w.bin', { model, external: { 'w.bin': given } }), given);
  await assert.rejects(externalSource('w.bin', { model, external: {} }), /"w.bin", which was not given/);
});
