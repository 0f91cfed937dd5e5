// Boxes around text from a text detector's map of probabilities: the post-processing of DB, as in examples/ocr/text_boxes.py.
// Source: Liao et al., Real-time Scene Text Detection with Differentiable Binarization, AAAI 2020.
import type { Point } from '../framed.js';
import { smallestRectangle } from './rectangle.js';

export interface Region {
  /** Clockwise from the top left in reading direction. */
  readonly corners: readonly Point[];
  /** The mean probability. */
  readonly score: number;
}

const THRESHOLD = 0.3;
const BOX_THRESHOLD = 0.5;
/** The detector marks text shrunk towards its middle line. */
const UNCLIP = 1.6;
const LEAST_ROWS = 3;

/** `map`: height rows of width probabilities. */
export function regionsOf(map: ArrayLike<number>, width: number, height: number): Region[] {
  return connectedRuns(map, width, height).flatMap((runs) => {
    const score = meanOf(map, width, runs);
    return score < BOX_THRESHOLD || runs.length < LEAST_ROWS ? [] : [{ corners: grown(runs), score }];
  });
}

/** A row's part that is above the threshold; the end is not part of it. */
interface Run {
  readonly y: number;
  readonly start: number;
  readonly end: number;
}

/** The 8-connected components, each as its runs. */
function connectedRuns(map: ArrayLike<number>, width: number, height: number): Run[][] {
  const runs: Run[] = [];
  const parent: number[] = [];
  const root = (index: number): number => {
    let at = index;
    for (let up = parent[at] ?? at; up !== at; up = parent[at] ?? at) at = up;
    return at;
  };
  let above: readonly [from: number, to: number] = [0, 0];
  for (let y = 0; y < height; y++) {
    const first = runs.length;
    for (const run of runsOf(map, width, y)) {
      const index = runs.push(run) - 1;
      parent.push(index);
      for (let other = above[0]; other < above[1]; other++) {
        const upper = runs[other];
        if (upper && upper.start <= run.end && run.start <= upper.end) parent[root(other)] = root(index);
      }
    }
    above = [first, runs.length];
  }
  const components = new Map<number, Run[]>();
  runs.forEach((run, index) => {
    const key = root(index);
    components.set(key, [...(components.get(key) ?? []), run]);
  });
  return [...components.values()];
}

function runsOf(map: ArrayLike<number>, width: number, y: number): Run[] {
  const found: Run[] = [];
  const isSet = (x: number) => x < width && (map[y * width + x] ?? 0) > THRESHOLD;
  for (let x = 0; x < width; x++) {
    if (!isSet(x)) continue;
    const start = x;
    while (isSet(x)) x++;
    found.push({ y, start, end: x });
  }
  return found;
}

function meanOf(map: ArrayLike<number>, width: number, runs: readonly Run[]): number {
  let [sum, count] = [0, 0];
  for (const { y, start, end } of runs) {
    for (let x = start; x < end; x++) sum += map[y * width + x] ?? 0;
    count += end - start;
  }
  return sum / count;
}

/** The smallest rectangle around the runs, made larger on all sides. */
function grown(runs: readonly Run[]): Point[] {
  const points = runs.flatMap(({ y, start, end }) =>
    [start, end].flatMap((x) => [
      { x, y },
      { x, y: y + 1 },
    ]),
  );
  const { centre, along, size } = smallestRectangle(points);
  const grow = (size.x * size.y * UNCLIP) / (2 * (size.x + size.y));
  const [wide, high] = [size.x / 2 + grow, size.y / 2 + grow];
  const signs = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ] as const;
  return signs.map(([right, down]) => ({
    x: centre.x + right * wide * along.x - down * high * along.y,
    y: centre.y + right * wide * along.y + down * high * along.x,
  }));
}
