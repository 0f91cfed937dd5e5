// How alike the texts are, each with each.
import { useMemo } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import type { Read } from '../run-state.js';
import { similarities } from './similarity.js';

export function OutputSimilarity({ tensor, read: { texts, mask } }: { readonly tensor: Tensor; readonly read: Read }) {
  const matrix = useMemo(() => similarities(tensor, mask), [tensor, mask]);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="How alike the texts are">
        <table class="similarity">
          <thead>
            <tr>
              <th scope="col">text</th>
              {texts.map((text, at) => (
                <th key={at} scope="col" title={text}>
                  {at + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.map((row, at) => (
              <tr key={at}>
                <th scope="row">
                  {at + 1}. {texts[at]}
                </th>
                {row.map((value, column) => (
                  <td key={column} style={{ '--share': `${Math.round(100 * Math.max(0, value))}%` }}>
                    {value.toFixed(4)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        The cosine of the angle between two texts' vectors{tensor.dims.length === 3 && ', means of their tokens'}: 1 for
        the same direction, 0 for nothing in common.
      </p>
    </>
  );
}
