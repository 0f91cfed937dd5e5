// From what somebody chose for an input to its tensor.
import { Tensor } from 'onnxlet';
import { isNpy, readNpy } from '../../../../edge/js/shared/npy.js';
import { converted, makeTensor } from '../../../../edge/js/shared/elements.js';
import { tensorOf } from '../../../../edge/js/shared/inputs.js';
import type { Input } from '../../../../edge/js/shared/interface.js';
import { Problem } from '../../../../edge/js/shared/interface.js';
import { toFloat16 } from '../../../../edge/js/shared/half.js';
import type { ValueInfo } from '../model/types.js';
import type { Source } from './kinds.js';
import { dtypeOf, isTable, pictureLayout, sizeKey, sourcesOf, usualValue } from './kinds.js';
import type { PictureOptions } from './picture.js';
import { defaultPictureOptions, encoded, madeUpPicture, tensorOfPicture } from './picture.js';
import type { Role } from './roles.js';
import type { SoundFile } from './sound/sound.js';
import { samplesOf } from './sound/sound.js';
import type { SoundOptions } from './sound/stream.js';
import { defaultSoundOptions, soundTensor } from './sound/stream.js';

/** How one input is given. */
export interface Choice {
  readonly source: Source;
  readonly seed: number;
  /** What is written for the source `values`: JSON, a table, or plain numbers. */
  readonly text: string;
  readonly file?: File;
  readonly picture?: ImageBitmap;
  /** The file that the picture came from; without one it was drawn or taken here. */
  readonly pictureFile?: Blob | undefined;
  readonly pictureOptions: PictureOptions;
  readonly sound?: SoundFile;
  readonly soundOptions: SoundOptions;
  /** Texts, one a line, for the source `text`. */
  readonly written: string;
}

export type Sizes = Readonly<Record<string, number>>;

export function firstChoice(value: ValueInfo, role?: Role): Choice {
  return {
    source: sourcesOf(value, role)[0] ?? 'random',
    seed: 1,
    text: usualValue(value) ?? '',
    pictureOptions: defaultPictureOptions(value),
    soundOptions: defaultSoundOptions(value),
    written: '',
  };
}

/** The shape with the chosen sizes in place of open ones. */
export function dimsOf(value: ValueInfo, sizes: Sizes): number[] {
  return (value.shape ?? []).map((dim, axis) => (typeof dim === 'number' ? dim : (sizes[sizeKey(value, axis)] ?? 1)));
}

/** Throws an Error that names the input, for what does not fit. */
export async function makeInput(value: ValueInfo, choice: Choice, sizes: Sizes, role?: Role): Promise<Tensor> {
  const dtype = dtypeOf(value);
  if (dtype === undefined) throw new Error(`Input "${value.name}" is a ${value.type}, which this page cannot make.`);
  if (role?.kind === 'picture file' && choice.source !== 'file') return pictureBytes(value, choice);
  const dims = dimsOf(value, sizes);
  switch (choice.source) {
    case 'sound':
      return soundTensor(value, await chosenSamples(value, choice));
    case 'text':
      throw new Error(`Input "${value.name}" takes no text.`);
    case 'random':
      return filled(dtype, dims, randomElement(value, dtype, choice.seed));
    case 'zeros':
      return filled(dtype, dims, () => 0);
    case 'picture':
    case 'drawing':
      return pictureTensor(value, choice, dims, dtype);
    case 'values':
      return written(value, choice.text, dtype, dims);
    case 'file':
      return fromFile(value, choice.file, dtype);
  }
}

/** The sound at the rate that was chosen. */
export function chosenSamples(value: ValueInfo, { sound, soundOptions }: Choice): Promise<Float32Array> {
  if (!sound) throw new Problem(`Choose a sound for input "${value.name}" first.`);
  return samplesOf(sound, soundOptions.rate);
}

/** The file itself, for a model that decodes it. */
async function pictureBytes(value: ValueInfo, choice: Choice): Promise<Tensor> {
  const { source, picture, pictureFile } = choice;
  if (source === 'picture' && !picture) throw missingPicture(value);
  const file = source === 'picture' && picture ? (pictureFile ?? encoded(picture)) : madeUpPicture(choice.seed);
  const bytes = new Uint8Array(await (await file).arrayBuffer());
  return new Tensor('uint8', bytes, [bytes.length]);
}

function missingPicture({ name }: ValueInfo): Problem {
  return new Problem(`Choose a picture for input "${name}" first.`);
}

function pictureTensor(value: ValueInfo, choice: Choice, dims: readonly number[], dtype: string): Tensor {
  const layout = pictureLayout(value);
  if (!layout || !choice.picture) throw missingPicture(value);
  return tensorOfPicture(choice.picture, layout, dims, dtype, choice.pictureOptions);
}

function written(value: ValueInfo, text: string, dtype: string, dims: readonly number[]): Tensor {
  if (text.trim() === '' && dtype !== 'string') throw new Problem(`Write values for input "${value.name}" first.`);
  const what = `Input "${value.name}"`;
  if (dtype === 'string' && !text.trimStart().startsWith('[') && !isTable(value)) {
    const elements = Array.from({ length: dims.reduce((a, b) => a * b, 1) }, () => text);
    return makeTensor('string', dims, elements, what);
  }
  const numbers = text.trim().split(/[\s,;]+/);
  const size = dims.reduce((product, dim) => product * dim, 1);
  const plain =
    !/[[{]/.test(text) &&
    numbers.length === size &&
    numbers.every((each) => each !== '' && !Number.isNaN(Number(each)));
  if (plain) {
    const elements = numbers.map((each) => (dtype.endsWith('64') && dtype !== 'float64' ? BigInt(each) : Number(each)));
    return makeTensor(dtype, dims, elements, what);
  }
  return tensorOf(asked(value, dtype), text);
}

async function fromFile(value: ValueInfo, file: File | undefined, dtype: string): Promise<Tensor> {
  if (!file) throw new Problem(`Choose a file for input "${value.name}" first.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const what = file.name;
  return isNpy(bytes) ? converted(readNpy(bytes, what), dtype, what) : tensorOf(asked(value, dtype), bytes);
}

function asked(value: ValueInfo, dtype: string): Input {
  return { name: value.name, kind: isTable(value) ? 'matrix' : 'tensor', dtype, shape: value.shape ?? [] };
}

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
} as const;

function filled(dtype: string, dims: readonly number[], element: () => number): Tensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  if (dtype === 'string')
    return new Tensor(
      'string',
      Array.from({ length: size }, () => 'text'),
      dims,
    );
  if (dtype === 'bool')
    return new Tensor(
      'bool',
      Uint8Array.from({ length: size }, () => (element() > 0.5 ? 1 : 0)),
      dims,
    );
  if (dtype === 'float16')
    return new Tensor(
      'float16',
      Uint16Array.from({ length: size }, () => toFloat16(element())),
      dims,
    );
  if (dtype === 'int64')
    return new Tensor(
      'int64',
      BigInt64Array.from({ length: size }, () => BigInt(element())),
      dims,
    );
  if (dtype === 'uint64')
    return new Tensor(
      'uint64',
      BigUint64Array.from({ length: size }, () => BigInt(element())),
      dims,
    );
  const data = new ARRAYS[dtype as keyof typeof ARRAYS](size);
  for (let at = 0; at < size; at++) data[at] = element();
  return new Tensor(dtype as 'float32', data as Float32Array, dims);
}

/** Floats from 0 to 1; whole numbers that indices and masks may be. */
function randomElement({ name }: ValueInfo, dtype: string, seed: number): () => number {
  const uniform = generator(seed, name);
  if (dtype.startsWith('float') || dtype === 'bool') return uniform;
  if (/mask/i.test(name)) return () => 1;
  if (dtype === 'uint8' || dtype === 'int8') return () => Math.floor(uniform() * 128);
  if (/type|segment|position/i.test(name)) return () => 0;
  return () => Math.floor(uniform() * (/ids|tokens?$/i.test(name) ? 1000 : 2));
}

/** Mulberry32, seeded with the input's name too, so that inputs differ. */
function generator(seed: number, name: string): () => number {
  let state = Array.from(name).reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
