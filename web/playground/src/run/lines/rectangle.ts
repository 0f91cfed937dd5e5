// The smallest rectangle around points.
import type { Point } from '../framed.js';

export interface Rectangle {
  readonly centre: Point;
  /** Of length 1, in reading direction: that of the axes which is nearer to horizontal. */
  readonly along: Point;
  readonly size: Point;
}

/** One side of it lies on an edge of the hull (Freeman and Shapira 1975), so every edge is tried. */
export function smallestRectangle(points: readonly Point[]): Rectangle {
  const hull = convexHull(points);
  const found = hull.map((point, at) => {
    const next = hull[(at + 1) % hull.length] ?? point;
    return rectangleAt(hull, Math.atan2(next.y - point.y, next.x - point.x));
  });
  return found.reduce((best, each) => (each.size.x * each.size.y < best.size.x * best.size.y ? each : best));
}

/** Andrew's monotone chain. */
function convexHull(points: readonly Point[]): Point[] {
  const ordered = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  return [...halfHull(ordered), ...halfHull([...ordered].reverse())];
}

function halfHull(ordered: readonly Point[]): Point[] {
  const chain: Point[] = [];
  for (const point of ordered) {
    while (chain.length > 1 && !turnsLeft(chain.at(-2), chain.at(-1), point)) chain.pop();
    chain.push(point);
  }
  return chain.slice(0, -1);
}

function turnsLeft(a: Point | undefined, b: Point | undefined, c: Point): boolean {
  return !a || !b || (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0;
}

function rectangleAt(hull: readonly Point[], angle: number): Rectangle {
  const quarter = Math.PI / 2;
  const level = angle - quarter * Math.round(angle / quarter);
  const along = { x: Math.cos(level), y: Math.sin(level) };
  const us = hull.map(({ x, y }) => x * along.x + y * along.y);
  const vs = hull.map(({ x, y }) => y * along.x - x * along.y);
  const [left, right, top, bottom] = [Math.min(...us), Math.max(...us), Math.min(...vs), Math.max(...vs)];
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  return {
    centre: { x: u * along.x - v * along.y, y: u * along.y + v * along.x },
    along,
    size: { x: right - left, y: bottom - top },
  };
}
