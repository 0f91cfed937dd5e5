import type { Box } from '../../../../../edge/js/shared/answers.js';

const SIDES = ['left', 'top', 'right', 'bottom'] as const;

/** Boxes for those who do not see the picture: in its pixels. */
export function BoxList({ boxes }: { readonly boxes: readonly Box[] }) {
  if (boxes.length === 0) return <p>Nothing was found.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What was found">
      <table>
        <thead>
          <tr>
            {['found', 'score', ...SIDES].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {boxes.map((box, at) => (
            <tr key={at}>
              <th scope="row">{box.label ?? at + 1}</th>
              <td>{box.score?.toFixed(4)}</td>
              {SIDES.map((side) => (
                <td key={side}>{box[side].toFixed(1)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
