// A job's inputs as tensors of an engine.

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
  float16: Uint16Array,
};

/** inputs: [{name, dtype, dims, bytes}]; `Tensor` is the engine's class. */
export function feedsOf(inputs, Tensor) {
  return Object.fromEntries(
    inputs.map(({ name, dtype, dims, bytes }) => {
      const kind = arrays[dtype];
      const data = new kind(bytes.buffer, bytes.byteOffset, bytes.byteLength / kind.BYTES_PER_ELEMENT);
      return [name, new Tensor(dtype, data, dims)];
    }),
  );
}
