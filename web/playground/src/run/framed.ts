// The picture that a result is about, and where it lay in what the model saw.
import type { Box } from '../../../../edge/js/shared/answers.js';
import type { LoadedModel } from '../model/loaded.js';
import { pictureLayout } from './kinds.js';
import { placed } from './picture.js';
import type { Fit } from './picture.js';
import type { Result } from './run-state.js';

/** `width` and `height` are those of what the model saw. */
export interface Framed {
  readonly picture: ImageBitmap;
  readonly width: number;
  readonly height: number;
  readonly fit: Fit;
}

/** Undefined where no input was a picture. */
export function framedIn({ parsed: { graph } }: LoadedModel, { given, feeds }: Result): Framed | undefined {
  for (const input of graph.inputs) {
    const choice = given[input.name];
    const dims = feeds[input.name]?.dims;
    if (!choice?.picture || !dims || (choice.source !== 'picture' && choice.source !== 'drawing')) continue;
    const { picture, pictureOptions } = choice;
    const layout = pictureLayout(input);
    // A model that decodes the file itself speaks of the picture's own pixels.
    if (!layout) return { picture, width: picture.width, height: picture.height, fit: 'stretch' };
    const [width, height] = [dims[layout.widthAxis] ?? 1, dims[layout.heightAxis] ?? 1];
    return { picture, width, height, fit: pictureOptions.fit };
  }
  return undefined;
}

/** From the frame's pixels to the picture's, not beyond its edges. */
export function inPicture(box: Box, framed: Framed): Box {
  const { picture } = framed;
  const x = (value: number) => Math.min(picture.width, Math.max(0, pointInPicture({ x: value, y: 0 }, framed).x));
  const y = (value: number) => Math.min(picture.height, Math.max(0, pointInPicture({ x: 0, y: value }, framed).y));
  return { ...box, left: x(box.left), top: y(box.top), right: x(box.right), bottom: y(box.bottom) };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function pointInPicture({ x, y }: Point, { picture, width, height, fit }: Framed): Point {
  const { left, top, right, bottom } = placed(picture, width, height, fit);
  return {
    x: ((x - left) * picture.width) / (right - left),
    y: ((y - top) * picture.height) / (bottom - top),
  };
}
