// A second model, which reads the lines of text that the open one has found in a picture.
import { effect, signal } from '@preact/signals';
import type { InferenceSession, Tensor } from 'onnxlet';
import { isTensor } from '../../../../../edge/js/shared/elements.js';
import { Problem } from '../../../../../edge/js/shared/interface.js';
import type { LoadedModel } from '../../model/loaded.js';
import { requiredInputs } from '../../model/types.js';
import { openSession, STANDARD } from '../../session/engine.js';
import { model, readFiles } from '../../state.js';
import type { Point } from '../framed.js';
import type { PictureLayout } from '../kinds.js';
import { pictureLayout } from '../kinds.js';
import { defaultPictureOptions, tensorOfPixels } from '../picture.js';
import type { Reading } from './ctc.js';
import { charactersOf, readSteps } from './ctc.js';

export interface Reader {
  readonly model: LoadedModel;
  readonly session: InferenceSession;
  readonly layout: PictureLayout;
  /** Of a line, in pixels. */
  readonly height: number;
}

export const reader = signal<Reader | undefined>(undefined);

const NARROWEST = 16;

let owner: string | undefined;

/** It belongs to the model that finds the lines. */
effect(() => {
  const name = model.value?.name;
  if (name === owner) return;
  owner = name;
  void reader.peek()?.session.release();
  reader.value = undefined;
});

/** Throws what `explain` can tell about. */
export async function openReader(file: File): Promise<void> {
  const loaded = await readFiles([file]);
  const [input, ...others] = requiredInputs(loaded.parsed.graph);
  const layout = input && others.length === 0 ? pictureLayout(input) : undefined;
  const height = layout && input?.shape?.[layout.heightAxis];
  if (!layout || typeof height !== 'number' || !loaded.parsed.metadata.some(([key]) => key === 'character')) {
    throw new Problem(
      `${file.name} does not read lines of text: such a model takes a picture of a fixed height, and its metadata lists its characters.`,
    );
  }
  const session = await openSession(loaded, STANDARD);
  void reader.peek()?.session.release();
  reader.value = { model: loaded, session, layout, height };
}

/** Reads what is between corners of the picture. */
export async function readLine(used: Reader, picture: ImageBitmap, corners: readonly Point[]): Promise<Reading> {
  const { session, layout } = used;
  const pixels = straightened(picture, corners, used.height);
  const dims = [1, 1, 1, 1];
  dims[layout.channelAxis] = layout.channels;
  dims[layout.heightAxis] = pixels.height;
  dims[layout.widthAxis] = pixels.width;
  const options = { ...defaultPictureOptions({ name: '', type: 'tensor(float)', shape: dims }), bgr: true };
  const feed = tensorOfPixels(pixels, layout, dims, 'float32', { ...options, range: '−1 to 1' });
  const outputs = await session.run({ [session.inputNames[0] ?? '']: feed });
  const steps = Object.values(outputs).find((value): value is Tensor => isTensor(value) && value.dims.length === 3);
  const characters = steps && charactersOf(used.model, steps.dims[2] ?? 0);
  if (!steps || !characters) {
    throw new Problem(`${used.model.name} lists another number of characters than it gives probabilities for.`);
  }
  return readSteps(steps, characters);
}

/** The part of the picture, upright. */
function straightened(picture: ImageBitmap, corners: readonly Point[], height: number): ImageData {
  const [a = { x: 0, y: 0 }, b = a, , d = a] = corners;
  const [wide, high] = [Math.hypot(b.x - a.x, b.y - a.y), Math.hypot(d.x - a.x, d.y - a.y)];
  const width = Math.max(NARROWEST, Math.round((height * wide) / Math.max(high, 1)));
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('this browser cannot draw pictures here');
  context.imageSmoothingQuality = 'high';
  // The inverse of the map from the line's pixels to the picture's.
  const map = new DOMMatrix([
    (b.x - a.x) / width,
    (b.y - a.y) / width,
    (d.x - a.x) / height,
    (d.y - a.y) / height,
    a.x,
    a.y,
  ]);
  context.setTransform(map.inverse());
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, width, height);
}
