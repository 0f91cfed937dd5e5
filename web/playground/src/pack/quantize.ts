// Numbers to codes, as onnxlet/packing/quantizers.py does it with method=rtn: the same codes and scales to the last bit.
// Weights are seen as rows, one per output channel (or per row of an embedding); `block` numbers of a row share a scale.

/** Which numbers codes can stand for. Symmetric ones are signed; others are unsigned, with a zero point per block. */
export interface Grid {
  readonly bits: 4 | 8;
  /** 0: the whole row. */
  readonly block: number;
  readonly symmetric: boolean;
}

/** A matrix that is read some rows at a time. */
export interface Rows {
  readonly count: number;
  readonly columns: number;
  /** Writes the numbers of rows from `first` on, one row after the other, as many as fit. */
  read(first: number, into: Float32Array): void;
}

/** number = (code - zero point) * scale. Codes of symmetric grids lie in a signed array. */
export interface Codes {
  readonly grid: Grid;
  readonly count: number;
  readonly columns: number;
  readonly blocks: number;
  /** [count, columns] */
  readonly codes: Int8Array | Uint8Array;
  /** [count, blocks] */
  readonly scales: Float32Array;
  readonly zeroPoints?: Uint8Array;
  /** Decibels of the numbers against what rounding does to them; infinite where nothing changed. */
  readonly signalToNoise: number;
}

const SMALLEST = 2 ** -126;
/** Added and taken off again, it rounds to whole numbers, halves to even ones. */
const ROUNDING = 1.5 * 2 ** 52;
/** Numbers that are read at a time. */
const CHUNK = 1 << 18;

export function lowest({ bits, symmetric }: Grid): number {
  if (!symmetric) return 0;
  return bits === 8 ? -127 : -(2 ** (bits - 1));
}

export function highest({ bits, symmetric }: Grid): number {
  return symmetric ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
}

/** How many blocks a row has; the last may be shorter. */
export function blocksOf({ block }: Grid, columns: number): number {
  return block ? Math.ceil(columns / block) : 1;
}

/** Scales from the extreme numbers of each block, codes by rounding to the nearest. */
export function roundToNearest(rows: Rows, grid: Grid): Codes {
  const { count, columns } = rows;
  const blocks = blocksOf(grid, columns);
  const width = grid.block || columns;
  const codes = new (grid.symmetric ? Int8Array : Uint8Array)(count * columns);
  const scales = new Float32Array(count * blocks);
  const zeroPoints = grid.symmetric ? undefined : new Uint8Array(count * blocks);
  const step = Math.max(1, Math.min(count, Math.floor(CHUNK / Math.max(columns, 1))));
  const buffer = new Float32Array(step * columns);
  let [signal, noise] = [0, 0];
  for (let first = 0; first < count; first += step) {
    const part = buffer.subarray(0, Math.min(step, count - first) * columns);
    rows.read(first, part);
    for (let at = 0; at < part.length;) {
      const [row, column] = [first + Math.floor(at / columns), at % columns];
      const end = at + Math.min(width, columns - column);
      const { scale, zero } = rangeOf(part, at, end, grid);
      const block = row * blocks + Math.floor(column / width);
      scales[block] = scale;
      if (zeroPoints) zeroPoints[block] = zero;
      const [low, high] = [lowest(grid), highest(grid)];
      for (let to = row * columns + column; at < end; at++, to++) {
        const number = part[at] ?? 0;
        const code = Math.min(high, Math.max(low, nearest(Math.fround(number / scale)) + zero));
        codes[to] = code;
        const gap = Math.fround(number - Math.fround((code - zero) * scale));
        signal += number * number;
        noise += gap * gap;
      }
    }
  }
  const signalToNoise = noise === 0 ? Infinity : signal === 0 ? -Infinity : 10 * Math.log10(signal / noise);
  return { grid, count, columns, blocks, codes, scales, ...(zeroPoints ? { zeroPoints } : {}), signalToNoise };
}

/** All steps are those of float32, whose results a float64 rounds to. */
function rangeOf(part: Float32Array, from: number, to: number, grid: Grid): { scale: number; zero: number } {
  let [least, most] = [Infinity, -Infinity];
  for (let at = from; at < to; at++) {
    const number = part[at] ?? 0;
    if (number < least) least = number;
    if (number > most) most = number;
  }
  if (!grid.symmetric) {
    // The number 0 must be a code.
    least = Math.min(least, 0);
    most = Math.max(most, 0);
    const scale = nonzero(Math.fround(Math.fround(most - least) / highest(grid)));
    const zero = Math.min(highest(grid), Math.max(0, nearest(Math.fround(-least / scale))));
    return { scale, zero };
  }
  const signed = -least > most ? least : most;
  const scale = grid.bits === 8 ? Math.abs(signed) / highest(grid) : signed / lowest(grid);
  return { scale: nonzero(Math.fround(scale)), zero: 0 };
}

/** Blocks of zeros have scale 1. So have those whose scale would be too small for a float32. */
function nonzero(scale: number): number {
  return Math.abs(scale) < SMALLEST ? 1 : scale;
}

function nearest(number: number): number {
  return number + ROUNDING - ROUNDING;
}

/** `bits` per code, the first code in the lowest bits of each byte, as ONNX packs them. */
export function packBits(codes: ArrayLike<number>, bits: 4 | 8): Uint8Array<ArrayBuffer> {
  if (bits === 8) return Uint8Array.from(codes);
  const packed = new Uint8Array(Math.ceil(codes.length / 2));
  for (let at = 0; at < codes.length; at++) {
    const place = at >> 1;
    packed[place] = (packed[place] ?? 0) | (((codes[at] ?? 0) & 15) << (4 * (at & 1)));
  }
  return packed;
}
