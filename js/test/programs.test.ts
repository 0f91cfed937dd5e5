// Programs written for onnxruntime-web: they compile against its declarations, and with the import changed they compile
// against ours and run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { model } from './onnx-writer.js';

const js = path.resolve('.');
const programs = path.join(js, 'test', 'programs');
const skip = existsSync(path.join(js, 'dist', 'types')) ? false : 'js/dist is not built; run the build first';
const folder = mkdtempSync(path.join(os.tmpdir(), 'onnxlet-programs-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function compile(project: string): void {
  try {
    const tsc = path.join(js, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    assert.fail((error as { stdout?: string }).stdout ?? String(error));
  }
}

test('they compile against onnxruntime-common', () => {
  compile(programs);
});

test('with the import changed they compile, and their JavaScript runs', { skip }, async () => {
  cpSync(programs, folder, { recursive: true });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    writeFileSync(path.join(folder, file), text.replaceAll("'onnxruntime-common'", "'onnxlet'"));
  }
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(js, path.join(folder, 'node_modules', 'onnxlet'));
  const project = path.join(folder, 'tsconfig.json');
  const config = JSON.parse(readFileSync(project, 'utf8')) as { compilerOptions: Record<string, unknown> };
  Object.assign(config.compilerOptions, { noEmit: false, outDir: 'out' });
  writeFileSync(project, JSON.stringify(config));
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  compile(folder);
  if (!existsSync(path.join(js, 'dist', 'onnxlet.wasm'))) return;
  await runAll();
});

async function runAll(): Promise<void> {
  const FLOAT = 1;
  const bytes = model(
    [
      { op: 'Add', inputs: ['x', 'x'], outputs: ['y'] },
      { op: 'Neg', inputs: ['x'], outputs: ['z'] },
    ],
    [['x', FLOAT, ['n']]],
    [
      ['y', FLOAT, ['n']],
      ['z', FLOAT, ['n']],
    ],
  );
  const file = path.join(folder, 'model.onnx');
  writeFileSync(file, bytes);
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (text: string) => warnings.push(text);
  try {
    const sessions = (await run('session', bytes, file)) as unknown[];
    for (let index = 0; index < 32; index += 4) {
      assert.deepEqual(sessions.slice(index, index + 4), [[2, 4], ['z'], [2, 4], 'y,z']);
    }
    assert.deepEqual(sessions.slice(32), [['y', 'z'], 'x: float32[n]', 'y: float32[n]; z: float32[n]']);
    assert.deepEqual(await run('tensors'), {
      count: 42,
      length: 2,
      location: 'cpu',
      sums: [6, 4, 1n, 1],
      unsupported: [
        'Tensor: fromGpuBuffer needs a GPUBuffer; got Object',
        'Tensor: the engine runs on the CPU and cannot read an MLTensor; make the tensor from an array',
        'Tensor: the elements are in memory, not in a GPU buffer',
        'Tensor: the elements are in memory, not in an MLTensor',
      ],
    });
    warnings.length = 0;
    for (let time = 0; time < 2; time++) assert.deepEqual(await run('options', bytes), ['string', 2, 4]);
  } finally {
    console.warn = warn;
  }
  const once = (pattern: RegExp) => {
    assert.equal(warnings.filter((text) => pattern.test(text)).length, 1, `${pattern} in\n${warnings.join('\n')}`);
  };
  once(/session option enableCpuMemArena has no effect/);
  once(/session option executionMode has no effect/);
  once(/session option extra has no effect/);
  once(/WebGPU was asked for and wasm is used: /);
  once(/execution provider coreml/);
  assert.ok(!warnings.some((text) => text.includes('preferredOutputLocation')), 'it asks for what is done anyway');
  once(/wasmPaths names files of onnxruntime-web \(.*\); onnxlet uses its own/);
}

async function run(name: string, ...rest: unknown[]): Promise<unknown> {
  const program = (await import(pathToFileURL(path.join(folder, 'out', `${name}.js`)).href)) as {
    main: (...args: unknown[]) => Promise<unknown>;
  };
  return program.main(...rest);
}
