// Between what users hold (Tensor, arrays, Map) and what the engine is sent.
import type { DataType, NumericType } from './dtypes.js';
import { arrayOf, typeOfOnnxName } from './dtypes.js';
import { OnnxletError } from './errors.js';
import type { WireValue } from './protocol.js';
import { keptOf, Tensor } from './tensor.js';

export type MapKey = string | bigint | number;
/** A tensor, a sequence as an array, a map as a Map, an absent optional as null. */
export type AnyValue = Tensor | AnyValue[] | Map<MapKey, MapKey> | null;

/** @param declared the input's type in the model, such as `seq(tensor(float))`: needed for maps, whose types JS does not show */
export function toWire(value: unknown, declared: string, name: string): WireValue {
  if (value === null) return { kind: 'none' };
  if (value instanceof Tensor) return tensorToWire(value);
  const inner = /^(?:seq|optional)\((.*)\)$/.exec(declared);
  if (Array.isArray(value)) {
    const item = declared.startsWith('optional(') ? inner?.[1] : declared;
    const element = /^seq\((.*)\)$/.exec(item ?? '')?.[1] ?? '';
    return { kind: 'sequence', items: value.map((entry, index) => toWire(entry, element, `${name}[${index}]`)) };
  }
  if (value instanceof Map) return mapToWire(value as Map<MapKey, MapKey>, declared, name);
  if (isForeignTensor(value)) {
    return tensorToWire(new Tensor(value.type, value.data as Uint8Array, value.dims));
  }
  throw new OnnxletError(
    'INVALID_ARGUMENT',
    `input ${JSON.stringify(name)} is declared ${declared} and must be a Tensor, an array, a Map or null; ` +
      `got ${value === undefined ? 'undefined' : typeof value}`,
  );
}

export function fromWire(wire: WireValue): AnyValue {
  switch (wire.kind) {
    case 'none':
      return null;
    case 'kept':
    case 'gpu':
      throw new OnnxletError('INTERNAL', 'a tensor in the engine came without its engine');
    case 'sequence':
      return wire.items.map(fromWire);
    case 'map': {
      const keys = elementsOf(wire.keys);
      const values = elementsOf(wire.values);
      return new Map(keys.map((key, index) => [key, values[index] ?? 0]));
    }
    case 'tensor':
      if (!(wire.data instanceof Uint8Array)) return new Tensor('string', wire.data, wire.dims);
      return new Tensor(wire.type, arrayOf(wire.type as NumericType, wire.data), wire.dims);
  }
}

function tensorToWire(tensor: Tensor): WireValue {
  const { type, dims } = tensor;
  const kept = keptOf(tensor);
  if (kept?.buffer) return { kind: 'gpu', buffer: kept.buffer, id: kept.id, type, dims };
  if (kept?.id !== undefined) return { kind: 'kept', id: kept.id, type, dims };
  const { data } = tensor;
  if (Array.isArray(data)) return { kind: 'tensor', type, dims, data };
  return { kind: 'tensor', type, dims, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

function mapToWire(map: Map<MapKey, MapKey>, declared: string, name: string): WireValue {
  const types = /^map\((\w+),\s*tensor\((\w+)\)\)$/.exec(declared);
  const keyType = typeOfOnnxName(types?.[1] ?? '');
  const valueType = typeOfOnnxName(types?.[2] ?? '');
  if (!keyType || !valueType) {
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `input ${JSON.stringify(name)} is declared ${declared}, which is no Map`,
    );
  }
  return { kind: 'map', keys: vector(keyType, [...map.keys()]), values: vector(valueType, [...map.values()]) };
}

function vector(type: DataType, elements: MapKey[]): WireValue {
  return tensorToWire(new Tensor(type, elements as number[], [elements.length]));
}

function elementsOf(wire: WireValue): MapKey[] {
  const value = fromWire(wire);
  if (!(value instanceof Tensor)) throw new OnnxletError('INTERNAL', 'the keys and values of a map must be tensors');
  return Array.from(value.data as ArrayLike<MapKey>);
}

// Tensors of another copy of this package, or of onnxruntime-common itself.
function isForeignTensor(value: unknown): value is { type: DataType; data: unknown; dims: readonly number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && 'data' in value && 'dims' in value;
}
