// Charts by uPlot, in the page's colours and as wide as their place.
import uPlot from 'uplot';
import { useEffect, useRef } from 'preact/hooks';
import { useSize } from '../graph/viewport.js';
import { binsOf } from '../ui/statistics.js';
import { theme } from '../ui/theme.js';

const HEIGHT = 150;
const BINS = 24;

interface Properties {
  readonly values: readonly number[];
  readonly label: string;
  readonly format?: (value: number) => string;
}

/** How often values of each size occur. */
export function Histogram({ values, label }: Properties) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const width = (most - least) / BINS || 1;
  const counts = binsOf(values, least, most, BINS);
  const centres = counts.map((_, at) => least + (at + 0.5) * width);
  return <Chart data={[centres, counts]} label={label} bars format={(value) => `${Number(value.toPrecision(3))} ms`} />;
}

/** One value after the other. */
export function Lines({ values, label, format }: Properties) {
  return <Chart data={[values.map((_, at) => at + 1), [...values]]} label={label} format={String} vertical={format} />;
}

interface ChartProperties {
  readonly data: [number[], number[]];
  readonly label: string;
  readonly bars?: boolean;
  readonly format: (value: number) => string;
  readonly vertical?: ((value: number) => string) | undefined;
}

function Chart({ data, label, bars, format, vertical }: ChartProperties) {
  const place = useRef<HTMLDivElement>(null);
  const { width } = useSize(place);
  const colours = theme();
  useEffect(() => {
    if (!place.current || width === 0) return undefined;
    const style = getComputedStyle(document.documentElement);
    const axis = {
      stroke: style.getPropertyValue('--quiet'),
      font: '11px "Inter Variable", system-ui, sans-serif',
      grid: { stroke: style.getPropertyValue('--line'), width: 1 },
      ticks: { show: false },
    };
    const accent = style.getPropertyValue('--accent');
    const chart = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_chart, _least, most) => [0, most * 1.1 || 1] } },
        axes: [
          { ...axis, values: (_chart, ticks) => ticks.map(format), grid: { show: false } },
          { ...axis, size: 64, values: (_chart, ticks) => ticks.map(vertical ?? String) },
        ],
        series: [
          {},
          {
            stroke: accent,
            width: bars ? 0 : 2,
            ...(bars && uPlot.paths.bars ? { fill: accent, paths: uPlot.paths.bars({ size: [0.9] }) } : {}),
            points: { show: false },
          },
        ],
      },
      data,
      place.current,
    );
    return () => chart.destroy();
  }, [data[1].join(), width, colours, bars]);
  return <div ref={place} class="chart" role="img" aria-label={label} style={{ height: `${HEIGHT}px` }} />;
}
