// Programs that run exactly the open model.
import { env } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import { requiredInputs } from '../model/types.js';
import type { ValueInfo } from '../model/types.js';
import type { Sizes } from '../run/inputs.js';
import { dimsOf } from '../run/inputs.js';
import { dtypeOf } from '../run/kinds.js';

export const LANGUAGES = ['JavaScript', 'Python', 'Pyodide'] as const;
export type Language = (typeof LANGUAGES)[number];

export function snippet(language: Language, loaded: LoadedModel, sizes: Sizes): string {
  switch (language) {
    case 'JavaScript':
      return javascript(loaded, sizes);
    case 'Python':
      return python(loaded, sizes);
    case 'Pyodide':
      return pyodide(loaded, sizes);
  }
}

const ARRAYS: Readonly<Record<string, string>> = {
  float32: 'Float32Array',
  float64: 'Float64Array',
  float16: 'Uint16Array',
  int8: 'Int8Array',
  int16: 'Int16Array',
  int32: 'Int32Array',
  int64: 'BigInt64Array',
  uint8: 'Uint8Array',
  uint16: 'Uint16Array',
  uint32: 'Uint32Array',
  uint64: 'BigUint64Array',
  bool: 'Uint8Array',
};

function javascript({ name, parsed, companions }: LoadedModel, sizes: Sizes): string {
  const inputs = requiredInputs(parsed.graph);
  const files = [...companions.keys()].map((path) => `{ path: ${quoted(path)}, data: ${quoted(path)} }`);
  const options = files.length > 0 ? `, {\n  externalData: [${files.join(', ')}],\n}` : '';
  return [
    `import { InferenceSession, Tensor } from 'onnxlet';`,
    '',
    `const session = await InferenceSession.create(${quoted(`./${name}`)}${options});`,
    `const outputs = await session.run({`,
    ...inputs.map((input) => `  ${keyed(input.name)}: ${jsTensor(input, sizes)},`),
    `});`,
    ...parsed.graph.outputs.map((output) => `console.log(outputs[${quoted(output.name)}]);`),
    '',
  ].join('\n');
}

function jsTensor(input: ValueInfo, sizes: Sizes): string {
  const dtype = dtypeOf(input);
  const dims = dimsOf(input, sizes);
  const size = dims.reduce((product, dim) => product * dim, 1);
  if (dtype === undefined) return `/* a ${input.type} */ undefined`;
  const data = dtype === 'string' ? `Array(${size}).fill('text')` : `new ${ARRAYS[dtype] ?? 'Uint8Array'}(${size})`;
  return `new Tensor('${dtype}', ${data}, [${dims.join(', ')}])`;
}

function python({ name, parsed }: LoadedModel, sizes: Sizes): string {
  return [
    'import numpy as np',
    'import onnxlet',
    '',
    `session = onnxlet.InferenceSession(${JSON.stringify(name)})`,
    'outputs = session.run(None, {',
    ...requiredInputs(parsed.graph).map((input) => `    ${JSON.stringify(input.name)}: ${pyArray(input, sizes)},`),
    '})',
    'for value, output in zip(session.get_outputs(), outputs):',
    '    print(value.name, output)',
    '',
  ].join('\n');
}

function pyArray(input: ValueInfo, sizes: Sizes): string {
  const dtype = dtypeOf(input);
  const dims = dimsOf(input, sizes);
  const shape = `(${dims.join(', ')}${dims.length === 1 ? ',' : ''})`;
  if (dtype === undefined) return `None,  # a ${input.type}`;
  return dtype === 'string'
    ? `np.full(${shape}, "text", object)`
    : `np.zeros(${shape}, np.${dtype === 'bool' ? 'bool_' : dtype})`;
}

function pyodide(loaded: LoadedModel, sizes: Sizes): string {
  const body = python(loaded, sizes)
    .replace('import numpy as np\nimport onnxlet\n', '')
    .replace(`InferenceSession(${JSON.stringify(loaded.name)})`, 'InferenceSession(model)')
    .replace('session.run(', 'await session.run_async(');
  return [
    'import micropip',
    'from pyodide.http import pyfetch',
    '',
    `await micropip.install(["numpy", "./onnxlet-${env.versions.onnxlet}-py3-none-any.whl"])`,
    'import numpy as np',
    'import onnxlet',
    '',
    `model = await (await pyfetch(${JSON.stringify(`./${loaded.name}`)})).bytes()`,
    body.trimStart(),
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function keyed(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}
