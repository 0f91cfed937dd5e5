// How alike texts are by the vectors that a model gives for them.
// Source: Reimers and Gurevych, Sentence-BERT, EMNLP 2019.
import type { Tensor } from 'onnxlet';
import { numbersOf } from '../../ui/statistics.js';

const LEAST_LENGTH = 1e-12;

/** Whether the output has a vector for each of the texts, or one for each of their tokens. */
export function hasVectors(tensor: Tensor, texts: number, mask: Tensor | undefined): boolean {
  const { dims, type } = tensor;
  if (!/float/.test(type) || dims[0] !== texts || (dims.at(-1) ?? 0) < 2) return false;
  return dims.length === 2 || (dims.length === 3 && mask !== undefined && dims[1] === mask.dims[1]);
}

/** Cosines of all pairs. Vectors of tokens are averaged first, over those that the mask, float or int [texts, tokens], counts. */
export function similarities(tensor: Tensor, mask: Tensor | undefined): number[][] {
  const vectors = tensor.dims.length === 3 ? pooled(tensor, mask) : rowsOf(tensor);
  const unit = vectors.map((vector) => {
    const length = Math.max(LEAST_LENGTH, Math.hypot(...vector));
    return vector.map((value) => value / length);
  });
  return unit.map((one) => unit.map((other) => one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)));
}

function rowsOf(tensor: Tensor): number[][] {
  const [rows = 0, width = 0] = tensor.dims;
  const numbers = Array.from(numbersOf(tensor));
  return Array.from({ length: rows }, (_, row) => numbers.slice(row * width, (row + 1) * width));
}

function pooled(tensor: Tensor, mask: Tensor | undefined): number[][] {
  const [rows = 0, tokens = 0, width = 0] = tensor.dims;
  const numbers = numbersOf(tensor);
  const counted = mask && numbersOf(mask);
  return Array.from({ length: rows }, (_, row) => {
    const sum = Array<number>(width).fill(0);
    let count = 0;
    for (let token = 0; token < tokens; token++) {
      const weight = counted ? (counted[row * tokens + token] ?? 0) : 1;
      if (weight === 0) continue;
      count += weight;
      const from = (row * tokens + token) * width;
      for (let at = 0; at < width; at++) sum[at] = (sum[at] ?? 0) + weight * (numbers[from + at] ?? 0);
    }
    return sum.map((value) => value / (count || 1));
  });
}
