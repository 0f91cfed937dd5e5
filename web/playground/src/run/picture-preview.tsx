// The picture as the model gets it.
import { useEffect, useRef } from 'preact/hooks';
import type { ValueInfo } from '../model/types.js';
import { dimsOf } from './inputs.js';
import { pictureLayout } from './kinds.js';
import type { PictureOptions } from './picture.js';
import { placed } from './picture.js';
import { sizes } from './run-state.js';

interface Properties {
  readonly value: ValueInfo;
  readonly picture: ImageBitmap;
  readonly options: PictureOptions;
}

export function PicturePreview({ value, picture, options }: Properties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const layout = pictureLayout(value);
  const dims = dimsOf(value, sizes.value);
  const [width, height] = [dims[layout?.widthAxis ?? 0] ?? 1, dims[layout?.heightAxis ?? 0] ?? 1];
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    context.clearRect(0, 0, width, height);
    context.filter =
      `${layout?.channels === 1 ? 'grayscale(1) ' : ''}${options.invert ? 'invert(1)' : ''}`.trim() || 'none';
    const { left, top, right, bottom } = placed(picture, width, height, options.fit);
    context.drawImage(picture, left, top, right - left, bottom - top);
  }, [picture, options.fit, options.invert, width, height]);
  return (
    <canvas
      ref={canvas}
      class={`picture-preview ${width < 64 ? 'coarse' : ''}`}
      width={width}
      height={height}
      role="img"
      aria-label={`The picture as the model gets it: ${width} × ${height}`}
    />
  );
}
