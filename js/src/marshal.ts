// Values into and out of engine memory.
import type { Pointer } from './abi.gen.js';
import { Kind } from './abi.gen.js';
import { TYPES, typeOfCode } from './dtypes.js';
import { OnnxletError } from './errors.js';
import type { EngineModule } from './module.js';
import type { WireValue } from './protocol.js';

/** Makes the value in the engine; the caller frees it. */
export function pushValue(engine: EngineModule, value: WireValue): Pointer {
  switch (value.kind) {
    case 'none':
      return engine.checkPointer(engine.abi.ol_optional_empty());
    case 'kept':
    case 'gpu':
      throw new OnnxletError(
        'INVALID_ARGUMENT',
        'a tensor in the engine or on the GPU must be an input, not part of one',
      );
    case 'tensor':
      return pushTensor(engine, value);
    case 'sequence':
      return pushSequence(engine, value.items);
    case 'map':
      return withValue(engine, value.keys, (keys) =>
        withValue(engine, value.values, (values) => engine.checkPointer(engine.abi.ol_map_new(keys, values))),
      );
  }
}

/** Makes the value for the time of one call. */
export function withValue<T>(engine: EngineModule, value: WireValue, use: (pointer: Pointer) => T): T {
  const pointer = pushValue(engine, value);
  try {
    return use(pointer);
  } finally {
    if (!engine.lost) engine.abi.ol_value_free(pointer);
  }
}

/** Copies a value out of the engine and frees it. */
export function takeValue(engine: EngineModule, pointer: Pointer): WireValue {
  try {
    return readValue(engine, pointer);
  } finally {
    if (!engine.lost) engine.abi.ol_value_free(pointer);
  }
}

/** Whether a value can stay in the engine: a tensor whose elements are bytes. */
export function keptValue(
  engine: EngineModule,
  pointer: Pointer,
  id: number,
): Extract<WireValue, { kind: 'kept' }> | undefined {
  const { abi } = engine;
  if (abi.ol_value_kind(pointer) !== Kind.TENSOR) return undefined;
  const type = typeOfCode(abi.ol_tensor_dtype(pointer));
  return type && type !== 'string' ? { kind: 'kept', id, type, dims: dimsOf(engine, pointer) } : undefined;
}

type WireTensor = Extract<WireValue, { kind: 'tensor' }>;

function pushTensor(engine: EngineModule, value: WireTensor): Pointer {
  const { abi } = engine;
  const { dims, data } = value;
  const tensor = withShape(engine, dims, (shape) => abi.ol_tensor_new(TYPES[value.type].code, dims.length, shape));
  try {
    if (data instanceof Uint8Array) {
      if (data.length > 0) engine.bytes.set(data, abi.ol_tensor_data(tensor));
    } else {
      data.forEach((text, index) => {
        engine.withText(text, (pointer, length) =>
          engine.check(abi.ol_tensor_set_string(tensor, index, pointer, length)),
        );
      });
    }
  } catch (error) {
    if (!engine.lost) abi.ol_value_free(tensor);
    throw error;
  }
  return tensor;
}

/** Makes a value by a function that reads a shape. */
function withShape(engine: EngineModule, dims: readonly number[], make: (shape: Pointer) => Pointer): Pointer {
  const shape = engine.alloc(Math.max(dims.length, 1) * 8, 'a shape');
  try {
    const view = new DataView(engine.memory.buffer, shape);
    dims.forEach((dim, index) => {
      view.setBigInt64(index * 8, BigInt(dim), true);
    });
    return engine.checkPointer(make(shape));
  } finally {
    if (!engine.lost) engine.abi.ol_free(shape);
  }
}

type GpuValue = Extract<WireValue, { kind: 'gpu' }>;

/** A tensor in memory of the session's device, which its commands call `id`; the caller frees it. */
export function pushGpuTensor(engine: EngineModule, session: Pointer, { type, dims }: GpuValue, id: number): Pointer {
  return withShape(engine, dims, (shape) =>
    engine.abi.ol_tensor_on_device(session, TYPES[type].code, dims.length, shape, id),
  );
}

function pushSequence(engine: EngineModule, items: readonly WireValue[]): Pointer {
  const { abi } = engine;
  const sequence = engine.checkPointer(abi.ol_sequence_new());
  try {
    for (const item of items)
      withValue(engine, item, (pointer) => engine.check(abi.ol_sequence_push(sequence, pointer)));
  } catch (error) {
    if (!engine.lost) abi.ol_value_free(sequence);
    throw error;
  }
  return sequence;
}

/** Copies a value out of the engine, where it stays. */
export function readValue(engine: EngineModule, pointer: Pointer): WireValue {
  const { abi } = engine;
  switch (abi.ol_value_kind(pointer)) {
    case Kind.TENSOR:
      return readTensor(engine, pointer);
    case Kind.SEQUENCE: {
      const items: WireValue[] = [];
      const size = abi.ol_sequence_size(pointer);
      for (let index = 0; index < size; index++) {
        items.push(takeValue(engine, engine.checkPointer(abi.ol_sequence_item(pointer, index))));
      }
      return { kind: 'sequence', items };
    }
    case Kind.MAP:
      return {
        kind: 'map',
        keys: takeValue(engine, engine.checkPointer(abi.ol_map_keys(pointer))),
        values: takeValue(engine, engine.checkPointer(abi.ol_map_values(pointer))),
      };
    default:
      return { kind: 'none' };
  }
}

function readTensor(engine: EngineModule, tensor: Pointer): WireValue {
  const { abi } = engine;
  const code = abi.ol_tensor_dtype(tensor);
  const type = typeOfCode(code);
  if (!type) throw new OnnxletError('INTERNAL', `the engine returned a tensor of unknown type ${code}`);
  const dims = dimsOf(engine, tensor);
  if (type === 'string') {
    const count = dims.reduce((product, dim) => product * dim, 1);
    const data: string[] = [];
    for (let index = 0; index < count; index++) {
      const length = abi.ol_tensor_string_length(tensor, index);
      data.push(engine.text(abi.ol_tensor_string(tensor, index), length));
    }
    return { kind: 'tensor', type, dims, data };
  }
  const length = abi.ol_tensor_bytes(tensor);
  const data = length === 0 ? new Uint8Array(0) : engine.slice(abi.ol_tensor_data(tensor), length);
  return { kind: 'tensor', type, dims, data };
}

function dimsOf({ abi, memory }: EngineModule, tensor: Pointer): number[] {
  const rank = abi.ol_tensor_rank(tensor);
  if (rank === 0) return [];
  const view = new DataView(memory.buffer, abi.ol_tensor_dims(tensor));
  return Array.from({ length: rank }, (_, index) => Number(view.getBigInt64(index * 8, true)));
}
