// How an output is best shown.
import type { Tensor } from 'onnxlet';
import { elementsOf, isTensor } from '../../../../edge/js/shared/elements.js';
import type { LoadedModel } from '../model/loaded.js';
import { numbersOf } from '../ui/statistics.js';
import type { Value } from './run-state.js';

export const VIEWERS = ['labels', 'picture', 'curve', 'table', 'text', 'numbers'] as const;
export type Viewer = (typeof VIEWERS)[number];

const MOST_CLASSES = 50_000;
const LEAST_SIDE = 12;

/** Those that fit, the best first. Numbers always do. */
export function viewersOf(value: Value): Viewer[] {
  if (!isTensor(value)) return ['text'];
  if (value.type === 'string') return ['text'];
  const { dims, size } = value;
  const last = dims.at(-1) ?? 1;
  const isScores = /float/.test(value.type) && size === last && last >= 2 && last <= MOST_CLASSES;
  const sides = picturePart(value);
  const found: Viewer[] = [];
  if (isScores && last < 2000) found.push('labels');
  if (sides) found.push('picture');
  if (isScores && last >= 2000) found.push('labels');
  if (dims.length <= 2 && size <= 2000) found.push('table');
  if (dims.length > 0 && size >= 16 && last >= 16) found.push('curve');
  return [...found, 'numbers'];
}

export interface PicturePart {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  /** Channels come after the sides. */
  readonly last: boolean;
}

/** Maps of one to four channels, or more of which each is a map of its own. */
export function picturePart({ dims }: Tensor): PicturePart | undefined {
  if (dims.length < 3 || dims.length > 4) {
    const [height = 0, width = 0] = dims;
    const isMap = dims.length === 2 && height >= LEAST_SIDE && width >= LEAST_SIDE;
    return isMap ? { channels: 1, height, width, last: false } : undefined;
  }
  const [a = 0, b = 0, c = 0] = dims.slice(-3);
  if (b >= LEAST_SIDE && c >= LEAST_SIDE && a <= 256) return { channels: a, height: b, width: c, last: false };
  if (a >= LEAST_SIDE && b >= LEAST_SIDE && c <= 4) return { channels: c, height: a, width: b, last: true };
  return undefined;
}

export interface Scored {
  readonly label: string;
  readonly score: number;
}

/** The highest first. Scores that are no probabilities go through softmax, which is told. */
export function topLabels(
  tensor: Tensor,
  names: readonly string[],
  count: number,
): { labels: Scored[]; softmax: boolean } {
  const raw = Array.from(numbersOf(tensor));
  const sum = raw.reduce((total, value) => total + value, 0);
  const softmax = raw.some((value) => value < 0 || value > 1.0001) || Math.abs(sum - 1) > 0.02;
  const most = Math.max(...raw);
  const powers = softmax ? raw.map((value) => Math.exp(value - most)) : raw;
  const total = softmax ? powers.reduce((whole, value) => whole + value, 0) : 1;
  const labels = powers
    .map((score, at) => ({ label: names[at] ?? `class ${at}`, score: score / total }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
  return { labels, softmax };
}

const LABEL_KEYS = ['character', 'labels', 'names', 'classes', 'class_names', 'id2label', 'target_labels_space'];

/** Names of classes that the model carries with it, when there are as many as scores. */
export function namesInModel({ parsed }: LoadedModel, count: number): string[] {
  for (const [key, value] of parsed.metadata) {
    if (!LABEL_KEYS.includes(key)) continue;
    const names = namesOfText(value);
    if (names.length === count) return names;
  }
  return [];
}

/** A list in JSON, an object from index to name, or a name in each line. */
export function namesOfText(text: string): string[] {
  const json = text
    .trim()
    .replaceAll("'", '"')
    .replaceAll(/(\d+)\s*:/g, '"$1":');
  try {
    const document: unknown = JSON.parse(json);
    if (typeof document === 'object' && document !== null) return Object.values(document).map(String);
  } catch {
    // No JSON: then lines.
  }
  return text.split(/\r?\n/).filter((line) => line !== '');
}

export function textOf(value: Value): string {
  if (isTensor(value)) return elementsOf(value).map(String).join('\n');
  if (value === null) return 'nothing';
  if (value instanceof Map) return [...value].map(([key, item]) => `${String(key)}: ${String(item)}`).join('\n');
  return (value as readonly Value[]).map((item) => textOf(item)).join('\n\n');
}
