// A tensor in numbers: range, mean, a histogram, and whatever should not be there.
import { useMemo } from 'preact/hooks';
import { Tensor } from 'onnxlet';
import { elementsOf, isTensor } from '../../../../edge/js/shared/elements.js';
import { countText, shapeText } from './format.js';

export interface Summary {
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  readonly deviation: number;
  readonly notNumbers: number;
  readonly infinite: number;
  /** Counts of equally wide bins from least to most. */
  readonly bins: readonly number[];
}

const BINS = 32;

export function summaryOf(values: ArrayLike<number>): Summary {
  let [least, most, sum, squares, finite, notNumbers] = [Infinity, -Infinity, 0, 0, 0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    if (Number.isNaN(value)) notNumbers++;
    if (!Number.isFinite(value)) continue;
    finite++;
    if (value < least) least = value;
    if (value > most) most = value;
    sum += value;
    squares += value * value;
  }
  const mean = sum / (finite || 1);
  return {
    count: values.length,
    ...(finite > 0 ? { least, most } : { least: NaN, most: NaN }),
    mean,
    deviation: Math.sqrt(Math.max(0, squares / (finite || 1) - mean * mean)),
    notNumbers,
    infinite: values.length - finite - notNumbers,
    bins: binsOf(values, least, most, BINS),
  };
}

/** How many of the finite values are in each of equally wide bins. */
export function binsOf(values: ArrayLike<number>, least: number, most: number, count: number): number[] {
  const bins = Array.from({ length: count }, () => 0);
  const width = (most - least) / count || 1;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? NaN;
    if (!Number.isFinite(value)) continue;
    const bin = Math.min(count - 1, Math.floor((value - least) / width));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

/** The elements as numbers; for most types those of the tensor itself. */
export function numbersOf(tensor: Tensor): ArrayLike<number> {
  const { data, type } = tensor;
  if (type === 'string') return [];
  const plain = /^(float32|float64|u?int(8|16|32)|bool)$/.test(type);
  return plain ? (data as Float32Array) : elementsOf(tensor).map(Number);
}

/** The first elements as a tensor of one axis. */
export function beginningOf(tensor: Tensor, count: number): Tensor {
  const data = (tensor.data as Float32Array).slice(0, count);
  return new Tensor(tensor.type as 'float32', data, [data.length]);
}

export function Statistics({ name, value }: { readonly name: string; readonly value: unknown }) {
  const summary = useMemo(() => (isTensor(value) ? summaryOf(numbersOf(value)) : undefined), [value]);
  if (!isTensor(value) || !summary) return <p class="hint">{name}: no tensor</p>;
  return (
    <div class="statistics">
      <p class="value-line">
        <span class="value-name">{name}</span> <b>{value.type}</b> {shapeText(value.dims)}
      </p>
      {summary.count > 0 && value.type !== 'string' && <Numbers summary={summary} />}
    </div>
  );
}

function Numbers({ summary }: { readonly summary: Summary }) {
  const { least, most, mean, deviation, notNumbers, infinite, bins } = summary;
  const highest = Math.max(...bins, 1);
  return (
    <>
      <svg
        class="histogram"
        viewBox={`0 0 ${BINS * 4} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Histogram from ${short(least)} to ${short(most)}`}
      >
        {bins.map((count, at) => (
          <rect key={at} x={at * 4} width="3.2" y={32 - (30 * count) / highest} height={(30 * count) / highest} />
        ))}
      </svg>
      <p class="hint">
        {short(least)} to {short(most)}, mean {short(mean)} ± {short(deviation)}
      </p>
      {notNumbers + infinite > 0 && (
        <p class="problem">
          {countText(notNumbers)} NaN, {countText(infinite)} infinite
        </p>
      )}
    </>
  );
}

export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}
