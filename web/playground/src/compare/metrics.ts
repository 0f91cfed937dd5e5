// How far two tensors are apart.
import { isTensor } from '../../../../edge/js/shared/elements.js';
import { numbersOf } from '../ui/statistics.js';

export interface Difference {
  /** The largest one between two elements. */
  readonly most: number;
  readonly mean: number;
  /** The length of the difference by the length of the first; 0 where both are nothing. */
  readonly relative: number;
  readonly cosine: number;
  /** The highest element is in the same place. */
  readonly sameTop: boolean;
}

/** Undefined where they cannot be compared: other shapes, or no numbers. */
export function difference(one: unknown, other: unknown): Difference | undefined {
  if (!isTensor(one) || !isTensor(other) || one.type === 'string' || one.dims.join() !== other.dims.join()) {
    return undefined;
  }
  const [a, b] = [numbersOf(one), numbersOf(other)];
  let [most, sum, apart, lengthA, lengthB, product] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x = NaN, y = NaN] = [a[at], b[at]];
    const gap = Object.is(x, y) ? 0 : Math.abs(x - y);
    most = Math.max(most, gap);
    sum += gap;
    apart += gap * gap;
    lengthA += x * x;
    lengthB += y * y;
    product += x * y;
  }
  return {
    most,
    mean: sum / (a.length || 1),
    relative: apart === 0 ? 0 : Math.sqrt(apart / lengthA),
    cosine: lengthA * lengthB === 0 ? Number(lengthA === lengthB) : product / Math.sqrt(lengthA * lengthB),
    sameTop: highest(a) === highest(b),
  };
}

/** Where the highest element is. */
function highest(values: ArrayLike<number>): number {
  let place = 0;
  for (let at = 1; at < values.length; at++) if ((values[at] ?? 0) > (values[place] ?? 0)) place = at;
  return place;
}
