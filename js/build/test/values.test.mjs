// values.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// ../src/dtypes.ts
var half = globalThis.Float16Array ?? Uint16Array;
function row(code, onnx, bits, array) {
  return { code, onnx, bits, array };
}
var TYPES = {
  float32: row(1, "float", 32, Float32Array),
  uint8: row(2, "uint8", 8, Uint8Array),
  int8: row(3, "int8", 8, Int8Array),
  uint16: row(4, "uint16", 16, Uint16Array),
  int16: row(5, "int16", 16, Int16Array),
  int32: row(6, "int32", 32, Int32Array),
  int64: row(7, "int64", 64, BigInt64Array),
  string: row(8, "string", 0, null),
  bool: row(9, "bool", 8, Uint8Array),
  float16: row(10, "float16", 16, half),
  float64: row(11, "double", 64, Float64Array),
  uint32: row(12, "uint32", 32, Uint32Array),
  uint64: row(13, "uint64", 64, BigUint64Array),
  complex64: row(14, "complex64", 64, Float32Array),
  complex128: row(15, "complex128", 128, Float64Array),
  bfloat16: row(16, "bfloat16", 16, Uint16Array),
  float8e4m3fn: row(17, "float8e4m3fn", 8, Uint8Array),
  float8e4m3fnuz: row(18, "float8e4m3fnuz", 8, Uint8Array),
  float8e5m2: row(19, "float8e5m2", 8, Uint8Array),
  float8e5m2fnuz: row(20, "float8e5m2fnuz", 8, Uint8Array),
  uint4: row(21, "uint4", 4, Uint8Array),
  int4: row(22, "int4", 4, Uint8Array),
  float4e2m1: row(23, "float4e2m1", 4, Uint8Array),
  float8e8m0: row(24, "float8e8m0", 8, Uint8Array),
  uint2: row(25, "uint2", 2, Uint8Array),
  int2: row(26, "int2", 2, Uint8Array),
  float6e2m3: row(27, "float6e2m3", 6, Uint8Array),
  float6e3m2: row(28, "float6e3m2", 6, Uint8Array)
};
var ROWS = Object.entries(TYPES);
var BY_CODE = new Map(ROWS.map(([type, info]) => [info.code, type]));
var BY_ONNX = new Map(ROWS.map(([type, info]) => [info.onnx, type]));
function typeOfOnnxName(name) {
  return BY_ONNX.get(name);
}
function arrayLength(type, size) {
  const info = TYPES[type];
  const bytes = info.array?.BYTES_PER_ELEMENT ?? 1;
  return Math.ceil(size * info.bits / (8 * bytes));
}
function arrayOf(type, bytes) {
  const constructor = TYPES[type].array ?? Uint8Array;
  const width = constructor.BYTES_PER_ELEMENT;
  return new constructor(bytes.buffer, bytes.byteOffset, bytes.byteLength / width);
}

// ../src/errors.ts
var OnnxletError = class extends Error {
  name = "OnnxletError";
  code;
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
};

// ../src/tensor.ts
var Tensor = class _Tensor {
  type;
  dims;
  size;
  #data;
  constructor(first, second, third) {
    const given = typeof first === "string";
    const data = given ? second : first;
    const dims = given ? third : second;
    this.type = given ? first : typeOfData(first);
    this.#data = convert(this.type, data);
    this.dims = dims === void 0 ? [lengthOf(this.type, this.#data)] : checkedDims(dims);
    this.size = this.dims.reduce((product, dim) => product * dim, 1);
    const expected = this.type === "string" ? this.size : arrayLength(this.type, this.size);
    if (this.#data.length !== expected) {
      throw invalid(
        `a ${this.type} tensor of shape [${this.dims.join(", ")}] needs ${expected} array elements, the data has ${this.#data.length}`
      );
    }
  }
  /** The elements. Packed types (int4, uint2, ...) give the packed bytes. */
  get data() {
    if (this.#data === null) throw invalid("the tensor is disposed");
    return this.#data;
  }
  /** Where the elements are: `cpu`, or `none` once disposed. */
  get location() {
    return this.#data === null ? "none" : "cpu";
  }
  /** The elements, as `data` gives them; present because tensors on other devices can only be read this way. */
  // eslint-disable-next-line @typescript-eslint/require-await -- a rejected promise, not an exception, when disposed
  async getData(releaseData = false) {
    const data = this.data;
    if (releaseData) this.dispose();
    return data;
  }
  dispose() {
    this.#data = null;
  }
  /** The same elements under another shape of the same size. */
  reshape(dims) {
    return new _Tensor(this.type, this.data, dims);
  }
};
function invalid(message) {
  return new OnnxletError("INVALID_ARGUMENT", `Tensor: ${message}`);
}
function checkedDims(dims) {
  for (const dim of dims) {
    if (!Number.isSafeInteger(dim) || dim < 0) {
      throw invalid(`dimensions must be integers from 0 up; got [${dims.join(", ")}]`);
    }
  }
  return [...dims];
}
var INFERRED = /* @__PURE__ */ new Map([
  ["Float32Array", "float32"],
  ["Float64Array", "float64"],
  ["Float16Array", "float16"],
  ["Uint8Array", "uint8"],
  ["Uint8ClampedArray", "uint8"],
  ["Int8Array", "int8"],
  ["Uint16Array", "uint16"],
  ["Int16Array", "int16"],
  ["Int32Array", "int32"],
  ["Uint32Array", "uint32"],
  ["BigInt64Array", "int64"],
  ["BigUint64Array", "uint64"]
]);
function tagOf(data) {
  return Object.prototype.toString.call(data).slice(8, -1);
}
function typeOfData(data) {
  if (Array.isArray(data)) {
    if (data.length === 0) throw invalid("the element type cannot be seen from an empty array; name it");
    if (typeof data[0] === "string") return "string";
    if (typeof data[0] === "boolean") return "bool";
    throw invalid("the element type cannot be seen from an array of numbers; name it or use a typed array");
  }
  const type = INFERRED.get(tagOf(data));
  if (!type) throw invalid(`data must be an array or a typed array; got ${describe(data)}`);
  return type;
}
function convert(type, data) {
  if (!Object.hasOwn(TYPES, type)) throw invalid(`there is no element type ${JSON.stringify(type)}`);
  if (type === "string") return convertStrings(data);
  const tag = tagOf(data);
  const constructor = TYPES[type].array;
  if (tag === constructor.name) return data;
  if (tag === "Uint8ClampedArray" && type === "uint8") return viewAs(Uint8Array, data);
  if (type === "float16" && tag === "Uint16Array") return viewAs(constructor, data);
  if (!Array.isArray(data)) {
    throw invalid(`data of type ${type} must be a ${constructor.name} or an array; got ${describe(data)}`);
  }
  if (type === "float16" && constructor.name === "Uint16Array") {
    throw invalid("this JavaScript engine has no Float16Array: give float16 data as the bits in a Uint16Array");
  }
  try {
    if (type === "int64" || type === "uint64") {
      return new constructor(data.map((value) => BigInt(value)));
    }
    return new constructor(data);
  } catch (cause) {
    throw new OnnxletError("INVALID_ARGUMENT", `Tensor: the array holds something that is no ${type}`, { cause });
  }
}
function convertStrings(data) {
  if (!Array.isArray(data)) throw invalid(`data of type string must be an array of strings; got ${describe(data)}`);
  const stray = data.findIndex((item) => typeof item !== "string");
  if (stray >= 0) throw invalid(`element ${stray} of a string tensor is ${describe(data[stray])}`);
  return data;
}
function viewAs(constructor, data) {
  const Target = constructor;
  return new Target(data.buffer, data.byteOffset, data.length);
}
function lengthOf(type, data) {
  if (type === "string") return data.length;
  const perElement = TYPES[type].bits / (8 * data.BYTES_PER_ELEMENT);
  return Math.floor(data.length / perElement);
}
function describe(value) {
  if (value === null || value === void 0) return String(value);
  return typeof value === "object" ? tagOf(value) : typeof value;
}

// ../src/transfer.ts
function buffersOf(values) {
  const found = /* @__PURE__ */ new Set();
  const visit = (value) => {
    if (value.kind === "sequence") value.items.forEach(visit);
    if (value.kind === "map") [value.keys, value.values].forEach(visit);
    if (value.kind === "tensor" && value.data instanceof Uint8Array && value.data.buffer instanceof ArrayBuffer) {
      found.add(value.data.buffer);
    }
  };
  values.forEach(visit);
  return [...found];
}
function detached(value) {
  switch (value.kind) {
    case "none":
      return value;
    case "tensor":
      return value.data instanceof Uint8Array ? { ...value, data: new Uint8Array(value.data) } : value;
    case "sequence":
      return { kind: "sequence", items: value.items.map(detached) };
    case "map":
      return { kind: "map", keys: detached(value.keys), values: detached(value.values) };
  }
}

// ../src/values.ts
function toWire(value, declared, name) {
  if (value === null) return { kind: "none" };
  if (value instanceof Tensor) return tensorToWire(value);
  const inner = /^(?:seq|optional)\((.*)\)$/.exec(declared);
  if (Array.isArray(value)) {
    const item = declared.startsWith("optional(") ? inner?.[1] : declared;
    const element = /^seq\((.*)\)$/.exec(item ?? "")?.[1] ?? "";
    return { kind: "sequence", items: value.map((entry, index) => toWire(entry, element, `${name}[${index}]`)) };
  }
  if (value instanceof Map) return mapToWire(value, declared, name);
  if (isForeignTensor(value)) {
    return tensorToWire(new Tensor(value.type, value.data, value.dims));
  }
  throw new OnnxletError(
    "INVALID_ARGUMENT",
    `input ${JSON.stringify(name)} is declared ${declared} and must be a Tensor, an array, a Map or null; got ${value === void 0 ? "undefined" : typeof value}`
  );
}
function fromWire(wire) {
  switch (wire.kind) {
    case "none":
      return null;
    case "sequence":
      return wire.items.map(fromWire);
    case "map": {
      const keys = elementsOf(wire.keys);
      const values = elementsOf(wire.values);
      return new Map(keys.map((key, index) => [key, values[index] ?? 0]));
    }
    case "tensor":
      if (!(wire.data instanceof Uint8Array)) return new Tensor("string", wire.data, wire.dims);
      return new Tensor(wire.type, arrayOf(wire.type, wire.data), wire.dims);
  }
}
function tensorToWire(tensor) {
  const { type, dims, data } = tensor;
  if (Array.isArray(data)) return { kind: "tensor", type, dims, data };
  return { kind: "tensor", type, dims, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
function mapToWire(map, declared, name) {
  const types = /^map\((\w+),\s*tensor\((\w+)\)\)$/.exec(declared);
  const keyType = typeOfOnnxName(types?.[1] ?? "");
  const valueType = typeOfOnnxName(types?.[2] ?? "");
  if (!keyType || !valueType) {
    throw new OnnxletError(
      "INVALID_ARGUMENT",
      `input ${JSON.stringify(name)} is declared ${declared}, which is no Map`
    );
  }
  return { kind: "map", keys: vector(keyType, [...map.keys()]), values: vector(valueType, [...map.values()]) };
}
function vector(type, elements) {
  return tensorToWire(new Tensor(type, elements, [elements.length]));
}
function elementsOf(wire) {
  const value = fromWire(wire);
  if (!(value instanceof Tensor)) throw new OnnxletError("INTERNAL", "the keys and values of a map must be tensors");
  return Array.from(value.data);
}
function isForeignTensor(value) {
  return typeof value === "object" && value !== null && "type" in value && "data" in value && "dims" in value;
}

// values.test.ts
test("tensors keep their bytes, views only their part", () => {
  const data = new Float32Array([0, 1, 2, 3]).subarray(1, 3);
  const wire = toWire(new Tensor("float32", data, [2]), "tensor(float)", "x");
  assert.ok(wire.kind === "tensor" && wire.data instanceof Uint8Array);
  assert.equal(wire.data.byteLength, 8);
  const copy = detached(wire);
  assert.ok(copy.kind === "tensor" && copy.data instanceof Uint8Array);
  assert.equal(copy.data.buffer.byteLength, 8);
  assert.deepEqual(fromWire(copy).data, new Float32Array([1, 2]));
  assert.deepEqual(buffersOf([copy]), [copy.data.buffer]);
});
test("sequences, optionals and maps", () => {
  const item = new Tensor("int32", [1], [1]);
  const sequence = toWire([item, item], "seq(tensor(int32))", "s");
  assert.equal(sequence.kind === "sequence" && sequence.items.length, 2);
  assert.equal(fromWire(sequence).length, 2);
  assert.deepEqual(toWire(null, "optional(tensor(int32))", "o"), { kind: "none" });
  const map = /* @__PURE__ */ new Map([
    [1n, 0.5],
    [2n, 0.25]
  ]);
  assert.deepEqual(fromWire(toWire(map, "map(int64,tensor(float))", "m")), map);
  const words = /* @__PURE__ */ new Map([["a", 1n]]);
  assert.deepEqual(fromWire(toWire([words], "seq(map(string,tensor(int64)))", "m")), [words]);
});
test("tensors of other packages are accepted by their shape", () => {
  const foreign = { type: "float32", data: new Float32Array(2), dims: [2], size: 2 };
  assert.equal(toWire(foreign, "tensor(float)", "x").kind, "tensor");
});
test("what is no value is refused with the name of the input", () => {
  assert.throws(() => toWire(3, "tensor(float)", "x"), /input "x" is declared tensor\(float\).*got number/);
  assert.throws(() => toWire(/* @__PURE__ */ new Map(), "tensor(float)", "x"), /no Map/);
});
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiLi4vLi4vdGVzdC92YWx1ZXMudGVzdC50cyIsICIuLi8uLi9zcmMvZHR5cGVzLnRzIiwgIi4uLy4uL3NyYy9lcnJvcnMudHMiLCAiLi4vLi4vc3JjL3RlbnNvci50cyIsICIuLi8uLi9zcmMvdHJhbnNmZXIudHMiLCAiLi4vLi4vc3JjL3ZhbHVlcy50cyJdLAogICJzb3VyY2VzQ29udGVudCI6IFsiaW1wb3J0IGFzc2VydCBmcm9tICdub2RlOmFzc2VydC9zdHJpY3QnO1xuaW1wb3J0IHsgdGVzdCB9IGZyb20gJ25vZGU6dGVzdCc7XG5pbXBvcnQgeyBUZW5zb3IgfSBmcm9tICcuLi9zcmMvdGVuc29yLmpzJztcbmltcG9ydCB7IGJ1ZmZlcnNPZiwgZGV0YWNoZWQgfSBmcm9tICcuLi9zcmMvdHJhbnNmZXIuanMnO1xuaW1wb3J0IHsgZnJvbVdpcmUsIHRvV2lyZSB9IGZyb20gJy4uL3NyYy92YWx1ZXMuanMnO1xuXG50ZXN0KCd0ZW5zb3JzIGtlZXAgdGhlaXIgYnl0ZXMsIHZpZXdzIG9ubHkgdGhlaXIgcGFydCcsICgpID0+IHtcbiAgY29uc3QgZGF0YSA9IG5ldyBGbG9hdDMyQXJyYXkoWzAsIDEsIDIsIDNdKS5zdWJhcnJheSgxLCAzKTtcbiAgY29uc3Qgd2lyZSA9IHRvV2lyZShuZXcgVGVuc29yKCdmbG9hdDMyJywgZGF0YSwgWzJdKSwgJ3RlbnNvcihmbG9hdCknLCAneCcpO1xuICBhc3NlcnQub2sod2lyZS5raW5kID09PSAndGVuc29yJyAmJiB3aXJlLmRhdGEgaW5zdGFuY2VvZiBVaW50OEFycmF5KTtcbiAgYXNzZXJ0LmVxdWFsKHdpcmUuZGF0YS5ieXRlTGVuZ3RoLCA4KTtcbiAgY29uc3QgY29weSA9IGRldGFjaGVkKHdpcmUpO1xuICBhc3NlcnQub2soY29weS5raW5kID09PSAndGVuc29yJyAmJiBjb3B5LmRhdGEgaW5zdGFuY2VvZiBVaW50OEFycmF5KTtcbiAgYXNzZXJ0LmVxdWFsKGNvcHkuZGF0YS5idWZmZXIuYnl0ZUxlbmd0aCwgOCk7XG4gIGFzc2VydC5kZWVwRXF1YWwoKGZyb21XaXJlKGNvcHkpIGFzIFRlbnNvcikuZGF0YSwgbmV3IEZsb2F0MzJBcnJheShbMSwgMl0pKTtcbiAgYXNzZXJ0LmRlZXBFcXVhbChidWZmZXJzT2YoW2NvcHldKSwgW2NvcHkuZGF0YS5idWZmZXJdKTtcbn0pO1xuXG50ZXN0KCdzZXF1ZW5jZXMsIG9wdGlvbmFscyBhbmQgbWFwcycsICgpID0+IHtcbiAgY29uc3QgaXRlbSA9IG5ldyBUZW5zb3IoJ2ludDMyJywgWzFdLCBbMV0pO1xuICBjb25zdCBzZXF1ZW5jZSA9IHRvV2lyZShbaXRlbSwgaXRlbV0sICdzZXEodGVuc29yKGludDMyKSknLCAncycpO1xuICBhc3NlcnQuZXF1YWwoc2VxdWVuY2Uua2luZCA9PT0gJ3NlcXVlbmNlJyAmJiBzZXF1ZW5jZS5pdGVtcy5sZW5ndGgsIDIpO1xuICBhc3NlcnQuZXF1YWwoKGZyb21XaXJlKHNlcXVlbmNlKSBhcyBUZW5zb3JbXSkubGVuZ3RoLCAyKTtcbiAgYXNzZXJ0LmRlZXBFcXVhbCh0b1dpcmUobnVsbCwgJ29wdGlvbmFsKHRlbnNvcihpbnQzMikpJywgJ28nKSwgeyBraW5kOiAnbm9uZScgfSk7XG5cbiAgY29uc3QgbWFwID0gbmV3IE1hcChbXG4gICAgWzFuLCAwLjVdLFxuICAgIFsybiwgMC4yNV0sXG4gIF0pO1xuICBhc3NlcnQuZGVlcEVxdWFsKGZyb21XaXJlKHRvV2lyZShtYXAsICdtYXAoaW50NjQsdGVuc29yKGZsb2F0KSknLCAnbScpKSwgbWFwKTtcbiAgY29uc3Qgd29yZHMgPSBuZXcgTWFwKFtbJ2EnLCAxbl1dKTtcbiAgYXNzZXJ0LmRlZXBFcXVhbChmcm9tV2lyZSh0b1dpcmUoW3dvcmRzXSwgJ3NlcShtYXAoc3RyaW5nLHRlbnNvcihpbnQ2NCkpKScsICdtJykpLCBbd29yZHNdKTtcbn0pO1xuXG50ZXN0KCd0ZW5zb3JzIG9mIG90aGVyIHBhY2thZ2VzIGFyZSBhY2NlcHRlZCBieSB0aGVpciBzaGFwZScsICgpID0+IHtcbiAgY29uc3QgZm9yZWlnbiA9IHsgdHlwZTogJ2Zsb2F0MzInLCBkYXRhOiBuZXcgRmxvYXQzMkFycmF5KDIpLCBkaW1zOiBbMl0sIHNpemU6IDIgfTtcbiAgYXNzZXJ0LmVxdWFsKHRvV2lyZShmb3JlaWduLCAndGVuc29yKGZsb2F0KScsICd4Jykua2luZCwgJ3RlbnNvcicpO1xufSk7XG5cbnRlc3QoJ3doYXQgaXMgbm8gdmFsdWUgaXMgcmVmdXNlZCB3aXRoIHRoZSBuYW1lIG9mIHRoZSBpbnB1dCcsICgpID0+IHtcbiAgYXNzZXJ0LnRocm93cygoKSA9PiB0b1dpcmUoMywgJ3RlbnNvcihmbG9hdCknLCAneCcpLCAvaW5wdXQgXCJ4XCIgaXMgZGVjbGFyZWQgdGVuc29yXFwoZmxvYXRcXCkuKmdvdCBudW1iZXIvKTtcbiAgYXNzZXJ0LnRocm93cygoKSA9PiB0b1dpcmUobmV3IE1hcCgpLCAndGVuc29yKGZsb2F0KScsICd4JyksIC9ubyBNYXAvKTtcbn0pO1xuIiwgIi8vIFRoZSBlbGVtZW50IHR5cGVzIG9mIE9OTlg6IHRoZWlyIG5hbWVzIGluIEphdmFTY3JpcHQsIGluIG1vZGVsIGZpbGVzLCBhbmQgdGhlIGFycmF5cyB0aGF0IGhvbGQgdGhlbS5cblxudHlwZSBGbG9hdDE2QXJyYXlPclVpbnQxNkFycmF5ID0gdHlwZW9mIGdsb2JhbFRoaXMgZXh0ZW5kcyB7IEZsb2F0MTZBcnJheTogeyBwcm90b3R5cGU6IGluZmVyIFQgfSB9XG4gID8gVCB8IFVpbnQxNkFycmF5XG4gIDogVWludDE2QXJyYXk7XG5cbi8qKiBXaGljaCBhcnJheSBob2xkcyB0aGUgZWxlbWVudHMgb2YgZWFjaCB0eXBlLiBTdWItYnl0ZSB0eXBlcyBhcmUgcGFja2VkLCBsb3cgYml0cyBmaXJzdCwgYXMgT05OWCBzdG9yZXMgdGhlbS4gKi9cbmV4cG9ydCBpbnRlcmZhY2UgRGF0YVR5cGVNYXAge1xuICBmbG9hdDMyOiBGbG9hdDMyQXJyYXk7XG4gIHVpbnQ4OiBVaW50OEFycmF5O1xuICBpbnQ4OiBJbnQ4QXJyYXk7XG4gIHVpbnQxNjogVWludDE2QXJyYXk7XG4gIGludDE2OiBJbnQxNkFycmF5O1xuICBpbnQzMjogSW50MzJBcnJheTtcbiAgaW50NjQ6IEJpZ0ludDY0QXJyYXk7XG4gIHN0cmluZzogc3RyaW5nW107XG4gIGJvb2w6IFVpbnQ4QXJyYXk7XG4gIGZsb2F0MTY6IEZsb2F0MTZBcnJheU9yVWludDE2QXJyYXk7XG4gIGZsb2F0NjQ6IEZsb2F0NjRBcnJheTtcbiAgdWludDMyOiBVaW50MzJBcnJheTtcbiAgdWludDY0OiBCaWdVaW50NjRBcnJheTtcbiAgLyoqIFJlYWwgYW5kIGltYWdpbmFyeSBwYXJ0cyBpbiB0dXJuLiAqL1xuICBjb21wbGV4NjQ6IEZsb2F0MzJBcnJheTtcbiAgLyoqIFJlYWwgYW5kIGltYWdpbmFyeSBwYXJ0cyBpbiB0dXJuLiAqL1xuICBjb21wbGV4MTI4OiBGbG9hdDY0QXJyYXk7XG4gIGJmbG9hdDE2OiBVaW50MTZBcnJheTtcbiAgZmxvYXQ4ZTRtM2ZuOiBVaW50OEFycmF5O1xuICBmbG9hdDhlNG0zZm51ejogVWludDhBcnJheTtcbiAgZmxvYXQ4ZTVtMjogVWludDhBcnJheTtcbiAgZmxvYXQ4ZTVtMmZudXo6IFVpbnQ4QXJyYXk7XG4gIHVpbnQ0OiBVaW50OEFycmF5O1xuICBpbnQ0OiBVaW50OEFycmF5O1xuICBmbG9hdDRlMm0xOiBVaW50OEFycmF5O1xuICBmbG9hdDhlOG0wOiBVaW50OEFycmF5O1xuICB1aW50MjogVWludDhBcnJheTtcbiAgaW50MjogVWludDhBcnJheTtcbiAgZmxvYXQ2ZTJtMzogVWludDhBcnJheTtcbiAgZmxvYXQ2ZTNtMjogVWludDhBcnJheTtcbn1cblxuZXhwb3J0IHR5cGUgRGF0YVR5cGUgPSBrZXlvZiBEYXRhVHlwZU1hcDtcbmV4cG9ydCB0eXBlIE51bWVyaWNUeXBlID0gRXhjbHVkZTxEYXRhVHlwZSwgJ3N0cmluZyc+O1xuZXhwb3J0IHR5cGUgTnVtZXJpY0FycmF5ID0gRXhjbHVkZTxEYXRhVHlwZU1hcFtEYXRhVHlwZV0sIHN0cmluZ1tdPjtcblxuZXhwb3J0IGludGVyZmFjZSBOdW1lcmljQXJyYXlDb25zdHJ1Y3RvciB7XG4gIHJlYWRvbmx5IEJZVEVTX1BFUl9FTEVNRU5UOiBudW1iZXI7XG4gIG5ldyAobGVuZ3RoOiBudW1iZXIpOiBOdW1lcmljQXJyYXk7XG4gIG5ldyAoYnVmZmVyOiBBcnJheUJ1ZmZlckxpa2UsIGJ5dGVPZmZzZXQ/OiBudW1iZXIsIGxlbmd0aD86IG51bWJlcik6IE51bWVyaWNBcnJheTtcbn1cblxuZXhwb3J0IGludGVyZmFjZSBUeXBlSW5mbyB7XG4gIC8qKiBUZW5zb3JQcm90by5EYXRhVHlwZSAqL1xuICByZWFkb25seSBjb2RlOiBudW1iZXI7XG4gIC8qKiBBcyBpbiBgdGVuc29yKGZsb2F0KWAuICovXG4gIHJlYWRvbmx5IG9ubng6IHN0cmluZztcbiAgLyoqIEJpdHMgb2Ygb25lIGVsZW1lbnQsIDAgZm9yIHN0cmluZ3MuICovXG4gIHJlYWRvbmx5IGJpdHM6IG51bWJlcjtcbiAgcmVhZG9ubHkgYXJyYXk6IE51bWVyaWNBcnJheUNvbnN0cnVjdG9yIHwgbnVsbDtcbn1cblxuY29uc3QgaGFsZiA9IChnbG9iYWxUaGlzIGFzIHsgRmxvYXQxNkFycmF5PzogTnVtZXJpY0FycmF5Q29uc3RydWN0b3IgfSkuRmxvYXQxNkFycmF5ID8/IFVpbnQxNkFycmF5O1xuXG5mdW5jdGlvbiByb3coY29kZTogbnVtYmVyLCBvbm54OiBzdHJpbmcsIGJpdHM6IG51bWJlciwgYXJyYXk6IHVua25vd24pOiBUeXBlSW5mbyB7XG4gIHJldHVybiB7IGNvZGUsIG9ubngsIGJpdHMsIGFycmF5OiBhcnJheSBhcyBOdW1lcmljQXJyYXlDb25zdHJ1Y3RvciB8IG51bGwgfTtcbn1cblxuZXhwb3J0IGNvbnN0IFRZUEVTOiBSZWFkb25seTxSZWNvcmQ8RGF0YVR5cGUsIFR5cGVJbmZvPj4gPSB7XG4gIGZsb2F0MzI6IHJvdygxLCAnZmxvYXQnLCAzMiwgRmxvYXQzMkFycmF5KSxcbiAgdWludDg6IHJvdygyLCAndWludDgnLCA4LCBVaW50OEFycmF5KSxcbiAgaW50ODogcm93KDMsICdpbnQ4JywgOCwgSW50OEFycmF5KSxcbiAgdWludDE2OiByb3coNCwgJ3VpbnQxNicsIDE2LCBVaW50MTZBcnJheSksXG4gIGludDE2OiByb3coNSwgJ2ludDE2JywgMTYsIEludDE2QXJyYXkpLFxuICBpbnQzMjogcm93KDYsICdpbnQzMicsIDMyLCBJbnQzMkFycmF5KSxcbiAgaW50NjQ6IHJvdyg3LCAnaW50NjQnLCA2NCwgQmlnSW50NjRBcnJheSksXG4gIHN0cmluZzogcm93KDgsICdzdHJpbmcnLCAwLCBudWxsKSxcbiAgYm9vbDogcm93KDksICdib29sJywgOCwgVWludDhBcnJheSksXG4gIGZsb2F0MTY6IHJvdygxMCwgJ2Zsb2F0MTYnLCAxNiwgaGFsZiksXG4gIGZsb2F0NjQ6IHJvdygxMSwgJ2RvdWJsZScsIDY0LCBGbG9hdDY0QXJyYXkpLFxuICB1aW50MzI6IHJvdygxMiwgJ3VpbnQzMicsIDMyLCBVaW50MzJBcnJheSksXG4gIHVpbnQ2NDogcm93KDEzLCAndWludDY0JywgNjQsIEJpZ1VpbnQ2NEFycmF5KSxcbiAgY29tcGxleDY0OiByb3coMTQsICdjb21wbGV4NjQnLCA2NCwgRmxvYXQzMkFycmF5KSxcbiAgY29tcGxleDEyODogcm93KDE1LCAnY29tcGxleDEyOCcsIDEyOCwgRmxvYXQ2NEFycmF5KSxcbiAgYmZsb2F0MTY6IHJvdygxNiwgJ2JmbG9hdDE2JywgMTYsIFVpbnQxNkFycmF5KSxcbiAgZmxvYXQ4ZTRtM2ZuOiByb3coMTcsICdmbG9hdDhlNG0zZm4nLCA4LCBVaW50OEFycmF5KSxcbiAgZmxvYXQ4ZTRtM2ZudXo6IHJvdygxOCwgJ2Zsb2F0OGU0bTNmbnV6JywgOCwgVWludDhBcnJheSksXG4gIGZsb2F0OGU1bTI6IHJvdygxOSwgJ2Zsb2F0OGU1bTInLCA4LCBVaW50OEFycmF5KSxcbiAgZmxvYXQ4ZTVtMmZudXo6IHJvdygyMCwgJ2Zsb2F0OGU1bTJmbnV6JywgOCwgVWludDhBcnJheSksXG4gIHVpbnQ0OiByb3coMjEsICd1aW50NCcsIDQsIFVpbnQ4QXJyYXkpLFxuICBpbnQ0OiByb3coMjIsICdpbnQ0JywgNCwgVWludDhBcnJheSksXG4gIGZsb2F0NGUybTE6IHJvdygyMywgJ2Zsb2F0NGUybTEnLCA0LCBVaW50OEFycmF5KSxcbiAgZmxvYXQ4ZThtMDogcm93KDI0LCAnZmxvYXQ4ZThtMCcsIDgsIFVpbnQ4QXJyYXkpLFxuICB1aW50Mjogcm93KDI1LCAndWludDInLCAyLCBVaW50OEFycmF5KSxcbiAgaW50Mjogcm93KDI2LCAnaW50MicsIDIsIFVpbnQ4QXJyYXkpLFxuICBmbG9hdDZlMm0zOiByb3coMjcsICdmbG9hdDZlMm0zJywgNiwgVWludDhBcnJheSksXG4gIGZsb2F0NmUzbTI6IHJvdygyOCwgJ2Zsb2F0NmUzbTInLCA2LCBVaW50OEFycmF5KSxcbn07XG5cbmNvbnN0IFJPV1MgPSBPYmplY3QuZW50cmllcyhUWVBFUykgYXMgW0RhdGFUeXBlLCBUeXBlSW5mb11bXTtcbmNvbnN0IEJZX0NPREU6IFJlYWRvbmx5TWFwPG51bWJlciwgRGF0YVR5cGU+ID0gbmV3IE1hcChST1dTLm1hcCgoW3R5cGUsIGluZm9dKSA9PiBbaW5mby5jb2RlLCB0eXBlXSkpO1xuY29uc3QgQllfT05OWDogUmVhZG9ubHlNYXA8c3RyaW5nLCBEYXRhVHlwZT4gPSBuZXcgTWFwKFJPV1MubWFwKChbdHlwZSwgaW5mb10pID0+IFtpbmZvLm9ubngsIHR5cGVdKSk7XG5cbmV4cG9ydCBmdW5jdGlvbiB0eXBlT2ZDb2RlKGNvZGU6IG51bWJlcik6IERhdGFUeXBlIHwgdW5kZWZpbmVkIHtcbiAgcmV0dXJuIEJZX0NPREUuZ2V0KGNvZGUpO1xufVxuXG4vKiogYGZsb2F0YCAtPiBgZmxvYXQzMmA7IHVuZGVmaW5lZCB3aGVuIE9OTlggaGFzIG5vIHN1Y2ggdHlwZS4gKi9cbmV4cG9ydCBmdW5jdGlvbiB0eXBlT2ZPbm54TmFtZShuYW1lOiBzdHJpbmcpOiBEYXRhVHlwZSB8IHVuZGVmaW5lZCB7XG4gIHJldHVybiBCWV9PTk5YLmdldChuYW1lKTtcbn1cblxuLyoqIEhvdyBtYW55IGFycmF5IGVsZW1lbnRzIGhvbGQgYHNpemVgIHRlbnNvciBlbGVtZW50czogcGFja2VkIHR5cGVzIG5lZWQgZmV3ZXIsIGNvbXBsZXggb25lcyBtb3JlLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGFycmF5TGVuZ3RoKHR5cGU6IE51bWVyaWNUeXBlLCBzaXplOiBudW1iZXIpOiBudW1iZXIge1xuICBjb25zdCBpbmZvID0gVFlQRVNbdHlwZV07XG4gIGNvbnN0IGJ5dGVzID0gaW5mby5hcnJheT8uQllURVNfUEVSX0VMRU1FTlQgPz8gMTtcbiAgcmV0dXJuIE1hdGguY2VpbCgoc2l6ZSAqIGluZm8uYml0cykgLyAoOCAqIGJ5dGVzKSk7XG59XG5cbi8qKiBUaGUgYnl0ZXMgb2YgT05OWCdzIHJhd19kYXRhIHNlZW4gYXMgdGhlIGFycmF5IG9mIHRoZSB0eXBlLiBgYnl0ZXNgIG11c3Qgc3RhcnQgYXQgYSBtdWx0aXBsZSBvZiB0aGUgZWxlbWVudCBzaXplLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGFycmF5T2YodHlwZTogTnVtZXJpY1R5cGUsIGJ5dGVzOiBVaW50OEFycmF5KTogTnVtZXJpY0FycmF5IHtcbiAgY29uc3QgY29uc3RydWN0b3IgPSBUWVBFU1t0eXBlXS5hcnJheSA/PyBVaW50OEFycmF5O1xuICBjb25zdCB3aWR0aCA9IGNvbnN0cnVjdG9yLkJZVEVTX1BFUl9FTEVNRU5UO1xuICByZXR1cm4gbmV3IGNvbnN0cnVjdG9yKGJ5dGVzLmJ1ZmZlciwgYnl0ZXMuYnl0ZU9mZnNldCwgYnl0ZXMuYnl0ZUxlbmd0aCAvIHdpZHRoKTtcbn1cbiIsICJpbXBvcnQgdHlwZSB7IENvZGVOYW1lIH0gZnJvbSAnLi9hYmkuZ2VuLmpzJztcblxuLyoqXG4gKiBXaGF0IGtpbmQgb2YgZmFpbHVyZSBpdCBpczogdGhlIGVuZ2luZSdzIG93biBjb2RlcywgYW5kIHRob3NlIHRoYXQgb25seSBhcmlzZSBpbiB0aGUgaG9zdC4gVGhlIHNhbWUgaW4gUHl0aG9uLlxuICogLSBgTk9fU1VDSF9GSUxFYDogYSBtb2RlbCwgZGF0YSBvciBlbmdpbmUgZmlsZSBpcyBub3QgdGhlcmVcbiAqIC0gYExPQURfRkFJTEVEYDogYSBmaWxlIGNvdWxkIG5vdCBiZSB0cmFuc2ZlcnJlZCwgaXMgbm90IHdoYXQgaXRzIGFkZHJlc3MgcHJvbWlzZXMsIG9yIGZhaWxzIGl0cyBpbnRlZ3JpdHkgY2hlY2tcbiAqIC0gYFZFUlNJT05fTUlTTUFUQ0hgOiBKYXZhU2NyaXB0IGFuZCBXZWJBc3NlbWJseSBjb21lIGZyb20gZGlmZmVyZW50IHZlcnNpb25zXG4gKiAtIGBUUkFQYDogdGhlIGVuZ2luZSdzIGNvZGUgdHJhcHBlZDsgaXRzIHNlc3Npb25zIGFyZSBsb3N0LCBuZXcgb25lcyBzdGFydCBhIG5ldyBlbmdpbmVcbiAqL1xuZXhwb3J0IHR5cGUgRXJyb3JDb2RlID0gRXhjbHVkZTxDb2RlTmFtZSwgJ09LJz4gfCAnTk9fU1VDSF9GSUxFJyB8ICdMT0FEX0ZBSUxFRCcgfCAnVkVSU0lPTl9NSVNNQVRDSCcgfCAnVFJBUCc7XG5cbi8qKiBUaGUgb25lIGVycm9yIGNsYXNzOiBgY29kZWAgdGVsbHMgdGhlIGtpbmQsIGBtZXNzYWdlYCB3aGF0IHdhcyB3cm9uZywgd2hlcmUsIGFuZCB3aGF0IHRvIGRvLiAqL1xuZXhwb3J0IGNsYXNzIE9ubnhsZXRFcnJvciBleHRlbmRzIEVycm9yIHtcbiAgb3ZlcnJpZGUgcmVhZG9ubHkgbmFtZSA9ICdPbm54bGV0RXJyb3InO1xuICByZWFkb25seSBjb2RlOiBFcnJvckNvZGU7XG5cbiAgY29uc3RydWN0b3IoY29kZTogRXJyb3JDb2RlLCBtZXNzYWdlOiBzdHJpbmcsIG9wdGlvbnM/OiB7IGNhdXNlPzogdW5rbm93biB9KSB7XG4gICAgc3VwZXIobWVzc2FnZSwgb3B0aW9ucyk7XG4gICAgdGhpcy5jb2RlID0gY29kZTtcbiAgfVxufVxuXG5leHBvcnQgZnVuY3Rpb24gYWJvcnRlZChyZWFzb246IHVua25vd24pOiBPbm54bGV0RXJyb3Ige1xuICByZXR1cm4gbmV3IE9ubnhsZXRFcnJvcignQUJPUlRFRCcsIGBzdG9wcGVkIGJ5IHRoZSBjYWxsZXI6ICR7bWVzc2FnZU9mKHJlYXNvbil9YCwgeyBjYXVzZTogcmVhc29uIH0pO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gdGhyb3dJZkFib3J0ZWQoc2lnbmFsOiBBYm9ydFNpZ25hbCB8IHVuZGVmaW5lZCk6IHZvaWQge1xuICBpZiAoc2lnbmFsPy5hYm9ydGVkKSB0aHJvdyBhYm9ydGVkKHNpZ25hbC5yZWFzb24pO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gbWVzc2FnZU9mKGVycm9yOiB1bmtub3duKTogc3RyaW5nIHtcbiAgcmV0dXJuIGVycm9yIGluc3RhbmNlb2YgRXJyb3IgPyBlcnJvci5tZXNzYWdlIDogU3RyaW5nKGVycm9yKTtcbn1cbiIsICJpbXBvcnQgdHlwZSB7IERhdGFUeXBlLCBEYXRhVHlwZU1hcCwgTnVtZXJpY0FycmF5IH0gZnJvbSAnLi9kdHlwZXMuanMnO1xuaW1wb3J0IHsgYXJyYXlMZW5ndGgsIFRZUEVTIH0gZnJvbSAnLi9kdHlwZXMuanMnO1xuaW1wb3J0IHsgT25ueGxldEVycm9yIH0gZnJvbSAnLi9lcnJvcnMuanMnO1xuXG50eXBlIEVsZW1lbnRzID0gTnVtZXJpY0FycmF5IHwgVWludDhDbGFtcGVkQXJyYXkgfCByZWFkb25seSBudW1iZXJbXSB8IHJlYWRvbmx5IGJpZ2ludFtdIHwgcmVhZG9ubHkgYm9vbGVhbltdO1xuXG4vKiogQSB0ZW5zb3Igd2hvc2UgZWxlbWVudCB0eXBlIGlzIGtub3duIHRvIHRoZSB0eXBlIGNoZWNrZXIuICovXG5leHBvcnQgaW50ZXJmYWNlIFR5cGVkVGVuc29yPFQgZXh0ZW5kcyBEYXRhVHlwZT4gZXh0ZW5kcyBUZW5zb3Ige1xuICByZWFkb25seSB0eXBlOiBUO1xuICByZWFkb25seSBkYXRhOiBEYXRhVHlwZU1hcFtUXTtcbiAgZ2V0RGF0YShyZWxlYXNlRGF0YT86IGJvb2xlYW4pOiBQcm9taXNlPERhdGFUeXBlTWFwW1RdPjtcbiAgcmVzaGFwZShkaW1zOiByZWFkb25seSBudW1iZXJbXSk6IFR5cGVkVGVuc29yPFQ+O1xufVxuXG4vKipcbiAqIEFuIG4tZGltZW5zaW9uYWwgYXJyYXkgd2l0aCB0aGUgaW50ZXJmYWNlIG9mIG9ubnhydW50aW1lLWNvbW1vbidzIFRlbnNvciwgZm9yIGV2ZXJ5IE9OTlggZWxlbWVudCB0eXBlLlxuICogVGhlIGVsZW1lbnRzIGxpZSBpbiByb3ctbWFqb3Igb3JkZXIgaW4gYSB0eXBlZCBhcnJheSwgd2hpY2ggaXMgdXNlZCBhcyBpdCBpcyBhbmQgbm90IGNvcGllZC5cbiAqL1xuZXhwb3J0IGNsYXNzIFRlbnNvciB7XG4gIHJlYWRvbmx5IHR5cGU6IERhdGFUeXBlO1xuICByZWFkb25seSBkaW1zOiByZWFkb25seSBudW1iZXJbXTtcbiAgcmVhZG9ubHkgc2l6ZTogbnVtYmVyO1xuICAjZGF0YTogTnVtZXJpY0FycmF5IHwgc3RyaW5nW10gfCBudWxsO1xuXG4gIC8qKlxuICAgKiBAcGFyYW0gdHlwZSBlbGVtZW50IHR5cGVcbiAgICogQHBhcmFtIGRhdGEgdGhlIGVsZW1lbnRzOiB0aGUgdHlwZSdzIG93biB0eXBlZCBhcnJheSwgcGxhaW4gbnVtYmVycyAoYmlnaW50cyBmb3IgNjQtYml0IGludGVnZXJzKSwgYm9vbGVhbnMgb3Igc3RyaW5nc1xuICAgKiBAcGFyYW0gZGltcyB0aGUgc2hhcGU7IG9uZSBkaW1lbnNpb24gb2YgdGhlIGRhdGEncyBsZW5ndGggd2hlbiBsZWZ0IG91dFxuICAgKi9cbiAgY29uc3RydWN0b3IodHlwZTogRGF0YVR5cGUsIGRhdGE6IEVsZW1lbnRzIHwgcmVhZG9ubHkgc3RyaW5nW10sIGRpbXM/OiByZWFkb25seSBudW1iZXJbXSk7XG4gIC8qKiBUYWtlcyB0aGUgZWxlbWVudCB0eXBlIGZyb20gdGhlIGFycmF5OiBGbG9hdDMyQXJyYXkgZ2l2ZXMgZmxvYXQzMiwgc3RyaW5nW10gc3RyaW5nLCBib29sZWFuW10gYm9vbC4gKi9cbiAgY29uc3RydWN0b3IoXG4gICAgZGF0YTogTnVtZXJpY0FycmF5IHwgVWludDhDbGFtcGVkQXJyYXkgfCByZWFkb25seSBzdHJpbmdbXSB8IHJlYWRvbmx5IGJvb2xlYW5bXSxcbiAgICBkaW1zPzogcmVhZG9ubHkgbnVtYmVyW10sXG4gICk7XG4gIGNvbnN0cnVjdG9yKFxuICAgIGZpcnN0OiBEYXRhVHlwZSB8IEVsZW1lbnRzIHwgcmVhZG9ubHkgc3RyaW5nW10sXG4gICAgc2Vjb25kPzogRWxlbWVudHMgfCByZWFkb25seSBzdHJpbmdbXSB8IHJlYWRvbmx5IG51bWJlcltdLFxuICAgIHRoaXJkPzogcmVhZG9ubHkgbnVtYmVyW10sXG4gICkge1xuICAgIGNvbnN0IGdpdmVuID0gdHlwZW9mIGZpcnN0ID09PSAnc3RyaW5nJztcbiAgICBjb25zdCBkYXRhID0gKGdpdmVuID8gc2Vjb25kIDogZmlyc3QpIGFzIEVsZW1lbnRzIHwgcmVhZG9ubHkgc3RyaW5nW107XG4gICAgY29uc3QgZGltcyA9IGdpdmVuID8gdGhpcmQgOiAoc2Vjb25kIGFzIHJlYWRvbmx5IG51bWJlcltdIHwgdW5kZWZpbmVkKTtcbiAgICB0aGlzLnR5cGUgPSBnaXZlbiA/IGZpcnN0IDogdHlwZU9mRGF0YShmaXJzdCk7XG4gICAgdGhpcy4jZGF0YSA9IGNvbnZlcnQodGhpcy50eXBlLCBkYXRhKTtcbiAgICB0aGlzLmRpbXMgPSBkaW1zID09PSB1bmRlZmluZWQgPyBbbGVuZ3RoT2YodGhpcy50eXBlLCB0aGlzLiNkYXRhKV0gOiBjaGVja2VkRGltcyhkaW1zKTtcbiAgICB0aGlzLnNpemUgPSB0aGlzLmRpbXMucmVkdWNlKChwcm9kdWN0LCBkaW0pID0+IHByb2R1Y3QgKiBkaW0sIDEpO1xuICAgIGNvbnN0IGV4cGVjdGVkID0gdGhpcy50eXBlID09PSAnc3RyaW5nJyA/IHRoaXMuc2l6ZSA6IGFycmF5TGVuZ3RoKHRoaXMudHlwZSwgdGhpcy5zaXplKTtcbiAgICBpZiAodGhpcy4jZGF0YS5sZW5ndGggIT09IGV4cGVjdGVkKSB7XG4gICAgICB0aHJvdyBpbnZhbGlkKFxuICAgICAgICBgYSAke3RoaXMudHlwZX0gdGVuc29yIG9mIHNoYXBlIFske3RoaXMuZGltcy5qb2luKCcsICcpfV0gbmVlZHMgJHtleHBlY3RlZH0gYXJyYXkgZWxlbWVudHMsIGAgK1xuICAgICAgICAgIGB0aGUgZGF0YSBoYXMgJHt0aGlzLiNkYXRhLmxlbmd0aH1gLFxuICAgICAgKTtcbiAgICB9XG4gIH1cblxuICAvKiogVGhlIGVsZW1lbnRzLiBQYWNrZWQgdHlwZXMgKGludDQsIHVpbnQyLCAuLi4pIGdpdmUgdGhlIHBhY2tlZCBieXRlcy4gKi9cbiAgZ2V0IGRhdGEoKTogRGF0YVR5cGVNYXBbRGF0YVR5cGVdIHtcbiAgICBpZiAodGhpcy4jZGF0YSA9PT0gbnVsbCkgdGhyb3cgaW52YWxpZCgndGhlIHRlbnNvciBpcyBkaXNwb3NlZCcpO1xuICAgIHJldHVybiB0aGlzLiNkYXRhO1xuICB9XG5cbiAgLyoqIFdoZXJlIHRoZSBlbGVtZW50cyBhcmU6IGBjcHVgLCBvciBgbm9uZWAgb25jZSBkaXNwb3NlZC4gKi9cbiAgZ2V0IGxvY2F0aW9uKCk6ICdjcHUnIHwgJ25vbmUnIHtcbiAgICByZXR1cm4gdGhpcy4jZGF0YSA9PT0gbnVsbCA/ICdub25lJyA6ICdjcHUnO1xuICB9XG5cbiAgLyoqIFRoZSBlbGVtZW50cywgYXMgYGRhdGFgIGdpdmVzIHRoZW07IHByZXNlbnQgYmVjYXVzZSB0ZW5zb3JzIG9uIG90aGVyIGRldmljZXMgY2FuIG9ubHkgYmUgcmVhZCB0aGlzIHdheS4gKi9cbiAgLy8gZXNsaW50LWRpc2FibGUtbmV4dC1saW5lIEB0eXBlc2NyaXB0LWVzbGludC9yZXF1aXJlLWF3YWl0IC0tIGEgcmVqZWN0ZWQgcHJvbWlzZSwgbm90IGFuIGV4Y2VwdGlvbiwgd2hlbiBkaXNwb3NlZFxuICBhc3luYyBnZXREYXRhKHJlbGVhc2VEYXRhID0gZmFsc2UpOiBQcm9taXNlPERhdGFUeXBlTWFwW0RhdGFUeXBlXT4ge1xuICAgIGNvbnN0IGRhdGEgPSB0aGlzLmRhdGE7XG4gICAgaWYgKHJlbGVhc2VEYXRhKSB0aGlzLmRpc3Bvc2UoKTtcbiAgICByZXR1cm4gZGF0YTtcbiAgfVxuXG4gIGRpc3Bvc2UoKTogdm9pZCB7XG4gICAgdGhpcy4jZGF0YSA9IG51bGw7XG4gIH1cblxuICAvKiogVGhlIHNhbWUgZWxlbWVudHMgdW5kZXIgYW5vdGhlciBzaGFwZSBvZiB0aGUgc2FtZSBzaXplLiAqL1xuICByZXNoYXBlKGRpbXM6IHJlYWRvbmx5IG51bWJlcltdKTogVGVuc29yIHtcbiAgICByZXR1cm4gbmV3IFRlbnNvcih0aGlzLnR5cGUsIHRoaXMuZGF0YSwgZGltcyk7XG4gIH1cbn1cblxuLyoqIE1ha2VzIGEgdGVuc29yIGZyb20gZGF0YSB0aGF0IGlzIGtub3duIHRvIGZpdCwgd2l0aCBpdHMgdHlwZSBmb3IgdGhlIHR5cGUgY2hlY2tlci4gKi9cbmV4cG9ydCBmdW5jdGlvbiB0eXBlZFRlbnNvcjxUIGV4dGVuZHMgRGF0YVR5cGU+KFxuICB0eXBlOiBULFxuICBkYXRhOiBEYXRhVHlwZU1hcFtUXSxcbiAgZGltczogcmVhZG9ubHkgbnVtYmVyW10sXG4pOiBUeXBlZFRlbnNvcjxUPiB7XG4gIHJldHVybiBuZXcgVGVuc29yKHR5cGUsIGRhdGEsIGRpbXMpIGFzIFR5cGVkVGVuc29yPFQ+O1xufVxuXG5mdW5jdGlvbiBpbnZhbGlkKG1lc3NhZ2U6IHN0cmluZyk6IE9ubnhsZXRFcnJvciB7XG4gIHJldHVybiBuZXcgT25ueGxldEVycm9yKCdJTlZBTElEX0FSR1VNRU5UJywgYFRlbnNvcjogJHttZXNzYWdlfWApO1xufVxuXG5mdW5jdGlvbiBjaGVja2VkRGltcyhkaW1zOiByZWFkb25seSBudW1iZXJbXSk6IHJlYWRvbmx5IG51bWJlcltdIHtcbiAgZm9yIChjb25zdCBkaW0gb2YgZGltcykge1xuICAgIGlmICghTnVtYmVyLmlzU2FmZUludGVnZXIoZGltKSB8fCBkaW0gPCAwKSB7XG4gICAgICB0aHJvdyBpbnZhbGlkKGBkaW1lbnNpb25zIG11c3QgYmUgaW50ZWdlcnMgZnJvbSAwIHVwOyBnb3QgWyR7ZGltcy5qb2luKCcsICcpfV1gKTtcbiAgICB9XG4gIH1cbiAgcmV0dXJuIFsuLi5kaW1zXTtcbn1cblxuY29uc3QgSU5GRVJSRUQ6IFJlYWRvbmx5TWFwPHN0cmluZywgRGF0YVR5cGU+ID0gbmV3IE1hcChbXG4gIFsnRmxvYXQzMkFycmF5JywgJ2Zsb2F0MzInXSxcbiAgWydGbG9hdDY0QXJyYXknLCAnZmxvYXQ2NCddLFxuICBbJ0Zsb2F0MTZBcnJheScsICdmbG9hdDE2J10sXG4gIFsnVWludDhBcnJheScsICd1aW50OCddLFxuICBbJ1VpbnQ4Q2xhbXBlZEFycmF5JywgJ3VpbnQ4J10sXG4gIFsnSW50OEFycmF5JywgJ2ludDgnXSxcbiAgWydVaW50MTZBcnJheScsICd1aW50MTYnXSxcbiAgWydJbnQxNkFycmF5JywgJ2ludDE2J10sXG4gIFsnSW50MzJBcnJheScsICdpbnQzMiddLFxuICBbJ1VpbnQzMkFycmF5JywgJ3VpbnQzMiddLFxuICBbJ0JpZ0ludDY0QXJyYXknLCAnaW50NjQnXSxcbiAgWydCaWdVaW50NjRBcnJheScsICd1aW50NjQnXSxcbl0pO1xuXG4vLyBCeSB0aGUgdGFnIGFuZCBub3QgYnkgaW5zdGFuY2VvZiwgc28gdGhhdCBhcnJheXMgb2Ygb3RoZXIgcmVhbG1zIChmcmFtZXMsIHRlc3Qgc2FuZGJveGVzKSBhcmUgcmVjb2duaXNlZCB0b28uXG5mdW5jdGlvbiB0YWdPZihkYXRhOiB1bmtub3duKTogc3RyaW5nIHtcbiAgcmV0dXJuIE9iamVjdC5wcm90b3R5cGUudG9TdHJpbmcuY2FsbChkYXRhKS5zbGljZSg4LCAtMSk7XG59XG5cbmZ1bmN0aW9uIHR5cGVPZkRhdGEoZGF0YTogdW5rbm93bik6IERhdGFUeXBlIHtcbiAgaWYgKEFycmF5LmlzQXJyYXkoZGF0YSkpIHtcbiAgICBpZiAoZGF0YS5sZW5ndGggPT09IDApIHRocm93IGludmFsaWQoJ3RoZSBlbGVtZW50IHR5cGUgY2Fubm90IGJlIHNlZW4gZnJvbSBhbiBlbXB0eSBhcnJheTsgbmFtZSBpdCcpO1xuICAgIGlmICh0eXBlb2YgZGF0YVswXSA9PT0gJ3N0cmluZycpIHJldHVybiAnc3RyaW5nJztcbiAgICBpZiAodHlwZW9mIGRhdGFbMF0gPT09ICdib29sZWFuJykgcmV0dXJuICdib29sJztcbiAgICB0aHJvdyBpbnZhbGlkKCd0aGUgZWxlbWVudCB0eXBlIGNhbm5vdCBiZSBzZWVuIGZyb20gYW4gYXJyYXkgb2YgbnVtYmVyczsgbmFtZSBpdCBvciB1c2UgYSB0eXBlZCBhcnJheScpO1xuICB9XG4gIGNvbnN0IHR5cGUgPSBJTkZFUlJFRC5nZXQodGFnT2YoZGF0YSkpO1xuICBpZiAoIXR5cGUpIHRocm93IGludmFsaWQoYGRhdGEgbXVzdCBiZSBhbiBhcnJheSBvciBhIHR5cGVkIGFycmF5OyBnb3QgJHtkZXNjcmliZShkYXRhKX1gKTtcbiAgcmV0dXJuIHR5cGU7XG59XG5cbmZ1bmN0aW9uIGNvbnZlcnQodHlwZTogRGF0YVR5cGUsIGRhdGE6IHVua25vd24pOiBOdW1lcmljQXJyYXkgfCBzdHJpbmdbXSB7XG4gIGlmICghT2JqZWN0Lmhhc093bihUWVBFUywgdHlwZSkpIHRocm93IGludmFsaWQoYHRoZXJlIGlzIG5vIGVsZW1lbnQgdHlwZSAke0pTT04uc3RyaW5naWZ5KHR5cGUpfWApO1xuICBpZiAodHlwZSA9PT0gJ3N0cmluZycpIHJldHVybiBjb252ZXJ0U3RyaW5ncyhkYXRhKTtcbiAgY29uc3QgdGFnID0gdGFnT2YoZGF0YSk7XG4gIGNvbnN0IGNvbnN0cnVjdG9yID0gVFlQRVNbdHlwZV0uYXJyYXkgYXMgdW5rbm93biBhcyB7IG5hbWU6IHN0cmluZzsgQllURVNfUEVSX0VMRU1FTlQ6IG51bWJlciB9ICYgKG5ldyAoXG4gICAgLi4uYXJnczogdW5rbm93bltdXG4gICkgPT4gTnVtZXJpY0FycmF5KTtcbiAgaWYgKHRhZyA9PT0gY29uc3RydWN0b3IubmFtZSkgcmV0dXJuIGRhdGEgYXMgTnVtZXJpY0FycmF5O1xuICBpZiAodGFnID09PSAnVWludDhDbGFtcGVkQXJyYXknICYmIHR5cGUgPT09ICd1aW50OCcpIHJldHVybiB2aWV3QXMoVWludDhBcnJheSwgZGF0YSBhcyBVaW50OENsYW1wZWRBcnJheSk7XG4gIGlmICh0eXBlID09PSAnZmxvYXQxNicgJiYgdGFnID09PSAnVWludDE2QXJyYXknKSByZXR1cm4gdmlld0FzKGNvbnN0cnVjdG9yLCBkYXRhIGFzIFVpbnQxNkFycmF5KTtcbiAgaWYgKCFBcnJheS5pc0FycmF5KGRhdGEpKSB7XG4gICAgdGhyb3cgaW52YWxpZChgZGF0YSBvZiB0eXBlICR7dHlwZX0gbXVzdCBiZSBhICR7Y29uc3RydWN0b3IubmFtZX0gb3IgYW4gYXJyYXk7IGdvdCAke2Rlc2NyaWJlKGRhdGEpfWApO1xuICB9XG4gIGlmICh0eXBlID09PSAnZmxvYXQxNicgJiYgY29uc3RydWN0b3IubmFtZSA9PT0gJ1VpbnQxNkFycmF5Jykge1xuICAgIHRocm93IGludmFsaWQoJ3RoaXMgSmF2YVNjcmlwdCBlbmdpbmUgaGFzIG5vIEZsb2F0MTZBcnJheTogZ2l2ZSBmbG9hdDE2IGRhdGEgYXMgdGhlIGJpdHMgaW4gYSBVaW50MTZBcnJheScpO1xuICB9XG4gIHRyeSB7XG4gICAgaWYgKHR5cGUgPT09ICdpbnQ2NCcgfHwgdHlwZSA9PT0gJ3VpbnQ2NCcpIHtcbiAgICAgIHJldHVybiBuZXcgY29uc3RydWN0b3IoKGRhdGEgYXMgKG51bWJlciB8IGJpZ2ludClbXSkubWFwKCh2YWx1ZSkgPT4gQmlnSW50KHZhbHVlKSkpO1xuICAgIH1cbiAgICByZXR1cm4gbmV3IGNvbnN0cnVjdG9yKGRhdGEpO1xuICB9IGNhdGNoIChjYXVzZSkge1xuICAgIHRocm93IG5ldyBPbm54bGV0RXJyb3IoJ0lOVkFMSURfQVJHVU1FTlQnLCBgVGVuc29yOiB0aGUgYXJyYXkgaG9sZHMgc29tZXRoaW5nIHRoYXQgaXMgbm8gJHt0eXBlfWAsIHsgY2F1c2UgfSk7XG4gIH1cbn1cblxuZnVuY3Rpb24gY29udmVydFN0cmluZ3MoZGF0YTogdW5rbm93bik6IHN0cmluZ1tdIHtcbiAgaWYgKCFBcnJheS5pc0FycmF5KGRhdGEpKSB0aHJvdyBpbnZhbGlkKGBkYXRhIG9mIHR5cGUgc3RyaW5nIG11c3QgYmUgYW4gYXJyYXkgb2Ygc3RyaW5nczsgZ290ICR7ZGVzY3JpYmUoZGF0YSl9YCk7XG4gIGNvbnN0IHN0cmF5ID0gZGF0YS5maW5kSW5kZXgoKGl0ZW0pID0+IHR5cGVvZiBpdGVtICE9PSAnc3RyaW5nJyk7XG4gIGlmIChzdHJheSA+PSAwKSB0aHJvdyBpbnZhbGlkKGBlbGVtZW50ICR7c3RyYXl9IG9mIGEgc3RyaW5nIHRlbnNvciBpcyAke2Rlc2NyaWJlKGRhdGFbc3RyYXldKX1gKTtcbiAgcmV0dXJuIGRhdGEgYXMgc3RyaW5nW107XG59XG5cbmZ1bmN0aW9uIHZpZXdBcyhcbiAgY29uc3RydWN0b3I6IHVua25vd24sXG4gIGRhdGE6IHsgYnVmZmVyOiBBcnJheUJ1ZmZlckxpa2U7IGJ5dGVPZmZzZXQ6IG51bWJlcjsgbGVuZ3RoOiBudW1iZXIgfSxcbik6IE51bWVyaWNBcnJheSB7XG4gIGNvbnN0IFRhcmdldCA9IGNvbnN0cnVjdG9yIGFzIG5ldyAoYnVmZmVyOiBBcnJheUJ1ZmZlckxpa2UsIG9mZnNldDogbnVtYmVyLCBsZW5ndGg6IG51bWJlcikgPT4gTnVtZXJpY0FycmF5O1xuICByZXR1cm4gbmV3IFRhcmdldChkYXRhLmJ1ZmZlciwgZGF0YS5ieXRlT2Zmc2V0LCBkYXRhLmxlbmd0aCk7XG59XG5cbi8vIFBhY2tlZCB0eXBlcyByb3VuZCB1cCB0byB3aG9sZSBieXRlcywgc28gYSBsZW5ndGggYWxvbmUgbGVhdmVzIHRoZWlyIHNpemUgb3BlbjogdGhlIGxhcmdlc3QgdGhhdCBmaXRzIGlzIHRha2VuLlxuZnVuY3Rpb24gbGVuZ3RoT2YodHlwZTogRGF0YVR5cGUsIGRhdGE6IE51bWVyaWNBcnJheSB8IHN0cmluZ1tdKTogbnVtYmVyIHtcbiAgaWYgKHR5cGUgPT09ICdzdHJpbmcnKSByZXR1cm4gZGF0YS5sZW5ndGg7XG4gIGNvbnN0IHBlckVsZW1lbnQgPSBUWVBFU1t0eXBlXS5iaXRzIC8gKDggKiAoZGF0YSBhcyBOdW1lcmljQXJyYXkpLkJZVEVTX1BFUl9FTEVNRU5UKTtcbiAgcmV0dXJuIE1hdGguZmxvb3IoZGF0YS5sZW5ndGggLyBwZXJFbGVtZW50KTtcbn1cblxuZnVuY3Rpb24gZGVzY3JpYmUodmFsdWU6IHVua25vd24pOiBzdHJpbmcge1xuICBpZiAodmFsdWUgPT09IG51bGwgfHwgdmFsdWUgPT09IHVuZGVmaW5lZCkgcmV0dXJuIFN0cmluZyh2YWx1ZSk7XG4gIHJldHVybiB0eXBlb2YgdmFsdWUgPT09ICdvYmplY3QnID8gdGFnT2YodmFsdWUpIDogdHlwZW9mIHZhbHVlO1xufVxuIiwgIi8vIFRlbnNvciBieXRlcyBhY3Jvc3MgYSB3b3JrZXIncyBib3JkZXI6IG1vdmVkIHdoZXJlIHRoZSBidWZmZXIgaXMgb3VycywgY29waWVkIG9uY2Ugd2hlcmUgaXQgaXMgdGhlIGNhbGxlcidzLlxuaW1wb3J0IHR5cGUgeyBGaWxlU291cmNlLCBNb2RlbFJlcXVlc3QsIFdpcmVWYWx1ZSB9IGZyb20gJy4vcHJvdG9jb2wuanMnO1xuXG4vKiogVGhlIGJ1ZmZlcnMgaW5zaWRlIHZhbHVlcywgZm9yIHBvc3RNZXNzYWdlJ3MgdHJhbnNmZXIgbGlzdC4gKi9cbmV4cG9ydCBmdW5jdGlvbiBidWZmZXJzT2YodmFsdWVzOiByZWFkb25seSBXaXJlVmFsdWVbXSk6IEFycmF5QnVmZmVyW10ge1xuICBjb25zdCBmb3VuZCA9IG5ldyBTZXQ8QXJyYXlCdWZmZXI+KCk7XG4gIGNvbnN0IHZpc2l0ID0gKHZhbHVlOiBXaXJlVmFsdWUpOiB2b2lkID0+IHtcbiAgICBpZiAodmFsdWUua2luZCA9PT0gJ3NlcXVlbmNlJykgdmFsdWUuaXRlbXMuZm9yRWFjaCh2aXNpdCk7XG4gICAgaWYgKHZhbHVlLmtpbmQgPT09ICdtYXAnKSBbdmFsdWUua2V5cywgdmFsdWUudmFsdWVzXS5mb3JFYWNoKHZpc2l0KTtcbiAgICBpZiAodmFsdWUua2luZCA9PT0gJ3RlbnNvcicgJiYgdmFsdWUuZGF0YSBpbnN0YW5jZW9mIFVpbnQ4QXJyYXkgJiYgdmFsdWUuZGF0YS5idWZmZXIgaW5zdGFuY2VvZiBBcnJheUJ1ZmZlcikge1xuICAgICAgZm91bmQuYWRkKHZhbHVlLmRhdGEuYnVmZmVyKTtcbiAgICB9XG4gIH07XG4gIHZhbHVlcy5mb3JFYWNoKHZpc2l0KTtcbiAgcmV0dXJuIFsuLi5mb3VuZF07XG59XG5cbi8qKiBUaGUgc2FtZSB2YWx1ZXMgd2l0aCB0ZW5zb3IgYnl0ZXMgY29waWVkIG91dCBvZiB0aGUgY2FsbGVyJ3MgYnVmZmVyczogYSB2aWV3IHdvdWxkIGRyYWcgaXRzIHdob2xlIGJ1ZmZlciBhbG9uZy4gKi9cbmV4cG9ydCBmdW5jdGlvbiBkZXRhY2hlZCh2YWx1ZTogV2lyZVZhbHVlKTogV2lyZVZhbHVlIHtcbiAgc3dpdGNoICh2YWx1ZS5raW5kKSB7XG4gICAgY2FzZSAnbm9uZSc6XG4gICAgICByZXR1cm4gdmFsdWU7XG4gICAgY2FzZSAndGVuc29yJzpcbiAgICAgIHJldHVybiB2YWx1ZS5kYXRhIGluc3RhbmNlb2YgVWludDhBcnJheSA/IHsgLi4udmFsdWUsIGRhdGE6IG5ldyBVaW50OEFycmF5KHZhbHVlLmRhdGEpIH0gOiB2YWx1ZTtcbiAgICBjYXNlICdzZXF1ZW5jZSc6XG4gICAgICByZXR1cm4geyBraW5kOiAnc2VxdWVuY2UnLCBpdGVtczogdmFsdWUuaXRlbXMubWFwKGRldGFjaGVkKSB9O1xuICAgIGNhc2UgJ21hcCc6XG4gICAgICByZXR1cm4geyBraW5kOiAnbWFwJywga2V5czogZGV0YWNoZWQodmFsdWUua2V5cyksIHZhbHVlczogZGV0YWNoZWQodmFsdWUudmFsdWVzKSB9O1xuICB9XG59XG5cbi8qKiBUaGUgc2FtZSByZXF1ZXN0IHdpdGggaXRzIGJ5dGVzIGNvcGllZCBvdXQgb2YgdGhlIGNhbGxlcidzIGJ1ZmZlcnMsIHdoaWNoIHN0YXkgdXNhYmxlLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGRldGFjaGVkRmlsZXM8VCBleHRlbmRzIE1vZGVsUmVxdWVzdD4ocmVxdWVzdDogVCk6IFQge1xuICBjb25zdCBleHRlcm5hbCA9IE9iamVjdC5lbnRyaWVzKHJlcXVlc3QuZXh0ZXJuYWwpLm1hcCgoW25hbWUsIHNvdXJjZV0pID0+IFtuYW1lLCBkZXRhY2hlZFNvdXJjZShzb3VyY2UpXSBhcyBjb25zdCk7XG4gIHJldHVybiB7IC4uLnJlcXVlc3QsIG1vZGVsOiBkZXRhY2hlZFNvdXJjZShyZXF1ZXN0Lm1vZGVsKSwgZXh0ZXJuYWw6IE9iamVjdC5mcm9tRW50cmllcyhleHRlcm5hbCkgfTtcbn1cblxuZnVuY3Rpb24gZGV0YWNoZWRTb3VyY2Uoc291cmNlOiBGaWxlU291cmNlKTogRmlsZVNvdXJjZSB7XG4gIHJldHVybiBzb3VyY2Uua2luZCA9PT0gJ2J5dGVzJyA/IHsgLi4uc291cmNlLCBieXRlczogbmV3IFVpbnQ4QXJyYXkoc291cmNlLmJ5dGVzKSB9IDogc291cmNlO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gYnVmZmVyc09mRmlsZXMocmVxdWVzdDogTW9kZWxSZXF1ZXN0KTogQXJyYXlCdWZmZXJbXSB7XG4gIHJldHVybiBbcmVxdWVzdC5tb2RlbCwgLi4uT2JqZWN0LnZhbHVlcyhyZXF1ZXN0LmV4dGVybmFsKV0uZmxhdE1hcCgoc291cmNlKSA9PlxuICAgIHNvdXJjZS5raW5kID09PSAnYnl0ZXMnICYmIHNvdXJjZS5ieXRlcy5idWZmZXIgaW5zdGFuY2VvZiBBcnJheUJ1ZmZlciA/IFtzb3VyY2UuYnl0ZXMuYnVmZmVyXSA6IFtdLFxuICApO1xufVxuIiwgIi8vIEJldHdlZW4gd2hhdCB1c2VycyBob2xkIChUZW5zb3IsIGFycmF5cywgTWFwKSBhbmQgd2hhdCB0aGUgZW5naW5lIGlzIHNlbnQuXG5pbXBvcnQgdHlwZSB7IERhdGFUeXBlLCBOdW1lcmljVHlwZSB9IGZyb20gJy4vZHR5cGVzLmpzJztcbmltcG9ydCB7IGFycmF5T2YsIHR5cGVPZk9ubnhOYW1lIH0gZnJvbSAnLi9kdHlwZXMuanMnO1xuaW1wb3J0IHsgT25ueGxldEVycm9yIH0gZnJvbSAnLi9lcnJvcnMuanMnO1xuaW1wb3J0IHR5cGUgeyBXaXJlVmFsdWUgfSBmcm9tICcuL3Byb3RvY29sLmpzJztcbmltcG9ydCB7IFRlbnNvciB9IGZyb20gJy4vdGVuc29yLmpzJztcblxuZXhwb3J0IHR5cGUgTWFwS2V5ID0gc3RyaW5nIHwgYmlnaW50IHwgbnVtYmVyO1xuLyoqIEEgdGVuc29yLCBhIHNlcXVlbmNlIGFzIGFuIGFycmF5LCBhIG1hcCBhcyBhIE1hcCwgYW4gYWJzZW50IG9wdGlvbmFsIGFzIG51bGwuICovXG5leHBvcnQgdHlwZSBPbm54VmFsdWUgPSBUZW5zb3IgfCBPbm54VmFsdWVbXSB8IE1hcDxNYXBLZXksIE1hcEtleT4gfCBudWxsO1xuXG4vKiogQHBhcmFtIGRlY2xhcmVkIHRoZSBpbnB1dCdzIHR5cGUgaW4gdGhlIG1vZGVsLCBzdWNoIGFzIGBzZXEodGVuc29yKGZsb2F0KSlgOiBuZWVkZWQgZm9yIG1hcHMsIHdob3NlIHR5cGVzIEpTIGRvZXMgbm90IHNob3cgKi9cbmV4cG9ydCBmdW5jdGlvbiB0b1dpcmUodmFsdWU6IHVua25vd24sIGRlY2xhcmVkOiBzdHJpbmcsIG5hbWU6IHN0cmluZyk6IFdpcmVWYWx1ZSB7XG4gIGlmICh2YWx1ZSA9PT0gbnVsbCkgcmV0dXJuIHsga2luZDogJ25vbmUnIH07XG4gIGlmICh2YWx1ZSBpbnN0YW5jZW9mIFRlbnNvcikgcmV0dXJuIHRlbnNvclRvV2lyZSh2YWx1ZSk7XG4gIGNvbnN0IGlubmVyID0gL14oPzpzZXF8b3B0aW9uYWwpXFwoKC4qKVxcKSQvLmV4ZWMoZGVjbGFyZWQpO1xuICBpZiAoQXJyYXkuaXNBcnJheSh2YWx1ZSkpIHtcbiAgICBjb25zdCBpdGVtID0gZGVjbGFyZWQuc3RhcnRzV2l0aCgnb3B0aW9uYWwoJykgPyBpbm5lcj8uWzFdIDogZGVjbGFyZWQ7XG4gICAgY29uc3QgZWxlbWVudCA9IC9ec2VxXFwoKC4qKVxcKSQvLmV4ZWMoaXRlbSA/PyAnJyk/LlsxXSA/PyAnJztcbiAgICByZXR1cm4geyBraW5kOiAnc2VxdWVuY2UnLCBpdGVtczogdmFsdWUubWFwKChlbnRyeSwgaW5kZXgpID0+IHRvV2lyZShlbnRyeSwgZWxlbWVudCwgYCR7bmFtZX1bJHtpbmRleH1dYCkpIH07XG4gIH1cbiAgaWYgKHZhbHVlIGluc3RhbmNlb2YgTWFwKSByZXR1cm4gbWFwVG9XaXJlKHZhbHVlIGFzIE1hcDxNYXBLZXksIE1hcEtleT4sIGRlY2xhcmVkLCBuYW1lKTtcbiAgaWYgKGlzRm9yZWlnblRlbnNvcih2YWx1ZSkpIHtcbiAgICByZXR1cm4gdGVuc29yVG9XaXJlKG5ldyBUZW5zb3IodmFsdWUudHlwZSwgdmFsdWUuZGF0YSBhcyBVaW50OEFycmF5LCB2YWx1ZS5kaW1zKSk7XG4gIH1cbiAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcihcbiAgICAnSU5WQUxJRF9BUkdVTUVOVCcsXG4gICAgYGlucHV0ICR7SlNPTi5zdHJpbmdpZnkobmFtZSl9IGlzIGRlY2xhcmVkICR7ZGVjbGFyZWR9IGFuZCBtdXN0IGJlIGEgVGVuc29yLCBhbiBhcnJheSwgYSBNYXAgb3IgbnVsbDsgYCArXG4gICAgICBgZ290ICR7dmFsdWUgPT09IHVuZGVmaW5lZCA/ICd1bmRlZmluZWQnIDogdHlwZW9mIHZhbHVlfWAsXG4gICk7XG59XG5cbmV4cG9ydCBmdW5jdGlvbiBmcm9tV2lyZSh3aXJlOiBXaXJlVmFsdWUpOiBPbm54VmFsdWUge1xuICBzd2l0Y2ggKHdpcmUua2luZCkge1xuICAgIGNhc2UgJ25vbmUnOlxuICAgICAgcmV0dXJuIG51bGw7XG4gICAgY2FzZSAnc2VxdWVuY2UnOlxuICAgICAgcmV0dXJuIHdpcmUuaXRlbXMubWFwKGZyb21XaXJlKTtcbiAgICBjYXNlICdtYXAnOiB7XG4gICAgICBjb25zdCBrZXlzID0gZWxlbWVudHNPZih3aXJlLmtleXMpO1xuICAgICAgY29uc3QgdmFsdWVzID0gZWxlbWVudHNPZih3aXJlLnZhbHVlcyk7XG4gICAgICByZXR1cm4gbmV3IE1hcChrZXlzLm1hcCgoa2V5LCBpbmRleCkgPT4gW2tleSwgdmFsdWVzW2luZGV4XSA/PyAwXSkpO1xuICAgIH1cbiAgICBjYXNlICd0ZW5zb3InOlxuICAgICAgaWYgKCEod2lyZS5kYXRhIGluc3RhbmNlb2YgVWludDhBcnJheSkpIHJldHVybiBuZXcgVGVuc29yKCdzdHJpbmcnLCB3aXJlLmRhdGEsIHdpcmUuZGltcyk7XG4gICAgICByZXR1cm4gbmV3IFRlbnNvcih3aXJlLnR5cGUsIGFycmF5T2Yod2lyZS50eXBlIGFzIE51bWVyaWNUeXBlLCB3aXJlLmRhdGEpLCB3aXJlLmRpbXMpO1xuICB9XG59XG5cbmZ1bmN0aW9uIHRlbnNvclRvV2lyZSh0ZW5zb3I6IFRlbnNvcik6IFdpcmVWYWx1ZSB7XG4gIGNvbnN0IHsgdHlwZSwgZGltcywgZGF0YSB9ID0gdGVuc29yO1xuICBpZiAoQXJyYXkuaXNBcnJheShkYXRhKSkgcmV0dXJuIHsga2luZDogJ3RlbnNvcicsIHR5cGUsIGRpbXMsIGRhdGEgfTtcbiAgcmV0dXJuIHsga2luZDogJ3RlbnNvcicsIHR5cGUsIGRpbXMsIGRhdGE6IG5ldyBVaW50OEFycmF5KGRhdGEuYnVmZmVyLCBkYXRhLmJ5dGVPZmZzZXQsIGRhdGEuYnl0ZUxlbmd0aCkgfTtcbn1cblxuZnVuY3Rpb24gbWFwVG9XaXJlKG1hcDogTWFwPE1hcEtleSwgTWFwS2V5PiwgZGVjbGFyZWQ6IHN0cmluZywgbmFtZTogc3RyaW5nKTogV2lyZVZhbHVlIHtcbiAgY29uc3QgdHlwZXMgPSAvXm1hcFxcKChcXHcrKSxcXHMqdGVuc29yXFwoKFxcdyspXFwpXFwpJC8uZXhlYyhkZWNsYXJlZCk7XG4gIGNvbnN0IGtleVR5cGUgPSB0eXBlT2ZPbm54TmFtZSh0eXBlcz8uWzFdID8/ICcnKTtcbiAgY29uc3QgdmFsdWVUeXBlID0gdHlwZU9mT25ueE5hbWUodHlwZXM/LlsyXSA/PyAnJyk7XG4gIGlmICgha2V5VHlwZSB8fCAhdmFsdWVUeXBlKSB7XG4gICAgdGhyb3cgbmV3IE9ubnhsZXRFcnJvcihcbiAgICAgICdJTlZBTElEX0FSR1VNRU5UJyxcbiAgICAgIGBpbnB1dCAke0pTT04uc3RyaW5naWZ5KG5hbWUpfSBpcyBkZWNsYXJlZCAke2RlY2xhcmVkfSwgd2hpY2ggaXMgbm8gTWFwYCxcbiAgICApO1xuICB9XG4gIHJldHVybiB7IGtpbmQ6ICdtYXAnLCBrZXlzOiB2ZWN0b3Ioa2V5VHlwZSwgWy4uLm1hcC5rZXlzKCldKSwgdmFsdWVzOiB2ZWN0b3IodmFsdWVUeXBlLCBbLi4ubWFwLnZhbHVlcygpXSkgfTtcbn1cblxuZnVuY3Rpb24gdmVjdG9yKHR5cGU6IERhdGFUeXBlLCBlbGVtZW50czogTWFwS2V5W10pOiBXaXJlVmFsdWUge1xuICByZXR1cm4gdGVuc29yVG9XaXJlKG5ldyBUZW5zb3IodHlwZSwgZWxlbWVudHMgYXMgbnVtYmVyW10sIFtlbGVtZW50cy5sZW5ndGhdKSk7XG59XG5cbmZ1bmN0aW9uIGVsZW1lbnRzT2Yod2lyZTogV2lyZVZhbHVlKTogTWFwS2V5W10ge1xuICBjb25zdCB2YWx1ZSA9IGZyb21XaXJlKHdpcmUpO1xuICBpZiAoISh2YWx1ZSBpbnN0YW5jZW9mIFRlbnNvcikpIHRocm93IG5ldyBPbm54bGV0RXJyb3IoJ0lOVEVSTkFMJywgJ3RoZSBrZXlzIGFuZCB2YWx1ZXMgb2YgYSBtYXAgbXVzdCBiZSB0ZW5zb3JzJyk7XG4gIHJldHVybiBBcnJheS5mcm9tKHZhbHVlLmRhdGEgYXMgQXJyYXlMaWtlPE1hcEtleT4pO1xufVxuXG4vLyBUZW5zb3JzIG9mIGFub3RoZXIgY29weSBvZiB0aGlzIHBhY2thZ2UsIG9yIG9mIG9ubnhydW50aW1lLWNvbW1vbiBpdHNlbGYuXG5mdW5jdGlvbiBpc0ZvcmVpZ25UZW5zb3IodmFsdWU6IHVua25vd24pOiB2YWx1ZSBpcyB7IHR5cGU6IERhdGFUeXBlOyBkYXRhOiB1bmtub3duOyBkaW1zOiByZWFkb25seSBudW1iZXJbXSB9IHtcbiAgcmV0dXJuIHR5cGVvZiB2YWx1ZSA9PT0gJ29iamVjdCcgJiYgdmFsdWUgIT09IG51bGwgJiYgJ3R5cGUnIGluIHZhbHVlICYmICdkYXRhJyBpbiB2YWx1ZSAmJiAnZGltcycgaW4gdmFsdWU7XG59XG4iXSwKICAibWFwcGluZ3MiOiAiO0FBQUEsT0FBTyxZQUFZO0FBQ25CLFNBQVMsWUFBWTs7O0FDMkRyQixJQUFNLE9BQVEsV0FBMEQsZ0JBQWdCO0FBRXhGLFNBQVMsSUFBSSxNQUFjLE1BQWMsTUFBYyxPQUEwQjtBQUMvRSxTQUFPLEVBQUUsTUFBTSxNQUFNLE1BQU0sTUFBK0M7QUFDNUU7QUFFTyxJQUFNLFFBQThDO0FBQUEsRUFDekQsU0FBUyxJQUFJLEdBQUcsU0FBUyxJQUFJLFlBQVk7QUFBQSxFQUN6QyxPQUFPLElBQUksR0FBRyxTQUFTLEdBQUcsVUFBVTtBQUFBLEVBQ3BDLE1BQU0sSUFBSSxHQUFHLFFBQVEsR0FBRyxTQUFTO0FBQUEsRUFDakMsUUFBUSxJQUFJLEdBQUcsVUFBVSxJQUFJLFdBQVc7QUFBQSxFQUN4QyxPQUFPLElBQUksR0FBRyxTQUFTLElBQUksVUFBVTtBQUFBLEVBQ3JDLE9BQU8sSUFBSSxHQUFHLFNBQVMsSUFBSSxVQUFVO0FBQUEsRUFDckMsT0FBTyxJQUFJLEdBQUcsU0FBUyxJQUFJLGFBQWE7QUFBQSxFQUN4QyxRQUFRLElBQUksR0FBRyxVQUFVLEdBQUcsSUFBSTtBQUFBLEVBQ2hDLE1BQU0sSUFBSSxHQUFHLFFBQVEsR0FBRyxVQUFVO0FBQUEsRUFDbEMsU0FBUyxJQUFJLElBQUksV0FBVyxJQUFJLElBQUk7QUFBQSxFQUNwQyxTQUFTLElBQUksSUFBSSxVQUFVLElBQUksWUFBWTtBQUFBLEVBQzNDLFFBQVEsSUFBSSxJQUFJLFVBQVUsSUFBSSxXQUFXO0FBQUEsRUFDekMsUUFBUSxJQUFJLElBQUksVUFBVSxJQUFJLGNBQWM7QUFBQSxFQUM1QyxXQUFXLElBQUksSUFBSSxhQUFhLElBQUksWUFBWTtBQUFBLEVBQ2hELFlBQVksSUFBSSxJQUFJLGNBQWMsS0FBSyxZQUFZO0FBQUEsRUFDbkQsVUFBVSxJQUFJLElBQUksWUFBWSxJQUFJLFdBQVc7QUFBQSxFQUM3QyxjQUFjLElBQUksSUFBSSxnQkFBZ0IsR0FBRyxVQUFVO0FBQUEsRUFDbkQsZ0JBQWdCLElBQUksSUFBSSxrQkFBa0IsR0FBRyxVQUFVO0FBQUEsRUFDdkQsWUFBWSxJQUFJLElBQUksY0FBYyxHQUFHLFVBQVU7QUFBQSxFQUMvQyxnQkFBZ0IsSUFBSSxJQUFJLGtCQUFrQixHQUFHLFVBQVU7QUFBQSxFQUN2RCxPQUFPLElBQUksSUFBSSxTQUFTLEdBQUcsVUFBVTtBQUFBLEVBQ3JDLE1BQU0sSUFBSSxJQUFJLFFBQVEsR0FBRyxVQUFVO0FBQUEsRUFDbkMsWUFBWSxJQUFJLElBQUksY0FBYyxHQUFHLFVBQVU7QUFBQSxFQUMvQyxZQUFZLElBQUksSUFBSSxjQUFjLEdBQUcsVUFBVTtBQUFBLEVBQy9DLE9BQU8sSUFBSSxJQUFJLFNBQVMsR0FBRyxVQUFVO0FBQUEsRUFDckMsTUFBTSxJQUFJLElBQUksUUFBUSxHQUFHLFVBQVU7QUFBQSxFQUNuQyxZQUFZLElBQUksSUFBSSxjQUFjLEdBQUcsVUFBVTtBQUFBLEVBQy9DLFlBQVksSUFBSSxJQUFJLGNBQWMsR0FBRyxVQUFVO0FBQ2pEO0FBRUEsSUFBTSxPQUFPLE9BQU8sUUFBUSxLQUFLO0FBQ2pDLElBQU0sVUFBeUMsSUFBSSxJQUFJLEtBQUssSUFBSSxDQUFDLENBQUMsTUFBTSxJQUFJLE1BQU0sQ0FBQyxLQUFLLE1BQU0sSUFBSSxDQUFDLENBQUM7QUFDcEcsSUFBTSxVQUF5QyxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsQ0FBQyxNQUFNLElBQUksTUFBTSxDQUFDLEtBQUssTUFBTSxJQUFJLENBQUMsQ0FBQztBQU83RixTQUFTLGVBQWUsTUFBb0M7QUFDakUsU0FBTyxRQUFRLElBQUksSUFBSTtBQUN6QjtBQUdPLFNBQVMsWUFBWSxNQUFtQixNQUFzQjtBQUNuRSxRQUFNLE9BQU8sTUFBTSxJQUFJO0FBQ3ZCLFFBQU0sUUFBUSxLQUFLLE9BQU8scUJBQXFCO0FBQy9DLFNBQU8sS0FBSyxLQUFNLE9BQU8sS0FBSyxRQUFTLElBQUksTUFBTTtBQUNuRDtBQUdPLFNBQVMsUUFBUSxNQUFtQixPQUFpQztBQUMxRSxRQUFNLGNBQWMsTUFBTSxJQUFJLEVBQUUsU0FBUztBQUN6QyxRQUFNLFFBQVEsWUFBWTtBQUMxQixTQUFPLElBQUksWUFBWSxNQUFNLFFBQVEsTUFBTSxZQUFZLE1BQU0sYUFBYSxLQUFLO0FBQ2pGOzs7QUM5R08sSUFBTSxlQUFOLGNBQTJCLE1BQU07QUFBQSxFQUNwQixPQUFPO0FBQUEsRUFDaEI7QUFBQSxFQUVULFlBQVksTUFBaUIsU0FBaUIsU0FBK0I7QUFDM0UsVUFBTSxTQUFTLE9BQU87QUFDdEIsU0FBSyxPQUFPO0FBQUEsRUFDZDtBQUNGOzs7QUNGTyxJQUFNLFNBQU4sTUFBTSxRQUFPO0FBQUEsRUFDVDtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDVDtBQUFBLEVBYUEsWUFDRSxPQUNBLFFBQ0EsT0FDQTtBQUNBLFVBQU0sUUFBUSxPQUFPLFVBQVU7QUFDL0IsVUFBTSxPQUFRLFFBQVEsU0FBUztBQUMvQixVQUFNLE9BQU8sUUFBUSxRQUFTO0FBQzlCLFNBQUssT0FBTyxRQUFRLFFBQVEsV0FBVyxLQUFLO0FBQzVDLFNBQUssUUFBUSxRQUFRLEtBQUssTUFBTSxJQUFJO0FBQ3BDLFNBQUssT0FBTyxTQUFTLFNBQVksQ0FBQyxTQUFTLEtBQUssTUFBTSxLQUFLLEtBQUssQ0FBQyxJQUFJLFlBQVksSUFBSTtBQUNyRixTQUFLLE9BQU8sS0FBSyxLQUFLLE9BQU8sQ0FBQyxTQUFTLFFBQVEsVUFBVSxLQUFLLENBQUM7QUFDL0QsVUFBTSxXQUFXLEtBQUssU0FBUyxXQUFXLEtBQUssT0FBTyxZQUFZLEtBQUssTUFBTSxLQUFLLElBQUk7QUFDdEYsUUFBSSxLQUFLLE1BQU0sV0FBVyxVQUFVO0FBQ2xDLFlBQU07QUFBQSxRQUNKLEtBQUssS0FBSyxJQUFJLHFCQUFxQixLQUFLLEtBQUssS0FBSyxJQUFJLENBQUMsV0FBVyxRQUFRLGlDQUN4RCxLQUFLLE1BQU0sTUFBTTtBQUFBLE1BQ3JDO0FBQUEsSUFDRjtBQUFBLEVBQ0Y7QUFBQTtBQUFBLEVBR0EsSUFBSSxPQUE4QjtBQUNoQyxRQUFJLEtBQUssVUFBVSxLQUFNLE9BQU0sUUFBUSx3QkFBd0I7QUFDL0QsV0FBTyxLQUFLO0FBQUEsRUFDZDtBQUFBO0FBQUEsRUFHQSxJQUFJLFdBQTJCO0FBQzdCLFdBQU8sS0FBSyxVQUFVLE9BQU8sU0FBUztBQUFBLEVBQ3hDO0FBQUE7QUFBQTtBQUFBLEVBSUEsTUFBTSxRQUFRLGNBQWMsT0FBdUM7QUFDakUsVUFBTSxPQUFPLEtBQUs7QUFDbEIsUUFBSSxZQUFhLE1BQUssUUFBUTtBQUM5QixXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRUEsVUFBZ0I7QUFDZCxTQUFLLFFBQVE7QUFBQSxFQUNmO0FBQUE7QUFBQSxFQUdBLFFBQVEsTUFBaUM7QUFDdkMsV0FBTyxJQUFJLFFBQU8sS0FBSyxNQUFNLEtBQUssTUFBTSxJQUFJO0FBQUEsRUFDOUM7QUFDRjtBQVdBLFNBQVMsUUFBUSxTQUErQjtBQUM5QyxTQUFPLElBQUksYUFBYSxvQkFBb0IsV0FBVyxPQUFPLEVBQUU7QUFDbEU7QUFFQSxTQUFTLFlBQVksTUFBNEM7QUFDL0QsYUFBVyxPQUFPLE1BQU07QUFDdEIsUUFBSSxDQUFDLE9BQU8sY0FBYyxHQUFHLEtBQUssTUFBTSxHQUFHO0FBQ3pDLFlBQU0sUUFBUSwrQ0FBK0MsS0FBSyxLQUFLLElBQUksQ0FBQyxHQUFHO0FBQUEsSUFDakY7QUFBQSxFQUNGO0FBQ0EsU0FBTyxDQUFDLEdBQUcsSUFBSTtBQUNqQjtBQUVBLElBQU0sV0FBMEMsb0JBQUksSUFBSTtBQUFBLEVBQ3RELENBQUMsZ0JBQWdCLFNBQVM7QUFBQSxFQUMxQixDQUFDLGdCQUFnQixTQUFTO0FBQUEsRUFDMUIsQ0FBQyxnQkFBZ0IsU0FBUztBQUFBLEVBQzFCLENBQUMsY0FBYyxPQUFPO0FBQUEsRUFDdEIsQ0FBQyxxQkFBcUIsT0FBTztBQUFBLEVBQzdCLENBQUMsYUFBYSxNQUFNO0FBQUEsRUFDcEIsQ0FBQyxlQUFlLFFBQVE7QUFBQSxFQUN4QixDQUFDLGNBQWMsT0FBTztBQUFBLEVBQ3RCLENBQUMsY0FBYyxPQUFPO0FBQUEsRUFDdEIsQ0FBQyxlQUFlLFFBQVE7QUFBQSxFQUN4QixDQUFDLGlCQUFpQixPQUFPO0FBQUEsRUFDekIsQ0FBQyxrQkFBa0IsUUFBUTtBQUM3QixDQUFDO0FBR0QsU0FBUyxNQUFNLE1BQXVCO0FBQ3BDLFNBQU8sT0FBTyxVQUFVLFNBQVMsS0FBSyxJQUFJLEVBQUUsTUFBTSxHQUFHLEVBQUU7QUFDekQ7QUFFQSxTQUFTLFdBQVcsTUFBeUI7QUFDM0MsTUFBSSxNQUFNLFFBQVEsSUFBSSxHQUFHO0FBQ3ZCLFFBQUksS0FBSyxXQUFXLEVBQUcsT0FBTSxRQUFRLDhEQUE4RDtBQUNuRyxRQUFJLE9BQU8sS0FBSyxDQUFDLE1BQU0sU0FBVSxRQUFPO0FBQ3hDLFFBQUksT0FBTyxLQUFLLENBQUMsTUFBTSxVQUFXLFFBQU87QUFDekMsVUFBTSxRQUFRLHdGQUF3RjtBQUFBLEVBQ3hHO0FBQ0EsUUFBTSxPQUFPLFNBQVMsSUFBSSxNQUFNLElBQUksQ0FBQztBQUNyQyxNQUFJLENBQUMsS0FBTSxPQUFNLFFBQVEsK0NBQStDLFNBQVMsSUFBSSxDQUFDLEVBQUU7QUFDeEYsU0FBTztBQUNUO0FBRUEsU0FBUyxRQUFRLE1BQWdCLE1BQXdDO0FBQ3ZFLE1BQUksQ0FBQyxPQUFPLE9BQU8sT0FBTyxJQUFJLEVBQUcsT0FBTSxRQUFRLDRCQUE0QixLQUFLLFVBQVUsSUFBSSxDQUFDLEVBQUU7QUFDakcsTUFBSSxTQUFTLFNBQVUsUUFBTyxlQUFlLElBQUk7QUFDakQsUUFBTSxNQUFNLE1BQU0sSUFBSTtBQUN0QixRQUFNLGNBQWMsTUFBTSxJQUFJLEVBQUU7QUFHaEMsTUFBSSxRQUFRLFlBQVksS0FBTSxRQUFPO0FBQ3JDLE1BQUksUUFBUSx1QkFBdUIsU0FBUyxRQUFTLFFBQU8sT0FBTyxZQUFZLElBQXlCO0FBQ3hHLE1BQUksU0FBUyxhQUFhLFFBQVEsY0FBZSxRQUFPLE9BQU8sYUFBYSxJQUFtQjtBQUMvRixNQUFJLENBQUMsTUFBTSxRQUFRLElBQUksR0FBRztBQUN4QixVQUFNLFFBQVEsZ0JBQWdCLElBQUksY0FBYyxZQUFZLElBQUkscUJBQXFCLFNBQVMsSUFBSSxDQUFDLEVBQUU7QUFBQSxFQUN2RztBQUNBLE1BQUksU0FBUyxhQUFhLFlBQVksU0FBUyxlQUFlO0FBQzVELFVBQU0sUUFBUSw0RkFBNEY7QUFBQSxFQUM1RztBQUNBLE1BQUk7QUFDRixRQUFJLFNBQVMsV0FBVyxTQUFTLFVBQVU7QUFDekMsYUFBTyxJQUFJLFlBQWEsS0FBNkIsSUFBSSxDQUFDLFVBQVUsT0FBTyxLQUFLLENBQUMsQ0FBQztBQUFBLElBQ3BGO0FBQ0EsV0FBTyxJQUFJLFlBQVksSUFBSTtBQUFBLEVBQzdCLFNBQVMsT0FBTztBQUNkLFVBQU0sSUFBSSxhQUFhLG9CQUFvQixnREFBZ0QsSUFBSSxJQUFJLEVBQUUsTUFBTSxDQUFDO0FBQUEsRUFDOUc7QUFDRjtBQUVBLFNBQVMsZUFBZSxNQUF5QjtBQUMvQyxNQUFJLENBQUMsTUFBTSxRQUFRLElBQUksRUFBRyxPQUFNLFFBQVEsd0RBQXdELFNBQVMsSUFBSSxDQUFDLEVBQUU7QUFDaEgsUUFBTSxRQUFRLEtBQUssVUFBVSxDQUFDLFNBQVMsT0FBTyxTQUFTLFFBQVE7QUFDL0QsTUFBSSxTQUFTLEVBQUcsT0FBTSxRQUFRLFdBQVcsS0FBSywwQkFBMEIsU0FBUyxLQUFLLEtBQUssQ0FBQyxDQUFDLEVBQUU7QUFDL0YsU0FBTztBQUNUO0FBRUEsU0FBUyxPQUNQLGFBQ0EsTUFDYztBQUNkLFFBQU0sU0FBUztBQUNmLFNBQU8sSUFBSSxPQUFPLEtBQUssUUFBUSxLQUFLLFlBQVksS0FBSyxNQUFNO0FBQzdEO0FBR0EsU0FBUyxTQUFTLE1BQWdCLE1BQXVDO0FBQ3ZFLE1BQUksU0FBUyxTQUFVLFFBQU8sS0FBSztBQUNuQyxRQUFNLGFBQWEsTUFBTSxJQUFJLEVBQUUsUUFBUSxJQUFLLEtBQXNCO0FBQ2xFLFNBQU8sS0FBSyxNQUFNLEtBQUssU0FBUyxVQUFVO0FBQzVDO0FBRUEsU0FBUyxTQUFTLE9BQXdCO0FBQ3hDLE1BQUksVUFBVSxRQUFRLFVBQVUsT0FBVyxRQUFPLE9BQU8sS0FBSztBQUM5RCxTQUFPLE9BQU8sVUFBVSxXQUFXLE1BQU0sS0FBSyxJQUFJLE9BQU87QUFDM0Q7OztBQzFMTyxTQUFTLFVBQVUsUUFBNkM7QUFDckUsUUFBTSxRQUFRLG9CQUFJLElBQWlCO0FBQ25DLFFBQU0sUUFBUSxDQUFDLFVBQTJCO0FBQ3hDLFFBQUksTUFBTSxTQUFTLFdBQVksT0FBTSxNQUFNLFFBQVEsS0FBSztBQUN4RCxRQUFJLE1BQU0sU0FBUyxNQUFPLEVBQUMsTUFBTSxNQUFNLE1BQU0sTUFBTSxFQUFFLFFBQVEsS0FBSztBQUNsRSxRQUFJLE1BQU0sU0FBUyxZQUFZLE1BQU0sZ0JBQWdCLGNBQWMsTUFBTSxLQUFLLGtCQUFrQixhQUFhO0FBQzNHLFlBQU0sSUFBSSxNQUFNLEtBQUssTUFBTTtBQUFBLElBQzdCO0FBQUEsRUFDRjtBQUNBLFNBQU8sUUFBUSxLQUFLO0FBQ3BCLFNBQU8sQ0FBQyxHQUFHLEtBQUs7QUFDbEI7QUFHTyxTQUFTLFNBQVMsT0FBNkI7QUFDcEQsVUFBUSxNQUFNLE1BQU07QUFBQSxJQUNsQixLQUFLO0FBQ0gsYUFBTztBQUFBLElBQ1QsS0FBSztBQUNILGFBQU8sTUFBTSxnQkFBZ0IsYUFBYSxFQUFFLEdBQUcsT0FBTyxNQUFNLElBQUksV0FBVyxNQUFNLElBQUksRUFBRSxJQUFJO0FBQUEsSUFDN0YsS0FBSztBQUNILGFBQU8sRUFBRSxNQUFNLFlBQVksT0FBTyxNQUFNLE1BQU0sSUFBSSxRQUFRLEVBQUU7QUFBQSxJQUM5RCxLQUFLO0FBQ0gsYUFBTyxFQUFFLE1BQU0sT0FBTyxNQUFNLFNBQVMsTUFBTSxJQUFJLEdBQUcsUUFBUSxTQUFTLE1BQU0sTUFBTSxFQUFFO0FBQUEsRUFDckY7QUFDRjs7O0FDakJPLFNBQVMsT0FBTyxPQUFnQixVQUFrQixNQUF5QjtBQUNoRixNQUFJLFVBQVUsS0FBTSxRQUFPLEVBQUUsTUFBTSxPQUFPO0FBQzFDLE1BQUksaUJBQWlCLE9BQVEsUUFBTyxhQUFhLEtBQUs7QUFDdEQsUUFBTSxRQUFRLDZCQUE2QixLQUFLLFFBQVE7QUFDeEQsTUFBSSxNQUFNLFFBQVEsS0FBSyxHQUFHO0FBQ3hCLFVBQU0sT0FBTyxTQUFTLFdBQVcsV0FBVyxJQUFJLFFBQVEsQ0FBQyxJQUFJO0FBQzdELFVBQU0sVUFBVSxnQkFBZ0IsS0FBSyxRQUFRLEVBQUUsSUFBSSxDQUFDLEtBQUs7QUFDekQsV0FBTyxFQUFFLE1BQU0sWUFBWSxPQUFPLE1BQU0sSUFBSSxDQUFDLE9BQU8sVUFBVSxPQUFPLE9BQU8sU0FBUyxHQUFHLElBQUksSUFBSSxLQUFLLEdBQUcsQ0FBQyxFQUFFO0FBQUEsRUFDN0c7QUFDQSxNQUFJLGlCQUFpQixJQUFLLFFBQU8sVUFBVSxPQUE4QixVQUFVLElBQUk7QUFDdkYsTUFBSSxnQkFBZ0IsS0FBSyxHQUFHO0FBQzFCLFdBQU8sYUFBYSxJQUFJLE9BQU8sTUFBTSxNQUFNLE1BQU0sTUFBb0IsTUFBTSxJQUFJLENBQUM7QUFBQSxFQUNsRjtBQUNBLFFBQU0sSUFBSTtBQUFBLElBQ1I7QUFBQSxJQUNBLFNBQVMsS0FBSyxVQUFVLElBQUksQ0FBQyxnQkFBZ0IsUUFBUSx1REFDNUMsVUFBVSxTQUFZLGNBQWMsT0FBTyxLQUFLO0FBQUEsRUFDM0Q7QUFDRjtBQUVPLFNBQVMsU0FBUyxNQUE0QjtBQUNuRCxVQUFRLEtBQUssTUFBTTtBQUFBLElBQ2pCLEtBQUs7QUFDSCxhQUFPO0FBQUEsSUFDVCxLQUFLO0FBQ0gsYUFBTyxLQUFLLE1BQU0sSUFBSSxRQUFRO0FBQUEsSUFDaEMsS0FBSyxPQUFPO0FBQ1YsWUFBTSxPQUFPLFdBQVcsS0FBSyxJQUFJO0FBQ2pDLFlBQU0sU0FBUyxXQUFXLEtBQUssTUFBTTtBQUNyQyxhQUFPLElBQUksSUFBSSxLQUFLLElBQUksQ0FBQyxLQUFLLFVBQVUsQ0FBQyxLQUFLLE9BQU8sS0FBSyxLQUFLLENBQUMsQ0FBQyxDQUFDO0FBQUEsSUFDcEU7QUFBQSxJQUNBLEtBQUs7QUFDSCxVQUFJLEVBQUUsS0FBSyxnQkFBZ0IsWUFBYSxRQUFPLElBQUksT0FBTyxVQUFVLEtBQUssTUFBTSxLQUFLLElBQUk7QUFDeEYsYUFBTyxJQUFJLE9BQU8sS0FBSyxNQUFNLFFBQVEsS0FBSyxNQUFxQixLQUFLLElBQUksR0FBRyxLQUFLLElBQUk7QUFBQSxFQUN4RjtBQUNGO0FBRUEsU0FBUyxhQUFhLFFBQTJCO0FBQy9DLFFBQU0sRUFBRSxNQUFNLE1BQU0sS0FBSyxJQUFJO0FBQzdCLE1BQUksTUFBTSxRQUFRLElBQUksRUFBRyxRQUFPLEVBQUUsTUFBTSxVQUFVLE1BQU0sTUFBTSxLQUFLO0FBQ25FLFNBQU8sRUFBRSxNQUFNLFVBQVUsTUFBTSxNQUFNLE1BQU0sSUFBSSxXQUFXLEtBQUssUUFBUSxLQUFLLFlBQVksS0FBSyxVQUFVLEVBQUU7QUFDM0c7QUFFQSxTQUFTLFVBQVUsS0FBMEIsVUFBa0IsTUFBeUI7QUFDdEYsUUFBTSxRQUFRLG9DQUFvQyxLQUFLLFFBQVE7QUFDL0QsUUFBTSxVQUFVLGVBQWUsUUFBUSxDQUFDLEtBQUssRUFBRTtBQUMvQyxRQUFNLFlBQVksZUFBZSxRQUFRLENBQUMsS0FBSyxFQUFFO0FBQ2pELE1BQUksQ0FBQyxXQUFXLENBQUMsV0FBVztBQUMxQixVQUFNLElBQUk7QUFBQSxNQUNSO0FBQUEsTUFDQSxTQUFTLEtBQUssVUFBVSxJQUFJLENBQUMsZ0JBQWdCLFFBQVE7QUFBQSxJQUN2RDtBQUFBLEVBQ0Y7QUFDQSxTQUFPLEVBQUUsTUFBTSxPQUFPLE1BQU0sT0FBTyxTQUFTLENBQUMsR0FBRyxJQUFJLEtBQUssQ0FBQyxDQUFDLEdBQUcsUUFBUSxPQUFPLFdBQVcsQ0FBQyxHQUFHLElBQUksT0FBTyxDQUFDLENBQUMsRUFBRTtBQUM3RztBQUVBLFNBQVMsT0FBTyxNQUFnQixVQUErQjtBQUM3RCxTQUFPLGFBQWEsSUFBSSxPQUFPLE1BQU0sVUFBc0IsQ0FBQyxTQUFTLE1BQU0sQ0FBQyxDQUFDO0FBQy9FO0FBRUEsU0FBUyxXQUFXLE1BQTJCO0FBQzdDLFFBQU0sUUFBUSxTQUFTLElBQUk7QUFDM0IsTUFBSSxFQUFFLGlCQUFpQixRQUFTLE9BQU0sSUFBSSxhQUFhLFlBQVksOENBQThDO0FBQ2pILFNBQU8sTUFBTSxLQUFLLE1BQU0sSUFBeUI7QUFDbkQ7QUFHQSxTQUFTLGdCQUFnQixPQUFxRjtBQUM1RyxTQUFPLE9BQU8sVUFBVSxZQUFZLFVBQVUsUUFBUSxVQUFVLFNBQVMsVUFBVSxTQUFTLFVBQVU7QUFDeEc7OztBTDNFQSxLQUFLLG1EQUFtRCxNQUFNO0FBQzVELFFBQU0sT0FBTyxJQUFJLGFBQWEsQ0FBQyxHQUFHLEdBQUcsR0FBRyxDQUFDLENBQUMsRUFBRSxTQUFTLEdBQUcsQ0FBQztBQUN6RCxRQUFNLE9BQU8sT0FBTyxJQUFJLE9BQU8sV0FBVyxNQUFNLENBQUMsQ0FBQyxDQUFDLEdBQUcsaUJBQWlCLEdBQUc7QUFDMUUsU0FBTyxHQUFHLEtBQUssU0FBUyxZQUFZLEtBQUssZ0JBQWdCLFVBQVU7QUFDbkUsU0FBTyxNQUFNLEtBQUssS0FBSyxZQUFZLENBQUM7QUFDcEMsUUFBTSxPQUFPLFNBQVMsSUFBSTtBQUMxQixTQUFPLEdBQUcsS0FBSyxTQUFTLFlBQVksS0FBSyxnQkFBZ0IsVUFBVTtBQUNuRSxTQUFPLE1BQU0sS0FBSyxLQUFLLE9BQU8sWUFBWSxDQUFDO0FBQzNDLFNBQU8sVUFBVyxTQUFTLElBQUksRUFBYSxNQUFNLElBQUksYUFBYSxDQUFDLEdBQUcsQ0FBQyxDQUFDLENBQUM7QUFDMUUsU0FBTyxVQUFVLFVBQVUsQ0FBQyxJQUFJLENBQUMsR0FBRyxDQUFDLEtBQUssS0FBSyxNQUFNLENBQUM7QUFDeEQsQ0FBQztBQUVELEtBQUssaUNBQWlDLE1BQU07QUFDMUMsUUFBTSxPQUFPLElBQUksT0FBTyxTQUFTLENBQUMsQ0FBQyxHQUFHLENBQUMsQ0FBQyxDQUFDO0FBQ3pDLFFBQU0sV0FBVyxPQUFPLENBQUMsTUFBTSxJQUFJLEdBQUcsc0JBQXNCLEdBQUc7QUFDL0QsU0FBTyxNQUFNLFNBQVMsU0FBUyxjQUFjLFNBQVMsTUFBTSxRQUFRLENBQUM7QUFDckUsU0FBTyxNQUFPLFNBQVMsUUFBUSxFQUFlLFFBQVEsQ0FBQztBQUN2RCxTQUFPLFVBQVUsT0FBTyxNQUFNLDJCQUEyQixHQUFHLEdBQUcsRUFBRSxNQUFNLE9BQU8sQ0FBQztBQUUvRSxRQUFNLE1BQU0sb0JBQUksSUFBSTtBQUFBLElBQ2xCLENBQUMsSUFBSSxHQUFHO0FBQUEsSUFDUixDQUFDLElBQUksSUFBSTtBQUFBLEVBQ1gsQ0FBQztBQUNELFNBQU8sVUFBVSxTQUFTLE9BQU8sS0FBSyw0QkFBNEIsR0FBRyxDQUFDLEdBQUcsR0FBRztBQUM1RSxRQUFNLFFBQVEsb0JBQUksSUFBSSxDQUFDLENBQUMsS0FBSyxFQUFFLENBQUMsQ0FBQztBQUNqQyxTQUFPLFVBQVUsU0FBUyxPQUFPLENBQUMsS0FBSyxHQUFHLGtDQUFrQyxHQUFHLENBQUMsR0FBRyxDQUFDLEtBQUssQ0FBQztBQUM1RixDQUFDO0FBRUQsS0FBSyx5REFBeUQsTUFBTTtBQUNsRSxRQUFNLFVBQVUsRUFBRSxNQUFNLFdBQVcsTUFBTSxJQUFJLGFBQWEsQ0FBQyxHQUFHLE1BQU0sQ0FBQyxDQUFDLEdBQUcsTUFBTSxFQUFFO0FBQ2pGLFNBQU8sTUFBTSxPQUFPLFNBQVMsaUJBQWlCLEdBQUcsRUFBRSxNQUFNLFFBQVE7QUFDbkUsQ0FBQztBQUVELEtBQUssMERBQTBELE1BQU07QUFDbkUsU0FBTyxPQUFPLE1BQU0sT0FBTyxHQUFHLGlCQUFpQixHQUFHLEdBQUcsbURBQW1EO0FBQ3hHLFNBQU8sT0FBTyxNQUFNLE9BQU8sb0JBQUksSUFBSSxHQUFHLGlCQUFpQixHQUFHLEdBQUcsUUFBUTtBQUN2RSxDQUFDOyIsCiAgIm5hbWVzIjogW10KfQo=
