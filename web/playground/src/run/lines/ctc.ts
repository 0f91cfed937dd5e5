// Texts that a network reads step by step. Source: Graves et al., Connectionist Temporal Classification, ICML 2006, best
// path decoding.
import type { Tensor } from 'onnxlet';
import type { LoadedModel } from '../../model/loaded.js';
import { numbersOf } from '../../ui/statistics.js';

const BLANK = 0;

export interface Reading {
  readonly text: string;
  /** The mean probability of its characters. */
  readonly score: number;
}

/** What each class stands for, where the model's metadata tells as PaddleOCR's do: the blank is first, and a space may be last. */
export function charactersOf({ parsed }: LoadedModel, classes: number): string[] | undefined {
  const listed = parsed.metadata.find(([key]) => key === 'character')?.[1].split('\n');
  if (!listed) return undefined;
  return [
    ['', ...listed, ' '],
    ['', ...listed],
  ].find(({ length }) => length === classes);
}

/** `steps`: probabilities [1, steps, classes] */
export function readSteps(steps: Tensor, characters: readonly string[]): Reading {
  const [, count = 0, classes = 0] = steps.dims;
  const numbers = numbersOf(steps);
  let [text, sum, kept, before] = ['', 0, 0, BLANK];
  for (let step = 0; step < count; step++) {
    let [best, most] = [BLANK, -Infinity];
    for (let at = 0; at < classes; at++) {
      const value = numbers[step * classes + at] ?? 0;
      if (value > most) [best, most] = [at, value];
    }
    if (best !== BLANK && best !== before) {
      text += characters[best] ?? '';
      sum += most;
      kept++;
    }
    before = best;
  }
  return { text, score: kept === 0 ? 0 : sum / kept };
}
