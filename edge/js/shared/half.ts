// float16 and bfloat16 as bits, for JavaScript engines without Float16Array.

const cell = new DataView(new ArrayBuffer(4));

export function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Rounded to nearest, ties to even. */
export function toFloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  // The distance between neighbours there; below the normal numbers it stays what it is.
  const exponent = Math.max(Math.floor(Math.log2(size || 2 ** -24)), -14);
  const steps = roundToEven(size / 2 ** (exponent - 10));
  return sign | (steps + (exponent + 14) * 1024);
}

export function fromBfloat16(bits: number): number {
  cell.setUint32(0, bits << 16);
  return cell.getFloat32(0);
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
