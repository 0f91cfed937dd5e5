// A picture as a tensor: fitted to the model's size and brought to its range of numbers.
import { Tensor } from 'onnxlet';
import { toFloat16 } from '../../../../edge/js/shared/half.js';
import type { ValueInfo } from '../model/types.js';
import type { PictureLayout } from './kinds.js';

export const RANGES = {
  '0 to 1': { mean: [0, 0, 0], deviation: [255, 255, 255] },
  '−1 to 1': { mean: [127.5, 127.5, 127.5], deviation: [127.5, 127.5, 127.5] },
  '0 to 255': { mean: [0, 0, 0], deviation: [1, 1, 1] },
  // The means and deviations of the pictures of ImageNet, in the units of 8-bit pixels.
  ImageNet: { mean: [123.675, 116.28, 103.53], deviation: [58.395, 57.12, 57.375] },
} as const;
export type Range = keyof typeof RANGES;
export const FITS = ['cover', 'contain', 'stretch'] as const;
export type Fit = (typeof FITS)[number];

export interface PictureOptions {
  readonly range: Range;
  readonly fit: Fit;
  /** Blue first. */
  readonly bgr: boolean;
  /** Dark on light becomes light on dark. */
  readonly invert: boolean;
}

export function defaultPictureOptions({ type }: ValueInfo): PictureOptions {
  return { range: type.includes('uint8') ? '0 to 255' : '0 to 1', fit: 'cover', bgr: false, invert: false };
}

/** `dims`: the tensor's, whose sides the picture takes. */
export function tensorOfPicture(
  picture: ImageBitmap,
  layout: PictureLayout,
  dims: readonly number[],
  dtype: string,
  options: PictureOptions,
): Tensor {
  const [width, height] = [dims[layout.widthAxis] ?? 1, dims[layout.heightAxis] ?? 1];
  return tensorOfPixels(drawn(picture, width, height, options.fit), layout, dims, dtype, options);
}

/** Of pixels that have the model's size already. */
export function tensorOfPixels(
  { data: pixels, width, height }: ImageData,
  layout: PictureLayout,
  dims: readonly number[],
  dtype: string,
  options: Omit<PictureOptions, 'fit'>,
): Tensor {
  const { mean, deviation } = RANGES[options.range];
  const numbers = new Float32Array(width * height * layout.channels);
  const planar = layout.channelAxis < layout.heightAxis;
  for (let at = 0; at < width * height; at++) {
    for (let channel = 0; channel < layout.channels; channel++) {
      const colour = options.bgr ? 2 - channel : channel;
      const raw = layout.channels === 1 ? grey(pixels, 4 * at) : (pixels[4 * at + colour] ?? 0);
      const value = options.invert ? 255 - raw : raw;
      const normal = (value - (mean[colour] ?? 0)) / (deviation[colour] ?? 1);
      numbers[planar ? channel * width * height + at : at * layout.channels + channel] = normal;
    }
  }
  return typed(numbers, dtype, dims);
}

function typed(numbers: Float32Array, dtype: string, dims: readonly number[]): Tensor {
  const single = dims.length === 4 ? [1, ...dims.slice(1)] : dims;
  if (dtype === 'uint8') return new Tensor('uint8', Uint8Array.from(numbers, Math.round), single);
  if (dtype === 'float16') return new Tensor('float16', Uint16Array.from(numbers, toFloat16), single);
  return new Tensor('float32', numbers, single);
}

/** Luma of ITU-R BT.601. */
function grey(pixels: Uint8ClampedArray, at: number): number {
  return 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0);
}

function drawn(picture: ImageBitmap, width: number, height: number, fit: Fit): ImageData {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('this browser cannot draw pictures here');
  context.imageSmoothingQuality = 'high';
  const { left, top, right, bottom } = placed(picture, width, height, fit);
  context.drawImage(picture, left, top, right - left, bottom - top);
  return context.getImageData(0, 0, width, height);
}

/** The picture's pixels as a file. */
export function encoded(picture: ImageBitmap): Promise<Blob> {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}

const MADE_UP_SIDE = 256;

/** A file of shades that differ with the seed. */
export function madeUpPicture(seed: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(MADE_UP_SIDE, MADE_UP_SIDE);
  const context = canvas.getContext('2d');
  const hue = (seed * 47) % 360;
  const shades = context?.createLinearGradient(0, 0, MADE_UP_SIDE, MADE_UP_SIDE);
  shades?.addColorStop(0, `hsl(${hue} 60% 30%)`);
  shades?.addColorStop(1, `hsl(${hue + 120} 60% 70%)`);
  if (context && shades) {
    context.fillStyle = shades;
    context.fillRect(0, 0, MADE_UP_SIDE, MADE_UP_SIDE);
  }
  return canvas.convertToBlob({ type: 'image/png' });
}

export interface Place {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where the whole picture lies in the model's frame, in the frame's pixels. */
export function placed(picture: { width: number; height: number }, width: number, height: number, fit: Fit): Place {
  if (fit === 'stretch') return { left: 0, top: 0, right: width, bottom: height };
  const [x, y] = [width / picture.width, height / picture.height];
  const scale = fit === 'cover' ? Math.max(x, y) : Math.min(x, y);
  const [wide, high] = [picture.width * scale, picture.height * scale];
  const [left, top] = [(width - wide) / 2, (height - high) / 2];
  return { left, top, right: left + wide, bottom: top + high };
}
