// Where a series of probabilities is high. The rule, and what is usual, are those of onnxlet/bundle/pipeline/outputs/segments.py:
// a segment begins where the threshold is reached, and ends where the probability falls below the lower threshold and stays
// below the upper one for long enough.

export interface Segment {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
}

const HYSTERESIS = 0.15;
const LEAST_LOW = 0.01;
const SHORTEST = 0.25;
const SILENCE = 0.1;
const PAD = 0.03;
const EQUAL = 1e-3; // steps: lengths that differ by less are the same

/**
 * @param seconds from one probability to the next
 * @param duration of the sound in seconds
 */
export function segmentsOf(
  probabilities: ArrayLike<number>,
  seconds: number,
  duration: number,
  threshold: number,
): Segment[] {
  const length = duration / seconds;
  const long = spansOf(probabilities, length, threshold, SILENCE / seconds).filter(
    ([start, end]) => end - start > SHORTEST / seconds + EQUAL,
  );
  const pad = PAD / seconds;
  return long.map(([start, end], at) => {
    const before = at === 0 ? pad : half(start - (long[at - 1]?.[1] ?? 0), pad);
    const after = at === long.length - 1 ? pad : half((long[at + 1]?.[0] ?? length) - end, pad);
    return { start: Math.max(0, start - before) * seconds, end: Math.min(length, end + after) * seconds };
  });
}

/** Two neighbours share what is between them. */
function half(gap: number, pad: number): number {
  return Math.min(gap, 2 * pad) / 2;
}

type Span = readonly [start: number, end: number];

/** In steps. */
function spansOf(probabilities: ArrayLike<number>, length: number, threshold: number, silence: number): Span[] {
  const low = Math.max(threshold - HYSTERESIS, LEAST_LOW);
  const found: Span[] = [];
  let [start, quiet] = [-1, -1];
  for (let at = 0; at < probabilities.length; at++) {
    const probability = probabilities[at] ?? 0;
    if (probability >= threshold) {
      if (start < 0) start = at;
      quiet = -1;
    }
    if (start < 0 || probability >= low) continue;
    if (quiet < 0) quiet = at;
    if (at - quiet < silence - EQUAL) continue;
    found.push([start, quiet]);
    [start, quiet] = [-1, -1];
  }
  if (start >= 0) found.push([start, length]);
  return found;
}
