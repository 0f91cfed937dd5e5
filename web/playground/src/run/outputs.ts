// How an output is best shown.
import type { Tensor } from 'onnxlet';
import { elementsOf, isTensor } from '../../../../edge/js/shared/elements.js';
import type { LoadedModel } from '../model/loaded.js';
import { numbersOf, summaryOf } from '../ui/statistics.js';
import { hasBoxes } from './boxes/boxes.js';
import type { Heard, Result, Value } from './run-state.js';
import { hasVectors } from './text/similarity.js';

export type Viewer =
  'speech' | 'similarity' | 'boxes' | 'lines' | 'labels' | 'picture' | 'curve' | 'table' | 'text' | 'numbers';

const MOST_CLASSES = 50_000;
const LEAST_SIDE = 12;
const LEAST_SERIES = 8;

/** Those that fit, the best first. Numbers always do. `framed`: whether the result is about a picture. */
export function viewersOf(name: string, result: Result, framed: boolean): Viewer[] {
  const value = result.outputs[name] ?? null;
  if (!isTensor(value) || value.type === 'string') return ['text'];
  const { heard, read, outputs } = result;
  const special: Viewer[] = [];
  if (heard && isSeries(value, heard)) special.push('speech');
  if (read && hasVectors(value, read.texts.length, read.mask)) special.push('similarity');
  if (framed && hasBoxes(name, value, outputs)) special.push('boxes');
  const plain = plainViewers(value);
  return [...special, ...plain, ...(framed && isMap(value) ? (['lines'] as const) : [])];
}

/** Whether there is a value for each step, or one for each of equal parts of the sound. */
function isSeries({ type, dims, size }: Tensor, { step, samples }: Heard): boolean {
  if (!/float/.test(type)) return false;
  if (step !== undefined) return size === Math.ceil(samples.length / step);
  return size >= LEAST_SERIES && dims.filter((dim) => dim !== 1).length === 1;
}

/** Whether it is one map of probabilities. */
function isMap(value: Tensor): boolean {
  if (picturePart(value)?.channels !== 1 || value.dims.slice(0, -2).some((dim) => dim !== 1)) return false;
  const { least, most } = summaryOf(numbersOf(value));
  return least >= 0 && most <= 1;
}

function plainViewers(value: Tensor): Viewer[] {
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
