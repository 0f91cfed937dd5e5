// Boxes around things, from the outputs of detectors: rows of four numbers, and scores for each row.
import type { Tensor } from 'onnxlet';
import type { Box } from '../../../../../edge/js/shared/answers.js';
import { isTensor } from '../../../../../edge/js/shared/elements.js';
import { numbersOf, summaryOf } from '../../ui/statistics.js';
import type { Value } from '../run-state.js';

export const FORMATS = [
  'left, top, right, bottom',
  'top, left, bottom, right',
  'centre, size',
  'left, top, size',
] as const;
export type Format = (typeof FORMATS)[number];
/** Shares are from 0 to 1. */
export const UNITS = ['pixels', 'shares of the frame'] as const;
export type Unit = (typeof UNITS)[number];

/** What belongs to the rows of an output. */
export interface Parts {
  /** The highest in each row of the output with scores. */
  readonly scores?: readonly number[];
  /** Which class has it, or what the model says the class is. */
  readonly classes?: readonly string[];
}

type Outputs = Readonly<Record<string, Value>>;

const BOXES_NAME = /box|loc|face|rois|dets/i;
const SCORES_NAME = /score|conf|prob|logit|cls/i;
const CLASSES_NAME = /label|class/i;
const OVERLAP = 0.45;
const MOST = 200;

/** Whether the output has boxes: its name says so, or the scores beside it. */
export function hasBoxes(name: string, value: Value, outputs: Outputs): value is Tensor {
  if (!isTensor(value) || !/float/.test(value.type) || value.dims.at(-1) !== 4) return false;
  const { dims } = value;
  if (dims.length !== 2 && !(dims.length === 3 && dims[0] === 1)) return false;
  return BOXES_NAME.test(name) || scoresFor(name, dims.at(-2) ?? 0, outputs) !== undefined;
}

export function partsOf(name: string, count: number, outputs: Outputs): Parts {
  const scores = scoresFor(name, count, outputs);
  if (!scores) return {};
  const numbers = numbersOf(scores);
  const width = count === 0 ? 1 : scores.size / count;
  const best = Array.from({ length: count }, (_, row) => highest(numbers, row * width, width));
  const own = found(outputs, name, '_labels', CLASSES_NAME, (tensor) => tensor.size === count);
  const classes = own
    ? Array.from(own.data as ArrayLike<unknown>, String)
    : width > 1
      ? best.map(({ at }) => String(at))
      : undefined;
  return { scores: best.map(({ value }) => value), ...(classes ? { classes } : {}) };
}

/** By the names that TensorFlow's detectors and DETR have for theirs. */
export function usualFormat(name: string): Format {
  if (/detection_boxes/i.test(name)) return 'top, left, bottom, right';
  return /pred_boxes/i.test(name) ? 'centre, size' : 'left, top, right, bottom';
}

export function usualUnit(boxes: Tensor): Unit {
  const { least, most } = summaryOf(numbersOf(boxes));
  return Math.max(Math.abs(least), Math.abs(most)) <= 2 ? 'shares of the frame' : 'pixels';
}

/** In the frame's pixels, those with the highest scores first; of those that cover each other only the best. */
export function boxesOf(
  tensor: Tensor,
  { scores, classes }: Parts,
  format: Format,
  unit: Unit,
  frame: { readonly width: number; readonly height: number },
  threshold: number,
): Box[] {
  const numbers = numbersOf(tensor);
  const [x, y] = unit === 'pixels' ? [1, 1] : [frame.width, frame.height];
  const all = Array.from({ length: tensor.size / 4 }, (_, row): Box => {
    const [left, top, right, bottom] = sidesOf(
      Array.from({ length: 4 }, (_each, at) => numbers[4 * row + at] ?? 0),
      format,
    );
    const [score, label] = [scores?.[row], classes?.[row]];
    return {
      ...{ left: left * x, top: top * y, right: right * x, bottom: bottom * y },
      ...(score === undefined ? {} : { score }),
      ...(label === undefined ? {} : { label }),
    };
  });
  const sure = all.filter(({ score }) => score === undefined || score >= threshold);
  sure.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  const kept: Box[] = [];
  for (const box of sure) {
    if (kept.length === MOST) break;
    if (!kept.some((better) => better.label === box.label && overlap(better, box) > OVERLAP)) kept.push(box);
  }
  return kept;
}

type Sides = [left: number, top: number, right: number, bottom: number];

function sidesOf([a = 0, b = 0, c = 0, d = 0]: readonly number[], format: Format): Sides {
  switch (format) {
    case 'left, top, right, bottom':
      return [a, b, c, d];
    case 'top, left, bottom, right':
      return [b, a, d, c];
    case 'centre, size':
      return [a - c / 2, b - d / 2, a + c / 2, b + d / 2];
    case 'left, top, size':
      return [a, b, a + c, b + d];
  }
}

/** Intersection over union. */
function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (area(one) + area(other) - shared);
}

function area({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

function scoresFor(name: string, count: number, outputs: Outputs): Tensor | undefined {
  return found(outputs, name, '_scores', SCORES_NAME, ({ type, dims, size }) => {
    const ofClasses = dims.length > 1 && dims.at(-2) === count && size === count * (dims.at(-1) ?? 0);
    return /float/.test(type) && (size === count || ofClasses);
  });
}

/** The output that has the name with a suffix, or is called as such outputs are. */
function found(
  outputs: Outputs,
  name: string,
  suffix: string,
  names: RegExp,
  fits: (tensor: Tensor) => boolean,
): Tensor | undefined {
  const others = Object.entries(outputs).filter(([other]) => other !== name && names.test(other));
  const values = [outputs[name + suffix], ...others.map(([, value]) => value)];
  return values.find((value): value is Tensor => isTensor(value) && fits(value));
}

function highest(numbers: ArrayLike<number>, from: number, width: number): { value: number; at: number } {
  let best = { value: numbers[from] ?? 0, at: 0 };
  for (let at = 1; at < width; at++) {
    const value = numbers[from + at] ?? 0;
    if (value > best.value) best = { value, at };
  }
  return best;
}
