// ONNX's ImageDecoder, through the page's own decoders.
import { OnnxletError } from './errors.js';
import type { OperatorCall, OperatorName, WireValue } from './protocol.js';

export const IMAGE_DECODER: OperatorName = ['', 'ImageDecoder'];

export function needDecoder(): void {
  if (typeof createImageBitmap === 'function' && typeof OffscreenCanvas === 'function') return;
  throw new OnnxletError(
    'NOT_IMPLEMENTED',
    "the model needs ImageDecoder, and this host has no image decoder: give one with registerOperator('', " +
      "'ImageDecoder', function) before the session is created",
  );
}

/** uint8 [height, width, channels]; of size 0, as ONNX asks, for what does not decode. */
export async function decodeImage(call: OperatorCall): Promise<readonly WireValue[]> {
  const format = call.attributes['pixel_format'] ?? 'RGB';
  if (format !== 'RGB' && format !== 'BGR' && format !== 'Grayscale') {
    throw new OnnxletError(
      'RUN_FAILED',
      `pixel_format must be one of RGB, BGR, Grayscale; it is ${JSON.stringify(format)}`,
    );
  }
  const [encoded] = call.inputs;
  const bytes = encoded?.kind === 'tensor' && encoded.data instanceof Uint8Array ? encoded.data : new Uint8Array();
  const channels = format === 'Grayscale' ? 1 : 3;
  const image = await rgba(new Uint8Array(bytes));
  const { width, height } = image ?? { width: 0, height: 0 };
  const data = new Uint8Array(width * height * channels);
  if (image) {
    if (format === 'Grayscale') toGray(image.data, data);
    else toColours(image.data, data, format === 'BGR');
  }
  return [{ kind: 'tensor', type: 'uint8', dims: [height, width, channels], data }];
}

async function rgba(bytes: Uint8Array<ArrayBuffer>): Promise<ImageData | undefined> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(new Blob([bytes]), {
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
    });
  } catch {
    return undefined;
  }
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new OnnxletError('RUN_FAILED', 'the page gives no canvas to decode the image on');
  context.drawImage(bitmap, 0, 0);
  const pixels = context.getImageData(0, 0, bitmap.width, bitmap.height);
  bitmap.close();
  return pixels;
}

function toColours(from: Uint8ClampedArray, to: Uint8Array, reversed: boolean): void {
  for (let source = 0, target = 0; target < to.length; source += 4, target += 3) {
    to[target] = from[source + (reversed ? 2 : 0)] ?? 0;
    to[target + 1] = from[source + 1] ?? 0;
    to[target + 2] = from[source + (reversed ? 0 : 2)] ?? 0;
  }
}

/** Luma of ITU-R BT.601 in 16-bit fixed point, as Pillow and OpenCV compute it. */
function toGray(from: Uint8ClampedArray, to: Uint8Array): void {
  for (let source = 0, target = 0; target < to.length; source += 4, target++) {
    const [red, green, blue] = [from[source] ?? 0, from[source + 1] ?? 0, from[source + 2] ?? 0];
    to[target] = (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
  }
}
