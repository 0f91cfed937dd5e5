// Tensors in JSON: nested lists, or an object with dtype, shape and data, which is also what runners write.
import type { Tensor } from 'onnxlet';
import type { Element } from './elements.js';
import { elementsOf, isTensor, makeTensor } from './elements.js';
import type { Interface } from './interface.js';
import { Problem } from './interface.js';

/** What a session gives for an output. */
export type Value = Tensor | Value[] | Map<string | number | bigint, string | number | bigint> | null;

/** @param what names the value in messages */
export function parseJsonTensor(text: string, dtype: string, what: string): Tensor {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new Problem(`${what} is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return tensorOfLists(document, dtype, what);
}

export function tensorOfLists(document: unknown, dtype: string, what: string): Tensor {
  if (isObject(document)) return tensorOfObject(document, dtype, what);
  const shape: number[] = [];
  for (let level = document; Array.isArray(level); level = level[0]) shape.push(level.length);
  const elements: Element[] = [];
  collect(document, shape, 0, elements, what);
  return makeTensor(dtype, shape, elements, what);
}

function tensorOfObject(document: Record<string, unknown>, dtype: string, what: string): Tensor {
  const { shape, data } = document;
  if (!Array.isArray(shape) || !Array.isArray(data)) {
    throw new Problem(`${what} takes nested lists, or an object with "shape" and "data"`);
  }
  const dims = shape.map(Number);
  const size = dims.reduce((product, dim) => product * dim, 1);
  if (size !== data.length) {
    throw new Problem(`${what}: shape [${dims.join(', ')}] needs ${size} values; data has ${data.length}`);
  }
  const elements: Element[] = [];
  collect(data, [data.length], 0, elements, what);
  return makeTensor(dtype, dims, elements, what);
}

function collect(value: unknown, shape: readonly number[], depth: number, into: Element[], what: string): void {
  if (depth < shape.length) {
    if (!Array.isArray(value) || value.length !== shape[depth]) {
      throw new Problem(`${what} has lists of different lengths or depths; a tensor needs equal ones`);
    }
    for (const item of value) collect(item, shape, depth + 1, into, what);
    return;
  }
  if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean') {
    throw new Problem(
      Array.isArray(value)
        ? `${what} has lists of different lengths or depths; a tensor needs equal ones`
        : `${what} takes numbers, true, false and texts in lists; ${JSON.stringify(value)} given`,
    );
  }
  into.push(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All outputs, as every runner writes them. Ends with a line feed. */
export function jsonOfOutputs(asked: Interface, values: Readonly<Record<string, Value>>): string {
  const members = asked.outputs.map(({ name }) => `${JSON.stringify(name)}: ${jsonOf(values[name] ?? null)}`);
  return `{"outputs": {${members.join(', ')}}}\n`;
}

/** One output as it stands in JSON. Numbers have the digits that give them back exactly. */
export function jsonOf(value: Value): string {
  if (isTensor(value)) {
    const data = elementsOf(value).map(jsonOfElement).join(', ');
    return `{"dtype": ${JSON.stringify(value.type)}, "shape": [${value.dims.join(', ')}], "data": [${data}]}`;
  }
  if (Array.isArray(value)) {
    const maps = value.every((item) => item instanceof Map);
    const data = value.map(jsonOf).join(', ');
    return `{"dtype": "${maps ? 'map' : 'sequence'}", "shape": [${value.length}], "data": [${data}]}`;
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${JSON.stringify(String(key))}: ${jsonOfElement(item)}`);
    return `{${entries.join(', ')}}`;
  }
  return 'null';
}

function jsonOfElement(element: Element): string {
  if (typeof element === 'number') {
    if (!Number.isFinite(element)) return `"${element}"`;
    return Object.is(element, -0) ? '-0.0' : String(element);
  }
  return typeof element === 'bigint' ? element.toString() : JSON.stringify(element);
}
