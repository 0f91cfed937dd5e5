// A sound as what its loudness looks like, with marks on it.
import { useMemo } from 'preact/hooks';
import type { Segment } from './segments.js';

const WIDTH = 600;
const HEIGHT = 96;

interface Properties {
  readonly samples: Float32Array;
  /** Seconds. */
  readonly duration: number;
  readonly marks?: readonly Segment[];
  readonly label: string;
}

export function Waveform({ samples, duration, marks = [], label }: Properties) {
  const path = useMemo(() => outline(samples), [samples]);
  return (
    <svg
      class="waveform"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}, ${duration.toFixed(2)} seconds`}
    >
      {marks.map(({ start, end }) => (
        <rect
          key={start}
          x={(WIDTH * start) / duration}
          width={(WIDTH * (end - start)) / duration}
          y="0"
          height={HEIGHT}
        />
      ))}
      <path d={path} />
    </svg>
  );
}

/** For each pixel's width of sound its least and its greatest sample. */
function outline(samples: Float32Array): string {
  const most = samples.reduce((top, sample) => Math.max(top, Math.abs(sample)), 0) || 1;
  const height = (value: number) => (HEIGHT / 2 - (value / most) * (HEIGHT / 2 - 2)).toFixed(1);
  const lines = Array.from({ length: Math.min(WIDTH, samples.length) }, (_, x) => {
    const from = Math.floor((x * samples.length) / WIDTH);
    const part = samples.subarray(from, Math.max(from + 1, Math.floor(((x + 1) * samples.length) / WIDTH)));
    const [least, greatest] = part.reduce(([low, high], sample) => [Math.min(low, sample), Math.max(high, sample)], [
      Infinity,
      -Infinity,
    ] as [number, number]);
    return `M${x + 0.5} ${height(greatest)}V${height(least)}`;
  });
  return lines.join('');
}
