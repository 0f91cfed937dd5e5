// A picture as it is, perhaps with something drawn over it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Properties {
  readonly picture: ImageBitmap;
  readonly label?: string;
  /** In the picture's pixels: what an <svg> of its size may contain. */
  readonly children?: ComponentChildren;
}

export function ChosenPicture({ picture, label = 'The picture', children }: Properties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = picture;
  useEffect(() => {
    canvas.current?.getContext('2d')?.drawImage(picture, 0, 0);
  }, [picture]);
  return (
    <div class="overlaid">
      <canvas ref={canvas} width={width} height={height} role="img" aria-label={`${label}, ${width} × ${height}`} />
      {children !== undefined && (
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {children}
        </svg>
      )}
    </div>
  );
}
