import type { Box } from '../../../../../edge/js/shared/answers.js';

interface Properties {
  readonly boxes: readonly Box[];
  readonly picture: { readonly width: number; readonly height: number };
}

/** Inside of an <svg> in the picture's pixels. */
export function BoxMarks({ boxes, picture }: Properties) {
  const size = Math.max(picture.width, picture.height) / 30;
  return (
    <>
      {boxes.map(({ left, top, right, bottom, label }, at) => (
        <g key={at}>
          <rect x={left} y={top} width={Math.max(0, right - left)} height={Math.max(0, bottom - top)} />
          <text x={left} y={top > size ? top - size / 4 : bottom + size} font-size={size}>
            {label ?? at + 1}
          </text>
        </g>
      ))}
    </>
  );
}
