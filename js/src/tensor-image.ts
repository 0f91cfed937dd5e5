// Images to tensor elements and back, with the options and defaults of onnxruntime-web.
import { OnnxletError } from './errors.js';
import type { ImageSource } from './tensor-api.js';

/** The order of the channels in a tensor. */
export type ImageFormat = 'RGB' | 'RGBA' | 'BGR' | 'RBG';
export type ImageTensorLayout = 'NHWC' | 'NCHW';
type PerChannel = number | readonly [number, number, number] | readonly [number, number, number, number];

export interface OptionsNormalizationParameters {
  /** From an image `(value + bias) / mean`, to an image `(value - bias) * mean`; by default 255 and 0. */
  norm?: { bias?: PerChannel; mean?: PerChannel };
}

export interface OptionsTensorLayout {
  /** NCHW when left out. */
  tensorLayout?: ImageTensorLayout;
}

export interface TensorFromImageOptions extends OptionsNormalizationParameters, OptionsTensorLayout {
  /** RGB when left out; RGBA for an HTMLImageElement, as in onnxruntime-web. */
  tensorFormat?: ImageFormat;
  /** float32 when left out. */
  dataType?: 'float32' | 'uint8';
  /** Size of the tensor; the image is scaled to it. */
  resizedHeight?: number;
  resizedWidth?: number;
  /** Size of an image that has none of its own, such as SVG. */
  height?: number;
  width?: number;
}

export interface TensorToImageOptions extends OptionsNormalizationParameters, OptionsTensorLayout {
  /** What the tensor's channels are; RGB when left out. */
  format?: ImageFormat;
}

interface Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const CHANNELS = 'RGBA';

export interface ImageElements {
  readonly type: 'float32' | 'uint8';
  readonly data: Float32Array | Uint8Array;
  readonly dims: readonly number[];
}

export async function elementsOfImage(image: ImageSource, options: TensorFromImageOptions): Promise<ImageElements> {
  const isElement = typeof HTMLImageElement === 'function' && image instanceof HTMLImageElement;
  const format = options.tensorFormat ?? (isElement ? 'RGBA' : 'RGB');
  checkFormat(format);
  const { data, width, height } = await pixelsOf(image, options);
  const type = options.dataType ?? 'float32';
  const bias = perChannel(options.norm?.bias, 0);
  const mean = perChannel(options.norm?.mean, type === 'uint8' ? 1 : 255);
  const count = width * height;
  const elements = type === 'uint8' ? new Uint8Array(count * format.length) : new Float32Array(count * format.length);
  const interleaved = options.tensorLayout === 'NHWC';
  for (const [position, name] of Array.from(format).entries()) {
    const source = CHANNELS.indexOf(name);
    const [start, step] = interleaved ? [position, format.length] : [position * count, 1];
    const [add, divide] = [bias[source] ?? 0, mean[source] ?? 1];
    for (let pixel = 0; pixel < count; pixel++) {
      elements[start + pixel * step] = ((data[pixel * 4 + source] ?? 0) + add) / divide;
    }
  }
  const dims = interleaved ? [1, height, width, format.length] : [1, format.length, height, width];
  return { type, data: elements, dims };
}

/** @param data the elements of a tensor of numbers */
export function imageOfElements(
  data: ArrayLike<number>,
  dims: readonly number[],
  options: TensorToImageOptions,
): ImageData {
  if (typeof ImageData !== 'function') {
    throw new OnnxletError('NOT_IMPLEMENTED', 'Tensor: this host has no ImageData; pages and workers of browsers do');
  }
  const format = options.format ?? 'RGB';
  checkFormat(format);
  const interleaved = options.tensorLayout === 'NHWC';
  const [batch, ...rest] = dims;
  const [height, width, channels] = interleaved ? rest : [rest[1], rest[2], rest[0]];
  if (dims.length !== 4 || batch !== 1 || channels !== format.length || !width || !height) {
    const wanted = interleaved ? '[1, height, width, channels]' : '[1, channels, height, width]';
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `Tensor: an image of format ${format} needs the shape ${wanted} with ${format.length} channels; ` +
        `the shape is [${dims.join(', ')}]`,
    );
  }
  const bias = perChannel(options.norm?.bias, 0);
  const mean = perChannel(options.norm?.mean, 255);
  const count = width * height;
  const pixels = new Uint8ClampedArray(count * 4).fill(255);
  for (const [position, name] of Array.from(format).entries()) {
    const target = CHANNELS.indexOf(name);
    const [start, step] = interleaved ? [position, format.length] : [position * count, 1];
    const [subtract, multiply] = [bias[target] ?? 0, mean[target] ?? 1];
    for (let pixel = 0; pixel < count; pixel++) {
      pixels[pixel * 4 + target] = (Number(data[start + pixel * step]) - subtract) * multiply;
    }
  }
  return new ImageData(pixels, width, height);
}

export function dataUrlOfImage(image: ImageData): string {
  if (typeof document !== 'object') {
    throw new OnnxletError('NOT_IMPLEMENTED', 'Tensor: toDataURL works on pages only; workers have toImageData');
  }
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

async function pixelsOf(image: ImageSource, options: TensorFromImageOptions): Promise<Pixels> {
  if (typeof ImageData === 'function' && image instanceof ImageData) {
    const { resizedWidth = image.width, resizedHeight = image.height } = options;
    if (resizedWidth === image.width && resizedHeight === image.height) return image;
  }
  if (typeof OffscreenCanvas !== 'function' || typeof createImageBitmap !== 'function') {
    throw new OnnxletError(
      'NOT_IMPLEMENTED',
      'Tensor.fromImage: this host cannot decode or draw images; pages and workers of browsers can',
    );
  }
  const bitmap = await bitmapOf(image, options);
  try {
    const { resizedWidth: width = bitmap.width, resizedHeight: height = bitmap.height } = options;
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    if (!context) throw new OnnxletError('RUN_FAILED', 'Tensor.fromImage: the page gives no canvas to draw on');
    context.drawImage(bitmap, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  } finally {
    if (bitmap !== image) bitmap.close();
  }
}

async function bitmapOf(image: ImageSource, options: TensorFromImageOptions): Promise<ImageBitmap> {
  if (typeof ImageBitmap === 'function' && image instanceof ImageBitmap) return image;
  const { width, height } = options;
  try {
    const source = typeof image === 'string' ? await sourceAt(image) : image;
    const size = width && height ? { resizeWidth: width, resizeHeight: height } : {};
    return await createImageBitmap(source, size);
  } catch (cause) {
    const what = typeof image === 'string' ? image.slice(0, 200) : Object.prototype.toString.call(image);
    throw new OnnxletError('LOAD_FAILED', `Tensor.fromImage: ${what} is no image that can be drawn`, { cause });
  }
}

/** Pages load images as images, which their policy may allow where it forbids a fetch. */
async function sourceAt(address: string): Promise<ImageBitmapSource> {
  if (typeof Image !== 'function') return (await fetch(address)).blob();
  const element = new Image();
  element.crossOrigin = 'anonymous';
  element.src = address;
  await element.decode();
  return element;
}

function perChannel(value: PerChannel | undefined, standard: number): readonly number[] {
  if (value === undefined) return CHANNELS.split('').map(() => standard);
  return typeof value === 'number' ? CHANNELS.split('').map(() => value) : [...value, standard];
}

function checkFormat(format: string): void {
  if (!['RGB', 'RGBA', 'BGR', 'RBG'].includes(format)) {
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      `Tensor: the format of an image must be RGB, RGBA, BGR or RBG; it is ${JSON.stringify(format)}`,
    );
  }
}
