// The nodes of a run from left to right, as wide as their time; above them the parts of the model that their names tell.
import { useMemo, useState } from 'preact/hooks';
import type { ProfileEntry } from '../model/measure.js';
import { operatorName } from '../model/types.js';
import { timeText } from '../ui/format.js';

export interface Bar {
  readonly level: number;
  readonly title: string;
  /** Microseconds. */
  readonly start: number;
  readonly time: number;
  readonly leaf: boolean;
}

const MOST_LEVELS = 4;
const HEIGHT = 24;
/** Of a thousandth of the width: narrower bars are not drawn. */
const LEAST_WIDTH = 0.6;

/** Neighbours whose names begin alike share a bar. */
export function barsOf(profile: readonly ProfileEntry[]): Bar[] {
  const parts = profile.map(({ node }) =>
    node
      .split(/[/.]/)
      .filter((part) => part !== '')
      .slice(0, -1),
  );
  const levels = Math.min(MOST_LEVELS, Math.max(0, ...parts.map(({ length }) => length)));
  const bars: Bar[] = [];
  let start = 0;
  const open: ({ title: string; start: number } | undefined)[] = [];
  const close = (level: number) => {
    const bar = open[level];
    if (bar) bars.push({ level, title: bar.title, start: bar.start, time: start - bar.start, leaf: false });
    open[level] = undefined;
  };
  profile.forEach((entry, at) => {
    for (let level = 0; level < levels; level++) {
      const title = level < (parts[at]?.length ?? 0) ? (parts[at] ?? []).slice(0, level + 1).join('/') : undefined;
      if (open[level]?.title === title) continue;
      for (let deeper = level; deeper < levels; deeper++) close(deeper);
      open[level] = title === undefined ? undefined : { title, start };
    }
    bars.push({ level: levels, title: operatorName(entry), start, time: entry.duration, leaf: true });
    start += entry.duration;
  });
  for (let level = 0; level < levels; level++) close(level);
  return bars;
}

export function Flame({ profile }: { readonly profile: readonly ProfileEntry[] }) {
  const bars = useMemo(() => barsOf(profile), [profile]);
  const total = profile.reduce((sum, { duration }) => sum + duration, 0) || 1;
  const [under, setUnder] = useState<Bar>();
  const levels = Math.max(0, ...bars.map(({ level }) => level)) + 1;
  const most = Math.max(...bars.filter(({ leaf }) => leaf).map(({ time }) => time));
  return (
    <figure class="flame">
      <svg
        viewBox={`0 0 1000 ${levels * HEIGHT}`}
        preserveAspectRatio="none"
        height={levels * HEIGHT}
        role="img"
        aria-label={`The ${profile.length} nodes of a run by their time; the table below has the same by operator`}
        onPointerLeave={() => setUnder(undefined)}
      >
        {bars.map((bar, at) => {
          const width = (1000 * bar.time) / total;
          if (width < LEAST_WIDTH) return null;
          return (
            <rect
              key={at}
              x={(1000 * bar.start) / total}
              y={bar.level * HEIGHT}
              width={Math.max(LEAST_WIDTH, width - 0.7)}
              height={HEIGHT - 2}
              class={bar.leaf ? 'leaf' : ''}
              style={bar.leaf ? { '--heat': `${Math.round(100 * Math.sqrt(bar.time / most))}%` } : undefined}
              onPointerEnter={() => setUnder(bar)}
            />
          );
        })}
      </svg>
      <div class="flame-names" aria-hidden="true">
        {bars
          .filter(({ time }) => time / total > 0.05)
          .map((bar, at) => (
            <span
              key={at}
              style={{
                left: `${(100 * bar.start) / total}%`,
                width: `${(100 * bar.time) / total}%`,
                top: `${bar.level * HEIGHT}px`,
              }}
            >
              {bar.leaf ? bar.title : bar.title.split('/').at(-1)}
            </span>
          ))}
      </div>
      <figcaption class="hint">
        {under
          ? `${under.title}: ${timeText(under.time)}, ${((100 * under.time) / total).toFixed(1)} %`
          : `${timeText(total)} in ${profile.length} nodes`}
      </figcaption>
    </figure>
  );
}
