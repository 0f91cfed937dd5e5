// Writes small ONNX models, so that tests of this package need no other tool.

import { joined } from '../src/skeleton.js';

type Field = readonly [number: number, value: number | string | Uint8Array];

function varint(value: number): number[] {
  const bytes: number[] = [];
  while (value > 127) {
    bytes.push((value % 128) + 128);
    value = Math.floor(value / 128);
  }
  return [...bytes, value];
}

export function message(...fields: readonly Field[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [number, value] of fields) {
    if (typeof value === 'number') {
      parts.push(new Uint8Array([...varint(number * 8), ...varint(value)]));
    } else {
      const content = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      parts.push(new Uint8Array([...varint(number * 8 + 2), ...varint(content.length)]), content);
    }
  }
  return joined(parts);
}

/** A name, TensorProto.DataType and dimensions; a string is a symbolic dimension. */
export type Argument = readonly [name: string, dtype: number, dims: readonly (number | string)[]];

function valueInfo([name, dtype, dims]: Argument): Uint8Array {
  const shape = message(
    ...dims.map((dim): Field => [1, typeof dim === 'number' ? message([1, dim]) : message([2, dim])]),
  );
  return message([1, name], [2, message([1, message([1, dtype], [2, shape])])]);
}

export interface NodeSpec {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly domain?: string;
  readonly attributes?: readonly Uint8Array[];
}

export function intAttribute(name: string, value: number): Uint8Array {
  return message([1, name], [3, value], [20, 2]);
}

export function stringAttribute(name: string, value: string): Uint8Array {
  return message([1, name], [4, value], [20, 3]);
}

export function graphAttribute(name: string, value: Uint8Array): Uint8Array {
  return message([1, name], [6, value], [20, 5]);
}

export function graph(
  nodes: readonly NodeSpec[],
  inputs: readonly Argument[],
  outputs: readonly Argument[],
  initializers: readonly Uint8Array[] = [],
): Uint8Array {
  return message(
    ...nodes.map(({ op, inputs: from, outputs: to, domain = '', attributes = [] }): Field => [
      1,
      message(
        ...from.map((name): Field => [1, name]),
        ...to.map((name): Field => [2, name]),
        [3, `${op}_${to[0] ?? ''}`],
        [4, op],
        ...attributes.map((attribute): Field => [5, attribute]),
        [7, domain],
      ),
    ]),
    [2, 'graph'],
    ...initializers.map((tensor): Field => [5, tensor]),
    ...inputs.map((argument): Field => [11, valueInfo(argument)]),
    ...outputs.map((argument): Field => [12, valueInfo(argument)]),
  );
}

export function model(
  nodes: readonly NodeSpec[],
  inputs: readonly Argument[],
  outputs: readonly Argument[],
  initializers: readonly Uint8Array[] = [],
  opset = 17,
): Uint8Array {
  const whole = graph(nodes, inputs, outputs, initializers);
  return message([1, 9], [7, whole], [8, message([1, ''], [2, opset])]);
}

/** A float initializer whose data lie in another file. */
export function externalTensor(name: string, dims: readonly number[], location: string): Uint8Array {
  const entry = (key: string, value: string): Field => [13, message([1, key], [2, value])];
  return message(...dims.map((dim): Field => [1, dim]), [2, 1], [8, name], entry('location', location), [14, 1]);
}
