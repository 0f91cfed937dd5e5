// A weight as rows, one per output channel: the axes before and behind the channels' axis, one after the other.
import type { Codes, Rows } from './quantize.js';

interface Axes {
  /** What is before the channels' axis, the channels, what is behind. */
  readonly outer: number;
  readonly count: number;
  readonly inner: number;
}

export function rowsOf(numbers: Float32Array, shape: readonly number[], axis: number): Rows {
  const { outer, count, inner } = axesOf(shape, axis);
  const columns = outer * inner;
  return {
    count,
    columns,
    read(first, into) {
      const rows = into.length / columns;
      for (let o = 0; o < outer; o++) {
        for (let row = 0; row < rows; row++) {
          const from = (o * count + first + row) * inner;
          const to = row * columns + o * inner;
          for (let i = 0; i < inner; i++) into[to + i] = numbers[from + i] ?? 0;
        }
      }
    },
  };
}

/** Codes in the order of the weight. */
export function placed({ codes, columns }: Codes, shape: readonly number[], axis: number): Int8Array | Uint8Array {
  const { outer, count, inner } = axesOf(shape, axis);
  const made = codes.slice();
  for (let o = 0; o < outer; o++) {
    for (let row = 0; row < count; row++) {
      const from = row * columns + o * inner;
      made.set(codes.subarray(from, from + inner), (o * count + row) * inner);
    }
  }
  return made;
}

function axesOf(shape: readonly number[], axis: number): Axes {
  const size = (dims: readonly number[]) => dims.reduce((product, dim) => product * dim, 1);
  return { outer: size(shape.slice(0, axis)), count: shape[axis] ?? 1, inner: size(shape.slice(axis + 1)) };
}
