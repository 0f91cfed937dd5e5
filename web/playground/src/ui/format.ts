// Numbers as people read them.
import type { Dim } from '../model/types.js';

/** Bytes, with decimal prefixes as file managers use them. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB'];
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000;
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ''}`;
}

export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** 1 node, 2 nodes. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Microseconds. */
export function timeText(microseconds: number): string {
  if (microseconds < 1000) return `${microseconds.toFixed(microseconds < 10 ? 1 : 0)} µs`;
  const milliseconds = microseconds / 1000;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

export function shapeText(shape: readonly Dim[] | null): string {
  if (shape === null) return 'any shape';
  return shape.length === 0 ? 'scalar' : shape.map((dim) => dim ?? '?').join(' × ');
}

/** `tensor(float)` as `float`. */
export function typeText(type: string): string {
  return /^tensor\((\w+)\)$/.exec(type)?.[1] ?? (type || 'unknown');
}
