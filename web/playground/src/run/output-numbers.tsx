// Outputs as plain numbers: a table, a curve, the first elements.
import { useMemo } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import { elementsOf } from '../../../../edge/js/shared/elements.js';
import { shortText } from '../../../../edge/js/shared/answers.js';
import { countText } from '../ui/format.js';
import { beginningOf, numbersOf, summaryOf } from '../ui/statistics.js';

const MOST_ROWS = 200;
const MOST_COLUMNS = 64;
const MOST_ELEMENTS = 400;

export function NumberTable({ tensor }: { readonly tensor: Tensor }) {
  const { dims } = tensor;
  const width = dims.length === 2 ? (dims[1] ?? 1) : 1;
  const elements = elementsOf(tensor);
  const height = width === 0 ? 0 : elements.length / width;
  const columns = Math.min(width, MOST_COLUMNS);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of the output">
      <table>
        <thead>
          <tr>
            <th scope="col">row</th>
            {Array.from({ length: columns }, (_, at) => (
              <th key={at} scope="col">
                {width === 1 ? 'value' : at}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: Math.min(height, MOST_ROWS) }, (_, row) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {Array.from({ length: columns }, (_each, at) => (
                <td key={at}>{shortText(elements[row * width + at] ?? '')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Numbers({ tensor }: { readonly tensor: Tensor }) {
  const elements = useMemo(() => elementsOf(beginningOf(tensor, MOST_ELEMENTS)).map(shortText), [tensor]);
  const rest = tensor.size - elements.length;
  return (
    <pre class="numbers" tabIndex={0}>
      {elements.join('  ')}
      {rest > 0 && ` … and ${countText(rest)} more`}
    </pre>
  );
}

const WIDTH = 600;
const HEIGHT = 120;
const MOST_POINTS = 100_000;

interface CurveProperties {
  readonly tensor: Tensor;
  /** From bottom to top; the values' own otherwise. */
  readonly range?: readonly [least: number, most: number];
}

/** The last axis from left to right; of more rows only the first. */
export function Curve({ tensor, range }: CurveProperties) {
  const path = useMemo(
    () => pathOf(numbersOf(beginningOf(tensor, Math.min(MOST_POINTS, tensor.dims.at(-1) ?? 1))), range),
    [tensor, range],
  );
  return (
    <svg
      class="curve"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="The output as a curve"
    >
      <path d={path} />
    </svg>
  );
}

function pathOf(values: ArrayLike<number>, range?: readonly [least: number, most: number]): string {
  const own = summaryOf(values);
  const [least, most] = range ?? [own.least, own.most];
  const step = Math.max(1, Math.floor(values.length / (2 * WIDTH)));
  const points: string[] = [];
  for (let at = 0; at < values.length; at += step) {
    const x = (WIDTH * at) / Math.max(1, values.length - 1);
    const y = HEIGHT - 4 - ((HEIGHT - 8) * ((values[at] ?? 0) - least)) / (most - least || 1);
    points.push(`${x.toFixed(1)} ${y.toFixed(1)}`);
  }
  return `M${points.join('L')}`;
}
